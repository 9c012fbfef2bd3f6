//! Many candidates at once: what would each still explain of what a net leaves?
//!
//! The net stays as it is. To its output a correction is added, one weight for every feature
//! of the candidate, and one for every feature of the net's own set, so that a candidate gets
//! no credit for what the net's features could say themselves. Both are fitted on some games,
//! and by how much the loss falls is told by others.
//!
//! As a control the net's own set is asked as if it were a candidate. It has nothing to say, so
//! what it seems to gain is what this way of asking gets wrong, and every interval holds it.

mod cost;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use rayon::prelude::*;
use serde::Serialize;

use crate::design::Design;
use crate::discoveries::q_values;
use crate::gain::Gain;
use crate::least_squares::{Known, Problem, Ridged};
use crate::outlook::{Bends, Outlook};
use base::Observer;
use base::format::{counted, fixed};
use features::FeatureSet;

/// A set that may be worth having.
#[derive(Clone, Debug)]
pub struct Candidate {
    /// What it is called; an expression or a name of one.
    pub name: String,
    /// What it is.
    pub set: Arc<FeatureSet>,
}

/// What came of a candidate.
#[derive(Clone, Debug, Serialize)]
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
    /// Nanoseconds more for every move that an engine makes, on this machine: finding what
    /// changes for both perspectives, and adding the rows.
    pub cost_ns: f64,
}

impl Screened {
    /// Whether it is to be believed, where one of 20 such findings may be false.
    pub fn is_discovery(&self) -> bool {
        self.q <= 0.05
    }
}

/// What candidates are asked about.
pub struct Screening<'a> {
    /// Games to fit on, with what the net and the correction of its own features say.
    fitted: Outlook<'a>,
    /// Games that tell.
    told: Outlook<'a>,
    base_on_fitted: Design,
    base_on_told: Design,
    bends: Bends,
    /// What keeps weights of candidates small.
    ridge: f64,
    known: Option<Known>,
    /// Neurons that a row has weights for.
    width: usize,
    /// What the net's own features seem to gain a second time.
    bias: f64,
    /// What the net's own features have gained.
    pub own_gain: Gain,
}

/// What goes wrong.
#[derive(Debug, thiserror::Error)]
pub enum ScreeningError {
    /// Nothing was found.
    #[error("stopped")]
    Stopped,
    /// No interval without several games.
    #[error(
        "{games} games are too few: gains are told by {least} or more games that nothing was fitted on; give more data, or a larger share of it"
    )]
    TooFewGames {
        /// How many there are.
        games: usize,
        /// How many there should be.
        least: usize,
    },
}

/// A candidate that cannot be asked about.
#[derive(Debug, thiserror::Error)]
pub enum CandidateError {
    /// The net has it.
    #[error("`{name}` is what the net has already; nothing can be gained")]
    IsThere {
        /// Of the candidate.
        name: String,
    },
    /// Another has it.
    #[error("`{name}` and `{other}` are the same set; leave one of them out")]
    Twice {
        /// Of the candidate.
        name: String,
        /// The one before it.
        other: String,
    },
}

/// Games that tell a gain, at least.
const LEAST_GAMES: usize = 50;

/// What keeps the weights of the net's own features small, beside those of candidates: next to
/// nothing, or a candidate that repeats them would gain by loosening it.
const OWN_RIDGE: f64 = 0.01;

/// Steps that the net's own features take at most until they have nothing more to say.
const OWN_STEPS: usize = 12;

