//! One game of the engine against itself: an arena game whose two players are one searcher.

use std::cell::RefCell;
use std::sync::atomic::{AtomicBool, Ordering};

use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

use arena::{Choice, Forfeit, Opening, PlayedGame, Player, Turn, play_game};
use chess::{ByColor, Key, Position};
use data::{Game, GameMove};
use engine::{Limits, SearchResult, Searcher};

use super::recipe::Recipe;

/// An iteration may overrun the soft limit, but not without end.
const HARD_LIMIT: u64 = 10;
/// Nodes of the verification search of an opening, in multiples of a move's.
const VERIFICATION: u64 = 2;

/// Plays game `number`; `None` if `over` was set before its end.
pub(crate) fn play(
    recipe: &Recipe,
    number: u64,
    searcher: &mut Searcher,
    over: &AtomicBool,
) -> Option<Game> {
    let mut rng = ChaCha8Rng::seed_from_u64(recipe.seed);
    rng.set_stream(number);
    let opening = loop {
        let opening = Opening::random(&mut rng, recipe.random_plies)
            .filter(|opening| opening.position().end().is_none());
        if let Some(opening) = opening
            && is_balanced(recipe, &opening, searcher, over)?
        {
            break opening;
        }
    };
    let both = RefCell::new(Both { searcher, nodes: recipe.nodes.get(), over });
    let (mut white, mut black) = (Seat(&both), Seat(&both));
    let players = ByColor::<&mut dyn Player> { white: &mut white, black: &mut black };
    Some(recorded(&opening, play_game(&opening, players, &recipe.rules, over)?))
}

/// Nodes after which no new iteration begins.
pub(crate) fn limits(nodes: u64) -> Limits {
    let hard = nodes.saturating_mul(HARD_LIMIT);
    Limits { nodes: Some(hard), ..Limits::soft_nodes(nodes) }
}

/// The result of a search; `None` if it was stopped.
fn search(
    searcher: &mut Searcher,
    position: &Position,
    keys: &[Key],
    nodes: u64,
    over: &AtomicBool,
) -> Option<SearchResult> {
    let found = searcher.search(position, keys, &limits(nodes), over, &mut |_| {});
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
    let judged = search(searcher, opening.position(), opening.history(), nodes, over)?;
    Some(judged.centipawns().unsigned_abs() <= most.get())
}

/// The searcher, which plays both sides and keeps its TT and histories between them.
struct Both<'a> {
    searcher: &'a mut Searcher,
    nodes: u64,
    over: &'a AtomicBool,
}

/// A side of the board.
struct Seat<'a>(&'a RefCell<Both<'a>>);

impl Player for Seat<'_> {
    fn new_game(&mut self, _start: &Position) -> Result<(), Forfeit> {
        self.0.borrow_mut().searcher.new_game();
        Ok(())
    }

    fn choose(&mut self, turn: &Turn<'_>) -> Result<Choice, Forfeit> {
        let Both { searcher, nodes, over } = &mut *self.0.borrow_mut();
        // The result of a stopped search does not count.
        let found = search(searcher, turn.position, turn.history, *nodes, over);
        let found = found.ok_or(Forfeit::NoMove)?;
        let played = found.best.ok_or(Forfeit::NoMove)?;
        Ok(Choice { played, score: Some(found.score), nodes: found.nodes })
    }
}

/// The game with scores from White's side; moves of the opening have none.
fn recorded(opening: &Opening, game: PlayedGame) -> Game {
    let book = opening.moves().iter().map(|&played| GameMove { played, white_score: None });
    let mut mover = opening.position().turn();
    let played = game.moves.iter().zip(&game.scores).map(|(&played, score)| {
        let white_score = score.map(|score| score.seen_by(mover));
        mover = !mover;
        GameMove { played, white_score }
    });
    Game {
        start: opening.start().clone(),
        moves: book.chain(played).collect(),
        result: Some(game.result),
    }
}
