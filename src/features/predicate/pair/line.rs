//! The pieces of one line of a board.

use chess::{Board, Color, Role, Square};

/// A [`PieceKind::index`](chess::PieceKind::index), or [`NOTHING`].
pub(super) type Kind = usize;

/// An empty square. It has all bits of a kind, which no piece has.
pub(super) const NOTHING: Kind = KINDS - 1;

/// Number of kinds that the bits of one can hold.
pub(super) const KINDS: usize = 16;

/// Two neighbours on a line, the one on the lower square first.
pub(super) type Pair = (Kind, Kind);

/// The pieces of a board, not turned, so that the kind on a square and the squares of a
/// kind are read without a branch.
#[derive(Clone, Copy)]
pub(super) struct Kinds {
    /// By the upper bits of a kind; two are no role.
    roles: [u64; KINDS / 2],
    colors: [u64; 2],
    occupied: u64,
}

impl Kinds {
    #[inline(always)]
    pub(super) fn new(board: &Board, perspective: Color) -> Self {
        let mut roles = [0; KINDS / 2];
        for role in Role::ALL {
            roles[role as usize - 1] = board.by_role(role).0;
        }
        let colors = [perspective, !perspective].map(|color| board.by_color(color).0);
        Self { roles, colors, occupied: board.occupied().0 }
    }

    #[inline(always)]
    pub(super) fn on(&self, line: u64) -> PairRow<'_> {
        PairRow { kinds: self, occupied: self.occupied & line }
    }

    /// The piece on a square given by its bit; [`NOTHING`] on none.
    #[inline(always)]
    fn at(&self, square: u64) -> Kind {
        let [_, knights, bishops, rooks, queens, kings, ..] = self.roles;
        let is_in = |squares: u64| usize::from(squares & square != 0);
        let nothing = NOTHING * usize::from(square == 0);
        is_in(self.colors[1])
            | is_in(knights | rooks | kings) << 1
            | is_in(bishops | rooks) << 2
            | is_in(queens | kings) << 3
            | nothing
    }

    /// The squares with pieces of this kind.
    #[inline(always)]
    fn of_kind(&self, kind: Kind) -> u64 {
        self.roles[kind / 2 % self.roles.len()] & self.colors[kind % 2]
    }
}

/// The pieces of one line of a board, in rising order of squares.
#[derive(Clone, Copy)]
pub(super) struct PairRow<'a> {
    /// All pieces of the board.
    kinds: &'a Kinds,
    /// Occupied squares of the line.
    occupied: u64,
}

impl PairRow<'_> {
    /// Nearest piece on a lower square.
    #[inline(always)]
    pub(super) fn below(&self, square: Square) -> Kind {
        let lower = self.occupied & ((1 << square as u32) - 1);
        // The highest bit alone; zero stays zero.
        self.kinds.at((1 << 63 >> (lower.leading_zeros() & 63)) & lower)
    }

    /// Nearest piece on a higher square.
    #[inline(always)]
    pub(super) fn above(&self, square: Square) -> Kind {
        let higher = self.occupied & !(2u64 << square as u32).wrapping_sub(1);
        self.kinds.at(higher & higher.wrapping_neg())
    }

    /// Whether a piece of kind `low` is followed by one of kind `high`.
    #[inline(always)]
    pub(super) fn has(&self, (low, high): Pair) -> bool {
        // One added above each `low` carries through all empty squares.
        let lows = self.kinds.of_kind(low) & self.occupied;
        let followers = (!self.occupied).wrapping_add(lows << 1) & self.occupied;
        followers & self.kinds.of_kind(high) != 0
    }

    /// All pairs, the lower piece first.
    #[inline]
    pub(super) fn pairs(&self, mut each: impl FnMut(Pair)) {
        let mut squares = self.occupied;
        let mut low = NOTHING;
        while squares != 0 {
            let high = self.kinds.at(squares & squares.wrapping_neg());
            if low != NOTHING {
                each((low, high));
            }
            low = high;
            squares &= squares - 1;
        }
    }
}
