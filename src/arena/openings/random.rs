//! Openings of random legal moves: no book to ship, and practically unlimited.

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::{Opening, Openings, OpeningsError, RandomPlies};
use chess::Position;

/// Keeps openings with a balanced score.
pub struct Balance<'a> {
    /// Largest |score| accepted, in centipawns.
    pub bound_cp: u32,
    /// Scores a position for its side to move, in centipawns. The same
    /// position must always get the same score.
    pub judge: &'a mut dyn FnMut(&Position) -> i32,
}

impl Openings {
    /// Up to `count` openings of `plies` random legal moves from the start position, with `balance`
    /// only balanced ones.
    ///
    /// The same seed gives the same list, and a longer list begins with the
    /// shorter one, so a match can be prolonged.
    pub fn random(
        seed: u64,
        count: usize,
        plies: RandomPlies,
        mut balance: Option<Balance<'_>>,
    ) -> Self {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        Self::collect_distinct(count, || {
            Opening::random(&mut rng, plies).filter(|opening| is_balanced(opening, &mut balance))
        })
    }

    /// `count` openings with the [usual](RandomPlies::USUAL) number of random plies.
    ///
    /// # Errors
    /// Too few openings.
    pub fn usual(seed: u64, count: usize) -> Result<Vec<Opening>, OpeningsError> {
        Self::random(seed, count, RandomPlies::USUAL, None).take(count)
    }

    /// The same in words, part of the identity of a log.
    pub fn usual_summary(seed: u64) -> String {
        format!("{} random plies, seed {seed}", RandomPlies::USUAL)
    }
}

impl Opening {
    /// Random legal moves from the start position; `None` if the game ended on the way.
    pub fn random(rng: &mut ChaCha8Rng, plies: RandomPlies) -> Option<Self> {
        Self::at(Position::default()).followed(rng, plies)
    }

    /// The opening followed by random legal moves; `None` if the game ended on the way.
    pub fn followed(mut self, rng: &mut ChaCha8Rng, plies: RandomPlies) -> Option<Self> {
        for _ in 0..plies.draw(rng) {
            let moves = self.position().legal_moves();
            if moves.is_empty() {
                return None;
            }
            self.push(moves[rng.random_range(0..moves.len())]);
        }
        Some(self)
    }
}

fn is_balanced(opening: &Opening, balance: &mut Option<Balance<'_>>) -> bool {
    balance.as_mut().is_none_or(|Balance { bound_cp, judge }| {
        opening.position().end().is_none() && judge(opening.position()).unsigned_abs() <= *bound_cp
    })
}

#[cfg(test)]
mod tests {
    use super::super::OpeningsError;
    use super::*;
    use chess::{Color, PositionKey};

    fn keys(openings: &Openings) -> Vec<PositionKey> {
        openings.as_slice().iter().map(|o| o.position().key()).collect()
    }

    #[test]
    fn same_seed_same_list_and_longer_lists_begin_alike() {
        let short = keys(&Openings::random(5, 50, RandomPlies::exactly(8), None));
        let long = keys(&Openings::random(5, 80, RandomPlies::exactly(8), None));
        assert_eq!(short, long[..50]);
        assert_ne!(short, keys(&Openings::random(6, 50, RandomPlies::exactly(8), None)));
    }

    #[test]
    fn openings_are_distinct_and_alive() {
        let openings = Openings::random(1, 500, RandomPlies::exactly(8), None);
        let mut keys = keys(&openings);
        keys.sort_unstable();
        keys.dedup();
        assert_eq!(keys.len(), 500);
        for opening in openings.as_slice() {
            assert_eq!(opening.position().end(), None);
            assert_eq!((opening.moves().len(), opening.history().len()), (8, 8));
            assert_eq!(opening.history()[0], Position::default().key());
        }
    }

    #[test]
    fn any_number_of_a_range_comes_up() {
        let openings = Openings::random(3, 200, RandomPlies::between(6, 9), None);
        let mut plies: Vec<usize> = openings.as_slice().iter().map(|o| o.moves().len()).collect();
        plies.sort_unstable();
        plies.dedup();
        assert_eq!(plies, [6, 7, 8, 9]);
    }

    #[test]
    fn all_that_there_are_are_found() {
        // The first ply has 20 moves.
        assert_eq!(Openings::random(1, 21, RandomPlies::exactly(1), None).as_slice().len(), 20);
        assert_eq!(Openings::random(1, 20, RandomPlies::exactly(1), None).as_slice().len(), 20);
    }

    #[test]
    fn too_few_openings_are_an_error() {
        let openings = Openings::random(1, 10, RandomPlies::exactly(8), None);
        assert_eq!(openings.take(10).unwrap().len(), 10);
        assert!(matches!(openings.take(11), Err(OpeningsError::TooFew { wanted: 11, found: 10 })));
    }

    #[test]
    fn unbalanced_openings_are_left_out() {
        let count = |p: &Position, c: Color| p.board().by_color(c).count() as i32;
        let mut judge = |p: &Position| 100 * (count(p, p.turn()) - count(p, !p.turn()));
        let balance = Balance { bound_cp: 0, judge: &mut judge };
        let openings = Openings::random(3, 100, RandomPlies::exactly(12), Some(balance));
        for opening in openings.as_slice() {
            let position = opening.position();
            assert_eq!(count(position, Color::White), count(position, Color::Black));
        }
    }
}
