//! Attacks and moves of each kind of piece.

use shakmaty::attacks::{
    between, bishop_attacks, king_attacks, knight_attacks, queen_attacks, ray, rook_attacks,
};
use shakmaty::{Bitboard, Board, ByColor, ByRole, Color, Piece, Role, Square};

use crate::setwise;

/// A set of squares for each colour and role.
pub type PieceMaps = ByColor<ByRole<Bitboard>>;

/// Squares attacked by the pieces of each kind. Sliders stop at the first
/// piece, whose square counts as attacked in either colour.
pub fn attacks(board: &Board) -> PieceMaps {
    let (occupied, both) = (board.occupied().0, |pieces| by_color(board, pieces));
    let ([w, b], [queen, other_queen]) = (both(board.rooks()), both(board.queens()));
    let straight = setwise::straight([w, b, queen, other_queen], occupied);
    let [w, b] = both(board.bishops());
    let diagonal = setwise::diagonal([w, b, queen, other_queen], occupied);
    let leapers = leapers_attack(board);
    ByColor::new_with(|color| {
        let at = color.fold_wb(0, 1);
        ByRole {
            bishop: Bitboard(diagonal[at]),
            rook: Bitboard(straight[at]),
            queen: Bitboard(straight[2 + at] | diagonal[2 + at]),
            ..*leapers.get(color)
        }
    })
}

/// Squares attacked by pawns, knights and kings, which nothing can block: a few shifts.
#[inline]
pub(crate) fn leapers_attack(board: &Board) -> PieceMaps {
    let knights = setwise::knights(by_color(board, board.knights()));
    let kings = setwise::kings(by_color(board, board.kings()));
    ByColor::new_with(|color| {
        let at = color.fold_wb(0, 1);
        ByRole {
            pawn: pawns_attack(board.pawns() & board.by_color(color), color),
            knight: Bitboard(knights[at]),
            king: Bitboard(kings[at]),
            ..ByRole::default()
        }
    })
}

/// White's part and Black's.
#[inline]
fn by_color(board: &Board, pieces: Bitboard) -> [u64; 2] {
    [(pieces & board.white()).0, (pieces & board.black()).0]
}

/// Squares attacked by any piece of a side.
#[inline]
pub(crate) fn attacked(board: &Board, by: Color) -> Bitboard {
    let (own, occupied) = (board.by_color(by), board.occupied());
    let mut all = pawns_attack(board.pawns() & own, by);
    for square in own & board.knights() {
        all |= knight_attacks(square);
    }
    for square in own & board.kings() {
        all |= king_attacks(square);
    }
    for square in own & board.bishops_and_queens() {
        all |= bishop_attacks(square, occupied);
    }
    for square in own & board.rooks_and_queens() {
        all |= rook_attacks(square, occupied);
    }
    all
}

/// Squares to which the pieces of each kind can move, of both sides, as
/// Lombardo's thesis defines mobility: legal destinations without castling,
/// double steps and en passant. The square of the other king counts.
///
/// A colour without a king has no mobility.
pub fn mobility(board: &Board) -> PieceMaps {
    let attacks = attacks(board);
    ByColor::new_with(|color| match board.king_of(color) {
        Some(king) => {
            let by_others = attacks.get(!color).iter().fold(Bitboard::EMPTY, |all, &map| all | map);
            mobility_of(board, color, king, attacks.get(color), by_others)
        }
        None => ByRole::default(),
    })
}

/// Squares attacked by those of `pieces` that have this colour and role.
#[inline]
fn attacked_by(board: &Board, color: Color, role: Role, pieces: Bitboard) -> Bitboard {
    let of_role = board.by_role(role) & board.by_color(color) & pieces;
    if role == Role::Pawn {
        return pawns_attack(of_role, color);
    }
    let occupied = board.occupied();
    of_role.into_iter().fold(Bitboard::EMPTY, |all, square| {
        all | match role {
            Role::Knight => knight_attacks(square),
            Role::Bishop => bishop_attacks(square, occupied),
            Role::Rook => rook_attacks(square, occupied),
            Role::Queen => queen_attacks(square, occupied),
            Role::Pawn | Role::King => king_attacks(square),
        }
    })
}

