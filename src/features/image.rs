//! Linear images: sets whose rows are sums of rows of another set.
//!
//! ALL is a linear image of KING-ALL: a rook on d4 is active in ALL exactly
//! when one of its 64 copies is. A set that has such an image can be trained
//! with it as a *factor*, whose weights all copies share, and the factor's
//! rows are added to the copies at export.
//!
//! The proof is by exhaustion. A block is *additive* if every piece switches on a tuple of its own
//! that depends only on the piece, its square and the squares of the kings. An additive block of a
//! position is the sum over its pieces, so boards with the kings and one more piece decide. H, V,
//! diagonals, pairs and mobility are not additive (two rooks on a file are one feature of H); they
//! are linear images of their own copies only.
//!
//! One-hot factors prove these: `KING * PV` has 64 copies of any PV, one is active at a time, and
//! PV is their sum (`copies`).

mod copies;

use std::collections::BTreeSet;

use super::block::Block;
use super::feature::Feature;
use super::predicate::AnyTable;
use super::refresh::RefreshCause;
use super::set::FeatureSet;
use chess::{Board, Color, Piece, Role, Scene, Square, View};

/// For each feature of a set, the features of its image that it contributes to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Image {
    /// For each block of the image, by feature of the finer set.
    parts: Vec<Vec<Option<Feature>>>,
}

/// Why one set is no linear image of another.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum NoImage {
    /// The block is no sum over pieces, and has no copies.
    #[error(
        "`{0}` is no sum over pieces, and the set has no product of it with one-hot sets such as KING"
    )]
    NotAdditive(String),
    /// The block has values.
    #[error("`{0}` is multiplied by numbers of the position, and no rows of the set are")]
    Valued(String),
    /// The finer set has no additive block to take rows of.
    #[error(
        "`{0}` has no product of king placement and single pieces, so it has no copies to share"
    )]
    NothingToShare(String),
    /// One row stands for several features of the image.
    #[error("one row of the set, `{0}`, stands for both `{1}` and `{2}`")]
    Coarser(String, String, String),
    /// The image is active where the finer set is not.
    #[error("it says `{0}` where the set says nothing")]
    Silent(String),
    /// No two rows of the set stand for the same feature.
    #[error("each of its features is one row of the set already, so there is nothing to share")]
    Same,
}

impl Image {
    /// Proves that `image` is a sum of rows of `set`, or returns the reason why not.
    pub(crate) fn prove(set: &FeatureSet, image: &FeatureSet) -> Result<Self, NoImage> {
        let part = |part| Self::of_block(set, image, part);
        Ok(Self { parts: image.blocks().iter().map(part).collect::<Result<_, _>>()? })
    }

    /// Target rows of some block of the set; a sharing block comes first.
    fn of_block(
        set: &FeatureSet,
        image: &FeatureSet,
        part: &Block,
    ) -> Result<Vec<Option<Feature>>, NoImage> {
        let mut why = match is_additive(part) {
            false if part.has_scalar() => NoImage::Valued(image.expression().to_owned()),
            true => NoImage::NothingToShare(set.expression().to_owned()),
            false => NoImage::NotAdditive(image.expression().to_owned()),
        };
        let mut unshared = None;
        for block in set.blocks() {
            let found = if is_additive(block) && is_additive(part) {
                Proof::search(set, block, image, part)
                    .map(|proof| proof.of.into_iter().map(Meaning::feature).collect())
            } else if block.is_copied_in(part) {
                copies::search(set, block, image, part)
            } else {
                continue;
            };
            match found {
                Ok(found) if shares(&found) => return Ok(found),
                Ok(found) => drop(unshared.get_or_insert(found)),
                Err(refusal) => why = refusal,
            }
        }
        unshared.ok_or(why)
    }

    /// The features of sets of one block each, if no two rows go to the same.
    pub(crate) fn into_order(self) -> Option<Vec<Option<Feature>>> {
        let shares = self.shares();
        let [part] = <[_; 1]>::try_from(self.parts).ok()?;
        (!shares).then_some(part)
    }

    /// Whether some feature has several rows of the set.
    pub(crate) fn shares(&self) -> bool {
        self.parts.iter().any(|part| shares(part))
    }

    /// The features that a feature of the finer set contributes to.
    pub(crate) fn of(&self, feature: Feature) -> impl Iterator<Item = Feature> {
        self.parts.iter().filter_map(move |part| part[feature.0 as usize])
    }

