//! Whether the machines that do jobs see the folder: a job looks for a file and answers beside it.

use std::path::Path;
use std::time::{Duration, Instant};

use super::{Slurm, absolute, cluster};
use crate::ClusterError;
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
    let answer = folder.join("seen");
    let text = script(&folder);
    let job = cluster::submit(&text, &[], &slurm.options)?;
    let asked = Instant::now();
    observer.begin("looking whether the cluster sees this folder", 0, "");
    let mut over_since: Option<Instant> = None;
    let found = loop {
        if let Ok(machine) = std::fs::read_to_string(&answer)
            && !machine.trim().is_empty()
        {
            break Ok((None, format!("{} does", machine.trim())));
        }
        let is_over = is_over(&job)?;
        let since = over_since.get_or_insert_with(Instant::now);
        if !is_over {
            *since = Instant::now();
            if asked.elapsed() > PATIENCE {
                let told = "no machine is free to look: jobs wait until one has".to_owned();
                break Ok((Some(job.clone()), told));
            }
        } else if since.elapsed() > DELAY {
            let machine = "a machine of the cluster".to_owned();
            break Err(ClusterError::NotShared {
                folder: folder.clone(),
                machine,
                job: job.clone(),
            });
        }
        std::thread::sleep(Duration::from_millis(200));
    };
    let (waits, told) = found?;
    observer.end(&told);
    Ok(waits)
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
    match cluster::answer(&mut squeue) {
        Ok(state) => Ok(state.trim().is_empty()),
        Err(ClusterError::Refused { reason, .. }) if reason.contains("Invalid job id") => Ok(true),
        Err(error) => Err(error),
    }
}
