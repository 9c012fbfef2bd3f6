//! The position as one side sees it.
//!
//! Every feature is defined from a *perspective*: own pieces and the other side's, with the own
//! first rank at the bottom. Black's view is the board flipped top to bottom (`square ^ 56`); in a
//! mirrored view (`square ^ 7`) the own king always stands on files a to d. Only this module makes
//! those flips: feature code sees a [`View`] alone, and is the same for both colours.
//!
//! A view copies nothing: it reads the board as it is and turns the result.

use shakmaty::{Bitboard, CastlingSide, Color, File, Piece, Rank, Role, Square};

use super::scene::Scene;

/// Side of a piece, from a perspective.
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

    /// Side of `color` for a perspective.
    #[inline]
    pub fn seen(color: Color, perspective: Color) -> Self {
        if color == perspective { Side::Own } else { Side::Other }
    }

    /// The other one.
    #[inline]
    pub fn opposite(self) -> Self {
        match self {
            Side::Own => Side::Other,
            Side::Other => Side::Own,
        }
    }

    /// Colour of this side for a perspective.
    #[inline]
    pub fn color(self, perspective: Color) -> Color {
        match self {
            Side::Own => perspective,
            Side::Other => !perspective,
        }
    }
}

/// A role and its side; one of twelve.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct PieceKind {
    /// Pawn to king.
    pub role: Role,
    /// Own or other.
    pub side: Side,
}

impl PieceKind {
    /// Number of kinds.
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

    /// The kind of an index below [`COUNT`](Self::COUNT).
    #[inline]
    pub fn from_index(index: usize) -> Self {
        Self { role: Role::ALL[index / 2], side: Side::ALL[index % 2] }
    }

    /// The kind of a piece for a looking colour.
    #[inline]
    pub fn seen(piece: Piece, perspective: Color) -> Self {
        Self { role: piece.role, side: Side::seen(piece.color, perspective) }
    }
}

/// Transformation of squares between the board and a view.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Orientation {
    /// Image of a1; exclusive or with it maps every square.
    a1: Square,
}

impl Orientation {
    /// Own first rank at the bottom, files as they are.
    #[inline]
    pub fn of(perspective: Color) -> Self {
        Self { a1: perspective.fold_wb(Square::A1, Square::A8) }
    }

    /// Files exchanged.
    #[inline]
    fn mirrored(self) -> Self {
        Self { a1: self.a1.flip_horizontal() }
    }

    /// The square as seen; also the way back.
    #[inline]
    pub fn square(self, square: Square) -> Square {
        square.xor(self.a1)
    }

    /// The squares as seen; also the way back.
    #[inline]
    pub fn squares(self, squares: Bitboard) -> Bitboard {
        let squares = if self.flips_ranks() { squares.flip_vertical() } else { squares };
        if self.flips_files() { squares.flip_horizontal() } else { squares }
    }

    /// All four, by [`index`](Self::index).
    pub const ALL: [Orientation; 4] = [
        Orientation { a1: Square::A1 },
        Orientation { a1: Square::A8 },
        Orientation { a1: Square::H1 },
        Orientation { a1: Square::H8 },
    ];

    /// 1 if ranks are exchanged, 2 if files are, 3 if both.
    #[inline]
    pub fn index(self) -> usize {
        usize::from(self.flips_ranks()) | usize::from(self.flips_files()) << 1
    }

    /// Whether ranks are exchanged.
    #[inline]
    pub fn flips_ranks(self) -> bool {
        self.a1.rank() == Rank::Eighth
    }

    /// Whether files are exchanged.
    #[inline]
    pub fn flips_files(self) -> bool {
        self.a1.file() == File::H
    }
}

/// A position from one perspective.
#[derive(Clone, Copy, Debug)]
pub struct View<'a> {
    scene: &'a Scene,
    perspective: Color,
    orientation: Orientation,
}

impl<'a> View<'a> {
    /// The scene from `perspective`.
    #[inline]
    pub fn new(scene: &'a Scene, perspective: Color) -> Self {
        Self { scene, perspective, orientation: Orientation::of(perspective) }
    }

    /// The view with the own king on files a to d: the same, or its mirror
    /// image. A side without a king is not mirrored.
    #[inline]
    pub fn mirrored(self) -> Self {
        match self.own_king() {
            Some(king) if king.file() >= File::E => {
                Self { orientation: self.orientation.mirrored(), ..self }
            }
            _ => self,
        }
    }

