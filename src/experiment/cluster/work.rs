//! One task of a submission, run on the machine that the scheduler chose.

use crate::cluster::{Attempt, Attempts, ClusterError, Submission, Task};
use crate::{Driver, Files};
use base::Silent;
use plan::{Control, JobError, Plan, Planned, RunDir, State};

/// The outcome of a task.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TaskOutcome {
    Done(String),
    AlreadyDone(String),
    /// The reason, which is also its result.
    Failed(String),
}

impl Driver<'_> {
    /// Runs a task of a submission, from its saved progress.
    ///
    /// # Errors
    /// Dependencies that are not done, another holder, an error of the job.
    pub fn work(
        &self,
        submission: &Submission,
        task: &Task,
        control: &mut Control<'_>,
    ) -> Result<TaskOutcome, JobError> {
        let files = Files::Known(submission.note.contents.clone());
        let plan = self.plan(files, &mut Silent)?.plan;
        let planned = plan.find(task.job).ok_or(ClusterError::OtherPlan { key: task.job })?;
        let dir = self.dir();
        let attempts = Attempts::of(&dir.folder);
        let attempt = attempts.begin(task, dir.saved_progress(planned))?;
        let worked = match attempt.has_stalled() {
            true => give_up(planned, &dir)?,
            false => run_task(&plan, planned, task, &dir, control)?,
        };
        attempts.end(task);
        Ok(worked)
    }
}

fn give_up(planned: &Planned, dir: &RunDir) -> Result<TaskOutcome, JobError> {
    plan::record_failure(planned, dir, Attempt::reason())?;
    Ok(TaskOutcome::Failed(format!("{}: {}", planned.title, Attempt::reason())))
}

fn run_task(
    plan: &Plan,
    planned: &Planned,
    task: &Task,
    dir: &RunDir,
    control: &mut Control<'_>,
) -> Result<TaskOutcome, JobError> {
    let title = planned.title.clone();
    if let Some(shard) = task.shard {
        let is_new = plan::run_shard(plan, planned, shard, dir, control)?;
        let title = format!("{title}, {shard}");
        return Ok(if is_new { TaskOutcome::Done(title) } else { TaskOutcome::AlreadyDone(title) });
    }
    let find = |key| plan.find(key).ok_or(ClusterError::OtherPlan { key });
    let then = task.then.iter().map(|&key| find(key));
    let jobs = std::iter::once(Ok(planned)).chain(then).collect::<Result<Vec<_>, _>>()?;
    let states = plan::run_in_order(plan, &jobs, dir, control)?;
    let failed = states.iter().zip(&jobs).find_map(|(state, job)| match state {
        Some(State::Failed(reason)) => Some(format!("{}: {reason}", job.title)),
        _ => None,
    });
    Ok(match failed {
        Some(failed) => TaskOutcome::Failed(failed),
        None if states.iter().all(Option::is_none) => TaskOutcome::AlreadyDone(title),
        None => TaskOutcome::Done(title),
    })
}
