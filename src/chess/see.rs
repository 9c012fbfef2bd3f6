//! Static exchange evaluation: what a sequence of captures on one square wins.

use super::{Board, Color, Move, Position, Role, Square, attacks};

/// Exchange values in centipawns.
pub const EXCHANGE_VALUE: [i32; 6] = [100, 300, 300, 500, 900, 20_000];

#[inline]
fn value(role: Role) -> i32 {
    EXCHANGE_VALUE[role as usize - 1]
}

/// Whether the move wins at least `threshold` centipawns in the exchange on
/// its target square, both sides always recapturing with the least valuable
/// piece and free to stop. Pins are ignored, as is usual.
pub fn see_at_least(position: &Position, m: Move, threshold: i32) -> bool {
    see(position, m) >= threshold
}

/// Centipawns the mover wins in the exchange on the target square.
pub fn see(position: &Position, m: Move) -> i32 {
    let board = position.board();
    let (Some(from), to) = (m.from(), m.to()) else { return 0 };
    if m.is_castle() {
        return 0;
    }
    let mut occupied = board.occupied();
    occupied.discard(from);
    if m.is_en_passant() {
        occupied.discard(Square::from_coords(to.file(), from.rank()));
    }
    let captured = m.capture().map_or(0, value);
    let promotion = m.promotion().map_or(0, |role| value(role) - value(Role::Pawn));
    let on_target = m.promotion().unwrap_or(m.role());

    // gains[d]: what the side making capture d has won if the exchange stops there.
    let mut gains = [0i32; 33];
    gains[0] = captured + promotion;
    let mut depth = 0;
    let mut victim = value(on_target);
    let mut side = !position.turn();
    while let Some((square, role)) = least_attacker(board, to, side, occupied) {
        // A king may not capture into a defended square.
        occupied.discard(square);
        if role == Role::King && least_attacker(board, to, !side, occupied).is_some() {
            break;
        }
        depth += 1;
        gains[depth] = victim - gains[depth - 1];
        victim = value(role);
        side = !side;
        if depth == 32 {
            break;
        }
    }
    while depth > 0 {
        gains[depth - 1] = -(-gains[depth - 1]).max(gains[depth]);
        depth -= 1;
    }
    gains[0]
}

/// The least valuable piece of `side` that attacks `to` through `occupied`.
fn least_attacker(
    board: &Board,
    to: Square,
    side: Color,
    occupied: super::Bitboard,
) -> Option<(Square, Role)> {
    let own = board.by_color(side) & occupied;
    let diagonal = attacks::bishop_attacks(to, occupied);
    let straight = attacks::rook_attacks(to, occupied);
    let attackers = [
        (Role::Pawn, attacks::pawn_attacks(!side, to)),
        (Role::Knight, attacks::knight_attacks(to)),
        (Role::Bishop, diagonal),
        (Role::Rook, straight),
        (Role::Queen, diagonal | straight),
        (Role::King, attacks::king_attacks(to)),
    ];
    attackers.into_iter().find_map(|(role, from)| {
        (from & own & board.by_role(role)).first().map(|square| (square, role))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value_of(fen: &str, uci: &str) -> i32 {
        let position = Position::from_fen(fen).unwrap();
        see(&position, position.parse_uci(uci).unwrap())
    }

    #[test]
    fn exchanges() {
        // The two standard examples of the Chess Programming Wiki, "SEE - The Swap Algorithm".
        assert_eq!(value_of("1k1r4/1pp4p/p7/4p3/8/P5P1/1PP4P/2K1R3 w - - 0 1", "e1e5"), 100);
        assert_eq!(
            value_of("1k1r3q/1ppn3p/p4b2/4p3/8/P2N2P1/1PP1R1BP/2K1Q3 w - - 0 1", "d3e5"),
            -200
        );
        assert_eq!(value_of("4k3/8/8/8/8/8/4r3/3QK3 w - - 0 1", "e1e2"), 500);
        assert_eq!(value_of("4k3/8/8/4pP2/8/8/8/4K3 w - e6 0 1", "f5e6"), 100);
    }
}
