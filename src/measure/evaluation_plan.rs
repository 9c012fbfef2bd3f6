//! The evaluation plan: variants, and the measurements of their nets.

use serde::{Deserialize, Serialize};

use crate::speed::{Speed, SpeedQuestion};
use crate::unique::unique;
use crate::verdict::Looks;
use crate::{
    DataSize, Match, MatchPlayer, NodeTime, NodeTimes, OpeningsOf, PriceOfTime, Puzzles, Variant,
    VariantNet,
};
use arena::{GameRules, Limit, NetId};
use base::Content;
use plan::{Job, PlanError, Results, Work};
use report::{Cell, Column};

/// Fewest nets of the reference that play each other.
const FEWEST_NULL_NETS: usize = 3;

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
    /// Whether the reference's nets of three seeds or more play each other.
    pub null: bool,
    /// Rounds, at most, of the timing at equal time.
    pub timing_rounds: u32,
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
    /// Whether sets solve them once more, with the nodes that take as long as the reference's.
    pub equal_time: bool,
}

/// Games under one limit.
#[derive(Clone, Debug)]
pub struct MatchQuestion {
    /// Limit of a move.
    pub limit: Limit,
    /// Games of a pair of nets.
    pub games: u64,
    /// Games of a pair of nets that are planned in the end, where the verdict may be looked at before.
    pub planned_games: Option<u64>,
    pub openings: OpeningsOf,
    /// Name of the book, where the experiment plays from several.
    pub book: Option<String>,
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

    /// Timing of a variant beside the reference, by the first net of either; `None` for the reference.
    pub(crate) fn node_time_of(&self, variant: usize) -> Option<NodeTime> {
        let net = |one: &Variant| one.nets.first().map(|first| first.net.clone());
        let (own, reference) = (net(&self.variants[variant])?, net(self.reference())?);
        (variant != self.reference).then(|| NodeTime::new(own, reference, self.timing_rounds))
    }

    /// Result of the timing that decides the nodes of a variant at equal time.
    pub(crate) fn node_times(
        &self,
        variant: usize,
        results: &Results,
    ) -> Result<Option<NodeTimes>, PlanError> {
        let timing = self.node_time_of(variant).filter(|_| self.has_equal_time());
        timing.map(|timing| results.output_of(&timing)).transpose().map(Option::flatten)
    }

    /// Processors on which nodes were timed for games and puzzles at equal time.
    pub(crate) fn timed_on(&self, results: &Results) -> Result<Vec<String>, PlanError> {
        let timings = (0..self.variants.len()).filter_map(|variant| self.node_time_of(variant));
        let mut processors = Vec::new();
        for timing in timings.filter(|_| self.has_equal_time()) {
            let result = results.get(timing.key().map_err(PlanError::from)?)?;
            processors.extend(result.map(|result| result.provenance.processor));
        }
        Ok(unique(processors))
    }

    /// Nodes of a variant in the time of the reference's, a column for each match at equal time.
    pub(crate) fn nodes_figures(
        &self,
        times: Option<&NodeTimes>,
    ) -> impl Iterator<Item = (Column, Cell)> {
        let limits = unique(self.matches.iter().map(|question| question.limit));
        limits.into_iter().filter_map(move |limit| NodeTimes::figure(times, limit))
    }

    /// Puzzles by a net, one ply and with a search.
    pub(crate) fn puzzles_of(&self, net: &NetId) -> [Option<Puzzles>; 2] {
        let question = self.puzzles.as_ref().filter(|_| *net != NetId::Pesto);
        let Some(PuzzleQuestion { suite, limit, nodes, .. }) = question else {
            return [None, None];
        };
        let (suite, limit) = (*suite, *limit);
        let ask = |nodes| Puzzles { net: net.clone(), suite, limit, nodes, node_time: None };
        [Some(ask(0)), (*nodes > 0).then(|| ask(*nodes))]
    }

