//! A sum over pieces as plain tables, for graphics cards.
//!
//! In sets such as `ALL`, `HALF-KP` and `HALF-KA-HM` the own king's square and one piece decide
//! each active feature. A card that has packed positions and these tables finds the features by
//! itself: one look-up for each piece, perspective and plane. The tables come out of the blocks
//! of the compiled set, so the set stays the only definition.
//!
//! # Layout
//!
//! Entries are the features as [`u32`], or [`PieceFeatureTables::NONE`], in the shape
//!
//! ```text
//! [planes][king 64][piece 12][square 64]
//! entries[((plane * 64 + king) * 12 + piece) * 64 + square]
//! ```
//!
//! * A *perspective* is a colour. It sees a square of the board (a1 = 0, b1 = 1, … h8 = 63) as it
//!   is if it is White, and as `square ^ 56` if it is Black.
//! * `king` is the square of the perspective's own king, as the perspective sees it.
//! * `piece` is `role + 6 * side`: pawn 0, knight 1, bishop 2, rook 3, queen 4, king 5; side 0 is
//!   the perspective's own, 1 the other.
//! * `square` is the square of the piece, as the perspective sees it. Mirrored sets need no other
//!   squares: their entries are turned already.
//!
//! A perspective's features are the entries of all its pieces, both kings included, in all planes,
//! without those that are `NONE`. No feature comes twice. A plane holds one feature of a piece, so
//! a set has as many planes as one piece makes features true together. Features of the own king's
//! square (`KING`) are entries of that king.

mod groups;

use super::block::Block;
use super::feature::Feature;
use super::predicate::coding;
use super::set::FeatureSet;
use chess::{Board, Color, PieceKind, Role, Scene, Side, Square, View};
pub use groups::{KingGroups, Slot};

/// The features of each piece for each square of the own king.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PieceFeatureTables {
    /// `[planes][king 64][piece 12][square 64]`
    entries: Vec<u32>,
}

const SQUARES: usize = 64;

/// Pieces on squares, for one square of the own king.
const OF_KING: usize = PieceKind::COUNT * SQUARES;

/// Most pieces of a position.
const MOST_PIECES: usize = 32;

impl PieceFeatureTables {
    /// The entry of a piece without a feature.
    pub const NONE: u32 = coding::NONE;

    /// Entries of a plane: 49,152, which are 192 KiB.
    pub const PLANE: usize = SQUARES * OF_KING;

    fn of(blocks: &[Block]) -> Self {
        let mut tables = Self { entries: Vec::new() };
        blocks.iter().flat_map(planes).for_each(|plane| tables.add(&plane));
        tables
    }

    /// Puts features into the last plane if it has room for all of them, else into a new one.
    fn add(&mut self, plane: &[u32]) {
        let last = self.entries.len().saturating_sub(Self::PLANE);
        let fits = |(old, new): (&u32, &u32)| *old == Self::NONE || *new == Self::NONE;
        let has_room =
            last < self.entries.len() && self.entries[last..].iter().zip(plane).all(fits);
        if !has_room {
            return self.entries.extend_from_slice(plane);
        }
        let new = self.entries[last..].iter_mut().zip(plane).filter(|(_, new)| **new != Self::NONE);
        new.for_each(|(entry, new)| *entry = *new);
    }

    /// All entries; the header of the module describes their order.
    pub fn entries(&self) -> &[u32] {
        &self.entries
    }

    /// Number of planes: most features that one piece makes true together.
    pub fn planes(&self) -> usize {
        self.entries.len() / Self::PLANE
    }

    /// The feature of a piece in a plane. Squares are those that the perspective sees.
    ///
    /// # Panics
    ///
    /// If there is no such plane.
    pub fn feature(
        &self,
        plane: usize,
        king: Square,
        kind: PieceKind,
        square: Square,
    ) -> Option<Feature> {
        let entry = self.entries[plane * Self::PLANE + in_plane(king, kind, square)];
        (entry != Self::NONE).then_some(Feature(entry))
    }