/// Diagonal squares ahead of all pawns together.
#[inline]
pub fn pawns_attack(pawns: Bitboard, color: Color) -> Bitboard {
    color.fold_wb(pawns.shift(7), pawns.shift(-9)) & !Bitboard::from(shakmaty::File::H)
        | color.fold_wb(pawns.shift(9), pawns.shift(-7)) & !Bitboard::from(shakmaty::File::A)
}

/// Squares directly ahead of all pawns together.
#[inline]
fn pawns_ahead(pawns: Bitboard, color: Color) -> Bitboard {
    color.fold_wb(pawns.shift(8), pawns.shift(-8))
}

/// Restrictions on the moves of a side's pieces. Without a king nothing moves.
#[derive(Clone, Copy, Debug, Default)]
pub struct Restraint {
    king: Option<Square>,
    /// Target squares of any piece but the king: all, or those that end a check.
    target: Bitboard,
    pinned: Bitboard,
    /// Squares that a checking slider sees through the king.
    behind_king: Bitboard,
}

impl Restraint {
    fn of(board: &Board, color: Color, king: Square) -> Self {
        let checkers = board.attacks_to(king, !color, board.occupied());
        let target = match checkers.single_square() {
            Some(checker) => between(king, checker) | checker,
            None if checkers.is_empty() => Bitboard::FULL,
            None => Bitboard::EMPTY,
        };
        let behind_king = (checkers & board.sliders())
            .into_iter()
            .fold(Bitboard::EMPTY, |all, checker| all | ray(king, checker).without(checker));
        let pinned = pinned(board, color, king);
        Self { king: Some(king), target, pinned, behind_king }
    }

    /// Pieces that alone stand between their king and a slider.
    #[inline]
    pub fn pinned(&self) -> Bitboard {
        self.pinned
    }
}

/// Pieces of `color` that alone stand between their king and a slider.
#[inline]
pub(crate) fn pinned(board: &Board, color: Color, king: Square) -> Bitboard {
    let others = board.by_color(!color);
    let snipers = rook_attacks(king, others) & board.rooks_and_queens()
        | bishop_attacks(king, others) & board.bishops_and_queens();
    (snipers & others).into_iter().fold(Bitboard::EMPTY, |all, sniper| {
        let shield = between(king, sniper) & board.occupied();
        if shield.more_than_one() { all } else { all | shield }
    }) & board.by_color(color)
}

/// Restrictions on the moves of each side.
pub fn restraints(board: &Board) -> ByColor<Restraint> {
    ByColor::new_with(|color| match board.king_of(color) {
        Some(king) => Restraint::of(board, color, king),
        None => Restraint::default(),
    })
}

/// Squares to which the piece on a square can move by itself, as [`mobility`] defines it;
/// `restraint` is that of its side.
#[inline]
pub fn moves_of(board: &Board, square: Square, piece: Piece, restraint: &Restraint) -> Bitboard {
    let Piece { role, color } = piece;
    let Some(king) = restraint.king else { return Bitboard::EMPTY };
    let attacked = shakmaty::attacks::attacks(square, piece, board.occupied());
    let free = attacked & !board.by_color(color);
    let reached = match role {
        Role::King => return free & !self::attacked(board, !color) & !restraint.behind_king,
        Role::Pawn => destinations(board, color, role, square.into(), attacked),
        _ => free,
    } & restraint.target;
    match restraint.pinned.contains(square) {
        true => reached & ray(king, square),
        false => reached,
    }
}

fn mobility_of(
    board: &Board,
    color: Color,
    king: Square,
    attacks: &ByRole<Bitboard>,
    attacked_by_others: Bitboard,
) -> ByRole<Bitboard> {
    let own = board.by_color(color);
    let restraint = Restraint::of(board, color, king);
    let free = own & !restraint.pinned;
    let mut maps = ByRole::new_with(|role| {
        // Usually no piece of the role is pinned, and its attacks are known.
        let attacked = if (board.by_role(role) & restraint.pinned).is_empty() {
            *attacks.get(role)
        } else {
            attacked_by(board, color, role, free)
        };
        match role {
            Role::King => attacked & !own & !attacked_by_others & !restraint.behind_king,
            role => destinations(board, color, role, free, attacked) & restraint.target,
        }
    });
    for square in restraint.pinned {
        let Some(role) = board.role_at(square) else { continue };
        let along = ray(king, square) & restraint.target;
        let attacked = attacked_by(board, color, role, square.into());
        *maps.get_mut(role) |= destinations(board, color, role, square.into(), attacked) & along;
    }
    maps
}

