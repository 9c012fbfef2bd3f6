//! One task of a submission, run on the machine that the scheduler chose.

use crate::cluster::{Attempt, Attempts, ClusterError, Submission, Task};
use crate::planning::Planning;
use crate::read::{self, Overrides};
use crate::{Experiment, Workspace};
use base::Silent;
use plan::Control;
use plan::{Planned, RunDir, State};

/// The outcome of a task.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TaskOutcome {
    Done(String),
    AlreadyDone(String),
    /// The reason, which is also its result.
    Failed(String),
}

impl Submission {
    /// The experiment at the time of submission.
    ///
    /// # Errors
    /// A file of another version of the program.
    pub fn experiment(&self) -> Result<Experiment, ClusterError> {
        let title = format!("the experiment of submission {}", self.id);
        Ok(read::parse(&title, &self.note.config, &Overrides::default())?)
    }

    /// Runs a task, from its saved progress.
    ///
    /// # Errors
    /// Dependencies that are not done, another holder, an error of the job.
    pub fn work(
        &self,
        task: &Task,
        workspace: &Workspace,
        control: &mut Control<'_>,
    ) -> Result<TaskOutcome, ClusterError> {
        let experiment = self.experiment()?;
        let planning = Planning::of(&experiment, self.note.contents.clone(), &mut Silent)?;
        let planned =
            planning.plan.find(task.job).ok_or(ClusterError::OtherPlan { key: task.job })?;
        let dir = workspace.run_dir(&experiment);
        let attempts = Attempts::of(&dir.folder);
        let attempt = attempts.begin(task, dir.saved_progress(planned))?;
        let worked = match attempt.has_stalled() {
            true => give_up(planned, &dir)?,
            false => run_task(&planning, planned, task, &dir, control)?,
        };
        attempts.end(task);
        Ok(worked)
    }
}

fn give_up(planned: &Planned, dir: &RunDir) -> Result<TaskOutcome, ClusterError> {
    plan::record_failure(planned, dir, Attempt::reason())?;
    Ok(TaskOutcome::Failed(format!("{}: {}", planned.title, Attempt::reason())))
}

fn run_task(
    planning: &Planning,
    planned: &Planned,
    task: &Task,
    dir: &RunDir,
    control: &mut Control<'_>,
) -> Result<TaskOutcome, ClusterError> {
    let title = planned.title.clone();
    if let Some(shard) = task.shard {
        let is_new = plan::run_shard(&planning.plan, planned, shard, dir, control)?;
        let title = format!("{title}, {shard}");
        return Ok(if is_new { TaskOutcome::Done(title) } else { TaskOutcome::AlreadyDone(title) });
    }
    let find = |key| planning.plan.find(key).ok_or(ClusterError::OtherPlan { key });
    let then = task.then.iter().map(|&key| find(key));
    let jobs = std::iter::once(Ok(planned)).chain(then).collect::<Result<Vec<_>, _>>()?;
    let states = plan::run_in_order(&planning.plan, &jobs, dir, control)?;
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
