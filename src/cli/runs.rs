//! `oplus runs`: nets and results.

mod list;
mod note;
mod status;

use std::io::IsTerminal;
use std::path::Path;

use serde_json::{Value, json};

use super::Failure;
use experiment::{NetRecord, Noted, Removal, Runs, Workspace};
use features::FeatureSet;
use plan::{JobOutcome, JobResult};

/// List, show and remove runs
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  oplus runs list
  oplus runs list --experiment quickstart --sort loss
  oplus runs list --contains \"PV\"                 runs with this in set, layers, name or note
  oplus runs note all-64-16-s1 \"for the paper\"    a note, shown by list and show
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
    List(list::RunsListArgs),
    /// Settings and measurements of one run
    Show {
        /// Name of the run, or a prefix of it
        run: String,
        /// Print JSON, with long lists in full
        #[arg(long)]
        json: bool,
    },
    Note(note::RunsNoteArgs),
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
            Self::List(args) => {
                if !args.is_json() {
                    println!("{empty}");
                }
                Ok(())
            }
            Self::Show { .. } | Self::Note(_) | Self::Status(_) | Self::Rm { .. } => {
                Err(Failure::message(empty))
            }
        }
    }
}

pub(super) fn main(args: RunsArgs) -> Result<(), Failure> {
    let runs = Runs::of(Path::new(Runs::FOLDER));
    if runs.experiments().is_empty() {
        return args.command.where_nothing_is();
    }
    match args.command {
        RunsCommand::List(args) => list::main(&runs, &args),
        RunsCommand::Show { run, json } => show(&runs, &run, json),
        RunsCommand::Note(args) => note::main(&runs, &args),
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
        "note": runs.user_note(&Noted::run(net)),
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
    if let Some(note) = runs.user_note(&Noted::run(net)) {
        println!("note        {note}");
    }
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
    let removal = Removal::find(runs, name, &Workspace::here(None).reports)?;
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
