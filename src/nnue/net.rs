//! The quantised net and its evaluation of a position.

use std::sync::{Arc, OnceLock};

use super::aligned::{Aligned, LANES};
#[cfg(test)]
use super::digits::Base;
use super::layers::{Architecture, Layers};
use super::scales::Scales;
use super::valued::Valued;
use chess::{Color, Scene};
use features::{Feature, FeatureSet};

/// Largest activation with which an input of a dense layer is a byte, and products with weights of
/// a byte can be added in pairs: 2 · 128 · 127 < 2¹⁵.
pub(super) const BYTE_UNIT: i32 = 128;

/// A quantised net with its feature set.
#[derive(Clone, Debug)]
pub struct Net {
    pub(super) features: Arc<FeatureSet>,
    /// Partial sums of a valued set.
    pub(super) valued: Option<Arc<Valued>>,
    pub(super) architecture: Architecture,
    pub(super) scales: Scales,
    pub(super) weights: IntegerWeights,
    /// Accumulator rows, if they have more columns than the feature transformer; built on first
    /// use.
    composed: OnceLock<Composed>,
    /// PSQT weights of the carrier of a valued set; built on first use.
    carried: OnceLock<Vec<i32>>,
    /// Data hashes, seed, configuration, program.
    pub(super) provenance: serde_json::Value,
}

/// Weights of a quantised net; tensors of layers that the net does not have are empty.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct IntegerWeights {
    /// `[features][columns]`; a column per sum, or two in a net of two digits: first all high
    /// digits, then all low ones.
    pub ft_weights: Aligned,
    /// `[columns]`.
    pub ft_bias: Vec<i16>,
    /// `[features][buckets]`, weights of the psqt head.
    pub psqt: Vec<i32>,
    /// The dense layers, the output last.
    pub dense: Vec<IntegerDense>,
}

/// Columns of the feature transformer and of the PSQT head.
#[derive(Clone, Debug)]
pub(super) struct Composed {
    /// `[features and fused rows][columns]`
    rows: Aligned,
    /// `[columns]`
    bias: Vec<i16>,
}

/// A dense layer in integers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct IntegerDense {
    /// `[buckets][sums][inputs]`; of the lowest layer the side to move's inputs come first.
    pub weights: Vec<i32>,
    /// `[buckets][sums]`.
    pub bias: Vec<i64>,
}

/// The accumulators of both perspectives, and the output bucket.
#[derive(Clone, Copy, Debug)]
pub(super) struct Accumulators<'a> {
    /// Of the side to move, `[columns]` of [`Net::columns`].
    pub stm: &'a [i16],
    /// Of the other side.
    pub nstm: &'a [i16],
    /// Output bucket of the position.
    pub bucket: usize,
    /// Multipliers of the partial sums of a valued set, in [parts](Valued::parts): the side to
    /// move's, then the other side's; empty for binary sets.
    pub numbers: [&'a [i32]; 2],
}

/// Sums of a perspective.
#[derive(Clone, Debug)]
struct Sums {
    /// `[width]`
    transformer: Vec<i32>,
    /// `[buckets]`; of a valued set in parts.
    psqt: Vec<i64>,
}

impl Net {
    /// A net of integers at given scales, for importers. Accumulators are not bounded; they wrap,
    /// as in the program of origin.
    ///
    /// # Panics
    /// If a tensor does not have the shape of features, layers and scales.
    pub fn from_integers(
        features: Arc<FeatureSet>,
        layers: Layers,
        scales: Scales,
        weights: IntegerWeights,
        provenance: serde_json::Value,
    ) -> Self {
        let architecture = Architecture { features: features.size(), layers };
        let net = Self::assembled(features, None, architecture, scales, weights, provenance);
        for (name, values) in net.tensors() {
            let len = name.len(&net.architecture, &net.scales);
            assert_eq!(Some(values.iter().count()), len, "{}", name.as_str());
        }
        net
    }

    pub(super) fn assembled(
        features: Arc<FeatureSet>,
        valued: Option<Arc<Valued>>,
        architecture: Architecture,
        scales: Scales,
        weights: IntegerWeights,
        provenance: serde_json::Value,
    ) -> Self {
        let (composed, carried) = (OnceLock::new(), OnceLock::new());
        Self { features, valued, architecture, scales, weights, composed, carried, provenance }
    }

