//! Measurements of nets, and the judge that compares feature sets by them.
//!
//! Each measurement is a kind of job ([`plan::Work`]): its definition names nets by content and
//! holds all settings that decide the output. An [`EvaluationPlan`] lists the measurements of some
//! feature sets; [`judge`] makes a report of their results, for the grid of an experiment and for
//! a comparison of given nets alike.

mod ablation;
mod agreement;
pub mod answer;
pub mod bench;
mod counts;
mod curve;
mod elo;
mod evaluation_plan;
pub mod expected_elo;
mod game;
mod held_out_split;
mod judge;
mod loss;
mod loss_and_cost;
pub mod loss_elo;
mod node_time;
mod origin_line;
pub mod over_nodes;
pub mod page;
mod price;
pub mod puzzle_page;
pub mod puzzles;
mod quantisation;
mod search_note;
mod sequential;
pub mod several;
mod sheet;
mod solving;
mod speed;
pub mod tournament;
mod unique;
mod variant;
mod verdict;

pub use ablation::{Ablated, Ablation, PartNodes};
pub use elo::EloResult;
pub use evaluation_plan::{EvaluationPlan, HASH_MB, MatchQuestion, Pairings, PuzzleQuestion};
pub use game::{Match, MatchPlayer, OpeningsOf, Played, meet, openings};
pub use held_out_split::HeldOutSplit;
pub use judge::{judge, losses, tournament_of};
pub use loss::{LossTarget, ValidationLoss};
pub use node_time::{NodeTime, NodeTimes, TIMING_ROUNDS};
pub use page::model::{GridFactor, Report, RunRow, SetRow, label};
pub use price::PriceOfTime;
pub use quantisation::Quantisation;
pub use search_note::search_note;
pub use sequential::{Sequential, Tested};
pub use sheet::SheetError;
pub use solving::{Puzzles, Solved};
pub use speed::{Pace, SPEED_DEPTH, SPEED_ROUNDS, Speed, SpeedQuestion};
pub use variant::{DataSize, Variant, VariantNet};
pub use verdict::{Remedy, Verdict};
