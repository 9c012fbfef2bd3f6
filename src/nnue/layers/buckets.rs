//! Output buckets: copies of the layers above the feature transformer. A position uses one.

use std::fmt;
use std::sync::Arc;

use chess::{Color, Scene};
use features::FeatureSet;

/// Rule that selects the bucket of a position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Buckets {
    /// By the number of pieces: `(pieces − 1) · count / 32`, rounded down, for `count` of 1 to 32.
    /// With 8 buckets that is Stockfish's `(pieces − 1) / 4`.
    Pieces(u8),
    /// By the active feature of a one-hot set, for the side to move.
    Set(BucketSet),
}

/// A one-hot set: exactly one feature is active in any position.
#[derive(Clone, Debug)]
pub struct BucketSet(Arc<FeatureSet>);

impl BucketSet {
    /// Most features: each is a copy of the upper layers.
    pub const MOST: usize = 64;

    /// The set, if it is one-hot and small enough.
    pub(crate) fn new(set: Arc<FeatureSet>) -> Option<Self> {
        (set.is_one_hot() && (1..=Self::MOST).contains(&set.size())).then_some(Self(set))
    }

    /// The feature set.
    pub fn features(&self) -> &Arc<FeatureSet> {
        &self.0
    }
}

impl PartialEq for BucketSet {
    fn eq(&self, other: &Self) -> bool {
        self.0.canonical() == other.0.canonical()
    }
}

impl Eq for BucketSet {}

impl Buckets {
    /// The same layers for every position.
    pub const ONE: Self = Self::Pieces(1);

    /// Most buckets by pieces: one per number of pieces.
    pub const MOST: usize = 32;

    /// `count` buckets by the number of pieces; `None` of 0 and beyond [`MOST`](Self::MOST).
    pub fn by_pieces(count: usize) -> Option<Self> {
        let count = u8::try_from(count).ok()?;
        (1..=Self::MOST).contains(&usize::from(count)).then_some(Self::Pieces(count))
    }

    /// Number of buckets.
    #[inline]
    pub fn count(&self) -> usize {
        match self {
            Self::Pieces(count) => usize::from(*count),
            Self::Set(BucketSet(set)) => set.size(),
        }
    }

    /// The bucket of a position, below [`count`](Self::count).
    #[inline]
    pub fn of(&self, scene: &Scene, turn: Color) -> usize {
        match self {
            Self::Pieces(1) => 0,
            Self::Pieces(count) => by_pieces(*count, scene.board().occupied().count()),
            Self::Set(BucketSet(set)) => {
                set.chosen(scene, turn).map_or(0, |feature| feature.0 as usize)
            }
        }
    }

    /// Whether the half-move clock decides the bucket.
    pub fn reads_halfmoves(&self) -> bool {
        match self {
            Self::Pieces(_) => false,
            Self::Set(BucketSet(set)) => set.reads_halfmoves(),
        }
    }

    /// As part of a folder name.
    pub(super) fn slug(&self) -> String {
        match self {
            Self::Pieces(1) => String::new(),
            Self::Pieces(count) => format!("-b{count}"),
            Self::Set(BucketSet(set)) => format!("-b{}-{}", set.size(), &set.hash()[..6]),
        }
    }
}

fn by_pieces(count: u8, pieces: usize) -> usize {
    (pieces.clamp(1, Buckets::MOST) - 1) * usize::from(count) / Buckets::MOST
}

/// The option of a line: `8`, `king(SQUARES / [...])`.
impl fmt::Display for Buckets {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Pieces(count) => write!(f, "{count}"),
            Self::Set(BucketSet(set)) => f.write_str(set.canonical()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use chess::Position;

    #[test]
    fn eight_buckets_are_those_of_stockfish() {
        for pieces in 1..=32 {
            assert_eq!(by_pieces(8, pieces), (pieces - 1) / 4, "{pieces} pieces");
        }
    }

    #[test]
    fn every_bucket_is_used_and_more_pieces_never_go_back() {
        for count in 1..=32 {
            let of: Vec<usize> = (1..=32).map(|pieces| by_pieces(count, pieces)).collect();
            assert!(of.is_sorted(), "{of:?}");
            assert_eq!((of[0], of[31]), (0, usize::from(count) - 1));
            assert!((0..usize::from(count)).all(|bucket| of.contains(&bucket)), "{of:?}");
        }
        assert_eq!(by_pieces(32, 0), 0);
        assert_eq!(Buckets::by_pieces(0), None);
        assert_eq!(Buckets::by_pieces(33), None);
    }

    #[test]
    fn a_set_chooses_as_the_side_to_move_sees_it() {
        let set = BucketSet::new(FeatureSet::parse("king(RANKS)").unwrap()).unwrap();
        let buckets = Buckets::Set(set);
        assert_eq!(buckets.count(), 8);
        let position = Position::from_fen("4k3/8/8/8/8/4K3/8/8 w - - 0 1").unwrap();
        let scene = Scene::from(&position);
        assert_eq!(buckets.of(&scene, Color::White), 2);
        assert_eq!(buckets.of(&scene, Color::Black), 0);
    }

    #[test]
    fn material_bands_are_buckets_by_pieces() {
        let set = BucketSet::new(FeatureSet::parse("material(BANDS(8))").unwrap()).unwrap();
        let (by_set, by_number) = (Buckets::Set(set), Buckets::by_pieces(8).unwrap());
        for fen in ["8/8/4k3/8/8/4K3/8/8 w - - 0 1", "4k3/pppppppp/8/8/8/8/PPP5/4K3 b - - 0 1"] {
            let scene = Scene::from(&Position::from_fen(fen).unwrap());
            assert_eq!(by_set.of(&scene, Color::White), by_number.of(&scene, Color::White));
        }
    }

    #[test]
    fn queens_and_the_half_move_clock_choose() {
        let of = |text: &str, fen: &str, side| {
            let buckets = Buckets::Set(BucketSet::new(FeatureSet::parse(text).unwrap()).unwrap());
            buckets.of(&Scene::from(&Position::from_fen(fen).unwrap()), side)
        };
        let fen = "3k4/8/8/8/8/8/8/Q3K3 b - - 42 60";
        assert_eq!([Color::White, Color::Black].map(|side| of("QUEENS", fen, side)), [2, 1]);
        assert_eq!([Color::White, Color::Black].map(|side| of("HALFMOVES", fen, side)), [4, 4]);
    }

    #[test]
    fn sets_that_leave_positions_out_do_not_choose() {
        for text in ["ALL", "king({e1, g1})", "king(SQUARES) + king(RANKS)", "PHASE * king(RANKS)"]
        {
            assert!(BucketSet::new(FeatureSet::parse(text).unwrap()).is_none(), "{text}");
        }
    }
}