    /// Appends the active features of a position with both kings: the same as
    /// [`FeatureSet::active`], in the order of packed positions: plane by plane, from a1 to h8. A
    /// perspective without a king has none.
    pub fn active(&self, scene: &Scene, perspective: Color, out: &mut Vec<Feature>) {
        let view = View::new(scene, perspective);
        let Some(king) = view.own_king() else { return };
        for plane in 0..self.planes() {
            out.extend(scene.board().occupied().into_iter().filter_map(|on_board| {
                let square = view.orientation().square(on_board);
                self.feature(plane, king, view.piece_at(square)?, square)
            }));
        }
    }

    /// Most features of a perspective in any position of at most 32 pieces with one king a side,
    /// legal or not: a sufficient length of lists. Not above `32 * planes`.
    pub fn max_active(&self) -> usize {
        Square::ALL.into_iter().map(|king| self.max_active_with(king)).max().unwrap_or(0)
    }

    /// The same with the own king on this square.
    fn max_active_with(&self, king: Square) -> usize {
        let features = |kind: PieceKind, square: Square| {
            let has_feature = |plane: &usize| self.feature(*plane, king, kind, square).is_some();
            (0..self.planes()).filter(has_feature).count()
        };
        let [own, other] = Side::ALL.map(|side| PieceKind { role: Role::King, side });
        let most = |square: Square| {
            let others = PieceKind::all().filter(|kind| kind.role != Role::King);
            others.map(|kind| features(kind, square)).max().unwrap_or(0)
        };
        let free = || Square::ALL.into_iter().filter(|&square| square != king);
        let mut of_squares: Vec<(usize, Square)> = free().map(|at| (most(at), at)).collect();
        of_squares.sort_unstable_by_key(|&(count, _)| std::cmp::Reverse(count));
        let with_other_king = |at: Square| {
            let rest = of_squares.iter().filter(|&&(_, square)| square != at);
            features(other, at) + rest.take(MOST_PIECES - 2).map(|(count, _)| count).sum::<usize>()
        };
        features(own, king) + free().map(with_other_king).max().unwrap_or(0)
    }
}

/// The place of a piece in a plane.
fn in_plane(king: Square, kind: PieceKind, square: Square) -> usize {
    let piece = kind.role as usize - 1 + Role::ALL.len() * kind.side as usize;
    king as usize * OF_KING + piece * SQUARES + square as usize
}

/// The features of a block by piece: one plane for each of its products.
fn planes(block: &Block) -> Vec<Vec<u32>> {
    let (mut planes, mut features) = (Vec::new(), Vec::new());
    for king in Square::ALL {
        let scene = scene_of_king(king);
        let view = View::new(&scene, Color::White);
        for kind in PieceKind::all() {
            let piece = kind.role.of(kind.side.color(Color::White));
            for square in Square::ALL {
                features.clear();
                block.of_piece(view, (square, piece), &mut features);
                planes.resize_with(features.len(), || {
                    vec![PieceFeatureTables::NONE; PieceFeatureTables::PLANE]
                });
                for (plane, feature) in planes.iter_mut().zip(&features) {
                    let entry = feature.map_or(PieceFeatureTables::NONE, |Feature(index)| index);
                    plane[in_plane(king, kind, square)] = entry;
                }
            }
        }
    }
    planes
}

/// A board with the own king alone, which with the piece decides each feature.
fn scene_of_king(square: Square) -> Scene {
    let mut board = Board::empty();
    board.set_piece_at(square, Role::King.of(Color::White));
    Scene::of_board(board)
}

impl FeatureSet {
    /// The tables of a set in which one piece and the own king's square decide each active
    /// feature; `None` of other sets, and of those with values. They are built anew at each call.
    pub fn piece_tables(&self) -> Option<PieceFeatureTables> {
        let is_sum = !self.is_valued() && self.blocks().iter().all(Block::is_sum_over_pieces);
        is_sum.then(|| PieceFeatureTables::of(self.blocks()))
    }
}
