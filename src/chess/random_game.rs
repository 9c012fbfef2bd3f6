//! Random legal games for tests.

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::{Color, Game, GameMove, GameResult, Position, Score};

/// Start positions with every kind of move near: castling both ways, also in
/// Chess960, en passant, promotions.
const STARTS: [&str; 5] = [
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/Pp2P3/2N2Q1p/1PPBBPPP/R3K2R b KQkq a3 0 11",
    "n1n5/PPPk4/8/8/8/8/4Kppp/5N1N b - - 0 1",
    "1r2k1r1/pppppppp/8/8/8/8/PPPPPPPP/1R2K1R1 w GBgb - 0 1",
    "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 7 60",
];

/// A game of at most that many plies, with random scores and result.
pub fn random_game(seed: u64, plies: usize) -> Game {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let start = Position::from_fen(STARTS[rng.random_range(0..STARTS.len())]).unwrap();
    let mut position = start.clone();
    let mut moves = Vec::new();
    for _ in 0..plies {
        let legal = position.legal_moves();
        if legal.is_empty() {
            break;
        }
        let played = legal[rng.random_range(0..legal.len())];
        moves.push(GameMove { played, white_score: random_score(&mut rng) });
        position.play(played);
    }
    let results = [GameResult::Draw, GameResult::Win(Color::White), GameResult::Win(Color::Black)];
    Game { start, moves, result: Some(results[rng.random_range(0..3)]) }
}

fn random_score(rng: &mut ChaCha8Rng) -> Option<Score> {
    match rng.random_range(0..10) {
        0 => None,
        1 => Some(Score::Mate(rng.random_range(1..20))),
        2 => Some(Score::Mate(-rng.random_range(1..20))),
        _ => Some(Score::Centipawns(rng.random_range(-3_000..3_000))),
    }
}
