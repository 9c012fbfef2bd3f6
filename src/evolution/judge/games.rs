//! Points judged by games, each point a player of its own.
//!
//! All points of a round play the same openings, so that luck with openings cancels between
//! them, and each opening with both colours, except in the audit of one-sided games
//! (the audit of *Phoenix*, whose author played White alone). At fixed nodes a game is a function
//! of its players and its opening; so a round is a function of its points, its number and the seed.

use std::num::NonZeroU64;
use std::path::PathBuf;
use std::sync::atomic::AtomicBool;

use arena::{
    ByColour, Decision, EloModel, GameRules, Jitter, Openings, Pairing, PairingResult, Player,
    PlayerId, RandomPlies, RatingModel, ResultTable, Sprt, TournamentConfig, TournamentIdentity,
    TournamentSchedule, play_sprt, play_tournament,
};
use engine::Limits;
use rand::seq::index::sample;
use rand::{Rng, SeedableRng};
use serde::{Deserialize, Serialize};

use super::{Colours, Judge, JudgeRound, JudgedRound};
use crate::genome::{Genome, GenomePlayer};
use crate::{Chance, EvolutionError, PointFitness, SearchPoint};

/// Conditions of the games.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct GameTerms {
    /// Nodes a move.
    pub nodes: NonZeroU64,
    /// Variation of the nodes from move to move, in per cent; 0 for none.
    pub jitter: u8,
    /// Least games of each point in a round.
    pub games: u32,
    pub opponents: Opponents,
    pub colours: ByColour,
    /// Whether fitness is a rating among all players of the round, and not the score: a rating
    /// counts the strength of opponents.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub ratings: bool,
    /// Ends the match of a point as soon as a sequential test finds it this much stronger or weaker
    /// than its opponent, in Elo; against the start or the champions alone.
    pub race: Option<f64>,
}

/// Opponents of the points.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Opponents {
    /// Each other; children, the population that they may join.
    #[default]
    Population,
    /// The start of the search.
    Start,
    /// Former answers of the search, and its start.
    Champions,
}

impl Default for GameTerms {
    fn default() -> Self {
        Self {
            nodes: NonZeroU64::new(100).unwrap_or(NonZeroU64::MIN),
            jitter: 0,
            games: 4,
            opponents: Opponents::Population,
            colours: ByColour::Both,
            ratings: false,
            race: None,
        }
    }
}

/// Table of each player, in MiB: games of few nodes a move fill none.
const HASH_MB: usize = 1;

/// Most champions in a round.
const CHAMPIONS: usize = 4;

pub struct GameJudge<'g> {
    genome: &'g Genome,
    terms: GameTerms,
    seed: u64,
    threads: usize,
    /// Folder of the running round's games; `None` keeps none.
    folder: Option<PathBuf>,
    champions: Vec<SearchPoint>,
}

/// Pairings of a round.
struct RoundDraw {
    /// All players, the judged points first.
    players: Vec<SearchPoint>,
    pairings: Vec<Pairing>,
    /// Openings that each pairing plays.
    openings: usize,
}

impl<'g> GameJudge<'g> {
    /// Games by these terms; the folder keeps those of the running round.
    pub fn new(
        genome: &'g Genome,
        terms: GameTerms,
        seed: u64,
        threads: usize,
        folder: Option<PathBuf>,
    ) -> Self {
        let champions = vec![genome.space().start()];
        Self { genome, terms, seed, threads, folder, champions }
    }

    fn draw(&self, round: &JudgeRound<'_>, chance: &mut Chance) -> RoundDraw {
        match self.terms.opponents {
            Opponents::Population if round.points == round.alive => self.ring(round.points, chance),
            Opponents::Population => self.against(round.points, round.alive, chance),
            Opponents::Start => {
                self.against(round.points, std::slice::from_ref(&self.champions[0]), chance)
            }
            Opponents::Champions => self.against(round.points, &self.champions, chance),
        }
    }

    /// Each point meets the one at a fixed distance along a ring, so all have the same number of
    /// pairings.
    fn ring(&self, points: &[SearchPoint], chance: &mut Chance) -> RoundDraw {
        let count = points.len();
        if count < 2 {
            return self.against(points, &self.champions, chance);
        }
        let both = self.terms.colours == ByColour::Both;
        let distance = if count == 2 { 1 } else { chance.random_range(1..=(count - 1) / 2) };
        let pairing = |place: usize| Pairing {
            first: PlayerId(place),
            second: PlayerId((place + distance) % count),
        };
        // Each point is the first of one pairing and the second of another; with two points these
        // are the same pair of colours. Where White alone counts, the second's games do not.
        let (pairings, each) = match (count, both) {
            (2, true) => (1, 1),
            (_, true) => (count, 2),
            (_, false) => (count, 1),
        };
        RoundDraw {
            players: points.to_vec(),
            pairings: (0..pairings).map(pairing).collect(),
            openings: self.openings(each),
        }
    }

