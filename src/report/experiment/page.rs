//! The page: figures, tables and words put into the template.
//!
//! The template escapes whatever it is given; only pictures and swatches, which
//! are made here, go in as they are. The page is well-formed XML as well, so
//! that a test can tell when a tag is left open.

use askama::Template;

use super::columns::{self, Column, Value};
use super::cross::{self, CrossTable};
use super::factors::{self, FactorTable};
use super::intervals;
use super::lineup::{Entry, Lineup};
use super::model::{DataRow, LearningCurves, Pairing, Report, RunRow, SetRow};
use super::summary;
use crate::figure::Figure;
use crate::files::printable;
use crate::finding::{Finding, Mark};
use crate::now::Now;
use crate::plot::theme::Style;
use crate::swatch::swatch;
use arena::Limit;
use base::estimate::{Estimate, Verdict};
use base::format::{compact, fixed, grouped, p_value, percentage, significant};

#[derive(Template)]
#[template(path = "report.html")]
struct Page<'a> {
    report: &'a Report,
    lineup: &'a Lineup<'a>,
    findings: Vec<Finding>,
    columns: Vec<Column>,
    factors: Option<FactorTable>,
    pictures: Pictures<'a>,
    crosses: Vec<CrossTable>,
    sheets: &'a [String],
    now: Option<&'a Now>,
}

/// Where each picture of the page belongs.
#[derive(Clone, Copy, Debug)]
pub struct Pictures<'a> {
    /// After the results.
    pub figures: &'a [Figure],
    /// A section of their own.
    pub first_layers: &'a [Figure],
    /// A section of their own.
    pub followings: &'a [Figure],
    /// Among how the nets were made.
    pub quantisation: &'a Option<Figure>,
}

/// A set's line of the result table.
struct TableRow<'a> {
    entry: &'a Entry<'a>,
    values: Vec<&'a Value>,
}

/// A run with the set it belongs to.
struct EntryRun<'a> {
    entry: &'a Entry<'a>,
    run: &'a RunRow,
}

/// Renders the page; `sheets` are the names of the CSV files beside it, `now` is what is under
/// way while it is looked at.
pub fn render(
    report: &Report,
    lineup: &Lineup,
    pictures: Pictures<'_>,
    sheets: &[String],
    now: Option<&Now>,
) -> Result<String, askama::Error> {
    let page = Page {
        report,
        lineup,
        findings: summary::findings(report),
        columns: columns::of(report, lineup),
        factors: factors::table(report, lineup),
        pictures,
        crosses: cross::tables(report, lineup),
        sheets,
        now,
    };
    page.render().map(printable)
}

