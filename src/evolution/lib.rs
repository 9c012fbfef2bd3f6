//! Numbers found by trying: what is searched, how, and what is remembered of it.
//!
//! A [`Space`] is what is searched: named numbers with bounds. A [`Method`] asks for points to be
//! judged and is told how good they are; it knows nothing of chess, of games or of how a judge
//! comes to its answer, so that all methods can be given the same budget on the same judge. What
//! judges is a [`Judgement`] for each point, from whoever runs the search.
//!
//! A method is a function of its settings, its seed and what it was told. So what it was told is
//! all that has to be kept of a search: told the same again, it stands where it stood.
//!
//! The fourth source document (Rahul, *Phoenix*, 2014) is [`method::genetic`] and
//! [`method::crowding`]; the others are what the field has for the same task.

pub mod file;
pub mod method;
mod course;
mod error;
mod genome;
mod individual;
pub mod judge;
mod journal;
mod numbers;
mod search_job;
mod space;
#[cfg(test)]
mod tests;
mod trial;
mod variation;

pub use course::{Answer, Course, CourseRound, Search, Standing};
pub use error::EvolutionError;
pub use genome::{
    Candidate, Cells, Genome, MarginGenome, MarginGenomeError, Tables, WeightGenome,
    WeightGenomeError,
};
pub use judge::{Colours, Games, Judge, Judged, Opponents, Positions, Round, Terms};
pub use method::{Conditions, Judgement, Method, MethodSettings, SettingsError};
pub use search_job::{Errors, Evolve, Evolved, Fitness, GenomeDefinition};
pub use space::{Gene, Point, Space, SpaceError};
pub use trial::{Against, Trial, Tried};
pub use variation::{Crossover, Encoding, Mutation, Variation};

/// Where chance comes from; the same seed, the same numbers everywhere.
pub type Chance = rand_chacha::ChaCha8Rng;
