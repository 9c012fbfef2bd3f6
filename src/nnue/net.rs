//! The quantised net and its evaluation of a position.

use std::sync::{Arc, OnceLock};

use super::aligned::{Aligned, LANES};
#[cfg(test)]
use super::digits::Base;
use super::layers::Architecture;
use super::scales::Scales;
use super::valued::Valued;
use chess::{Color, Scene};
use features::{Feature, FeatureSet};

/// Largest activation with which an input of a dense layer is a byte, and
/// products with weights of a byte can be added in pairs: 2 · 128 · 127 < 2¹⁵.
pub(super) const BYTE_UNIT: i32 = 128;

/// A quantised net with the feature set it was made for.
#[derive(Clone, Debug)]
pub struct Net {
    pub(super) features: Arc<FeatureSet>,
    /// How a valued set is added up.
    pub(super) valued: Option<Arc<Valued>>,
    pub(super) architecture: Architecture,
    pub(super) scales: Scales,
    /// `[features][columns]`; a column per sum, or twice as many in a net of two digits:
    /// first all high digits, then all low ones.
    pub(super) ft_weights: Aligned,
    /// `[columns]`.
    pub(super) ft_bias: Vec<i16>,
    /// `[features][buckets]`: what each feature counts by itself, times its value.
    pub(super) psqt: Vec<i32>,
    /// The dense layers, the output last.
    pub(super) dense: Vec<Dense>,
    /// What accumulators are made of, where that is more than the feature transformer; put
    /// together when first used.
    pub(super) composed: OnceLock<Composed>,
    /// What the features of the carrier of a valued set count; put together when first used.
    pub(super) carried: OnceLock<Vec<i32>>,
    /// Where the net comes from: data hashes, seed, configuration, program.
    pub(super) provenance: serde_json::Value,
}

/// Columns of the feature transformer and of what features count by themselves.
#[derive(Clone, Debug)]
pub(super) struct Composed {
    /// `[features and bundles][columns]`
    rows: Aligned,
    /// `[columns]`
    bias: Vec<i16>,
}

/// A dense layer in integers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Dense {
    /// `[buckets][sums][inputs]`; of the lowest layer the side to move's inputs come first.
    pub weights: Vec<i32>,
    /// `[buckets][sums]`.
    pub bias: Vec<i64>,
}

/// The accumulators of both perspectives, and which bucket reads them.
#[derive(Clone, Copy, Debug)]
pub(super) struct Accumulators<'a> {
    /// Of the side to move, `[columns]` of [`Net::columns`].
    pub stm: &'a [i16],
    /// Of the other side.
    pub nstm: &'a [i16],
    /// Output bucket of the position.
    pub bucket: usize,
    /// What the partial sums of a valued set are multiplied with, in [parts](Valued::parts): the
    /// side to move's, then the other side's; empty where features count once.
    pub numbers: [&'a [i32]; 2],
}

/// What a perspective adds up.
#[derive(Clone, Debug)]
struct Sums {
    /// `[width]`
    transformer: Vec<i32>,
    /// `[buckets]`; of a valued set in parts.
    psqt: Vec<i64>,
}

impl Net {
    /// The feature set it reads positions with.
    pub fn features(&self) -> &Arc<FeatureSet> {
        &self.features
    }

    /// Which layers there are.
    pub fn architecture(&self) -> &Architecture {
        &self.architecture
    }

    /// Integers per unit.
    pub fn scales(&self) -> &Scales {
        &self.scales
    }

    /// Where the net comes from.
    pub fn provenance(&self) -> &serde_json::Value {
        &self.provenance
    }

    /// The same with what is to be told of where it comes from.
    pub fn with_provenance(self, provenance: serde_json::Value) -> Self {
        Self { provenance, ..self }
    }

    /// Columns of an accumulator: the sums of the feature transformer, then the two digits
    /// of the head's, filled up to a whole register unless there are but a few of these alone.
    #[inline]
    pub(super) fn columns(&self) -> usize {
        self.ft_bias.len() + self.head_columns()
    }

    /// The set whose rows accumulators add: that of the net, or where its features carry
    /// values the one that they are values of.
    pub(super) fn carrier(&self) -> &Arc<FeatureSet> {
        self.valued.as_ref().map_or(&self.features, |valued| valued.carrier())
    }

    /// Numbers that the head of an accumulator holds: one for each bucket, and for each
    /// number that values are multiplied with.
    pub(super) fn head_width(&self) -> usize {
        let multipliers = self.valued.as_ref().map_or(1, |valued| valued.multipliers());
        multipliers * self.architecture.layers.psqt_columns()
    }

    /// What features of the carrier count by themselves, `[carrier][head_width]`.
    pub(super) fn carried_head(&self) -> &[i32] {
        let buckets = self.architecture.layers.psqt_columns();
        match &self.valued {
            Some(valued) => self.carried.get_or_init(|| valued.carried(&self.psqt, buckets)),
            None => &self.psqt,
        }
    }

