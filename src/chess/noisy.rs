//! Captures and promotions without the quiet moves.
//!
//! Most nodes of a search are in quiescence and need nothing else; generating
//! all legal moves to drop most of them would cost more than the rest of their
//! work.

use shakmaty::{
    Bitboard, Board, Chess, Color, Move, MoveList, Position as _, Role, Square, attacks,
};

/// Legal captures, en passant included, and promotions.
pub(crate) fn noisy_moves(chess: &Chess) -> MoveList {
    let board = chess.board();
    let Some(king) = board.king_of(chess.turn()) else { return MoveList::new() };
    if chess.is_check() {
        let mut moves = chess.legal_moves();
        moves.retain(|m| m.is_capture() || m.is_promotion());
        return moves;
    }
    let mut moves = chess.en_passant_moves();
    let generator = Generator { board, turn: chess.turn(), king, pinned: pinned(board, king) };
    generator.pawns(&mut moves);
    generator.pieces(&mut moves);
    generator.king(&mut moves);
    moves
}

/// Own pieces that alone stand between a sliding piece and the king.
fn pinned(board: &Board, king: Square) -> Bitboard {
    let Some(color) = board.color_at(king) else { return Bitboard::EMPTY };
    let snipers = (attacks::rook_attacks(king, Bitboard::EMPTY) & board.rooks_and_queens())
        | (attacks::bishop_attacks(king, Bitboard::EMPTY) & board.bishops_and_queens());
    let mut pinned = Bitboard::EMPTY;
    for sniper in snipers & board.by_color(!color) {
        let between = attacks::between(king, sniper) & board.occupied();
        if between.single_square().is_some() {
            pinned |= between & board.by_color(color);
        }
    }
    pinned
}

/// Makes moves of the side to move, which is not in check.
struct Generator<'a> {
    board: &'a Board,
    turn: Color,
    king: Square,
    pinned: Bitboard,
}

impl Generator<'_> {
    /// Where a piece may go without exposing its king.
    fn allowed(&self, from: Square) -> Bitboard {
        if self.pinned.contains(from) { attacks::ray(self.king, from) } else { Bitboard::FULL }
    }

    fn pieces(&self, moves: &mut MoveList) {
        let own = self.board.by_color(self.turn);
        let targets = self.board.by_color(!self.turn);
        for from in own & !self.board.pawns() & !self.board.kings() {
            let Some(role) = self.board.role_at(from) else { continue };
            for to in self.board.attacks_from(from) & targets & self.allowed(from) {
                self.push(moves, role, from, to, None);
            }
        }
    }

    fn king(&self, moves: &mut MoveList) {
        let own = self.board.by_color(self.turn);
        let without_king = self.board.occupied() & !Bitboard::from(self.king);
        for to in attacks::king_attacks(self.king) & self.board.by_color(!self.turn) & !own {
            if self.board.attacks_to(to, !self.turn, without_king).is_empty() {
                self.push(moves, Role::King, self.king, to, None);
            }
        }
    }

    fn pawns(&self, moves: &mut MoveList) {
        let pawns = self.board.by_color(self.turn) & self.board.pawns();
        let enemies = self.board.by_color(!self.turn);
        for from in pawns {
            let captures = attacks::pawn_attacks(self.turn, from) & enemies;
            let targets = (captures | self.promotion_push(from)) & self.allowed(from);
            for to in targets {
                if Bitboard::BACKRANKS.contains(to) {
                    for role in [Role::Queen, Role::Rook, Role::Bishop, Role::Knight] {
                        self.push(moves, Role::Pawn, from, to, Some(role));
                    }
                } else {
                    self.push(moves, Role::Pawn, from, to, None);
                }
            }
        }
    }

    /// The last rank's square ahead of a pawn, if it can step there.
    fn promotion_push(&self, from: Square) -> Bitboard {
        let ahead = Bitboard::from(from);
        let ahead = match self.turn {
            Color::White => ahead.shift(8),
            Color::Black => ahead.shift(-8),
        };
        ahead & Bitboard::BACKRANKS & !self.board.occupied()
    }

    fn push(
        &self,
        moves: &mut MoveList,
        role: Role,
        from: Square,
        to: Square,
        promotion: Option<Role>,
    ) {
        let capture = self.board.role_at(to);
        moves.push(Move::Normal { role, from, capture, to, promotion });
    }
}

#[cfg(test)]
mod tests {
    use crate::{Move, Position};

    /// Compares with the legal moves, here and in the positions below.
    fn check(position: &Position, depth: u32) {
        let text = |moves: &[Move]| {
            let mut text: Vec<String> = moves.iter().map(|m| format!("{m:?}")).collect();
            text.sort_unstable();
            text
        };
        let legal = position.legal_moves();
        let expected: Vec<Move> =
            legal.iter().copied().filter(|m| m.is_capture() || m.is_promotion()).collect();
        assert_eq!(text(&position.noisy_moves()), text(&expected), "{position}");
        if depth > 0 {
            for m in legal {
                check(&position.after(m), depth - 1);
            }
        }
    }

    #[test]
    fn noisy_moves_are_the_legal_captures_and_promotions() {
        for fen in [
            "r3k2r/p1ppqpb1/bn2pnp1/3PN3/Pp2P3/2N2Q1p/1PPBBPPP/R3K2R b KQkq a3 0 1",
            "n1n5/PPPk4/8/8/8/8/4Kppp/5N1N b - - 0 1",
            "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
            "r6k/1P3P2/q7/3Pp2b/8/8/1B2N2r/1r1QK3 w - e6 0 1",
            "4r1k1/4P3/8/1b6/2N5/3P4/4K3/4R3 w - - 0 1",
        ] {
            check(&Position::from_fen(fen).unwrap(), 2);
        }
    }
}
