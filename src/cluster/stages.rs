//! What is not done of a plan, in stages.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use serde::{Deserialize, Serialize};

use crate::Kind;
use base::{Key, Shard};
use plan::{Plan, Planned, State};

/// What one process does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Task {
    /// The job.
    pub job: Key,
    /// Only a part of its games: the job itself comes in a later stage and finds them there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shard: Option<Shard>,
}

/// Tasks of one kind that wait for the same stages.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stage {
    /// What is done.
    pub kind: Kind,
    /// By whom.
    pub tasks: Vec<Task>,
    /// What each of them needs: stages, and numbers of tasks in them.
    pub needs: Vec<Vec<(usize, usize)>>,
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

/// Tasks with what each needs of other tasks.
type Draft = Vec<(Task, BTreeSet<Task>)>;

/// Stages of whatever is neither done nor impossible; games that can be played in parts are, in
/// `at_once` of them at most.
pub fn stages(plan: &Plan, states: &[State], at_once: u32) -> Vec<Stage> {
    let mut drafts: BTreeMap<(usize, Kind), Draft> = BTreeMap::new();
    let mut depths: HashMap<Key, usize> = HashMap::new();
    for Planned { key, job, .. } in open(plan, states) {
        let mut needs: BTreeSet<Task> = (job.needs().into_iter())
            .filter(|need| depths.contains_key(need))
            .map(|job| Task { job, shard: None })
            .collect();
        let mut depth = needs.iter().map(|need| depths[&need.job] + 1).max().unwrap_or(0);
        let kind = Kind::of(job);
        let shards = job.shards(at_once);
        if shards > 1 {
            let parts = Shard::each_of(shards).map(|shard| Task { job: *key, shard: Some(shard) });
            let parts: Vec<Task> = parts.collect();
            let draft = drafts.entry((depth, kind)).or_default();
            draft.extend(parts.iter().map(|&part| (part, needs.clone())));
            needs.extend(parts);
            depth += 1;
        }
        drafts.entry((depth, kind)).or_default().push((Task { job: *key, shard: None }, needs));
        depths.insert(*key, depth);
    }
    numbered(drafts.into_iter().map(|((_, kind), draft)| (kind, draft)).collect())
}

fn open<'p>(plan: &'p Plan, states: &'p [State]) -> impl Iterator<Item = &'p Planned> {
    let is_over =
        |state: &State| matches!(state, State::Done | State::Failed(_) | State::Impossible);
    plan.jobs().iter().zip(states).filter(move |(_, state)| !is_over(state)).map(|(job, _)| job)
}

/// Stages, in the order of which needs are named by number.
fn numbered(drafts: Vec<(Kind, Draft)>) -> Vec<Stage> {
    let mut places: HashMap<Task, (usize, usize)> = HashMap::new();
    for (stage, (_, draft)) in drafts.iter().enumerate() {
        places.extend(draft.iter().enumerate().map(|(at, (task, _))| (*task, (stage, at))));
    }
    let sizes: Vec<usize> = drafts.iter().map(|(_, draft)| draft.len()).collect();
    let stage = |(kind, draft): (Kind, Draft)| {
        let of_task = |needs: &BTreeSet<Task>| needs.iter().map(|need| places[need]).collect();
        let needs: Vec<Vec<(usize, usize)>> =
            draft.iter().map(|(_, needs)| of_task(needs)).collect();
        let stages: BTreeSet<usize> = needs.iter().flatten().map(|need| need.0).collect();
        let needs_all = |stage: usize, needs: &[(usize, usize)]| {
            needs.iter().filter(|need| need.0 == stage).count() == sizes[stage]
        };
        let after = stages.into_iter().map(|stage| {
            After { stage, all_well: needs.iter().all(|needs| needs_all(stage, needs)) }
        });
        let after = after.collect();
        Stage { kind, tasks: draft.into_iter().map(|(task, _)| task).collect(), needs, after }
    };
    drafts.into_iter().map(stage).collect()
}
