//! Open jobs of a plan in stages.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use serde::{Deserialize, Serialize};

use crate::cluster::Kind;
use base::{Key, Shard};
use plan::{Plan, Planned, State};

/// The work of one process.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Task {
    pub job: Key,
    /// A shard of its games; the job itself collects them in a later stage.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shard: Option<Shard>,
    /// Jobs that the same process runs right after, with the data in memory.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub then: Vec<Key>,
}

/// Identity of a task.
type Name = (Key, Option<Shard>);

/// Tasks of one kind with the same stages as dependencies.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stage {
    pub kind: Kind,
    pub tasks: Vec<Task>,
    /// Dependencies of each task: stages, and indices of tasks in them.
    pub needs: Vec<Vec<(usize, usize)>>,
    /// Stages that must have ended before.
    pub after: Vec<After>,
}

/// A stage that must have ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct After {
    /// Index in the list.
    pub stage: usize,
    /// Whether all of its tasks must have succeeded: where every task needs every task of it.
    /// Elsewhere tasks with their dependencies met run, and the others report the missing ones.
    pub all_succeed: bool,
}

/// Tasks with their dependencies.
type Draft = Vec<(Task, BTreeSet<Name>)>;

/// Stages of all jobs that are neither done nor impossible; shardable games are split into
/// `at_once` shards at most.
pub fn stages(plan: &Plan, states: &[State], at_once: u32) -> Vec<Stage> {
    let mut drafts: BTreeMap<(usize, Kind), Draft> = BTreeMap::new();
    // Depth, kind and index of the task of each job.
    let mut places: HashMap<Key, ((usize, Kind), usize)> = HashMap::new();
    for &Planned { key, ref job, .. } in open(plan, states) {
        let affinity = job.traits().affinity;
        if let Some((slot, at)) = affinity.and_then(|before| places.get(&before)).cloned() {
            drafts.entry(slot.clone()).or_default()[at].0.then.push(key);
            places.insert(key, (slot, at));
            continue;
        }
        let of_needs = job.needs().into_iter().filter_map(|need| places.get(&need));
        let needed: Vec<&((usize, Kind), usize)> = of_needs.collect();
        let mut depth = needed.iter().map(|((depth, _), _)| depth + 1).max().unwrap_or(0);
        let name = |(slot, at): &&((usize, Kind), usize)| {
            let task: &Task = &drafts[slot][*at].0;
            (task.job, task.shard)
        };
        let mut needs: BTreeSet<Name> = needed.iter().map(name).collect();
        let kind = Kind::of(job);
        let shards = job.shards(at_once);
        if shards > 1 {
            let draft = drafts.entry((depth, kind.clone())).or_default();
            for shard in Shard::each_of(shards).map(Some) {
                draft.push((Task { job: key, shard, then: Vec::new() }, needs.clone()));
            }
            needs.extend(Shard::each_of(shards).map(|shard| (key, Some(shard))));
            depth += 1;
        }
        let draft = drafts.entry((depth, kind.clone())).or_default();
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

/// Stages with dependencies by index.
fn numbered(drafts: Vec<(Kind, Draft)>) -> Vec<Stage> {
    let mut places: HashMap<Name, (usize, usize)> = HashMap::new();
    for (stage, (_, draft)) in drafts.iter().enumerate() {
        let named = |(at, (task, _)): (usize, &(Task, _))| ((task.job, task.shard), (stage, at));
        places.extend(draft.iter().enumerate().map(named));
    }
    let sizes: Vec<usize> = drafts.iter().map(|(_, draft)| draft.len()).collect();
    let stage = |(kind, draft): (Kind, Draft)| {
        let of_task = |needs: &BTreeSet<Name>| {
            let mut needed: Vec<(usize, usize)> = needs.iter().map(|need| places[need]).collect();
            needed.sort_unstable();
            needed
        };
        let needs: Vec<Vec<(usize, usize)>> =
            draft.iter().map(|(_, needs)| of_task(needs)).collect();
        let stages: BTreeSet<usize> = needs.iter().flatten().map(|need| need.0).collect();
        let needs_all = |stage: usize, needs: &[(usize, usize)]| {
            needs.iter().filter(|need| need.0 == stage).count() == sizes[stage]
        };
        let after = stages.into_iter().map(|stage| After {
            stage,
            all_succeed: needs.iter().all(|needs| needs_all(stage, needs)),
        });
        let after = after.collect();
        Stage { kind, tasks: draft.into_iter().map(|(task, _)| task).collect(), needs, after }
    };
    drafts.into_iter().map(stage).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use arena::NetId;
    use arena::{GameRules, Limit, RandomPlies};
    use data::Filter;
    use data::job::Positions;
    use measure::{
        LossTarget, Match, MatchPlayer, OpeningsOf, Speed, SpeedQuestion, ValidationLoss,
    };
    use nnue::Layers;
    use training::{Train, TrainingConfig};

    fn positions() -> Positions {
        let (sources, filter, positions) = (Vec::new(), Filter::QUIET, None);
        Positions { sources, validation: 0.1, filter, positions, choices: false }
    }

    fn train(seed: u64, positions: Key) -> Train {
        let (features, layers) = ("piece(FILES * PIECES)".to_owned(), Layers::linear());
        let training = TrainingConfig::default();
        Train { start: None, features, layers, seed, training, positions }
    }

    /// Two nets, the loss of each, a match of both and the speed of one.
    fn plan() -> Plan {
        let mut plan = Plan::default();
        let positions = plan.add(positions(), "positions").unwrap();
        let mut nets = Vec::new();
        for seed in [1, 2] {
            let net = NetId::Trained(plan.add(train(seed, positions), "net").unwrap());
            let loss_target = LossTarget::of(&TrainingConfig::default());
            let loss = ValidationLoss { net: net.clone(), positions, loss_target };
            plan.add(loss, "loss").unwrap();
            nets.push(net);
        }
        let limit = Limit::Nodes(1_000.try_into().unwrap());
        let game = Match {
            seats: [0, 1].map(|i| MatchPlayer::new(nets[i].clone(), limit)),
            games: 1_000,
            openings: OpeningsOf::RandomPlies(RandomPlies::USUAL),
            seed: 1,
            rules: GameRules::default(),
            hash_mb: 1,
        };
        plan.add(game, "match").unwrap();
        let speed = Speed { net: nets[0].clone(), question: SpeedQuestion::default() };
        plan.add(speed, "speed").unwrap();
        plan
    }

    /// Kind, number of tasks, dependencies.
    type Summary = (String, usize, Vec<(usize, bool)>);

    fn summary(stages: &[Stage]) -> Vec<Summary> {
        let after = |stage: &Stage| stage.after.iter().map(|a| (a.stage, a.all_succeed)).collect();
        stages
            .iter()
            .map(|stage| (stage.kind.to_string(), stage.tasks.len(), after(stage)))
            .collect()
    }

    #[test]
    fn stages_follow_dependencies() {
        let plan = plan();
        let ready = vec![State::Ready; plan.jobs().len()];
        let stages = stages(&plan, &ready, 4);
        assert_eq!(
            summary(&stages),
            [
                ("positions".to_owned(), 1, vec![]),
                ("train".to_owned(), 2, vec![(0, true)]),
                // Four shards of the match, which needs both nets; then the match itself.
                ("measure".to_owned(), 4, vec![(1, true)]),
                ("timed".to_owned(), 1, vec![(1, false)]),
                ("measure".to_owned(), 1, vec![(1, true), (2, true)]),
            ]
        );
        // Measurements on the float weights run in the same process.
        assert!(stages[1].tasks.iter().all(|task| task.then.len() == 1));
        assert_eq!(stages[4].needs, [[(1, 0), (1, 1), (2, 0), (2, 1), (2, 2), (2, 3)]]);
    }

    #[test]
    fn finished_jobs_make_no_stage() {
        let plan = plan();
        let mut states = vec![State::Ready; plan.jobs().len()];
        // Positions and the first net with its loss are done, the second net failed.
        states[..3].fill(State::Done);
        states[3] = State::Failed("no reason".to_owned());
        states[4..6].fill(State::Impossible);
        let stages = stages(&plan, &states, 4);
        assert_eq!(summary(&stages), [("timed".to_owned(), 1, vec![])]);
    }
}
