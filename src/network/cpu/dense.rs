//! Dense layers with weights for each bucket, in the layouts of the
//! [`products`](super::products): on the way forward a row per input, padded; on the way back a
//! row per output.

use super::products::OUTPUT_STEP;

/// Dense layers of some buckets.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Dense<'a> {
    /// `[buckets, inputs, outputs]`.
    pub weights: &'a [f32],
    /// `[buckets, outputs]`.
    pub bias: &'a [f32],
    /// Outputs of each bucket.
    pub outputs: usize,
}

/// The same for the way forward: with columns of zeros up to a whole vector.
#[derive(Debug)]
pub(crate) struct Padded {
    /// `[buckets, inputs, outputs]`.
    weights: Vec<f32>,
    /// `[buckets, outputs]`.
    bias: Vec<f32>,
    inputs: usize,
    outputs: usize,
}

impl Padded {
    pub(crate) fn new(dense: Dense<'_>) -> Self {
        let Dense { weights, bias, outputs } = dense;
        let padded = outputs.next_multiple_of(OUTPUT_STEP);
        let pad = |matrix: &[f32]| {
            let mut wide = vec![0.0; matrix.len() / outputs * padded];
            for (to, row) in wide.chunks_exact_mut(padded).zip(matrix.chunks_exact(outputs)) {
                to[..outputs].copy_from_slice(row);
            }
            wide
        };
        let inputs = weights.len() / bias.len();
        Self { weights: pad(weights), bias: pad(bias), inputs, outputs: padded }
    }

    pub(crate) fn outputs(&self) -> usize {
        self.outputs
    }

    /// Initial outputs of `positions` positions: the bias.
    pub(crate) fn start(&self, bucket: usize, positions: usize) -> Vec<f32> {
        self.bias[bucket * self.outputs..][..self.outputs].repeat(positions)
    }

    /// Weights of the `T` inputs from `first` on, `[T, outputs]`.
    pub(crate) fn tile<const T: usize>(&self, bucket: usize, first: usize) -> &[f32] {
        &self.weights[(bucket * self.inputs + first) * self.outputs..][..T * self.outputs]
    }
}

/// One bucket's weights of the `T` inputs from `first` on, a row per output. `weights` is
/// `[buckets, inputs, outputs]`.
pub(crate) fn by_output<const T: usize>(
    weights: &[f32],
    first: usize,
    outputs: usize,
) -> Vec<[f32; T]> {
    let part = &weights[first * outputs..][..T * outputs];
    let row = |output| std::array::from_fn(|input| part[input * outputs + output]);
    (0..outputs).map(row).collect()
}

/// Adds what [`by_output`] gives, to where it was taken from.
pub(crate) fn add_by_output<const T: usize>(
    weights: &mut [f32],
    first: usize,
    by_output: &[[f32; T]],
) {
    let outputs = by_output.len();
    let rows = weights[first * outputs..][..T * outputs].chunks_exact_mut(outputs);
    for (input, row) in rows.enumerate() {
        for (to, from) in row.iter_mut().zip(by_output) {
            *to += from[input];
        }
    }
}

/// Adds the rows of a gradient, `[positions, outputs]`, to that of a bias.
pub(crate) fn add_rows(bias: &mut [f32], gradient: &[f32]) {
    for row in gradient.chunks_exact(bias.len()) {
        for (to, from) in bias.iter_mut().zip(row) {
            *to += from;
        }
    }
}
