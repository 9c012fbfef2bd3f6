//! Games and positions, read from real formats.
//!
//! The room turns files into training samples, independent of their use. Three decisions shape it:
//!
//! * **Games where possible.** A reader of games yields them whole, with full positions
//!   (castling, en passant, side to move, the move played), so that every feature, filter and
//!   split downstream is possible. Lists of positions are read too; a missing field is an error
//!   with advice, never a guess.
//! * **The split belongs to the data, not to the run.** A hash of the moves decides
//!   whether a game is in the validation set, never a seed: runs stay comparable, and the same
//!   game in two files cannot stand on both sides. Positions of a list, whose games are not
//!   known, are decided one by one, with a warning.
//! * **Reading is sequential, decoding is parallel.** A format says where one entry (a game, a
//!   line) ends and the next begins; replaying, scoring and packing run on all cores, and
//!   results are taken in file order, so the data set does not depend on the number of threads.

mod defect;
mod error;
mod formats;
pub mod job;
mod samples;
mod skip;
mod tools;

pub use chess::{Game, GameMove, GameResult, Score};
pub use defect::{BadEntry, Defect};
pub use error::DataError;
pub use formats::entry::{BadMessage, Entry, EntryReader, GameReader};
pub use formats::format::FileFormat;
pub use formats::frames::Protection;
pub use formats::list::ListedPosition;
pub use formats::source::{Source, SourceInfo};
pub use formats::writer::{Clamped, DataWriter, LeftOut, Written};
pub use formats::{archive, list, pgn, place};
pub use samples::by_game::SamplesByGame;
pub use samples::cache::Cache;
pub use samples::candidate::CandidatePosition;
pub use samples::choice::Choice;
pub use samples::dataset::{
    DataSpec, Dataset, EntryCounts, LoadProgress, check_halfmoves, expand, load, peek,
};
pub use samples::filter::{
    DropCounts, DropRule, Filter, StaticEvaluation, StaticGap, StaticNet, Upset,
};
pub use samples::inventory::{Census, Inventory};
pub use samples::mixture::{Ingredient, InvalidWeight, Stretch, Weight};
pub use samples::positions::{PositionSample, sample_positions, some_positions};
pub use samples::sample::Sample;
pub use samples::share::{InvalidShare, Share};
pub use samples::store::{SampleView, Samples};
pub use samples::{cache, dataset, filter, split};
pub use skip::SkipReport;
pub use tools::journal::GameJournal;
pub use tools::{dedup, inspect, join, shuffle};
