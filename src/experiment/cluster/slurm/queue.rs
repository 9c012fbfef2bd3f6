//! Queued and running tasks of a submission.

use std::process::Command;

use super::cluster;
use super::retry::Retry;
use crate::cluster::{ClusterError, Submission, Submitted};

/// A task, or several alike, in Slurm's queue.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QueuedTask {
    /// Job and task as Slurm writes them: `123_4`, or `123_[4-9%2]` for waiting ones.
    pub job: String,
    /// `PENDING`, `RUNNING`, …
    pub state: String,
    /// The machine of a running task, the reason of a waiting one.
    pub reason: String,
}

impl QueuedTask {
    /// The job without its task.
    pub fn array(&self) -> &str {
        self.job.split('_').next().unwrap_or(&self.job)
    }

    /// Whether a task of a job array is among them.
    pub fn includes(&self, submitted: &Submitted, task: usize) -> bool {
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

/// Tasks of a submission that are not over, without retries.
///
/// # Errors
/// No Slurm, or no answer.
pub fn queue(submission: &Submission) -> Result<Vec<QueuedTask>, ClusterError> {
    queue_with(submission, Retry::None)
}

/// As [`queue`], with retries.
pub(super) fn queue_with(
    submission: &Submission,
    retry: Retry,
) -> Result<Vec<QueuedTask>, ClusterError> {
    let jobs = submission.jobs();
    if jobs.is_empty() {
        return Ok(Vec::new());
    }
    let mut squeue = Command::new("squeue");
    squeue.args(["--noheader", "--format=%i|%T|%R"]).arg(format!("--jobs={}", jobs.join(",")));
    let answer = match cluster::answer(&mut squeue, retry) {
        Ok(answer) => answer,
        // Slurm forgets jobs that ended long ago.
        Err(ClusterError::Refused { reason, .. }) if reason.contains("Invalid job id") => {
            return Ok(Vec::new());
        }
        Err(error) => return Err(error),
    };
    let line = |line: &str| {
        let mut parts = line.trim().splitn(3, '|').map(str::to_owned);
        Some(QueuedTask { job: parts.next()?, state: parts.next()?, reason: parts.next()? })
    };
    Ok(answer.lines().filter_map(line).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tasks_are_parsed_from_squeue() {
        let submitted = Submitted { job: "17".to_owned(), stage: Some(0), first: 100, tasks: 50 };
        let of = |job: &str| QueuedTask {
            job: job.to_owned(),
            state: "PENDING".to_owned(),
            reason: "Priority".to_owned(),
        };
        assert!(of("17_4").includes(&submitted, 104) && !of("17_4").includes(&submitted, 4));
        let some = of("17_[3,6-9%2]");
        let about: Vec<usize> = (95..150).filter(|&task| some.includes(&submitted, task)).collect();
        assert_eq!(about, [103, 106, 107, 108, 109]);
        assert!(of("17").includes(&submitted, 100) && !of("171_4").includes(&submitted, 104));
    }
}
