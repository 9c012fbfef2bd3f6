//! Bits per move of several codes, from one without any model to those of the archive.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::time::Instant;

use super::block::Codec;
use super::channel::Odds;
use super::choices::{follow, index_of};
use super::climb::climb;
use super::format::{Access, BlockHead};
use super::game::Told;
use super::lichess::Order;
use super::model::Model;
use super::moves::Mode;
use super::outlook::Recent;
use super::policy::Policy;
use chess::{Game, Move, MoveList, Position};

/// A code for moves, measured.
#[derive(Clone, Debug, PartialEq)]
pub struct Yardstick {
    /// What it does.
    pub name: String,
    /// Bits per move.
    pub bits: f64,
    /// Moves per second on one core, there and back, if it is more than a figure.
    pub speed: Option<[f64; 2]>,
}

/// How long hill climbing may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClimbConfig {
    /// Steps; with none it is left out.
    pub steps: usize,
    /// Another seed, other steps.
    pub seed: u64,
}

impl Default for ClimbConfig {
    fn default() -> Self {
        Self { steps: 20_000, seed: 1 }
    }
}

/// Measures all ways on games that none of them has been fitted to: the orders take
/// their odds from `train`, and ours theirs from `model`. `progress` hears of the steps of
/// hill climbing.
pub fn measure(
    model: &Model,
    train: &[Game],
    test: &[Game],
    climbing: &ClimbConfig,
    progress: &mut dyn FnMut(usize, f64),
) -> Vec<Yardstick> {
    let moves: usize = test.iter().map(|game| game.moves.len()).sum();
    let figure = |name: &str, bits: f64| Yardstick {
        name: name.to_owned(),
        bits: bits / moves.max(1) as f64,
        speed: None,
    };
    let ordered = |policy: &Policy| {
        let place = |position: &Position, recent: Recent, legal: &MoveList, m: Move| {
            place(policy, position, recent, legal, m)
        };
        cost(&count(test, place), &ideal(&count(train, place)))
    };
    let lichess = |position: &Position, _: Recent, legal: &MoveList, m: Move| {
        Order::of(position, legal).rank(index_of(legal, m))
    };
    let (trained, tested) = (count(train, lichess), count(test, lichess));
    let mut all = vec![
        figure("uniform over the legal moves", uniform(test)),
        figure("Lichess order, Huffman code", cost(&tested, &huffman(&trained))),
        figure("Lichess order, arithmetic code", cost(&tested, &ideal(&trained))),
    ];
    if climbing.steps > 0 {
        let climbed = climb(train, climbing.steps, climbing.seed, progress);
        all.push(figure("piece-square tables by hill climbing, arithmetic", ordered(&climbed)));
    }
    all.push(figure("those of `fast` by gradient, arithmetic", ordered(&model.fast)));
    let bare: Vec<Told> = test.iter().filter_map(|game| Told::new(&unscored(game)).ok()).collect();
    for (mode, name) in [(Mode::Rank, "rank"), (Mode::Fast, "fast"), (Mode::Best, "best")] {
        for (access, how) in
            [(Access::Block, "blocks of 256 games"), (Access::Game, "each game alone")]
        {
            all.push(coded(&model.codec(mode, access), &format!("{name}, {how}"), &bare));
        }
    }
    all
}

/// The same game, with its moves alone.
fn unscored(game: &Game) -> Game {
    let mut game = game.clone();
    game.moves.iter_mut().for_each(|m| m.white_score = None);
    game
}

/// Rounds of which the quickest says how fast a mode is.
const ROUNDS: usize = 3;

