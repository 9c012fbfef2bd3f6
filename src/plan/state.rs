//! States of jobs, from results and leases.

use std::collections::BTreeSet;

use crate::lease;
use crate::{JobOutcome, Plan, PlanError, Planned, RunDir};
use base::Key;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum State {
    Done,
    Failed(String),
    /// A job that it needs failed.
    Impossible,
    /// The number of open jobs that it needs.
    Waiting(usize),
    /// The holder of its lease.
    Held(String),
    Ready,
}

impl State {
    /// Whether the state is final.
    pub fn is_over(&self) -> bool {
        matches!(self, Self::Done | Self::Failed(_) | Self::Impossible)
    }
}

/// Numbers of the jobs of one kind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KindCount {
    pub kind: &'static str,
    /// Heading on progress pages.
    pub stage: &'static str,
    pub jobs: usize,
    pub done: usize,
    pub failed: usize,
}

impl KindCount {
    pub fn left(&self) -> usize {
        self.jobs - self.done - self.failed
    }
}

/// Counts by kind, in the order in which kinds appear in the plan.
pub fn by_kind(plan: &Plan, states: &[State]) -> Vec<KindCount> {
    let mut all: Vec<KindCount> = Vec::new();
    for (planned, state) in plan.jobs().iter().zip(states) {
        let kind = planned.job.kind();
        let known = all.iter().position(|one| one.kind == kind);
        let at = known.unwrap_or_else(|| {
            let stage = planned.job.stage();
            all.push(KindCount { kind, stage, jobs: 0, done: 0, failed: 0 });
            all.len() - 1
        });
        all[at].jobs += 1;
        all[at].done += usize::from(*state == State::Done);
        all[at].failed += usize::from(matches!(state, State::Failed(_) | State::Impossible));
    }
    all
}

/// The state of each job of a plan, in its order.
///
/// # Errors
/// A result that cannot be read.
pub fn states(plan: &Plan, dir: &RunDir) -> Result<Vec<State>, PlanError> {
    let mut all = Vec::with_capacity(plan.jobs().len());
    let mut final_states: Vec<Option<State>> = Vec::new();
    let settled = settled_elsewhere(plan, dir)?;
    for planned in plan.jobs() {
        let ended = match settled.contains(&planned.key) {
            true => Some(State::Done),
            false => ended(planned, dir)?,
        };
        let state = match ended.or_else(|| blocked(plan, planned, &final_states)) {
            Some(state) => state,
            None => lease::holder(&dir.folder, &planned.key.to_string())?
                .map_or(State::Ready, State::Held),
        };
        final_states.push(state.is_over().then(|| state.clone()));
        all.push(state);
    }
    Ok(all)
}

/// Jobs whose result is in another folder without the files that belong to it, where no open job
/// needs these files: a kept result stands for the training behind it.
pub(crate) fn settled_elsewhere(plan: &Plan, dir: &RunDir) -> Result<BTreeSet<Key>, PlanError> {
    let (mut settled, mut needed) = (BTreeSet::new(), BTreeSet::new());
    if !dir.has_others() {
        return Ok(settled);
    }
    for planned in plan.jobs().iter().rev() {
        if ended(planned, dir)?.is_some() {
            continue;
        }
        let is_spare = !needed.contains(&planned.key);
        if is_spare && dir.results().is_done_elsewhere(planned.key)? {
            settled.insert(planned.key);
        } else {
            needed.extend(planned.job.needs());
        }
    }
    Ok(settled)
}

/// The state of a job that its dependencies keep from running. Dependencies outside the plan are
/// done: their files are among its inputs.
pub(crate) fn blocked(
    plan: &Plan,
    planned: &Planned,
    final_states: &[Option<State>],
) -> Option<State> {
    let of_need = |key: Key| Some(final_states.get(plan.place(key)?)?.as_ref());
    let needs: Vec<Option<&State>> = planned.job.needs().into_iter().filter_map(of_need).collect();
    if needs.iter().any(|need| matches!(need, Some(State::Failed(_) | State::Impossible))) {
        return Some(State::Impossible);
    }
    let waiting = needs.iter().filter(|need| need.is_none()).count();
    (waiting > 0).then_some(State::Waiting(waiting))
}

/// The state of a job with a result.
pub(crate) fn ended(planned: &Planned, dir: &RunDir) -> Result<Option<State>, PlanError> {
    let result = dir.results().get(planned.key)?;
    let is_whole = || planned.job.artefact(dir, planned).is_none_or(|path| path.exists());
    Ok(match result.map(|result| result.outcome) {
        Some(JobOutcome::Failed(reason)) => Some(State::Failed(reason)),
        Some(JobOutcome::Done(_)) if is_whole() => Some(State::Done),
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Sum;

    #[test]
    fn jobs_are_counted_by_their_states() {
        let mut plan = Plan::default();
        for number in 0..5 {
            plan.add(Sum { number, needs: Vec::new() }, "sum").unwrap();
        }
        let failed = State::Failed("too wide".to_owned());
        let states = [State::Done, failed, State::Impossible, State::Waiting(1), State::Ready];
        let counted = by_kind(&plan, &states);
        let expected = KindCount { kind: "sum", stage: "sums", jobs: 5, done: 1, failed: 2 };
        assert_eq!(counted, [expected]);
        assert_eq!(counted[0].left(), 2);
    }
}
