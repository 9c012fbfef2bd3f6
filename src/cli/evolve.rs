//! `oplus evolve`: numbers of the engine, found by trying.

use std::path::{Path, PathBuf};

use base::Estimate;
use base::format::{duration, fixed, grouped};
use evolution::file::{Config, evolve};
use experiment::{Runs, preflight};
use report::evolution::EvolutionReport;

use super::Failure;
use super::command_line::command_line;
use super::progress::Progress;
use super::signals::stop_flag;
use report::terminal;

/// Search numbers of the engine by trying: genetic algorithms, SPSA, CMA-ES, gradients
///
/// The file says what is searched, by which methods, by what points are judged and what the
/// answers are then worth over the board. Each search and each match is a job: what is done is not
/// done again, and what was stopped or killed goes on: no finished game is lost.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  oplus evolve experiments/evolution/quickstart.toml   two methods, a minute
  oplus evolve experiments/evolution/phoenix.toml      the fourth document, and its audit
  oplus evolve experiments/evolution/surrogate.toml    all methods on positions, without noise
  oplus evolve experiments/evolution/margins.toml      margins of the search
docs/evolution.md documents every key and every method.")]
pub(super) struct Args {
    /// The file
    file: PathBuf,
    /// Folder of the page [default: reports/NAME]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Write what each search ended with into this folder: sheets of tables, which `oplus match`
    /// plays, or lines of margins
    #[arg(long, value_name = "DIR")]
    answers: Option<PathBuf>,
}

pub(super) fn main(args: Args) -> Result<(), Failure> {
    let config = Config::read(&args.file)?;
    let out = args.out.unwrap_or_else(|| Path::new("reports").join(&config.name));
    preflight::folder("--out", &out)?;
    let folder = Path::new(Runs::FOLDER).join(&config.name);
    let command = command_line();
    let report = evolve(&config, &command, &folder, &mut Progress::default(), stop_flag());
    let report = report?;
    if let Some(answers) = &args.answers {
        evolution::file::write_answers(&config, &folder, answers)?;
    }
    let written = report::evolution::write(&report, &out)?;
    print(&report);
    eprintln!("report: {}", written.page.display());
    Ok(())
}

fn print(report: &EvolutionReport) {
    report.warnings.iter().for_each(|warning| eprintln!("warning: {warning}"));
    let mut head = vec!["method".to_owned(), "seeds".to_owned(), "spent".to_owned()];
    head.extend(report.trials.iter().map(|trial| format!("Elo {trial}")));
    let has_errors = report.methods.iter().any(|row| row.errors.is_some());
    if has_errors {
        head.extend(["error", "held out"].map(String::from));
    }
    head.extend(["diversity", "time of each"].map(String::from));
    let mut out = terminal::compact(head, 1);
    for row in &report.methods {
        let mut cells = vec![
            row.label.clone(),
            row.seeds.to_string(),
            format!("{} {}", grouped(row.spent.round() as u64), row.unit),
        ];
        let elo = |result: &Option<report::evolution::TrialResult>| {
            result.map_or_else(String::new, |result| result.elo.signed())
        };
        cells.extend(row.trials.iter().map(elo));
        if has_errors {
            let judged_by = row.errors.map(|errors| errors.judged_by);
            let held_out = row.errors.and_then(|errors| errors.held_out);
            let told =
                |error: Option<Estimate>| error.map_or_else(String::new, |e| fixed(e.value, 5));
            cells.extend([judged_by, held_out].map(told));
        }
        cells.extend([fixed(row.diversity, 3), duration(row.seconds)]);
        out.add_row(cells);
    }
    println!("{out}");
}
