//! The engine: search, move ordering, transposition table, time, UCI.
//!
//! The search is there to compare evaluations, so it is a strong but ordinary
//! alpha-beta search that treats every evaluation alike:
//!
//! * what it learns from the evaluation it is given (correction history) is left
//!   out when nets are judged ([`Techniques::JUDGING`]), for that would repair
//!   the very errors that are to be measured;
//! * all its margins are in centipawns and are kept in one file
//!   ([`search::margins`]), and every net is brought to one [`Scale`];
//! * every part of it is a switch ([`Technique`]), so that `oplus ablate` can say
//!   what the part is worth;
//! * with node or depth limits it never looks at a clock: the same position,
//!   the same limits and a fresh [`Searcher::new_game`] give the same tree to
//!   the node, on every machine.
//!
//! [`Searcher`] is the in-process face, [`run_uci`] the one for interfaces.

pub mod bench;
pub mod book;
pub mod correction;
pub mod evaluator;
pub mod history;
pub mod limits;
pub mod material;
pub mod net;
pub mod ordering;
pub mod pesto;
pub mod repetition;
pub mod scale;
pub mod search;
pub mod signals;
pub mod table;
pub mod technique;
pub mod uci;
pub mod value;

pub use book::{Book, BookError, BookMove};
pub use evaluator::Evaluator;
pub use limits::{Clock, Limits};
pub use material::Material;
pub use net::NetEvaluator;
pub use pesto::Pesto;
pub use scale::Scale;
pub use search::{SearchInfo, SearchResult, Searcher};
pub use signals::Signals;
pub use technique::{Technique, Techniques};
pub use uci::{EvaluatorLoader, EvaluatorSource, UciOptions, run_uci};
