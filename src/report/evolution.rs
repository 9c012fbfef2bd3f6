//! The page of searches: what each method came to over its budget, how alike the living were, and
//! how the games were shared between the colours.

mod page;
mod sheets;
#[cfg(test)]
mod tests;

use std::path::Path;

use super::experiment::model::{LearningPanel, Provenance};
use super::figure::Figure;
use super::files::{WrittenFiles, write_files};
use super::plot::learning;
use super::plot::theme::Style;
use super::{DrawError, ReportError};
use base::estimate::Estimate;

/// Several methods on the same task.
#[derive(Clone, Debug)]
pub struct EvolutionReport {
    /// What it is called.
    pub name: String,
    /// What it is to answer.
    pub question: String,
    /// What a reader should know before anything else.
    pub warnings: Vec<String>,
    /// What most of them spend, over which curves are drawn: `games` or `evaluations`.
    pub unit: &'static str,
    /// What the answers were tried by, a column each.
    pub trials: Vec<String>,
    /// A row each.
    pub methods: Vec<MethodRow>,
    /// Curves over what was spent, a series for each method.
    pub panels: Vec<LearningPanel>,
    /// How and when.
    pub provenance: Provenance,
}

/// A method over its seeds.
#[derive(Clone, Debug)]
pub struct MethodRow {
    /// Its name.
    pub label: String,
    /// Searches.
    pub seeds: usize,
    /// What it spends: `games` or `evaluations`.
    pub unit: &'static str,
    /// Spent by each, on average.
    pub spent: f64,
    /// Rounds of each, on average.
    pub rounds: f64,
    /// Seconds of each, on average.
    pub seconds: f64,
    /// How far apart the living are at the end.
    pub diversity: f64,
    /// Share of the judged games that were played with White, and of their points that White took
    /// of all points; `None` without games.
    pub colours: Option<ColourShares>,
    /// Mean squared error of the last answer on positions held out, where positions judged.
    pub held_out: Option<Estimate>,
    /// For each trial Elo of the last answer, and White's share of the points.
    pub trials: Vec<Option<TrialResult>>,
}

/// How games were shared between the colours.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ColourShares {
    /// Share of the games of the judged in which they had White.
    pub with_white: f64,
    /// Share of the points that they took with White, and with Black.
    pub scores: [f64; 2],
}

/// What a trial came to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TrialResult {
    /// Mean over the seeds.
    pub elo: Estimate,
    /// Share of the points that White took, whoever had it.
    pub white: f64,
    /// Games of all seeds.
    pub games: u64,
}

impl EvolutionReport {
    /// The same colour and marker for a method in all curves.
    fn style(&self, label: &str) -> Style {
        let place = self.methods.iter().position(|method| method.label == label);
        place.map_or(Style::REFERENCE, Style::nth)
    }

    fn figures(&self) -> Result<Vec<Figure>, DrawError> {
        if self.panels.is_empty() {
            return Ok(Vec::new());
        }
        let svg = learning::draw(&self.panels, |label| self.style(label))?;
        let caption = format!(
            "Means over the seeds of each method by what had been spent ({}); bands and bars: 95 % \
             intervals, of the seeds and of the games together. Diversity: the mean distance of the \
             living from their middle, as a share of what genes may span.",
            self.unit
        );
        let title = "What a budget brings".to_owned();
        Ok(vec![Figure { id: "course".to_owned(), title, caption, svg }])
    }
}

/// Writes `index.html`, `methods.csv`, `curves.csv` and the plot into `dir`, the page last.
///
/// # Errors
/// A disk that cannot be written.
pub fn write(report: &EvolutionReport, dir: &Path) -> Result<WrittenFiles, ReportError> {
    let name = || report.name.clone();
    let sheet_failed = |name: &str, source| ReportError::Sheet { name: name.to_owned(), source };
    let figures =
        report.figures().map_err(|source| ReportError::Draw { experiment: name(), source })?;
    let methods = sheets::methods(report).map_err(|error| sheet_failed("methods.csv", error))?;
    let curves = sheets::curves(report).map_err(|error| sheet_failed("curves.csv", error))?;
    let page = page::render(report, &figures)
        .map_err(|source| ReportError::Page { experiment: name(), source })?;
    let sheets = [("methods.csv", methods), ("curves.csv", curves)];
    write_files(dir, &mut figures.iter(), &sheets, &page)
}
