//! `oplus runs list`: nets and searches of all experiments.

use std::cmp::Ordering;

use serde_json::json;

use super::{Failure, measured, size};
use base::format::grouped;
use evolution::{Evolve, Evolved};
use experiment::{NetRecord, Noted, Runs};
use measure::ValidationLoss;
use plan::{JobOutcome, JobResult};
use report::Format::{Count, Number, Text, Words};
use report::{Column, Table};

/// List runs and searches
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  oplus runs list
  oplus runs list --experiment quickstart --sort loss
  oplus runs list --contains \"PV\"
  oplus runs list --json                          a line per run, for scripts")]
pub(super) struct RunsListArgs {
    /// Runs of this experiment only
    #[arg(long)]
    experiment: Option<String>,
    /// Runs with this text in their name, set, layers or note only
    #[arg(long, value_name = "TEXT")]
    contains: Option<String>,
    /// Order: by name, by number of features, or by validation loss
    #[arg(long, value_enum, default_value_t)]
    sort: Sort,
    /// Print one line of JSON per run
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
enum Sort {
    #[default]
    Run,
    Size,
    Loss,
}

impl RunsListArgs {
    pub(super) fn is_json(&self) -> bool {
        self.json
    }

    fn includes(&self, texts: &[&str]) -> bool {
        self.contains.as_ref().is_none_or(|part| texts.iter().any(|text| text.contains(part)))
    }
}

pub(super) fn main(runs: &Runs, args: &RunsListArgs) -> Result<(), Failure> {
    let (nets, searches) = (net_rows(runs, args)?, search_rows(runs, args)?);
    if args.json {
        nets.iter().for_each(|net| print_net_as_json(runs, net));
        searches.iter().for_each(print_search_as_json);
        return Ok(());
    }
    if !nets.is_empty() || searches.is_empty() {
        println!("{}", net_table(&nets));
    }
    if !searches.is_empty() {
        println!("{}", search_table(&searches));
    }
    Ok(())
}

/// A trained net with its measurements.
struct NetRow {
    net: NetRecord,
    size: Option<usize>,
    /// Kinds of its measurements.
    kinds: Vec<String>,
    validation_loss: Option<f64>,
    note: Option<String>,
}

impl NetRow {
    fn of(runs: &Runs, net: NetRecord) -> Result<Self, Failure> {
        let done = measured(runs, &net)?;
        let validation_loss = done
            .iter()
            .filter(|done| done.definition::<ValidationLoss>().is_some())
            .find_map(|done| match &done.outcome {
                JobOutcome::Done(loss) => loss.as_f64(),
                JobOutcome::Failed(_) => None,
            });
        let mut kinds: Vec<String> = done.into_iter().map(|done| done.kind).collect();
        kinds.sort();
        kinds.dedup();
        let note = runs.user_note(&Noted::run(&net));
        Ok(Self { size: size(&net), kinds, validation_loss, note, net })
    }

    fn state(&self) -> String {
        match &self.net.failed {
            Some(why) => format!("failed: {why}"),
            None => self.kinds.join(", "),
        }
    }
}

fn net_rows(runs: &Runs, args: &RunsListArgs) -> Result<Vec<NetRow>, Failure> {
    let mut rows = Vec::new();
    for net in runs.nets(args.experiment.as_deref())? {
        let row = NetRow::of(runs, net)?;
        let note = row.note.as_deref().unwrap_or_default();
        if args.includes(&[&row.net.run, &row.net.label, &row.net.train.features, note]) {
            rows.push(row);
        }
    }
    match args.sort {
        Sort::Run => {}
        Sort::Size => rows.sort_by_key(|row| row.size),
        Sort::Loss => rows.sort_by(|a, b| missing_last(a.validation_loss, b.validation_loss)),
    }
    Ok(rows)
}

/// Lower values first.
fn missing_last(a: Option<f64>, b: Option<f64>) -> Ordering {
    match (a, b) {
        (Some(a), Some(b)) => a.total_cmp(&b),
        _ => b.is_some().cmp(&a.is_some()),
    }
}

/// Trained nets; the first column is repeated in front of the others on narrow terminals.
fn net_table(rows: &[NetRow]) -> Table {
    Table::of("nets", "Nets", rows)
        .column(Column::new("run", "run", Text), |row| &row.net.run)
        .column(Column::new("experiment", "experiment", Text), |row| &row.net.experiment)
        .column(Column::new("net", "net", Text), |row| &row.net.label)
        .column(Column::new("size", "size", Count), |row| row.size)
        .column(Column::new("loss", "validation loss", Number), |row| row.validation_loss)
        .column(Column::new("measured", "measured", Words), NetRow::state)
        .column(Column::new("note", "note", Words), |row| row.note.clone())
        .table()
}

fn print_net_as_json(runs: &Runs, row: &NetRow) {
    let NetRecord { experiment, run, label, train, failed, .. } = &row.net;
    println!(
        "{}",
        json!({
            "run": run, "experiment": experiment, "net": label, "features": train.features,
            "size": row.size, "layers": train.layers.to_string(), "seed": train.seed,
            "file": runs.file_of(&row.net), "measured": row.kinds,
            "validation_loss": row.validation_loss, "note": row.note, "failed": failed,
        })
    );
}

/// A finished search of `oplus evolve`.
struct SearchRow {
    experiment: String,
    folder: String,
    title: String,
    found: Result<Option<Evolved>, String>,
}

impl SearchRow {
    fn of(experiment: &str, done: JobResult) -> Option<Self> {
        done.definition::<Evolve>()?;
        let found = match done.outcome {
            JobOutcome::Done(found) => Ok(serde_json::from_value(found).ok()),
            JobOutcome::Failed(why) => Err(why),
        };
        Some(Self {
            experiment: experiment.to_owned(),
            folder: done.folder,
            title: done.title,
            found,
        })
    }

    fn evolved(&self) -> Option<&Evolved> {
        self.found.as_ref().ok()?.as_ref()
    }

    fn spent(&self) -> Option<u64> {
        self.evolved()?.rounds.last().map(|round| round.spent)
    }
}

fn search_rows(runs: &Runs, args: &RunsListArgs) -> Result<Vec<SearchRow>, Failure> {
    let mut rows = Vec::new();
    for name in runs.experiments() {
        if args.experiment.as_ref().is_none_or(|only| *only == name) {
            let done = runs.results_of(&name).all()?;
            rows.extend(done.into_iter().filter_map(|done| SearchRow::of(&name, done)));
        }
    }
    rows.retain(|row| args.includes(&[&row.folder, &row.title]));
    Ok(rows)
}

fn search_table(rows: &[SearchRow]) -> Table {
    let spent = |row: &SearchRow| match &row.found {
        Err(why) => Some(format!("failed: {why}")),
        Ok(found) => found.as_ref().map(|_| grouped(row.spent().unwrap_or(0))),
    };
    Table::of("searches", "Searches", rows)
        .column(Column::new("run", "run", Text), |row| &row.folder)
        .column(Column::new("experiment", "experiment", Text), |row| &row.experiment)
        .column(Column::new("search", "search", Text), |row| &row.title)
        .column(Column::new("spent", "spent", Words), spent)
        .column(Column::new("rounds", "rounds", Count), |row| {
            row.evolved().map(|found| found.round_count)
        })
        .table()
}

fn print_search_as_json(row: &SearchRow) {
    println!(
        "{}",
        json!({
            "run": row.folder, "experiment": row.experiment, "search": row.title,
            "spent": row.spent(), "rounds": row.evolved().map(|found| found.round_count),
            "failed": row.found.as_ref().err(),
        })
    );
}
