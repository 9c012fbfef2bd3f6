//! A small engine that plays any net: the accumulators follow the search move by move for any
//! feature set, and no code here depends on the features.
//!
//!     cargo run --release -p oplus-nnue --example small_engine -- experiments/default.oplus
//!
//! It has the UCI of a match (`go depth`, `go nodes`; otherwise it searches 5 plies) and a minimal
//! search: alpha-beta, captures first, a quiescence search behind it.

use std::io::BufRead;
use std::path::Path;
use std::sync::Arc;

use oplus_nnue::chess::{Move, Position};
use oplus_nnue::{AccumulatorStack, Net, bundled};

const MATE: i32 = 30_000;

struct Engine {
    /// The net's accumulators, one level for each ply of the current line.
    accumulators: AccumulatorStack,
    nodes: u64,
    most_nodes: u64,
}

impl Engine {
    /// The best move of the last complete depth, with its score.
    fn choose(&mut self, root: &Position, depth: u32, most_nodes: u64) -> Option<(Move, i32)> {
        (self.nodes, self.most_nodes) = (0, most_nodes);
        self.accumulators.reset(root);
        let mut best = None;
        for depth in 0..depth {
            let mut found = None;
            for played in ordered(root.legal_moves().as_slice()) {
                let alpha = found.map_or(-MATE, |(_, score)| score);
                let score = self.look_behind(root, played, depth, alpha, MATE, 1);
                found =
                    if score > alpha || found.is_none() { Some((played, score)) } else { found };
            }
            if self.nodes >= self.most_nodes && best.is_some() {
                break;
            }
            best = found;
        }
        best
    }

    /// Score of a move for the side that plays it; the accumulators follow it.
    fn look_behind(
        &mut self,
        at: &Position,
        played: Move,
        depth: u32,
        alpha: i32,
        beta: i32,
        ply: i32,
    ) -> i32 {
        let after = at.after(played);
        self.accumulators.push(at.change(played), &after);
        let score = -self.search(&after, depth, -beta, -alpha, ply);
        self.accumulators.pop();
        score
    }

    /// Alpha-beta; at depth 0 captures and promotions alone, until the position is quiet.
    fn search(&mut self, at: &Position, depth: u32, mut alpha: i32, beta: i32, ply: i32) -> i32 {
        self.nodes += 1;
        let legal = at.legal_moves();
        if legal.is_empty() {
            return if at.is_check() { ply - MATE } else { 0 };
        }
        let is_drawn = at.halfmoves() >= 100 || at.is_insufficient_material();
        if is_drawn || self.nodes >= self.most_nodes {
            return 0;
        }
        if depth == 0 {
            alpha = alpha.max(self.accumulators.evaluate(at.turn()));
        }
        for played in ordered(if depth == 0 { at.noisy_moves() } else { legal }.as_slice()) {
            if alpha >= beta {
                break;
            }
            let next = depth.saturating_sub(1);
            alpha = alpha.max(self.look_behind(at, played, next, alpha, beta, ply + 1));
        }
        alpha
    }
}

/// The most valuable victims first, taken by the least valuable pieces (MVV-LVA).
fn ordered(moves: &[Move]) -> Vec<Move> {
    let gain = |m: &Move| {
        let victim = m.capture().map_or(0, |role| 10 * role as i32);
        let promotion = m.promotion().map_or(0, |role| 10 * role as i32);
        victim + promotion - if victim > 0 { m.role() as i32 } else { 0 }
    };
    let mut moves = moves.to_vec();
    moves.sort_by_key(|m| -gain(m));
    moves
}

/// `startpos moves e2e4 …` or `fen … moves …`; an illegal move ends the line.
fn position(words: &str) -> Option<Position> {
    let (start, moves) = words.split_once("moves").unwrap_or((words, ""));
    let mut position = match start.trim().strip_prefix("fen ") {
        Some(fen) => Position::from_fen(fen).ok()?,
        None => Position::default(),
    };
    for text in moves.split_whitespace() {
        position.play(position.parse_uci(text).ok()?);
    }
    Some(position)
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let net = match std::env::args().nth(1) {
        Some(path) => Arc::new(Net::load(Path::new(&path))?),
        None => bundled(),
    };
    eprintln!("features: {}", net.features().expression());
    let accumulators = AccumulatorStack::new(net);
    let mut engine = Engine { accumulators, nodes: 0, most_nodes: u64::MAX };
    let mut root = Position::default();
    for line in std::io::stdin().lock().lines() {
        let line = line?;
        let (command, rest) = line.split_once(' ').unwrap_or((&line, ""));
        let limit = |name: &str| rest.split_once(name)?.1.split_whitespace().next()?.parse().ok();
        match command {
            "uci" => println!("id name small_engine\nuciok"),
            "isready" => println!("readyok"),
            "position" => root = position(rest).unwrap_or(root),
            "go" => {
                let nodes: Option<u64> = limit("nodes");
                let depth = limit("depth").unwrap_or(if nodes.is_some() { 64 } else { 5 });
                match engine.choose(&root, depth as u32, nodes.unwrap_or(u64::MAX)) {
                    Some((best, score)) => println!(
                        "info score cp {score} nodes {}\nbestmove {}",
                        engine.nodes,
                        root.uci(best)
                    ),
                    None => println!("bestmove 0000"),
                }
            }
            "quit" => break,
            _ => {}
        }
    }
    Ok(())
}
