//! Linear nets of valued sets.
//!
//! A feature of such a set counts its weight times a number of the position, such as the phase or
//! the distance of a king from the centre. Accumulators keep a partial sum for each of these
//! numbers ([`PartialSums`]), and an evaluation multiplies them. The numbers are fractions over one
//! common denominator, so all arithmetic is in integers; the scale of the net divides by the
//! denominator.

use std::sync::Arc;

use super::layers::Layers;
use chess::{Color, Scene};
use features::{FeatureSet, PartialSums};

/// Why a net of a valued set has no quantised form.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unplayable {
    /// Values multiply sums behind the accumulator, not rows in it.
    #[error("values are for the linear model (layers `1`), not for hidden layers")]
    Layers,
    /// Values without partial sums.
    #[error(
        "counts of other things than pieces, as by `count(pair(…))`, products of many numbers or counts, or more than four million features"
    )]
    Values,
}

/// Whether nets of these features and layers can be quantised and played.
///
/// # Errors
/// The reason why not.
pub fn check_playable(features: &FeatureSet, layers: &Layers) -> Result<(), Unplayable> {
    Valued::read_by(features, layers).map(|_| ())
}

/// Largest common denominator: sums of 31 bits times it stay far from 63.
const MOST_PARTS: i64 = 1 << 24;

/// Partial sums of a valued set.
#[derive(Clone, Debug)]
pub(super) struct Valued {
    sums: PartialSums,
    /// Factor of each multiplier's numerator, for the common denominator [`parts`](Self::parts).
    factors: Vec<i64>,
    parts: i64,
}

/// Multipliers of the partial sums of one side, in [parts](Valued::parts): kept while kings and
/// phase stay.
#[derive(Clone, Debug, Default)]
pub(super) struct Numbers {
    /// Scalars of the multipliers.
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
    /// Partial sums of a set for the layers; `None` of binary sets.
    ///
    /// # Errors
    /// The reason why there are none.
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

    /// `None` for sets without partial sums.
    fn of(features: &FeatureSet) -> Option<Arc<Self>> {
        let sums = PartialSums::of(features)?;
        let denominators: Vec<i64> = sums.multipliers().iter().map(|m| m.denominator()).collect();
        let parts = denominators.iter().try_fold(1, |all, &next| least_common(all, next))?;
        let factors = denominators.iter().map(|denominator| parts / denominator).collect();
        Some(Arc::new(Self { sums, factors, parts }))
    }

    /// The binary set of the accumulator rows.
    pub(super) fn carrier(&self) -> &Arc<FeatureSet> {
        self.sums.carrier()
    }

    /// Partial sums per bucket.
    pub(super) fn multipliers(&self) -> usize {
        self.factors.len()
    }

    /// Common denominator.
    pub(super) fn parts(&self) -> i64 {
        self.parts
    }

    /// Multiplier of each partial sum, in parts.
    pub(super) fn numbers(
        &self,
        scene: &Scene,
        perspective: Color,
    ) -> impl Iterator<Item = i64> + Clone {
        let multipliers = self.sums.multipliers().iter().zip(&self.factors);
        multipliers.map(move |(m, factor)| m.numerator(scene, perspective) * factor)
    }

    /// Updates the multipliers to a position, if its scalars differ.
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
