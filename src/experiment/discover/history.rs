//! The rounds of a search, from the start set to the found one.

use discovery::Findings;
use measure::Pace;

use crate::discover::DiscoverError;
use crate::discover::baseline::{Baseline, baselines, strongest};
use crate::discover::planner::{Model, SearchPlanner};
use crate::discover::proposal::{best_few, screened};
use crate::discover::pruning::{Pruned, prune};
use crate::discover::testing::Trial;
use crate::discover::training::{TrainedCandidate, train_by_stages};

/// All rounds of a search so far.
#[derive(Debug, Default)]
pub(crate) struct History {
    /// Node rate of the start set.
    pub(crate) start_pace: Option<Pace>,
    pub(crate) rounds: Vec<Round>,
    pub(crate) baselines: Vec<Baseline>,
    /// The found set with its node rate; `None` if no candidate passed.
    pub(crate) end: Option<(Model, Pace)>,
}

#[derive(Debug)]
pub(crate) struct Round {
    /// The set to improve on.
    pub(crate) base: Model,
    pub(crate) findings: Findings,
    /// Trained candidates, by promise.
    pub(crate) tried: Vec<TrainedCandidate>,
    /// Candidates that played the base, in this order; the last one replaced it if it passed.
    pub(crate) challengers: Vec<Challenger>,
    /// Whether the round is finished.
    pub(crate) is_over: bool,
}

/// A net that plays the base for its place.
#[derive(Clone, Debug)]
pub(crate) struct Challenger {
    /// The candidate with the fewest rows within tolerance.
    pub(crate) tried: TrainedCandidate,
    pub(crate) pruned: Vec<Pruned>,
    /// Its net.
    pub(crate) model: Model,
    /// Its node rate.
    pub(crate) pace: Option<Pace>,
    /// `None` before its first test.
    pub(crate) trial: Option<Trial>,
}

/// Challengers of a round at most.
const CHALLENGERS: usize = 2;

impl History {
    /// Runs the search; after an error the rounds so far stay.
    pub(crate) fn run(&mut self, planner: &mut SearchPlanner<'_>) -> Result<(), DiscoverError> {
        let start = planner.experiment.reference().to_owned();
        let start = trained(planner, start)?;
        self.start_pace = planner.pace(&start)?;
        let mut current = start.clone();
        for number in 0..planner.search.rounds.get() {
            let findings = match screened(planner, &current) {
                // The grammar is exhausted.
                Err(DiscoverError::NoCandidates { .. }) if number > 0 => break,
                findings => findings?,
            };
            self.rounds.push(Round::of(current.clone(), findings));
            let Some(round) = self.rounds.last_mut() else { break };
            round.run(planner, number)?;
            match round.taken() {
                Some(next) => current = next.model.clone(),
                None => break,
            }
        }
        let is_new = current.net != start.net;
        let pace = planner.pace(&current)?;
        self.end = pace.filter(|_| is_new).map(|pace| (current, pace));
        if let Some((_, pace)) = &self.end {
            self.baselines = baselines(planner, &start, pace)?;
        }
        Ok(())
    }

    /// Reservations about the rounds.
    pub(crate) fn warnings(&self) -> impl Iterator<Item = String> {
        self.rounds.iter().filter_map(|round| round.findings.untrained(&round.base.expression))
    }

    pub(crate) fn found(&self) -> Option<&str> {
        self.end.as_ref().map(|(model, _)| model.expression.as_str())
    }

    /// The baseline that the found set is judged against.
    pub(crate) fn baseline(&self) -> Option<&Baseline> {
        strongest(&self.baselines)
    }
}

impl Round {
    fn of(base: Model, findings: Findings) -> Self {
        Self { base, findings, tried: Vec::new(), challengers: Vec::new(), is_over: false }
    }

    /// Training, pruning and tests, after screening.
    fn run(&mut self, planner: &mut SearchPlanner<'_>, number: u32) -> Result<(), DiscoverError> {
        let Self { base, findings, tried, challengers, is_over } = self;
        let pace = planner.pace(base)?;
        let node_ns = pace.map_or(f64::INFINITY, |pace| 1e9 / pace.nodes_per_second().value);
        let few = best_few(findings, planner.search.trained);
        *tried = few.into_iter().map(TrainedCandidate::of).collect();
        train_by_stages(planner, base, node_ns, tried)?;
        let promising = tried.iter().enumerate().filter_map(promising);
        for challenger in promising.filter_map(Challenger::of).take(CHALLENGERS) {
            challengers.push(challenger);
            let Some(challenger) = challengers.last_mut() else { break };
            // Openings of the round, other than those of the baselines.
            let seed = planner.search.seed + 1 + u64::from(number);
            challenger.run(planner, base, seed)?;
            if challenger.is_passed() {
                break;
            }
        }
        *is_over = true;
        Ok(())
    }

    /// The challenger that replaced the base.
    pub(crate) fn taken(&self) -> Option<&Challenger> {
        self.challengers.last().filter(|challenger| challenger.is_passed())
    }
}

impl Challenger {
    /// `None` for a candidate whose training failed.
    fn of(tried: &TrainedCandidate) -> Option<Self> {
        let (model, tried) = (tried.model.clone()?, tried.clone());
        Some(Self { tried, pruned: Vec::new(), model, pace: None, trial: None })
    }

    fn is_passed(&self) -> bool {
        self.trial.as_ref().is_some_and(Trial::is_passed)
    }

    /// Prunes the candidate and plays the base.
    fn run(
        &mut self,
        planner: &mut SearchPlanner<'_>,
        base: &Model,
        seed: u64,
    ) -> Result<(), DiscoverError> {
        prune(planner, base, &mut self.tried, &mut self.pruned)?;
        if let Some(model) = &self.tried.model {
            self.model = model.clone();
        }
        Trial::play(&mut self.trial, planner, [&self.model, base], seed)?;
        self.pace = planner.pace(&self.model)?;
        Ok(())
    }
}

/// A candidate that is worth games: it lowers the loss, and it is the first or has a positive
/// expected Elo. The expectation is a rough prior, so the first one always plays.
fn promising((at, one): (usize, &TrainedCandidate)) -> Option<&TrainedCandidate> {
    let gains = one.gain.is_some_and(|gain| gain.percent.low > 0.0);
    (gains && (at == 0 || one.expected > 0.0)).then_some(one)
}

fn trained(planner: &mut SearchPlanner<'_>, set: String) -> Result<Model, DiscoverError> {
    let title = format!("training {set}");
    let model = planner.train(&[set], 1.0)?.into_iter().next().flatten();
    model.ok_or(DiscoverError::Failed { title, reason: "the training failed".to_owned() })
}
