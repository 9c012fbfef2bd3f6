//! The one judge: what is measured of nets, and what it says of feature sets.
//!
//! A [`Measurement`] is a value: its definition names the nets by what they are and holds
//! whatever else decides the outcome, so that it has a key by which its result is found
//! again. An [`Inquiry`] says who is asked what; [`judge`] makes a report of the answers,
//! whoever asked: an experiment over its grid, or a comparison of nets somebody has.

mod ablation;
mod any;
mod contestant;
mod curve;
mod game;
mod inquiry;
mod judge;
mod loss;
mod measurement;
mod price;
mod quantisation;
mod sequential;
mod solving;
mod speed;
pub mod tournament;
mod trained;
mod verdict;
mod yardstick;

pub use ablation::{Ablated, Ablation, PartNodes};
pub use any::Measure;
pub use contestant::{Contestant, Entrant, Taught};
pub use game::{Match, OpeningsOf, Played, Seat, meet, openings};
pub use inquiry::{Inquiry, MatchQuestion, Pairings, PuzzleQuestion, SpeedQuestion};
pub use judge::{Answers, judge, tournament_of};
pub use loss::{Loss, Teaching};
pub use measurement::{Desk, MeasureError, Measurement, NetId, Shelf, Watch};
pub use price::PriceOfTime;
pub use quantisation::Quantisation;
pub use sequential::{Sequential, Tested};
pub use solving::{Puzzles, Solved};
pub use speed::{Pace, Speed};
pub use trained::{FirstLayer, Trained, losses};
pub use verdict::{Remedy, Verdict};
pub use yardstick::Yardstick;
