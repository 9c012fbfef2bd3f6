//! Counting pieces: the weakest evaluation, for tests and as a floor.

use chess::{Color, Move, Position, Role};

use super::Evaluator;

/// Piece values in centipawns, pawn to king.
pub(crate) const PIECE_VALUE: [i32; 6] = [100, 320, 330, 500, 900, 0];

/// Material and nothing else.
#[derive(Clone, Copy, Debug, Default)]
pub struct Material;

impl Evaluator for Material {
    fn reset(&mut self, _root: &Position) {}
    fn push(&mut self, _before: &Position, _played: Move, _after: &Position) {}
    fn push_null(&mut self, _after: &Position) {}
    fn pop(&mut self) {}

    fn evaluate(&mut self, position: &Position) -> i32 {
        let board = position.board();
        let sum = |color: Color| -> i32 {
            let own = board.by_color(color);
            Role::ALL
                .into_iter()
                .zip(PIECE_VALUE)
                .map(|(role, value)| (own & board.by_role(role)).count() as i32 * value)
                .sum()
        };
        sum(position.turn()) - sum(!position.turn())
    }
}