    /// The position itself, not turned.
    #[inline]
    pub fn scene(&self) -> &'a Scene {
        self.scene
    }

    /// The colour that looks.
    #[inline]
    pub fn perspective(&self) -> Color {
        self.perspective
    }

    /// Transformation of its squares.
    #[inline]
    pub fn orientation(&self) -> Orientation {
        self.orientation
    }

    /// Squares of a kind of piece.
    #[inline]
    pub fn pieces(&self, kind: PieceKind) -> Bitboard {
        let piece = Piece { role: kind.role, color: kind.side.color(self.perspective) };
        self.orientation.squares(self.scene.board().by_piece(piece))
    }

    /// The piece on a square.
    #[inline]
    pub fn piece_at(&self, square: Square) -> Option<PieceKind> {
        let piece = self.scene.board().piece_at(self.orientation.square(square))?;
        Some(PieceKind::seen(piece, self.perspective))
    }

    /// Squares and pieces, in no particular order.
    pub fn iter(&self) -> impl Iterator<Item = (Square, PieceKind)> + use<'a> {
        let Self { scene, perspective, orientation } = *self;
        scene.board().iter().map(move |(square, piece)| {
            (orientation.square(square), PieceKind::seen(piece, perspective))
        })
    }

    /// The own king's square, if there is one.
    #[inline]
    pub fn own_king(&self) -> Option<Square> {
        self.king(Side::Own)
    }

    /// The king's square of one side, if there is one.
    #[inline]
    pub fn king(&self, side: Side) -> Option<Square> {
        let king = self.scene.board().king_of(side.color(self.perspective))?;
        Some(self.orientation.square(king))
    }

    /// Whether a side may still castle with a rook on that side of its king,
    /// left or right *as seen*.
    pub fn may_castle(&self, side: Side, towards: CastlingSide) -> bool {
        let color = side.color(self.perspective);
        let rooks = self.scene.castling_rooks() & self.scene.board().by_color(color);
        let rooks = self.orientation.squares(rooks);
        self.king(side).is_some_and(|king| {
            rooks.into_iter().any(|rook| (rook.file() > king.file()) == towards.is_king_side())
        })
    }

    /// The file of a legal en passant capture, and the side that may make it.
    #[inline]
    pub fn en_passant(&self) -> Option<(File, Side)> {
        let (square, color) = self.scene.en_passant()?;
        Some((self.orientation.square(square).file(), Side::seen(color, self.perspective)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Position;

    fn scene(fen: &str) -> Scene {
        Scene::from(&Position::from_fen(fen).unwrap())
    }

    #[test]
    fn black_sees_itself_at_the_bottom() {
        let scene = scene("4k3/8/8/8/8/8/8/R3K3 w - - 0 1");
        let black = View::new(&scene, Color::Black);
        let rook = PieceKind { role: Role::Rook, side: Side::Other };
        assert_eq!(black.own_king(), Some(Square::E1));
        assert_eq!(black.piece_at(Square::A8), Some(rook));
        assert_eq!(black.pieces(rook), Bitboard::from(Square::A8));
        assert_eq!(black.iter().count(), 3);
    }

    #[test]
    fn a_mirrored_view_has_the_king_on_the_left() {
        let scene = scene("4k3/8/8/8/8/8/8/R3K3 w Q - 0 1");
        let view = View::new(&scene, Color::White).mirrored();
        assert_eq!(view.own_king(), Some(Square::D1));
        assert!(view.piece_at(Square::H1).is_some());
        assert!(view.may_castle(Side::Own, CastlingSide::KingSide));
        assert!(!view.may_castle(Side::Own, CastlingSide::QueenSide));
        let again = view.mirrored();
        assert_eq!(again.own_king(), Some(Square::D1));
    }

    #[test]
    fn en_passant_is_seen_by_both_sides() {
        let scene = scene("rnbqkbnr/ppp1p1pp/8/3pPp2/8/8/PPPP1PPP/RNBQKBNR w KQkq f6 0 3");
        let seen = |color| View::new(&scene, color).en_passant();
        assert_eq!(seen(Color::White), Some((File::F, Side::Own)));
        assert_eq!(seen(Color::Black), Some((File::F, Side::Other)));
    }

    #[test]
    fn kinds_are_numbered_in_order() {
        let indices: Vec<usize> = PieceKind::all().map(PieceKind::index).collect();
        assert_eq!(indices, (0..12).collect::<Vec<_>>());
        assert!(PieceKind::all().all(|kind| PieceKind::from_index(kind.index()) == kind));
    }
}
