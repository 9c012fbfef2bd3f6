//! A chain: a packed position, then moves and scores as bits.
//!
//! A move is the index of its piece among the mover's, in the order of squares, and the index
//! of its target among the squares which that piece attacks; a score is the difference from the
//! negated score before it. So bytes that make no sense mostly give moves that are not legal.

use crate::defect::Defect;
use chess::{Bitboard, CastlingSide, Color, Move, Placement, Position, Role, Square, attacks};

/// Bytes of a stem and of the number of plies that follow it.
pub(super) const STEM_BYTES: usize = 34;

/// Why a chain cannot be decoded to its end.
pub(super) enum Fault {
    /// The chunk ends inside the chain.
    Cut,
    Bad(Defect, String),
}

/// Where a chain begins: its first position with move, score and result.
pub(super) struct Stem {
    pub position: Position,
    pub played: Move,
    /// The mover's.
    pub score: i16,
    pub ply: u16,
    /// The mover's: 1 won, 0 drawn, -1 lost.
    pub result: i16,
}

/// Plies behind a stem.
pub(super) fn plies(stem: &[u8; STEM_BYTES]) -> u16 {
    word(stem, 32)
}

fn word(bytes: &[u8; STEM_BYTES], at: usize) -> u16 {
    u16::from_be_bytes([bytes[at], bytes[at + 1]])
}

impl Stem {
    pub(super) fn decode(bytes: &[u8; STEM_BYTES]) -> Result<Self, Fault> {
        let (ply_and_result, bits) = (word(bytes, 28), word(bytes, 24));
        let ply = ply_and_result & 0x3fff;
        let placement = placement(bytes, ply);
        let position = Position::from_placement(&placement)
            .map_err(|error| Fault::Bad(Defect::StartPosition, error.to_string()))?;
        let square = |shift: u16| Square::new(u32::from(bits >> shift & 63));
        let promotion = (bits >> 14 == 1).then_some(PROMOTIONS[usize::from(bits & 3)]);
        let played = legal(&position, square(8), square(2), promotion)?;
        let score = signed(word(bytes, 26));
        Ok(Self { position, played, score, ply, result: signed(ply_and_result >> 14) })
    }
}

/// Promotions in the order of their codes.
pub(super) const PROMOTIONS: [Role; 4] = [Role::Knight, Role::Bishop, Role::Rook, Role::Queen];
/// Roles in the order of their codes, each for White and then for Black.
pub(super) const ROLES: [Role; 6] =
    [Role::Pawn, Role::Knight, Role::Bishop, Role::Rook, Role::Queen, Role::King];

/// The pieces: a bitboard of the occupied squares, then a nibble for each.
fn placement(bytes: &[u8; STEM_BYTES], ply: u16) -> Placement {
    let occupied = Bitboard(u64::from_be_bytes(std::array::from_fn(|i| bytes[i])));
    let nibbles = bytes[8..24].iter().flat_map(|byte| [byte & 15, byte >> 4]);
    let mut placement = Placement {
        halfmoves: word(bytes, 30).into(),
        fullmoves: u32::from(ply) / 2 + 1,
        ..Placement::default()
    };
    for (square, nibble) in occupied.into_iter().zip(nibbles) {
        let piece = match nibble {
            // A pawn that has just gone two steps.
            12 if u32::from(square) < 32 => {
                placement.en_passant = square.offset(-8);
                Role::Pawn.of(Color::White)
            }
            12 => {
                placement.en_passant = square.offset(8);
                Role::Pawn.of(Color::Black)
            }
            13 | 14 => {
                placement.castling_rooks.push(square);
                Role::Rook.of(Color::from_white(nibble == 13))
            }
            // The king of Black, who is to move.
            15 => {
                placement.turn = Color::Black;
                Role::King.of(Color::Black)
            }
            _ => ROLES[usize::from(nibble) / 2].of(Color::from_white(nibble % 2 == 0)),
        };
        placement.pieces.push((square, piece));
    }
    placement
}

/// A 16-bit number whose sign is its lowest bit.
fn signed(bits: u16) -> i16 {
    let turned = bits.rotate_right(1);
    (if turned & 0x8000 == 0 { turned } else { turned ^ 0x7fff }) as i16
}

/// The moves and scores behind a stem.
pub(super) struct Movetext<'c> {
    bytes: &'c [u8],
    /// Bits read so far, the highest of each byte first.
    at: usize,
}

impl<'c> Movetext<'c> {
    pub(super) fn new(bytes: &'c [u8]) -> Self {
        Self { bytes, at: 0 }
    }

    /// Bytes read so far.
    pub(super) fn len(&self) -> usize {
        self.at.div_ceil(8)
    }

