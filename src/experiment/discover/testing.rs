//! The race for the holder's place: SPRTs of a challenger, first at fixed nodes, then at equal time.
//!
//! A race is cheap and decides nothing: equals may swap places. Its winner is confirmed by the
//! verdict, in other games of nets of other seeds.

use arena::{Decision, EloModel, Limit, Sprt, TooManyForfeits};
use measure::{EloResult, Sequential, Tested};

use crate::discover::DiscoverError;
use crate::discover::planner::{Model, SearchPlanner};

/// Games of a challenger against the holder.
#[derive(Clone, Debug)]
pub(crate) struct Trial {
    /// At fixed nodes.
    pub(crate) nodes: Test,
    /// At equal time; `None` until the first test has ended, and if it failed.
    pub(crate) time: Option<Test>,
}

/// A test under one limit.
#[derive(Clone, Debug)]
pub(crate) struct Test {
    pub(crate) limit: Limit,
    pub(crate) tested: Tested,
}

/// The outcome of a test.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    Stronger,
    NoStronger,
    /// Undecided after all games.
    Open,
    /// Invalid: too many forfeits.
    NoVerdict(TooManyForfeits),
}

impl Test {
    pub(crate) fn outcome(&self) -> Outcome {
        match (self.tested.too_many_forfeits(), self.tested.decision) {
            (Some(forfeits), _) => Outcome::NoVerdict(forfeits),
            (None, Decision::AcceptH1) => Outcome::Stronger,
            (None, Decision::AcceptH0) => Outcome::NoStronger,
            (None, Decision::Continue) => Outcome::Open,
        }
    }

    /// Elo of the challenger; `None` with too many forfeits.
    pub(crate) fn result(&self) -> Option<EloResult> {
        let games = 2 * self.tested.played.result.pentanomial.pairs();
        Some(EloResult {
            limit: self.limit,
            estimate: self.tested.elo()?,
            games: u32::try_from(games).unwrap_or(u32::MAX),
            too_many_forfeits: None,
        })
    }
}

impl Trial {
    /// Whether the challenger replaces the holder: it won the test at equal time, or the test is
    /// undecided with a positive score.
    pub(crate) fn is_passed(&self) -> bool {
        self.time.as_ref().is_some_and(|test| match test.outcome() {
            Outcome::Stronger => true,
            Outcome::Open => test.tested.elo().is_some_and(|elo| elo.value > 0.0),
            Outcome::NoStronger | Outcome::NoVerdict(_) => false,
        })
    }

    /// The tests so far.
    pub(crate) fn tests(&self) -> impl Iterator<Item = &Test> {
        std::iter::once(&self.nodes).chain(&self.time)
    }

    /// Whether it failed at fixed nodes.
    pub(crate) fn is_refused(&self) -> bool {
        self.nodes.outcome() == Outcome::NoStronger
    }

    /// Plays both tests in openings of `seed`; after an error `trial` has the tests so far.
    pub(crate) fn play(
        trial: &mut Option<Self>,
        planner: &mut SearchPlanner<'_>,
        players: [&Model; 2],
        seed: u64,
    ) -> Result<(), DiscoverError> {
        let nodes = test(planner, players, Limit::Nodes(planner.search.nodes), seed)?;
        let trial = trial.insert(Self { nodes, time: None });
        if !trial.is_refused() {
            let limit = Limit::EqualTime(planner.search.nodes);
            trial.time = Some(test(planner, players, limit, seed)?);
        }
        Ok(())
    }
}

/// The challenger against the holder.
fn test(
    planner: &mut SearchPlanner<'_>,
    players: [&Model; 2],
    limit: Limit,
    seed: u64,
) -> Result<Test, DiscoverError> {
    let game = planner.game(players, limit, seed)?;
    let [challenger, holder] = players.map(|model| &model.expression);
    let (elo1, model) = (planner.search.elo1, EloModel::Logistic);
    let sprt = Sprt { elo0: 0.0, elo1, alpha: 0.05, beta: 0.05, model };
    let title = format!("{challenger} against {holder}, {limit}");
    let tested = planner.output(Sequential { game, sprt }, &title)?;
    Ok(Test { limit, tested })
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use arena::{Forfeit, Pairing, PairingResult, Pentanomial, PlayerId, Trinomial};
    use measure::Played;

    /// A result with these pairs.
    pub(crate) fn tested(pentanomial: Pentanomial) -> Tested {
        let result = PairingResult {
            pairing: Pairing { first: PlayerId(0), second: PlayerId(1) },
            pairs: Vec::new(),
            pentanomial,
            games: Trinomial::default(),
            white: Trinomial::default(),
            forfeits: Default::default(),
            duplicates: 0,
            copies: 0,
            records: Vec::new(),
        };
        let played = Played { result, standstills: Default::default() };
        Tested { played, llr: 3.0, decision: Decision::AcceptH1 }
    }

    /// A test that the challenger won, with forfeits of the holder.
    pub(crate) fn won(limit: Limit, lost: u64) -> Test {
        let mut tested = tested(Pentanomial { counts: [0, 0, 10, 30, 10] });
        tested.played.result.games = Trinomial { wins: 50, draws: 40, losses: 10 };
        tested.played.result.forfeits[1].add_many(Forfeit::Time, lost);
        Test { limit, tested }
    }

    #[test]
    fn forfeits_invalidate_a_test() {
        let nodes = Limit::Nodes(1_000.try_into().unwrap());
        let equal = Limit::EqualTime(1_000.try_into().unwrap());
        let trial = |lost: u64| Trial { nodes: won(nodes, 0), time: Some(won(equal, lost)) };
        assert!(trial(1).is_passed(), "forfeits of one per cent are tolerated");
        assert!(!trial(2).is_passed());
        let invalid = won(equal, 2);
        assert_eq!(
            invalid.outcome(),
            Outcome::NoVerdict(TooManyForfeits { forfeits: 2, games: 100 })
        );
        assert_eq!(invalid.tested.elo(), None);
        assert_eq!(won(equal, 1).outcome(), Outcome::Stronger);
    }
}