/// Coded in earnest, on one core: lengths and results included.
fn coded(codec: &Codec, name: &str, games: &[Told]) -> Yardstick {
    let moves = games.iter().map(Told::plies).sum::<usize>() as f64;
    let pack = || -> Vec<(BlockHead, Vec<u8>)> {
        games.chunks(BLOCK).map(|block| codec.pack(block)).collect()
    };
    let (packing, blocks) = quickest(pack);
    let unpack = || -> usize {
        let unpacked = blocks.iter().filter_map(|(head, content)| codec.unpack(head, content).ok());
        unpacked.flatten().map(|game| game.moves.len()).sum()
    };
    let (unpacking, read) = quickest(unpack);
    let bytes: usize = blocks.iter().map(|(_, content)| content.len()).sum();
    Yardstick {
        name: name.to_owned(),
        bits: 8.0 * bytes as f64 / moves.max(1.0),
        speed: Some([moves / packing, read as f64 / unpacking]),
    }
}

/// Games of a block.
const BLOCK: usize = 256;

/// Seconds of the quickest round, and what it gave.
fn quickest<T>(work: impl Fn() -> T) -> (f64, T) {
    let round = || {
        let begun = Instant::now();
        let done = work();
        (begun.elapsed().as_secs_f64(), done)
    };
    (1..ROUNDS).fold(round(), |best, _| {
        let next = round();
        if next.0 < best.0 { next } else { best }
    })
}

/// Where a move stands among all by its odds; of equals the first comes first.
fn place(policy: &Policy, position: &Position, recent: Recent, legal: &MoveList, m: Move) -> usize {
    let mut odds = Odds::default();
    policy.odds(position, recent, legal, &mut odds);
    let index = index_of(legal, m);
    let own = odds.share(index).own;
    let is_before = |other: usize| {
        let odds = odds.share(other).own;
        odds > own || odds == own && other < index
    };
    (0..legal.len()).filter(|&other| is_before(other)).count()
}

fn uniform(games: &[Game]) -> f64 {
    let mut bits = 0.0;
    for game in games {
        follow(game, |_, _, legal, _| bits += (legal.len() as f64).log2());
    }
    bits
}

/// How often each place of an order was played.
fn count(games: &[Game], rank: impl Fn(&Position, Recent, &MoveList, Move) -> usize) -> Vec<u64> {
    let mut counts = vec![0; 256];
    for game in games {
        follow(game, |position, recent, legal, played| {
            counts[rank(position, recent, legal, played)] += 1;
        });
    }
    counts
}

/// Bits of all symbols, if each takes so many.
fn cost(counts: &[u64], bits: &[f64]) -> f64 {
    counts.iter().zip(bits).map(|(&count, bits)| count as f64 * bits).sum()
}

/// Bits of each symbol of an arithmetic code; nothing is taken to be impossible.
fn ideal(counts: &[u64]) -> Vec<f64> {
    let total = counts.iter().map(|count| count + 1).sum::<u64>() as f64;
    counts.iter().map(|count| (total / (count + 1) as f64).log2()).collect()
}

/// Bits of each symbol of a Huffman code.
fn huffman(counts: &[u64]) -> Vec<f64> {
    let mut bits = vec![0.0; counts.len()];
    let symbols = counts.iter().enumerate();
    let mut heap: BinaryHeap<_> =
        symbols.map(|(symbol, count)| Reverse((count + 1, vec![symbol]))).collect();
    while let (Some(Reverse((a, mut below))), Some(Reverse((b, others)))) = (heap.pop(), heap.pop())
    {
        below.extend(others);
        below.iter().for_each(|&symbol| bits[symbol] += 1.0);
        heap.push(Reverse((a + b, below)));
        if heap.len() == 1 {
            break;
        }
    }
    bits
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The code of powers of two is ideal, and any other is no more than a bit off.
    #[test]
    fn huffman_codes_are_right() {
        assert_eq!(huffman(&[7, 3, 1, 1]), [1.0, 2.0, 3.0, 3.0]);
        let counts = [90, 3, 20, 50, 1, 7];
        let (code, ideal) = (huffman(&counts), ideal(&counts));
        let kraft: f64 = code.iter().map(|bits| (-bits).exp2()).sum();
        assert!((kraft - 1.0).abs() < 1e-12);
        let (code, ideal) = (cost(&counts, &code), cost(&counts, &ideal));
        let symbols: u64 = counts.iter().sum();
        assert!(ideal <= code && code < ideal + symbols as f64, "{ideal} {code}");
    }
}
