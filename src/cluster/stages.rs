//! What is not done of a plan, in stages.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use serde::{Deserialize, Serialize};

use crate::Kind;
use base::Key;
use plan::{Part, Plan, Planned, State};

/// What one process does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Task {
    /// The job.
    pub job: Key,
    /// Only a part of its games: the job itself comes in a later stage and finds them there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub part: Option<Part>,
}

/// Tasks of one kind that wait for the same stages.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stage {
    /// What is done.
    pub kind: Kind,
    /// By whom.
    pub tasks: Vec<Task>,
    /// The stages that have to be over before, by their places in the list.
    pub after: Vec<After>,
}

/// A stage that has to be over.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct After {
    /// Its place in the list.
    pub stage: usize,
    /// Whether all of it has to have gone well: where every task needs every task of it. Elsewhere
    /// those whose needs are met go on without the others, which say what they lack.
    pub all_well: bool,
}

/// Stages of whatever is neither done nor impossible; games that can be played in parts are, in
/// `at_once` of them at most.
pub fn stages(plan: &Plan, states: &[State], at_once: u32) -> Vec<Stage> {
    let open: Vec<&Planned> = plan
        .jobs()
        .iter()
        .zip(states)
        .filter(|(_, state)| !matches!(state, State::Done | State::Failed(_) | State::Impossible))
        .map(|(planned, _)| planned)
        .collect();
    let mut drafts: BTreeMap<(usize, Kind), Draft> = BTreeMap::new();
    let mut depths: HashMap<Key, (usize, Kind)> = HashMap::new();
    for planned in open {
        let needs: BTreeSet<Task> =
            planned.job.needs().into_iter().filter(|need| depths.contains_key(need)).map(whole).collect();
        let depth = needs.iter().map(|need| depths[&need.job].0 + 1).max().unwrap_or(0);
        let kind = Kind::of(&planned.job);
        let parts = Part::all(planned.job.parts(at_once));
        let mut needs = needs;
        let mut place = (depth, kind);
        if parts.len() > 1 {
            let of_parts: Vec<Task> =
                parts.iter().map(|&part| Task { job: planned.key, part: Some(part) }).collect();
            let draft = drafts.entry(place).or_default();
            draft.tasks.extend(of_parts.iter().map(|&task| (task, needs.clone())));
            needs.extend(of_parts);
            place = (depth + 1, kind);
        }
        drafts.entry(place).or_default().tasks.push((whole(planned.key), needs));
        depths.insert(planned.key, place);
    }
    in_order(drafts.into_iter().map(|((_, kind), draft)| (kind, draft)).collect())
}

/// Tasks with what each needs of other tasks.
#[derive(Default)]
struct Draft {
    tasks: Vec<(Task, BTreeSet<Task>)>,
}

fn whole(job: Key) -> Task {
    Task { job, part: None }
}

fn in_order(drafts: Vec<(Kind, Draft)>) -> Vec<Stage> {
    let of_draft = |draft: &Draft| draft.tasks.iter().map(|(task, _)| *task).collect::<Vec<_>>();
    let stage_of: HashMap<Task, usize> = (drafts.iter().enumerate())
        .flat_map(|(at, (_, draft))| of_draft(draft).into_iter().map(move |task| (task, at)))
        .collect();
    let sizes: Vec<usize> = drafts.iter().map(|(_, draft)| draft.tasks.len()).collect();
    let stage = |(kind, draft): &(Kind, Draft)| {
        let mut needed: BTreeMap<usize, bool> = BTreeMap::new();
        for (_, needs) in &draft.tasks {
            let stages: BTreeSet<usize> = needs.iter().map(|need| stage_of[need]).collect();
            needed.extend(stages.into_iter().map(|stage| (stage, true)));
        }
        for (&stage, all) in &mut needed {
            *all = draft.tasks.iter().all(|(_, needs)| {
                needs.iter().filter(|need| stage_of[need] == stage).count() == sizes[stage]
            });
        }
        let after = needed.into_iter().map(|(stage, all_well)| After { stage, all_well });
        Stage { kind: *kind, tasks: of_draft(draft), after: after.collect() }
    };
    drafts.iter().map(stage).collect()
}