    /// All points meet the same few opponents.
    fn against(
        &self,
        points: &[SearchPoint],
        others: &[SearchPoint],
        chance: &mut Chance,
    ) -> RoundDraw {
        let most = (self.terms.games as usize / self.terms.colours.games().len()).max(1);
        let count = others.len().min(CHAMPIONS).min(most);
        let met = sample(chance, others.len(), count);
        let mut players = points.to_vec();
        players.extend(met.iter().map(|place| others[place].clone()));
        let opponents = points.len()..players.len();
        let pairings = (0..points.len()).flat_map(|first| {
            let met = move |second| Pairing { first: PlayerId(first), second: PlayerId(second) };
            opponents.clone().map(met)
        });
        RoundDraw { pairings: pairings.collect(), players, openings: self.openings(count) }
    }

    /// Openings of each pairing, so that each point has its games.
    fn openings(&self, pairings_each: usize) -> usize {
        let per_opening = pairings_each.max(1) * self.terms.colours.games().len();
        (self.terms.games as usize).div_ceil(per_opening).max(1)
    }

    /// Plays the pairings of a draw one after the other, each until the test decides or the
    /// openings run out.
    fn race(
        &self,
        number: u64,
        draw: &RoundDraw,
        sprt: &Sprt,
        seed: u64,
        stop: &AtomicBool,
    ) -> Result<Option<Vec<PairingResult>>, EvolutionError> {
        let mut results = Vec::new();
        for (place, pairing) in draw.pairings.iter().enumerate() {
            let Pairing { first, second } = *pairing;
            let two = RoundDraw {
                players: [first, second].map(|PlayerId(id)| draw.players[id].clone()).to_vec(),
                pairings: vec![Pairing { first: PlayerId(0), second: PlayerId(1) }],
                openings: draw.openings,
            };
            let table = self.table(number, &two, seed)?;
            let log = self.log(&format!("{number}-{place}"));
            let make = |id: PlayerId| table.player(id, self, seed, stop);
            let ended =
                play_sprt(&table.config, sprt, &make, log.as_deref(), &mut |_, _| {}, stop)?;
            let is_over = ended.status.pairs.pairs() >= draw.openings as u64;
            if ended.status.decision == Decision::Continue && !is_over {
                return Ok(None);
            }
            let of_two = ended.result.pairings.into_iter();
            results.extend(of_two.map(|result| PairingResult { pairing: *pairing, ..result }));
        }
        Ok(Some(results))
    }

    fn log(&self, round: &str) -> Option<PathBuf> {
        self.folder.as_ref().map(|folder| folder.join(format!("round-{round}.jsonl")))
    }

    fn table(
        &self,
        number: u64,
        draw: &RoundDraw,
        seed: u64,
    ) -> Result<RoundTournament, EvolutionError> {
        let candidates: Vec<GenomePlayer> =
            draw.players.iter().map(|point| self.genome.candidate(point)).collect();
        let named = candidates.iter().enumerate().map(|(place, candidate)| {
            let nodes = self.terms.nodes;
            (format!("{}", place + 1), format!("{}, {nodes} nodes", candidate.fingerprint()))
        });
        let openings =
            format!("{} random plies, round {number}, seed {}", RandomPlies::USUAL, self.seed);
        let identity = TournamentIdentity::new(
            named,
            TournamentSchedule::Chosen(draw.pairings.clone()),
            GameRules::default(),
            openings,
        );
        let config = TournamentConfig {
            identity: identity.by_colour(self.terms.colours),
            openings: Openings::usual(seed, draw.openings)?,
            threads: self.threads,
            tables: None,
        };
        Ok(RoundTournament { config, candidates })
    }

