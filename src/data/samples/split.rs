//! The held-out split: which games and positions are the validation set.
//!
//! The moves alone decide: no seed, no order, no file name. Runs with different seeds
//! therefore share their validation set, a repeated game falls on one side, and a smaller share is
//! a subset of a larger one.
//!
//! A list has no games, so its positions are decided one by one. Neighbours, which differ by a
//! move and share the result, then fall on both sides, and the validation loss is too low:
//! [`Dataset::warnings`](super::dataset::Dataset::warnings) has a warning for this.

use super::share::{Share, game_hash, position_hash};
use crate::formats::entry::Entry;
use chess::{Game, Position};

/// Keeps this choice apart from others made of positions.
const SALT: u64 = 0x7661_6c69_6461_7465;

/// Decides the side for one share.
#[derive(Clone, Copy, Debug)]
pub struct Split(Share);

impl Split {
    /// A share from 0 to below 1; otherwise `None`.
    pub fn new(share: f64) -> Option<Self> {
        let share = Share::try_from(share).ok()?;
        (share != Share::ALL).then_some(Self(share))
    }

    pub fn validates(self, entry: &Entry) -> bool {
        match entry {
            Entry::Game(game) => self.game_validates(game),
            Entry::Position(listed) => self.position_validates(&listed.position),
        }
    }

    pub fn game_validates(self, game: &Game) -> bool {
        self.0.holds(game_hash(game))
    }

    /// For a position without its game.
    pub fn position_validates(self, position: &Position) -> bool {
        self.0.holds(position_hash(position, SALT))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use chess::random_game::random_game;

    /// Checks shares within four standard deviations of the binomial, and that the choice of a small
    /// one is a subset of a larger one's.
    fn check(things: f64, validating: impl Fn(Split) -> Vec<bool>) {
        let of = |share: f64| validating(Split::new(share).unwrap());
        let (small, large) = (of(0.05), of(0.3));
        assert!(small.iter().zip(&large).all(|(small, large)| !small | large));
        for (share, side) in [(0.05, small), (0.3, large), (0.0, of(0.0))] {
            let count = side.iter().filter(|validates| **validates).count() as f64;
            let deviation = (things * share * (1.0 - share)).sqrt();
            assert!((count - things * share).abs() <= 4.0 * deviation, "{share}: {count}");
        }
    }

    #[test]
    fn shares_of_games_are_kept_and_nested() {
        let games: Vec<Game> = (0..2_000).map(|seed| random_game(seed, 12)).collect();
        check(2_000.0, |split| games.iter().map(|game| split.game_validates(game)).collect());
    }

    #[test]
    fn shares_of_positions_are_kept_and_nested() {
        let positions: Vec<Position> = (0..2_000)
            .map(|seed| {
                let game = random_game(seed, 30);
                game.moves.iter().fold(game.start, |position, m| position.after(m.played))
            })
            .collect();
        check(2_000.0, |split| positions.iter().map(|p| split.position_validates(p)).collect());
    }

    #[test]
    fn what_is_no_share_is_refused() {
        for share in [-0.1, 1.0, 2.0, f64::NAN] {
            assert!(Split::new(share).is_none(), "{share}");
        }
    }
}
