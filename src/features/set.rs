//! The compiled feature set.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::block::Block;
use super::catalogue::Names;
use super::error::{ExpressionError, Result};
use super::expr::Expr;
use super::feature::{Delta, Feature, Step, Update};
use super::fusion::PlacementFusion;
use super::image::Image;
use super::parser::{self, ParsedSummand};
use super::predicate::ViewStep;
use super::predicate::sink::Sink;
use super::refresh::RefreshCause;
use chess::{Color, Scene, View};

/// A summand of the expression as written, and where its features lie.
#[derive(Clone, Debug, PartialEq)]
pub struct Summand {
    /// As written: `ALL`.
    pub text: String,
    /// With names expanded; the order of its concepts is the index order.
    pub definition: String,
    /// The same as a tree.
    pub expr: Expr,
    /// Index of its first feature.
    pub offset: usize,
    /// Number of features.
    pub size: usize,
    /// Largest number of its features active for one side.
    pub max_active: usize,
}

/// One summand of a set by itself. Indices are those of the whole set.
#[derive(Clone, Copy, Debug)]
pub struct SetPart<'a> {
    summand: &'a Summand,
    blocks: &'a [Block],
}

impl<'a> SetPart<'a> {
    /// Which summand.
    pub fn summand(&self) -> &'a Summand {
        self.summand
    }

    /// The products that it comes to.
    pub(super) fn blocks(&self) -> &'a [Block] {
        self.blocks
    }

    /// As [`FeatureSet::active`], of this summand.
    pub fn active<S: Sink>(&self, scene: &Scene, perspective: Color, out: &mut S) {
        active(self.blocks, View::new(scene, perspective), out);
    }

    /// What makes an accumulator of this summand start again in a move; nothing if
    /// it follows by rows.
    pub fn refreshed_by(&self, step: Step<'_>, perspective: Color) -> BTreeSet<RefreshCause> {
        let (mut causes, step) = (BTreeSet::new(), ViewStep::new(step, perspective));
        self.blocks.iter().for_each(|block| block.refreshed_by(&step, &mut causes));
        causes
    }

    /// As [`FeatureSet::delta`], of this summand.
    pub fn delta<E>(&self, step: Step<'_>, perspective: Color, delta: &mut Delta<E>) -> Update
    where
        Vec<E>: Sink,
    {
        delta.clear();
        change(self.blocks, &ViewStep::new(step, perspective), delta)
    }
}

/// A compiled feature expression.
#[derive(Clone, Debug)]
pub struct FeatureSet {
    expression: String,
    canonical: String,
    expr: Expr,
    summands: Vec<Summand>,
    blocks: Vec<Block>,
    /// Piece-placement blocks, which follow moves together.
    pub(super) fusion: Option<PlacementFusion>,
    /// The other blocks.
    apart: Vec<Block>,
    size: usize,
    max_active: usize,
}

/// An index beyond a set.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{expression} has {size} features; the last index is {}", size - 1)]
pub struct IndexError {
    expression: String,
    size: usize,
}

/// Largest feature set: indices fit 31 bits.
pub(crate) const MAX_SIZE: u64 = 1 << 31;

/// Most products of predicates that an expression may come to.
pub(crate) const MAX_BLOCKS: u64 = 1024;

/// Most features that may be active together in one perspective.
pub(crate) const MAX_ACTIVE: u64 = 4096;

impl FeatureSet {
    /// Compiles an expression that uses names of the catalogue only.
    pub fn parse(expression: &str) -> Result<Arc<FeatureSet>> {
        Self::compile(expression, &Names::catalogue())
    }

    /// Compiles an expression with the user's own names.
    pub fn compile(expression: &str, names: &Names) -> Result<Arc<FeatureSet>> {
        Self::of(expression, parser::parse(expression, names)?)
    }

    /// The set of some summands that were read.
    pub(super) fn of(expression: &str, parsed: Vec<ParsedSummand>) -> Result<Arc<FeatureSet>> {
        check_limits(expression, &parsed)?;
        let summands = place_summands(&parsed);
        let expr = parser::join(parsed);
        let blocks = Block::all_of(&expr);
        let mut apart = blocks.clone();
        Ok(Arc::new(Self {
            expression: expression.trim().to_owned(),
            canonical: expr.to_string(),
            summands,
            fusion: PlacementFusion::take_from(&mut apart),
            apart,
            blocks,
            size: expr.size() as usize,
            max_active: expr.max_active() as usize,
            expr,
        }))
    }

