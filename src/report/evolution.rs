//! The page of searches: what each method came to over its budget, how alike the living were, and
//! how the games were shared between the colours.

mod page;
mod sheets;
#[cfg(test)]
mod tests;

use std::path::Path;

use super::Provenance;
use super::figure::Figure;
use super::files::{WrittenFiles, write_files};
use super::plot::learning;
use super::plot::learning::LearningPanel;
use super::plot::theme::Style;
use super::{DrawError, ReportError};
use base::estimate::Estimate;

/// Several methods on the same task.
#[derive(Clone, Debug)]
pub struct EvolutionReport {
    pub name: String,
    /// What it is to answer.
    pub question: String,
    /// What a reader should know before anything else.
    pub warnings: Vec<String>,
    /// What most of them spend, over which curves are drawn: `games` or `evaluations`.
    pub unit: &'static str,
    /// What the answers were tried by, a column each.
    pub trials: Vec<String>,
    pub methods: Vec<MethodRow>,
    /// Curves over what was spent, a series for each method.
    pub panels: Vec<LearningPanel>,
    /// What parts of the search bring.
    pub ablations: Vec<Ablations>,
    /// How and when.
    pub provenance: Provenance,
}

#[derive(Clone, Debug)]
pub struct MethodRow {
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
    /// Mean squared errors of the last answer, where positions judged.
    pub errors: Option<ErrorMeans>,
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

/// Mean squared errors, means over the seeds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ErrorMeans {
    /// In the positions that judged.
    pub judged_by: Estimate,
    /// In those held out, if there are any.
    pub held_out: Option<Estimate>,
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

/// Parts of the search, each played without.
#[derive(Clone, Debug)]
pub struct Ablations {
    /// What both sides evaluated with.
    pub evaluation: String,
    /// Games for each part.
    pub games: u64,
    /// Nodes a move.
    pub nodes: u64,
    /// Plies to which nodes were counted.
    pub depth: u32,
    /// A row for each part.
    pub rows: Vec<AblationRow>,
}

/// What a part of the search brings.
#[derive(Clone, Debug)]
pub struct AblationRow {
    pub part: String,
    pub about: String,
    /// Elo of the engine that has it over the engine that has not.
    pub elo: Option<Estimate>,
    /// How many times as many nodes the engine without it needs to the same depth.
    pub nodes: f64,
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

/// Writes `index.html`, `methods.csv`, `curves.csv`, with ablations `ablations.csv`, and the plot
/// into `dir`, the page last.
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
    let mut sheets = vec![("methods.csv", methods), ("curves.csv", curves)];
    if !report.ablations.is_empty() {
        let ablations = sheets::ablations(report);
        let ablations = ablations.map_err(|error| sheet_failed("ablations.csv", error))?;
        sheets.push(("ablations.csv", ablations));
    }
    write_files(dir, &mut figures.iter(), &sheets, &page)
}
