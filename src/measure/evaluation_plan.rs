//! The evaluation plan: variants, and the measurements of their nets.

use serde::{Deserialize, Serialize};

use crate::speed::{Speed, SpeedQuestion};
use crate::{DataSize, Match, MatchPlayer, OpeningsOf, PriceOfTime, Puzzles, Variant};
use arena::{GameRules, Limit, NetId};
use base::Content;
use plan::Job;

/// Transposition table of each player by default, in MiB.
pub const HASH_MB: usize = 4;

/// Variants and their measurements.
#[derive(Clone, Debug)]
pub struct EvaluationPlan {
    /// Feature sets with their nets.
    pub variants: Vec<Variant>,
    /// Index of the reference.
    pub reference: usize,
    /// Timing of a node.
    pub speed: Option<SpeedQuestion>,
    pub puzzles: Option<PuzzleQuestion>,
    pub matches: Vec<MatchQuestion>,
    /// Games of the reference against itself with half the time; 0 for none.
    pub price_games: u64,
    /// Transposition table per player, MiB.
    pub hash_mb: usize,
}

/// A suite of puzzles with its limits.
#[derive(Clone, Debug)]
pub struct PuzzleQuestion {
    pub name: String,
    pub suite: Content,
    /// Puzzles from the start of the file; 0 for all.
    pub limit: usize,
    /// Nodes per move; 0 for one-ply values only.
    pub nodes: u64,
}

/// Games under one limit.
#[derive(Clone, Debug)]
pub struct MatchQuestion {
    /// Limit of a move.
    pub limit: Limit,
    /// Games of a pair of nets.
    pub games: u64,
    pub openings: OpeningsOf,
    /// Seed of the openings; that of the nets by default.
    pub seed: Option<u64>,
    pub pairings: Pairings,
}

/// Pairings of a match.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Pairings {
    /// Every pair plays.
    #[default]
    RoundRobin,
    /// Every variant plays the reference, and on a learning curve the reference's set with as many
    /// positions.
    Gauntlet,
}

/// A match of two nets.
pub(crate) struct Meeting {
    /// The variants.
    pub sides: [usize; 2],
    pub nets: [usize; 2],
    pub game: Match,
}

impl EvaluationPlan {
    /// The variant that all others are compared with.
    pub fn reference(&self) -> &Variant {
        &self.variants[self.reference]
    }

    /// The second opponent of a variant on a learning curve: the reference's set with as many
    /// positions.
    pub(crate) fn peer(&self, variant: usize) -> Option<usize> {
        let own = self.variants[variant].data_size.as_ref()?;
        let reference = self.reference().data_size.as_ref()?;
        let is_twin = |one: &Variant| {
            let of_same_size = |other: &&DataSize| other.requested == own.requested;
            let twin = one.data_size.as_ref().filter(of_same_size);
            twin.is_some_and(|twin| twin.series == reference.series)
        };
        let peer = self.variants.iter().position(is_twin)?;
        (peer != variant).then_some(peer)
    }

    /// Speed of a variant, by its first net: seeds differ little.
    pub(crate) fn speed_of(&self, variant: &Variant) -> Option<Speed> {
        let (question, net) = (self.speed?, variant.nets.first()?);
        (net.net != NetId::Pesto).then(|| Speed { net: net.net.clone(), question })
    }

    /// Puzzles by a net, one ply and with a search.
    pub(crate) fn puzzles_of(&self, net: &NetId) -> [Option<Puzzles>; 2] {
        let question = self.puzzles.as_ref().filter(|_| *net != NetId::Pesto);
        let Some(PuzzleQuestion { suite, limit, nodes, .. }) = question else {
            return [None, None];
        };
        let ask = |nodes| Puzzles { net: net.clone(), suite: *suite, limit: *limit, nodes };
        [Some(ask(0)), (*nodes > 0).then(|| ask(*nodes))]
    }

    /// All matches under one limit, the reference first.
    pub(crate) fn meetings(&self, question: &MatchQuestion) -> Vec<Meeting> {
        let all = 0..self.variants.len();
        let mut meetings = Vec::new();
        for second in all.clone() {
            for first in all.clone().filter(|&first| first != second) {
                let of_reference = second == self.reference;
                let is_once = first > second && first != self.reference;
                let is_wanted = match question.pairings {
                    Pairings::RoundRobin => is_once,
                    Pairings::Gauntlet => {
                        first != self.reference && self.peer(first) == Some(second)
                    }
                };
                if of_reference || is_wanted {
                    meetings.extend(self.meetings_of(question, [first, second]));
                }
            }
        }
        meetings
    }

