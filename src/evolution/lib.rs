//! Black-box search for numbers: spaces, methods, judges and resumable runs.
//!
//! A [`Space`] has named numbers with bounds. A [`SearchMethod`] asks for points and
//! gets their fitness; it knows nothing of chess, of games or of how a judge
//! comes to its answer, so that all methods can be given the same budget on the same judge. What
//! judges is a [`PointFitness`] for each point.
//!
//! A method is a function of its settings, its seed and the judgements. So the judgements are all
//! that has to be kept of a search: a run is resumed by replaying them.
//!
//! The fourth source document (Rahul, *Phoenix*, 2014) is [`method::genetic`] and
//! [`method::crowding`]; the others are what the field has for the same task. The second one is
//! [`factorisation`].

pub mod factorisation;
pub mod file;
pub mod method;
mod error;
mod genome;
mod individual;
pub mod judge;
mod journal;
mod numbers;
mod search;
mod search_job;
mod space;
#[cfg(test)]
mod tests;
mod trial;
mod variation;

pub use error::EvolutionError;
pub use genome::{
    CellSelection, Genome, GenomePlayer, MarginGenome, MarginGenomeError, TableGenome,
    WeightGenome, WeightGenomeError,
};
pub use judge::{
    Colours, GameJudge, GameTerms, Judge, JudgeRound, JudgedRound, Opponents, PositionJudge,
};
pub use method::{Conditions, MethodSettings, PointFitness, SearchMethod, SettingsError};
pub use search::{NumberSearch, RoundSummary, SearchAnswer, SearchRun};
pub use search_job::{Errors, Evolve, Evolved, Fitness, GenomeDefinition};
pub use space::{Gene, SearchPoint, Space, SpaceError};
pub use trial::{Against, Trial, Tried};
pub use variation::{Crossover, Encoding, Mutation, Variation};

/// Where chance comes from; the same seed, the same numbers everywhere.
pub type Chance = rand_chacha::ChaCha8Rng;