/// Pseudo-legal destinations of those of `pieces` with this role, from the squares they attack.
#[inline]
fn destinations(
    board: &Board,
    color: Color,
    role: Role,
    pieces: Bitboard,
    attacked: Bitboard,
) -> Bitboard {
    if role == Role::Pawn {
        let pawns = board.pawns() & board.by_color(color) & pieces;
        return attacked & board.by_color(!color) | pawns_ahead(pawns, color) & !board.occupied();
    }
    attacked & !board.by_color(color)
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::Position;

    pub(crate) const FENS: [&str; 6] = [
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
        "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
        "n1n5/PPPk4/8/8/8/8/4Kppp/5N1N b - - 0 1",
        "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
        "R2R4/q7/8/k1p5/8/8/5PP1/3q2K1 w - - 0 49",
        "4k3/4r3/8/8/1b6/2N1B3/3P4/q2QK2r w - - 0 1",
    ];

    #[test]
    fn a_side_attacks_what_its_pieces_attack() {
        for fen in FENS {
            let board = Position::from_fen(fen).unwrap().board().clone();
            for color in Color::ALL {
                let attacks = attacks(&board);
                let all = attacks.get(color).iter().fold(Bitboard::EMPTY, |all, &map| all | map);
                assert_eq!(attacked(&board, color), all, "{fen} {color}");
            }
        }
    }

    /// Mobility by trying every move on a copy of the board, and the moves from each square.
    fn tried(board: &Board, color: Color) -> (ByRole<Bitboard>, [Bitboard; 64]) {
        let mut maps = ByRole::<Bitboard>::default();
        let mut each = [Bitboard::EMPTY; 64];
        for (from, piece) in board.clone() {
            if piece.color != color {
                continue;
            }
            let attacked = shakmaty::attacks::attacks(from, piece, board.occupied());
            for to in Square::ALL {
                let target = board.piece_at(to);
                let pseudo_legal = match piece.role {
                    Role::Pawn if attacked.contains(to) => target.is_some_and(|t| t.color != color),
                    Role::Pawn => {
                        i32::from(to) - i32::from(from) == color.fold_wb(8, -8) && target.is_none()
                    }
                    _ => attacked.contains(to) && target.is_none_or(|t| t.color != color),
                };
                let mut after = board.clone();
                after.discard_piece_at(from);
                after.set_piece_at(to, piece);
                let safe = |king| after.attacks_to(king, !color, after.occupied()).is_empty();
                if pseudo_legal && after.king_of(color).is_some_and(safe) {
                    maps.get_mut(piece.role).add(to);
                    each[usize::from(from)].add(to);
                }
            }
        }
        (maps, each)
    }

    fn check(position: &Position, depth: u32) {
        let board = position.board();
        let (maps, restraints) = (mobility(board), restraints(board));
        for color in Color::ALL {
            let (all, each) = tried(board, color);
            assert_eq!(maps.get(color), &all, "{position} {color}");
            for square in board.by_color(color) {
                let piece = board.piece_at(square).unwrap();
                let moves = moves_of(board, square, piece, restraints.get(color));
                assert_eq!(moves, each[usize::from(square)], "{position} {square}");
            }
        }
        if depth > 0 {
            for m in position.legal_moves() {
                check(&position.after(m), depth - 1);
            }
        }
    }

    #[test]
    fn mobility_is_where_pieces_can_go() {
        for fen in FENS {
            check(&Position::from_fen(fen).unwrap(), 2);
        }
    }

    #[test]
    fn attacks_include_protected_pieces() {
        let position = Position::from_fen("4k3/8/8/8/8/P6P/8/R3K3 w - - 0 1").unwrap();
        let maps = attacks(position.board());
        assert!(maps.white.rook.contains(Square::A3) && !maps.white.rook.contains(Square::A4));
        assert_eq!(maps.white.pawn, Bitboard::from(Square::B4) | Bitboard::from(Square::G4));
        assert_eq!(maps.black.king.count(), 5);
    }
}
