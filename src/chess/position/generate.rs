//! Legal moves: all of them, or by their kind.
//!
//! All moves together are in shakmaty's order, on which move numbers in archives and samples
//! depend.

use shakmaty::{ByRole, CastlingSide, Role, Square, attacks};

use super::{CheckSquares, Passed, Position};
use crate::{Bitboard, Move, MoveList};

/// Target squares of the moves of a position, and their restrictions.
struct Generator<'p, const QUIET: bool, F> {
    position: &'p Position,
    king: Square,
    pinned: Bitboard,
    targets: Targets,
    push: F,
}

/// Target squares.
struct Targets {
    /// Targets of pieces, captures included, and of pawn steps.
    reached: ByRole<Bitboard>,
    /// Targets of pawn captures.
    taken: Bitboard,
    /// Whether castling is among the moves.
    castling: bool,
}

impl Targets {
    /// The same squares for all pieces, others for pawns.
    fn new(pieces: Bitboard, steps: Bitboard, taken: Bitboard) -> Self {
        let mut reached = ByRole::new_with(|_| pieces);
        reached.pawn = steps;
        Self { reached, taken, castling: !pieces.is_subset(taken) }
    }

    /// Keeps the targets that end a check.
    fn restrict(&mut self, answers: Bitboard) {
        self.reached.iter_mut().for_each(|squares| *squares &= answers);
        self.taken &= answers;
    }
}

impl Position {
    /// All legal moves.
    pub fn legal_moves(&self) -> MoveList {
        let mut moves = MoveList::new();
        let (own, enemies) = self.own_and_enemies();
        self.generate::<false>(Targets::new(!own, Bitboard::FULL, enemies), |m| moves.push(m));
        moves
    }

    /// Calls `push` with the legal captures (en passant included) and promotions.
    #[inline]
    pub fn each_noisy(&self, push: impl FnMut(Move)) {
        let (_, enemies) = self.own_and_enemies();
        self.generate::<false>(Targets::new(enemies, Bitboard::BACKRANKS, enemies), push);
    }

    /// Calls `push` with the legal moves that neither capture nor promote.
    #[inline]
    pub fn each_quiet(&self, push: impl FnMut(Move)) {
        let free = !self.board.occupied();
        self.generate::<true>(Targets::new(free, !Bitboard::BACKRANKS, Bitboard::EMPTY), push);
    }

    /// Calls `push` with the quiet moves that give check from their target square.
    pub fn each_quiet_check(&self, push: impl FnMut(Move)) {
        let free = !self.board.occupied();
        let CheckSquares(mut reached) = self.check_squares();
        reached.iter_mut().for_each(|squares| *squares &= free);
        reached.pawn &= !Bitboard::BACKRANKS;
        self.generate::<true>(Targets { reached, taken: Bitboard::EMPTY, castling: false }, push);
    }

    /// The legal captures and promotions.
    pub fn noisy_moves(&self) -> MoveList {
        let mut moves = MoveList::new();
        self.each_noisy(|m| moves.push(m));
        moves
    }

    fn own_and_enemies(&self) -> (Bitboard, Bitboard) {
        (self.board.by_color(self.turn), self.board.by_color(!self.turn))
    }

    /// Legal moves to `targets`, which are empty if they are `QUIET`.
    #[inline]
    fn generate<const QUIET: bool>(&self, targets: Targets, push: impl FnMut(Move)) {
        let Some(king) = self.board.king_of(self.turn) else { return };
        let pinned = self.pinned(king);
        let mut generator = Generator::<QUIET, _> { position: self, king, pinned, targets, push };
        if generator.targets.taken.any() {
            generator.en_passant();
        }
        if self.checkers.is_empty() {
            generator.all_but_king();
            generator.king();
            if generator.targets.castling {
                generator.castling();
            }
        } else {
            generator.king();
            if let Some(checker) = self.checkers.single_square() {
                generator.targets.restrict(attacks::between(king, checker).with(checker));
                generator.all_but_king();
            }
        }
    }
}

