//! The board: the only room that depends on `shakmaty`.
//!
//! Everything above works with the handful of types exported here, so the board library could be
//! replaced by rewriting this folder. The library is fast enough to stay (legal moves in about 150
//! ns, play in 9 ns). This room adds the parts of an engine that it lacks: exchange evaluation,
//! null moves with a hash, packed training positions, a board as *one side* sees it.
//!
//! ```
//! use oplus_chess::Position;
//!
//! let mut position = Position::from_fen("4k3/P7/8/8/8/8/8/4K3 w - - 0 1")?;
//! let played = position.parse_uci("a7a8q")?;
//! assert_eq!(position.san(played), "a8=Q+");
//! position.play(played);
//! assert!(position.is_check() && position.end().is_none());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#![warn(missing_docs)]

mod change;
pub mod game;
mod hits;
pub mod maps;
mod moves;
mod packed;
mod phase;
mod placement;
mod position;
#[cfg(any(test, feature = "testing"))]
pub mod random_game;
mod scene;
mod see;
mod setwise;
mod tablebase;
mod view;
mod zobrist;

pub use change::{BoardChange, PlacedPiece};
pub use game::{Game, GameMove, GameResult, Score};
pub use hits::Hits;
pub use moves::{Move, MoveList};
pub use packed::PackedPosition;
pub use phase::{FULL_PHASE, phase, phase_band};
pub use placement::{Placement, PlacementError};
pub use position::{
    CheckSquares, FenError, GameEnd, MoveError, NoSuchMove, PartKeys, Position, PositionKey,
};
pub use scene::Scene;
pub use see::see_at_least;
pub use tablebase::{EndgameTable, Syzygy, SyzygyError, TablebaseOutcome};
pub use view::{Orientation, PieceKind, Side, View};
pub use zobrist::reversal_key;

pub use shakmaty::san::San;
pub use shakmaty::uci::UciMove;
pub use shakmaty::{
    Bitboard, Board, ByColor, ByRole, CastlingSide, Color, File, Piece, Rank, Role, Square, attacks,
};
