//! The way from where a search begins to where it ends.

use discovery::Findings;
use measure::Pace;

use crate::discover::DiscoverError;
use crate::discover::proposal::{best_few, screened};
use crate::discover::pruning::{Pruned, prune};
use crate::discover::rival::{Rival, rivals, strongest};
use crate::discover::testing::Trial;
use crate::discover::training::{Tried, train_by_stages};
use crate::discover::workshop::{Model, Workshop};

/// All of a search, as far as it has come.
#[derive(Debug, Default)]
pub(crate) struct Path {
    /// What a node costs there.
    pub(crate) start_pace: Option<Pace>,
    pub(crate) rounds: Vec<Round>,
    pub(crate) rivals: Vec<Rival>,
    /// Where the rounds led, with what a node costs there; `None` if nothing passed.
    pub(crate) end: Option<(Model, Pace)>,
}

#[derive(Debug)]
pub(crate) struct Round {
    /// What was asked for more.
    pub(crate) base: Model,
    pub(crate) findings: Findings,
    /// What was trained, the most promising first.
    pub(crate) tried: Vec<Tried>,
    /// What met the base over the board, in this order; the last one took its place if it passed.
    pub(crate) challengers: Vec<Challenger>,
    /// Whether it has come to its end.
    pub(crate) is_over: bool,
}

/// A net that is to take the base's place.
#[derive(Debug)]
pub(crate) struct Challenger {
    /// As it goes on: with the fewest rows that were borne.
    pub(crate) tried: Tried,
    pub(crate) pruned: Vec<Pruned>,
    /// The same as the first says.
    pub(crate) model: Model,
    /// What a node costs with it.
    pub(crate) pace: Option<Pace>,
    /// None before its first test is played.
    pub(crate) trial: Option<Trial>,
}

/// So many of a round meet the base at most.
const CHALLENGERS: usize = 2;

impl Path {
    /// Goes it. Where that ends early, what was found before is there.
    pub(crate) fn go(&mut self, shop: &mut Workshop<'_>) -> Result<(), DiscoverError> {
        let start = shop.experiment.reference().to_owned();
        let start = trained(shop, start)?;
        self.start_pace = shop.pace(&start)?;
        let mut here = start.clone();
        for number in 0..shop.search.rounds.get() {
            let findings = match screened(shop, &here) {
                // What passed before has said all there is.
                Err(DiscoverError::NoCandidates { .. }) if number > 0 => break,
                findings => findings?,
            };
            self.rounds.push(Round::of(here.clone(), findings));
            let Some(round) = self.rounds.last_mut() else { break };
            round.go(shop, number)?;
            match round.taken() {
                Some(next) => here = next.model.clone(),
                None => break,
            }
        }
        let is_new = here.net != start.net;
        let pace = shop.pace(&here)?;
        self.end = pace.filter(|_| is_new).map(|pace| (here, pace));
        if let Some((_, pace)) = &self.end {
            self.rivals = rivals(shop, &start, pace)?;
        }
        Ok(())
    }

    /// What a reader has to know of the rounds.
    pub(crate) fn warnings(&self) -> impl Iterator<Item = String> {
        self.rounds.iter().filter_map(|round| round.findings.untrained(&round.base.expression))
    }

    pub(crate) fn found(&self) -> Option<&str> {
        self.end.as_ref().map(|(model, _)| model.expression.as_str())
    }

    /// Whom it has to beat.
    pub(crate) fn rival(&self) -> Option<&Rival> {
        strongest(&self.rivals)
    }
}

impl Round {
    fn of(base: Model, findings: Findings) -> Self {
        Self { base, findings, tried: Vec::new(), challengers: Vec::new(), is_over: false }
    }

    /// All that comes after screening.
    fn go(&mut self, shop: &mut Workshop<'_>, number: u32) -> Result<(), DiscoverError> {
        let Self { base, findings, tried, challengers, is_over } = self;
        let pace = shop.pace(base)?;
        let node_ns = pace.map_or(f64::INFINITY, |pace| 1e9 / pace.nodes_per_second().value);
        let few = best_few(findings, shop.search.trained);
        *tried = few.into_iter().map(Tried::of).collect();
        train_by_stages(shop, base, node_ns, tried)?;
        let hopeful = tried.iter().enumerate().filter_map(hopeful);
        for challenger in hopeful.filter_map(Challenger::of).take(CHALLENGERS) {
            challengers.push(challenger);
            let Some(challenger) = challengers.last_mut() else { break };
            // Other openings than those in which rivals are told apart, and in every round.
            let seed = shop.search.seed + 1 + u64::from(number);
            challenger.go(shop, base, seed)?;
            if challenger.is_passed() {
                break;
            }
        }
        *is_over = true;
        Ok(())
    }

    /// Who took the base's place, if anybody did.
    pub(crate) fn taken(&self) -> Option<&Challenger> {
        self.challengers.last().filter(|challenger| challenger.is_passed())
    }
}

impl Challenger {
    /// `None` of one that came to no net.
    fn of(tried: &Tried) -> Option<Self> {
        let (model, tried) = (tried.model.clone()?, tried.clone());
        Some(Self { tried, pruned: Vec::new(), model, pace: None, trial: None })
    }

    fn is_passed(&self) -> bool {
        self.trial.as_ref().is_some_and(Trial::is_passed)
    }

    /// Leaves out rows, and meets the base.
    fn go(
        &mut self,
        shop: &mut Workshop<'_>,
        base: &Model,
        seed: u64,
    ) -> Result<(), DiscoverError> {
        prune(shop, base, &mut self.tried, &mut self.pruned)?;
        if let Some(model) = &self.tried.model {
            self.model = model.clone();
        }
        Trial::play(&mut self.trial, shop, [&self.model, base], seed)?;
        self.pace = shop.pace(&self.model)?;
        Ok(())
    }
}

/// Whether a candidate, counted by promise, is worth games: what lowers the loss, and then the
/// first, since what loss and cost let expect is a guess, and others if they promise to be stronger.
fn hopeful((place, one): (usize, &Tried)) -> Option<&Tried> {
    let gains = one.gain.is_some_and(|gain| gain.percent.low > 0.0);
    (gains && (place == 0 || one.expected > 0.0)).then_some(one)
}

fn trained(shop: &mut Workshop<'_>, set: String) -> Result<Model, DiscoverError> {
    let title = format!("training {set}");
    let model = shop.train(&[set], 1.0)?.into_iter().next().flatten();
    model.ok_or(DiscoverError::Failed { title, reason: "it came to no net".to_owned() })
}
