//! Simulated searches: how often the page says *found* among equals, and with a set that is better.
//!
//! Games are drawn, and everything that reads them is the search's own: the tests of a race, the rule
//! by which a challenger takes the place, the pooled interval of the confirming games.

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use arena::{
    Decision, EloModel, Limit, NullEstimate, Opponent, PairScore, Pentanomial, SeedEstimate, Sprt,
    pool, score_of_elo,
};
use measure::Tested;

use super::testing::tests::tested;
use super::testing::{Test, Trial};

/// Pairs of a race at most, and of the confirming games of a seed: `discover.games` by default.
const PAIRS: u64 = 500;
/// Standard deviation between nets of one set, in Elo.
const SPREAD: f64 = 10.0;

/// Challengers of a round, and rounds.
const CHALLENGERS: usize = 2;
const ROUNDS: usize = 3;

struct Games {
    random: ChaCha8Rng,
    /// Seeds of the confirming nets.
    seeds: usize,
}

impl Games {
    fn luck(&mut self) -> f64 {
        let (u, v): (f64, f64) = (self.random.random(), self.random.random());
        SPREAD * (-2.0 * (1.0 - u).ln()).sqrt() * (std::f64::consts::TAU * v).cos()
    }

    /// A pair of games of a side that leads by `elo`; half of the games of equals are drawn.
    fn pair(&mut self, elo: f64) -> PairScore {
        let mut half_points = 0;
        for _ in 0..2 {
            let (score, drawn) = (score_of_elo(elo), score_of_elo(-elo.abs()));
            let won = score - drawn / 2.0;
            let at: f64 = self.random.random();
            half_points += if at < won { 2 } else { usize::from(at < won + drawn) };
        }
        [
            PairScore::LostBoth,
            PairScore::LossDraw,
            PairScore::Even,
            PairScore::WinDraw,
            PairScore::WonBoth,
        ][half_points]
    }

    fn pairs(&mut self, elo: f64, count: u64) -> Pentanomial {
        let mut pairs = Pentanomial::default();
        (0..count).for_each(|_| pairs.add(self.pair(elo)));
        pairs
    }

    /// A test of the search, with a look after every eighth pair.
    fn test(&mut self, elo: f64, limit: Limit) -> Test {
        let sprt = Sprt::new(0.0, 10.0, EloModel::Logistic).unwrap();
        let mut pairs = Pentanomial::default();
        let mut decision = Decision::Continue;
        while decision == Decision::Continue && pairs.pairs() < PAIRS {
            (0..8).for_each(|_| pairs.add(self.pair(elo)));
            decision = sprt.decision(sprt.llr(&pairs));
        }
        Test { limit, tested: Tested { llr: sprt.llr(&pairs), decision, ..tested(pairs) } }
    }

    /// Whether a net that leads by `elo` takes the place.
    fn race(&mut self, elo: f64) -> bool {
        let nodes = 1_000.try_into().unwrap();
        let mut trial = Trial { nodes: self.test(elo, Limit::Nodes(nodes)), time: None };
        if !trial.is_refused() {
            trial.time = Some(self.test(elo, Limit::EqualTime(nodes)));
        }
        trial.is_passed()
    }

    /// Lead over the start of the set that is found, if one is. One candidate leads by `planted`, and
    /// has the lowest loss of its round.
    fn search(&mut self, planted: f64) -> Option<f64> {
        let (mut holder, mut net, mut is_new) = (0.0, self.luck(), false);
        let planted_at = (self.random.random_range(0..ROUNDS), 0);
        for round in 0..ROUNDS {
            let before = holder;
            for challenger in 0..CHALLENGERS {
                let is_planted = (round, challenger) == planted_at;
                let lead = before + if is_planted { planted } else { 0.0 };
                let luck = self.luck();
                if self.race(lead + luck - before - net) {
                    (holder, net, is_new) = (lead, luck, true);
                    break;
                }
            }
        }
        (is_new && self.confirms(holder)).then_some(holder)
    }

    /// The verdict: games over the reference's nets, which play each other too.
    fn confirms(&mut self, lead: f64) -> bool {
        let reference: Vec<f64> = (0..self.seeds).map(|_| self.luck()).collect();
        let opponent = |net| Opponent { variant: 0, net };
        let over = |games: &mut Self, own: f64, net: usize| {
            let pairs = games.pairs(own - reference[net], PAIRS);
            SeedEstimate::of(&pairs.elo()?, opponent(net))
        };
        let of_net = |games: &mut Self, net| {
            let own = lead + games.luck();
            over(games, own, net)
        };
        let of_null = |games: &mut Self, net: usize| {
            let estimate = over(games, reference[net], (net + 1) % reference.len())?;
            Some(NullEstimate { net: opponent(net), estimate })
        };
        let seeds = (0..self.seeds).filter_map(|net| of_net(self, net)).collect();
        let null: Vec<NullEstimate> =
            (0..self.seeds).filter_map(|net| of_null(self, net)).collect();
        pool(&[seeds], &null)[0].is_some_and(|pooled| pooled.elo.low > 0.0)
    }
}

/// Share of 500 searches that find something.
fn share_found(planted: f64, seeds: usize) -> f64 {
    let mut games = Games { random: ChaCha8Rng::seed_from_u64(11), seeds };
    let found = (0..500).filter(|_| games.search(planted).is_some()).count();
    let share = found as f64 / 500.0;
    println!("found with one set {planted} Elo better, {seeds} seeds: {share}");
    share
}

#[test]
fn equals_are_seldom_found() {
    for seeds in [3, 5] {
        let share = share_found(0.0, seeds);
        assert!(share <= 0.1, "{seeds} seeds: {share}");
    }
}

#[test]
fn a_set_that_is_better_is_found() {
    for seeds in [3, 5] {
        let share = share_found(40.0, seeds);
        assert!(share >= 0.8, "{seeds} seeds: {share}");
    }
}
