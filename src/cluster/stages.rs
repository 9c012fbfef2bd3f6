//! What is not done of a plan, in stages.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use serde::{Deserialize, Serialize};

use crate::Kind;
use base::{Key, Shard};
use plan::{Plan, Planned, State};

/// What one process does.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Task {
    /// The job.
    pub job: Key,
    /// Only a part of its games: the job itself comes in a later stage and finds them there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shard: Option<Shard>,
    /// Jobs that are done at once behind it, with what it has at hand.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub then: Vec<Key>,
}

/// What tells tasks apart.
type Name = (Key, Option<Shard>);

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
type Draft = Vec<(Task, BTreeSet<Name>)>;

/// Stages of whatever is neither done nor impossible; games that can be played in parts are, in
/// `at_once` of them at most.
pub fn stages(plan: &Plan, states: &[State], at_once: u32) -> Vec<Stage> {
    let mut drafts: BTreeMap<(usize, Kind), Draft> = BTreeMap::new();
    // Where the task of each job is: how deep, which kind and number.
    let mut places: HashMap<Key, ((usize, Kind), usize)> = HashMap::new();
    for &Planned { key, ref job, .. } in open(plan, states) {
        if let Some(&(place, at)) = job.companion().and_then(|before| places.get(&before)) {
            drafts.entry(place).or_default()[at].0.then.push(key);
            places.insert(key, (place, at));
            continue;
        }
        let of_needs = job.needs().into_iter().filter_map(|need| places.get(&need));
        let needed: Vec<&((usize, Kind), usize)> = of_needs.collect();
        let mut depth = needed.iter().map(|((depth, _), _)| depth + 1).max().unwrap_or(0);
        let name = |&&(place, at): &&((usize, Kind), usize)| {
            let task: &Task = &drafts[&place][at].0;
            (task.job, task.shard)
        };
        let mut needs: BTreeSet<Name> = needed.iter().map(name).collect();
        let kind = Kind::of(job);
        let shards = job.shards(at_once);
        if shards > 1 {
            let draft = drafts.entry((depth, kind)).or_default();
            for shard in Shard::each_of(shards).map(Some) {
                draft.push((Task { job: key, shard, then: Vec::new() }, needs.clone()));
            }
            needs.extend(Shard::each_of(shards).map(|shard| (key, Some(shard))));
            depth += 1;
        }
        let draft = drafts.entry((depth, kind)).or_default();
        places.insert(key, ((depth, kind), draft.len()));
        draft.push((Task { job: key, shard: None, then: Vec::new() }, needs));
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
    let mut places: HashMap<Name, (usize, usize)> = HashMap::new();
    for (stage, (_, draft)) in drafts.iter().enumerate() {
        let named = |(at, (task, _)): (usize, &(Task, _))| ((task.job, task.shard), (stage, at));
        places.extend(draft.iter().enumerate().map(named));
    }
    let sizes: Vec<usize> = drafts.iter().map(|(_, draft)| draft.len()).collect();
    let stage = |(kind, draft): (Kind, Draft)| {
        let of_task = |needs: &BTreeSet<Name>| needs.iter().map(|need| places[need]).collect();
        let needs: Vec<Vec<(usize, usize)>> =
            draft.iter().map(|(_, needs)| of_task(needs)).collect();
        let stages: BTreeSet<usize> = needs.iter().flatten().map(|need| need.0).collect();
        let needs_all = |stage: usize, needs: &[(usize, usize)]| {
            needs.iter().filter(|need| need.0 == stage).count() == sizes[stage]
        };
        let after = stages.into_iter().map(|stage| After {
            stage,
            all_well: needs.iter().all(|needs| needs_all(stage, needs)),
        });
        let after = after.collect();
        Stage { kind, tasks: draft.into_iter().map(|(task, _)| task).collect(), needs, after }
    };
    drafts.into_iter().map(stage).collect()
}