    /// The same features, layers and scales with other integers.
    pub(super) fn with_weights(&self, weights: IntegerWeights) -> Self {
        let net = self.clone();
        Self { weights, composed: OnceLock::new(), carried: OnceLock::new(), ..net }
    }

    /// The feature set.
    pub fn features(&self) -> &Arc<FeatureSet> {
        &self.features
    }

    /// Features and layers.
    pub fn architecture(&self) -> &Architecture {
        &self.architecture
    }

    /// Integers per unit.
    pub fn scales(&self) -> &Scales {
        &self.scales
    }

    /// Weights in integers.
    pub fn weights(&self) -> &IntegerWeights {
        &self.weights
    }

    /// Parts of one in which the values of a valued set are whole; `None` for a binary set.
    pub fn value_parts(&self) -> Option<i64> {
        self.valued.as_ref().map(|valued| valued.parts())
    }

    /// Data hashes, seed, configuration and program, as far as they are known.
    pub fn provenance(&self) -> &serde_json::Value {
        &self.provenance
    }

    /// The same net with another provenance.
    pub fn with_provenance(self, provenance: serde_json::Value) -> Self {
        Self { provenance, ..self }
    }

    /// Columns of an accumulator: the sums of the feature transformer, then the two digits
    /// of the head's, filled up to a whole register unless there are but a few of these alone.
    #[inline]
    pub(super) fn columns(&self) -> usize {
        self.weights.ft_bias.len() + self.head_columns()
    }

    /// The feature set of the accumulator rows: that of the net, or the binary carrier of a valued
    /// one.
    pub(super) fn carrier(&self) -> &Arc<FeatureSet> {
        self.valued.as_ref().map_or(&self.features, |valued| valued.carrier())
    }

    /// Numbers of the PSQT head in an accumulator: one for each bucket and multiplier.
    pub(super) fn head_width(&self) -> usize {
        let multipliers = self.valued.as_ref().map_or(1, |valued| valued.multipliers());
        multipliers * self.architecture.layers.psqt_columns()
    }

    /// PSQT weights of the carrier, `[carrier][head_width]`.
    pub(super) fn carried_head(&self) -> &[i32] {
        let buckets = self.architecture.layers.psqt_columns();
        match &self.valued {
            Some(valued) => {
                self.carried.get_or_init(|| valued.carried(&self.weights.psqt, buckets))
            }
            None => &self.weights.psqt,
        }
    }

    fn head_columns(&self) -> usize {
        let digits = 2 * self.head_width();
        // A few digits alone are added one by one; their rows share the cache.
        let is_narrow = self.weights.ft_bias.is_empty() && digits <= LANES / 2;
        if is_narrow { digits } else { digits.next_multiple_of(LANES) }
    }

    /// The output bucket of a position.
    #[inline]
    pub(super) fn bucket(&self, scene: &Scene, turn: Color) -> usize {
        self.architecture.layers.buckets().of(scene, turn)
    }

    /// Row of a feature in the feature transformer; its columns.
    #[inline]
    pub fn row(&self, feature: Feature) -> &[i16] {
        let columns = self.weights.ft_bias.len();
        &self.weights.ft_weights[feature.0 as usize * columns..][..columns]
    }

    /// PSQT weights of a feature; `[buckets]`.
    fn head(&self, feature: Feature) -> &[i32] {
        let buckets = self.architecture.layers.psqt_columns();
        &self.weights.psqt[feature.0 as usize * buckets..][..buckets]
    }

    /// Whether all weights of a feature are zero.
    pub fn is_silent(&self, feature: Feature) -> bool {
        self.row(feature).iter().all(|&weight| weight == 0)
            && self.head(feature).iter().all(|&weight| weight == 0)
    }

    /// Initial columns of an accumulator; [`columns`](Self::columns).
    pub(super) fn bias(&self) -> &[i16] {
        if self.is_plain() { &self.weights.ft_bias } else { &self.composed().bias }
    }

    /// Rows that accumulators add and subtract, each of [`columns`](Self::columns) numbers:
    /// those of all features, then the [fused rows](FeatureSet::fused_rows).
    pub(super) fn rows(&self) -> &[i16] {
        if self.is_plain() { &self.weights.ft_weights } else { &self.composed().rows }
    }

