//! The signature of the search: a fixed set of positions to a fixed depth.
//!
//! The node count changes when, and only when, the search or the evaluation does, so it verifies
//! non-functional changes and shows whether two programs play alike.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use chess::Position;

use super::{Evaluator, Limits, Searcher, Techniques};

/// Depth of the signature.
pub const DEPTH: u32 = 11;
/// Table size of the signature, in MiB.
pub const HASH_MB: usize = 16;

/// Nodes of the bench with PeSTO's tables. A change of the search changes this; results of
/// different signatures are kept apart.
pub const SIGNATURE: u64 = 1_341_772;

/// Openings, middlegames, endgames, mates, one stalemate trick.
pub const POSITIONS: [&str; 26] = [
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
    "r1bqkbnr/1ppp1ppp/p1n5/4p3/B3P3/5N2/PPPP1PPP/RNBQK2R b KQkq - 1 4",
    "rnbqkb1r/1p2pppp/p2p1n2/8/3NP3/2N5/PPP2PPP/R1BQKB1R w KQkq - 0 6",
    "rnbq1rk1/ppp1ppbp/3p1np1/8/2PPP3/2N2N2/PP2BPPP/R1BQK2R b KQ - 3 6",
    "rnbqk2r/pppp1ppp/4pn2/8/1bPP4/2N5/PP2PPPP/R1BQKBNR w KQkq - 2 4",
    "r1bqk2r/pp1nbppp/2p1pn2/3p2B1/2PP4/2N1PN2/PP3PPP/R2QKB1R w KQkq - 1 7",
    "r1bq1rk1/2p1bppp/p1np1n2/1p2p3/4P3/1BP2N1P/PP1P1PP1/RNBQR1K1 b - - 0 9",
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
    "r2q1rk1/pb1nbppp/1p2pn2/2pp4/3P1B2/2PBPN2/PP1N1PPP/R2QK2R w KQ - 2 10",
    "2rq1rk1/1b2bppp/p2ppn2/1p6/3BP3/P1N2P2/1PPQ2PP/2KR1B1R w - - 3 15",
    "r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - - 0 10",
    "2kr3r/ppp2ppp/2nq1n2/3pp1B1/1b2P1b1/2NP1N2/PPP1BPPP/R2Q1RK1 w - - 6 9",
    "3r1rk1/pp2qppp/2n1b3/2p1P3/2P2Q2/2PB1N2/P5PP/R4RK1 b - - 4 18",
    "r1b2rk1/1pq1bppp/p1n1pn2/8/2B5/2N1PN2/PPQ2PPP/R1BR2K1 w - - 4 13",
    "4rrk1/pp1n2pp/2p1bp2/q3p3/2P1P3/2N1QN1P/PP3PP1/3RR1K1 w - - 1 20",
    "r5k1/1b1q1ppp/p3p3/1p1nP3/3N4/P2Q3P/1P3PP1/3R2K1 b - - 2 26",
    "3q2k1/pb3p1p/4pbp1/2r5/PpN2N2/1P2P2P/5PP1/Q2R2K1 b - - 4 26",
    "8/5pk1/1p2p1p1/p1p1P2p/P1P1KP1P/1P4P1/8/8 w - - 0 40",
    "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
    "8/8/1p2k3/p1p1p1p1/P1P1P1P1/1P2K3/8/8 w - - 0 50",
    "6k1/5ppp/2r5/p7/P3R3/1P4P1/5P1P/6K1 w - - 0 32",
    "8/1b3pk1/p3p1p1/1pN4p/1P2P3/P3K1PP/5P2/8 b - - 1 35",
    "8/8/4kpp1/3p1b2/p6P/2B5/6P1/6K1 b - - 0 47",
    "5k2/8/4PK2/8/8/8/8/4r1R1 w - - 0 1",
    "8/8/8/3k4/8/8/R7/1R2K3 w - - 0 1",
    "7k/5Q2/8/8/8/8/1q6/K7 w - - 0 1",
];

/// Counts of a bench.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Signature {
    /// Positions visited: the signature.
    pub nodes: u64,
    /// Calls of the evaluation.
    pub evaluations: u64,
    /// Time taken.
    pub elapsed: Duration,
}

impl Signature {
    /// Positions a second.
    pub fn nodes_per_second(&self) -> f64 {
        self.nodes as f64 / self.elapsed.as_secs_f64().max(1e-9)
    }
}

/// Searches every position to `depth`, each as a new game. `on_position` gets the number of each
/// finished position and the nodes so far. `None` if stopped.
pub fn run(
    evaluator: Box<dyn Evaluator>,
    techniques: Techniques,
    depth: u32,
    stop: &AtomicBool,
    on_position: &mut dyn FnMut(usize, u64),
) -> Option<Signature> {
    let mut searcher = Searcher::new(evaluator, HASH_MB).with_techniques(techniques);
    let mut sum = Signature { nodes: 0, evaluations: 0, elapsed: Duration::ZERO };
    for (i, root) in POSITIONS.iter().filter_map(|fen| Position::from_fen(fen).ok()).enumerate() {
        searcher.new_game();
        let started = Instant::now();
        let result = searcher.search(&root, &[], &Limits::depth(depth), stop, &mut |_| {});
        if stop.load(Ordering::Relaxed) {
            return None;
        }
        sum.elapsed += started.elapsed();
        sum.nodes += result.nodes;
        sum.evaluations += result.evaluations;
        on_position(i + 1, sum.nodes);
    }
    Some(sum)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Tapered;

    #[test]
    fn all_positions_are_legal_and_different() {
        let mut keys: Vec<_> =
            POSITIONS.iter().map(|fen| Position::from_fen(fen).expect(fen).key()).collect();
        keys.sort_unstable();
        keys.dedup();
        assert_eq!(keys.len(), POSITIONS.len());
    }

    #[test]
    fn the_signature_is_that_of_the_search() {
        let stop = AtomicBool::new(false);
        let pesto = Box::new(Tapered::pesto());
        let found = run(pesto, Techniques::PLAYING, DEPTH, &stop, &mut |_, _| {});
        assert_eq!(found.unwrap().nodes, SIGNATURE);
    }
}