impl<'a> Screening<'a> {
    /// Of a net with that set, from what it says of games to fit on and of others that tell.
    /// A weight is rarely larger than `prior`, in units of the logistic, which keeps what is
    /// seldom seen from being taken for more than it is.
    ///
    /// # Errors
    /// Too few games.
    pub fn new(
        set: &FeatureSet,
        width: usize,
        fitted: Outlook<'a>,
        told: Outlook<'a>,
        prior: f64,
        observer: &mut dyn Observer,
    ) -> Result<Self, ScreeningError> {
        if let Some(games) =
            [&fitted, &told].map(|part| part.games().games()).into_iter().find(|&n| n < LEAST_GAMES)
        {
            return Err(ScreeningError::TooFewGames { games, least: LEAST_GAMES });
        }
        observer.begin("fitting the net's own features", 0, "steps");
        let [base_on_fitted, base_on_told] =
            [&fitted, &told].map(|part| Design::with_tempo(set, part.games().samples()));
        let (mut bends, before) = (fitted.bends(), told.clone());
        let ridge = fitted.noise(&bends) / (prior * prior);
        let (mut fitted, mut told) = (fitted, told);
        let mut loss = fitted.loss();
        let own = Ridged { design: &base_on_fitted, ridge: OWN_RIDGE * ridge };
        for step in 0..OWN_STEPS {
            observer.advance(step as u64, "");
            let known = Known::of(own, &bends);
            let (designs, known) = (vec![own], known.as_ref());
            let weights = Problem { designs, bends: &bends, known }.solve().remove(0);
            let moved = fitted.moved_by(|row| base_on_fitted.times(row, &weights));
            let next = moved.loss();
            if next >= loss {
                break;
            }
            told = told.moved_by(|row| base_on_told.times(row, &weights));
            fitted = moved;
            bends = fitted.bends();
            let is_little = loss - next < 1e-4 * loss;
            loss = next;
            if is_little {
                break;
            }
        }
        let known = Known::of(own, &bends);
        let own_gain = Gain::of(told.games(), 0.0, |row| {
            before.loss_moved_by(row, 0.0) - told.loss_moved_by(row, 0.0)
        });
        observer.end(&format!("gain {}", fixed(1e6 * own_gain.loss.value, 1)));
        let screening = Self {
            fitted,
            told,
            base_on_fitted,
            base_on_told,
            bends,
            ridge,
            known,
            width,
            bias: 0.0,
            own_gain,
        };
        let bias = screening.ask(set).0.loss.value.abs();
        Ok(Self { bias, ..screening })
    }

    /// Mean loss on the games that tell, with the correction of the net's own features.
    pub fn loss(&self) -> f64 {
        self.told.loss()
    }

    /// What each candidate would bring, in their order.
    ///
    /// # Errors
    /// The stop flag.
    pub fn screen(
        &self,
        candidates: &[Candidate],
        observer: &mut (dyn Observer + Send),
        stop: &AtomicBool,
    ) -> Result<Vec<Screened>, ScreeningError> {
        observer.begin("screening", candidates.len() as u64, "candidates");
        let done = AtomicU64::new(0);
        let observer = std::sync::Mutex::new(observer);
        let ask = |candidate: &Candidate| {
            if stop.load(Ordering::Relaxed) {
                return None;
            }
            let asked = self.ask(&candidate.set);
            let done = done.fetch_add(1, Ordering::Relaxed) + 1;
            if let Ok(mut observer) = observer.lock() {
                observer.advance(done, &candidate.name);
            }
            Some(asked)
        };
        // Each by itself, so that the two largest are not the last.
        let asked: Option<Vec<(Gain, f64)>> =
            candidates.par_iter().with_max_len(1).map(ask).collect();
        let asked = asked.ok_or(ScreeningError::Stopped)?;
        if let Ok(mut observer) = observer.lock() {
            observer.end(&counted(candidates.len() as u64, "candidate"));
            observer.begin("timing", candidates.len() as u64, "candidates");
        }
        let chances: Vec<f64> = asked.iter().map(|(gain, _)| gain.p).collect();
        let found = candidates.iter().zip(asked).zip(q_values(&chances)).enumerate().map(
            |(i, ((candidate, (gain, active)), q))| {
                if let Ok(mut observer) = observer.lock() {
                    observer.advance(i as u64, &candidate.name);
                }
                let (name, size) = (candidate.name.clone(), candidate.set.size());
                let cost_ns = cost::of_a_move(&candidate.set, self.width);
                Screened { name, size, active, gain, q, cost_ns }
            },
        );
        let found = found.collect();
        if let Ok(mut observer) = observer.lock() {
            observer.end("");
        }
        Ok(found)
    }

    /// The gain of a set, and how many of its features are active.
    fn ask(&self, set: &FeatureSet) -> (Gain, f64) {
        let (weights, active) = {
            let on_fitted = Design::new(set, self.fitted.games().samples());
            let own = Ridged { design: &self.base_on_fitted, ridge: OWN_RIDGE * self.ridge };
            let candidate = Ridged { design: &on_fitted, ridge: self.ridge };
            let (designs, known) = (vec![own, candidate], self.known.as_ref());
            let weights = Problem { designs, bends: &self.bends, known }.solve();
            (weights, on_fitted.active())
        };
        let on_told = Design::new(set, self.told.games().samples());
        let correction = |row: usize| {
            self.base_on_told.times(row, &weights[0]) + on_told.times(row, &weights[1])
        };
        let gain = Gain::of(self.told.games(), self.bias, |row| {
            self.told.loss_moved_by(row, 0.0) - self.told.loss_moved_by(row, correction(row))
        });
        (gain, active)
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
