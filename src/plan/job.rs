//! What there is to do, as definitions.

use serde::{Deserialize, Serialize};

use crate::discovery::Discovery;
use crate::evolution::{Evolve, Fitness, Trial};
use ::selfplay::{Recipe, Target};
use base::{Content, Key, KeyError};
use data::{Filter, Weight};
use engine::bench::SIGNATURE;
use measure::{Measure, Measurement, NetId};
use nnue::Layers;
use training::TrainingConfig;

/// Raised whenever training changes what it computes, so that old nets are not taken for
/// new ones.
const TRAINING: u32 = 2;

/// Raised whenever games are made otherwise than before by the same search.
const SELFPLAY: u32 = 1;

/// Raised whenever a method searches otherwise than before.
const EVOLUTION: u32 = 1;

/// A job. Everything that decides what it comes to is in its fields.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Job {
    Games(Games),
    Positions(Positions),
    Train(Train),
    Measure(Measure),
    /// Search numbers.
    Evolve(Evolve),
    /// Try what a search answered.
    Trial(Trial),
    /// Ask nets, to find sets.
    Discovery(Discovery),
}

/// Games that a player plays against itself.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Games {
    pub player: NetId,
    pub recipe: Recipe,
    pub target: Target,
}

/// Positions to train on, and some that validate.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Positions {
    /// Where they come from, in their order, and how often each is seen.
    pub sources: Vec<(Source, Weight)>,
    /// Share of the games that validates.
    pub validation: f64,
    /// Which positions are kept.
    pub filter: Filter<Content>,
    /// So many of them to train on; all if nothing is said.
    pub positions: Option<u64>,
    /// Whether the moves that were played are kept.
    pub choices: bool,
}

/// Something that holds positions.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Source {
    File(Content),
    /// The games that a job makes.
    Made(Key),
}

/// A net that another begins with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Begin {
    /// That which a job trains: the stage before.
    Trained(Key),
    File(Content),
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Train {
    /// What it sees, names expanded.
    pub features: String,
    pub layers: Layers,
    /// Seed of the first weights and of the order of the positions.
    pub seed: u64,
    /// What it begins with instead of random weights.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub start: Option<Begin>,
    /// How it is taught, whatever the threads.
    pub training: TrainingConfig,
    /// What it is taught with.
    pub positions: Key,
}

impl Job {
    /// What it is called in files and lists.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Games(_) => "games",
            Self::Positions(_) => "positions",
            Self::Train(_) => "train",
            Self::Measure(measure) => measure.kind(),
            Self::Evolve(_) => "evolve",
            Self::Trial(_) => "trial",
            Self::Discovery(asked) => asked.kind(),
        }
    }

    /// Its name.
    ///
    /// # Errors
    /// A definition that cannot be written down.
    pub fn key(&self) -> Result<Key, KeyError> {
        match self {
            Self::Games(games) => Key::of(self.kind(), &(SELFPLAY, SIGNATURE, games)),
            Self::Positions(positions) => Key::of(self.kind(), &(data::cache::READING, positions)),
            Self::Train(train) => Key::of(self.kind(), &(TRAINING, train)),
            Self::Measure(measure) => measure.key(),
            Self::Evolve(evolve) => Key::of(self.kind(), &(EVOLUTION, SIGNATURE, evolve)),
            Self::Trial(trial) => Key::of(self.kind(), &(SIGNATURE, trial)),
            Self::Discovery(asked) => Key::of(self.kind(), &(asked.version(), asked)),
        }
    }

    /// Jobs that have to be done before.
    pub fn needs(&self) -> Vec<Key> {
        match self {
            Self::Games(games) => games.player.job().into_iter().collect(),
            Self::Positions(Positions { sources, .. }) => {
                let made = |(source, _): &(Source, Weight)| match source {
                    Source::Made(key) => Some(*key),
                    Source::File(_) => None,
                };
                sources.iter().filter_map(made).collect()
            }
            Self::Train(train) => match train.start {
                Some(Begin::Trained(stage)) => vec![train.positions, stage],
                Some(Begin::File(_)) | None => vec![train.positions],
            },
            Self::Measure(measure) => {
                let mut needs: Vec<Key> =
                    measure.nets().into_iter().filter_map(NetId::job).collect();
                needs.extend(measure.positions());
                needs.dedup();
                needs
            }
            Self::Evolve(evolve) => match evolve.fitness {
                Fitness::Games(_) => Vec::new(),
                Fitness::Positions { positions, .. } => vec![positions],
            },
            Self::Trial(trial) => vec![trial.search],
            Self::Discovery(asked) => asked.needs(),
        }
    }

    /// The job whose net it asks with weights that only that job has at hand: it is best done by
    /// whoever did that.
    pub fn companion(&self) -> Option<Key> {
        match self {
            Self::Measure(Measure::Loss(loss)) => loss.net.job(),
            Self::Measure(Measure::Quantisation(asked)) => asked.net.job(),
            _ => None,
        }
    }

    /// Into how many parts its games can be divided for `at_once` processes: 1 where they cannot.
    /// Parts are of some hundred games, since each loads its nets anew.
    pub fn shards(&self, at_once: u32) -> u32 {
        const GAMES: u64 = 100;
        const POSITIONS: u64 = 10_000;
        let parts = match self {
            Self::Games(Games { target: Target::Games(games), .. }) => games / GAMES,
            Self::Games(Games { target: Target::Positions(positions), .. }) => {
                positions / POSITIONS
            }
            Self::Measure(Measure::Match(game)) if !game.is_timed() => game.games / GAMES,
            _ => 1,
        };
        u32::try_from(parts).unwrap_or(u32::MAX).clamp(1, at_once.max(1))
    }

    /// Whether clocks decide what comes of it, so that nothing else should run meanwhile.
    pub fn is_timed(&self) -> bool {
        match self {
            Self::Measure(measure) => measure.is_timed(),
            Self::Discovery(asked) => asked.is_timed(),
            Self::Games(_)
            | Self::Positions(_)
            | Self::Train(_)
            | Self::Evolve(_)
            | Self::Trial(_) => false,
        }
    }
}
