//! The one judge: what is measured of nets, and what it says of feature sets.
//!
//! Each measurement is a kind of job ([`plan::Work`]): its definition names nets by content and
//! holds all settings that decide the output. An [`Inquiry`] lists the measurements of some feature
//! sets; [`judge`] makes a report of their results, for the grid of an experiment and for a
//! comparison of given nets alike.

mod ablation;
pub mod bench;
mod contestant;
mod curve;
mod game;
mod inquiry;
mod judge;
mod loss;
pub mod page;
mod price;
pub mod puzzle_page;
mod quantisation;
mod sequential;
mod solving;
mod speed;
pub mod tournament;
mod unique;
mod verdict;
mod yardstick;

pub use ablation::{Ablated, Ablation, PartNodes};
pub use contestant::{Contestant, DataSize, Entrant};
pub use game::{Match, OpeningsOf, Played, Seat, meet, openings};
pub use inquiry::{
    HASH_MB, Inquiry, MatchQuestion, Pairings, PuzzleQuestion, SPEED_DEPTH, SPEED_ROUNDS,
    SpeedQuestion,
};
pub use judge::{judge, losses, tournament_of};
pub use loss::{Loss, Teaching};
pub use page::model::{Factor, Report, RunRow, SetRow, label};
pub use price::PriceOfTime;
pub use quantisation::Quantisation;
pub use sequential::{Sequential, Tested};
pub use solving::{Puzzles, Solved};
pub use speed::{Pace, Speed};
pub use verdict::{Remedy, Verdict};
pub use yardstick::Yardstick;
