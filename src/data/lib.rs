//! Games and positions, read from real formats.
//!
//! The room turns files into training samples and knows nothing of what the
//! samples are for. Three decisions shape it:
//!
//! * **Games where they can be had.** A reader of games yields them whole, with
//!   full positions (castling, en passant, side to move, the move played), so
//!   that every feature, filter and split downstream can be had. Lists of
//!   positions are read too; what they cannot tell is asked for, never guessed.
//! * **The split belongs to the data, not to the run.** Whether a game
//!   validates is decided by a hash of what was played, never by a seed: runs
//!   stay comparable, and the same game in two files cannot stand on both
//!   sides. Positions of a list, whose games are not known, are decided one by
//!   one, with a warning.
//! * **Reading is sequential, understanding is parallel.** A format only has
//!   to say where one entry (a game, a line) ends and the next begins;
//!   replaying, scoring and packing run on all cores, and results are taken up
//!   in file order, so the data set is the same whatever the number of threads.

mod archive;
mod batch;
mod binpack;
mod bulletformat;
mod by_game;
pub mod cache;
mod candidate;
mod choice;
#[cfg(test)]
mod damage;
pub mod dataset;
pub mod dedup;
mod defect;
mod entry;
mod error;
pub mod filter;
mod format;
mod frames;
mod gathering;
pub mod inspect;
mod inventory;
pub mod job;
mod journal;
pub mod list;
mod mixture;
pub mod pgn;
pub mod place;
mod positions;
mod reader;
mod records;
mod sample;
mod samples;
mod sfen;
mod share;
pub mod shuffle;
mod skip;
mod source;
mod spool;
pub mod split;
mod viriformat;
mod writer;

pub use by_game::SamplesByGame;
pub use cache::Cache;
pub use candidate::Candidate;
pub use chess::{Game, GameMove, GameResult, Score};
pub use choice::Choice;
pub use dataset::{DataSpec, Dataset, LoadProgress, Tally, expand, load, peek};
pub use defect::{BadEntry, Defect};
pub use entry::{BadMessage, Entry, EntryReader};
pub use error::DataError;
pub use filter::{DropCounts, DropRule, Filter, StaticEvaluation, StaticGap, StaticNet, Upset};
pub use format::Format;
pub use frames::Protection;
pub use inventory::{Census, Inventory};
pub use journal::{GameJournal, Journal, JournalError};
pub use list::ListedPosition;
pub use mixture::{Ingredient, NoWeight, Stretch, Weight};
pub use positions::{PositionSample, sample_positions, some_positions};
pub use reader::{DataFile, GameReader, ListReader, Reader};
pub use sample::Sample;
pub use samples::{SampleView, Samples};
pub use share::{NoShare, Share};
pub use skip::SkipReport;
pub use source::{Source, SourceInfo};
pub use writer::{Clamped, DataWriter, Unsaid, Written};
