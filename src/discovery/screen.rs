//! Many candidates at once: what would each still explain of what a net leaves?
//!
//! The net stays as it is. To its output a correction is added, one weight for every feature
//! of the candidate, and one for every feature of the net's own set, so that a candidate gets
//! no credit for what the net's features could say themselves. Both are fitted on some games;
//! a second part of the games says how far to go, so that a candidate of many features does not
//! learn the first by heart; and by how much the loss falls is told by a third.
//!
//! As a control the net's own set is asked as if it were a candidate. It has nothing to say, so
//! what it seems to gain is what this way of asking gets wrong, and every interval holds it.

mod cost;

pub use cost::ns_of_a_move;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use crate::design::Design;
use crate::discoveries::{is_discovery, q_values};
use crate::gain::Gain;
use crate::least_squares::{Gram, Known, Problem, Ridged, Served, Weights};
use crate::outlook::{Bends, Outlook};
use base::Observer;
use data::{Sample, SamplesByGame};
use features::{FeatureSet, Names};

/// A set that may be worth having.
#[derive(Clone, Debug)]
pub struct Candidate {
    /// What it is called; an expression or a name of one.
    pub name: String,
    pub set: Arc<FeatureSet>,
}

/// What came of a candidate.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Screened {
    /// The name of the candidate.
    pub name: String,
    /// Features.
    pub size: usize,
    /// How many of them are active, on average, for one perspective.
    pub active: f64,
    /// By how much the loss falls on games that it was not fitted on.
    pub gain: Gain,
    /// The least share of false discoveries among all that are at least as sure; see
    /// [`q_values`].
    pub q: f64,
}

impl Screened {
    /// Whether it is to be believed.
    pub fn is_discovery(&self) -> bool {
        is_discovery(self.q)
    }
}

/// Games for each of three purposes.
#[derive(Clone, Debug)]
pub struct Parts<T> {
    /// To fit weights on.
    pub fitted: T,
    /// To say how far to go with it.
    pub tuned: T,
    /// To tell what came of it.
    pub told: T,
}

impl<T> Parts<T> {
    pub fn map<U>(self, mut change: impl FnMut(T) -> U) -> Parts<U> {
        let Self { fitted, tuned, told } = self;
        Parts { fitted: change(fitted), tuned: change(tuned), told: change(told) }
    }

    /// Borrowed.
    pub fn as_ref(&self) -> Parts<&T> {
        Parts { fitted: &self.fitted, tuned: &self.tuned, told: &self.told }
    }
}

impl Parts<SamplesByGame> {
    /// Games parted by what was played: a share that tells, and of the rest a fifth that tunes.
    pub fn of(games: SamplesByGame, told: f64) -> Self {
        let [told, rest] = games.split(told, u64::from_be_bytes(*b"is  told"));
        let [tuned, fitted] = rest.split(0.2, u64::from_be_bytes(*b"is tuned"));
        Self { fitted, tuned, told }
    }
}

/// Some games: what is said of them, and the net's own features in them.
struct Part<'a> {
    outlook: Outlook<'a>,
    own: Design,
}

impl Part<'_> {
    fn samples(&self) -> &[Sample] {
        self.outlook.games().samples()
    }

    /// The mean loss with these weights of own features and, perhaps, of a candidate's.
    fn loss(&self, candidate: Option<&Design>, weights: &[Vec<f32>]) -> f64 {
        let rows = 0..self.own.rows();
        let moved = |row| self.outlook.loss_moved_by(row, self.moved(candidate, weights, row));
        rows.map(moved).sum::<f64>() / self.own.rows().max(1) as f64
    }

    fn moved(&self, candidate: Option<&Design>, weights: &[Vec<f32>], row: usize) -> f32 {
        let designs = std::iter::once(&self.own).chain(candidate);
        designs.zip(weights).map(|(design, weights)| design.times(row, weights)).sum()
    }
}

/// What candidates are asked about.
pub struct Screening<'a> {
    /// With what the net and the correction of its own features say.
    parts: Parts<Part<'a>>,
    bends: Bends,
    /// What keeps weights of candidates small.
    ridge: f64,
    /// What keeps those of own features small.
    own_ridge: f64,
    known: Option<Known>,
    /// What the net's own features seem to gain a second time.
    bias: f64,
    /// What the net's own features have gained.
    pub own_gain: Gain,
}

