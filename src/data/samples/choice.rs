//! A move played where others could have been.

use chess::{MoveList, Position};

/// A position with the move that was played in it and at least one other.
#[derive(Clone, Debug)]
pub struct Choice {
    position: Position,
    legal: MoveList,
    /// Index of the move played.
    played: usize,
}

impl Choice {
    /// The choice of a position's legal move with index `played`; `None` if there is no such move, or
    /// no other.
    pub fn new(position: Position, played: usize) -> Option<Self> {
        let legal = position.legal_moves();
        (played < legal.len() && legal.len() > 1).then_some(Self { position, legal, played })
    }

    /// The position after the move that was played.
    pub fn after_played(&self) -> Position {
        self.position.after(self.legal[self.played])
    }

    /// Number of other legal moves, at least 1.
    pub fn others(&self) -> usize {
        self.legal.len() - 1
    }

    /// The position after one of the others, by its number below
    /// [`others`](Self::others).
    pub fn after_other(&self, number: usize) -> Position {
        let place = number + usize::from(number >= self.played);
        self.position.after(self.legal[place])
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::samples::candidate::CandidatePosition;
    use crate::samples::sample::Sample;
    use chess::random_game::random_game;

    /// Every position of a random game, with the position after the move.
    fn check_game(seed: u64, check: impl Fn(&CandidatePosition<'_>, Option<Choice>)) {
        CandidatePosition::visit(&random_game(seed, 60), |candidate| {
            let sample = Sample::new(candidate).unwrap();
            assert!(!sample.has_choice() && sample.choice().is_none());
            let known =
                candidate.played.and_then(|played| sample.with_choice(candidate.position, played));
            check(candidate, known.and_then(|sample| sample.choice()));
        });
    }

    proptest! {
        #[test]
        fn the_move_played_and_all_others_are_there(seed: u64) {
            check_game(seed, |candidate, choice| {
                let (position, played) = (candidate.position, candidate.played.unwrap());
                let legal = position.legal_moves();
                let Some(choice) = choice else { return assert_eq!(legal.len(), 1) };
                let fens = |moves: &mut dyn Iterator<Item = Position>| -> Vec<String> {
                    let mut fens: Vec<String> = moves.map(|position| position.fen()).collect();
                    fens.sort_unstable();
                    fens
                };
                assert_eq!(choice.after_played().fen(), position.after(played).fen());
                let others = legal.iter().filter(|&&m| m != played).map(|&m| position.after(m));
                let listed = (0..choice.others()).map(|number| choice.after_other(number));
                assert_eq!(fens(&mut { listed }), fens(&mut { others }));
            });
        }
    }

    #[test]
    fn a_forced_move_is_no_choice() {
        let position = Position::from_fen("7k/8/8/8/8/8/5q2/7K w - - 0 1").unwrap();
        assert_eq!(position.legal_moves().len(), 0, "stalemate");
        assert!(Choice::new(position, 0).is_none());
        let position = Position::from_fen("7k/8/8/8/8/8/4q3/7K w - - 0 1").unwrap();
        assert_eq!(position.legal_moves().len(), 1);
        assert!(Choice::new(position, 0).is_none());
        assert!(Choice::new(Position::default(), 20).is_none());
        assert_eq!(Choice::new(Position::default(), 19).unwrap().others(), 19);
    }
}
