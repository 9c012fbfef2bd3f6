//! A game between two players, and its referee.
//!
//! The referee alone knows the rules and keeps the clocks; players see the game through a [`Turn`]
//! and answer with a move. Any other behaviour of a player is a [`Forfeit`], never an error of the
//! match.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use super::clock::{FlagFell, GameClock};
use super::forfeit::Forfeit;
use super::openings::Opening;
use super::rules::{Adjudicator, EndReason, GameRules, Referee};
use super::time_control::TimeControl;
use chess::{ByColor, Color, Move, Position, PositionKey};
use data::{GameResult, Score};

/// A player of games.
///
/// Reproducible games need players that are a function of their settings and of the moves since
/// [`Player::new_game`].
pub trait Player {
    /// Its time control.
    fn time_control(&self) -> TimeControl {
        TimeControl::Untimed
    }

    /// Clears earlier games (hash table, histories) and prepares one that begins at `start`.
    fn new_game(&mut self, start: &Position) -> Result<(), Forfeit>;

    /// Prepares for a move while no clock runs.
    fn prepare(&mut self, _turn: &Turn<'_>) -> Result<(), Forfeit> {
        Ok(())
    }

    /// Chooses a move, on its own clock.
    fn choose(&mut self, turn: &Turn<'_>) -> Result<MoveChoice, Forfeit>;
}

/// State of a game for the player to move.
#[derive(Clone, Copy, Debug)]
pub struct Turn<'g> {
    /// Start of the game, before its opening.
    pub start: &'g Position,
    /// All moves since, those of the opening included.
    pub moves: &'g [Move],
    /// The current position.
    pub position: &'g Position,
    /// Keys of the positions before, oldest first, without `position` itself.
    pub history: &'g [PositionKey],
    pub clocks: ByColor<GameClock>,
}

impl Turn<'_> {
    /// The clock of the player to move.
    pub fn clock(&self) -> &GameClock {
        self.clocks.get(self.position.turn())
    }
}

/// A player's answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MoveChoice {
    pub played: Move,
    /// The player's score of the position, for the side to move; `None` if it reports none.
    pub score: Option<Score>,
    /// Cost of the search.
    pub effort: SearchEffort,
    /// When the answer arrived, if known: a referee that wakes up late does not charge its own
    /// delay. `None` for the moment at which the player returns.
    pub answered: Option<Instant>,
}

/// Cost of a search, as far as the player reports it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SearchEffort {
    /// Nodes searched.
    pub nodes: u64,
    /// Plies searched to the end.
    pub depth: Option<u32>,
}

#[derive(Clone, Debug)]
pub struct PlayedGame {
    /// The moves after the opening.
    pub moves: Vec<Move>,
    /// The mover's score of the position before each move.
    pub scores: Vec<Option<Score>>,
    /// Cost of each move's search.
    pub efforts: Vec<SearchEffort>,
    /// Time spent on each move by players on a clock.
    pub times: Vec<Option<Duration>>,
    pub result: GameResult,
    pub reason: EndReason,
    /// Nodes each side searched.
    pub nodes: ByColor<u64>,
    /// Time control of each side.
    pub time_controls: ByColor<TimeControl>,
}

/// Plays a game from an opening; `None` if `stop` was raised before its end.
pub fn play_game<'a>(
    opening: &'a Opening,
    players: ByColor<&'a mut dyn Player>,
    referee: impl Into<Referee<'a>>,
    stop: &AtomicBool,
) -> Option<PlayedGame> {
    let mut game = GameInProgress::new(opening, players, referee.into());
    let mut step = game.seat_players();
    loop {
        // The answer of a stopped player does not count.
        if stop.load(Ordering::Relaxed) {
            return None;
        }
        if let Err(Lost(loser, forfeit)) = step {
            return Some(game.finish(GameResult::Win(!loser), EndReason::Forfeit(forfeit)));
        }
        if let Some((result, reason)) = game.verdict() {
            return Some(game.finish(result, reason));
        }
        step = game.step();
    }
}

/// The loser and its forfeit.
struct Lost(Color, Forfeit);

