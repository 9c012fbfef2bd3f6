//! A dense layer of 16-bit numbers.
//!
//! A layer of one neuron is a dot product. In others the weights of two inputs lie beside each
//! other for all neurons of a group: one instruction multiplies both and adds them to the sum of a
//! neuron, without horizontal adds.

use super::super::aligned::Aligned;
use super::super::layers::LAYER_MULTIPLE;
use super::super::simd::{Pair, Simd, Squaring};
use super::group::{Group, write_out};
use super::squares;

/// The layer, with a buffer for its inputs.
#[derive(Clone, Debug)]
pub(super) struct WordLayer {
    /// `[buckets][groups][pairs of inputs][neurons of a group][2]`; without groups
    /// `[buckets][neurons][inputs]`.
    weights: Aligned,
    group: Option<Group>,
    /// Padded to a pair with a zero.
    inputs: Aligned,
    count: usize,
}

impl WordLayer {
    /// From weights `[buckets][neurons][inputs]` that fit 16 bits.
    pub(super) fn new(weights: &[i32], inputs: usize, neurons: usize) -> Self {
        let even = inputs.next_multiple_of(2);
        let group = neurons.is_multiple_of(LAYER_MULTIPLE).then(|| Group::of(neurons));
        let together = group.map_or(1, Group::neurons);
        let mut turned = Aligned::zeroed(weights.len() / inputs * even);
        let groups = turned.chunks_exact_mut(even * together);
        for (out, group) in groups.zip(weights.chunks_exact(inputs * together)) {
            for (neuron, row) in group.chunks_exact(inputs).enumerate() {
                for (input, &weight) in row.iter().enumerate() {
                    out[(input / 2 * together + neuron) * 2 + input % 2] = weight as i16;
                }
            }
        }
        Self { weights: turned, group, inputs: Aligned::zeroed(even), count: inputs }
    }

    /// Neurons that are computed together, if there are several.
    pub(super) fn group(&self) -> Option<usize> {
        self.group.map(Group::neurons)
    }

    /// The inputs.
    #[inline(always)]
    pub(super) fn inputs(&mut self) -> &mut [i16] {
        &mut self.inputs[..self.count]
    }

    /// Output of a layer of one neuron: its weights times the clipped squares of both sides' sums.
    #[inline(always)]
    pub(super) fn dot_of_squares<S: Simd>(
        &self,
        simd: S,
        bucket: usize,
        [own, other]: [&[i16]; 2],
        squaring: Squaring,
    ) -> i32 {
        let weights = &self.weights[bucket * self.inputs.len()..][..self.inputs.len()];
        let (first, second) = weights.split_at(own.len());
        squares::dot(simd, first, own, squaring)
            .wrapping_add(squares::dot(simd, second, other, squaring))
    }

    /// Adds weights times inputs to `sums`, one for each neuron.
    #[inline(always)]
    pub(super) fn add_to<S: Simd>(&mut self, simd: S, bucket: usize, sums: &mut [i32]) {
        let inputs = self.inputs.len();
        let weights = &self.weights[bucket * inputs * sums.len()..][..inputs * sums.len()];
        let Some(group) = self.group else {
            for (sum, row) in sums.iter_mut().zip(weights.chunks_exact(inputs)) {
                *sum = sum.wrapping_add(dot(row, &self.inputs));
            }
            return;
        };
        let neurons = group.neurons();
        let pairs = self.inputs.as_chunks::<2>().0;
        let groups = weights.chunks_exact(inputs * neurons);
        for (weights, sums) in groups.zip(sums.chunks_exact_mut(neurons)) {
            let weights = S::weights(bytemuck::cast_slice(weights));
            match neurons / S::NEURONS {
                8 => add::<S, 8>(simd, weights, pairs, sums),
                4 => add::<S, 4>(simd, weights, pairs, sums),
                2 => add::<S, 2>(simd, weights, pairs, sums),
                _ => add::<S, 1>(simd, weights, pairs, sums),
            }
        }
    }
}

/// Adds weights times inputs to `sums`, for a group of neurons that fills `N` registers;
/// `weights` is `[pairs][N]`. Two chains take turns, to hide the latency of the
/// instructions.
#[inline(always)]
fn add<S: Simd, const N: usize>(simd: S, weights: &[S::Weights], pairs: &[Pair], sums: &mut [i32]) {
    let mut chains = [[simd.zero(); N]; 2];
    let rows = weights.as_chunks::<N>().0;
    for (at, (&pair, row)) in pairs.iter().zip(rows).enumerate() {
        for (register, weights) in chains[at % 2].iter_mut().zip(row) {
            *register = simd.add_pair(*register, weights, pair);
        }
    }
    write_out(simd, chains, sums);
}

#[inline(always)]
fn dot(weights: &[i16], values: &[i16]) -> i32 {
    let products = weights.iter().zip(values).map(|(&w, &x)| i32::from(w) * i32::from(x));
    products.fold(0, i32::wrapping_add)
}
