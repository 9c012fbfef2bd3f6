//! `oplus runs`: what the registry holds.

use std::path::Path;

use comfy_table::{Table, presets};

use super::Failure;
use crate::experiment::Registry;
use crate::experiment::registry::RunRecord;
use crate::experiment::runner::{self, REGISTRY_FILE};

/// List, show and remove finished and unfinished runs
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  oplus runs list
  oplus runs list --experiment quickstart
  oplus runs show all-64-16-s1-0123456789ab
  oplus runs rm all-64-16-s1-0123456789ab
  oplus runs rm quickstart                        a whole experiment")]
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
    },
    /// Remove a run, or a whole experiment, with its files and results
    Rm {
        /// The run's name (or its beginning), or the experiment's
        name: String,
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
        Command::Show { run } => show(&registry, runs, &run),
        Command::Rm { name } => remove(&registry, runs, &name),
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

fn show(registry: &Registry, runs: &Path, name: &str) -> Result<(), Failure> {
    let run = find(registry, name)?;
    println!("run         {}", run.id);
    println!("experiment  {}", run.experiment);
    println!("features    {} = {} ({} features)", run.features, run.canonical, run.size);
    println!("layers      {}", run.layers);
    println!("seed        {}", run.seed);
    println!("folder      {}", runs.join(&run.experiment).join(&run.id).display());
    for kind in registry.kinds(&run.experiment, &run.id)? {
        if let Some(value) = registry.get::<serde_json::Value>(&run.experiment, &run.id, &kind)? {
            println!("\n{kind}\n{}", summarise(&value));
        }
    }
    Ok(())
}

/// JSON for people: long lists are cut.
fn summarise(value: &serde_json::Value) -> String {
    let mut value = value.clone();
    shorten(&mut value);
    serde_json::to_string_pretty(&value).unwrap_or_default()
}

fn shorten(value: &mut serde_json::Value) {
    const SHOWN: usize = 24;
    match value {
        serde_json::Value::Array(items) => {
            let more = items.len().saturating_sub(SHOWN);
            items.truncate(SHOWN);
            items.iter_mut().for_each(shorten);
            if more > 0 {
                items.push(format!("… {more} more").into());
            }
        }
        serde_json::Value::Object(fields) => fields.values_mut().for_each(shorten),
        _ => {}
    }
}

fn remove(registry: &Registry, runs: &Path, name: &str) -> Result<(), Failure> {
    if registry.experiments()?.iter().any(|experiment| experiment == name) {
        runner::remove_folder(&runs.join(name))?;
        registry.remove_experiment(name)?;
        println!("removed the experiment {name} with all its runs");
        return Ok(());
    }
    let run = find(registry, name)?;
    runner::remove_folder(&runs.join(&run.experiment).join(&run.id))?;
    registry.remove_run(&run.experiment, &run.id)?;
    println!("removed {}", run.id);
    Ok(())
}
