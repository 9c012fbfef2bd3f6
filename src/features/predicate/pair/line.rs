//! The pieces of one line of a board.

use chess::{Bitboard, Board, Color, Role, Square};

/// A [`PieceKind::index`](chess::PieceKind::index).
pub(super) type Kind = usize;

/// Two neighbours on a line, the one on the lower square first.
pub(super) type Pair = (Kind, Kind);

/// The kinds of all pieces of a board as four bit planes, so that the kind on
/// a square is read without a branch.
#[derive(Clone, Copy)]
pub(super) struct KindPlanes {
    planes: [u64; 4],
}

impl KindPlanes {
    /// The pieces of a board, not turned.
    #[inline]
    pub(super) fn new(board: &Board, perspective: Color) -> Self {
        let role = |role: Role| board.by_role(role).0;
        Self {
            planes: [
                board.by_color(!perspective).0,
                role(Role::Knight) | role(Role::Rook) | role(Role::King),
                role(Role::Bishop) | role(Role::Rook),
                role(Role::Queen) | role(Role::King),
            ],
        }
    }

    /// [`PieceKind::index`] of the piece on an occupied square.
    #[inline]
    pub(super) fn kind_at(&self, square: Square) -> Kind {
        let bit = |plane: u64| ((plane >> (square as u32)) & 1) as usize;
        let [side, low, middle, high] = self.planes.map(bit);
        side | low << 1 | middle << 2 | high << 3
    }

    /// Those of `occupied` that hold a piece of this kind.
    #[inline]
    pub(super) fn of_kind(&self, kind: Kind, occupied: u64) -> u64 {
        self.planes.iter().enumerate().fold(occupied, |squares, (bit, plane)| {
            // All ones where the bit is not set, which turns the plane over.
            let turn = (kind as u64 >> bit & 1).wrapping_sub(1);
            squares & (plane ^ turn)
        })
    }
}

/// The pieces of one line of a board, in rising order of squares.
#[derive(Clone, Copy)]
pub(super) struct Row<'a> {
    /// All pieces of the board.
    pub kinds: &'a KindPlanes,
    /// Occupied squares of the line.
    pub occupied: u64,
}

impl Row<'_> {
    /// Nearest piece on a lower square.
    #[inline]
    pub(super) fn below(&self, square: Square) -> Option<Kind> {
        Bitboard(self.occupied & ((1u64 << square as u32) - 1))
            .last()
            .map(|s| self.kinds.kind_at(s))
    }

    /// Nearest piece on a higher square.
    #[inline]
    pub(super) fn above(&self, square: Square) -> Option<Kind> {
        let higher = !((2u64 << square as u32).wrapping_sub(1));
        Bitboard(self.occupied & higher).first().map(|s| self.kinds.kind_at(s))
    }

    /// Whether a piece of kind `low` is followed by one of kind `high`.
    #[inline]
    pub(super) fn has(&self, (low, high): Pair) -> bool {
        if self.kinds.of_kind(high, self.occupied) == 0 {
            return false;
        }
        let lows = Bitboard(self.kinds.of_kind(low, self.occupied));
        lows.into_iter().any(|square| self.above(square) == Some(high))
    }

    /// All pairs, the lower piece first.
    #[inline]
    pub(super) fn pairs(&self, mut each: impl FnMut(Pair)) {
        let mut squares = Bitboard(self.occupied);
        let Some(first) = squares.pop_front() else { return };
        let mut low = self.kinds.kind_at(first);
        for square in squares {
            let high = self.kinds.kind_at(square);
            each((low, high));
            low = high;
        }
    }
}