    /// The expression as written.
    pub fn expression(&self) -> &str {
        &self.expression
    }

    /// The expression with all names expanded: the form in net files, and the identity of a set.
    pub fn canonical(&self) -> &str {
        &self.canonical
    }

    /// The expression as a tree, names expanded.
    pub fn expr(&self) -> &Expr {
        &self.expr
    }

    /// Stable hash of the canonical expression, 64 bits as hex.
    pub fn hash(&self) -> String {
        blake3::hash(self.canonical.as_bytes()).to_hex()[..16].to_owned()
    }

    /// The products of the expression, in index order.
    pub(super) fn blocks(&self) -> &[Block] {
        &self.blocks
    }

    /// The summands as written.
    pub fn summands(&self) -> &[Summand] {
        &self.summands
    }

    /// The summands one by one.
    pub fn parts(&self) -> impl Iterator<Item = SetPart<'_>> {
        let mut rest = self.blocks.as_slice();
        self.summands.iter().map(move |summand| {
            let end = (summand.offset + summand.size) as u64;
            let own = rest.partition_point(|block| u64::from(block.offset()) < end);
            let (blocks, later) = rest.split_at(own);
            rest = later;
            SetPart { summand, blocks }
        })
    }

    /// Whether every feature of `image` is provably a sum of features of this set, so that a net of
    /// this set has nothing to learn from it.
    pub fn has_image(&self, image: &FeatureSet) -> bool {
        Image::prove(self, image).is_ok()
    }

    /// For each feature of this set the one of `other` that is active in the same positions, if
    /// both sets provably differ in nothing but the order of their features. Features that no
    /// position has may lack theirs.
    pub fn reordered(&self, other: &Self) -> Option<Vec<Option<Feature>>> {
        if self.canonical() == other.canonical() {
            return Some((0..self.size() as u32).map(|feature| Some(Feature(feature))).collect());
        }
        // Each set is active wherever the other one is.
        Image::prove(other, self).ok()?.into_order()?;
        Image::prove(self, other).ok()?.into_order()
    }

    /// Number of features.
    pub fn size(&self) -> usize {
        self.size
    }

    /// Upper bound of active features per perspective.
    pub fn max_active(&self) -> usize {
        self.max_active
    }

    /// A feature in words: `own rook on d4`.
    pub fn describe(&self, feature: Feature) -> String {
        self.expr.describe(u64::from(feature.0))
    }

    /// The summand of a feature.
    ///
    /// # Errors
    /// An index beyond the set.
    pub fn summand_of(&self, index: u64) -> std::result::Result<&Summand, IndexError> {
        let is_own = |s: &&Summand| (s.offset as u64..(s.offset + s.size) as u64).contains(&index);
        self.summands
            .iter()
            .find(is_own)
            .ok_or_else(|| IndexError { expression: self.expression.clone(), size: self.size })
    }

    /// Refresh causes of the set; most sets have none.
    pub fn refresh_causes(&self) -> BTreeSet<RefreshCause> {
        let mut causes = BTreeSet::new();
        self.blocks.iter().for_each(|block| block.refresh_causes(&mut causes));
        causes
    }

    /// Whether the half-move clock decides any feature.
    pub fn reads_halfmoves(&self) -> bool {
        self.blocks.iter().any(|block| block.is_anchored_by(RefreshCause::Halfmoves))
    }

    /// A number that two positions share if no refresh lies between them: all blocks have the same
    /// anchors and orientation. Collisions are rare.
    #[inline]
    pub fn refresh_key(&self, scene: &Scene, perspective: Color) -> u64 {
        let view = View::new(scene, perspective);
        self.blocks.iter().fold(0, |key, block| block.refresh_key(view, key))
    }

    /// Whether features have values other than 1, which lists of plain [`Feature`]s leave out.
    pub fn is_valued(&self) -> bool {
        self.expr.is_valued()
    }

    /// Whether exactly one feature is active in any position of a game, so that the set can select
    /// one of [`size`](Self::size) copies.
    pub fn is_one_hot(&self) -> bool {
        matches!(&self.blocks[..], [block] if block.is_choice())
    }

    /// The only active feature of a [one-hot](Self::is_one_hot) set; `None` on a board
    /// without a king.
    #[inline]
    pub fn chosen(&self, scene: &Scene, perspective: Color) -> Option<Feature> {
        let [block] = &self.blocks[..] else { return None };
        block.choice(View::new(scene, perspective)).map(Feature)
    }

    /// Appends the active features: no duplicates, in a fixed order that is
    /// not sorted. `out` is a `Vec` of [`Feature`] or of [`Weighted`](super::feature::Weighted).
    #[inline]
    pub fn active<S: Sink>(&self, scene: &Scene, perspective: Color, out: &mut S) {
        active(&self.blocks, View::new(scene, perspective), out);
    }

    /// The rows to change for a move, seen by `perspective`. On
    /// [`Update::Refresh`] the rows in `delta` mean nothing.
    #[inline]
    pub fn delta<E>(&self, step: Step<'_>, perspective: Color, delta: &mut Delta<E>) -> Update
    where
        Vec<E>: Sink,
    {
        self.change(step, perspective, None, delta)
    }

    /// As [`delta`](Self::delta), but with [fused rows](Self::fused_rows), counted from
    /// [`size`](Self::size) on, for pieces that change all their features.
    #[inline]
    pub fn fused_delta(&self, step: Step<'_>, side: Color, delta: &mut Delta) -> Update {
        self.change(step, side, Some(self.size as u32), delta)
    }

    #[inline(always)]
    fn change<E>(
        &self,
        step: Step<'_>,
        perspective: Color,
        fused_at: Option<u32>,
        delta: &mut Delta<E>,
    ) -> Update
    where
        Vec<E>: Sink,
    {
        delta.clear();
        if let Some(fusion) = &self.fusion {
            let Delta { removed, added } = delta;
            fusion.delta(step, perspective, fused_at, removed, added);
        }
        change(&self.apart, &ViewStep::new(step, perspective), delta)
    }
}

