//! `oplus work`: a task of a scheduler.

use std::path::PathBuf;

use super::Failure;
use super::cluster::summary;
use super::progress::Progress;
use super::signals::stop_flag;
use super::study;
use experiment::cluster::{Submission, TaskOutcome};
use experiment::{Driver, Workspace};
use plan::Control;

/// Run one task of a `--slurm` submission
///
/// For schedulers; `oplus run FILE --job KEY` runs one job of a plan by hand. Exit code 75: stopped,
/// resumable.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  oplus work runs/quickstart/cluster/20261126-110312-4711.json --stage 1 --task 3
  oplus work runs/quickstart/cluster/20261126-110312-4711.json --report")]
pub(super) struct WorkArgs {
    /// Submission file
    submission: PathBuf,
    /// Stage, from 0
    #[arg(long, requires = "task", required_unless_present = "report")]
    stage: Option<usize>,
    /// Task of the stage, from 0
    #[arg(long, requires = "stage")]
    task: Option<usize>,
    /// Submit the jobs planned since, or write the page of the results
    #[arg(long, conflicts_with_all = ["stage", "task"])]
    report: bool,
}

pub(super) fn main(args: &WorkArgs) -> Result<(), Failure> {
    let submission = Submission::read(&args.submission)?;
    let study = study::read(&submission.note).map_err(Failure::of_job)?;
    let runs = Submission::runs_of(&args.submission);
    let workspace = Workspace { runs, ..Workspace::here(submission.timed_games) };
    let command = &submission.note.command;
    let driver = Driver { study: &*study, workspace: &workspace, command };
    let mut progress = Progress::default();
    let (Some(stage), Some(task)) = (args.stage, args.task) else {
        let next = driver.submit_next(&submission, &mut progress).map_err(Failure::of_job)?;
        return match next {
            Some(next) => {
                println!("{}", summary(&next));
                Ok(())
            }
            None => study::collect(driver, &submission.note),
        };
    };
    if let Ok(restarts) = std::env::var("SLURM_RESTART_COUNT") {
        println!("restart {restarts}");
    }
    let mut control = Control { observer: &mut progress, stop: stop_flag() };
    let worked = driver.work(&submission, submission.task(stage, task)?, &mut control);
    match worked.map_err(Failure::of_job)? {
        TaskOutcome::Done(title) => println!("{title} is done"),
        TaskOutcome::AlreadyDone(title) => println!("{title} was done before"),
        TaskOutcome::Failed(why) => return Err(Failure::message(why)),
    }
    Ok(())
}
