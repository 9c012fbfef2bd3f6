//! Lists of legal moves.
//!
//! Moves come in shakmaty's order, which archives and samples count in.

use shakmaty::{CastlingSide, Color, MoveList, Role, Square, attacks};

use super::{Passed, Position};
use crate::{Bitboard, Move};

/// Where the moves of a position go, and what hinders them.
struct Generator<'p> {
    position: &'p Position,
    king: Square,
    pinned: Bitboard,
    /// Squares that moves of pieces other than the king may go to.
    targets: Bitboard,
    moves: MoveList,
}

impl Position {
    /// All legal moves.
    pub fn legal_moves(&self) -> MoveList {
        let Some(king) = self.board.king_of(self.turn) else { return MoveList::new() };
        let not_own = !self.board.by_color(self.turn);
        let mut generator = Generator {
            position: self,
            king,
            pinned: self.pinned(king),
            targets: not_own,
            moves: MoveList::new(),
        };
        generator.en_passant();
        if self.checkers.is_empty() {
            generator.all_but_king();
            generator.king(not_own);
            for side in [CastlingSide::KingSide, CastlingSide::QueenSide] {
                generator.moves.extend(self.castling(king, side));
            }
        } else {
            generator.king(not_own);
            if let Some(checker) = self.checkers.single_square() {
                generator.targets = attacks::between(king, checker).with(checker);
                generator.all_but_king();
            }
        }
        generator.moves
    }

    /// Legal captures (en passant included) and promotions: what quiescence search looks at.
    pub fn noisy_moves(&self) -> MoveList {
        let Some(king) = self.board.king_of(self.turn) else { return MoveList::new() };
        if self.is_check() {
            let mut moves = self.legal_moves();
            moves.retain(|m| m.is_capture() || m.is_promotion());
            return moves;
        }
        let targets = self.board.by_color(!self.turn);
        let moves = MoveList::new();
        let mut generator =
            Generator { position: self, king, pinned: self.pinned(king), targets, moves };
        generator.en_passant();
        generator.noisy_pawns();
        generator.pieces_by_square();
        generator.king(targets);
        generator.moves
    }
}