    /// Puzzles by a net of a variant at equal time; `None` for the reference.
    pub(crate) fn puzzles_at_equal_time(&self, variant: usize, net: &NetId) -> Option<Puzzles> {
        let is_wanted = self.puzzles.as_ref().is_some_and(|question| question.equal_time);
        let [_, searched] = self.puzzles_of(net);
        let node_time = self.node_time_of(variant).filter(|_| is_wanted)?;
        Some(Puzzles { node_time: Some(node_time), ..searched? })
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

    /// The reference's nets against each other, in a ring, as they play the sets where these are
    /// judged: leads that only seeds make. None with fewer than three nets.
    pub(crate) fn null_meetings(&self) -> Vec<Meeting> {
        let question = self.at_cost().or(self.matches.first()).filter(|_| self.null);
        let nets = self.reference().nets.len();
        let Some(question) = question.filter(|_| nets >= FEWEST_NULL_NETS) else {
            return Vec::new();
        };
        let sides = [self.reference; 2];
        (0..nets).map(|net| self.meeting(question, sides, [net, (net + 1) % nets])).collect()
    }

    /// Looks that the matches under a limit allow.
    pub(crate) fn looks(&self, limit: Limit) -> Looks {
        let at_limit = || self.matches.iter().filter(|question| question.limit == limit);
        if at_limit().all(|question| question.planned_games.is_none()) {
            return Looks::One;
        }
        let games: u64 = at_limit().map(|question| question.games).sum();
        let planned: u64 = at_limit().map(|one| one.planned_games.unwrap_or(one.games)).sum();
        Looks::Many { played: games as f64 / planned as f64 }
    }

    /// Games of all matches, of the null and of the price of time.
    pub fn games(&self) -> u64 {
        let games = |one: &MatchQuestion| one.games * self.meetings(one).len() as u64;
        let price = self.price().map_or(0, |price| price.game().games);
        let null = self.null_meetings().iter().map(|meeting| meeting.game.games).sum::<u64>();
        self.matches.iter().map(games).sum::<u64>() + null + price
    }

    fn meetings_of(&self, question: &MatchQuestion, sides: [usize; 2]) -> Vec<Meeting> {
        let [first, second] = sides.map(|side| &self.variants[side]);
        let meetings = first.meetings(second).into_iter();
        meetings.map(|(own, other)| self.meeting(question, sides, [own, other])).collect()
    }

    fn meeting(&self, question: &MatchQuestion, sides: [usize; 2], nets: [usize; 2]) -> Meeting {
        let net = |i: usize| &self.variants[sides[i]].nets[nets[i]];
        let seed = question.seed.or(net(0).seed).unwrap_or(1);
        let seat = |i: usize| self.player(question.limit, sides[i], net(i));
        let game = self.game(question, [seat(0), seat(1)], seed).in_order();
        Meeting { sides, nets, game }
    }

    fn player(&self, limit: Limit, variant: usize, net: &VariantNet) -> MatchPlayer {
        let node_time = limit.is_equal_time().then(|| self.node_time_of(variant)).flatten();
        MatchPlayer { node_time, ..MatchPlayer::new(net.net.clone(), limit) }
    }

    fn game(&self, question: &MatchQuestion, seats: [MatchPlayer; 2], seed: u64) -> Match {
        let MatchQuestion { games, openings, .. } = question;
        let (games, openings, hash_mb) = (*games, openings.clone(), self.hash_mb);
        Match { seats, games, openings, seed, rules: GameRules::default(), hash_mb }
    }

    /// The reference's first net against itself with half the time, under the limit that decides
    /// whether sets pay.
    pub(crate) fn price(&self) -> Option<PriceOfTime> {
        let question = self.at_cost().filter(|_| self.price_games > 0)?;
        let net = self.reference().nets.first()?;
        let seats = [(); 2].map(|()| MatchPlayer::new(net.net.clone(), question.limit));
        let like = self.game(question, seats, question.seed.or(net.seed).unwrap_or(1));
        PriceOfTime::of(&net.net, question.limit, self.price_games, &like)
    }

    /// The match that decides whether sets pay.
    pub(crate) fn at_cost(&self) -> Option<&MatchQuestion> {
        let deciding = Limit::deciding(self.matches.iter().map(|question| question.limit))?;
        self.matches.iter().find(|question| question.limit == deciding)
    }

    /// Whether matches or puzzles are at equal time.
    fn has_equal_time(&self) -> bool {
        self.matches.iter().any(|question| question.limit.is_equal_time())
            || self.puzzles.as_ref().is_some_and(|question| question.equal_time)
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
            all.extend(speed.map(|one| (format!("time per node, {}", variant.label()), one)));
        }
        for (i, variant) in self.variants.iter().enumerate().filter(|_| self.has_equal_time()) {
            let title = format!("time per node beside the reference's, {}", variant.label());
            all.extend(self.node_time_of(i).map(|one| (title, one.into())));
        }
        for (i, variant) in self.variants.iter().enumerate() {
            for net in &variant.nets {
                let name = name_of(variant, net.seed);
                let at_equal_time = self.puzzles_at_equal_time(i, &net.net);
                for puzzles in
                    self.puzzles_of(&net.net).into_iter().chain([at_equal_time]).flatten()
                {
                    let how = match puzzles.move_limit() {
                        Some(limit) => format!("at {limit}"),
                        None => "by one-ply value".to_owned(),
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
                let book =
                    question.book.as_ref().map_or(String::new(), |book| format!(" from {book}"));
                let title = format!("match at {}{book}, {first} – {second}", question.limit);
                all.push((title, game.into()));
            }
        }
        for Meeting { sides, nets, game } in self.null_meetings() {
            let reference = &self.variants[sides[0]];
            let [first, second] = nets.map(|net| name_of(reference, reference.nets[net].seed));
            all.push((format!("null, {first} – {second}"), game.into()));
        }
        all.extend(self.price().map(|price| ("price of time".to_owned(), price.into())));
        all
    }
}

fn name_of(variant: &Variant, seed: Option<u64>) -> String {
    let label = variant.label();
    seed.map_or(label.clone(), |seed| format!("{label} seed {seed}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use arena::RandomPlies;
    use base::Key;

    /// Three sets of one net each, at 1,000 nodes and at equal time.
    fn plan() -> EvaluationPlan {
        let variant = |i: u8| {
            let net = VariantNet::new(NetId::Trained(Key::of("net", &i).unwrap()));
            Variant::new(format!("set {i}"), 768, vec![VariantNet { seed: Some(1), ..net }])
        };
        let nodes = 1_000.try_into().unwrap();
        let question = |limit| MatchQuestion {
            limit,
            games: 2,
            planned_games: None,
            openings: OpeningsOf::RandomPlies(RandomPlies::USUAL),
            book: None,
            seed: None,
            pairings: Pairings::RoundRobin,
        };
        EvaluationPlan {
            variants: [0, 1, 2].map(variant).into(),
            reference: 1,
            speed: None,
            puzzles: None,
            matches: [Limit::Nodes(nodes), Limit::EqualTime(nodes)].map(question).into(),
            price_games: 2,
            null: true,
            timing_rounds: 8,
            hash_mb: 1,
        }
    }

    #[test]
    fn players_at_equal_time_need_the_timing_of_their_set() {
        let plan = plan();
        let timings = [0, 1, 2].map(|i| plan.node_time_of(i));
        assert_eq!(timings[1], None, "the reference searches the nodes of the match");
        let key = |timing: &Option<NodeTime>| timing.as_ref().map(|one| one.key().unwrap());
        let (zero, two) = (key(&timings[0]).unwrap(), key(&timings[2]).unwrap());
        let [fixed, equal] = &plan.matches[..] else { panic!("two matches") };
        for Meeting { game, .. } in plan.meetings(fixed) {
            let needs = game.needs();
            assert!(!needs.contains(&zero) && !needs.contains(&two), "{game:?}");
        }
        let meetings = plan.meetings(equal);
        assert_eq!(meetings.len(), 3);
        for Meeting { sides, game, .. } in meetings {
            let needs = game.needs();
            let is_needed = [needs.contains(&zero), needs.contains(&two)];
            assert_eq!(is_needed, [sides.contains(&0), sides.contains(&2)], "{sides:?}");
        }
    }

    #[test]
    fn the_price_of_time_is_measured_where_sets_are_judged() {
        let mut plan = plan();
        let half = |plan: &EvaluationPlan| plan.price().map(|price| price.game().seats[1].limit);
        assert_eq!(half(&plan), Limit::EqualTime(1_000.try_into().unwrap()).halved());
        plan.matches.truncate(1);
        assert_eq!(half(&plan), None, "speed does not count at fixed nodes");
    }

    #[test]
    fn nets_of_the_reference_play_each_other_in_a_ring() {
        let mut plan = plan();
        assert!(plan.null_meetings().is_empty(), "one net has no other seed");
        let net = |i: u64| {
            let net = VariantNet::new(NetId::Trained(Key::of("seed", &i).unwrap()));
            VariantNet { seed: Some(i), ..net }
        };
        plan.variants[1].nets = [1, 2, 3].map(net).into();
        let meetings = plan.null_meetings();
        let pairs: Vec<[usize; 2]> = meetings.iter().map(|meeting| meeting.nets).collect();
        assert_eq!(pairs, [[0, 1], [1, 2], [2, 0]]);
        let limits = |meeting: &Meeting| meeting.game.seats.each_ref().map(|seat| seat.limit);
        let equal = Limit::EqualTime(1_000.try_into().unwrap());
        assert!(meetings.iter().all(|meeting| limits(meeting) == [equal; 2]), "as sets are judged");
        let keys: Vec<Key> = meetings.iter().map(|one| one.game.key().unwrap()).collect();
        assert!(keys[0] != keys[1] && keys[1] != keys[2] && keys[2] != keys[0]);
        plan.null = false;
        assert!(plan.null_meetings().is_empty());
    }

    /// Keys of matches that know no timing are those of matches before there was one.
    #[test]
    fn a_match_at_fixed_nodes_does_not_name_timings() {
        let plan = plan();
        let text = |i: usize| {
            let meetings = plan.meetings(&plan.matches[i]);
            serde_json::to_string(&meetings[0].game).unwrap()
        };
        assert!(!text(0).contains("node_time"), "{}", text(0));
        assert!(text(1).contains("node_time"), "{}", text(1));
    }
}
