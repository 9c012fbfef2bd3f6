//! A solver without search: the evaluation alone, one ply deep.
//!
//! The solver evaluates the position after every legal move for the opponent and chooses the move
//! with the lowest value. This measures a net without search, as Lc0 and DeepMind test value nets.

use super::suite::Solver;
use chess::{GameEnd, Move, Position, PositionKey};
use engine::Evaluator;

/// Score of a mate, beyond any evaluation.
const MATE: i32 = i32::MAX;

/// The move with the lowest evaluation for the opponent, the first of equals
/// in move order; `None` if there is no legal move.
///
/// Mate wins outright, stalemate and bare material are worth 0.
pub(crate) fn choose_one_ply(evaluator: &mut dyn Evaluator, position: &Position) -> Option<Move> {
    evaluator.reset(position);
    let mut best: Option<(i32, Move)> = None;
    for m in position.legal_moves() {
        let value = value_of(evaluator, position, m);
        if value == MATE {
            return Some(m);
        }
        if best.is_none_or(|(highest, _)| value > highest) {
            best = Some((value, m));
        }
    }
    best.map(|(_, m)| m)
}

/// Centipawns for the mover after the move.
fn value_of(evaluator: &mut dyn Evaluator, position: &Position, m: Move) -> i32 {
    let after = position.after(m);
    match after.end() {
        Some(GameEnd::Checkmate) => MATE,
        Some(GameEnd::Stalemate | GameEnd::InsufficientMaterial) => 0,
        None => {
            evaluator.push(position, m, &after);
            let value = evaluator.evaluate(&after).saturating_neg();
            evaluator.pop();
            value
        }
    }
}

/// [`choose_one_ply`] as a solver of suites.
pub(crate) struct OnePly<E>(pub E);

impl<E: Evaluator> Solver for OnePly<E> {
    fn choose(&mut self, position: &Position, _: &[PositionKey]) -> Option<Move> {
        choose_one_ply(&mut self.0, position)
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use chess::{Color, Role};

    /// Material in centipawns; checks that each evaluated position is the one reached by its moves.
    #[derive(Default)]
    pub(crate) struct Material {
        stack: Vec<PositionKey>,
    }

    impl Evaluator for Material {
        fn reset(&mut self, root: &Position) {
            self.stack = vec![root.key()];
        }

        fn push(&mut self, before: &Position, played: Move, after: &Position) {
            assert_eq!(self.stack.last(), Some(&before.key()));
            assert_eq!(before.after(played).key(), after.key());
            self.stack.push(after.key());
        }

        fn push_null(&mut self, _after: &Position) {}

        fn pop(&mut self) {
            self.stack.pop();
        }

        fn evaluate(&mut self, position: &Position) -> i32 {
            assert_eq!(self.stack.last(), Some(&position.key()));
            let of = |color: Color| -> i32 {
                let own = position.board().by_color(color);
                let roles = [
                    (Role::Pawn, 100),
                    (Role::Knight, 300),
                    (Role::Bishop, 300),
                    (Role::Rook, 500),
                    (Role::Queen, 900),
                ];
                roles
                    .iter()
                    .map(|&(role, cp)| (own & position.board().by_role(role)).count() as i32 * cp)
                    .sum()
            };
            of(position.turn()) - of(!position.turn())
        }
    }

    fn best(fen: &str) -> Option<String> {
        let position = Position::from_fen(fen).unwrap();
        choose_one_ply(&mut Material::default(), &position).map(|m| position.uci(m))
    }

    #[test]
    fn takes_what_is_worth_most() {
        assert_eq!(best("7k/8/8/2q1r3/3P4/8/8/7K w - - 0 1").unwrap(), "d4c5");
        assert_eq!(best("7k/8/8/3p4/2Q1R3/8/8/7K b - - 0 1").unwrap(), "d5c4");
    }

    #[test]
    fn mate_is_worth_more_than_any_material() {
        assert_eq!(best("6k1/n4ppp/8/8/8/8/5PPP/R2R2K1 w - - 0 1").unwrap(), "d1d8");
    }

    #[test]
    fn a_draw_is_worth_nothing() {
        // Taking the pawn wins material and stalemates.
        assert_ne!(best("k7/8/1K6/8/2N5/6B1/1p6/8 w - - 0 1").unwrap(), "c4b2");
        assert_eq!(best("k7/8/1K6/8/2N3B1/8/1p6/8 w - - 0 1").unwrap(), "c4b2");
        // Lost otherwise: the capture that leaves bare kings is best.
        assert_eq!(best("k7/8/8/8/8/8/1q6/K7 w - - 0 1").unwrap(), "a1b2");
    }

    #[test]
    fn no_move_no_answer() {
        assert_eq!(best("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1"), None);
    }
}
