//! Whether the machines that do jobs see the folder: a job looks for a file and answers beside it.

use std::path::Path;
use std::time::{Duration, Instant};

use super::patience::Patience;
use super::{Slurm, absolute, cluster};
use crate::cluster::ClusterError;
use base::Observer;

/// How long the answer is waited for where machines are free.
const PATIENCE: Duration = Duration::from_secs(20);

/// A shared folder may take a moment to show everybody the same.
const DELAY: Duration = Duration::from_secs(5);

/// Has a job look. The number of one that has not begun after a while: whatever is handed over has
/// to wait for it, and comes to nothing if it does not find the file.
pub(super) fn look(
    slurm: &Slurm,
    folder: &Path,
    observer: &mut dyn Observer,
) -> Result<Option<String>, ClusterError> {
    let folder = absolute(folder);
    let job = cluster::submit(&script(&folder), &slurm.options)?;
    observer.begin("looking whether the cluster sees this folder", 0, "");
    match wait_for_answer(&job, &folder) {
        Ok(Seen::By(machine)) => {
            observer.end(&format!("{machine} does"));
            Ok(None)
        }
        Ok(Seen::NotYet) => {
            observer.end("no machine is free to look: jobs wait until one has");
            Ok(Some(job))
        }
        Err(failure) => Err(cluster::take_back(&[&job], failure)),
    }
}

/// A job's answer.
enum Seen {
    /// The machine where it ran sees the folder.
    By(String),
    /// It waits.
    NotYet,
}

/// Waits until a job has looked, is over, or has not begun after a while.
fn wait_for_answer(job: &str, folder: &Path) -> Result<Seen, ClusterError> {
    let answer = folder.join("seen");
    let asked = Instant::now();
    let mut over_since: Option<Instant> = None;
    loop {
        if let Ok(machine) = std::fs::read_to_string(&answer)
            && !machine.trim().is_empty()
        {
            return Ok(Seen::By(machine.trim().to_owned()));
        }
        if !is_over(job)? {
            over_since = None;
            if asked.elapsed() > PATIENCE {
                return Ok(Seen::NotYet);
            }
        } else if over_since.get_or_insert_with(Instant::now).elapsed() > DELAY {
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
    match cluster::answer(&mut squeue, Patience::Looks) {
        Ok(state) => Ok(state.trim().is_empty()),
        Err(ClusterError::Refused { reason, .. }) if reason.contains("Invalid job id") => Ok(true),
        Err(error) => Err(error),
    }
}