    /// Whether accumulators have the columns of the feature transformer alone.
    fn is_plain(&self) -> bool {
        self.weights.psqt.is_empty() && !self.carrier().has_fused_rows()
    }

    fn composed(&self) -> &Composed {
        self.composed.get_or_init(|| {
            let head = std::iter::repeat_n(0, self.head_columns());
            let bias = self.weights.ft_bias.iter().copied().chain(head).collect();
            Composed { rows: self.composed_rows(), bias }
        })
    }

    fn composed_rows(&self) -> Aligned {
        let (carrier, columns) = (self.carrier(), self.columns());
        let features = carrier.size();
        let mut rows = Aligned::zeroed((features + carrier.fused_rows().count()) * columns);
        let (plain, fused) = rows.split_at_mut(features * columns);
        self.write_rows(plain);
        for (sum, row) in fused.chunks_exact_mut(columns).zip(carrier.fused_rows()) {
            for feature in row {
                let row = &plain[feature.0 as usize * columns..][..columns];
                sum.iter_mut().zip(row).for_each(|(sum, more)| *sum = sum.wrapping_add(*more));
            }
        }
        rows
    }

    /// Writes the columns of the feature transformer and the digits of the head.
    fn write_rows(&self, rows: &mut [i16]) {
        let (own, width, head) =
            (self.weights.ft_bias.len(), self.head_width(), self.carried_head());
        for (feature, row) in rows.chunks_exact_mut(self.columns()).enumerate() {
            let (transformer, digits) = row.split_at_mut(own);
            transformer.copy_from_slice(&self.weights.ft_weights[feature * own..][..own]);
            if let Some(base) = self.scales.psqt {
                let split = base.split_rows(&head[feature * width..][..width], width);
                digits[..split.len()].copy_from_slice(&split);
            }
        }
    }

    /// Sums of a perspective, from scratch.
    fn sums_of(&self, scene: &Scene, perspective: Color) -> Sums {
        if let Some(valued) = &self.valued {
            return self.sums_of_values(valued, scene, perspective);
        }
        let mut active: Vec<Feature> = Vec::new();
        self.features.active(scene, perspective, &mut active);
        let mut accumulator = self.weights.ft_bias.clone();
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

    /// The sums of the feature transformer for a perspective, from scratch; `[width]`, empty in a
    /// linear net.
    pub fn transformer_sums(&self, scene: &Scene, perspective: Color) -> Vec<i32> {
        self.sums_of(scene, perspective).transformer
    }

    /// Joined digits of the feature transformer's sums.
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
            let (transformer, head) = columns.split_at(self.weights.ft_bias.len());
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
        let hidden = layers.hidden().iter().zip(&self.scales.hidden).zip(&self.weights.dense);
        for ((hidden, scale), dense) in hidden {
            let sums = dense.wrapped_sums(bucket, hidden.sums(), &inputs);
            inputs = vec![0; hidden.outputs()];
            scale.activate(&sums[..hidden.neurons], hidden.activation, rounding, &mut inputs);
            if let (Some(addition), Some(weight)) = (hidden.addition, self.scales.skip) {
                skipped = addition.of_integers(&sums[hidden.neurons..], weight);
            }
        }
        let output =
            self.weights.dense.last().map_or(0, |output| output.sum(bucket, 0, 1, &inputs));
        self.scales.mix.centipawns(output.wrapping_add(skipped), head)
    }
}

impl IntegerDense {
    /// The sum of a neuron, bias included.
    fn sum(&self, bucket: usize, neuron: usize, sums: usize, inputs: &[i32]) -> i64 {
        let neuron = bucket * sums + neuron;
        let weights = &self.weights[neuron * inputs.len()..][..inputs.len()];
        let products = weights.iter().zip(inputs).map(|(&w, &x)| i64::from(w) * i64::from(x));
        products.fold(self.bias[neuron], i64::wrapping_add)
    }

    /// The sums of all neurons of a bucket, wrapped to 32 bits.
    fn wrapped_sums(&self, bucket: usize, sums: usize, inputs: &[i32]) -> Vec<i32> {
        (0..sums).map(|neuron| self.sum(bucket, neuron, sums, inputs) as i32).collect()
    }
}