impl Generator<'_> {
    fn turn(&self) -> Color {
        self.position.turn
    }

    fn own(&self, role: Role) -> Bitboard {
        self.position.board.by_role(role) & self.position.board.by_color(self.turn())
    }

    /// Where a piece may go without exposing its king.
    #[inline]
    fn allowed(&self, from: Square) -> Bitboard {
        if self.pinned.contains(from) { attacks::ray(self.king, from) } else { Bitboard::FULL }
    }

    #[inline]
    fn push(&mut self, role: Role, from: Square, to: Square) {
        let capture = self.position.board.role_at(to);
        self.moves.push(Move::Normal { role, from, capture, to, promotion: None });
    }

    fn push_promotions(&mut self, from: Square, to: Square) {
        let capture = self.position.board.role_at(to);
        for role in [Role::Queen, Role::Rook, Role::Bishop, Role::Knight] {
            let promotion = Some(role);
            self.moves.push(Move::Normal { role: Role::Pawn, from, capture, to, promotion });
        }
    }

    fn en_passant(&mut self) {
        let Passed::Takeable(to) = self.position.passed else { return };
        for from in self.own(Role::Pawn) & attacks::pawn_attacks(!self.turn(), to) {
            if self.position.may_take_passed(from, to) {
                self.moves.push(Move::EnPassant { from, to });
            }
        }
    }

    fn king(&mut self, targets: Bitboard) {
        for to in attacks::king_attacks(self.king) & targets {
            if self.position.is_safe_for_king(self.king, to) {
                self.push(Role::King, self.king, to);
            }
        }
    }

    /// Moves of everything but the king, in the order of roles.
    fn all_but_king(&mut self) {
        self.pawns();
        let occupied = self.position.board.occupied();
        for from in self.own(Role::Knight) & !self.pinned {
            self.piece(Role::Knight, from, attacks::knight_attacks(from));
        }
        for from in self.own(Role::Bishop) {
            self.piece(Role::Bishop, from, attacks::bishop_attacks(from, occupied));
        }
        for from in self.own(Role::Rook) {
            self.piece(Role::Rook, from, attacks::rook_attacks(from, occupied));
        }
        for from in self.own(Role::Queen) {
            self.piece(Role::Queen, from, attacks::queen_attacks(from, occupied));
        }
    }

    /// The same without pawns, in the order of squares.
    fn pieces_by_square(&mut self) {
        let board = &self.position.board;
        for from in board.by_color(self.turn()) & !board.pawns() & !board.kings() {
            if let Some(role) = board.role_at(from) {
                self.piece(role, from, board.attacks_from(from));
            }
        }
    }

    #[inline]
    fn piece(&mut self, role: Role, from: Square, reached: Bitboard) {
        for to in reached & self.targets & self.allowed(from) {
            self.push(role, from, to);
        }
    }

    /// Pawn moves by their kind: captures to either side, single steps, double steps.
    fn pawns(&mut self) {
        let (own, board) = (self.own(Role::Pawn), &self.position.board);
        let (free, enemies) = (!board.occupied(), board.by_color(!self.turn()));
        let forward = self.turn().fold_wb(8, -8);
        let not_file = |file| !Bitboard::from(file);
        let to_a = (own & not_file(shakmaty::File::A)).shift(forward - 1);
        let to_h = (own & not_file(shakmaty::File::H)).shift(forward + 1);
        self.pawns_to(to_a & enemies, forward - 1);
        self.pawns_to(to_h & enemies, forward + 1);
        let single = own.shift(forward) & free;
        self.pawns_to(single, forward);
        let fourth = self.turn().fold_wb(Bitboard::SOUTH, Bitboard::NORTH);
        self.pawns_to(single.shift(forward) & fourth & free, 2 * forward);
    }

    /// Pawns that come to some squares by the same step: first those that stay pawns.
    fn pawns_to(&mut self, squares: Bitboard, step: i32) {
        let squares = squares & self.targets;
        for promotes in [false, true] {
            let of_kind = if promotes { Bitboard::BACKRANKS } else { !Bitboard::BACKRANKS };
            for to in squares & of_kind {
                let Some(from) = to.offset(-step) else { continue };
                if !self.allowed(from).contains(to) {
                    continue;
                }
                match promotes {
                    true => self.push_promotions(from, to),
                    false => self.push(Role::Pawn, from, to),
                }
            }
        }
    }

    /// Captures and promotions of pawns, in the order of squares.
    fn noisy_pawns(&mut self) {
        let (turn, free) = (self.turn(), !self.position.board.occupied());
        let promoting = Bitboard::BACKRANKS & free;
        for from in self.own(Role::Pawn) {
            let ahead = Bitboard::from(from).shift(turn.fold_wb(8, -8)) & promoting;
            let captures = attacks::pawn_attacks(turn, from) & self.targets;
            for to in (captures | ahead) & self.allowed(from) {
                match Bitboard::BACKRANKS.contains(to) {
                    true => self.push_promotions(from, to),
                    false => self.push(Role::Pawn, from, to),
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use shakmaty::Position as _;
    use shakmaty::zobrist::Zobrist64;

    /// Everything is as shakmaty has it, here and in the positions below.
    fn check(position: &Position, depth: u32) {
        let chess = position.shakmaty();
        let legal = position.legal_moves();
        assert_eq!(legal, chess.legal_moves(), "{position}");
        assert_eq!(position.checkers(), chess.checkers(), "{position}");
        assert_eq!(position.en_passant(), chess.legal_ep_square(), "{position}");
        assert_eq!(position.is_insufficient_material(), chess.is_insufficient_material());
        let noisy: Vec<Move> =
            legal.iter().copied().filter(|m| m.is_capture() || m.is_promotion()).collect();
        let sorted = |moves: &[Move]| {
            let mut told: Vec<String> = moves.iter().map(|m| format!("{m:?}")).collect();
            told.sort_unstable();
            told
        };
        assert_eq!(sorted(&position.noisy_moves()), sorted(&noisy), "{position}");
        for mode in [shakmaty::EnPassantMode::Legal, shakmaty::EnPassantMode::PseudoLegal] {
            let Zobrist64(key) = chess.zobrist_hash(mode);
            let own = match mode {
                shakmaty::EnPassantMode::Legal => position.key(),
                _ => position.polyglot_key(),
            };
            assert_eq!(own, key, "{position}");
        }
        if let Some(passed) = position.after_null() {
            let swapped = chess.clone().swap_turn().unwrap();
            assert_eq!(passed.shakmaty(), swapped, "{position}");
        }
        for &m in legal.iter().filter(|_| depth > 0) {
            let mut played = chess.clone();
            played.play_unchecked(m);
            let after = position.after(m);
            assert_eq!(after.shakmaty(), played, "{position} {m:?}");
            assert_eq!(after.halfmoves(), played.halfmoves());
            assert_eq!(after.fullmoves(), played.fullmoves().get());
            assert_eq!(
                position
                    .resolve_san(position.san(m).parse::<shakmaty::san::SanPlus>().unwrap().san)
                    .unwrap(),
                m
            );
            check(&after, depth - 1);
        }
    }

    #[test]
    fn moves_keys_and_checks_are_those_of_shakmaty() {
        for fen in [
            "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
            "r3k2r/p1ppqpb1/bn2pnp1/3PN3/Pp2P3/2N2Q1p/1PPBBPPP/R3K2R b KQkq a3 0 1",
            "n1n5/PPPk4/8/8/8/8/4Kppp/5N1N b - - 0 1",
            "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
            "r6k/1P3P2/q7/3Pp2b/8/8/1B2N2r/1r1QK3 w - e6 0 1",
            "4r1k1/4P3/8/1b6/2N5/3P4/4K3/4R3 w - - 0 1",
            // A pawn that is pinned on its rank once two pawns are gone.
            "8/8/8/K2pP2r/8/8/8/4k3 w - d6 0 2",
            // Chess960: the king stays where it is, the rook jumps over it.
            "1rk2r2/8/8/8/8/8/8/1RK2R2 w BFbf - 0 1",
            "r1k4r/8/8/8/8/8/8/R1K4R w HAha - 3 9",
        ] {
            check(&Position::from_fen(fen).unwrap(), 2);
        }
    }

    proptest::proptest! {
        #![proptest_config(proptest::prelude::ProptestConfig::with_cases(64))]
        #[test]
        fn so_they_are_all_along_random_games(seed: u64) {
            let game = crate::random_game::random_game(seed, 160);
            let mut position = game.start.clone();
            for m in &game.moves {
                check(&position, 0);
                position.play(m.played);
            }
        }
    }
}
