//! How jobs stand, read from what they and others left behind.

use crate::lease;
use crate::{Outcome, Plan, PlanError, Planned, Results, Workplace};
use base::Key;

/// How a job stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum State {
    Done,
    /// It came to nothing.
    Failed(String),
    /// What it needs came to nothing.
    Impossible,
    Waiting(usize),
    Held(String),
    /// It can be done.
    Ready,
}

impl State {
    /// Whether nothing more comes of it.
    pub fn is_over(&self) -> bool {
        matches!(self, Self::Done | Self::Failed(_) | Self::Impossible)
    }
}

/// Jobs of one kind, counted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OfKind {
    pub kind: &'static str,
    pub jobs: usize,
    pub done: usize,
    /// Those that came to nothing.
    pub failed: usize,
}

impl OfKind {
    /// Those of which something may still come.
    pub fn left(&self) -> usize {
        self.jobs - self.done - self.failed
    }
}

/// Jobs of a plan that stand so, counted by kind, in the order in which kinds appear.
pub fn by_kind(plan: &Plan, states: &[State]) -> Vec<OfKind> {
    let mut all: Vec<OfKind> = Vec::new();
    for (planned, state) in plan.jobs().iter().zip(states) {
        let kind = planned.job.kind();
        let known = all.iter().position(|one| one.kind == kind);
        let at = known.unwrap_or_else(|| {
            all.push(OfKind { kind, jobs: 0, done: 0, failed: 0 });
            all.len() - 1
        });
        all[at].jobs += 1;
        all[at].done += usize::from(*state == State::Done);
        all[at].failed += usize::from(matches!(state, State::Failed(_) | State::Impossible));
    }
    all
}

/// How each job of a plan stands, in its order.
///
/// # Errors
/// A result that cannot be read.
pub fn states(plan: &Plan, place: &Workplace) -> Result<Vec<State>, PlanError> {
    let mut all = Vec::with_capacity(plan.jobs().len());
    let mut ended_as: Vec<Option<State>> = Vec::new();
    for planned in plan.jobs() {
        let state = match ended(planned, place)?.or_else(|| kept_back(plan, planned, &ended_as)) {
            Some(state) => state,
            None => lease::holder(&place.folder, &planned.key.to_string())?
                .map_or(State::Ready, State::Held),
        };
        ended_as.push(state.is_over().then(|| state.clone()));
        all.push(state);
    }
    Ok(all)
}

/// What keeps a job from being done, if those before it have ended so, or not yet.
pub(crate) fn kept_back(
    plan: &Plan,
    planned: &Planned,
    ended_as: &[Option<State>],
) -> Option<State> {
    let of_need = |key: Key| ended_as.get(plan.place(key)?)?.as_ref();
    let needs: Vec<Option<&State>> = planned.job.needs().into_iter().map(of_need).collect();
    if needs.iter().any(|need| matches!(need, Some(State::Failed(_) | State::Impossible))) {
        return Some(State::Impossible);
    }
    let waiting = needs.iter().filter(|need| need.is_none()).count();
    (waiting > 0).then_some(State::Waiting(waiting))
}

/// Whether a job has come to something or nothing.
pub(crate) fn ended(planned: &Planned, place: &Workplace) -> Result<Option<State>, PlanError> {
    let done = Results::of(&place.folder).get(planned.key)?;
    Ok(match done.map(|done| done.outcome) {
        Some(Outcome::Failed(reason)) => Some(State::Failed(reason)),
        Some(Outcome::Found(_)) if place.has_files_of(planned) => Some(State::Done),
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Job;
    use crate::discovery::{Costs, Discovery};

    #[test]
    fn jobs_are_counted_by_what_becomes_of_them() {
        let mut plan = Plan::default();
        for width in 0..5 {
            let costs = Costs { sets: vec!["ALL".to_owned()], width };
            plan.add(Job::Discovery(Discovery::Costs(costs)), "costs").unwrap();
        }
        let failed = State::Failed("it is too wide".to_owned());
        let states = [State::Done, failed, State::Impossible, State::Waiting(1), State::Ready];
        let counted = by_kind(&plan, &states);
        assert_eq!(counted, [OfKind { kind: "costs", jobs: 5, done: 1, failed: 2 }]);
        assert_eq!(counted[0].left(), 2);
    }
}
