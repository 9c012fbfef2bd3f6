//! When games end, and how.
//!
//! Scores show how far a game is decided, and for how long. Without scores the material
//! shows a little: people resign when they are behind.

use super::adaptive::{Adaptive, Bit, Tree};
use super::channel::Channel;
use super::scores::CodedScore;
use chess::{Board, Color, Move, Position, Role};

const WEIGHTS: usize = 8;
const STREAKS: usize = 4;
const TIMES: usize = 8;
const BALANCES: usize = 7;

/// Results as symbols: unknown, drawn, won by White, won by Black.
type ResultCode = Tree<4>;

/// Probabilities of ends and results.
#[derive(Clone, Debug, Default)]
pub(crate) struct EndModel {
    /// By decisiveness of the score, length of the game, and plies of that decisiveness.
    judged: [[[Bit; STREAKS]; TIMES]; WEIGHTS],
    /// By the mover's material, when it is, and whether something was just taken.
    unjudged: [[[Bit; 2]; TIMES]; BALANCES],
    /// By the side ahead and the decisiveness of the score.
    judged_results: [[ResultCode; WEIGHTS]; 4],
    /// By White's or Black's turn, and the mover's material.
    unjudged_results: [[ResultCode; BALANCES]; 2],
}

impl Adaptive for EndModel {
    fn each(&mut self, visit: &mut dyn FnMut(&mut Bit)) {
        self.judged.each(visit);
        self.unjudged.each(visit);
        self.judged_results.each(visit);
        self.unjudged_results.each(visit);
    }
}

/// The game so far, as far as ends depend on it.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct EndContext {
    ply: usize,
    coded: CodedScore,
    /// Plies for which the game has been as decided as now.
    streak: usize,
    was_capture: bool,
}

impl EndContext {
    /// Adds a move and the score before it.
    pub(crate) fn follow(&mut self, coded: CodedScore, played: Move) {
        let is_same = coded.weight() == self.coded.weight();
        self.streak = if is_same { self.streak + 1 } else { 0 };
        self.coded = coded;
        self.was_capture = played.is_capture();
        self.ply += 1;
    }

    /// Passes whether the game ends here.
    #[inline]
    pub(crate) fn ends<C: Channel>(
        &self,
        model: &mut EndModel,
        position: &Position,
        channel: &mut C,
        known: C::Known<bool>,
    ) -> bool {
        let time = (self.ply / 20).min(TIMES - 1);
        let bit = match self.coded {
            CodedScore::None => {
                let balance = balance(position);
                &mut model.unjudged[balance][time][usize::from(self.was_capture)]
            }
            coded => &mut model.judged[coded.weight()][time][self.streak_class()],
        };
        bit.pass(channel, known)
    }

    fn streak_class(&self) -> usize {
        match self.streak {
            0..3 => 0,
            3..6 => 1,
            6..12 => 2,
            _ => 3,
        }
    }

    /// Passes the result of a game that has ended.
    pub(crate) fn result<C: Channel>(
        &self,
        model: &mut EndModel,
        position: &Position,
        channel: &mut C,
        known: C::Known<usize>,
    ) -> usize {
        let code = match self.coded {
            CodedScore::None => {
                let turn = usize::from(position.turn().is_black());
                &mut model.unjudged_results[turn][balance(position)]
            }
            coded => &mut model.judged_results[coded.leader()][coded.weight()],
        };
        code.pass(channel, known)
    }
}

/// Material balance of the mover, in seven classes; 3 is even.
fn balance(position: &Position) -> usize {
    let (board, turn) = (position.board(), position.turn());
    match material(board, turn) - material(board, !turn) {
        ..=-6 => 0,
        -5..=-3 => 1,
        -2..=-1 => 2,
        0 => 3,
        1..=2 => 4,
        3..=5 => 5,
        6.. => 6,
    }
}

/// In pawns.
fn material(board: &Board, side: Color) -> i32 {
    let own = board.by_color(side);
    let worth =
        [(Role::Pawn, 1), (Role::Knight, 3), (Role::Bishop, 3), (Role::Rook, 5), (Role::Queen, 9)];
    worth.into_iter().map(|(role, pawns)| (board.by_role(role) & own).count() as i32 * pawns).sum()
}