/// What goes wrong.
#[derive(Debug, thiserror::Error)]
pub enum ScreeningError {
    #[error("stopped")]
    Stopped,
    #[error(
        "{games} games are too few: weights are fitted on some, tuned on others and told by a third part, and each wants {least} or more; give more data, or let more positions be screened"
    )]
    TooFewGames { games: usize, least: usize },
}

/// A candidate that cannot be asked about.
#[derive(Debug, thiserror::Error)]
pub enum CandidateError {
    #[error("`{name}` is what the net has already; nothing can be gained")]
    IsThere { name: String },
    #[error("`{name}` and `{other}` are the same set; leave one of them out")]
    Twice { name: String, other: String },
}

/// Games for each purpose, at least.
const LEAST_GAMES: usize = 30;

/// What may keep the weights of the net's own features small, beside what keeps those of
/// candidates so: the games that tune choose.
const OWN_RIDGES: [f64; 5] = [0.01, 0.1, 1.0, 10.0, 100.0];

/// The net's own features take no step that lowers the loss by less, beside all of it.
const WORTH_A_STEP: f64 = 1e-6;

/// Steps that the net's own features take at most until they have nothing more to say.
const OWN_STEPS: usize = 12;

/// Weights of own features, and what keeps them small: those that are best where games tune;
/// `None` if none are better than none.
fn best_of_ridges(parts: &Parts<Part<'_>>, bends: &Bends, ridge: f64) -> Option<(f64, Weights)> {
    let gram = Gram::of(&parts.fitted.own, bends);
    let before = parts.tuned.loss(None, &[]);
    let (mut least, mut best) = (before * (1.0 - WORTH_A_STEP), None);
    for times in OWN_RIDGES {
        let own = Ridged { design: &parts.fitted.own, ridge: times * ridge };
        let known = gram.as_ref().and_then(|gram| gram.known(own.ridge));
        let problem = Problem { designs: vec![own], bends, served: None };
        let weights = problem.solve_fully(known.as_ref());
        let loss = parts.tuned.loss(None, &weights);
        if loss < least {
            (least, best) = (loss, Some((own.ridge, weights)));
        }
    }
    best
}

impl<'a> Screening<'a> {
    /// Of a net with that set, from what it says of games. A weight is rarely larger than
    /// `prior`, in units of the logistic, which keeps what is seldom seen from being taken for
    /// more than it is.
    ///
    /// # Errors
    /// Too few games.
    pub fn new(
        set: &FeatureSet,
        said: Parts<Outlook<'a>>,
        prior: f64,
        observer: &mut dyn Observer,
    ) -> Result<Self, ScreeningError> {
        said.as_ref().map(|part| part.games().games()).check()?;
        observer.begin("fitting the net's own features", OWN_STEPS as u64, "steps");
        let told_before = said.told.clone();
        let mut parts = said.map(|outlook| {
            let own = Design::of_own(set, outlook.games().samples(), outlook.outputs());
            Part { outlook, own }
        });
        let mut bends = parts.fitted.outlook.bends();
        let ridge = parts.fitted.outlook.noise(&bends) / (prior * prior);
        let mut own_ridge = ridge;
        for step in 0..OWN_STEPS {
            observer.advance(step as u64, "");
            let Some((chosen, weights)) = best_of_ridges(&parts, &bends, ridge) else { break };
            own_ridge = chosen;
            parts = parts.map(|part| {
                let outlook = part.outlook.moved_by(|row| part.moved(None, &weights, row));
                Part { outlook, ..part }
            });
            bends = parts.fitted.outlook.bends();
        }
        let own = Ridged { design: &parts.fitted.own, ridge: own_ridge };
        let known = Gram::of(own.design, &bends).and_then(|gram| gram.known(own.ridge));
        let told = &parts.told.outlook;
        let own_gain = Gain::of(told.games(), 0.0, |row| {
            told_before.loss_moved_by(row, 0.0) - told.loss_moved_by(row, 0.0)
        });
        let screening = Self { parts, bends, ridge, own_ridge, known, bias: 0.0, own_gain };
        let bias = screening.ask(set).0.loss.value.abs();
        observer.end("");
        Ok(Self { bias, ..screening })
    }

