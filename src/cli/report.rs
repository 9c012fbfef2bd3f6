//! `oplus report`: the page again, from the results.

use std::path::{Path, PathBuf};

use super::Failure;
use experiment::discover::{DiscoverError, Discovered};
use experiment::read::{self, Overrides};
use experiment::{Earlier, Experiment, Named, Note, Runs, Workspace, publish};

/// Write the report of an experiment again from its results
///
/// A page that shows more (other sets, more seeds, more measurements) is not replaced: the error
/// lists the loss, and the keys of the file that differ from the last run.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  oplus report experiments/quickstart.toml
  oplus report quickstart                                            the last run of that name here
  oplus report experiments/quickstart.toml --scale 0.1 --out small    as given to `oplus run`
  oplus report experiments/quickstart.toml --card                    a picture to show around
  oplus report experiments/quickstart.toml --as-run                  whatever the file says now
  oplus report experiments/discovery.toml                            of a search that is over")]
pub(super) struct ReportArgs {
    /// The experiment's file, or its name
    file: PathBuf,
    /// Folder of the reports
    #[arg(long, default_value = "reports", value_name = "FOLDER")]
    out: PathBuf,
    /// Change a key, as given to `oplus run` (repeatable)
    #[arg(long, value_name = "KEY=VALUE")]
    set: Vec<String>,
    /// The scale given to `oplus run`
    #[arg(long, value_name = "FACTOR")]
    scale: Option<f64>,
    /// Take all keys from the last run instead of the file, which only gives the name
    #[arg(long, conflicts_with_all = ["set", "scale"])]
    as_run: bool,
    /// Make a picture of it too, 1200 × 630 pixels: card.svg and card.png beside the page
    #[arg(long)]
    card: bool,
    /// Replace a page that shows more
    #[arg(long)]
    replace: bool,
}

pub(super) fn main(args: ReportArgs) -> Result<(), Failure> {
    let overrides = Overrides { set: args.set.clone(), scale: args.scale };
    let runs = Runs::of(Path::new(Runs::FOLDER));
    let experiment = Named::find(&args.file, &runs)?.read(&overrides)?;
    let never_run = || {
        let (command, file) = (command_of(&experiment), args.file.display());
        Failure::message(format!("nothing was measured yet: run `oplus {command} {file}`"))
    };
    let note = runs.note(&experiment.name)?.ok_or_else(never_run)?;
    let experiment = if args.as_run { of_last_run(&note.config)? } else { experiment };
    if experiment.discover.is_some() {
        return page_of_search(&experiment, note, &args);
    }
    if args.card && experiment.selfplay.is_some() {
        return Err(Failure::usage("--card: there is none of generations"));
    }
    let earlier = if args.replace { Earlier::IsReplaced } else { Earlier::Stays };
    let page = publish::page(&runs, &experiment, &args.out, earlier)?;
    println!("{}\nreport: {}", page.in_short(), page.path.display());
    if args.card {
        let report = publish::report(&runs, &experiment, &note)?;
        let card = measure::page::card(&report)?;
        let folder = page.path.parent().unwrap_or(Path::new("."));
        for picture in report::write_card(&card, folder)? {
            println!("card: {}", picture.display());
        }
    }
    Ok(())
}

/// Command that carries out the experiment.
fn command_of(experiment: &Experiment) -> &'static str {
    if experiment.discover.is_some() { "discover" } else { "run" }
}

/// A search makes its page from its results, as `oplus discover` does at its end.
fn page_of_search(experiment: &Experiment, note: Note, args: &ReportArgs) -> Result<(), Failure> {
    if args.card {
        return Err(Failure::usage("--card: there is none of a search"));
    }
    let (workspace, folder) = (Workspace::here(None), args.out.join(&experiment.name));
    let found = experiment::discover::publish(experiment, note.clone(), &workspace, &folder);
    let Discovered { page, table, .. } = found.map_err(|error| match error {
        DiscoverError::Unfinished => unfinished(experiment, &note),
        error => Failure::from(error),
    })?;
    if let Some(table) = table {
        println!("{table}");
    }
    println!("report: {}", page.display());
    Ok(())
}

/// Of a search that is as it was begun, or of another one.
fn unfinished(experiment: &Experiment, note: &Note) -> Failure {
    let name = &experiment.name;
    let how = format!("`{}` goes on, `oplus watch {name}` shows how it stands", note.command);
    Failure::message(match note.changed(experiment) {
        None => format!("{name} is not over: {how}"),
        Some(changed) => format!(
            "{name} is not over as the file has it: since the last run {changed}; --as-run takes all \
             keys from the last run, of which {how}"
        ),
    })
}

/// The file of the last run, as it was noted with all its keys.
fn of_last_run(config: &str) -> Result<Experiment, Failure> {
    Ok(read::parse("the file of the last run", config, &Overrides::default())?)
}
