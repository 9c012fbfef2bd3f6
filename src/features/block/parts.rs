//! Parts of a block, for comparisons of blocks.

use std::collections::{BTreeSet, HashMap, HashSet};

use super::Block;
use crate::feature::Feature;
use crate::predicate::AnyTable;
use crate::predicate::minimal_cause::MinimalCause;
use crate::predicate::scalar::Scalar;
use crate::refresh::RefreshCause;
use chess::{File, Piece, PieceKind, Role, Square, View};

/// The part of a position that one-hot factors depend on, from one perspective.
#[derive(Clone, Debug)]
pub(crate) struct Anchoring {
    own_king: Square,
    other_king: Square,
    /// States of the causes that are no kings.
    others: Vec<(RefreshCause, usize)>,
}

impl Anchoring {
    /// Anchorings that select every possible combination of copies of the blocks.
    pub(crate) fn all(blocks: [&Block; 2]) -> impl Iterator<Item = Anchoring> {
        let causes: BTreeSet<RefreshCause> =
            blocks.into_iter().flat_map(Block::anchor_causes).collect();
        let asks = |cause| causes.contains(&cause);
        let kings = asks(RefreshCause::OwnKing) || asks(RefreshCause::EnemyKing);
        let some =
            |wanted: bool, all: &[Square]| all[..if wanted { all.len() } else { 1 }].to_vec();
        let own = some(kings, &Square::ALL);
        let other = some(asks(RefreshCause::EnemyKing), &Square::ALL);
        let others = causes.iter().filter(|cause| !is_of_kings(**cause));
        let others = others.fold(vec![Vec::new()], |products, &cause| {
            let states = distinct_states(blocks, cause);
            let with = |product: Vec<(RefreshCause, usize)>| {
                let longer = |&state: &usize| [&product[..], &[(cause, state)]].concat();
                states.iter().map(longer).collect::<Vec<_>>()
            };
            products.into_iter().flat_map(with).collect()
        });
        own.into_iter().flat_map(move |own_king| {
            let others = others.clone();
            other.clone().into_iter().flat_map(move |other_king| {
                let at = move |others| Anchoring { own_king, other_king, others };
                others.clone().into_iter().map(at)
            })
        })
    }

    /// The [state](RefreshCause::state) that a factor sees.
    fn state(&self, cause: RefreshCause, mirrored: bool) -> usize {
        let is_turned = self.own_king.file() >= File::E;
        let seen = |king: Square| match mirrored && is_turned {
            true => king.flip_horizontal() as usize,
            false => king as usize,
        };
        match cause {
            RefreshCause::OwnKing => seen(self.own_king),
            RefreshCause::EnemyKing => seen(self.other_king),
            RefreshCause::Mirror => usize::from(is_turned),
            other => {
                let known = self.others.iter().find(|(cause, _)| *cause == other);
                known.map_or(*other.states_of_games().start(), |(_, state)| *state)
            }
        }
    }
}

fn is_of_kings(cause: RefreshCause) -> bool {
    matches!(cause, RefreshCause::OwnKing | RefreshCause::EnemyKing | RefreshCause::Mirror)
}

/// One state for each combination of tuples that one-hot factors of the cause select together.
fn distinct_states(blocks: [&Block; 2], cause: RefreshCause) -> Vec<usize> {
    let selectors = || {
        let all = blocks.into_iter().flat_map(|block| &block.selectors);
        all.filter(|selector| selector.predicate.refresh_cause() == cause)
    };
    let mut known: HashSet<Vec<Option<u32>>> = HashSet::new();
    let is_new = |state: &usize| {
        known.insert(selectors().map(|selector| selector.predicate.at(*state)).collect())
    };
    cause.states_of_games().filter(is_new).collect()
}

/// A block without its scalars, and with pieces in place of their counts.
#[derive(Clone, Debug)]
pub(crate) struct Stripped {
    /// The product of the other factors, in index order; `ONE` if there are none.
    pub expression: String,
    /// The feature of the block for each tuple of that product, if it counts anywhere.
    pub features: Vec<Option<u32>>,
}

