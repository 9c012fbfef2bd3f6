//! Black-box search for numbers: spaces, methods, judges and resumable runs.
//!
//! A [`Space`] has named numbers with bounds. A [`SearchMethod`] proposes points and receives their
//! fitness; it does not depend on chess, games or judges, so that all methods can have the same
//! budget on the same judge. A judgement is a [`PointFitness`] for each point.
//!
//! A method is a function of its settings, its seed and the judgements. So a journal of the
//! judgements suffices: a run resumes by replaying them.
//!
//! The fourth source document (Rahul, *Phoenix*, 2014) is [`method::genetic`] and
//! [`method::crowding`]; the others are the field's standard methods for the same task. The second
//! one is [`factorisation`].

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

/// Random generator; the same seed gives the same numbers everywhere.
pub type Chance = rand_chacha::ChaCha8Rng;
