//! One game of the engine against itself.

use std::sync::atomic::{AtomicBool, Ordering};

use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

use chess::{GameEnd, Key, Position};
use data::{Game, GameMove, GameResult};
use engine::repetition::is_threefold;
use engine::{Limits, SearchResult, Searcher};

use super::adjudication::Umpire;
use super::opening::{self, Opening};
use super::recipe::Recipe;

/// An iteration may overrun the soft limit, but not without end.
const HARD_LIMIT: u64 = 10;
/// How much longer than a move an opening is looked at.
const VERIFICATION: u64 = 2;

/// Plays game `number`; `None` if it was `over` before the game was.
pub fn play(
    recipe: &Recipe,
    number: u64,
    searcher: &mut Searcher,
    over: &AtomicBool,
) -> Option<Game> {
    let mut rng = ChaCha8Rng::seed_from_u64(recipe.seed);
    rng.set_stream(number);
    let opening = loop {
        let opening = opening::random(&mut rng, recipe.random_plies);
        if let Some(opening) = opening
            && is_balanced(recipe, &opening, searcher, over)?
        {
            break opening;
        }
    };
    searcher.new_game();
    play_from(recipe, opening, searcher, over)
}

/// A search that is not cut short, or `None`.
fn search(
    searcher: &mut Searcher,
    position: &Position,
    keys: &[Key],
    nodes: u64,
    over: &AtomicBool,
) -> Option<SearchResult> {
    let hard = nodes.saturating_mul(HARD_LIMIT);
    let limits = Limits { nodes: Some(hard), ..Limits::soft_nodes(nodes) };
    let found = searcher.search(position, keys, &limits, over, &mut |_| {});
    (!over.load(Ordering::Relaxed)).then_some(found)
}

fn is_balanced(
    recipe: &Recipe,
    opening: &Opening,
    searcher: &mut Searcher,
    over: &AtomicBool,
) -> Option<bool> {
    let Some(most) = recipe.balance.0 else { return Some(true) };
    searcher.new_game();
    let nodes = recipe.nodes.get().saturating_mul(VERIFICATION);
    let judged = search(searcher, &opening.position, &opening.history, nodes, over)?;
    Some(judged.centipawns().unsigned_abs() <= most.get())
}

fn play_from(
    recipe: &Recipe,
    opening: Opening,
    searcher: &mut Searcher,
    over: &AtomicBool,
) -> Option<Game> {
    let Opening { mut moves, mut position, history: mut keys } = opening;
    let mut umpire = Umpire::new(recipe.adjudication);
    let result = loop {
        if let Some(result) = result_by_rule(&position, &keys) {
            break result;
        }
        let found = search(searcher, &position, &keys, recipe.nodes.get(), over)?;
        let Some(played) = found.best else { break GameResult::Draw };
        let white_score = found.score.seen_by(position.turn());
        moves.push(GameMove { played, white_score: Some(white_score) });
        keys.push(position.key());
        position.play(played);
        if let Some(called) = umpire.see(white_score) {
            // The rules know better if the move ended the game.
            break result_by_rule(&position, &keys).unwrap_or(called);
        }
    };
    Some(Game { start: Position::default(), moves, result: Some(result) })
}

/// The result if the rules end the game here. `keys` are those of the earlier
/// positions.
fn result_by_rule(position: &Position, keys: &[Key]) -> Option<GameResult> {
    match position.end() {
        Some(GameEnd::Checkmate) => return Some(GameResult::Win(!position.turn())),
        Some(GameEnd::Stalemate | GameEnd::InsufficientMaterial) => return Some(GameResult::Draw),
        None => {}
    }
    let fifty = position.halfmoves() >= 100;
    (fifty || is_threefold(keys, position)).then_some(GameResult::Draw)
}
