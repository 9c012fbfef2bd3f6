//! `oplus runs`: nets and results.

mod status;

use std::io::IsTerminal;
use std::path::Path;

use serde_json::{Value, json};

use super::Failure;
use base::format::grouped;
use evolution::{Evolve, Evolved};
use experiment::{NetRecord, Removal, Runs};
use features::FeatureSet;
use plan::{JobOutcome, JobResult};
use report::Format::{Count, Text, Words};
use report::{Column, Table};

/// List, show and remove runs
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  oplus runs list
  oplus runs list --experiment quickstart
  oplus runs show all-64-16-s1-0123456789ab
  oplus runs show all-64-16-s1 --json             everything, for scripts
  oplus runs status quickstart                    state of every job
  oplus runs rm all-64-16-s1-0123456789ab
  oplus runs rm 3f6c1b9a                          one result, to measure it again
  oplus runs rm quickstart --dry-run              list the files of an experiment
  oplus runs rm quickstart --yes                  an experiment, without confirmation")]
pub(super) struct RunsArgs {
    #[command(subcommand)]
    command: RunsCommand,
}

#[derive(Debug, clap::Subcommand)]
enum RunsCommand {
    /// All runs and searches, or those of one experiment
    List {
        /// Runs of this experiment only
        #[arg(long)]
        experiment: Option<String>,
        /// Print one line of JSON per run
        #[arg(long)]
        json: bool,
    },
    /// Settings and measurements of one run
    Show {
        /// Name of the run, or a prefix of it
        run: String,
        /// Print JSON, with long lists in full
        #[arg(long)]
        json: bool,
    },
    Status(status::RunsStatusArgs),
    /// Remove a run, a whole experiment, or the result of one job
    ///
    /// Lists the files and asks for confirmation; without a terminal it needs --yes.
    Rm {
        /// Name of an experiment, or a prefix of a run's name or of a job's key
        name: String,
        /// No confirmation
        #[arg(long)]
        yes: bool,
        /// List the files only
        #[arg(long, conflicts_with = "yes")]
        dry_run: bool,
    },
}

impl RunsCommand {
    /// Of a folder without runs a list is empty, and nothing can be shown or removed.
    fn where_nothing_is(&self) -> Result<(), Failure> {
        let empty = format!("no runs: {}/ has no experiment", Runs::FOLDER);
        match self {
            Self::List { json: true, .. } => Ok(()),
            Self::List { json: false, .. } => {
                println!("{empty}");
                Ok(())
            }
            Self::Show { .. } | Self::Status(_) | Self::Rm { .. } => Err(Failure::message(empty)),
        }
    }
}

pub(super) fn main(args: RunsArgs) -> Result<(), Failure> {
    let runs = Runs::of(Path::new(Runs::FOLDER));
    if runs.experiments().is_empty() {
        return args.command.where_nothing_is();
    }
    match args.command {
        RunsCommand::List { experiment, json: false } => list(&runs, experiment.as_deref()),
        RunsCommand::List { experiment, json: true } => list_as_json(&runs, experiment.as_deref()),
        RunsCommand::Show { run, json } => show(&runs, &run, json),
        RunsCommand::Status(args) => status::main(&runs, &args),
        RunsCommand::Rm { name, yes, dry_run } => {
            let mode = match (yes, dry_run) {
                (true, _) => Mode::Remove,
                (false, true) => Mode::DryRun,
                (false, false) => Mode::Ask,
            };
            remove(&runs, &name, mode)
        }
    }
}

/// Results of a net.
fn measured(runs: &Runs, net: &NetRecord) -> Result<Vec<JobResult>, Failure> {
    let all = runs.results_of(&net.experiment).all()?;
    Ok(all
        .into_iter()
        .filter(|done| done.key == net.key || done.needs.contains(&net.key))
        .collect())
}

/// Number of features of a net; `None` of a set that this version cannot read.
fn size(net: &NetRecord) -> Option<usize> {
    Some(FeatureSet::parse(&net.train.features).ok()?.size())
}

fn list(runs: &Runs, experiment: Option<&str>) -> Result<(), Failure> {
    let (nets, searches) = (nets(runs, experiment)?, searches(runs, experiment)?);
    if !nets.rows.is_empty() || searches.rows.is_empty() {
        println!("{nets}");
    }
    if !searches.rows.is_empty() {
        println!("{searches}");
    }
    Ok(())
}