    /// Mean loss on the games that tell, with the correction of the net's own features.
    pub fn loss(&self) -> f64 {
        self.parts.told.outlook.loss()
    }

    /// What each candidate would bring, in their order. `told` hears how many are done and which
    /// was the last.
    ///
    /// # Errors
    /// The stop flag.
    pub fn screen(
        &self,
        candidates: &[Candidate],
        told: &(dyn Fn(u64, &str) + Sync),
        stop: &AtomicBool,
    ) -> Result<Vec<Screened>, ScreeningError> {
        let done = AtomicU64::new(0);
        let ask = |candidate: &Candidate| {
            if stop.load(Ordering::Relaxed) {
                return None;
            }
            let asked = self.ask(&candidate.set);
            told(done.fetch_add(1, Ordering::Relaxed) + 1, &candidate.name);
            Some(asked)
        };
        // Each by itself, so that the two largest are not the last.
        let asked: Option<Vec<(Gain, f64)>> =
            candidates.par_iter().with_max_len(1).map(ask).collect();
        let asked = asked.ok_or(ScreeningError::Stopped)?;
        let chances: Vec<f64> = asked.iter().map(|(gain, _)| gain.p).collect();
        let found = candidates.iter().zip(asked).zip(q_values(&chances));
        let found = found.map(|((candidate, (gain, active)), q)| {
            let (name, size) = (candidate.name.clone(), candidate.set.size());
            Screened { name, size, active, gain, q }
        });
        Ok(found.collect())
    }

    /// The gain of a set, and how many of its features are active.
    fn ask(&self, set: &FeatureSet) -> (Gain, f64) {
        let Parts { fitted, tuned, told } = &self.parts;
        let (weights, active) = {
            let [on_fitted, on_tuned] =
                [fitted, tuned].map(|part| Design::new(set, part.samples()));
            let own = Ridged { design: &fitted.own, ridge: self.own_ridge };
            let candidate = Ridged { design: &on_fitted, ridge: self.ridge };
            let served = Some(Served { known: self.known.as_ref() });
            let problem = Problem { designs: vec![own, candidate], bends: &self.bends, served };
            let weights = problem.solve(|weights| tuned.loss(Some(&on_tuned), weights));
            (weights, on_fitted.active())
        };
        let games = told.outlook.games();
        let Some(weights) = weights else { return (Gain::of(games, self.bias, |_| 0.0), active) };
        let on_told = Design::new(set, told.samples());
        let gain = Gain::of(games, self.bias, |row| {
            let moved = told.moved(Some(&on_told), &weights, row);
            told.outlook.loss_moved_by(row, 0.0) - told.outlook.loss_moved_by(row, moved)
        });
        (gain, active)
    }
}

impl Parts<SamplesByGame> {
    /// Whether there are games enough of each, which is known before there is a net.
    ///
    /// # Errors
    /// Too few games.
    pub fn check(&self) -> Result<(), ScreeningError> {
        self.as_ref().map(SamplesByGame::games).check()
    }
}

impl Parts<usize> {
    /// Enough games for each purpose.
    fn check(self) -> Result<(), ScreeningError> {
        let all = [self.fitted, self.tuned, self.told];
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
    /// What the parser says.
    pub fn parse(text: &str) -> Result<Self, Box<features::ExpressionError>> {
        Ok(Self { name: text.trim().to_owned(), set: FeatureSet::parse(text)? })
    }

    /// The same with the user's own names, which it is not called by: another reader knows only what
    /// they stand for.
    ///
    /// # Errors
    /// What the parser says.
    pub fn compile(text: &str, names: &Names) -> Result<Self, Box<features::ExpressionError>> {
        Self::parse(text).or_else(|_| {
            let set = FeatureSet::compile(text, names)?;
            Ok(Self { name: set.canonical().to_owned(), set })
        })
    }

    /// Whether all of them can be asked about, beside a net with these features.
    ///
    /// # Errors
    /// The first that cannot.
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
