//! Moves and results in viriformat's bits.

use chess::{Move, Position, Role, Square};

const KIND_NORMAL: u16 = 0;
const KIND_EN_PASSANT: u16 = 1;
const KIND_CASTLE: u16 = 2;
const KIND_PROMOTION: u16 = 3;

/// Promotion roles in the order of their two bits.
const PROMOTIONS: [Role; 4] = [Role::Knight, Role::Bishop, Role::Rook, Role::Queen];

/// The 16 bits of a move.
pub(crate) fn encode_move(m: Move) -> u16 {
    let promotion = m.promotion().and_then(|role| PROMOTIONS.iter().position(|&p| p == role));
    let kind = if m.is_castle() {
        KIND_CASTLE
    } else if m.is_en_passant() {
        KIND_EN_PASSANT
    } else if m.is_promotion() {
        KIND_PROMOTION
    } else {
        KIND_NORMAL
    };
    // A castling move's `to` is its rook.
    let (from, to) = (m.from() as u16, m.to() as u16);
    from | to << 6 | (promotion.unwrap_or(0) as u16) << 12 | kind << 14
}

/// The legal move with those bits.
pub(crate) fn decode_move(bits: u16, position: &Position) -> Option<Move> {
    position.legal_moves().into_iter().find(|&m| encode_move(m) == bits)
}

/// `e2e4`-like text of any 16 bits, for messages.
pub(super) fn describe_move(bits: u16) -> String {
    let square = |shift: u16| Square::new(u32::from(bits >> shift & 63));
    format!("{}{} (kind {}, 0x{bits:04x})", square(0), square(6), bits >> 14)
}