/// Trained nets; the first column stands in front of all others where a terminal is narrow.
fn nets(runs: &Runs, experiment: Option<&str>) -> Result<Table, Failure> {
    let mut rows = Vec::new();
    for net in runs.nets(experiment)? {
        let kinds = kinds_measured(runs, &net)?;
        rows.push((net, kinds.join(", ")));
    }
    let measured = |(net, kinds): &(NetRecord, String)| match &net.failed {
        Some(why) => format!("failed: {why}"),
        None => kinds.clone(),
    };
    Ok(Table::of("nets", "Nets", &rows)
        .column(Column::new("run", "run", Text), |(net, _)| &net.run)
        .column(Column::new("experiment", "experiment", Text), |(net, _)| &net.experiment)
        .column(Column::new("net", "net", Text), |(net, _)| &net.label)
        .column(Column::new("size", "size", Count), |(net, _)| size(net))
        .column(Column::new("measured", "measured", Words), measured)
        .table())
}

fn kinds_measured(runs: &Runs, net: &NetRecord) -> Result<Vec<String>, Failure> {
    let mut kinds: Vec<String> = measured(runs, net)?.into_iter().map(|done| done.kind).collect();
    kinds.sort();
    kinds.dedup();
    Ok(kinds)
}

/// Nets and searches, a line each.
fn list_as_json(runs: &Runs, experiment: Option<&str>) -> Result<(), Failure> {
    for net in runs.nets(experiment)? {
        let measured = kinds_measured(runs, &net)?;
        let NetRecord { experiment, run, label, train, failed, .. } = &net;
        println!(
            "{}",
            json!({
                "run": run, "experiment": experiment, "net": label, "features": train.features,
                "size": size(&net), "layers": train.layers.to_string(), "seed": train.seed,
                "file": runs.file_of(&net), "measured": measured, "failed": failed,
            })
        );
    }
    for (experiment, done) in searched(runs, experiment)? {
        let JobResult { title, folder, outcome, .. } = done;
        let (found, failed) = match outcome {
            JobOutcome::Done(found) => (serde_json::from_value::<Evolved>(found).ok(), None),
            JobOutcome::Failed(why) => (None, Some(why)),
        };
        let spent = found.as_ref().and_then(|found| found.rounds.last()).map(|round| round.spent);
        println!(
            "{}",
            json!({
                "run": folder, "experiment": experiment, "search": title, "spent": spent,
                "rounds": found.map(|found| found.round_count), "failed": failed,
            })
        );
    }
    Ok(())
}

/// Searches of `oplus evolve` that are done, with their experiments.
fn searched(runs: &Runs, experiment: Option<&str>) -> Result<Vec<(String, JobResult)>, Failure> {
    let mut searches = Vec::new();
    let names = runs.experiments().into_iter();
    for name in names.filter(|name| experiment.is_none_or(|only| only == name)) {
        let done = runs.results_of(&name).all()?;
        let done = done.into_iter().filter(|done| done.definition::<Evolve>().is_some());
        searches.extend(done.map(|done| (name.clone(), done)));
    }
    Ok(searches)
}

/// Searches of `oplus evolve`.
fn searches(runs: &Runs, experiment: Option<&str>) -> Result<Table, Failure> {
    let rows = searched(runs, experiment)?;
    let evolved = |result: &JobResult| match &result.outcome {
        JobOutcome::Done(found) => serde_json::from_value::<Evolved>(found.clone()).ok(),
        JobOutcome::Failed(_) => None,
    };
    let spent = |(_, result): &(String, JobResult)| match &result.outcome {
        JobOutcome::Failed(why) => Some(format!("failed: {why}")),
        JobOutcome::Done(_) => {
            let spent = |it: Evolved| it.rounds.last().map_or(0, |round| round.spent);
            evolved(result).map(|it| grouped(spent(it)))
        }
    };
    Ok(Table::of("searches", "Searches", &rows)
        .column(Column::new("run", "run", Text), |(_, result)| &result.folder)
        .column(Column::new("experiment", "experiment", Text), |(name, _)| name)
        .column(Column::new("search", "search", Text), |(_, result)| &result.title)
        .column(Column::new("spent", "spent", Words), spent)
        .column(Column::new("rounds", "rounds", Count), |(_, result)| {
            evolved(result).map(|it| it.round_count)
        })
        .table())
}

