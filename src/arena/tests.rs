//! The arena on players of equal strength: a net against itself.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};

use super::*;
use engine::{Limits, NetEvaluator};
use nnue::bundled;

/// Nodes per move.
const NODES: u64 = 500;

fn config(seed: u64, pairs: usize) -> TournamentConfig {
    TournamentConfig {
        identity: TournamentIdentity {
            players: ["net", "itself"].map(str::to_owned).to_vec(),
            schedule: TournamentSchedule::RoundRobin,
            rules: GameRules::default(),
            colours: Default::default(),
            settings: BTreeMap::new(),
        },
        openings: Openings::random(seed, pairs, RandomPlies::exactly(8), None).take(pairs).unwrap(),
        threads: base::cores(),
        tables: None,
    }
}

/// The bundled net against itself; its node limits vary by `percent`.
fn against_itself(seed: u64, pairs: usize, percent: u8) -> PairingResult {
    let stop = AtomicBool::new(false);
    let player = |PlayerId(id): PlayerId| -> Box<dyn Player + '_> {
        let evaluator = Box::new(NetEvaluator::new(bundled()));
        let player = EnginePlayer::new(evaluator, 1, Limits::nodes(NODES), &stop);
        Box::new(player.varying(Jitter::new(percent, 2 * seed + id as u64)))
    };
    let result = play_tournament(&config(seed, pairs), &player, None, &mut |_| {}, &stop).unwrap();
    result.pairings.into_iter().next().unwrap()
}

#[test]
fn a_net_against_itself_is_reported_as_degenerate() {
    let copies = against_itself(1, 4, 0);
    assert!(copies.is_degenerate());
    assert_eq!(copies.pentanomial.counts, [0, 0, 4, 0, 0]);
    let varied = against_itself(1, 4, 20);
    assert!(!varied.is_degenerate() && varied.duplicates == 0);
}

#[test]
fn a_stopped_test_is_not_complete() {
    let stop = AtomicBool::new(false);
    let player = |_: PlayerId| -> Box<dyn Player + '_> {
        let evaluator = Box::new(NetEvaluator::new(bundled()));
        Box::new(EnginePlayer::new(evaluator, 1, Limits::nodes(NODES), &stop))
    };
    let sprt = Sprt::new(0.0, 30.0, EloModel::Logistic).unwrap();
    let mut raise = |_: &SprtStatus, _: &GameRecord| stop.store(true, Ordering::Relaxed);
    let ended = play_sprt(&config(1, 50), &sprt, &player, None, &mut raise, &stop).unwrap();
    assert_eq!(ended.status.decision, Decision::Continue);
    assert!(!ended.result.is_complete());
}

/// 95 % of the intervals of 200 matches of a net against itself must cover 0 (190; three standard
/// errors are 9).
#[test]
#[ignore = "plays 20,000 games (minutes); run by .ci/long"]
fn intervals_of_a_net_against_itself_cover_nothing() {
    const SEEDS: u64 = 200;
    let covered = (0..SEEDS).filter(|&seed| {
        let pairing = against_itself(1_000 + seed, 50, 20);
        assert!(!pairing.is_degenerate());
        pairing.pentanomial.elo().unwrap().covers(0.0)
    });
    let covered = covered.count();
    assert!((182..=198).contains(&covered), "{covered} of {SEEDS} intervals cover 0");
}