    /// Adds the rows of the image to those of the finer set; `[features][l1]`.
    pub(crate) fn fold(&self, rows: &mut [f32], image_rows: &[f32], l1: usize) {
        for (row, feature) in rows.chunks_exact_mut(l1).zip(0..) {
            for coarse in self.of(Feature(feature)) {
                let shared = &image_rows[coarse.0 as usize * l1..][..l1];
                row.iter_mut().zip(shared).for_each(|(weight, shared)| *weight += shared);
            }
        }
    }
}

/// Whether two rows go to the same feature.
fn shares(part: &[Option<Feature>]) -> bool {
    let mut features: Vec<Feature> = part.iter().copied().flatten().collect();
    features.sort_unstable();
    features.windows(2).any(|pair| pair[0] == pair[1])
}

/// Whether a block is a sum over pieces, given the kings.
fn is_additive(block: &Block) -> bool {
    let additive = |factor: &AnyTable| factor.sum_over_pieces().is_some();
    let leaf = block.factors().len() <= 1 && block.factors().all(additive);
    let kings = |cause: &RefreshCause| {
        matches!(cause, RefreshCause::OwnKing | RefreshCause::EnemyKing | RefreshCause::Mirror)
    };
    leaf && !block.has_scalar() && block.anchor_causes().iter().all(kings)
}

/// Role of a row of the finer set in its image.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Meaning {
    Unseen,
    Nothing,
    Feature(Feature),
}

impl Meaning {
    fn feature(self) -> Option<Feature> {
        match self {
            Meaning::Feature(feature) => Some(feature),
            Meaning::Unseen | Meaning::Nothing => None,
        }
    }
}

struct Proof<'a> {
    set: &'a FeatureSet,
    image: &'a FeatureSet,
    of: Vec<Meaning>,
}

impl<'a> Proof<'a> {
    fn search(
        set: &'a FeatureSet,
        block: &Block,
        image: &'a FeatureSet,
        part: &Block,
    ) -> Result<Self, NoImage> {
        let mut proof = Self { set, image, of: vec![Meaning::Unseen; set.size()] };
        let mut causes: BTreeSet<RefreshCause> = BTreeSet::new();
        for block in [block, part] {
            causes.extend(block.anchor_causes());
            block.refresh_causes(&mut causes);
        }
        let both_kings = causes.contains(&RefreshCause::EnemyKing);
        for own in Square::ALL {
            let mut kings = Board::empty();
            kings.set_piece_at(own, Role::King.of(Color::White));
            if !both_kings {
                proof.with_each_piece(&kings, block, part)?;
                continue;
            }
            for enemy in Square::ALL.into_iter().filter(|&enemy| enemy != own) {
                let mut kings = kings.clone();
                kings.set_piece_at(enemy, Role::King.of(Color::Black));
                proof.with_each_piece(&kings, block, part)?;
            }
        }
        Ok(proof)
    }

    /// Calls back for the kings, and for each kind of piece on each square. The other king is a
    /// piece like any other unless it is on the board.
    fn with_each_piece(
        &mut self,
        kings: &Board,
        block: &Block,
        part: &Block,
    ) -> Result<(), NoImage> {
        let scene = Scene::of_board(kings.clone());
        let view = View::new(&scene, Color::White);
        for (square, piece) in kings.iter() {
            self.compare(view, (square, piece), block, part)?;
        }
        for color in Color::ALL {
            let roles = Role::ALL.into_iter();
            for role in roles.filter(|&role| role != Role::King || kings.king_of(color).is_none()) {
                for square in !kings.occupied() {
                    self.compare(view, (square, role.of(color)), block, part)?;
                }
            }
        }
        Ok(())
    }

    /// Compares the contributions of a piece to both blocks.
    fn compare(
        &mut self,
        view: View<'_>,
        (square, piece): (Square, Piece),
        block: &Block,
        part: &Block,
    ) -> Result<(), NoImage> {
        let fine = block.contribution(view, square, piece);
        let coarse = part.contribution(view, square, piece);
        let Some(row) = fine else {
            return match coarse {
                Some(feature) => Err(NoImage::Silent(self.image.describe(feature))),
                None => Ok(()),
            };
        };
        let meaning = coarse.map_or(Meaning::Nothing, Meaning::Feature);
        let known = &mut self.of[row.0 as usize];
        if *known == Meaning::Unseen {
            *known = meaning;
        }
        if *known == meaning {
            return Ok(());
        }
        let describe = |meaning: Meaning| match meaning {
            Meaning::Feature(feature) => self.image.describe(feature),
            _ => "nothing".to_owned(),
        };
        Err(NoImage::Coarser(
            self.set.describe(row),
            describe(self.of[row.0 as usize]),
            describe(meaning),
        ))
    }
}
