//! The board as one side sees it.
//!
//! Every feature is defined from a *perspective*: own pieces and the other
//! side's, with the own first rank at the bottom. Black's view is the board
//! flipped top to bottom (`square ^ 56`); files are never mirrored here. This
//! is the one place where that flip is made: feature code only ever sees a
//! [`View`] and cannot tell which colour is looking.

use shakmaty::{Bitboard, Board, Color, Piece, Role, Square};

/// Whose piece it is, seen from a perspective.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
pub enum Side {
    /// The looking side's own piece.
    Own = 0,
    /// The other side's piece.
    Other = 1,
}

impl Side {
    /// Both, own first.
    pub const ALL: [Side; 2] = [Side::Own, Side::Other];

    // A view stores "own" in the library's white half.
    #[inline]
    fn color(self) -> Color {
        match self {
            Side::Own => Color::White,
            Side::Other => Color::Black,
        }
    }
}

/// A role and whose it is; one of twelve.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct PieceKind {
    /// Pawn to king.
    pub role: Role,
    /// Own or other.
    pub side: Side,
}

impl PieceKind {
    /// How many kinds there are.
    pub const COUNT: usize = 12;

    /// All kinds in index order: own pawn, other pawn, own knight, …
    pub fn all() -> impl Iterator<Item = PieceKind> {
        Role::ALL
            .into_iter()
            .flat_map(|role| Side::ALL.into_iter().map(move |side| PieceKind { role, side }))
    }

    /// `2 * role + side`, pawn = 0 … king = 5.
    #[inline]
    pub fn index(self) -> usize {
        (self.role as usize - 1) * 2 + self.side as usize
    }

    /// The kind of a piece for a looking colour.
    #[inline]
    pub fn seen(piece: Piece, perspective: Color) -> Self {
        let side = if piece.color == perspective { Side::Own } else { Side::Other };
        Self { role: piece.role, side }
    }
}

/// The kinds of all pieces as four bit planes, so that the kind on a square is
/// read without a branch.
#[derive(Clone, Copy, Debug)]
pub struct KindPlanes([u64; 4]);

impl KindPlanes {
    /// [`PieceKind::index`] of the piece on an occupied square.
    #[inline]
    pub fn index_at(&self, square: Square) -> usize {
        let bit = |plane: u64| ((plane >> (square as u32)) & 1) as usize;
        let [side, low, middle, high] = self.0.map(bit);
        side | low << 1 | middle << 2 | high << 3
    }
}

/// The board from one perspective.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct View(Board);

impl View {
    /// What `perspective` sees.
    #[inline]
    pub fn new(board: &Board, perspective: Color) -> Self {
        match perspective {
            Color::White => Self(board.clone()),
            Color::Black => Self(board.clone().into_mirrored()),
        }
    }

    /// A view with a single piece on it, to ask what that piece alone means.
    pub fn of_single(square: Square, kind: PieceKind) -> Self {
        let mut board = Board::empty();
        board.set_piece_at(square, Piece { color: kind.side.color(), role: kind.role });
        Self(board)
    }

    /// The square as `perspective` sees it.
    #[inline]
    pub fn orient(square: Square, perspective: Color) -> Square {
        match perspective {
            Color::White => square,
            Color::Black => square.flip_vertical(),
        }
    }

    /// All occupied squares.
    #[inline]
    pub fn occupied(&self) -> Bitboard {
        self.0.occupied()
    }

    /// Squares of a role, both sides.
    #[inline]
    pub fn role(&self, role: Role) -> Bitboard {
        self.0.by_role(role)
    }

    /// Squares of one side.
    #[inline]
    pub fn side(&self, side: Side) -> Bitboard {
        self.0.by_color(side.color())
    }

    /// Squares of a kind of piece.
    #[inline]
    pub fn pieces(&self, kind: PieceKind) -> Bitboard {
        self.role(kind.role) & self.side(kind.side)
    }

    /// The kinds of all pieces, for reading many.
    #[inline]
    pub fn kinds(&self) -> KindPlanes {
        let role = |role: Role| self.role(role).0;
        KindPlanes([
            self.side(Side::Other).0,
            role(Role::Knight) | role(Role::Rook) | role(Role::King),
            role(Role::Bishop) | role(Role::Rook),
            role(Role::Queen) | role(Role::King),
        ])
    }

    /// The piece on a square.
    #[inline]
    pub fn piece_at(&self, square: Square) -> Option<PieceKind> {
        self.0.piece_at(square).map(|piece| PieceKind::seen(piece, Color::White))
    }

    /// Squares and pieces, from a1 to h8.
    pub fn iter(&self) -> impl Iterator<Item = (Square, PieceKind)> + '_ {
        self.0.iter().map(|(square, piece)| (square, PieceKind::seen(piece, Color::White)))
    }

    /// The own king's square, if there is one.
    #[inline]
    pub fn own_king(&self) -> Option<Square> {
        self.0.king_of(Color::White)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chess::Position;

    #[test]
    fn black_sees_itself_at_the_bottom() {
        let position = Position::from_fen("4k3/8/8/8/8/8/8/R3K3 w - - 0 1").unwrap();
        let black = View::new(position.board(), Color::Black);
        assert_eq!(black.own_king(), Some(Square::E1));
        assert_eq!(
            black.piece_at(Square::A8),
            Some(PieceKind { role: Role::Rook, side: Side::Other })
        );
        assert_eq!(black.iter().count(), 3);
    }

    #[test]
    fn planes_hold_the_kinds() {
        let view = View::new(Position::default().board(), Color::Black);
        for (square, kind) in view.iter() {
            assert_eq!(view.kinds().index_at(square), kind.index());
        }
    }

    #[test]
    fn kinds_are_numbered_in_order() {
        let indices: Vec<usize> = PieceKind::all().map(PieceKind::index).collect();
        assert_eq!(indices, (0..12).collect::<Vec<_>>());
    }
}
