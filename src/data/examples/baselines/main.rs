//! Bits per move of several codes: baselines from none to Lichess's, and the archive's modes.
//!
//!     oplus data convert games.pgn.zst games.oarc
//!     cargo run --release -p oplus-data --example baselines -- games.oarc [STEPS]
//!
//! Every tenth game is measured; model, odds and tables are fitted to the others. STEPS are those
//! of hill climbing, 20,000 by default. Scores are left out; the modes of the archive count lengths
//! and results too. Speeds are of all cores (`RAYON_NUM_THREADS=1` for one).

mod climb;
mod lichess;

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::error::Error;
use std::fs::File;
use std::io::Cursor;
use std::sync::Arc;
use std::time::Instant;

use chess::{Game, Move, MoveList, Position};
use climb::Tables;
use lichess::Order;
use oplus_data::archive::fit::{FitConfig, fit};
use oplus_data::archive::{
    Access, Archive, ArchiveWriter, Layout, Mode, Model, Recent, visit_choices,
};

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let path = arguments.next().ok_or("usage: baselines GAMES.oarc [STEPS]")?;
    let steps = arguments.next().map_or(Ok(20_000), |steps| steps.parse())?;
    let (train, test) = games(&path)?;
    let moves: usize = test.iter().map(|game| game.moves.len()).sum();
    println!("{} games with {moves} moves; fitted to {} others\n", test.len(), train.len());
    let model = Arc::new(fit(&train, &FitConfig::default(), &mut |_| ()));
    println!("{:52} {:>9} {:>12} {:>12}", "", "bits/move", "packed/s", "unpacked/s");
    for (name, bits) in orders(&model, &train, &test, steps) {
        println!("{name:52} {:9.3}", bits / moves.max(1) as f64);
    }
    for (mode, name) in [(Mode::Fast, "fast"), (Mode::Best, "best")] {
        for (access, how) in
            [(Access::Block, "blocks of 256 games"), (Access::Game, "each game alone")]
        {
            let layout = Layout { mode, access, model: Some(model.clone()), ..Layout::default() };
            let [bits, packed, unpacked] = coded(layout, &test)?;
            println!("{:52} {bits:9.3} {packed:12.0} {unpacked:12.0}", format!("{name}, {how}"));
        }
    }
    Ok(())
}

/// Nine tenths of the games, and the tenth without scores.
fn games(path: &str) -> Result<(Vec<Game>, Vec<Game>), Box<dyn Error>> {
    let mut archive = Archive::open(File::open(path)?)?;
    let (mut train, mut test) = (Vec::new(), Vec::new());
    for block in 0..archive.blocks() {
        for mut game in archive.games_of_block(block)? {
            if (train.len() + test.len()) % 10 == 9 {
                game.moves.iter_mut().for_each(|m| m.white_score = None);
                test.push(game);
            } else {
                train.push(game);
            }
        }
    }
    Ok((train, test))
}

/// Bits of all moves by their places in orders of the legal moves.
fn orders(model: &Model, train: &[Game], test: &[Game], steps: usize) -> Vec<(&'static str, f64)> {
    let both = |place: &dyn Fn(&Position, Recent, &MoveList, usize) -> usize| {
        (count(train, place), count(test, place))
    };
    let (trained, tested) =
        both(&|position, _, legal, index| Order::of(position, legal).rank(index));
    let (trained_fast, tested_fast) = both(&|position, recent, legal, index| {
        model.rank(Mode::Fast, position, recent, legal, index)
    });
    let tables = Tables::climbed(train, steps);
    let climbed = |games: &[Game]| {
        count(games, |position, recent, legal, index| tables.place(position, recent, legal, index))
    };
    vec![
        ("uniform over the legal moves", uniform(test)),
        ("Lichess order, Huffman code", cost(&tested, &huffman(&trained))),
        ("Lichess order, arithmetic code", cost(&tested, &ideal(&trained))),
        (
            "piece-square tables by hill climbing, arithmetic",
            cost(&climbed(test), &ideal(&climbed(train))),
        ),
        ("those of `fast` by gradient, arithmetic", cost(&tested_fast, &ideal(&trained_fast))),
    ]
}

/// Index of a move among the legal ones.
fn index_of(legal: &MoveList, m: Move) -> usize {
    legal.iter().position(|&other| other == m).unwrap_or(0)
}

/// Coded in earnest: bits a move, moves packed and unpacked a second.
fn coded(layout: Layout, games: &[Game]) -> Result<[f64; 3], Box<dyn Error>> {
    // The head and the model that the archive carries are not counted.
    let before = ArchiveWriter::new(Vec::new(), layout.clone())?.written().bytes;
    let mut bytes = Vec::new();
    let begun = Instant::now();
    let mut writer = ArchiveWriter::new(&mut bytes, layout)?;
    for game in games {
        writer.write(game)??;
    }
    let (_, written) = writer.finish()?;
    let packing = begun.elapsed().as_secs_f64();
    let begun = Instant::now();
    let mut archive = Archive::open(Cursor::new(&bytes))?;
    for block in 0..archive.blocks() {
        archive.games_of_block(block)?;
    }
    let unpacking = begun.elapsed().as_secs_f64();
    let moves = written.plies as f64;
    let bits = 8.0 * (written.bytes - before) as f64;
    Ok([bits / moves.max(1.0), moves / packing, moves / unpacking])
}

fn uniform(games: &[Game]) -> f64 {
    let mut bits = 0.0;
    for game in games {
        visit_choices(game, |_, _, legal, _| bits += (legal.len() as f64).log2());
    }
    bits
}

/// Number of played moves at each place of an order.
fn count(games: &[Game], place: impl Fn(&Position, Recent, &MoveList, usize) -> usize) -> Vec<u64> {
    let mut counts = vec![0; 256];
    for game in games {
        visit_choices(game, |position, recent, legal, played| {
            counts[place(position, recent, legal, index_of(legal, played))] += 1;
        });
    }
    counts
}

/// Bits of all symbols, `bits` for one of each.
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
