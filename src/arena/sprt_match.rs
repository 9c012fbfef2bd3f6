//! A match between two players that ends as soon as the SPRT has decided.
//!
//! With several threads pairs end out of order, and short games end first: a test of the pairs
//! finished so far would favour quick results and differ from run to run. So the test uses the
//! pairs in their order, up to the first unfinished one, and the decision is the same on any number
//! of threads.

use std::path::Path;
use std::sync::atomic::AtomicBool;

use super::pentanomial::{PairScore, Pentanomial};
use super::record::{GameKey, GameRecord};
use super::sprt::{Decision, Sprt};
use super::tournament::{
    ArenaError, Flow, PlayerFactory, TournamentConfig, TournamentResult, TournamentSession,
};

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SprtStatus {
    /// The pairs of the test, from the first player's side.
    pub pairs: Pentanomial,
    /// Log-likelihood ratio of H1 over H0.
    pub llr: f64,
    pub decision: Decision,
}

/// A match that ended by decision, by the end of its openings, or by `stop`.
#[derive(Clone, Debug, PartialEq)]
pub struct SprtMatch {
    /// The end of the test; [`Decision::Continue`] without a decision.
    pub status: SprtStatus,
    /// The games of the test's pairs. After a decision their Elo overstates the difference,
    /// since the match ended when they looked most convincing.
    pub result: TournamentResult,
}

/// Plays until the test decides, the openings run out or `stop` is raised.
///
/// `progress` receives the state of the test after every game. The log and the errors are those of
/// [`super::play_tournament`]; besides, the schedule must have a single pairing.
pub fn play_sprt(
    config: &TournamentConfig,
    sprt: &Sprt,
    players: &PlayerFactory<'_>,
    log: Option<&Path>,
    progress: &mut (dyn FnMut(&SprtStatus, &GameRecord) + Send),
    stop: &AtomicBool,
) -> Result<SprtMatch, ArenaError> {
    let pairings = config.identity.checked_pairings()?;
    if pairings.len() != 1 {
        return Err(ArenaError::NotAMatch(config.identity.players.len()));
    }
    let mut test = RunningTest::new(sprt);
    let games =
        TournamentSession::new(config, &pairings, players, stop).run(log, &mut |games, new| {
            test.follow(|key| games.get(&key).map(GameRecord::first_players_score));
            if let Some(game) = new {
                progress(&test.status, game);
            }
            if test.status.decision == Decision::Continue { Flow::Continue } else { Flow::Enough }
        })?;
    let seen = test.next_pair;
    // A decision completes the match; a stopped one has pairs left.
    let pairs = match test.status.decision {
        Decision::Continue => config.openings.len(),
        Decision::AcceptH0 | Decision::AcceptH1 => seen,
    };
    let config = TournamentConfig { openings: config.openings[..pairs].to_vec(), ..config.clone() };
    let games = games.into_iter().filter(|(key, _)| key.pair < seen).collect();
    Ok(SprtMatch { status: test.status, result: TournamentResult::new(&config, &pairings, games) })
}

/// The test over the pairs in their order.
struct RunningTest<'t> {
    sprt: &'t Sprt,
    status: SprtStatus,
    next_pair: usize,
}

impl<'t> RunningTest<'t> {
    fn new(sprt: &'t Sprt) -> Self {
        let status =
            SprtStatus { pairs: Pentanomial::default(), llr: 0.0, decision: Decision::Continue };
        Self { sprt, status, next_pair: 0 }
    }

    /// Adds finished pairs until a gap or a decision.
    fn follow(&mut self, score: impl Fn(GameKey) -> Option<super::HalfPoints>) {
        while self.status.decision == Decision::Continue {
            let game = |swapped| score(GameKey { pairing: 0, pair: self.next_pair, swapped });
            let (Some(first), Some(second)) = (game(false), game(true)) else { return };
            self.status.pairs.add(PairScore::of_games(first, second));
            self.status.llr = self.sprt.llr(&self.status.pairs);
            self.status.decision = self.sprt.decision(self.status.llr);
            self.next_pair += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::mock::{Greedy, HashMover};
    use crate::{
        EloModel, GameRules, Openings, Player, PlayerId, RandomPlies, TournamentIdentity,
        TournamentSchedule,
    };

    fn config(threads: usize, pairs: usize) -> TournamentConfig {
        TournamentConfig {
            identity: TournamentIdentity {
                players: vec!["greedy".to_owned(), "random".to_owned()],
                schedule: TournamentSchedule::RoundRobin,
                rules: GameRules::default(),
                colours: Default::default(),
                settings: BTreeMap::new(),
            },
            openings: Openings::random(2, pairs, RandomPlies::exactly(8), None)
                .take(pairs)
                .unwrap(),
            threads,
            tables: None,
        }
    }

    fn greedy_against_random(PlayerId(id): PlayerId) -> Box<dyn Player> {
        if id == 0 { Box::new(Greedy::new(1)) } else { Box::new(HashMover::new(2)) }
    }

    fn random_against_greedy(PlayerId(id): PlayerId) -> Box<dyn Player> {
        greedy_against_random(PlayerId(1 - id))
    }

    fn play(
        config: &TournamentConfig,
        players: &PlayerFactory<'_>,
        log: Option<&Path>,
    ) -> (SprtMatch, usize) {
        let sprt = Sprt::new(0.0, 30.0, EloModel::Logistic).unwrap();
        let mut played = 0;
        let mut count = |_: &SprtStatus, _: &GameRecord| played += 1;
        let go_on = AtomicBool::new(false);
        let ended = play_sprt(config, &sprt, players, log, &mut count, &go_on).unwrap();
        (ended, played)
    }

    #[test]
    fn the_decision_ends_the_match_and_does_not_depend_on_threads() {
        let (ended, played) = play(&config(1, 200), &greedy_against_random, None);
        assert_eq!(ended.status.decision, Decision::AcceptH1);
        assert!(ended.status.llr >= 19f64.ln());
        assert_eq!(ended.status.pairs, ended.result.pairings[0].pentanomial);
        assert_eq!(ended.status.pairs.pairs() as usize * 2, played);
        assert!(played < 400);
        for threads in [2, 4] {
            assert_eq!(play(&config(threads, 200), &greedy_against_random, None).0, ended);
        }
    }

    #[test]
    fn the_weaker_player_is_refused() {
        let (ended, _) = play(&config(2, 200), &random_against_greedy, None);
        assert_eq!(ended.status.decision, Decision::AcceptH0);
    }

    #[test]
    fn without_a_decision_the_openings_run_out() {
        let (ended, played) = play(&config(2, 3), &greedy_against_random, None);
        assert_eq!((ended.status.decision, played), (Decision::Continue, 6));
        assert!(ended.result.is_complete());
    }

    #[test]
    fn a_decided_log_needs_no_more_games() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("sprt.jsonl");
        let config = config(2, 200);
        let (ended, played) = play(&config, &greedy_against_random, Some(&path));
        assert!(played > 0);
        assert_eq!(play(&config, &greedy_against_random, Some(&path)), (ended, 0));
    }

    #[test]
    fn it_takes_two() {
        let mut three = config(1, 2);
        three.identity.players.push("third".to_owned());
        let sprt = Sprt::new(0.0, 5.0, EloModel::Logistic).unwrap();
        let go_on = AtomicBool::new(false);
        let refused =
            play_sprt(&three, &sprt, &greedy_against_random, None, &mut |_, _| {}, &go_on);
        assert!(matches!(refused, Err(ArenaError::NotAMatch(3))));
    }
}