    fn play(
        &self,
        number: u64,
        draw: &RoundDraw,
        seed: u64,
        stop: &AtomicBool,
    ) -> Result<Option<Vec<PairingResult>>, EvolutionError> {
        let table = self.table(number, draw, seed)?;
        let log = self.log(&number.to_string());
        let make = |id: PlayerId| table.player(id, self, seed, stop);
        let result = play_tournament(&table.config, &make, log.as_deref(), &mut |_| {}, stop)?;
        let is_whole = result.records().count() == table.config.games()?;
        Ok(is_whole.then_some(result.pairings))
    }
}

impl Judge for GameJudge<'_> {
    fn judge(
        &mut self,
        round: &JudgeRound<'_>,
        stop: &AtomicBool,
    ) -> Result<Option<JudgedRound>, EvolutionError> {
        let mut chance = Chance::seed_from_u64(self.seed);
        chance.set_stream(round.number + 1);
        let draw = self.draw(round, &mut chance);
        let seed = chance.random();
        let result = match self.terms.race.and_then(sequential) {
            Some(sprt) => self.race(round.number, &draw, &sprt, seed, stop)?,
            None => self.play(round.number, &draw, seed, stop)?,
        };
        Ok(result.map(|result| {
            let judged = judged(&result, round.points.len(), self.terms.colours);
            match self.terms.ratings {
                true => {
                    JudgedRound { judgements: rated(&result, &draw, round.points.len()), ..judged }
                }
                false => judged,
            }
        }))
    }

    fn add_champion(&mut self, answer: &SearchPoint) {
        self.champions.push(answer.clone());
    }
}

/// Test of a player that is `elo` stronger or weaker.
fn sequential(elo: f64) -> Option<Sprt> {
    Sprt::new(-elo, elo, EloModel::Logistic).ok()
}

/// A tournament that is ready to be played.
struct RoundTournament {
    config: TournamentConfig,
    candidates: Vec<GenomePlayer>,
}

impl RoundTournament {
    fn player<'s>(
        &'s self,
        PlayerId(place): PlayerId,
        judge: &GameJudge<'_>,
        seed: u64,
        stop: &'s AtomicBool,
    ) -> Box<dyn Player + 's> {
        let terms = &judge.terms;
        let jitter = Jitter::new(terms.jitter, seed ^ place as u64);
        let limits = Limits::nodes(terms.nodes.get());
        Box::new(self.candidates[place].player(HASH_MB, limits, stop).varying(jitter))
    }
}

/// Ratings of the first `count` players, in Elo from the mean of all players: the likeliest if each
/// had drawn with an average player before the round, once with each colour.
fn rated(result: &[PairingResult], draw: &RoundDraw, count: usize) -> Vec<PointFitness> {
    let average = draw.players.len();
    let mut table = ResultTable::new(average + 1);
    for player in 0..average {
        table.of(player, average).draws += 1.0;
        table.of(average, player).draws += 1.0;
    }
    for pairing in result {
        let Pairing { first: PlayerId(first), second: PlayerId(second) } = pairing.pairing;
        for game in &pairing.records {
            let (white, black) = if game.key.swapped { (second, first) } else { (first, second) };
            let score = game.first_players_score();
            let of_white = if game.key.swapped { score.of_opponent() } else { score };
            table.of(white, black).add(of_white);
        }
    }
    let fit = table.fit(&RatingModel::anchored_at(average), &table);
    // All players have games with the average player, so all have a rating.
    let rating = |player: usize| fit.as_ref().map_or(0.0, |fit| fit.ratings[player]);
    (0..count).map(|player| PointFitness::of(rating(player))).collect()
}

/// Scores of the first `count` players.
fn judged(result: &[PairingResult], count: usize, colours: ByColour) -> JudgedRound {
    let mut of_players = vec![Colours::default(); count];
    let mut spent = 0;
    for pairing in result {
        let Pairing { first: PlayerId(first), second: PlayerId(second) } = pairing.pairing;
        for game in &pairing.records {
            spent += 1;
            let score = game.first_players_score();
            let first_has_white = !game.key.swapped;
            let sides =
                [(first, first_has_white, score), (second, !first_has_white, score.of_opponent())];
            // Where all points have White, the opponents' games do not count for them.
            let counted = if colours == ByColour::White { &sides[..1] } else { &sides };
            for &(player, has_white, score) in counted.iter().filter(|side| side.0 < count) {
                of_players[player].add(has_white, score);
            }
        }
    }
    let mut whole = Colours::default();
    of_players.iter().for_each(|&of_one| whole += of_one);
    JudgedRound {
        judgements: of_players.iter().map(|one| PointFitness::of(one.score())).collect(),
        spent,
        colours: whole,
    }
}
