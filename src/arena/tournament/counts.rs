//! Counts of finished pairs in a running tournament.

use std::collections::HashMap;

use crate::pentanomial::{HalfPoints, PairScore, Pentanomial};
use crate::record::GameRecord;

/// Finished pairs of each pairing, as games come in.
pub(super) struct PairCounts {
    pairs: Vec<Pentanomial>,
    /// Games whose twin is still missing, by pairing and pair.
    single: HashMap<(usize, usize), HalfPoints>,
}

impl PairCounts {
    pub(super) fn new(pairings: usize) -> Self {
        Self { pairs: vec![Pentanomial::default(); pairings], single: HashMap::new() }
    }

    /// Counts a game, each once.
    pub(super) fn add(&mut self, game: &GameRecord) {
        let place = (game.key.pairing, game.key.pair);
        let score = game.first_players_score();
        match self.single.remove(&place) {
            Some(twin) => self.pairs[place.0].add(PairScore::of_games(twin, score)),
            None => {
                self.single.insert(place, score);
            }
        }
    }

    /// By pairing, from the first player's side.
    pub(super) fn pairs(&self) -> &[Pentanomial] {
        &self.pairs
    }
}
