//! What a measurement is, and what it is taken with.

use std::error::Error;
use std::fmt;
use std::path::PathBuf;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use arena::contender::Evaluation;
use base::{Content, Key, KeyError, Observer};
use data::Dataset;
use nnue::FloatWeights;

/// An evaluation as a definition names it: by what it is, not by where it lies.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum NetId {
    /// PeSTO's tables.
    Pesto,
    /// The net that a job trains.
    Trained(Key),
    /// A net by its fingerprint.
    File(String),
}

impl NetId {
    /// The job that has to be done before it is there.
    pub fn job(&self) -> Option<Key> {
        match self {
            Self::Trained(key) => Some(*key),
            Self::Pesto | Self::File(_) => None,
        }
    }
}

impl fmt::Display for NetId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Pesto => f.write_str("PeSTO"),
            Self::Trained(key) => write!(f, "net {key}"),
            Self::File(fingerprint) => {
                write!(f, "net {}", &fingerprint[..fingerprint.len().min(16)])
            }
        }
    }
}

/// One thing that can be measured, ready to be measured. Everything that decides what is
/// found is in its fields.
pub trait Measurement: Serialize + DeserializeOwned {
    type Found: Serialize + DeserializeOwned;

    /// What it is called, in keys, files and lists.
    const KIND: &'static str;

    /// Raised whenever the same definition is measured otherwise than before.
    const VERSION: u32;

    /// The nets that are measured.
    fn nets(&self) -> Vec<&NetId>;

    /// Prepared positions that it is measured on.
    fn positions(&self) -> Option<Key> {
        None
    }

    /// Whether the search decides what is found, so that another search finds other things.
    fn searches(&self) -> bool;

    /// Whether clocks decide what is found, so that nothing else should run meanwhile.
    fn is_timed(&self) -> bool;

    /// The file of games that it plays, inside the folder of games.
    ///
    /// # Errors
    /// A definition that cannot be written down.
    fn games(&self) -> Result<Option<String>, MeasureError> {
        Ok(None)
    }

    /// Measures.
    ///
    /// # Errors
    /// Whatever keeps it from being measured; [`MeasureError::Stopped`] if it was stopped.
    fn take(&self, desk: &mut Desk<'_>) -> Result<Self::Found, MeasureError>;

    /// The name of what is found.
    ///
    /// # Errors
    /// A definition that cannot be written down.
    fn key(&self) -> Result<Key, KeyError> {
        let signature = self.searches().then_some(engine::bench::SIGNATURE);
        Key::of(Self::KIND, &(Self::VERSION, signature, self))
    }
}

/// Where what definitions name is found.
pub trait Shelf {
    /// A net, or tables.
    fn evaluation(&mut self, id: &NetId) -> Result<Evaluation, MeasureError>;

    fn file(&self, content: &Content) -> Result<PathBuf, MeasureError>;

    /// Prepared positions; reading them may take its time.
    fn dataset(&mut self, positions: Key, desk: Watch<'_>) -> Result<Arc<Dataset>, MeasureError>;

    /// The weights of a net before they were quantised.
    fn weights(&mut self, net: &NetId, desk: Watch<'_>) -> Result<FloatWeights, MeasureError>;
}

/// Who watches, and whether to stop.
pub struct Watch<'w> {
    /// Is told how far it is.
    pub observer: &'w mut dyn Observer,
    /// Is raised to stop.
    pub stop: &'w AtomicBool,
}

impl Watch<'_> {
    /// Does parallel work that tells from any thread how far it is, while this thread tells
    /// the observer.
    pub fn follow<T: Send>(
        &mut self,
        title: &str,
        total: u64,
        unit: &'static str,
        work: impl FnOnce(&(dyn Fn(u64, String) + Sync)) -> T + Send,
    ) -> T {
        const TICK: Duration = Duration::from_millis(20);
        self.observer.begin(title, total, unit);
        let at = Mutex::new((0, String::new()));
        let at = &at;
        std::thread::scope(|scope| {
            let progress = move |done: u64, note: String| {
                *at.lock().unwrap_or_else(PoisonError::into_inner) = (done, note);
            };
            let worker = scope.spawn(move || work(&progress));
            while !worker.is_finished() {
                std::thread::sleep(TICK);
                let (done, note) = at.lock().unwrap_or_else(PoisonError::into_inner).clone();
                self.observer.advance(done, &note);
            }
            // A panic of the worker is a bug of ours; it goes on as itself.
            worker.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
        })
    }
}

/// What a measurement is taken with.
pub struct Desk<'d> {
    /// Nets, files and positions.
    pub shelf: &'d mut dyn Shelf,
    /// Is told how far it is.
    pub observer: &'d mut dyn Observer,
    /// Is raised to stop.
    pub stop: &'d AtomicBool,
    /// What is measured, for people.
    pub title: &'d str,
    /// Where games are kept as they are played.
    pub games: PathBuf,
    /// Games at once where clocks run; half the cores if nothing is said.
    pub timed_games: Option<usize>,
}

/// Why something cannot be measured.
#[derive(Debug, thiserror::Error)]
pub enum MeasureError {
    /// It was stopped; what was kept is gone on with.
    #[error("stopped")]
    Stopped,
    #[error(transparent)]
    Shelf(Box<dyn Error + Send + Sync>),
    #[error(transparent)]
    Puzzles(#[from] puzzles::PuzzleError),
    #[error(transparent)]
    Arena(#[from] arena::ArenaError),
    #[error(transparent)]
    Openings(#[from] arena::OpeningsError),
    #[error("hash_mb = {hash_mb}, for each player of {games} games at once: {shortage}; lower it")]
    Tables {
        /// MiB asked for.
        hash_mb: usize,
        games: usize,
        shortage: base::memory::Shortage,
    },
    #[error(transparent)]
    Key(#[from] KeyError),
    #[error("the result {key} is none of `{kind}`: {source}; `oplus runs rm {key}` forgets it")]
    Unreadable { key: Key, kind: String, source: serde_json::Error },
    #[error("{}: {source}", path.display())]
    Io { path: PathBuf, source: std::io::Error },
}

impl Desk<'_> {
    pub(crate) fn shelf(&mut self) -> (&mut dyn Shelf, Watch<'_>) {
        (self.shelf, Watch { observer: self.observer, stop: self.stop })
    }

    pub(crate) fn watch(&mut self) -> Watch<'_> {
        Watch { observer: self.observer, stop: self.stop }
    }

    /// The same as [`Watch::follow`], under the title of the measurement.
    pub(crate) fn watched<T: Send>(
        &mut self,
        total: u64,
        unit: &'static str,
        work: impl FnOnce(&(dyn Fn(u64, String) + Sync)) -> T + Send,
    ) -> T {
        let title = self.title;
        self.watch().follow(title, total, unit, work)
    }
}