impl Page<'_> {
    fn intervals(&self) -> Vec<String> {
        intervals::told(self.report, self.lineup)
    }

    fn swatch(&self, style: &Style) -> String {
        swatch(style)
    }

    fn swatch_of(&self, label: &str) -> String {
        self.swatch(&self.lineup.style_of(label))
    }

    /// `+3 ± 9 Elo at 1M, +21 ± 8 Elo at 4M`.
    fn leads(&self, row: &DataRow) -> String {
        let lead = |(positions, lead): &(f64, Estimate)| {
            format!("{} {} at {}", lead.signed(), row.unit, compact(*positions))
        };
        row.leads.iter().map(lead).collect::<Vec<_>>().join(", ")
    }

    /// What the verdicts are worth: how many of them were held to account, and how they did.
    fn of_learning(&self, curves: &LearningCurves) -> String {
        let tested: Vec<bool> = curves.rows.iter().filter_map(DataRow::came_true).collect();
        let held = tested.iter().filter(|held| **held).count();
        let accounted = match tested.is_empty() {
            true => "With three sizes the last one would hold the curves to account.".to_owned(),
            false => format!(
                "Held to account: fitted without the largest size, {held} of {} curves foretold it \
                 within their 95 % interval; where one does not, nothing is said of more positions.",
                tested.len()
            ),
        };
        format!(
            "A lead is over {} trained on the same positions with the same seeds. Curves are \
             followed to a hundred times the largest size. {accounted}",
            curves.reference
        )
    }

    fn seeds(&self) -> String {
        let mut seeds: Vec<u64> =
            self.report.sets.iter().flat_map(|set| &set.runs).filter_map(|run| run.seed).collect();
        seeds.sort_unstable();
        seeds.dedup();
        seeds.iter().map(u64::to_string).collect::<Vec<_>>().join(", ")
    }

    fn grouped(&self, number: &u64) -> String {
        grouped(*number)
    }

    fn rows(&self) -> Vec<TableRow<'_>> {
        let values = |row: usize| self.columns.iter().map(|column| &column.values[row]).collect();
        let entries = self.lineup.entries.iter().enumerate();
        entries.map(|(row, entry)| TableRow { entry, values: values(row) }).collect()
    }

    fn runs(&self) -> Vec<EntryRun<'_>> {
        let of_entry = |entry| {
            let entry: &Entry = entry;
            entry.set.runs.iter().map(move |run| EntryRun { entry, run })
        };
        self.lineup.entries.iter().flat_map(of_entry).collect()
    }

    fn mark(&self, verdict: &Verdict) -> Mark {
        (*verdict).into()
    }

    fn of_factors(&self, table: &FactorTable) -> String {
        factors::caption(table)
    }

    fn legend(&self) -> String {
        Mark::legend(&self.report.reference)
    }

    /// Enough of a hash to compare by eye.
    fn short_hash(&self, hash: &str) -> String {
        hash.chars().take(16).collect()
    }

    fn has_quantisation(&self) -> bool {
        self.any_run(|run| run.quantisation.is_some())
    }

    fn has_nets(&self) -> bool {
        self.any_run(|run| run.net.is_some())
    }

    fn any_run(&self, is: impl Fn(&RunRow) -> bool) -> bool {
        self.report.sets.iter().flat_map(|set: &SetRow| &set.runs).any(is)
    }

    /// Of the net itself, which need not be that of the last epoch; of the last while it is in
    /// training.
    fn loss(&self, run: &RunRow) -> String {
        let kept = |kept: u32| run.losses.iter().find(|loss| loss.epoch == kept);
        let epoch = run.kept.map_or(run.losses.last(), kept);
        let validation = match run.kept {
            Some(_) => run.validation_loss,
            None => run.losses.iter().rev().find_map(|epoch| epoch.validation),
        };
        let loss = |loss: Option<f64>| loss.map_or("—".to_owned(), significant);
        let [train, validation, quantised] =
            [epoch.and_then(|epoch| epoch.train), validation, run.quantised_loss].map(loss);
        format!("{train} / {validation} / {quantised}")
    }

    fn kept(&self, run: &RunRow) -> String {
        match (run.kept, run.losses.last()) {
            (Some(kept), _) => kept.to_string(),
            (None, Some(last)) => format!("{}, in training", last.epoch),
            (None, None) => "—".to_owned(),
        }
    }

    fn seed_elo(&self, run: &RunRow, limit: &Limit) -> String {
        let elo = run.elo.iter().find(|elo| elo.limit == *limit);
        elo.map_or("—".to_owned(), |elo| elo.estimate.signed())
    }

    fn quantisation(&self, run: &RunRow) -> String {
        run.quantisation.map_or("—".to_owned(), |error| {
            format!("{} / {} cp", fixed(error.mean_cp, 2), fixed(error.max_cp, 1))
        })
    }

    fn pentanomial(&self, pairing: &Pairing) -> String {
        pairing.pentanomial.map(|count| grouped(u64::from(count))).join(" · ")
    }

    fn score(&self, pairing: &Pairing) -> String {
        percentage(pairing.score(), 1)
    }

    fn seed(&self, run: &RunRow) -> String {
        run.seed.map_or("—".to_owned(), |seed| seed.to_string())
    }

    fn p_value(&self, p: &f64) -> String {
        p_value(*p)
    }

    /// What the tests on the same puzzles speak of.
    fn of_paired_puzzles(&self) -> &'static str {
        match self.report.paired_puzzles.iter().all(|pair| pair.lead.speaks_for_sets()) {
            true => {
                "Nets of one seed are compared with each other, and seeds and puzzles both taken as \
                 drawn at random: interval (95 %, percentage points) and two-sided p (Student's t) \
                 speak of the sets, not only of these nets. Counts are attempts, all seeds together."
            }
            false => {
                "One net each: the interval (95 %, percentage points) and McNemar's test, two-sided, \
                 tell these nets apart. What other seeds would bring is unknown and not in them, so \
                 they are no verdict on the sets."
            }
        }
    }
}