    fn head_columns(&self) -> usize {
        let digits = 2 * self.head_width();
        // A few digits alone are added one by one; their rows share the cache.
        let is_narrow = self.ft_bias.is_empty() && digits <= LANES / 2;
        if is_narrow { digits } else { digits.next_multiple_of(LANES) }
    }

    /// The output bucket of a position.
    #[inline]
    pub(super) fn bucket(&self, scene: &Scene, turn: Color) -> usize {
        self.architecture.layers.buckets().of(scene, turn)
    }

    /// Row of a feature in the feature transformer; its columns.
    #[inline]
    pub(super) fn row(&self, feature: Feature) -> &[i16] {
        let columns = self.ft_bias.len();
        &self.ft_weights[feature.0 as usize * columns..][..columns]
    }

    /// What a feature counts by itself; `[buckets]`.
    fn head(&self, feature: Feature) -> &[i32] {
        let buckets = self.architecture.layers.psqt_columns();
        &self.psqt[feature.0 as usize * buckets..][..buckets]
    }

    /// Whether a feature says nothing.
    pub(super) fn is_silent(&self, feature: Feature) -> bool {
        self.row(feature).iter().all(|&weight| weight == 0)
            && self.head(feature).iter().all(|&weight| weight == 0)
    }

    /// What accumulators start from; [`columns`](Self::columns).
    pub(super) fn bias(&self) -> &[i16] {
        if self.is_plain() { &self.ft_bias } else { &self.composed().bias }
    }

    /// Rows that accumulators add and subtract, each of [`columns`](Self::columns) numbers:
    /// those of all features, and behind them, each added up, those of all
    /// [bundles](FeatureSet::bundles).
    pub(super) fn rows(&self) -> &[i16] {
        if self.is_plain() { &self.ft_weights } else { &self.composed().rows }
    }

    /// Whether accumulators need nothing but the feature transformer as it is.
    fn is_plain(&self) -> bool {
        self.psqt.is_empty() && !self.carrier().has_bundles()
    }

    fn composed(&self) -> &Composed {
        self.composed.get_or_init(|| {
            let head = std::iter::repeat_n(0, self.head_columns());
            let bias = self.ft_bias.iter().copied().chain(head).collect();
            Composed { rows: self.composed_rows(), bias }
        })
    }

    fn composed_rows(&self) -> Aligned {
        let (carrier, columns) = (self.carrier(), self.columns());
        let features = carrier.size();
        let mut rows = Aligned::zeroed((features + carrier.bundles().count()) * columns);
        let (plain, bundled) = rows.split_at_mut(features * columns);
        self.write_rows(plain);
        for (sum, bundle) in bundled.chunks_exact_mut(columns).zip(carrier.bundles()) {
            for feature in bundle {
                let row = &plain[feature.0 as usize * columns..][..columns];
                sum.iter_mut().zip(row).for_each(|(sum, more)| *sum = sum.wrapping_add(*more));
            }
        }
        rows
    }

    /// Writes the columns of the feature transformer and the digits of the head.
    fn write_rows(&self, rows: &mut [i16]) {
        let (own, width, head) = (self.ft_bias.len(), self.head_width(), self.carried_head());
        for (feature, row) in rows.chunks_exact_mut(self.columns()).enumerate() {
            let (transformer, digits) = row.split_at_mut(own);
            transformer.copy_from_slice(&self.ft_weights[feature * own..][..own]);
            if let Some(base) = self.scales.psqt {
                let split = base.split_rows(&head[feature * width..][..width], width);
                digits[..split.len()].copy_from_slice(&split);
            }
        }
    }

    /// What a perspective adds up, from scratch.
    fn sums_of(&self, scene: &Scene, perspective: Color) -> Sums {
        if let Some(valued) = &self.valued {
            return self.sums_of_values(valued, scene, perspective);
        }
        let mut active: Vec<Feature> = Vec::new();
        self.features.active(scene, perspective, &mut active);
        let mut accumulator = self.ft_bias.clone();
        let mut psqt = vec![0; self.architecture.layers.psqt_columns()];
        for feature in active {
            for (sum, weight) in accumulator.iter_mut().zip(self.row(feature)) {
                *sum = sum.wrapping_add(*weight);
            }
            for (sum, weight) in psqt.iter_mut().zip(self.head(feature)) {
                *sum += i64::from(*weight);
            }
        }
        Sums { transformer: self.joined(&accumulator), psqt }
    }