/// A factor without its count.
struct Bare {
    expression: String,
    /// Index offset of each tuple within a feature; `None` of tuples that count nowhere.
    steps: Vec<Option<u32>>,
    stride: u32,
}

impl Bare {
    fn of<P>(factor: &super::Factor<P>) -> Self {
        Self::new(factor, factor.leaf.text.clone(), (0..factor.leaf.size).map(Some))
    }

    /// The pieces themselves in place of their number.
    fn of_table(factor: &super::Factor<AnyTable>) -> Self {
        let AnyTable::MarkTable(table) = &factor.predicate else { return Self::of(factor) };
        let Some(tuple) = table.counts() else { return Self::of(factor) };
        let kinds = || PieceKind::all();
        let of_square = |square| kinds().map(move |kind| (square, kind));
        let placed = Square::ALL.into_iter().flat_map(of_square);
        Self::new(factor, PLACED.to_owned(), placed.map(|(square, kind)| tuple(square, kind)))
    }

    fn new<P>(
        factor: &super::Factor<P>,
        text: String,
        tuples: impl Iterator<Item = Option<u32>>,
    ) -> Self {
        let stride = factor.stride;
        Self {
            expression: if factor.mirrored { format!("mirror({text})") } else { text },
            steps: tuples.map(|tuple| Some(tuple? * stride)).collect(),
            stride,
        }
    }
}

/// Any piece on any square, in the order of [`PieceKind::all`].
const PLACED: &str = "piece(SQUARES * ROLES * COLORS)";

impl Block {
    /// Scalars of the features, each with its mirror.
    pub(crate) fn scalars(&self) -> impl Iterator<Item = (Scalar, bool)> {
        self.scalars.iter().map(|scalar| (scalar.predicate, scalar.mirrored))
    }

    /// The block without scalars and counts; `None` above `most` tuples, which products of counts
    /// exceed easily.
    pub(crate) fn stripped(&self, most: usize) -> Option<Stripped> {
        let selectors = self.selectors.iter().map(Bare::of);
        let mut factors: Vec<Bare> =
            selectors.chain(self.factors.iter().map(Bare::of_table)).collect();
        let sizes = factors.iter().map(|factor| factor.steps.len());
        sizes.fold(1, usize::saturating_mul).le(&most).then_some(())?;
        // The left factor of a product has the largest stride.
        factors.sort_by_key(|factor| std::cmp::Reverse(factor.stride));
        let features = factors.iter().fold(vec![Some(self.offset)], |starts, factor| {
            let from =
                |start: Option<u32>| factor.steps.iter().map(move |step| Some(start? + (*step)?));
            starts.into_iter().flat_map(from).collect()
        });
        let expressions: Vec<String> = factors.into_iter().map(|bare| bare.expression).collect();
        let expression = match expressions.is_empty() {
            true => Scalar::One.name().to_owned(),
            false => expressions.join(" * "),
        };
        Some(Stripped { expression, features })
    }

    /// Features by their minimal causes, if each has one and no king decides.
    pub(crate) fn minimal_causes(&self) -> Option<HashMap<MinimalCause, u32>> {
        if self.is_anchored() || self.factors.iter().any(|factor| factor.mirrored) {
            return None;
        }
        let placed = |(cause, feature)| (cause, self.offset + feature);
        Some(self.copy_causes()?.map(placed).collect())
    }

    /// Features of a copy, counted from its beginning, by their minimal causes.
    pub(crate) fn copy_causes(&self) -> Option<impl Iterator<Item = (MinimalCause, u32)>> {
        let [factor] = self.factors.as_slice() else { return None };
        let stride = factor.stride;
        Some(
            factor
                .predicate
                .minimal_causes()?
                .into_iter()
                .map(move |(cause, tuple)| (cause, tuple * stride)),
        )
    }

