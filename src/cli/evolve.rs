//! `oplus evolve`: numbers of the engine, found by trying.

use std::path::PathBuf;

use super::Failure;
use super::study::{self, Folders, StudyFlags};
use evolution::file::Evolution;
use experiment::Workspace;

/// Tune numbers of the engine: genetic algorithms, SPSA, CMA-ES, gradients
///
/// The file sets the tuned numbers, the methods, the objective, and the matches that test the
/// results. Each search and each match is a job: finished jobs are not repeated, and a stopped or
/// killed one resumes without loss of a finished game.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  oplus evolve experiments/evolution/quickstart.toml   two methods, a minute
  oplus evolve experiments/evolution/phoenix.toml      the fourth document, and its audit
  oplus evolve experiments/evolution/surrogate.toml    all methods on positions, without noise
  oplus evolve experiments/evolution/margins.toml      margins of the search
docs/evolution.md documents every key and every method.")]
pub(super) struct EvolveArgs {
    /// The file
    file: PathBuf,
    /// Folder of the page [default: reports/NAME]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Folder for the result of each search: table files, which `oplus match` plays, or lines of
    /// margins
    #[arg(long, value_name = "DIR")]
    answers: Option<PathBuf>,
    #[command(flatten)]
    study: StudyFlags,
}

pub(super) fn main(args: EvolveArgs) -> Result<(), Failure> {
    let evolution = Evolution::read(&args.file)?;
    study::main_in(&evolution, &args.study, Folders { page: args.out, ..Folders::default() })?;
    let (Some(answers), true) = (&args.answers, args.study.writes_page()) else { return Ok(()) };
    let dir = Workspace::here(None).run_dir(&evolution);
    Ok(evolution.write_answers(&dir, answers)?)
}
