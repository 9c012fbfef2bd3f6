//! A whole position in 28 bytes, for training data in memory and on disk.

use bytemuck::{Pod, Zeroable};
use shakmaty::{Bitboard, Board, Chess, Color, File, Piece, Rank, Role, Setup, Square};
use std::num::NonZeroU32;

use super::Position;

/// Board, turn, castling rights, en passant and counters of one position.
///
/// The order follows marlinformat (little endian, squares a1 to h8), but the
/// type is ours: 8 bytes of occupancy, a nibble per piece in square order
/// (bits 0–2 role with 6 = rook that may castle, bit 3 black), turn and en
/// passant square, half-move clock, full-move number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Pod, Zeroable)]
#[repr(C, packed(4))]
pub struct PackedPosition {
    occupied: u64,
    pieces: [u8; 16],
    /// Bit 7: Black to move; bits 0–6: en passant square, 64 for none.
    turn_and_en_passant: u8,
    halfmoves: u8,
    fullmoves: u16,
}

const KING: u8 = 5;
const CASTLING_ROOK: u8 = 6;
const BLACK_BIT: u8 = 8;
const NO_EN_PASSANT: u8 = 64;

/// The nibbles of a position, by bit: the squares whose nibble has it.
struct Planes {
    bit_0: Bitboard,
    bit_1: Bitboard,
    bit_2: Bitboard,
    black: Bitboard,
}

impl PackedPosition {
    /// Packs a position. Positions have at most 32 pieces; beyond that
    /// (impossible in a legal game) `None`.
    pub fn pack(position: &Position) -> Option<Self> {
        let board = position.board();
        let occupied = board.occupied();
        if occupied.count() > 32 {
            return None;
        }
        let rooks = position.castling_rooks();
        let mut pieces = [0u8; 16];
        for (i, square) in occupied.into_iter().enumerate() {
            let piece = board.piece_at(square)?;
            let role = if rooks.contains(square) { CASTLING_ROOK } else { piece.role as u8 - 1 };
            let nibble = role | if piece.color == Color::Black { BLACK_BIT } else { 0 };
            pieces[i / 2] |= nibble << (4 * (i % 2));
        }
        let en_passant = position.en_passant().map_or(NO_EN_PASSANT, |square| square as u8);
        let turn = if position.turn() == Color::Black { 0x80 } else { 0 };
        Some(Self {
            occupied: occupied.0,
            pieces,
            turn_and_en_passant: turn | en_passant,
            halfmoves: position.halfmoves().min(255) as u8,
            fullmoves: position.fullmoves().min(u32::from(u16::MAX)) as u16,
        })
    }

    /// From occupancy and pieces alone, in this layout: White to move, no castling, no en passant.
    /// `None` if the bytes are not 24, or have castling rooks.
    pub fn of_white(board: &[u8]) -> Option<Self> {
        let (occupied, pieces) = board.split_first_chunk()?;
        let packed = Self {
            occupied: u64::from_le_bytes(*occupied),
            pieces: pieces.try_into().ok()?,
            turn_and_en_passant: NO_EN_PASSANT,
            halfmoves: 0,
            fullmoves: 1,
        };
        let is_plain = packed.pieces().all(|(_, nibble)| nibble & 7 < CASTLING_ROOK);
        is_plain.then_some(packed)
    }

    /// Occupancy and pieces in this layout, without castling rights; `None` for more
    /// than 32 pieces.
    pub fn board_bytes(board: &Board) -> Option<[u8; 24]> {
        let mut bytes = [0; 24];
        let (occupied, pieces) = bytes.split_at_mut(8);
        occupied.copy_from_slice(&board.occupied().0.to_le_bytes());
        for (i, square) in board.occupied().into_iter().enumerate() {
            let piece = board.piece_at(square)?;
            let black = if piece.color == Color::Black { BLACK_BIT } else { 0 };
            *pieces.get_mut(i / 2)? |= ((piece.role as u8 - 1) | black) << (4 * (i % 2));
        }
        Some(bytes)
    }

