//! Results of a tournament.

use std::collections::{BTreeMap, HashSet};

use serde::{Deserialize, Serialize};

use super::schedule::Pairing;
use super::{PlayerId, TournamentConfig};
use crate::forfeit::Forfeits;
use crate::pentanomial::{HalfPoints, PairResult, Pentanomial};
use crate::record::{GameKey, GameRecord};
use crate::trinomial::Trinomial;
use chess::Color;
use data::GameResult;

/// All pairings of a tournament, finished or not.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TournamentResult {
    /// Names of the players; a [`PlayerId`] is an index into them.
    pub players: Vec<String>,
    /// Pairs of each pairing.
    pub pairs: usize,
    /// In the schedule's order.
    pub pairings: Vec<PairingResult>,
}

/// Results of two players. Statistics count finished pairs only; a game without its twin is in
/// `records` alone.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PairingResult {
    /// The players; results are the first one's.
    pub pairing: Pairing,
    /// Result of each pair by its opening; `None` if it is not finished.
    pub pairs: Vec<Option<PairResult>>,
    /// The finished pairs.
    pub pentanomial: Pentanomial,
    /// The games of the finished pairs.
    pub games: Trinomial,
    /// The same games from White's side.
    pub white: Trinomial,
    /// Forfeits in games of finished pairs: by the first player, by the second.
    pub forfeits: [Forfeits; 2],
    /// Games of finished pairs that repeat another one of them move by move. Statistics count them;
    /// many of them make intervals too narrow.
    pub duplicates: u64,
    /// Pairs whose second game is the first one again, move by move: the two players are equal, and
    /// the pair has no information.
    pub copies: u64,
    /// All finished games, by pair. The log has them, so the result is serialised without them.
    #[serde(skip)]
    pub records: Vec<GameRecord>,
}

impl TournamentResult {
    pub(crate) fn new(
        config: &TournamentConfig,
        pairings: &[Pairing],
        games: BTreeMap<GameKey, GameRecord>,
    ) -> Self {
        let pairs = config.openings.len();
        let mut records: Vec<Vec<GameRecord>> = vec![Vec::new(); pairings.len()];
        // In order of their keys: by pairing, then by pair.
        games.into_values().for_each(|record| records[record.key.pairing].push(record));
        let pairings = pairings.iter().zip(records);
        Self {
            players: config.identity.players.clone(),
            pairs,
            pairings: pairings.map(|(&p, r)| PairingResult::new(p, pairs, r)).collect(),
        }
    }

    /// Whether every game was played.
    pub fn is_complete(&self) -> bool {
        self.pairings.iter().all(|pairing| pairing.pairs.iter().all(Option::is_some))
    }

    /// Finished games, ordered by pairing and pair.
    pub fn records(&self) -> impl Iterator<Item = &GameRecord> {
        self.pairings.iter().flat_map(|pairing| &pairing.records)
    }

    /// Results between two players from the side of `player`, if they were paired.
    pub fn head_to_head(&self, player: PlayerId, opponent: PlayerId) -> Option<Pentanomial> {
        self.pairings.iter().find_map(|PairingResult { pairing, pentanomial, .. }| {
            if (pairing.first, pairing.second) == (player, opponent) {
                Some(*pentanomial)
            } else if (pairing.first, pairing.second) == (opponent, player) {
                Some(pentanomial.inverted())
            } else {
                None
            }
        })
    }
}

impl PairingResult {
    /// Whether every pair is a copy of one game, as with two equal players without jitter: then the
    /// figures have no information.
    pub fn is_degenerate(&self) -> bool {
        self.copies > 0 && self.copies == self.pentanomial.pairs()
    }

    /// The same games from the other player's side.
    pub fn turned(mut self) -> Self {
        let Pairing { first, second } = self.pairing;
        self.pairing = Pairing { first: second, second: first };
        let pairs = self.pairs.iter_mut().flatten();
        pairs.for_each(|pair| *pair = pair.of_opponent());
        self.pentanomial = self.pentanomial.inverted();
        self.games = self.games.inverted();
        self.forfeits.reverse();
        for game in &mut self.records {
            game.key.swapped ^= true;
        }
        self.records.sort_by_key(|game| game.key);
        self
    }

    fn new(pairing: Pairing, pairs: usize, records: Vec<GameRecord>) -> Self {
        let mut result = Self {
            pairing,
            pairs: vec![None; pairs],
            pentanomial: Pentanomial::default(),
            games: Trinomial::default(),
            white: Trinomial::default(),
            forfeits: [Forfeits::default(); 2],
            duplicates: 0,
            copies: 0,
            records: Vec::new(),
        };
        let mut seen = HashSet::new();
        for twins in records.chunk_by(|a, b| a.key.pair == b.key.pair) {
            if let [first, second] = twins {
                result.add_pair(first, second);
                result.copies += u64::from(first.identity() == second.identity());
                let repeated = twins.iter().filter(|game| !seen.insert(game.identity()));
                result.duplicates += repeated.count() as u64;
            }
        }
        drop(seen);
        result.records = records;
        result
    }

    fn add_pair(&mut self, first: &GameRecord, second: &GameRecord) {
        let [as_white, as_black] = [first, second].map(GameRecord::first_players_score);
        let result = PairResult { as_white, as_black };
        self.pairs[first.key.pair] = Some(result);
        self.pentanomial.add(result.score());
        for game in [first, second] {
            self.games.add(game.first_players_score());
            self.white.add(match game.result {
                GameResult::Win(Color::White) => HalfPoints::Win,
                GameResult::Win(Color::Black) => HalfPoints::Loss,
                GameResult::Draw => HalfPoints::Draw,
            });
            if let Some(forfeit) = game.reason.forfeit() {
                let won = game.first_players_score() == HalfPoints::Win;
                self.forfeits[usize::from(won)].add(forfeit);
            }
        }
    }
}