    /// Offsets of the copies that one-hot factors select.
    pub(crate) fn copies(&self) -> Vec<u32> {
        self.selectors.iter().fold(vec![self.offset], |starts, selector| {
            let tuples = selector.predicate.tuples();
            let of_start = |&start: &u32| {
                tuples.iter().map(move |tuple| start + tuple * selector.stride).collect::<Vec<_>>()
            };
            starts.iter().flat_map(of_start).collect()
        })
    }

    /// Predicates of the factors that are neither one-hot nor scalars.
    pub(crate) fn factors(&self) -> impl ExactSizeIterator<Item = &AnyTable> {
        self.factors.iter().map(|factor| &factor.predicate)
    }

    /// Refresh causes of the one-hot factors and scalars.
    pub(crate) fn anchor_causes(&self) -> Vec<RefreshCause> {
        let selectors = self.selectors.iter().map(|selector| selector.predicate.refresh_cause());
        let scalars = self.scalars.iter().filter_map(|scalar| scalar.predicate.refresh_cause());
        selectors.chain(scalars).collect()
    }

    /// Whether a one-hot factor or scalar has this cause, those of inner sets included.
    pub(crate) fn is_anchored_by(&self, cause: RefreshCause) -> bool {
        let mut inner = self.factors().filter_map(AnyTable::blocks).flatten();
        self.anchor_causes().contains(&cause) || inner.any(|block| block.is_anchored_by(cause))
    }

    /// The feature that a piece (not turned) switches on by itself, given the
    /// kings of the view, in a block of at most one factor that is a sum over
    /// pieces. A block of one-hot factors alone is the own king's.
    pub(crate) fn contribution(
        &self,
        view: View<'_>,
        square: Square,
        piece: Piece,
    ) -> Option<Feature> {
        let (offset, _) = self.anchor(view)?;
        let Some(factor) = self.factors.first() else {
            let own_king = view.perspective() == piece.color && piece.role == Role::King;
            return own_king.then_some(Feature(offset));
        };
        let view = factor.view(view);
        let (seen, kind) =
            (view.orientation().square(square), PieceKind::seen(piece, view.perspective()));
        let tuple = factor.predicate.sum_over_pieces()?.tuple(view, seen, kind)?;
        Some(Feature(offset + tuple * factor.stride))
    }

    /// Whether a scalar gives its features values.
    pub(crate) fn has_scalar(&self) -> bool {
        self.scalars().any(|(scalar, _)| scalar != Scalar::One)
    }

    /// Whether two blocks differ in their one-hot factors alone.
    pub(crate) fn is_copied_in(&self, other: &Block) -> bool {
        let scalars = |block: &Block| -> Vec<String> {
            let scaled = block.scalars.iter().filter(|scalar| scalar.predicate != Scalar::One);
            scaled.map(|scalar| format!("{} {}", scalar.leaf.text, scalar.mirrored)).collect()
        };
        let same = |(a, b): (&super::Factor<AnyTable>, &super::Factor<AnyTable>)| {
            a.leaf == b.leaf && a.mirrored == b.mirrored
        };
        scalars(self) == scalars(other)
            && self.factors.len() == other.factors.len()
            && self.factors.iter().zip(&other.factors).all(same)
    }

    /// Offset of the copy that one-hot factors select; `None` without an active one.
    pub(crate) fn copy_at(&self, at: &Anchoring) -> Option<u32> {
        self.selectors.iter().try_fold(self.offset, |offset, selector| {
            let cause = selector.predicate.refresh_cause();
            let tuple = selector.predicate.at(at.state(cause, selector.mirrored))?;
            Some(offset + tuple * selector.stride)
        })
    }

    /// Where the features of a copy lie, counted from its beginning; in the same
    /// order in every block that [is copied](Self::is_copied_in) from it.
    pub(crate) fn features_of_copy(&self) -> Vec<u32> {
        self.factors.iter().fold(vec![0], |starts, factor| {
            let steps = move |start: u32| {
                (0..factor.leaf.size).map(move |tuple| start + tuple * factor.stride)
            };
            starts.into_iter().flat_map(steps).collect()
        })
    }
}
