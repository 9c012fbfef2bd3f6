//! Screening of many candidates at once on the residuals of a net.
//!
//! The net stays fixed. A correction is added to its output: one weight for every feature of the
//! candidate, and one for every feature of the net's own set, so that a candidate gets no credit for
//! an undertrained net. Weights are fitted on one part of the games; a second part tunes the number
//! of steps, against overfitting by large candidates; the third, held-out part gives the loss
//! reduction.
//!
//! As a control the net's own set is screened like a candidate. Its true gain is zero, so its
//! apparent gain is the bias of the method, and every interval includes it.

mod cost;
mod screener;

pub use cost::ns_of_moves;
pub use screener::{ScreenResult, Screener};

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use crate::design::Design;
use crate::discoveries::{is_discovery, q_values};
use crate::gain::Gain;
use crate::least_squares::{Gram, Known, Problem, Ridged, Served, Weights};
use crate::predictions::{Derivatives, Predictions};
use base::Observer;
use data::{Sample, SamplesByGame};
use features::{FeatureSet, Names};

/// A candidate set.
#[derive(Clone, Debug)]
pub struct Candidate {
    /// Its expression or name.
    pub name: String,
    pub set: Arc<FeatureSet>,
}

/// The result of a candidate.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Screened {
    pub name: String,
    /// Number of features.
    pub size: usize,
    /// Mean number of active features of one perspective.
    pub active: f64,
    /// Loss reduction on held-out games.
    pub gain: Gain,
    /// False discovery rate among all candidates with a p-value as small; see [`q_values`].
    pub q: f64,
}

impl Screened {
    /// Whether the gain is significant.
    pub fn is_discovery(&self) -> bool {
        is_discovery(self.q)
    }
}

/// Three disjoint parts of the games.
#[derive(Clone, Debug)]
pub struct Parts<T> {
    /// For the weights.
    pub fitted: T,
    /// For the number of steps.
    pub tuned: T,
    /// For the gains.
    pub held_out: T,
}

impl<T> Parts<T> {
    pub fn map<U>(self, mut change: impl FnMut(T) -> U) -> Parts<U> {
        let Self { fitted, tuned, held_out } = self;
        Parts { fitted: change(fitted), tuned: change(tuned), held_out: change(held_out) }
    }

    /// By reference.
    pub fn as_ref(&self) -> Parts<&T> {
        Parts { fitted: &self.fitted, tuned: &self.tuned, held_out: &self.held_out }
    }
}

impl Parts<SamplesByGame> {
    /// Splits games by their moves: a held-out share, and a fifth of the rest for tuning.
    pub fn of(games: SamplesByGame, held_out: f64) -> Self {
        let [held_out, rest] = games.split(held_out, u64::from_be_bytes(*b"is  told"));
        let [tuned, fitted] = rest.split(0.2, u64::from_be_bytes(*b"is tuned"));
        Self { fitted, tuned, held_out }
    }
}

/// Predictions for a part of the games, and the net's own features there.
struct DesignPart<'a> {
    predictions: Predictions<'a>,
    own: Design,
}

impl DesignPart<'_> {
    fn samples(&self) -> &[Sample] {
        self.predictions.games().samples()
    }

    /// Mean loss with weights of own features and optionally of a candidate's.
    fn loss(&self, candidate: Option<&Design>, weights: &[Vec<f32>]) -> f64 {
        let rows = 0..self.own.rows();
        let moved = |row| self.predictions.loss_moved_by(row, self.moved(candidate, weights, row));
        rows.map(moved).sum::<f64>() / self.own.rows().max(1) as f64
    }

    fn moved(&self, candidate: Option<&Design>, weights: &[Vec<f32>], row: usize) -> f32 {
        let designs = std::iter::once(&self.own).chain(candidate);
        designs.zip(weights).map(|(design, weights)| design.times(row, weights)).sum()
    }
}

/// A net prepared for screening.
pub struct Screening<'a> {
    /// With the predictions of the corrected net.
    parts: Parts<DesignPart<'a>>,
    derivatives: Derivatives,
    /// Ridge of the weights of candidates.
    ridge: f64,
    /// Ridge of the weights of own features.
    own_ridge: f64,
    known: Option<Known>,
    /// Apparent gain of the net's own features after their correction.
    bias: f64,
    /// Gain of the correction by the net's own features.
    pub own_gain: Gain,
}