    /// Bytes of [`board_and_turn`](Self::board_and_turn).
    pub const BOARD_AND_TURN: usize = 25;

    /// Identity of the position without counters and en passant: the pieces, with rooks that may
    /// castle distinct from others, and the side to move.
    #[inline]
    pub fn board_and_turn(&self) -> [u8; Self::BOARD_AND_TURN] {
        let mut bytes = [0; Self::BOARD_AND_TURN];
        bytes[..8].copy_from_slice(&{ self.occupied }.to_le_bytes());
        bytes[8..24].copy_from_slice(&self.pieces);
        bytes[24] = self.turn_and_en_passant & 0x80;
        bytes
    }

    /// The side to move.
    #[inline]
    pub fn turn(&self) -> Color {
        Color::from_white(self.turn_and_en_passant & 0x80 == 0)
    }

    /// Plies since the last capture or pawn move, up to 255.
    #[inline]
    pub fn halfmoves(&self) -> u32 {
        u32::from(self.halfmoves)
    }

    /// Number of pieces on the board.
    #[inline]
    pub fn piece_count(&self) -> u32 {
        { self.occupied }.count_ones()
    }

    /// The square of a side's king.
    #[inline]
    pub fn king(&self, color: Color) -> Option<Square> {
        let nibble = KING | if color == Color::Black { BLACK_BIT } else { 0 };
        self.pieces().find(|&(_, piece)| piece == nibble).map(|(square, _)| square)
    }

    /// Squares and pieces in square order.
    #[inline]
    fn pieces(&self) -> impl Iterator<Item = (Square, u8)> + '_ {
        Bitboard(self.occupied)
            .into_iter()
            .take(32)
            .enumerate()
            .map(|(i, square)| (square, (self.pieces[i / 2] >> (4 * (i % 2))) & 15))
    }

    /// The bits of all nibbles, each bit as a set of squares.
    #[inline]
    fn planes(&self) -> Planes {
        let mut planes = [0; 4];
        let mut rest = self.occupied;
        let (words, _) = self.pieces.as_chunks();
        for mut word in words.iter().map(|&bytes| u64::from_le_bytes(bytes)) {
            for _ in 0..rest.count_ones().min(16) {
                let square = rest & rest.wrapping_neg();
                // Branchless, since the kind of piece is unpredictable.
                for (bit, plane) in planes.iter_mut().enumerate() {
                    *plane |= square & 0u64.wrapping_sub(word >> bit & 1);
                }
                rest ^= square;
                word >>= 4;
            }
        }
        let [bit_0, bit_1, bit_2, black] = planes.map(Bitboard);
        Planes { bit_0, bit_1, bit_2, black }
    }

    /// The pieces on their squares, and the rooks of both colours that may still castle; no pieces
    /// if the bytes have more than 32.
    #[inline]
    pub(crate) fn board_and_castling_rooks(&self) -> (Board, Bitboard) {
        if self.piece_count() > 32 {
            return (Board::empty(), Bitboard::EMPTY);
        }
        let occupied = Bitboard(self.occupied);
        let Planes { bit_0, bit_1, bit_2, black } = self.planes();
        let castling_or_unused = bit_2 & bit_1;
        let by_role = shakmaty::ByRole {
            pawn: occupied & !(bit_0 | bit_1 | bit_2),
            knight: bit_0 & !(bit_1 | bit_2),
            bishop: bit_1 & !(bit_0 | bit_2),
            rook: (bit_0 & bit_1) | castling_or_unused,
            queen: bit_2 & !(bit_0 | bit_1),
            king: bit_2 & bit_0 & !bit_1,
        };
        let by_color = shakmaty::ByColor { black, white: occupied & !black };
        let board = Board::try_from_bitboards(by_role, by_color);
        (board.unwrap_or_else(|_| Board::empty()), castling_or_unused & !bit_0)
    }

    /// The pieces on their squares; all that feature sets on pieces need.
    #[inline]
    pub fn board(&self) -> Board {
        self.board_and_castling_rooks().0
    }

    /// Squares of the rooks that may still castle, both colours.
    pub fn castling_rooks(&self) -> Bitboard {
        self.board_and_castling_rooks().1
    }

    /// The en passant square if a legal capture onto it exists.
    pub fn en_passant(&self) -> Option<Square> {
        Square::try_from(self.turn_and_en_passant & 0x7f).ok()
    }

    /// The position again, or `None` if the bytes do not describe a legal one.
    pub fn unpack(&self) -> Option<Position> {
        if self.piece_count() > 32 {
            return None;
        }
        let mut setup = Setup::empty();
        for (square, nibble) in self.pieces() {
            if nibble & 7 > CASTLING_ROOK {
                return None;
            }
            let role = Role::ALL[role_index(nibble)];
            let color = Color::from_black(nibble & BLACK_BIT != 0);
            setup.board.set_piece_at(square, Piece { color, role });
            if nibble & 7 == CASTLING_ROOK {
                setup.castling_rights.add(square);
            }
        }
        setup.turn = self.turn();
        setup.ep_square = self.en_passant();
        setup.halfmoves = u32::from(self.halfmoves);
        setup.fullmoves = NonZeroU32::new(u32::from(self.fullmoves))?;
        let mode = castling_mode(&setup);
        setup.position::<Chess>(mode).ok().map(Position::from)
    }
}

