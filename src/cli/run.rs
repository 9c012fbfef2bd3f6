//! `oplus run`: the main job.

use std::path::PathBuf;

use comfy_table::{Table, presets};

use super::Failure;
use super::command_line::command_line;
use super::features::warn;
use super::progress::{Progress, duration};
use super::signals::stop_flag;
use base::format::counted;
use base::memory::{self, Size};
use data::Sample;
use experiment::generations::Generations;
use experiment::preflight;
use experiment::publish::Kept;
use experiment::read::{self, Overrides};
use experiment::runner::{self, Workspace};
use experiment::{Experiment, Outcome, RunSpec, grid};

/// Carry out an experiment: train, quantise, measure, play, report
///
/// Finished runs are not repeated; a run that was stopped or killed goes on
/// from its last epoch.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  oplus run experiments/quickstart.toml
  oplus run experiments/quickstart.toml --dry-run
  oplus run experiments/thesis-pairs.toml --scale 0.0001
  oplus run experiments/generations.toml          games, a net, its games, a second net
  oplus run experiments/quickstart.toml --set training.epochs=4 --set 'grid.seed=[1, 2]'")]
pub struct Args {
    /// The experiment file; docs/experiment.md documents every key
    file: PathBuf,
    /// Change a key without editing the file (repeatable)
    #[arg(long, value_name = "KEY=VALUE")]
    set: Vec<String>,
    /// Multiply positions and games, to make a large experiment small
    #[arg(long, value_name = "FACTOR")]
    scale: Option<f64>,
    /// Show the grid with sizes, time, memory and disk expected, look whether data, puzzles,
    /// openings and folders stand ready, and do nothing
    #[arg(long)]
    dry_run: bool,
}

/// Says of every set of the grid once what its author may not mean.
fn tell_cautions(experiment: &Experiment) -> Result<(), Failure> {
    let mut told: Vec<String> = Vec::new();
    for run in grid::expand(experiment)? {
        let name = run.features.canonical().to_owned();
        if !told.contains(&name) {
            warn(run.features.set());
            told.push(name);
        }
    }
    Ok(())
}

pub fn main(args: Args) -> Result<(), Failure> {
    let overrides = Overrides { set: args.set, scale: args.scale };
    let experiment = read::read(&args.file, &overrides)?;
    let workspace = Workspace { runs: PathBuf::from("runs"), reports: PathBuf::from("reports") };
    tell_cautions(&experiment)?;
    if args.dry_run {
        println!("{}", plan(&experiment)?);
        preflight::check(&experiment, &workspace)?;
        preflight::data(&experiment, stop_flag())?;
        println!("data, puzzles, openings, folders and memory stand ready");
        return Ok(());
    }
    let (command, mut progress) = (command_line(), Progress::default());
    match runner::run(&experiment, &command, &workspace, &mut progress, stop_flag())? {
        Outcome::Finished { page, failed } => {
            println!("\n{}", page.table);
            println!("report: {}", page.report.display());
            if let Some(Kept { folder, lost }) = page.kept {
                let folder = folder.display();
                eprintln!("the page before showed more ({lost}): it is kept in {folder}");
            }
            match failed.as_slice() {
                [] => Ok(()),
                failed => Err(Failure::message(format!(
                    "{} came to no net: {}; the warnings say why",
                    counted(failed.len() as u64, "run"),
                    failed.join(", ")
                ))),
            }
        }
        Outcome::Stopped => Err(Failure::Stopped("run the same command again to go on")),
    }
}

/// The grid as a table, with a rough forecast.
fn plan(experiment: &Experiment) -> Result<String, Failure> {
    let runs = grid::expand(experiment)?;
    let mut table = Table::new();
    table.load_preset(presets::UTF8_HORIZONTAL_ONLY);
    table.set_header([
        "features",
        "size",
        "layers",
        "method",
        "seed",
        "positions",
        "time",
        "memory",
        "disk",
    ]);
    let (mut seconds, mut bytes) = (0.0, 0);
    // Every generation trains the grid's net again.
    let generations = experiment.selfplay.as_ref().map_or(1, |table| table.generations.get());
    let runs: Vec<&RunSpec> = (0..generations).flat_map(|_| &runs).collect();
    for &run in &runs {
        let forecast = runner::forecast(experiment, run);
        seconds += forecast.seconds;
        bytes += forecast.bytes;
        table.add_row([
            run.features.expression().to_owned(),
            run.features.set().size().to_string(),
            run.layers.to_string(),
            run.method.to_string(),
            run.seed.to_string(),
            forecast.positions.to_string(),
            duration(forecast.seconds),
            Size(preflight::footprint(experiment, run).peak()).to_string(),
            megabytes(forecast.bytes),
        ]);
    }
    let games = runner::games_planned(experiment);
    let selfplay = experiment.selfplay.as_ref().map_or(String::new(), told_selfplay);
    Ok(format!(
        "{table}\n{} runs, {games} games; training about {} on this machine, {} on disk{selfplay}\n\
         memory is that of training one, besides {} bytes for each position of the data{}",
        runs.len(),
        duration(seconds),
        megabytes(bytes),
        size_of::<Sample>(),
        memory::available().map_or(String::new(), |free| format!("; {} are free", Size(free))),
    ))
}

/// What the data of every generation are made of, as a line of its own.
fn told_selfplay(table: &Generations) -> String {
    let Generations { positions, nodes, .. } = table;
    format!("\nself-play of {positions} positions for each, at {nodes} nodes a move")
}

fn megabytes(bytes: u64) -> String {
    format!("{:.1} MB", bytes as f64 / 1e6)
}
