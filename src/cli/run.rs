//! `oplus run`: the main job.

use std::path::{Path, PathBuf};

use super::Failure;
use super::study::{self, StudyFlags};
use experiment::read::Overrides;
use experiment::{FileKind, Named, Runs};

/// Run an experiment: train, quantise, measure, play, report
///
/// An experiment is a plan of jobs with one result each: finished jobs are not repeated, a stopped
/// or killed run resumes, and several processes may share one plan.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  oplus run experiments/quickstart.toml
  oplus run quickstart                            the same, or the last run of that name
  oplus run experiments/quickstart.toml --dry-run
  oplus run experiments/quickstart.toml --scale 0.5           half the positions and games
  oplus run experiments/generations.toml          games, a net, its games, a second net
  oplus run experiments/quickstart.toml --json    progress and result for programs
  oplus run experiments/quickstart.toml --plan    every job with key and state
  oplus run experiments/quickstart.toml --job 3f6c1b    this job only, by a prefix of its key
  oplus run experiments/quickstart.toml --set training.epochs=4 --set 'grid.seed=[1, 2]'
  oplus run grid.toml --slurm --parallel 20 --sbatch \"--partition=gpu --time=4:00:00\"
  oplus run grid.toml --slurm --dry-run           the scripts only
  oplus run grid.toml --collect                   the page of the results so far
  oplus run grid.toml --hq jobs.toml              a job file for HyperQueue")]
pub(super) struct RunArgs {
    /// File or name of the experiment; docs/experiment.md documents every key
    file: PathBuf,
    /// Override a key of the file (repeatable)
    #[arg(long, value_name = "KEY=VALUE")]
    set: Vec<String>,
    /// Factor of positions and games, for trial runs of a large experiment
    #[arg(long, value_name = "FACTOR")]
    scale: Option<f64>,
    #[command(flatten)]
    study: StudyFlags,
}

pub(super) fn main(args: RunArgs) -> Result<(), Failure> {
    let overrides = Overrides { set: args.set, scale: args.scale };
    let runs = Runs::of(Path::new(Runs::FOLDER));
    let experiment = Named::find(&args.file, &runs)?.read(&overrides)?;
    if experiment.discover.is_some() {
        let error = FileKind::Discovery.misplaced(&args.file.display().to_string());
        return Err(Failure::usage(error));
    }
    study::main(&experiment, &args.study)
}
