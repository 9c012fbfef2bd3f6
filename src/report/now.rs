//! The live part of a page: running jobs.
//!
//! A page on disk has none. The page of a running experiment has it above the results so far, with
//! a script that requests it again and again (`templates/live.js`).

use askama::Template;

use crate::ReportError;
use crate::files::printable;
use base::format::{compact, duration, percentage};

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Now {
    /// Kinds of jobs in the order in which they are done.
    pub stages: Vec<StageProgress>,
    pub doing: Vec<Doing>,
    /// Seconds of work that are left, if that can be said.
    pub seconds_left: Option<f64>,
    /// Failed jobs, with their reasons.
    pub failed: Vec<(String, String)>,
    /// Whether results decide the next jobs, so that more jobs follow.
    pub grows: bool,
}

/// Jobs of one kind.
#[derive(Clone, Debug, PartialEq)]
pub struct StageProgress {
    pub name: String,
    /// Finished jobs, failed ones among them.
    pub done: usize,
    pub jobs: usize,
}

/// A running job.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Doing {
    pub title: String,
    pub done: u64,
    /// Total amount; 0 if unknown.
    pub total: u64,
    pub unit: String,
    pub per_second: Option<f64>,
    pub seconds_left: Option<f64>,
    /// Figures of its own: losses, a score with its Elo.
    pub figures: Vec<String>,
    pub holder: String,
}

impl Now {
    /// Whether all jobs have ended, and no more are to come.
    pub fn is_over(&self) -> bool {
        !self.grows && self.stages.iter().all(|stage| stage.done == stage.jobs)
    }

    /// The part of the page, a `section`.
    ///
    /// # Errors
    /// A template that cannot be filled.
    pub fn section(&self) -> Result<String, ReportError> {
        let page = |source| ReportError::Page { experiment: "running jobs".to_owned(), source };
        self.render().map_err(page)
    }

    pub(crate) fn render(&self) -> Result<String, askama::Error> {
        Section { now: self }.render().map(printable)
    }
}

#[derive(Template)]
#[template(path = "now.html")]
struct Section<'a> {
    now: &'a Now,
}

impl Section<'_> {
    /// State of the run in a few words.
    fn summary(&self) -> String {
        let Now { stages, doing, seconds_left, .. } = self.now;
        let left = |seconds: &f64| match self.now.grows {
            true => "running; its results decide the next jobs".to_owned(),
            false => format!("about {} left", duration(*seconds)),
        };
        match (stages.is_empty(), self.now.is_over(), doing.is_empty()) {
            (true, ..) => "no jobs".to_owned(),
            (_, true, _) => "done".to_owned(),
            (_, _, true) => "not running: the same command resumes it".to_owned(),
            _ => seconds_left.as_ref().map_or_else(|| "running".to_owned(), left),
        }
    }

    /// Per cent of a stage that are done, for a bar.
    fn share(&self, done: &u64, total: &u64) -> u64 {
        done.saturating_mul(100).checked_div(*total).unwrap_or(0).min(100)
    }

    fn progress(&self, doing: &Doing) -> String {
        let Doing { done, total, unit, per_second, seconds_left, .. } = doing;
        let of = match total {
            0 => format!("{} {unit}", compact(*done as f64)),
            _ => format!(
                "{} of {} {unit} ({})",
                compact(*done as f64),
                compact(*total as f64),
                percentage(*done as f64 / *total as f64, 0)
            ),
        };
        let rate = per_second.map(|rate| format!("{}/s", compact(rate)));
        let left = seconds_left.map(|seconds| format!("{} left", duration(seconds)));
        [Some(of), rate, left].into_iter().flatten().collect::<Vec<_>>().join(" · ")
    }
}