    /// Games of all matches and of the price of time.
    pub fn games(&self) -> u64 {
        let games = |one: &MatchQuestion| one.games * self.meetings(one).len() as u64;
        let price = self.price().map_or(0, |price| price.game().games);
        self.matches.iter().map(games).sum::<u64>() + price
    }

    fn meetings_of(&self, question: &MatchQuestion, sides: [usize; 2]) -> Vec<Meeting> {
        let [first, second] = sides.map(|side| &self.variants[side]);
        let meetings = first.meetings(second).into_iter();
        let meeting = |(own, other): (usize, usize)| {
            let nets = [&first.nets[own], &second.nets[other]];
            let seed = question.seed.or(nets[0].seed).unwrap_or(1);
            let game = self.game(question, nets.map(|net| net.net.clone()), seed);
            Meeting { sides, nets: [own, other], game }
        };
        meetings.map(meeting).collect()
    }

    fn game(&self, question: &MatchQuestion, nets: [NetId; 2], seed: u64) -> Match {
        let MatchQuestion { limit, games, openings, .. } = question;
        let like = Match {
            seats: nets.clone().map(|net| MatchPlayer { net, limit: *limit }),
            games: *games,
            openings: openings.clone(),
            seed,
            rules: GameRules::default(),
            hash_mb: self.hash_mb,
        };
        Match::between(nets, *limit, &like)
    }

    /// The reference's first net against itself with half the time, under the first limit
    /// that is one of time.
    pub(crate) fn price(&self) -> Option<PriceOfTime> {
        let timed = self.timed().filter(|_| self.price_games > 0)?;
        let net = self.reference().nets.first()?;
        let nets = [net.net.clone(), net.net.clone()];
        let like = self.game(timed, nets, timed.seed.or(net.seed).unwrap_or(1));
        PriceOfTime::of(&net.net, timed.limit, self.price_games, &like)
    }

    /// The first match at fixed time, which decides the verdict.
    pub(crate) fn timed(&self) -> Option<&MatchQuestion> {
        self.matches.iter().find(|question| question.limit.is_timed())
    }

    /// All measurements with titles, in the best order: timed ones together.
    pub fn measurements(&self) -> Vec<(String, Job)> {
        let mut all: Vec<(String, Job)> = Vec::new();
        for variant in &self.variants {
            for net in &variant.nets {
                let name = name_of(variant, net.seed);
                let quantisation = net.quantisation.clone().map(Job::from);
                all.extend(quantisation.map(|one| (format!("quantisation of {name}"), one)));
                let loss = net.loss.clone().map(Job::from);
                all.extend(loss.map(|one| (format!("loss of {name}"), one)));
            }
        }
        for variant in &self.variants {
            let speed = self.speed_of(variant).map(Job::from);
            all.extend(speed.map(|one| (format!("cost of a node, {}", variant.label()), one)));
        }
        for variant in &self.variants {
            for net in &variant.nets {
                let name = name_of(variant, net.seed);
                for puzzles in self.puzzles_of(&net.net).into_iter().flatten() {
                    let how = match puzzles.nodes {
                        0 => "by one-ply value".to_owned(),
                        nodes => format!("at {nodes} nodes"),
                    };
                    all.push((format!("puzzles {how}, {name}"), puzzles.into()));
                }
            }
        }
        for question in &self.matches {
            for Meeting { sides, nets, game } in self.meetings(question) {
                let mut players = [0, 1].map(|i| {
                    let net = &self.variants[sides[i]].nets[nets[i]];
                    (&net.net, name_of(&self.variants[sides[i]], net.seed))
                });
                // The title begins with the side of the result.
                players.sort_by_key(|(net, _)| **net != game.seats[0].net);
                let [(_, first), (_, second)] = players;
                let title = format!("match at {}, {first} – {second}", question.limit);
                all.push((title, game.into()));
            }
        }
        all.extend(self.price().map(|price| ("price of time".to_owned(), price.into())));
        all
    }
}

fn name_of(variant: &Variant, seed: Option<u64>) -> String {
    let label = variant.label();
    seed.map_or(label.clone(), |seed| format!("{label} seed {seed}"))
}