impl<const QUIET: bool, F: FnMut(Move)> Generator<'_, QUIET, F> {
    #[inline]
    fn own(&self, role: Role) -> Bitboard {
        self.position.board.by_role(role) & self.position.board.by_color(self.position.turn)
    }

    /// Squares to which a piece may go without exposing its king.
    #[inline]
    fn allowed(&self, from: Square) -> Bitboard {
        if self.pinned.contains(from) { attacks::ray(self.king, from) } else { Bitboard::FULL }
    }

    #[inline]
    fn captured(&self, to: Square) -> Option<Role> {
        if QUIET { None } else { self.position.board.role_at(to) }
    }

    #[inline]
    fn push(&mut self, role: Role, from: Square, to: Square) {
        let capture = self.captured(to);
        (self.push)(Move::normal(role, [from, to], capture, None));
    }

    #[cold]
    fn push_promotions(&mut self, from: Square, to: Square) {
        let capture = self.captured(to);
        for role in [Role::Queen, Role::Rook, Role::Bishop, Role::Knight] {
            (self.push)(Move::normal(Role::Pawn, [from, to], capture, Some(role)));
        }
    }

    #[inline]
    fn en_passant(&mut self) {
        let Passed::Takeable(to) = self.position.passed else { return };
        for from in self.own(Role::Pawn) & attacks::pawn_attacks(!self.position.turn, to) {
            if self.position.may_take_passed(from, to) {
                (self.push)(Move::en_passant([from, to]));
            }
        }
    }

    #[inline]
    fn king(&mut self) {
        for to in attacks::king_attacks(self.king) & self.targets.reached.king {
            if self.position.is_safe_for_king(self.king, to) {
                self.push(Role::King, self.king, to);
            }
        }
    }

    #[inline]
    fn castling(&mut self) {
        for side in [CastlingSide::KingSide, CastlingSide::QueenSide] {
            if let Some(m) = self.position.castling(self.king, side) {
                (self.push)(m);
            }
        }
    }

    #[inline]
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

    #[inline]
    fn piece(&mut self, role: Role, from: Square, reached: Bitboard) {
        for to in reached & *self.targets.reached.get(role) & self.allowed(from) {
            self.push(role, from, to);
        }
    }

    /// Pawn moves by their kind: captures to either side, single steps, double steps.
    #[inline]
    fn pawns(&mut self) {
        let (own, turn) = (self.own(Role::Pawn), self.position.turn);
        let free = !self.position.board.occupied();
        let forward = turn.fold_wb(8, -8);
        let not_file = |file| !Bitboard::from(file);
        let to_a = (own & not_file(shakmaty::File::A)).shift(forward - 1);
        let to_h = (own & not_file(shakmaty::File::H)).shift(forward + 1);
        self.pawns_to(to_a & self.targets.taken, forward - 1);
        self.pawns_to(to_h & self.targets.taken, forward + 1);
        let single = own.shift(forward) & free;
        let steps = self.targets.reached.pawn;
        self.pawns_to(single & steps, forward);
        let fourth = turn.fold_wb(Bitboard::SOUTH, Bitboard::NORTH);
        self.pawns_to(
            single.shift(forward) & fourth & free & steps & !Bitboard::BACKRANKS,
            2 * forward,
        );
    }

    /// Moves of pawns to some squares by the same step: first those without promotion.
    #[inline]
    fn pawns_to(&mut self, squares: Bitboard, step: i32) {
        for to in squares & !Bitboard::BACKRANKS {
            if let Some(from) = self.pawn_from(to, step) {
                self.push(Role::Pawn, from, to);
            }
        }
        for to in squares & Bitboard::BACKRANKS {
            if let Some(from) = self.pawn_from(to, step) {
                self.push_promotions(from, to);
            }
        }
    }

    /// Origin of a pawn move to a square.
    #[inline]
    fn pawn_from(&self, to: Square, step: i32) -> Option<Square> {
        let from = to.offset(-step)?;
        self.allowed(from).contains(to).then_some(from)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use shakmaty::Position as _;
    use shakmaty::zobrist::Zobrist64;

    /// Everything equals shakmaty's, here and in the positions below.
    fn check(position: &Position, depth: u32) {
        let chess = position.shakmaty();
        let legal = position.legal_moves();
        let as_shakmaty: Vec<_> = legal.iter().map(|m| m.shakmaty()).collect();
        assert_eq!(as_shakmaty, chess.legal_moves().as_slice(), "{position}");
        assert_eq!(position.checkers(), chess.checkers(), "{position}");
        assert_eq!(position.en_passant(), chess.legal_ep_square(), "{position}");
        assert_eq!(position.is_insufficient_material(), chess.is_insufficient_material());
        let noisy: Vec<Move> = legal.iter().copied().filter(|m| m.is_noisy()).collect();
        let mut quiet = MoveList::new();
        position.each_quiet(|m| quiet.push(m));
        assert_eq!(quiet.len() + noisy.len(), legal.len(), "{position}");
        assert!(quiet.iter().all(|m| legal.contains(m) && !noisy.contains(m)), "{position}");
        let mut checks = MoveList::new();
        position.each_quiet_check(|m| checks.push(m));
        let wanted: Vec<Move> =
            quiet.iter().copied().filter(|&m| position.check_squares().has(m)).collect();
        assert_eq!(checks.as_slice(), wanted, "{position}");
        check_squares(position, &legal);
        let sorted = |moves: &[Move]| {
            let mut listed: Vec<String> = moves.iter().map(|m| format!("{m:?}")).collect();
            listed.sort_unstable();
            listed
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
            played.play_unchecked(m.shakmaty());
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

    /// The move between any two squares is found exactly if it is legal.
    fn check_squares(position: &Position, legal: &[Move]) {
        let promotions = [None, Some(Role::Knight), Some(Role::Queen)];
        for from in Square::ALL {
            for to in Square::ALL {
                for promotion in promotions {
                    let is_it =
                        |m: &&Move| (m.from(), m.to(), m.promotion()) == (from, to, promotion);
                    let wanted = legal.iter().find(is_it).copied();
                    let found = position.legal_move(from, to, promotion);
                    assert_eq!(found, wanted, "{position} {from}{to} {promotion:?}");
                }
            }
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
