//! `oplus runs`: what the registry holds.

use std::io::IsTerminal;
use std::path::{Path, PathBuf};

use comfy_table::{Table, presets};
use serde_json::{Map, Value, json};

use super::Failure;
use base::FolderLock;
use base::format::counted;
use experiment::Registry;
use experiment::contents::Contents;
use experiment::registry::RunRecord;
use experiment::runner::{self, REGISTRY_FILE};

/// List, show and remove finished and unfinished runs
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  oplus runs list
  oplus runs list --experiment quickstart
  oplus runs show all-64-16-s1-0123456789ab
  oplus runs show all-64-16-s1 --json             all of it, for a script
  oplus runs rm all-64-16-s1-0123456789ab
  oplus runs rm quickstart --dry-run              what would go with a whole experiment
  oplus runs rm quickstart --yes                  a whole experiment, without being asked")]
pub struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, clap::Subcommand)]
enum Command {
    /// All runs, or those of one experiment
    List {
        /// Only this experiment
        #[arg(long)]
        experiment: Option<String>,
    },
    /// Everything measured of one run
    Show {
        /// The run's name, or the beginning of it
        run: String,
        /// Answer in JSON, long lists in full
        #[arg(long)]
        json: bool,
    },
    /// Remove a run, or a whole experiment, with its files and results
    ///
    /// Says what goes and asks; where nobody can be asked it needs --yes.
    Rm {
        /// The run's name (or its beginning), or the experiment's
        name: String,
        /// Do not ask
        #[arg(long)]
        yes: bool,
        /// Only say what would be removed
        #[arg(long, conflicts_with = "yes")]
        dry_run: bool,
    },
}

pub fn main(args: Args) -> Result<(), Failure> {
    let runs = Path::new("runs");
    let file = runs.join(REGISTRY_FILE);
    if !file.exists() {
        println!("no runs yet: there is no {}", file.display());
        return Ok(());
    }
    let registry = Registry::open(&file)?;
    match args.command {
        Command::List { experiment } => list(&registry, experiment.as_deref()),
        Command::Show { run, json } => show(&registry, runs, &run, json),
        Command::Rm { name, yes, dry_run } => {
            let how = match (yes, dry_run) {
                (true, _) => Removal::Done,
                (false, true) => Removal::Shown,
                (false, false) => Removal::Asked,
            };
            remove(&registry, runs, &name, how)
        }
    }
}

fn list(registry: &Registry, experiment: Option<&str>) -> Result<(), Failure> {
    let mut table = Table::new();
    table.load_preset(presets::UTF8_HORIZONTAL_ONLY);
    table.set_header(["experiment", "run", "features", "size", "layers", "seed", "measured"]);
    for run in registry.runs(experiment)? {
        let kinds = registry.kinds(&run.experiment, &run.id)?;
        table.add_row([
            run.experiment,
            run.id,
            run.features,
            run.size.to_string(),
            run.layers.to_string(),
            run.seed.to_string(),
            kinds.join(", "),
        ]);
    }
    println!("{table}");
    Ok(())
}

fn find(registry: &Registry, name: &str) -> Result<RunRecord, Failure> {
    let all = registry.runs(None)?;
    let mut found: Vec<RunRecord> =
        all.into_iter().filter(|run| run.id.starts_with(name)).collect();
    match found.len() {
        1 => Ok(found.remove(0)),
        0 => Err(Failure::message(format!(
            "no run is called `{name}`; `oplus runs list` shows them all"
        ))),
        n => Err(Failure::message(format!("{n} runs begin with `{name}`; give more of the name"))),
    }
}

fn show(registry: &Registry, runs: &Path, name: &str, json: bool) -> Result<(), Failure> {
    let run = find(registry, name)?;
    let folder = runs.join(&run.experiment).join(&run.id);
    let mut measured = Vec::new();
    for kind in registry.kinds(&run.experiment, &run.id)? {
        if let Some(value) = registry.get::<Value>(&run.experiment, &run.id, &kind)? {
            measured.push((kind, value));
        }
    }
    match json {
        true => show_as_json(&run, &folder, measured),
        false => show_to_people(&run, &folder, measured),
    }
    Ok(())
}

