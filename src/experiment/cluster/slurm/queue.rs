//! What of a submission waits and runs.

use std::process::Command;

use super::cluster;
use super::patience::Patience;
use crate::cluster::{ClusterError, Submission, Submitted};

/// A task, or several alike, in Slurm's queue.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InQueue {
    /// The job with its task, as Slurm writes it: `123_4`, or `123_[4-9%2]` for those that wait.
    pub job: String,
    /// `PENDING`, `RUNNING`, …
    pub state: String,
    /// Where it runs, or why it waits.
    pub because: String,
}

impl InQueue {
    /// The job without its task.
    pub fn array(&self) -> &str {
        self.job.split('_').next().unwrap_or(&self.job)
    }

    /// Whether it is about a task of a job array.
    pub fn is_about(&self, submitted: &Submitted, task: usize) -> bool {
        if self.array() != submitted.job {
            return false;
        }
        let Some((_, tasks)) = self.job.split_once('_') else { return true };
        let tasks = tasks.trim_start_matches('[').trim_end_matches(']');
        let tasks = tasks.split('%').next().unwrap_or_default();
        let wanted = task.checked_sub(submitted.first);
        tasks.split(',').any(|range| {
            let (first, last) = range.split_once('-').unwrap_or((range, range));
            match (first.parse::<usize>(), last.parse::<usize>()) {
                (Ok(first), Ok(last)) => wanted.is_some_and(|task| (first..=last).contains(&task)),
                _ => false,
            }
        })
    }
}

/// What of a submission is not over, as far as Slurm answers at once.
///
/// # Errors
/// No Slurm, or one that does not answer.
pub fn queue(submission: &Submission) -> Result<Vec<InQueue>, ClusterError> {
    queue_with(submission, Patience::None)
}

/// The same, of a Slurm that may be away for a moment.
pub(super) fn queue_with(
    submission: &Submission,
    patience: Patience,
) -> Result<Vec<InQueue>, ClusterError> {
    let jobs = submission.jobs();
    if jobs.is_empty() {
        return Ok(Vec::new());
    }
    let mut squeue = Command::new("squeue");
    squeue.args(["--noheader", "--format=%i|%T|%R"]).arg(format!("--jobs={}", jobs.join(",")));
    let answer = match cluster::answer(&mut squeue, patience) {
        Ok(answer) => answer,
        // Of one job alone that is long over Slurm says that it is none.
        Err(ClusterError::Refused { reason, .. }) if reason.contains("Invalid job id") => {
            return Ok(Vec::new());
        }
        Err(error) => return Err(error),
    };
    let line = |line: &str| {
        let mut parts = line.trim().splitn(3, '|').map(str::to_owned);
        Some(InQueue { job: parts.next()?, state: parts.next()?, because: parts.next()? })
    };
    Ok(answer.lines().filter_map(line).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tasks_are_found_in_what_slurm_writes() {
        let submitted = Submitted { job: "17".to_owned(), stage: Some(0), first: 100, tasks: 50 };
        let of = |job: &str| InQueue {
            job: job.to_owned(),
            state: "PENDING".to_owned(),
            because: "Priority".to_owned(),
        };
        assert!(of("17_4").is_about(&submitted, 104) && !of("17_4").is_about(&submitted, 4));
        let some = of("17_[3,6-9%2]");
        let about: Vec<usize> = (95..150).filter(|&task| some.is_about(&submitted, task)).collect();
        assert_eq!(about, [103, 106, 107, 108, 109]);
        assert!(of("17").is_about(&submitted, 100) && !of("171_4").is_about(&submitted, 104));
    }
}
