//! `oplus work`: entry point of a scheduler's tasks.

use std::path::PathBuf;

use super::Failure;
use super::cluster::collect;
use super::progress::Progress;
use super::signals::stop_flag;
use experiment::Workspace;
use experiment::cluster::{Submission, TaskOutcome};
use plan::Control;

/// Run one task of a submission by `oplus run --slurm`
///
/// Schedulers call this; `oplus run FILE --job KEY` does one job of a plan by hand. The exit code
/// is 75 if it was stopped and can go on.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  oplus work runs/quickstart/cluster/20261126-110312-4711.json --stage 1 --task 3
  oplus work runs/quickstart/cluster/20261126-110312-4711.json --report")]
pub(super) struct WorkArgs {
    /// The submission
    submission: PathBuf,
    /// The stage, from 0
    #[arg(long, requires = "task", required_unless_present = "report")]
    stage: Option<usize>,
    /// The task of the stage, from 0
    #[arg(long, requires = "stage")]
    task: Option<usize>,
    /// Write the page of the finished jobs
    #[arg(long, conflicts_with_all = ["stage", "task"])]
    report: bool,
}

pub(super) fn main(args: &WorkArgs) -> Result<(), Failure> {
    let submission = Submission::read(&args.submission)?;
    let workspace = Workspace::here(None);
    let (Some(stage), Some(task)) = (args.stage, args.task) else {
        return collect(&submission.experiment()?, &workspace);
    };
    if let Ok(restarts) = std::env::var("SLURM_RESTART_COUNT") {
        println!("restart {restarts}");
    }
    let mut progress = Progress::default();
    let mut control = Control { observer: &mut progress, stop: stop_flag() };
    match submission.work(submission.task(stage, task)?, &workspace, &mut control)? {
        TaskOutcome::Done(title) => println!("{title} is done"),
        TaskOutcome::AlreadyDone(title) => println!("{title} was done before"),
        TaskOutcome::Failed(why) => return Err(Failure::message(why)),
    }
    Ok(())
}