/// Errors of screening.
#[derive(Debug, thiserror::Error)]
pub enum ScreeningError {
    #[error("stopped")]
    Stopped,
    #[error(
        "{games} games are too few: the fit, the tuning and the gains need at least {least} each; give more data, or \
         screen more positions (`--positions`, `discover.screened`)"
    )]
    TooFewGames { games: usize, least: usize },
}

/// A candidate that cannot be screened.
#[derive(Debug, thiserror::Error)]
pub enum CandidateError {
    #[error("the net contains `{name}`, so no gain is possible")]
    IsThere { name: String },
    #[error("`{name}` and `{other}` are the same set; remove one of them")]
    Twice { name: String, other: String },
}

/// Games of each part, at least.
const LEAST_GAMES: usize = 30;

/// Factors of the ridge for the net's own features; the tuning part chooses.
const OWN_RIDGES: [f64; 5] = [0.01, 0.1, 1.0, 10.0, 100.0];

/// Relative loss reduction below which the correction of own features stops.
const WORTH_A_STEP: f64 = 1e-6;

/// Steps of the correction of own features at most.
const OWN_STEPS: usize = 12;

/// Weights and ridge of own features with the lowest loss on the tuning part; `None` if none improves
/// it.
fn best_of_ridges(
    parts: &Parts<DesignPart<'_>>,
    derivatives: &Derivatives,
    ridge: f64,
) -> Option<(f64, Weights)> {
    let gram = Gram::of(&parts.fitted.own, derivatives);
    let before = parts.tuned.loss(None, &[]);
    let (mut least, mut best) = (before * (1.0 - WORTH_A_STEP), None);
    for times in OWN_RIDGES {
        let own = Ridged { design: &parts.fitted.own, ridge: times * ridge };
        let known = gram.as_ref().and_then(|gram| gram.known(own.ridge));
        let problem = Problem { designs: vec![own], derivatives, served: None };
        let weights = problem.solve_fully(known.as_ref());
        let loss = parts.tuned.loss(None, &weights);
        if loss < least {
            (least, best) = (loss, Some((own.ridge, weights)));
        }
    }
    best
}

impl<'a> Screening<'a> {
    /// Prepares a net with this set from its predictions. `prior` is the standard deviation of the
    /// prior of a weight, in units of the logistic; it regularises rare features.
    ///
    /// # Errors
    /// Too few games.
    pub fn new(
        set: &FeatureSet,
        predictions: Parts<Predictions<'a>>,
        prior: f64,
        observer: &mut dyn Observer,
    ) -> Result<Self, ScreeningError> {
        predictions.as_ref().map(|part| part.games().games()).check()?;
        observer.begin("fitting the net's own features", OWN_STEPS as u64, "steps");
        let before = predictions.held_out.clone();
        let mut parts = predictions.map(|predictions| {
            let own = Design::of_own(set, predictions.games().samples(), predictions.outputs());
            DesignPart { predictions, own }
        });
        let mut derivatives = parts.fitted.predictions.derivatives();
        let ridge = parts.fitted.predictions.noise(&derivatives) / (prior * prior);
        let mut own_ridge = ridge;
        for step in 0..OWN_STEPS {
            observer.advance(step as u64, "");
            let Some((chosen, weights)) = best_of_ridges(&parts, &derivatives, ridge) else {
                break;
            };
            own_ridge = chosen;
            parts = parts.map(|part| {
                let predictions = part.predictions.moved_by(|row| part.moved(None, &weights, row));
                DesignPart { predictions, ..part }
            });
            derivatives = parts.fitted.predictions.derivatives();
        }
        let own = Ridged { design: &parts.fitted.own, ridge: own_ridge };
        let known = Gram::of(own.design, &derivatives).and_then(|gram| gram.known(own.ridge));
        let held_out = &parts.held_out.predictions;
        let own_gain = Gain::of(held_out.games(), 0.0, |row| {
            before.loss_moved_by(row, 0.0) - held_out.loss_moved_by(row, 0.0)
        });
        let screening = Self { parts, derivatives, ridge, own_ridge, known, bias: 0.0, own_gain };
        let bias = screening.gain_of(set).0.loss.value.abs();
        observer.end("");
        Ok(Self { bias, ..screening })
    }

    /// Mean loss on held-out games, with the correction of the net's own features.
    pub fn loss(&self) -> f64 {
        self.parts.held_out.predictions.loss()
    }