    /// Each active feature times its value.
    fn sums_of_values(&self, valued: &Valued, scene: &Scene, perspective: Color) -> Sums {
        let mut active: Vec<Feature> = Vec::new();
        valued.carrier().active(scene, perspective, &mut active);
        let (buckets, head) = (self.architecture.layers.psqt_columns(), self.carried_head());
        let mut psqt = vec![0; buckets];
        for feature in active {
            let row = &head[feature.0 as usize * self.head_width()..][..self.head_width()];
            for (sum, weights) in psqt.iter_mut().zip(row.chunks_exact(valued.multipliers())) {
                let numbers = valued.numbers(scene, perspective);
                *sum += weights.iter().zip(numbers).map(|(&w, n)| i64::from(w) * n).sum::<i64>();
            }
        }
        Sums { transformer: Vec::new(), psqt }
    }

    /// The sums of the feature transformer for a perspective, from scratch; `[width]`.
    pub(super) fn transformer_sums(&self, scene: &Scene, perspective: Color) -> Vec<i32> {
        self.sums_of(scene, perspective).transformer
    }

    /// The sums of a feature transformer: digits put together.
    fn joined(&self, accumulator: &[i16]) -> Vec<i32> {
        match self.scales.digits() {
            None => accumulator.iter().map(|&sum| i32::from(sum)).collect(),
            Some(base) => base.join_rows(accumulator, self.architecture.layers.width()),
        }
    }

    /// Centipawns for the side to move, from scratch: the plain reference that the
    /// faster ways of the search equal bit for bit.
    pub fn evaluate(&self, scene: &Scene, turn: Color) -> i32 {
        let sides = [turn, !turn].map(|perspective| self.sums_of(scene, perspective));
        self.propagate(sides, self.bucket(scene, turn))
    }

    /// The same from accumulators.
    #[cfg(test)]
    pub(super) fn evaluate_sums(&self, sums: Accumulators<'_>) -> i32 {
        let buckets = self.architecture.layers.psqt_columns();
        let side = |columns: &[i16], numbers: &[i32]| {
            let (transformer, head) = columns.split_at(self.ft_bias.len());
            let join =
                |base: Base| base.join_rows(&head[..2 * self.head_width()], self.head_width());
            let partial = self.scales.psqt.map(join).unwrap_or_default();
            let numbers = if numbers.is_empty() { &[1][..] } else { numbers };
            let mut psqt = vec![0; buckets];
            for (sum, partial) in psqt.iter_mut().zip(partial.chunks_exact(numbers.len())) {
                let products = partial.iter().zip(numbers);
                *sum += products.map(|(&p, &n)| i64::from(p) * i64::from(n)).sum::<i64>();
            }
            Sums { transformer: self.joined(transformer), psqt }
        };
        let sides = [side(sums.stm, sums.numbers[0]), side(sums.nstm, sums.numbers[1])];
        self.propagate(sides, sums.bucket)
    }

    fn propagate(&self, sides: [Sums; 2], bucket: usize) -> i32 {
        let layers = &self.architecture.layers;
        let [own, other] = sides.each_ref().map(|side| side.psqt.get(bucket).copied().unwrap_or(0));
        let head = own - other;
        let Some(transformer) = self.scales.transformer else {
            return self.scales.mix.centipawns(0, head);
        };
        let rounding = self.scales.rounding;
        let activate =
            |side: &Sums| transformer.activate(&side.transformer, layers.activation(), rounding);
        let mut inputs = sides.each_ref().map(activate).concat();
        let mut skipped = 0;
        let hidden = layers.hidden().iter().zip(&self.scales.hidden).zip(&self.dense);
        for ((hidden, scale), dense) in hidden {
            let sums = dense.wrapped_sums(bucket, hidden.sums(), &inputs);
            inputs = vec![0; hidden.outputs()];
            scale.activate(&sums[..hidden.neurons], hidden.activation, rounding, &mut inputs);
            if let (Some(&sum), Some(skip)) = (sums.get(hidden.neurons), self.scales.skip) {
                skipped = skip.of(i64::from(sum));
            }
        }
        let output = self.dense.last().map_or(0, |output| output.sum(bucket, 0, 1, &inputs));
        self.scales.mix.centipawns(output.wrapping_add(skipped), head)
    }
}

impl Dense {
    /// The sum of a neuron, bias included.
    fn sum(&self, bucket: usize, neuron: usize, sums: usize, inputs: &[i32]) -> i64 {
        let neuron = bucket * sums + neuron;
        let weights = &self.weights[neuron * inputs.len()..][..inputs.len()];
        let products = weights.iter().zip(inputs).map(|(&w, &x)| i64::from(w) * i64::from(x));
        products.fold(self.bias[neuron], i64::wrapping_add)
    }

    /// The sums of all neurons of a bucket, in the 32 bits that they fit.
    fn wrapped_sums(&self, bucket: usize, sums: usize, inputs: &[i32]) -> Vec<i32> {
        (0..sums).map(|neuron| self.sum(bucket, neuron, sums, inputs) as i32).collect()
    }
}
