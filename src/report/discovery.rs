//! The page of a search for a feature set: where it led, and what was tried and left on the way.

mod figures;
mod headline;
mod page;
mod sheets;
#[cfg(test)]
mod tests;

use std::path::Path;

use super::ReportError;
use super::files::{WrittenFiles, write_files};
use super::now::Now;
use super::plot::{DrawError, Svg};
use super::{EloResult, Provenance};
use base::estimate::Estimate;

/// A search.
#[derive(Clone, Debug)]
pub struct DiscoveryReport {
    pub name: String,
    /// What it is to answer.
    pub question: String,
    /// The set it began with.
    pub start: String,
    /// The set it ended with, if anything passed, and how it was judged.
    pub found: Option<FoundSet>,
    /// How far it has come.
    pub standing: Standing,
    /// What a reader should know before anything else.
    pub warnings: Vec<String>,
    /// Every set that was tested, with the start.
    pub front: Vec<FrontPoint>,
    pub rounds: Vec<RoundReport>,
    /// The sets of the grid.
    pub rivals: Vec<RivalRow>,
    /// Which games were asked for what: a name and how it was used.
    pub games: Vec<(String, String)>,
    /// How and when.
    pub provenance: Provenance,
}

impl DiscoveryReport {
    /// What came of it, in a sentence.
    pub fn headline(&self) -> String {
        headline::of(self)
    }
}

/// How far a search has come.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Standing {
    /// It may still find something.
    UnderWay,
    /// It has come to its end.
    Over,
    /// Something without which there is no going on came to nothing, for this reason.
    Failed(String),
}

#[derive(Clone, Debug)]
pub struct FoundSet {
    pub set: String,
    /// Whom it met.
    pub rival: String,
    /// Elo over the rival by limit, with the games of all seeds.
    pub elo: Vec<EloResult>,
    /// Time per node beside the rival's.
    pub cost: Option<Estimate>,
    /// The fall of the loss beside the rival, in per cent, each seed by itself.
    pub gains: Vec<Estimate>,
    /// Where the page of the verdict lies, beside this one.
    pub page: String,
}

/// A set in the plot of Elo against speed.
#[derive(Clone, Debug)]
pub struct FrontPoint {
    pub set: String,
    /// Nodes per second.
    pub speed: Estimate,
    /// Elo at fixed nodes over the start: what tests said, one on top of the other.
    pub elo: Option<Estimate>,
    /// Whether it took the place of the set before it.
    pub is_taken: bool,
}

#[derive(Clone, Debug)]
pub struct RoundReport {
    /// The set that was asked for more.
    pub base: String,
    /// Its loss on the games that told.
    pub loss: f64,
    /// What one more weight for each of its own features gains, in per cent.
    pub own_gain: Estimate,
    /// What was screened, the best first.
    pub screened: Vec<ScreenedRow>,
    /// What was trained, the most promising first.
    pub tried: Vec<TriedRow>,
    /// Candidates with fewer rows.
    pub pruned: Vec<PrunedRow>,
    /// Games.
    pub tests: Vec<TestRow>,
    /// Whether it has come to its end.
    pub is_over: bool,
    /// What took the base's place.
    pub taken: Option<String>,
}

/// A candidate that was screened.
#[derive(Clone, Debug)]
pub struct ScreenedRow {
    pub candidate: String,
    pub features: usize,
    /// The fall of the loss, in per cent.
    pub gain: Estimate,
    /// Share of false ones among all findings as sure.
    pub q: f64,
    /// Nanoseconds a move.
    pub ns: f64,
    /// Whether it is to be believed.
    pub is_discovery: bool,
    /// Whether it was trained.
    pub was_trained: bool,
}

/// A candidate that was trained.
#[derive(Clone, Debug)]
pub struct TriedRow {
    pub candidate: String,
    /// The share of the training that it came to.
    pub share: Option<f64>,
    /// The fall of the loss after that, in per cent.
    pub gain: Option<Estimate>,
    /// Time per node beside the base's, where it was measured.
    pub cost: Option<Estimate>,
    /// Elo that both let expect at fixed time.
    pub expected: f64,
    /// What became of it.
    pub fate: String,
}

/// A candidate with fewer rows.
#[derive(Clone, Debug)]
pub struct PrunedRow {
    pub candidate: String,
    /// Rows before.
    pub of: usize,
    /// Rows that were kept.
    pub rows: usize,
    /// The fall of the loss beside the base, in per cent.
    pub gain: Option<Estimate>,
    /// Whether enough was left of it.
    pub is_borne: bool,
}

#[derive(Clone, Debug)]
pub struct TestRow {
    /// Who was to take the base's place.
    pub challenger: String,
    /// What a move might cost.
    pub limit: String,
    /// Elo over the base.
    pub elo: Option<Estimate>,
    pub games: u64,
    /// Log-likelihood ratio.
    pub llr: f64,
    /// Whether it was decided that the challenger is no stronger.
    pub is_refused: bool,
    /// What was decided.
    pub decision: String,
}

/// A set of the grid.
#[derive(Clone, Debug)]
pub struct RivalRow {
    pub set: String,
    /// Nodes per second.
    pub speed: Estimate,
    /// Elo over the start at fixed time, where it was played.
    pub elo: Option<Estimate>,
    /// What was made of it.
    pub fate: String,
}

/// Gains and costs of candidates, a row each; discoveries are coloured.
///
/// # Errors
/// As plots have them.
pub fn draw(candidates: &[ScreenedRow]) -> Result<Svg, DrawError> {
    figures::candidates(candidates)
}

/// The page as it is while the search goes on, with what is under way above what was found so far;
/// it lies on no disk and has no sheets.
///
/// # Errors
/// A plot that cannot be drawn.
pub fn live(report: &DiscoveryReport, now: &Now) -> Result<String, ReportError> {
    let name = || report.name.clone();
    let figures =
        figures::all(report).map_err(|source| ReportError::Draw { experiment: name(), source })?;
    page::render(report, &figures, Some(now))
        .map_err(|source| ReportError::Page { experiment: name(), source })
}

/// Writes `index.html`, `screened.csv`, `tried.csv`, `pruned.csv`, `tests.csv` and the plots into
/// `dir`, the page last.
///
/// # Errors
/// A disk that cannot be written.
pub fn write(report: &DiscoveryReport, dir: &Path) -> Result<WrittenFiles, ReportError> {
    let name = || report.name.clone();
    let figures =
        figures::all(report).map_err(|source| ReportError::Draw { experiment: name(), source })?;
    let mut all = Vec::new();
    for (name, sheet) in sheets::ALL {
        let bytes = sheet(report)
            .map_err(|source| ReportError::Sheet { name: (*name).to_owned(), source })?;
        all.push((*name, bytes));
    }
    let page = page::render(report, &figures, None)
        .map_err(|source| ReportError::Page { experiment: name(), source })?;
    let drawn = figures.front.iter().chain(figures.screened.iter().flatten());
    write_files(dir, &mut drawn.into_iter(), &all, &page)
}