struct GameInProgress<'a> {
    players: ByColor<&'a mut dyn Player>,
    clocks: ByColor<GameClock>,
    rules: &'a GameRules,
    adjudicator: Adjudicator<'a>,
    start: &'a Position,
    /// All moves; the first `book_plies` are the opening's.
    moves: Vec<Move>,
    book_plies: usize,
    position: Position,
    history: Vec<PositionKey>,
    scores: Vec<Option<Score>>,
    efforts: Vec<SearchEffort>,
    times: Vec<Option<Duration>>,
    nodes: ByColor<u64>,
}

impl<'a> GameInProgress<'a> {
    fn new(
        opening: &'a Opening,
        players: ByColor<&'a mut dyn Player>,
        referee: Referee<'a>,
    ) -> Self {
        let rules = referee.rules;
        let clock =
            |player: &&mut dyn Player| GameClock::new(player.time_control(), rules.time_margin());
        Self {
            clocks: ByColor { white: clock(&players.white), black: clock(&players.black) },
            players,
            rules,
            adjudicator: Adjudicator::new(referee),
            start: opening.start(),
            moves: opening.moves().to_vec(),
            book_plies: opening.moves().len(),
            position: opening.position().clone(),
            history: opening.history().to_vec(),
            scores: Vec::new(),
            efforts: Vec::new(),
            times: Vec::new(),
            nodes: ByColor::default(),
        }
    }

    fn seat_players(&mut self) -> Result<(), Lost> {
        for color in Color::ALL {
            let seated = self.players.get_mut(color).new_game(self.start);
            seated.map_err(|forfeit| Lost(color, forfeit))?;
        }
        Ok(())
    }

    /// Result of the position, if the game is over; the rules of chess come first.
    fn verdict(&self) -> Option<(GameResult, EndReason)> {
        self.rules
            .natural_end(&self.position, &self.history)
            .or_else(|| self.adjudicator.verdict(&self.position))
    }

    /// Lets the side to move play.
    fn step(&mut self) -> Result<(), Lost> {
        let mover = self.position.turn();
        let (choice, time) = self.ask(mover).map_err(|forfeit| Lost(mover, forfeit))?;
        self.advance(mover, choice, time);
        Ok(())
    }

    /// A legal move in time and the time it took, or its forfeit.
    fn ask(&mut self, mover: Color) -> Result<(MoveChoice, Duration), Forfeit> {
        let turn = Turn {
            start: self.start,
            moves: &self.moves,
            position: &self.position,
            history: &self.history,
            clocks: self.clocks,
        };
        let player = self.players.get_mut(mover);
        player.prepare(&turn)?;
        let begun = Instant::now();
        let answer = player.choose(&turn);
        let answered = answer.as_ref().ok().and_then(|choice| choice.answered);
        let time = answered.unwrap_or_else(Instant::now).saturating_duration_since(begun);
        let pressed = self.clocks.get_mut(mover).press(time);
        let choice = in_time(answer, pressed)?;
        match self.position.is_legal(choice.played) {
            true => Ok((choice, time)),
            false => Err(Forfeit::IllegalMove),
        }
    }

    fn advance(&mut self, mover: Color, choice: MoveChoice, time: Duration) {
        self.history.push(self.position.key());
        self.position.play(choice.played);
        self.moves.push(choice.played);
        self.scores.push(choice.score);
        self.efforts.push(choice.effort);
        // Times without a clock would only make equal games look different.
        let is_timed = self.clocks.get(mover).control().is_timed();
        self.times.push(is_timed.then_some(time));
        *self.nodes.get_mut(mover) += choice.effort.nodes;
        self.adjudicator.observe(mover, choice.score, &self.position);
    }

    fn finish(mut self, result: GameResult, reason: EndReason) -> PlayedGame {
        PlayedGame {
            moves: self.moves.split_off(self.book_plies),
            scores: self.scores,
            efforts: self.efforts,
            times: self.times,
            result,
            reason,
            nodes: self.nodes,
            time_controls: self.clocks.map(|clock| clock.control()),
        }
    }
}

/// A late answer loses on time, legal or not; a crash or stall stays one.
fn in_time(
    answer: Result<MoveChoice, Forfeit>,
    pressed: Result<(), FlagFell>,
) -> Result<MoveChoice, Forfeit> {
    match (answer, pressed) {
        (Err(gone @ (Forfeit::Crash | Forfeit::Stall)), _) => Err(gone),
        (_, Err(FlagFell)) => Err(Forfeit::Time),
        (answer, Ok(())) => answer,
    }
}

#[cfg(test)]
mod tests;
