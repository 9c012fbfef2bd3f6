//! A valued set as partial sums of a binary one.
//!
//! In `(ONE + PHASE) * piece(…)` each feature counts as much as a number of the position says, and
//! there are few such numbers. So what a linear net adds up,
//!
//! ```text
//! Σ weight · value  =  Σ over multipliers m:  m · (Σ of the weights of active features with m)
//! ```
//!
//! can be kept as one partial sum for each *multiplier*, of the features of a binary set, the
//! *carrier*. The numbers are multiplied in when an evaluation asks. When a king moves or the phase
//! changes all values do, but no partial sum: such a set never has to be refreshed where its
//! scalars alone would ask for it.
//!
//! Where pieces are counted (`count(piece(…))`), the carrier has each of them, with the weight of
//! the feature that counts them.

use std::collections::HashMap;
use std::sync::Arc;

use super::block::Block;
use super::feature::Feature;
use super::predicate::scalar::Scalar;
use super::set::FeatureSet;
use chess::{Color, Scene, View};

/// A product of numbers of the position, between −1 and 1: an exact fraction.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Multiplier {
    /// Sorted, without ones; and whether each is seen in the mirror.
    scalars: Vec<(Scalar, bool)>,
}

impl Multiplier {
    fn of(block: &Block) -> Self {
        let mut scalars: Vec<_> =
            block.scalars().filter(|&(scalar, _)| scalar != Scalar::One).collect();
        scalars.sort_unstable();
        Self { scalars }
    }

    /// What its numerator is over; the same in all positions.
    pub fn denominator(&self) -> i64 {
        self.scalars.iter().fold(1, |all, (scalar, _)| all.saturating_mul(scalar.denominator()))
    }

    /// The numerator in a position as seen by one side; 0 if a king is not there.
    #[inline]
    pub fn numerator(&self, scene: &Scene, perspective: Color) -> i64 {
        let view = View::new(scene, perspective);
        let factors = self.scalars.iter();
        factors.map(|&(scalar, mirrored)| scalar.numerator(seen(view, mirrored))).product()
    }

    /// As in an expression: `PHASE * own_king.file`, or `ONE`.
    pub fn text(&self) -> String {
        if self.scalars.is_empty() {
            return Scalar::One.name().to_owned();
        }
        let text = |&(scalar, mirrored): &(Scalar, bool)| match mirrored {
            true => format!("mirror({})", scalar.name()),
            false => scalar.name().to_owned(),
        };
        self.scalars.iter().map(text).collect::<Vec<_>>().join(" * ")
    }
}

#[inline]
fn seen(view: View<'_>, mirrored: bool) -> View<'_> {
    if mirrored { view.mirrored() } else { view }
}

/// Where the weight of a feature goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SumPlace {
    /// The feature of the valued set.
    pub feature: Feature,
    /// A feature of the carrier that is active when it is; one of several, as many of which are
    /// active as it counts.
    pub carrier: Feature,
    /// What it is multiplied with, a place in [`PartialSums::multipliers`].
    pub multiplier: usize,
}

/// Most features of a carrier: it has each piece where a set counts them, so a product of counts
/// is far larger than the set.
const MOST: usize = 1 << 22;

/// How a valued set is a binary one and numbers to multiply its partial sums with.
#[derive(Clone, Debug)]
pub struct PartialSums {
    carrier: Arc<FeatureSet>,
    multipliers: Vec<Multiplier>,
    places: Vec<SumPlace>,
    /// What the multipliers are products of, each once.
    scalars: Vec<(Scalar, bool)>,
    /// Of each multiplier, places in `scalars`.
    factors: Vec<Vec<usize>>,
}

impl PartialSums {
    /// Takes a set apart; `None` where features carry other numbers, such as those of
    /// `count(pair(…))`, and where there would be too many.
    pub fn of(set: &FeatureSet) -> Option<Self> {
        let mut carried = Carried::default();
        let mut places = Vec::new();
        for block in set.blocks() {
            let stripped = block.stripped(MOST.checked_sub(carried.size)?)?;
            let multiplier = carried.multiplier(Multiplier::of(block));
            let first = carried.product(&stripped.expression, stripped.features.len());
            places.extend((first..).zip(&stripped.features).filter_map(|(carrier, feature)| {
                let (feature, carrier) = (Feature((*feature)?), Feature(carrier as u32));
                Some(SumPlace { feature, carrier, multiplier })
            }));
        }
        let carrier = FeatureSet::parse(&carried.products.join(" + ")).ok()?;
        let is_whole = !carrier.is_valued() && carrier.size() == carried.size;
        let multipliers = carried.multipliers;
        let mut scalars: Vec<_> = multipliers.iter().flat_map(|m| &m.scalars).copied().collect();
        scalars.sort_unstable();
        scalars.dedup();
        let place = |scalar| scalars.binary_search(scalar).ok();
        let factors = multipliers.iter().map(|m| m.scalars.iter().filter_map(place).collect());
        let factors = factors.collect();
        is_whole.then_some(Self { carrier, multipliers, places, scalars, factors })
    }

    /// Numerators of all that multipliers are products of, in a position as seen by one side: few
    /// numbers, which say whether those of the [multipliers](Self::numerators) have changed.
    #[inline]
    pub fn scalars(&self, scene: &Scene, perspective: Color) -> impl Iterator<Item = i64> {
        let view = View::new(scene, perspective);
        let scalars = self.scalars.iter();
        scalars.map(move |&(scalar, mirrored)| scalar.numerator(seen(view, mirrored)))
    }

    /// [`Multiplier::numerator`] of all, from the [scalars](Self::scalars) of a position.
    #[inline]
    pub fn numerators(&self, scalars: &[i64]) -> impl Iterator<Item = i64> {
        self.factors.iter().map(|places| places.iter().map(|&place| scalars[place]).product())
    }

    /// The binary set.
    pub fn carrier(&self) -> &Arc<FeatureSet> {
        &self.carrier
    }

    /// The numbers, in the order in which they first appear.
    pub fn multipliers(&self) -> &[Multiplier] {
        &self.multipliers
    }

    /// Where the weights of the features of the valued set go; several features may go to
    /// one place, where their weights add up.
    pub fn places(&self) -> &[SumPlace] {
        &self.places
    }
}

/// What was found so far.
#[derive(Default)]
struct Carried {
    multipliers: Vec<Multiplier>,
    products: Vec<String>,
    /// Where the features of each product begin in the carrier.
    starts: HashMap<String, usize>,
    size: usize,
}

impl Carried {
    fn multiplier(&mut self, multiplier: Multiplier) -> usize {
        let known = self.multipliers.iter().position(|other| *other == multiplier);
        known.unwrap_or_else(|| {
            self.multipliers.push(multiplier);
            self.multipliers.len() - 1
        })
    }

    /// Where the features of a product of so many begin.
    fn product(&mut self, expression: &str, features: usize) -> usize {
        *self.starts.entry(expression.to_owned()).or_insert_with(|| {
            self.products.push(expression.to_owned());
            self.size += features;
            self.size - features
        })
    }
}
