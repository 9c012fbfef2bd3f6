//! Positions put together piece by piece, as foreign formats give them.

use std::num::NonZeroU32;

use shakmaty::{Chess, Color, Piece, PositionError, Setup, Square};

use super::Position;
use super::packed::castling_mode;

/// The parts of a position, not yet checked.
#[derive(Clone, Debug)]
pub struct Placement {
    /// Pieces on their squares.
    pub pieces: Vec<(Square, Piece)>,
    /// The side to move.
    pub turn: Color,
    /// Rooks that may castle.
    pub castling_rooks: Vec<Square>,
    /// The square behind a pawn that has just gone two steps.
    pub en_passant: Option<Square>,
    /// Plies since the last capture or pawn move.
    pub halfmoves: u32,
    /// Full move number, starting at 1.
    pub fullmoves: u32,
}

impl Default for Placement {
    fn default() -> Self {
        Self {
            pieces: Vec::new(),
            turn: Color::White,
            castling_rooks: Vec::new(),
            en_passant: None,
            halfmoves: 0,
            fullmoves: 1,
        }
    }
}

/// Pieces that make no legal position.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct PlacementError(String);

impl Position {
    /// The position of a placement. As in FEN, an en passant square without a legal capture is
    /// ignored.
    ///
    /// # Errors
    /// A placement that is no legal position.
    pub fn from_placement(placement: &Placement) -> Result<Self, PlacementError> {
        let mut setup = Setup::empty();
        for &(square, piece) in &placement.pieces {
            setup.board.set_piece_at(square, piece);
        }
        placement.castling_rooks.iter().for_each(|&rook| setup.castling_rights.add(rook));
        setup.turn = placement.turn;
        setup.ep_square = placement.en_passant;
        setup.halfmoves = placement.halfmoves;
        setup.fullmoves = NonZeroU32::new(placement.fullmoves).unwrap_or(NonZeroU32::MIN);
        let mode = castling_mode(&setup);
        setup
            .position::<Chess>(mode)
            .or_else(PositionError::ignore_invalid_ep_square)
            .or_else(PositionError::ignore_impossible_check)
            .map(Self::from)
            .map_err(|error| PlacementError(error.to_string()))
    }
}