    /// Results of candidates, in their order. `progress` receives the number of finished ones and the
    /// name of the last.
    ///
    /// # Errors
    /// The stop flag.
    pub fn screen(
        &self,
        candidates: &[Candidate],
        progress: &(dyn Fn(u64, &str) + Sync),
        stop: &AtomicBool,
    ) -> Result<Vec<Screened>, ScreeningError> {
        let done = AtomicU64::new(0);
        let ask = |candidate: &Candidate| {
            if stop.load(Ordering::Relaxed) {
                return None;
            }
            let screened = self.gain_of(&candidate.set);
            progress(done.fetch_add(1, Ordering::Relaxed) + 1, &candidate.name);
            Some(screened)
        };
        // One task each, for an even load.
        let screened: Option<Vec<(Gain, f64)>> =
            candidates.par_iter().with_max_len(1).map(ask).collect();
        let screened = screened.ok_or(ScreeningError::Stopped)?;
        let chances: Vec<f64> = screened.iter().map(|(gain, _)| gain.p).collect();
        let found = candidates.iter().zip(screened).zip(q_values(&chances));
        let found = found.map(|((candidate, (gain, active)), q)| {
            let (name, size) = (candidate.name.clone(), candidate.set.size());
            Screened { name, size, active, gain, q }
        });
        Ok(found.collect())
    }

    /// The gain of a set, and its mean number of active features.
    fn gain_of(&self, set: &FeatureSet) -> (Gain, f64) {
        let Parts { fitted, tuned, held_out } = &self.parts;
        let (weights, active) = {
            let [on_fitted, on_tuned] =
                [fitted, tuned].map(|part| Design::new(set, part.samples()));
            let own = Ridged { design: &fitted.own, ridge: self.own_ridge };
            let candidate = Ridged { design: &on_fitted, ridge: self.ridge };
            let served = Some(Served { known: self.known.as_ref() });
            let problem =
                Problem { designs: vec![own, candidate], derivatives: &self.derivatives, served };
            let weights = problem.solve(|weights| tuned.loss(Some(&on_tuned), weights));
            (weights, on_fitted.active())
        };
        let games = held_out.predictions.games();
        let Some(weights) = weights else { return (Gain::of(games, self.bias, |_| 0.0), active) };
        let on_held_out = Design::new(set, held_out.samples());
        let gain = Gain::of(games, self.bias, |row| {
            let moved = held_out.moved(Some(&on_held_out), &weights, row);
            held_out.predictions.loss_moved_by(row, 0.0)
                - held_out.predictions.loss_moved_by(row, moved)
        });
        (gain, active)
    }
}

impl Parts<SamplesByGame> {
    /// Checks the number of games of each part, before any training.
    ///
    /// # Errors
    /// Too few games.
    pub fn check(&self) -> Result<(), ScreeningError> {
        self.as_ref().map(SamplesByGame::games).check()
    }
}

impl Parts<usize> {
    /// Checks the number of games of each part.
    fn check(self) -> Result<(), ScreeningError> {
        let all = [self.fitted, self.tuned, self.held_out];
        match all.into_iter().find(|&games| games < LEAST_GAMES) {
            Some(games) => Err(ScreeningError::TooFewGames { games, least: LEAST_GAMES }),
            None => Ok(()),
        }
    }
}

impl Candidate {
    /// From an expression.
    ///
    /// # Errors
    /// A syntax error.
    pub fn parse(text: &str) -> Result<Self, Box<features::ExpressionError>> {
        Ok(Self { name: text.trim().to_owned(), set: FeatureSet::parse(text)? })
    }

    /// As [`parse`](Self::parse), with the user's names; its own name has them expanded, for readers
    /// without these names.
    ///
    /// # Errors
    /// A syntax error.
    pub fn compile(text: &str, names: &Names) -> Result<Self, Box<features::ExpressionError>> {
        Self::parse(text).or_else(|_| {
            let set = FeatureSet::compile(text, names)?;
            Ok(Self { name: set.canonical().to_owned(), set })
        })
    }

    /// Checks that all candidates can be screened beside a net with these features.
    ///
    /// # Errors
    /// The first one that cannot.
    pub fn check_all(all: &[Self], base: &FeatureSet) -> Result<(), CandidateError> {
        let summands: Vec<&str> =
            base.summands().iter().map(|summand| summand.definition.as_str()).collect();
        for (i, candidate) in all.iter().enumerate() {
            let (name, canonical) = (candidate.name.clone(), candidate.set.canonical());
            if canonical == base.canonical() || summands.contains(&canonical) {
                return Err(CandidateError::IsThere { name });
            }
            if let Some(other) = all[..i].iter().find(|other| other.set.canonical() == canonical) {
                return Err(CandidateError::Twice { name, other: other.name.clone() });
            }
        }
        Ok(())
    }
}
