//! Linear nets of valued sets.
//!
//! A feature of such a set counts its weight times a number of the position, such as the phase or
//! how far a king stands from the middle. Accumulators keep a partial sum for each of these
//! numbers ([`PartialSums`]), and an evaluation multiplies them in. The numbers are fractions, so
//! that all of it is whole: numerators over one common denominator, which the scale of the net
//! takes out again.

use std::sync::Arc;

use super::layers::Layers;
use chess::{Color, Scene};
use features::{FeatureSet, PartialSums};

/// Why a net of a valued set has no quantised form.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unplayable {
    /// Values are multiplied in behind the accumulator, where only sums are left.
    #[error("values are for the linear model (layers `1`), not for hidden layers")]
    Layers,
    /// There is no partial sum for each of them.
    #[error(
        "counts of other things than pieces, as by `count(pair(…))`, products of many numbers or counts, or more than four million features"
    )]
    Values,
}

/// Whether nets of these features and layers can be quantised and played.
///
/// # Errors
/// Why not.
pub fn check_playable(features: &FeatureSet, layers: &Layers) -> Result<(), Unplayable> {
    Valued::read_by(features, layers).map(|_| ())
}

/// Largest common denominator: sums of 31 bits times it stay far from 63.
const MOST_PARTS: i64 = 1 << 24;

/// How the features of a valued set are added up.
#[derive(Clone, Debug)]
pub(super) struct Valued {
    sums: PartialSums,
    /// What a numerator of each multiplier is multiplied with to be over [`parts`](Self::parts).
    factors: Vec<i64>,
    parts: i64,
}

/// What the partial sums of one side are multiplied with, in [parts](Valued::parts): kept from
/// position to position while kings and phase stay, found anew when they do not.
#[derive(Clone, Debug, Default)]
pub(super) struct Numbers {
    /// What the numbers are made of.
    scalars: Vec<i64>,
    /// `[multipliers]`; no larger than the parts, which are far below 2³¹.
    products: Vec<i32>,
}

impl Numbers {
    pub(super) fn as_slice(&self) -> &[i32] {
        &self.products
    }
}

impl Valued {
    /// How layers read a set; `None` where its features count once.
    ///
    /// # Errors
    /// Why they cannot.
    pub(super) fn read_by(
        features: &FeatureSet,
        layers: &Layers,
    ) -> Result<Option<Arc<Self>>, Unplayable> {
        match (features.is_valued(), layers.is_linear()) {
            (false, _) => Ok(None),
            (true, false) => Err(Unplayable::Layers),
            (true, true) => Self::of(features).map(Some).ok_or(Unplayable::Values),
        }
    }

    /// `None` for sets that cannot be taken apart.
    fn of(features: &FeatureSet) -> Option<Arc<Self>> {
        let sums = PartialSums::of(features)?;
        let denominators: Vec<i64> = sums.multipliers().iter().map(|m| m.denominator()).collect();
        let parts = denominators.iter().try_fold(1, |all, &next| least_common(all, next))?;
        let factors = denominators.iter().map(|denominator| parts / denominator).collect();
        Some(Arc::new(Self { sums, factors, parts }))
    }

    /// The set whose rows accumulators add.
    pub(super) fn carrier(&self) -> &Arc<FeatureSet> {
        self.sums.carrier()
    }

    /// Partial sums per bucket.
    pub(super) fn multipliers(&self) -> usize {
        self.factors.len()
    }

    /// How many parts make one.
    pub(super) fn parts(&self) -> i64 {
        self.parts
    }

    /// What each partial sum is multiplied with, in parts.
    pub(super) fn numbers(
        &self,
        scene: &Scene,
        perspective: Color,
    ) -> impl Iterator<Item = i64> + Clone {
        let multipliers = self.sums.multipliers().iter().zip(&self.factors);
        multipliers.map(move |(m, factor)| m.numerator(scene, perspective) * factor)
    }

    /// Finds the numbers of a position, those of an earlier one at hand.
    #[inline]
    pub(super) fn find(&self, numbers: &mut Numbers, scene: &Scene, perspective: Color) {
        let scalars = self.sums.scalars(scene, perspective);
        if numbers.scalars.iter().copied().eq(scalars) && !numbers.products.is_empty() {
            return;
        }
        numbers.scalars.clear();
        numbers.scalars.extend(self.sums.scalars(scene, perspective));
        let numerators = self.sums.numerators(&numbers.scalars).zip(&self.factors);
        numbers.products.clear();
        numbers.products.extend(numerators.map(|(numerator, factor)| (numerator * factor) as i32));
    }

    /// Weights of features, `[features][buckets]`, as rows of the carrier,
    /// `[carrier][buckets][multipliers]`.
    pub(super) fn carried<T>(&self, weights: &[T], buckets: usize) -> Vec<T>
    where
        T: Copy + Default + std::ops::AddAssign,
    {
        let width = self.multipliers() * buckets;
        let mut rows = vec![T::default(); self.carrier().size() * width];
        for place in self.sums.places() {
            let row = &mut rows[place.carrier.0 as usize * width..][..width];
            let sums = row.iter_mut().skip(place.multiplier).step_by(self.multipliers());
            let weights = &weights[place.feature.0 as usize * buckets..][..buckets];
            sums.zip(weights).for_each(|(sum, &weight)| *sum += weight);
        }
        rows
    }
}

/// `None` if it is larger than [`MOST_PARTS`].
fn least_common(a: i64, b: i64) -> Option<i64> {
    fn greatest_common(a: i64, b: i64) -> i64 {
        if b == 0 { a } else { greatest_common(b, a % b) }
    }
    (a / greatest_common(a, b)).checked_mul(b).filter(|&parts| parts <= MOST_PARTS)
}
