//! The engine: search, move ordering, transposition table, time, UCI.
//!
//! The search serves to compare evaluations: a strong but ordinary alpha-beta search that treats
//! every evaluation alike:
//!
//! * matches that judge nets leave out correction history ([`Techniques::JUDGING`]), which would
//!   repair the very errors to be measured;
//! * all margins are in centipawns and in one file (`search/margins.rs`), and every net is brought
//!   to one scale (`scale.rs`);
//! * every part is a switch ([`Technique`]), so that `oplus ablate` can measure its Elo;
//! * with node or depth limits it never reads a clock: the same position, the same limits and a
//!   fresh [`Searcher::new_game`] give the same tree to the node, on every machine.
//!
//! Programs use a [`Searcher`], graphical interfaces [`run_uci`].

#![warn(missing_docs)]

mod allowance;
pub mod bench;
pub mod book;
mod budget;
mod correction;
mod evaluator;
mod history;
mod lateness;
mod limits;
mod material;
mod net;
mod ordering;
mod pesto;
mod piece_tables;
pub mod repetition;
mod reversal;
mod scale;
mod schedule;
pub mod search;
mod signals;
pub mod table;
mod technique;
mod timepiece;
pub mod uci;
pub mod value;

pub use evaluator::Evaluator;
pub use limits::{Clock, Limits};
pub use material::Material;
pub use net::NetEvaluator;
pub use piece_tables::{ByRoleAndSquare, MOST, PieceTables, TablesError, Tapered};
pub use scale::reference_positions;
pub use search::{Margin, MarginError, Margins, ScoreBound, SearchInfo, SearchResult, Searcher};
pub use signals::Signals;
pub use technique::{Technique, Techniques};
pub use uci::{EvaluatorLoader, EvaluatorSource, UciOptions, run_uci};
