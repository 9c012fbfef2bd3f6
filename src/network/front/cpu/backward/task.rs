//! One task of the backward pass: one tile of the gradients, summed over one
//! group of chunks.

use std::ops::Range;

use pulp::Arch;

use super::super::between::{inputs_of, through_activation, through_factors};
use super::super::inverted::Inverted;
use super::super::layout::SLICE;
use super::super::rows::{Value, Values};
use super::Inputs;
use crate::cpu::dense::by_output;
use crate::cpu::products::{GradInput, GradWeights};
use crate::vectorised;

/// A run of slices and where its features are.
pub(super) struct Chunk<V: Values> {
    /// Numbers of the slices.
    pub slices: Range<usize>,
    /// Rows are numbered as they lie in the buffers of a task, see [`block`].
    pub inverted: Inverted<V::Value>,
}

/// Inputs of the sums.
pub(super) struct Task<'a, const T: usize, V: Values> {
    pub inputs: Inputs<'a, V>,
    pub chunks: &'a [Chunk<V>],
    pub tile: usize,
    /// This tile of the weight gradient: of each strip, a piece per feature.
    pub weights: Vec<Vec<&'a mut [f32; T]>>,
}

/// One tile of the smaller gradients.
pub(super) struct Tile<const T: usize> {
    /// Of the strips; the second stays zero where there is but one.
    pub bias: [[f32; T]; 2],
    /// Of each bucket and side `[outputs, T]`.
    pub dense: Vec<[f32; T]>,
}

/// Where the block of a side of a slice begins in the buffers of a task, the
/// slices of a chunk being counted from 0.
pub(super) fn block(slice: usize, side: usize) -> usize {
    (2 * slice + side) * SLICE
}

impl<const T: usize, V: Values> Task<'_, T, V> {
    pub(super) fn run(mut self) -> Tile<T> {
        let dense = self.dense_by_output();
        let mut tile = Tile { bias: [[0.0; T]; 2], dense: vec![[0.0; T]; dense.len()] };
        let longest = self.chunks.iter().map(|chunk| chunk.slices.len()).max().unwrap_or(0);
        let mut buffers = vec![vec![[0.0; T]; block(longest, 0)]; self.weights.len()];
        for chunk in self.chunks {
            self.grad_sums(chunk, &dense, &mut buffers, &mut tile);
            for (buffer, weights) in buffers.iter().zip(&mut self.weights) {
                gather(buffer, &chunk.inverted, weights);
            }
        }
        tile
    }

    /// This tile of the dense layer, of each bucket and side `[outputs, T]`.
    fn dense_by_output(&self) -> Vec<[f32; T]> {
        let Inputs { dense, outputs, columns, .. } = self.inputs;
        let sides = (0..dense.len() / outputs).step_by(columns.inputs());
        sides.flat_map(|side| by_output(dense, side + self.tile * T, outputs)).collect()
    }

    /// Writes the gradient of the sums of a chunk, a buffer per strip, and adds the chunk's
    /// contribution to the smaller gradients.
    fn grad_sums(
        &self,
        chunk: &Chunk<V>,
        dense: &[[f32; T]],
        buffers: &mut [Vec<[f32; T]>],
        tile: &mut Tile<T>,
    ) {
        let Inputs { activations, columns, .. } = self.inputs;
        let activations = activations.chunks_exact(columns.slice_values());
        let slices = chunk.slices.clone().zip(activations.skip(chunk.slices.start));
        for (place, (number, activations)) in slices.enumerate() {
            let sides = columns.tile::<T>(activations, self.tile);
            for (side, strips) in sides.into_iter().enumerate() {
                let start = block(place, side);
                let grads = buffers.iter_mut().map(|buffer| &mut buffer[start..][..SLICE]);
                self.grad_strips(number, side, strips, dense, grads, tile);
            }
        }
    }

    /// The same of one side of one slice.
    fn grad_strips<'b>(
        &self,
        number: usize,
        side: usize,
        strips: &[[f32; T]],
        dense: &[[f32; T]],
        mut grads: impl Iterator<Item = &'b mut [[f32; T]]>,
        tile: &mut Tile<T>,
    ) {
        let arch = Arch::new();
        let Inputs { slices, outputs, between, .. } = self.inputs;
        let gradient = slices.part(self.inputs.gradient, number, outputs);
        let positions = gradient.len() / outputs;
        let first = 2 * slices.get(number).bucket + side;
        let own = first * outputs..(first + 1) * outputs;
        let mut products = [[0.0; T]; SLICE];
        let a = inputs_of(strips, positions, between.activation, &mut products);
        let weights = &mut tile.dense[own.clone()];
        arch.dispatch(GradWeights { weights, gradient, a });
        let Some(first) = grads.next() else { unreachable!("a tile has a strip") };
        let (start, weights, grad_input) = (between.penalty, &dense[own], &mut first[..positions]);
        arch.dispatch(GradInput { start, grad_input, gradient, weights });
        match grads.next() {
            None => through_activation(grad_input, a, between.activation, &mut tile.bias[0]),
            Some(second) => {
                let grads = [grad_input, &mut second[..positions]];
                let (a, b) = strips.split_at(SLICE);
                through_factors(grads, [a, b], between.activation, &mut tile.bias);
            }
        }
    }
}

/// Adds to each feature the rows it is active in, times its value there.
fn gather<const T: usize, V: Value>(
    gradient: &[[f32; T]],
    inverted: &Inverted<V>,
    weights: &mut [&mut [f32; T]],
) {
    vectorised!({
        for (feature, rows) in inverted.lists() {
            let total = &mut weights[feature];
            let mut sum = **total;
            for (row, value) in rows {
                let row = &gradient[row];
                for lane in 0..T {
                    sum[lane] += value.times(row[lane]);
                }
            }
            **total = sum;
        }
    })
}
