//! One task of a submission, done where a scheduler has put it.

use crate::cluster::{ClusterError, Sitting, Sittings, Submission, Task};
use crate::planning::Planning;
use crate::read::{self, Overrides};
use crate::{Experiment, Workspace};
use base::Silent;
use plan::Control;
use plan::{Planned, RunDir, State};

/// What became of a task.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Worked {
    Done(String),
    /// It was done before.
    WasDone(String),
    /// It came to nothing, and why; that is noted as its result.
    Failed(String),
}

impl Submission {
    /// The experiment as it was when it was handed over.
    ///
    /// # Errors
    /// One that this version of the program does not understand.
    pub fn experiment(&self) -> Result<Experiment, ClusterError> {
        let title = format!("the experiment of submission {}", self.id);
        Ok(read::parse(&title, &self.note.config, &Overrides::default())?)
    }

    /// Does a task, from where it was stopped.
    ///
    /// # Errors
    /// What it needs is not done, somebody else is at it, whatever stops it.
    pub fn work(
        &self,
        task: &Task,
        workspace: &Workspace,
        control: &mut Control<'_>,
    ) -> Result<Worked, ClusterError> {
        let experiment = self.experiment()?;
        let planning = Planning::of(&experiment, self.note.contents.clone(), &mut Silent)?;
        let planned =
            planning.plan.find(task.job).ok_or(ClusterError::OtherPlan { key: task.job })?;
        let place = workspace.workplace(&experiment);
        let sittings = Sittings::of(&place.folder);
        let sitting = sittings.begin(task, place.saved_progress(planned))?;
        let worked = match sitting.is_hopeless() {
            true => give_up(planned, &place)?,
            false => do_it(&planning, planned, task, &place, control)?,
        };
        sittings.end(task);
        Ok(worked)
    }
}

fn give_up(planned: &Planned, place: &RunDir) -> Result<Worked, ClusterError> {
    plan::record_failure(planned, place, Sitting::reason())?;
    Ok(Worked::Failed(format!("{}: {}", planned.title, Sitting::reason())))
}

fn do_it(
    planning: &Planning,
    planned: &Planned,
    task: &Task,
    place: &RunDir,
    control: &mut Control<'_>,
) -> Result<Worked, ClusterError> {
    let title = planned.title.clone();
    if let Some(shard) = task.shard {
        let is_new = plan::run_shard(&planning.plan, planned, shard, place, control)?;
        let title = format!("{title}, {shard}");
        return Ok(if is_new { Worked::Done(title) } else { Worked::WasDone(title) });
    }
    let find = |key| planning.plan.find(key).ok_or(ClusterError::OtherPlan { key });
    let then = task.then.iter().map(|&key| find(key));
    let jobs = std::iter::once(Ok(planned)).chain(then).collect::<Result<Vec<_>, _>>()?;
    let states = plan::run_in_order(&planning.plan, &jobs, place, control)?;
    let failed = states.iter().zip(&jobs).find_map(|(state, job)| match state {
        Some(State::Failed(reason)) => Some(format!("{}: {reason}", job.title)),
        _ => None,
    });
    Ok(match failed {
        Some(failed) => Worked::Failed(failed),
        None if states.iter().all(Option::is_none) => Worked::WasDone(title),
        None => Worked::Done(title),
    })
}