    fn bits(&mut self, count: u32) -> Result<usize, Fault> {
        let mut number = 0;
        for _ in 0..count {
            let byte = self.bytes.get(self.at / 8).ok_or(Fault::Cut)?;
            number = number << 1 | usize::from(byte >> (7 - self.at % 8) & 1);
            self.at += 1;
        }
        Ok(number)
    }

    /// A number below `count`, in as many bits as the largest takes.
    fn index(&mut self, count: usize) -> Result<usize, Fault> {
        self.bits(count.saturating_sub(1).checked_ilog2().map_or(0, |log| log + 1))
    }

    /// The next score, from the one before it; both are their movers'.
    pub(super) fn score(&mut self, before: i16) -> Result<i16, Fault> {
        let mut difference = 0;
        for shift in (0..16).step_by(4) {
            let block = self.bits(5)?;
            difference |= ((block & 15) as u16) << shift;
            if block < 16 {
                return Ok(before.wrapping_neg().wrapping_add(signed(difference)));
            }
        }
        Err(Fault::Bad(Defect::Malformed, "a score has more than 16 bits".to_owned()))
    }

    /// The next move.
    pub(super) fn played(&mut self, position: &Position) -> Result<Move, Fault> {
        let (board, turn) = (position.board(), position.turn());
        let own = board.by_color(turn);
        let piece = self.index(own.count())?;
        let from = nth(own, piece)?;
        let role = board.role_at(from).unwrap_or(Role::Pawn);
        match role {
            Role::Pawn => self.by_pawn(position, from),
            Role::King => self.by_king(position, from),
            _ => {
                let attacked = attacks::attacks(from, role.of(turn), board.occupied());
                let to = self.target(attacked & !own)?;
                legal(position, from, to, None)
            }
        }
    }

    fn target(&mut self, targets: Bitboard) -> Result<Square, Fault> {
        let index = self.index(targets.count())?;
        nth(targets, index)
    }

    fn by_pawn(&mut self, position: &Position, from: Square) -> Result<Move, Fault> {
        let targets = pawn_targets(position, from);
        if from.rank() != position.turn().relative_rank(chess::Rank::Seventh) {
            let to = self.target(targets)?;
            return legal(position, from, to, None);
        }
        let index = self.index(4 * targets.count())?;
        legal(position, from, nth(targets, index / 4)?, Some(PROMOTIONS[index % 4]))
    }

    /// Behind the squares around the king stand its castling moves, the long one first.
    fn by_king(&mut self, position: &Position, from: Square) -> Result<Move, Fault> {
        let rooks = castling_rooks(position);
        let targets = attacks::king_attacks(from) & !position.board().by_color(position.turn());
        let index = self.index(targets.count() + rooks.count())?;
        let Some(castling) = index.checked_sub(targets.count()) else {
            return legal(position, from, nth(targets, index)?, None);
        };
        let side = |rook: Square| CastlingSide::from_king_side(rook > from);
        let is_long = castling == 0 && rooks.into_iter().any(|rook| side(rook).is_queen_side());
        let wanted = CastlingSide::from_queen_side(is_long);
        let rook = rooks.into_iter().find(|&rook| side(rook) == wanted).ok_or_else(no_move)?;
        legal(position, from, rook, None)
    }
}

/// Squares that a pawn of the side to move may reach, pins and checks aside.
pub(super) fn pawn_targets(position: &Position, from: Square) -> Bitboard {
    let (board, turn) = (position.board(), position.turn());
    let passed = position.en_passant().map_or(Bitboard::EMPTY, Bitboard::from);
    let takes = attacks::pawn_attacks(turn, from) & (board.by_color(!turn) | passed);
    let step = |squares: Bitboard| squares.shift(turn.fold_wb(8, -8)) & !board.occupied();
    let one = step(Bitboard::from(from));
    let is_home = from.rank() == turn.relative_rank(chess::Rank::Second);
    takes | one | if is_home { step(one) } else { Bitboard::EMPTY }
}

/// Rooks with which the side to move may still castle.
pub(super) fn castling_rooks(position: &Position) -> Bitboard {
    position.castling_rooks() & position.board().by_color(position.turn())
}

fn nth(squares: Bitboard, index: usize) -> Result<Square, Fault> {
    squares.into_iter().nth(index).ok_or_else(no_move)
}

fn no_move() -> Fault {
    Fault::Bad(Defect::Malformed, "the bits of a move stand for none".to_owned())
}

fn legal(
    position: &Position,
    from: Square,
    to: Square,
    promotion: Option<Role>,
) -> Result<Move, Fault> {
    position.legal_move(from, to, promotion).ok_or_else(|| {
        let promotion = promotion.map_or(String::new(), |role| role.char().to_string());
        let detail = format!("{from}{to}{promotion} is not legal in {position}");
        Fault::Bad(Defect::IllegalMove, detail)
    })
}
