//! One game of the engine against itself: an arena game whose two players are one searcher.

use std::cell::RefCell;
use std::sync::atomic::{AtomicBool, Ordering};

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use arena::{Forfeit, MoveChoice, Opening, PlayedGame, Player, SearchEffort, Turn, play_game};
use chess::{ByColor, Move, Position, PositionKey};
use data::{Game, GameMove};
use engine::{Limits, SearchResult, Searcher};

use super::settings::SelfplaySettings;
use super::temperature::Temperature;

/// An iteration may overrun the soft limit, but not without end.
const HARD_LIMIT: u64 = 10;
/// Nodes of the verification search of an opening, in multiples of a move's.
const VERIFICATION: u64 = 2;

/// Plays game `number`; `None` if `over` was set before its end.
pub(crate) fn play(
    settings: &SelfplaySettings,
    book: &[Opening],
    number: u64,
    searcher: &mut Searcher,
    over: &AtomicBool,
) -> Option<Game> {
    let mut rng = ChaCha8Rng::seed_from_u64(settings.seed);
    rng.set_stream(number);
    let opening = loop {
        let opening = drawn(book, &mut rng)
            .followed(&mut rng, settings.random_plies)
            .filter(|opening| opening.position().end().is_none());
        if let Some(opening) = opening
            && is_balanced(settings, &opening, searcher, over)?
        {
            break opening;
        }
    };
    let first = opening.history().len();
    let both = RefCell::new(SharedSearcher { searcher, settings, first, rng, over });
    let (mut white, mut black) = (SidePlayer(&both), SidePlayer(&both));
    let players = ByColor::<&mut dyn Player> { white: &mut white, black: &mut black };
    Some(recorded(&opening, play_game(&opening, players, &settings.rules, over)?))
}

/// An opening of the book, or the start position without one.
fn drawn(book: &[Opening], rng: &mut ChaCha8Rng) -> Opening {
    match book.is_empty() {
        true => Opening::at(Position::default()),
        false => book[rng.random_range(0..book.len())].clone(),
    }
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
    keys: &[PositionKey],
    limits: &Limits,
    over: &AtomicBool,
) -> Option<SearchResult> {
    let found = searcher.search(position, keys, limits, over, &mut |_| {});
    (!over.load(Ordering::Relaxed)).then_some(found)
}

fn is_balanced(
    settings: &SelfplaySettings,
    opening: &Opening,
    searcher: &mut Searcher,
    over: &AtomicBool,
) -> Option<bool> {
    let Some(most) = settings.balance.0 else { return Some(true) };
    searcher.new_game();
    let nodes = settings.nodes.get().saturating_mul(VERIFICATION);
    let judged = search(searcher, opening.position(), opening.history(), &limits(nodes), over)?;
    Some(judged.centipawns().unsigned_abs() <= most.get())
}

/// The searcher, which plays both sides and keeps its TT and histories between them.
struct SharedSearcher<'a> {
    searcher: &'a mut Searcher,
    settings: &'a SelfplaySettings,
    /// Plies of the opening.
    first: usize,
    rng: ChaCha8Rng,
    over: &'a AtomicBool,
}

impl SharedSearcher<'_> {
    fn choose(&mut self, turn: &Turn<'_>) -> Option<MoveChoice> {
        let SelfplaySettings { nodes, hard_nodes, .. } = self.settings;
        let usual = limits(nodes.get());
        let limits =
            Limits { nodes: hard_nodes.map_or(usual.nodes, |hard| Some(hard.get())), ..usual };
        let found = search(self.searcher, turn.position, turn.history, &limits, self.over)?;
        let best = found.best?;
        let ply = (turn.history.len() - self.first) as u64;
        let warm = |temperature: &Temperature| ply < u64::from(temperature.plies.get());
        let played = match self.settings.temperature.0.filter(warm) {
            None => best,
            Some(temperature) => self.draw(temperature, turn, best, found.centipawns())?,
        };
        let effort = SearchEffort { nodes: found.nodes, depth: Some(found.depth) };
        Some(MoveChoice { played, score: Some(found.score), effort, answered: None })
    }

    /// A move drawn by the scores of all. The others share as many nodes as the search for the best
    /// one used.
    fn draw(
        &mut self,
        temperature: Temperature,
        turn: &Turn<'_>,
        best: Move,
        best_is_worth: i32,
    ) -> Option<Move> {
        let moves = turn.position.legal_moves();
        let nodes = (self.settings.nodes.get() / moves.len() as u64).max(1);
        let history = [turn.history, &[turn.position.key()]].concat();
        let mut worth = Vec::with_capacity(moves.len());
        for &played in &moves {
            worth.push(match played == best {
                true => best_is_worth,
                false => {
                    let after = turn.position.after(played);
                    let answer =
                        search(self.searcher, &after, &history, &limits(nodes), self.over)?;
                    // Scores of these shallower searches count at most as that of the best move.
                    (-answer.centipawns()).min(best_is_worth)
                }
            });
        }
        temperature.draw(&worth, &mut self.rng).map(|drawn| moves[drawn])
    }
}

/// A side of the board.
struct SidePlayer<'a>(&'a RefCell<SharedSearcher<'a>>);

impl Player for SidePlayer<'_> {
    fn new_game(&mut self, _start: &Position) -> Result<(), Forfeit> {
        self.0.borrow_mut().searcher.new_game();
        Ok(())
    }

    fn choose(&mut self, turn: &Turn<'_>) -> Result<MoveChoice, Forfeit> {
        // The result of a stopped search does not count.
        self.0.borrow_mut().choose(turn).ok_or(Forfeit::NoMove)
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