fn show_as_json(run: &RunRecord, folder: &Path, measured: Vec<(String, Value)>) {
    let shown = json!({
        "run": run.id,
        "experiment": run.experiment,
        "features": run.features,
        "canonical": run.canonical,
        "size": run.size,
        "layers": run.layers.to_string(),
        "seed": run.seed,
        "folder": folder,
        "measured": measured.into_iter().collect::<Map<_, _>>(),
    });
    println!("{shown:#}");
}

fn show_to_people(run: &RunRecord, folder: &Path, measured: Vec<(String, Value)>) {
    println!("run         {}", run.id);
    println!("experiment  {}", run.experiment);
    println!("features    {} = {} ({} features)", run.features, run.canonical, run.size);
    println!("layers      {}", run.layers);
    println!("seed        {}", run.seed);
    println!("folder      {}", folder.display());
    for (kind, mut value) in measured {
        shorten(&mut value);
        println!("\n{kind}\n{value:#}");
    }
}

/// JSON for people: long lists are cut.
fn shorten(value: &mut Value) {
    const SHOWN: usize = 24;
    match value {
        Value::Array(items) => {
            let more = items.len().saturating_sub(SHOWN);
            items.truncate(SHOWN);
            items.iter_mut().for_each(shorten);
            if more > 0 {
                items.push(format!("… {more} more").into());
            }
        }
        Value::Object(fields) => fields.values_mut().for_each(shorten),
        _ => {}
    }
}

/// Says what goes, asks, and removes it.
fn remove(registry: &Registry, runs: &Path, name: &str, how: Removal) -> Result<(), Failure> {
    let is_experiment = registry.experiments()?.iter().any(|experiment| experiment == name);
    let target = match is_experiment {
        true => Target::Experiment(name.to_owned()),
        false => Target::Run(Box::new(find(registry, name)?)),
    };
    let folder = target.folder(runs);
    // Whoever works there would go on with files that are gone; it is free for us alone until
    // the end.
    let experiment = runs.join(target.experiment());
    let _lock = experiment.is_dir().then(|| FolderLock::take(&experiment)).transpose();
    let _lock = _lock.map_err(Failure::from_error)?;
    println!("{}", told(registry, &target, &folder)?);
    if how == Removal::Shown {
        return Ok(());
    }
    if how == Removal::Asked && !confirmed()? {
        println!("nothing was removed");
        return Ok(());
    }
    runner::remove_folder(&folder)?;
    match &target {
        Target::Experiment(name) => registry.remove_experiment(name)?,
        Target::Run(run) => registry.remove_run(&run.experiment, &run.id)?,
    }
    println!("removed {name}");
    Ok(())
}

/// How far `rm` goes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Removal {
    /// It only says what would go.
    Shown,
    /// It asks first.
    Asked,
    /// It removes.
    Done,
}

/// What is to go.
enum Target {
    Experiment(String),
    Run(Box<RunRecord>),
}

impl Target {
    fn experiment(&self) -> &str {
        match self {
            Self::Experiment(name) => name,
            Self::Run(run) => &run.experiment,
        }
    }

    fn folder(&self, runs: &Path) -> PathBuf {
        match self {
            Self::Experiment(name) => runs.join(name),
            Self::Run(run) => runs.join(&run.experiment).join(&run.id),
        }
    }
}

fn told(registry: &Registry, target: &Target, folder: &Path) -> Result<String, Failure> {
    let Contents { bytes, games } = Contents::of(folder);
    let megabytes = format!("{:.1} MB in {}", bytes as f64 / 1e6, folder.display());
    Ok(match target {
        Target::Experiment(name) => {
            let runs = registry.runs(Some(name))?.len() as u64;
            format!(
                "the experiment {name}: {} with all that was measured of them, {}, {megabytes}",
                counted(runs, "run"),
                counted(games, "game"),
            )
        }
        Target::Run(run) => format!(
            "the run {} of {}: its net, its checkpoints and what was measured of it, {megabytes}; \
             its games stay with those of the experiment",
            run.id, run.experiment
        ),
    })
}

/// Asks on a terminal; elsewhere nobody could answer.
fn confirmed() -> Result<bool, Failure> {
    if !std::io::stdin().is_terminal() {
        let message = "nothing was removed: nobody is there to be asked; say --yes to remove it, \
                       or --dry-run to see it only";
        return Err(Failure::usage(message));
    }
    eprint!("remove all of it, for good? [y/N] ");
    let mut answer = String::new();
    std::io::stdin().read_line(&mut answer).map_err(Failure::from_error)?;
    Ok(matches!(answer.trim(), "y" | "Y" | "yes"))
}
