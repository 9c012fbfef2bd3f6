//! `oplus discover`: a better feature set, looked for.

use std::path::{Path, PathBuf};

use super::Failure;
use super::study::{self, StudyFlags};
use experiment::discover::DiscoverError;
use experiment::read::Overrides;
use experiment::{FileKind, Named, Runs};

/// Search for a better feature set: propose, screen, train, prune, test, confirm
///
/// The file is an experiment with a `[discover]` table. A round starts from a set, the first one
/// from that of the grid: it screens many candidates, trains the best few, prunes their rows, and
/// plays the most promising one against the previous set; a winner is the base of the next round.
/// The last step plays the found set against the strongest set of the grid that costs no more, with
/// nets of other seeds and in other games. Every step is a job: finished jobs are not repeated, and
/// a stopped or killed search resumes.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  oplus discover experiments/discovery-quickstart.toml
  oplus discover experiments/discovery.toml --set discover.rounds=1
  oplus discover experiments/discovery.toml --scale 0.01       a trial run, a hundredth of it
  oplus discover experiments/discovery.toml --slurm            on a cluster, round by round
  oplus discover experiments/discovery.toml --plan             the jobs planned so far
docs/discovery.md documents every key of the table, and the page.")]
pub(super) struct DiscoverArgs {
    /// The file or name of the search
    file: PathBuf,
    /// Override a key of the file (repeatable)
    #[arg(long, value_name = "KEY=VALUE")]
    set: Vec<String>,
    /// Factor of positions and games, for trial runs of a large search
    #[arg(long, value_name = "FACTOR")]
    scale: Option<f64>,
    #[command(flatten)]
    study: StudyFlags,
}

pub(super) fn main(args: DiscoverArgs) -> Result<(), Failure> {
    let overrides = Overrides { set: args.set, scale: args.scale };
    let runs = Runs::of(Path::new(Runs::FOLDER));
    let experiment = Named::find(&args.file, &runs)?.read(&overrides)?;
    if experiment.discover.is_none() {
        let error = FileKind::Experiment.misplaced(&args.file.display().to_string());
        return Err(Failure::usage(format!("{error}; {}", DiscoverError::NoTable)));
    }
    study::main(&experiment, &args.study)
}
