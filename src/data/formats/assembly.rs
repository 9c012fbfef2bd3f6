//! Games put together out of positions, each with the move played in it.
//!
//! Formats of trainers hold rows of such positions. A position that follows from the one before,
//! with the next ply and the same result, is the next of its game.

use crate::defect::BadEntry;
use chess::{Game, GameMove, GameResult, Move, Position, Score};

/// A position as a trainer's format has it.
pub(super) struct Recorded {
    pub position: Position,
    pub played: Move,
    pub white_score: Option<Score>,
    /// Plies since the start of the game, as the file counts them.
    pub ply: u32,
    pub result: Option<GameResult>,
}

/// Games so far; the last may continue.
#[derive(Default)]
pub(super) struct Assembly {
    games: Vec<Result<Game, BadEntry>>,
    open: Option<OpenGame>,
}

impl Assembly {
    /// Adds a position to the open game, or begins another; the game, for moves to follow.
    pub(super) fn add(&mut self, recorded: Recorded) -> &mut OpenGame {
        if !self.open.as_ref().is_some_and(|open| open.continues_with(&recorded)) {
            self.close();
        }
        let open = self.open.get_or_insert_with(|| OpenGame::at(&recorded));
        open.play(recorded.played, recorded.white_score);
        open
    }

    /// Ends the open game.
    pub(super) fn close(&mut self) {
        self.games.extend(self.open.take().map(|open| Ok(open.game)));
    }

    /// Drops the open game.
    pub(super) fn drop_open(&mut self) {
        self.open = None;
    }

    /// Ends the open game, and adds an entry that cannot be read.
    pub(super) fn refuse(&mut self, bad: BadEntry) {
        self.close();
        self.games.push(Err(bad));
    }

    /// All games.
    pub(super) fn finish(mut self) -> Vec<Result<Game, BadEntry>> {
        self.close();
        self.games
    }
}

/// A game that may continue.
pub(super) struct OpenGame {
    game: Game,
    /// After all its moves.
    position: Position,
    /// Plies that the file counts up to there.
    ply: u32,
}

impl OpenGame {
    fn at(recorded: &Recorded) -> Self {
        let start = recorded.position.clone();
        let game = Game { start: start.clone(), moves: Vec::new(), result: recorded.result };
        Self { game, position: start, ply: recorded.ply }
    }

    /// The position after all its moves.
    pub(super) fn position(&self) -> &Position {
        &self.position
    }

    /// Whether a position is the next of this game.
    fn continues_with(&self, next: &Recorded) -> bool {
        let (here, there) = (&self.position, &next.position);
        self.ply == next.ply
            && self.game.result == next.result
            && here.board() == there.board()
            && here.turn() == there.turn()
            && here.castling_rooks() == there.castling_rooks()
            && here.is_legal(next.played)
    }

    /// Adds a legal move, and the score of the position before it.
    pub(super) fn play(&mut self, played: Move, white_score: Option<Score>) {
        self.game.moves.push(GameMove { played, white_score });
        self.position.play(played);
        self.ply = self.ply.wrapping_add(1);
    }
}
