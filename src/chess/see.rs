//! Static exchange evaluation: material balance of a sequence of captures on one square.

use super::{Bitboard, Board, Color, Move, Position, Role, Square, attacks};

/// Exchange values in centipawns.
const EXCHANGE_VALUE: [i32; 6] = [100, 300, 300, 500, 900, 20_000];

#[inline]
fn value(role: Role) -> i32 {
    EXCHANGE_VALUE[role as usize - 1]
}

/// Whether the move wins at least `threshold` centipawns in the exchange on
/// its target square, both sides always recapturing with the least valuable
/// piece and free to stop. Pins are ignored, as is usual.
///
/// It returns as soon as the result is certain: for most captures the victim decides.
pub fn see_at_least(position: &Position, m: Move, threshold: i32) -> bool {
    let (from, to) = (m.from(), m.to());
    if m.is_castle() {
        return threshold <= 0;
    }
    let captured = m.capture().map_or(0, value);
    let promotion = m.promotion().map_or(0, |role| value(role) - value(Role::Pawn));
    // Lead of the mover over the threshold if the exchange stops here…
    let mut ahead = captured + promotion - threshold;
    if ahead < 0 {
        return false;
    }
    // …and after the loss of the piece on the target.
    ahead -= value(m.lands_as());
    if ahead >= 0 {
        return true;
    }
    let mut exchange = Exchange::new(position.board(), to);
    exchange.remove(from);
    if m.is_en_passant() {
        exchange.remove(m.passed());
    }
    exchange.wins(!position.turn(), ahead)
}

/// The pieces that bear on a square, as they leave one by one.
struct Exchange<'a> {
    board: &'a Board,
    to: Square,
    occupied: Bitboard,
}

impl<'a> Exchange<'a> {
    fn new(board: &'a Board, to: Square) -> Self {
        Self { board, to, occupied: board.occupied() }
    }

    fn remove(&mut self, square: Square) {
        self.occupied.discard(square);
    }

    /// Whether the mover ends with at least zero when `side` may recapture first and the mover is
    /// `ahead` (below zero) after that.
    fn wins(mut self, mut side: Color, mut ahead: i32) -> bool {
        let board = self.board;
        let (diagonal, straight) = (board.bishops_and_queens(), board.rooks_and_queens());
        let mut attackers = self.attackers();
        // The side to recapture wins the exchange if it stops now.
        let mut mover_wins = true;
        loop {
            attackers &= self.occupied;
            let Some((square, role)) = self.least(attackers & board.by_color(side)) else {
                return mover_wins;
            };
            self.remove(square);
            if matches!(role, Role::Pawn | Role::Bishop | Role::Queen) {
                attackers |= attacks::bishop_attacks(self.to, self.occupied) & diagonal;
            }
            if matches!(role, Role::Rook | Role::Queen) {
                attackers |= attacks::rook_attacks(self.to, self.occupied) & straight;
            }
            if role == Role::King {
                // A king may not capture into a defended square.
                let defended = (attackers & self.occupied & board.by_color(!side)).any();
                return if defended { mover_wins } else { !mover_wins };
            }
            mover_wins = !mover_wins;
            side = !side;
            // From the other side: its lead after the loss of the capturing piece.
            ahead = -ahead - 1 - value(role);
            if ahead >= 0 {
                return mover_wins;
            }
        }
    }

    /// Pieces of either side that bear on the square.
    #[inline]
    fn attackers(&self) -> Bitboard {
        let Self { board, to, occupied } = *self;
        let by_pawn =
            |side: Color| attacks::pawn_attacks(!side, to) & board.pawns() & board.by_color(side);
        by_pawn(Color::White)
            | by_pawn(Color::Black)
            | attacks::knight_attacks(to) & board.knights()
            | attacks::king_attacks(to) & board.kings()
            | attacks::bishop_attacks(to, occupied) & board.bishops_and_queens()
            | attacks::rook_attacks(to, occupied) & board.rooks_and_queens()
    }

    fn least(&self, own: Bitboard) -> Option<(Square, Role)> {
        Role::ALL
            .into_iter()
            .find_map(|role| (own & self.board.by_role(role)).first().map(|square| (square, role)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Centipawns that the mover wins in the exchange on the target square, by playing it out.
    fn see(position: &Position, m: Move) -> i32 {
        let board = position.board();
        let (from, to) = (m.from(), m.to());
        if m.is_castle() {
            return 0;
        }
        let mut occupied = board.occupied();
        occupied.discard(from);
        if m.is_en_passant() {
            occupied.discard(m.passed());
        }
        let captured = m.capture().map_or(0, value);
        let promotion = m.promotion().map_or(0, |role| value(role) - value(Role::Pawn));
        let on_target = m.lands_as();

        // gains[d]: lead of the side making capture d if the exchange stops there.
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
        occupied: Bitboard,
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

    /// Every capture and quiet move of the tree below.
    fn compare(position: &Position, depth: u32) {
        for m in position.legal_moves() {
            let exact = see(position, m);
            for threshold in [exact - 1, exact, exact + 1, -150, 0, 1, 250] {
                assert_eq!(
                    see_at_least(position, m, threshold),
                    exact >= threshold,
                    "{position} {} {threshold}",
                    position.uci(m)
                );
            }
            if depth > 0 {
                compare(&position.after(m), depth - 1);
            }
        }
    }

    #[test]
    fn the_threshold_test_agrees_with_the_value() {
        for fen in [
            "r3k2r/p1ppqpb1/bn2pnp1/3PN3/Pp2P3/2N2Q1p/1PPBBPPP/R3K2R b KQkq a3 0 1",
            "n1n5/PPPk4/8/8/8/8/4Kppp/5N1N b - - 0 1",
            "1k1r3q/1ppn3p/p4b2/4p3/8/P2N2P1/1PP1R1BP/2K1Q3 w - - 0 1",
            "3rr1k1/1p2qp2/2n2bn1/3pp3/2PPP3/2N2BN1/1P2QP2/3RR1K1 w - - 0 1",
        ] {
            compare(&Position::from_fen(fen).unwrap(), 2);
        }
    }
}
