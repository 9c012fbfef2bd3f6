//! `oplus evolve`: numbers of the engine, found by trying.

use std::path::{Path, PathBuf};

use evolution::file::{Config, evolve};
use experiment::{Runs, preflight};

use super::Failure;
use super::command_line::command_line;
use super::progress::Progress;
use super::signals::stop_flag;

/// Search numbers of the engine by trying: genetic algorithms, SPSA, CMA-ES, gradients
///
/// The file sets the searched numbers, the methods, the objective, and the matches that test the
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
    /// Write the result of each search into this folder: sheets of tables, which `oplus match`
    /// plays, or lines of margins
    #[arg(long, value_name = "DIR")]
    answers: Option<PathBuf>,
}

pub(super) fn main(args: EvolveArgs) -> Result<(), Failure> {
    let config = Config::read(&args.file)?;
    let out = args.out.unwrap_or_else(|| Path::new("reports").join(&config.name));
    preflight::folder("--out", &out)?;
    let folder = Path::new(Runs::FOLDER).join(&config.name);
    let command = command_line();
    let page = evolve(&config, &command, &folder, &mut Progress::default(), stop_flag())?;
    if let Some(answers) = &args.answers {
        evolution::file::write_answers(&config, &folder, answers)?;
    }
    let written = page.write(&out)?;
    page.warnings.iter().for_each(|warning| eprintln!("warning: {warning}"));
    page.tables().filter(|table| table.is_summary).for_each(|table| println!("{table}"));
    eprintln!("report: {}", written.page.display());
    Ok(())
}
