//! The engine as a player, in this process.

use std::sync::atomic::AtomicBool;

use super::game::{Choice, Player};
use crate::chess::{Key, Position};
use crate::engine::{Evaluator, Limits, Searcher, Techniques};

/// A [`Searcher`] that spends the same limits on every move.
///
/// With node or depth limits its games are reproducible; with limits of time
/// they are not, and as many of them should be played at once as there are
/// idle cores.
pub struct EnginePlayer<'s> {
    searcher: Searcher,
    limits: Limits,
    stop: &'s AtomicBool,
}

impl<'s> EnginePlayer<'s> {
    /// A player with an evaluation and `hash_mb` MiB of table. `stop` should
    /// be the tournament's, so that a long search ends with it.
    pub fn new(
        evaluator: Box<dyn Evaluator>,
        hash_mb: usize,
        limits: Limits,
        stop: &'s AtomicBool,
    ) -> Self {
        Self { searcher: Searcher::new(evaluator, hash_mb), limits, stop }
    }

    /// The same with only some parts of the search.
    #[must_use]
    pub fn with_techniques(self, techniques: Techniques) -> Self {
        Self { searcher: self.searcher.with_techniques(techniques), ..self }
    }
}

impl Player for EnginePlayer<'_> {
    fn new_game(&mut self) {
        self.searcher.new_game();
    }

    fn choose(&mut self, position: &Position, history: &[Key]) -> Choice {
        let found = self.searcher.search(position, history, &self.limits, self.stop, &mut |_| {});
        Choice { played: found.best, score_cp: found.centipawns(), nodes: found.nodes }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::arena::{
        GameRules, Identity, Openings, PlayerId, Schedule, TournamentConfig, TournamentResult,
        play_tournament, write_pgn,
    };
    use crate::engine::{Material, Pesto};

    /// PeSTO against counting wood, at the same nodes.
    fn tournament(threads: usize) -> TournamentResult {
        let config = TournamentConfig {
            identity: Identity {
                players: vec!["pesto".to_owned(), "material".to_owned()],
                schedule: Schedule::RoundRobin,
                rules: GameRules::default(),
                settings: BTreeMap::from([("nodes".to_owned(), "300".to_owned())]),
            },
            openings: Openings::random(1, 6, 8, None).unwrap().take(6).unwrap(),
            threads,
        };
        let stop = AtomicBool::new(false);
        let player = |PlayerId(id): PlayerId| -> Box<dyn Player + '_> {
            let evaluator: Box<dyn Evaluator> =
                if id == 0 { Box::<Pesto>::default() } else { Box::<Material>::default() };
            Box::new(EnginePlayer::new(evaluator, 1, Limits::nodes(300), &stop))
        };
        play_tournament(&config, &player, None, &mut |_| {}, &stop).unwrap()
    }

    #[test]
    fn engines_play_the_same_games_on_any_number_of_threads() {
        let pgn = |result: &TournamentResult| {
            let mut text = Vec::new();
            write_pgn(&mut text, "test", result.records()).unwrap();
            text
        };
        let (one, two) = (tournament(1), tournament(2));
        assert_eq!(pgn(&one), pgn(&two));
        let pairing = &one.pairings[0];
        assert_eq!(pairing.forfeits, [0, 0]);
        assert_eq!(pairing.duplicates, 0);
        assert!(pairing.records.iter().all(|game| game.nodes.iter().all(|&n| n > 0)));
        assert!(pairing.games.wins > pairing.games.losses, "{}", pairing.games);
    }
}
