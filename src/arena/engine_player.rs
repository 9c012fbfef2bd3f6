//! The engine as a player, in this process.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use super::forfeit::Forfeit;
use super::game::{MoveChoice, Player, SearchEffort, Turn};
use super::jitter::Jitter;
use super::time_control::TimeControl;
use chess::Position;
use engine::{Evaluator, Limits, Margins, Searcher, Techniques};

/// A [`Searcher`] with the same limits on every move, and a clock.
///
/// With node or depth limits its games are reproducible; with a clock they are not, and the number
/// of concurrent games should be that of idle cores.
pub struct EnginePlayer<'s> {
    searcher: Searcher,
    limits: Limits,
    jitter: Option<Jitter>,
    time_control: TimeControl,
    stop: &'s AtomicBool,
}

impl<'s> EnginePlayer<'s> {
    /// A player with an evaluation and `hash_mb` MiB of table. `stop` should be the tournament's,
    /// so that a long search ends with it. Matches judge the evaluation, so the search uses
    /// [`Techniques::JUDGING`].
    pub fn new(
        evaluator: Box<dyn Evaluator>,
        hash_mb: usize,
        limits: Limits,
        stop: &'s AtomicBool,
    ) -> Self {
        let time_control = TimeControl::Untimed;
        let searcher = Searcher::new(evaluator, hash_mb).with_techniques(Techniques::JUDGING);
        Self { searcher, limits, jitter: None, time_control, stop }
    }

    /// The same player on a clock.
    #[must_use]
    pub fn timed(self, time_control: TimeControl) -> Self {
        Self { time_control, ..self }
    }

    /// The same with node jitter.
    #[must_use]
    pub fn varying(self, jitter: Option<Jitter>) -> Self {
        Self { jitter, ..self }
    }

    /// The same with other margins of the search.
    #[must_use]
    pub fn with_margins(self, margins: Arc<Margins>) -> Self {
        Self { searcher: self.searcher.with_margins(margins), ..self }
    }

    /// The same with other parts of the search.
    #[must_use]
    pub fn with_techniques(self, techniques: Techniques) -> Self {
        Self { searcher: self.searcher.with_techniques(techniques), ..self }
    }

    fn limits(&self, turn: &Turn<'_>) -> Limits {
        let (clock, mut limits) = (turn.clock(), self.limits.clone());
        if let (Some(jitter), Some(nodes)) = (self.jitter, &mut limits.nodes) {
            *nodes = jitter.vary(*nodes, turn);
        }
        let per_move = clock.per_move();
        // A search notices the end of its time a little late.
        let overhead = per_move.map_or(OVERHEAD, |time| OVERHEAD.min(time / 10));
        match clock.control().is_timed() {
            true => Limits { movetime: per_move, clock: clock.reading(), overhead, ..limits },
            false => limits,
        }
    }
}

/// Time of a move besides the search, on a busy machine.
const OVERHEAD: Duration = Duration::from_millis(10);

impl Player for EnginePlayer<'_> {
    fn time_control(&self) -> TimeControl {
        self.time_control
    }

    fn new_game(&mut self, _start: &Position) -> Result<(), Forfeit> {
        self.searcher.new_game();
        Ok(())
    }

    fn choose(&mut self, turn: &Turn<'_>) -> Result<MoveChoice, Forfeit> {
        let limits = self.limits(turn);
        let Turn { position, history, .. } = turn;
        let found = self.searcher.search(position, history, &limits, self.stop, &mut |_| {});
        let played = found.best.ok_or(Forfeit::NoMove)?;
        let effort = SearchEffort { nodes: found.nodes, depth: Some(found.depth) };
        Ok(MoveChoice { played, score: Some(found.score), effort, answered: None })
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::{
        GameRules, Openings, PlayerId, RandomPlies, TournamentConfig, TournamentIdentity,
        TournamentResult, TournamentSchedule, play_tournament, write_pgn,
    };
    use engine::{Material, Tapered};

    /// PeSTO against material, at the same nodes.
    fn tournament(threads: usize) -> TournamentResult {
        let config = TournamentConfig {
            identity: TournamentIdentity {
                players: vec!["pesto".to_owned(), "material".to_owned()],
                schedule: TournamentSchedule::RoundRobin,
                rules: GameRules::default(),
                colours: Default::default(),
                settings: BTreeMap::from([("nodes".to_owned(), "300".to_owned())]),
            },
            openings: Openings::random(1, 6, RandomPlies::exactly(8), None).take(6).unwrap(),
            threads,
            tables: None,
        };
        let stop = AtomicBool::new(false);
        let player = |PlayerId(id): PlayerId| -> Box<dyn Player + '_> {
            let evaluator: Box<dyn Evaluator> =
                if id == 0 { Box::new(Tapered::pesto()) } else { Box::<Material>::default() };
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
        assert_eq!(pairing.forfeits.map(|forfeits| forfeits.total()), [0, 0]);
        assert_eq!(pairing.duplicates, 0);
        assert!(pairing.records.iter().all(|game| game.nodes.iter().all(|&n| n > 0)));
        assert!(pairing.games.wins > pairing.games.losses, "{}", pairing.games);
    }
}
