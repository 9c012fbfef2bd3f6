//! Check that the machines of the cluster see the folder: a job writes its host name into it.

use std::path::Path;
use std::time::{Duration, Instant};

use super::retry::Retry;
use super::{Slurm, absolute, cluster};
use crate::cluster::ClusterError;
use base::Observer;

/// Wait for the answer where machines are free.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(20);

/// Delay of shared file systems.
const SYNC_DELAY: Duration = Duration::from_secs(5);

/// Submits the check. Returns its job id if it has not started after a while: all other jobs then
/// depend on it.
pub(super) fn check(
    slurm: &Slurm,
    folder: &Path,
    observer: &mut dyn Observer,
) -> Result<Option<String>, ClusterError> {
    let folder = absolute(folder);
    let job = cluster::submit(&script(&folder), &slurm.options)?;
    observer.begin("checking that the cluster sees this folder", 0, "");
    match wait_for_answer(&job, &folder) {
        Ok(Answer::Seen(machine)) => {
            observer.end(&format!("{machine} does"));
            Ok(None)
        }
        Ok(Answer::Pending) => {
            observer.end("no free machine for the check: jobs wait for it");
            Ok(Some(job))
        }
        Err(failure) => Err(cluster::cancel(&[&job], failure)),
    }
}

/// A job's answer.
enum Answer {
    /// The machine where it ran sees the folder.
    Seen(String),
    /// The job has not started.
    Pending,
}

/// Waits for the answer, the end of the job, or the timeout.
fn wait_for_answer(job: &str, folder: &Path) -> Result<Answer, ClusterError> {
    let answer = folder.join("seen");
    let started = Instant::now();
    let mut over_since: Option<Instant> = None;
    loop {
        if let Ok(machine) = std::fs::read_to_string(&answer)
            && !machine.trim().is_empty()
        {
            return Ok(Answer::Seen(machine.trim().to_owned()));
        }
        if !is_over(job)? {
            over_since = None;
            if started.elapsed() > ANSWER_TIMEOUT {
                return Ok(Answer::Pending);
            }
        } else if over_since.get_or_insert_with(Instant::now).elapsed() > SYNC_DELAY {
            return Err(ClusterError::NotShared {
                folder: folder.to_owned(),
                machine: "a machine of the cluster".to_owned(),
                job: job.to_owned(),
            });
        }
        std::thread::sleep(Duration::from_millis(200));
    }
}

fn script(folder: &Path) -> String {
    let folder = folder.display().to_string().replace('\'', "'\\''");
    format!(
        "#!/bin/bash\n#SBATCH --job-name=looking\n#SBATCH --output=/dev/null\n#SBATCH --chdir=/\n\
         cd '{folder}' && hostname > seen.tmp && mv seen.tmp seen\n"
    )
}

fn is_over(job: &str) -> Result<bool, ClusterError> {
    let mut squeue = std::process::Command::new("squeue");
    squeue.args(["--noheader", "--format=%T"]).arg(format!("--jobs={job}"));
    match cluster::answer(&mut squeue, Retry::Queries) {
        Ok(state) => Ok(state.trim().is_empty()),
        Err(ClusterError::Refused { reason, .. }) if reason.contains("Invalid job id") => Ok(true),
        Err(error) => Err(error),
    }
}
