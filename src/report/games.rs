//! The page of a match, a test or a tournament.
//!
//! Plain numbers in ([`GamesReport`]), a folder out ([`write()`]): a page that
//! stands alone, its plots as SVG, its tables as CSV.

mod generations;
mod page;
mod plots;
mod sheets;
mod table;
#[cfg(test)]
mod tests;

use std::path::Path;

use super::figure::Figure;
use super::files::{WrittenFiles, write_files};
use super::now::Now;
use super::{Provenance, ReportError, shrink};
use base::estimate::Estimate;

pub use generations::GenerationRow;
pub use table::table;

/// Games between players, and what they say.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct GamesReport {
    /// Stands above all.
    pub title: String,
    /// What the games say, in words.
    pub findings: Vec<String>,
    /// What the reader must know before believing the numbers.
    pub warnings: Vec<String>,
    /// From the strongest to the weakest.
    pub players: Vec<PlayerRow>,
    /// Who met whom.
    pub meetings: Vec<Meeting>,
    /// Elo after ever more pairs; of a match of two.
    pub course: Vec<CoursePoint>,
    /// The test that ended the match.
    pub test: Option<TestCurve>,
    /// How players came of each other, where they did.
    pub generations: Vec<GenerationRow>,
    /// How it was played, and by what.
    pub provenance: Provenance,
    /// The experiment file that was carried out, every key of it; empty if there was none.
    pub config_toml: String,
}

/// A player and its rating.
#[derive(Clone, Debug, PartialEq)]
pub struct PlayerRow {
    pub name: String,
    /// On the scale of the anchors.
    pub elo: Estimate,
    /// Over the reference, from the games against it alone.
    pub direct: Option<Estimate>,
    /// Share of the points, in [0, 1].
    pub score: f64,
    pub games: u64,
    /// Games it lost by failing as a program, in words; empty if none.
    pub forfeits: String,
}

/// The games of two players.
#[derive(Clone, Debug, PartialEq)]
pub struct Meeting {
    /// Whose wins are counted.
    pub first: String,
    pub second: String,
    /// Wins, draws and losses of the first.
    pub games: [u64; 3],
    /// Pairs by the first's score: 0, ½, 1, 1½, 2.
    pub pairs: [u64; 5],
    /// Elo of the first over the second.
    pub elo: Option<Estimate>,
    /// The same in standard deviations of a game.
    pub normalised_elo: Option<Estimate>,
    /// Share of the points that White took, in [0, 1].
    pub white_score: f64,
    /// Games that repeat another one move by move.
    pub duplicates: u64,
    /// Whether so many games were forfeited that there is no verdict.
    pub is_spoilt: bool,
}

/// What the first so many pairs said.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CoursePoint {
    pub pairs: u64,
    pub elo: Estimate,
}

/// A sequential test, pair by pair.
#[derive(Clone, Debug, PartialEq)]
pub struct TestCurve {
    /// What it asks: `H0: 0, H1: +5 normalised Elo`.
    pub question: String,
    /// LLR at which H0 and H1 are accepted.
    pub bounds: (f64, f64),
    /// LLR after so many pairs.
    pub points: Vec<(u64, f64)>,
}

impl Meeting {
    /// Share of the points that the first took; half when nothing was played.
    pub fn score(&self) -> f64 {
        let [wins, draws, losses] = self.games.map(|count| count as f64);
        match wins + draws + losses {
            0.0 => 0.5,
            games => (wins + draws / 2.0) / games,
        }
    }

    /// The same games from the other side.
    #[must_use]
    pub fn turned(&self) -> Self {
        let (mut games, mut pairs) = (self.games, self.pairs);
        games.reverse();
        pairs.reverse();
        Self {
            first: self.second.clone(),
            second: self.first.clone(),
            games,
            pairs,
            elo: self.elo.map(|elo| elo.negated()),
            normalised_elo: self.normalised_elo.map(|elo| elo.negated()),
            ..self.clone()
        }
    }
}

impl GamesReport {
    /// What `first` did against `second`, if they met.
    pub fn meeting(&self, first: &str, second: &str) -> Option<Meeting> {
        self.meetings.iter().find_map(|meeting| {
            match (meeting.first.as_str(), meeting.second.as_str()) {
                names if names == (first, second) => Some(meeting.clone()),
                names if names == (second, first) => Some(meeting.turned()),
                _ => None,
            }
        })
    }
}

/// What the page in `folder` shows of generations and players and that of `report` would not,
/// in words.
///
/// # Errors
/// A sheet that cannot be laid out.
pub fn lost(report: &GamesReport, folder: &Path) -> Result<Vec<String>, ReportError> {
    let shown = ["generations.csv", "players.csv"];
    let sheets = sheets::of(report)?.into_iter().filter(|(name, _)| shown.contains(name));
    Ok(shrink::lost(folder, &sheets.collect::<Vec<_>>()))
}

/// Writes `index.html`, plots and CSV sheets into `folder`, which is made if it
/// is not there; the page last.
///
/// # Errors
/// A disk that cannot be written.
pub fn write(report: &GamesReport, folder: &Path) -> Result<WrittenFiles, ReportError> {
    let figures = figures(report)?;
    let sheets = sheets::of(report)?;
    let names: Vec<&str> = sheets.iter().map(|(name, _)| *name).collect();
    let page = page(report, &figures, &names, None)?;
    write_files(folder, &mut figures.iter(), &sheets, &page)
}

/// The page as it is while games go on; it lies on no disk and has no sheets.
///
/// # Errors
/// A plot that cannot be drawn.
pub fn live(report: &GamesReport, now: &Now) -> Result<String, ReportError> {
    page(report, &figures(report)?, &[], Some(now))
}

fn figures(report: &GamesReport) -> Result<Vec<Figure>, ReportError> {
    let experiment = || report.title.clone();
    plots::of(report).map_err(|source| ReportError::Draw { experiment: experiment(), source })
}

fn page(
    report: &GamesReport,
    figures: &[Figure],
    sheets: &[&str],
    now: Option<&Now>,
) -> Result<String, ReportError> {
    let experiment = || report.title.clone();
    page::render(report, figures, sheets, now)
        .map_err(|source| ReportError::Page { experiment: experiment(), source })
}