// One body each for the set and its parts; the loops are hot.
#[inline(always)]
fn active<S: Sink>(blocks: &[Block], view: View<'_>, out: &mut S) {
    blocks.iter().for_each(|block| block.active(view, out));
}

#[inline(always)]
fn change<E>(blocks: &[Block], step: &ViewStep<'_>, delta: &mut Delta<E>) -> Update
where
    Vec<E>: Sink,
{
    for block in blocks {
        if block.delta(step, &mut delta.removed, &mut delta.added) == Update::Refresh {
            return Update::Refresh;
        }
    }
    Update::Rows
}

fn check_limits(text: &str, parsed: &[ParsedSummand]) -> Result<()> {
    let total =
        |of: fn(&Expr) -> u64| parsed.iter().map(|s| of(&s.expr)).fold(0, u64::saturating_add);
    let (size, active) = (total(Expr::size), total(Expr::max_active));
    let refuse = |message: String, help: &str| {
        Err(ExpressionError::new(
            "expression",
            text,
            0..text.len(),
            message,
            "too large",
            Some(help.into()),
        ))
    };
    if size > MAX_SIZE {
        return refuse(
            format!(
                "this set has {} features; at most {MAX_SIZE} (2^31) can be indexed",
                size_in_words(size, parsed)
            ),
            "use smaller concepts, such as `{pawn} * COLORS` instead of PIECES",
        );
    }
    if total(Expr::blocks) > MAX_BLOCKS {
        return refuse(
            format!("multiplied out, this set has more than {MAX_BLOCKS} products"),
            "multiply fewer sums with each other",
        );
    }
    if active > MAX_ACTIVE {
        return refuse(
            match active {
                u64::MAX => format!(
                    "more than {active} features could be active together; at most {MAX_ACTIVE} are allowed"
                ),
                _ => format!(
                    "up to {active} features could be active together; at most {MAX_ACTIVE} are allowed"
                ),
            },
            "a product of two sets is active wherever both are: multiply by a one-hot set such as KING instead",
        );
    }
    Ok(())
}

/// A number of features; above 64 bits, its magnitude.
fn size_in_words(size: u64, parsed: &[ParsedSummand]) -> String {
    if size < u64::MAX {
        return size.to_string();
    }
    let magnitude = parser::join(parsed.to_vec()).magnitude();
    format!("about {:.1} × 10^{}", 10f64.powf(magnitude.fract()), magnitude.floor())
}

fn place_summands(parsed: &[ParsedSummand]) -> Vec<Summand> {
    let mut offset = 0;
    parsed
        .iter()
        .map(|part| {
            let summand = Summand {
                text: part.text.clone(),
                definition: part.expr.to_string(),
                expr: part.expr.clone(),
                offset,
                size: part.expr.size() as usize,
                max_active: part.expr.max_active() as usize,
            };
            offset += summand.size;
            summand
        })
        .collect()
}