fn show(runs: &Runs, name: &str, json: bool) -> Result<(), Failure> {
    let net = runs.net(name)?;
    let measured = measured(runs, &net)?;
    match json {
        true => show_as_json(runs, &net, measured),
        false => show_to_people(runs, &net, measured),
    }
    Ok(())
}

fn show_as_json(runs: &Runs, net: &NetRecord, measured: Vec<JobResult>) {
    let shown = json!({
        "run": net.run,
        "experiment": net.experiment,
        "net": net.label,
        "features": net.train.features,
        "size": size(net),
        "layers": net.train.layers.to_string(),
        "seed": net.train.seed,
        "folder": runs.folder_of(&net.experiment).join(&net.run),
        "measured": measured,
    });
    println!("{shown:#}");
}

fn show_to_people(runs: &Runs, net: &NetRecord, measured: Vec<JobResult>) {
    let size = size(net).map_or("?".to_owned(), |size| size.to_string());
    println!("run         {}", net.run);
    println!("experiment  {}", net.experiment);
    println!("net         {}", net.label);
    println!("features    {} ({size} features)", net.train.features);
    println!("layers      {}", net.train.layers);
    println!("seed        {}", net.train.seed);
    println!("folder      {}", runs.folder_of(&net.experiment).join(&net.run).display());
    for JobResult { key, kind, title, outcome, .. } in measured {
        println!("\n{kind} {key}: {title}");
        match outcome {
            JobOutcome::Done(value) => print_figures(&value),
            JobOutcome::Failed(reason) => println!("failed: {reason}"),
        }
    }
    println!("\n--json has the lists in full");
}

/// Figures, one per line, named by their path.
fn print_figures(found: &Value) {
    let mut figures = Vec::new();
    collect("", found, &mut figures);
    let width = figures.iter().map(|(name, _)| name.len()).max().unwrap_or(0);
    for (name, figure) in figures {
        println!("  {name:width$}  {figure}");
    }
}

/// Figures below a name; of long lists, and of lists of lists, how long they are.
fn collect(name: &str, value: &Value, into: &mut Vec<(String, String)>) {
    const LISTED: usize = 6;
    let below = |part: &dyn std::fmt::Display| match name {
        "" => part.to_string(),
        _ => format!("{name}.{part}"),
    };
    let mut tell = |figure: String| into.push((name.to_owned(), figure));
    match value {
        Value::Null => {}
        Value::String(text) => tell(text.clone()),
        Value::Object(fields) => {
            fields.iter().for_each(|(field, value)| collect(&below(field), value, into));
        }
        Value::Array(items) if items.len() > LISTED || items.iter().any(Value::is_array) => {
            tell(format!("a list of {}", items.len()));
        }
        Value::Array(items) if items.iter().any(Value::is_object) => {
            items.iter().enumerate().for_each(|(at, item)| collect(&below(&at), item, into));
        }
        Value::Array(_) | Value::Bool(_) | Value::Number(_) => tell(value.to_string()),
    }
}

/// Lists the files, asks for confirmation, and removes them.
fn remove(runs: &Runs, name: &str, mode: Mode) -> Result<(), Failure> {
    let removal = Removal::find(runs, name)?;
    println!("{}", removal.summary()?);
    if mode == Mode::DryRun {
        return Ok(());
    }
    if mode == Mode::Ask && !confirmed()? {
        println!("nothing was removed");
        return Ok(());
    }
    removal.execute()?;
    println!("removed {name}");
    Ok(())
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Mode {
    DryRun,
    Ask,
    Remove,
}

/// Asks on a terminal.
fn confirmed() -> Result<bool, Failure> {
    if !std::io::stdin().is_terminal() {
        let message = "nothing was removed: no terminal for the confirmation; --yes removes it, \
                       --dry-run lists the files";
        return Err(Failure::usage(message));
    }
    eprint!("remove all of it? [y/N] ");
    let mut answer = String::new();
    std::io::stdin().read_line(&mut answer)?;
    Ok(matches!(answer.trim(), "y" | "Y" | "yes"))
}