#[inline]
fn role_index(nibble: u8) -> usize {
    match nibble & 7 {
        CASTLING_ROOK => Role::Rook as usize - 1,
        role => role as usize,
    }
}

pub(super) fn castling_mode(setup: &Setup) -> shakmaty::CastlingMode {
    let standard = [Rank::First, Rank::Eighth].into_iter().all(|rank| {
        let rights = setup.castling_rights & Bitboard::from(rank);
        let king_home = Square::from_coords(File::E, rank);
        rights.is_empty()
            || (setup.board.role_at(king_home) == Some(Role::King)
                && rights.into_iter().all(|rook| matches!(rook.file(), File::A | File::H)))
    });
    if standard { shakmaty::CastlingMode::Standard } else { shakmaty::CastlingMode::Chess960 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pack_and_unpack_return_the_same_position() {
        for fen in [
            "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
            "r3k2r/p1ppqpb1/bn2pnp1/3PN3/Pp2P3/2N2Q1p/1PPBBPPP/R3K2R b Kq a3 0 11",
            "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 7 60",
            "1rqbkrbn/1ppppp1p/1n6/p1N3p1/8/2P4P/PP1PPPP1/1RQBKRBN w FBfb - 0 9",
        ] {
            let position = Position::from_fen(fen).unwrap();
            let packed = PackedPosition::pack(&position).unwrap();
            assert_eq!(packed.unpack().unwrap().fen(), position.fen());
            assert_eq!(&packed.board(), position.board());
            assert_eq!(packed.turn(), position.turn());
            for color in Color::ALL {
                assert_eq!(packed.king(color), position.board().king_of(color));
            }
            assert_eq!(packed.piece_count() as usize, position.board().occupied().count());
        }
        assert_eq!(std::mem::size_of::<PackedPosition>(), 28);
    }

    #[test]
    fn a_code_that_is_no_piece_is_none() {
        let rook_on_h1 = |code: u8| {
            let mut bytes = [0; 24];
            bytes[..8].copy_from_slice(&(0x81u64 | 1 << 60).to_le_bytes());
            bytes[8..10].copy_from_slice(&[5 | code << 4, 5 | BLACK_BIT]);
            bytes
        };
        let read = |code| PackedPosition::of_white(&rook_on_h1(code));
        assert!(read(3).and_then(|packed| packed.unpack()).is_some());
        assert!(read(CASTLING_ROOK).is_none() && read(7).is_none());
        let mut packed = read(3).unwrap();
        packed.pieces[0] |= 0x70;
        assert!(packed.unpack().is_none());
    }

    #[test]
    fn more_pieces_than_there_can_be_are_none() {
        let mut packed = PackedPosition::pack(&Position::default()).unwrap();
        packed.occupied |= 1 << 32;
        assert_eq!(packed.board(), Board::empty());
        assert!(packed.unpack().is_none());
    }
}
