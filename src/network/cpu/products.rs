//! A dense layer on one block of its inputs: forward, and backward for the
//! gradients of its inputs and of its weights.
//!
//! A block is a tile of columns of a few dozen positions: small enough for the
//! first-level cache, where it was just computed or is used by two products in
//! a row. Each product holds a few rows of sums in registers and streams their
//! operands. A general matrix product would first copy its operands into an
//! order of its own, which for matrices as small as these costs as much as
//! multiplying them.

use pulp::{Simd, WithSimd};

/// Vectors of sums held in registers together: as many as hide how long a
/// multiplication takes.
const HELD: usize = 8;

/// Vectors of each row of sums, unless the row is shorter.
const VECTORS: usize = 2;

/// Rows of sums, then.
const ROWS: usize = HELD / VECTORS;

/// Rows of `weights` in [`Forward`] are padded to a multiple of this: the
/// widest vector there is.
pub(super) const OUTPUT_STEP: usize = 16;

/// `output += a · weights`.
#[derive(Debug)]
pub(crate) struct Forward<'a, const T: usize> {
    /// `[positions, outputs]`.
    pub output: &'a mut [f32],
    /// `[positions, T]`.
    pub a: &'a [[f32; T]],
    /// `[T, outputs]`.
    pub weights: &'a [f32],
    /// A multiple of [`OUTPUT_STEP`].
    pub outputs: usize,
}

impl<const T: usize> WithSimd for Forward<'_, T> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(mut self, simd: S) {
        let mut start = 0;
        while start < self.outputs {
            if self.outputs - start >= VECTORS * S::F32_LANES {
                self.columns::<S, ROWS, VECTORS>(simd, start);
                start += VECTORS * S::F32_LANES;
            } else {
                self.columns::<S, HELD, 1>(simd, start);
                start += S::F32_LANES;
            }
        }
    }
}

impl<const T: usize> Forward<'_, T> {
    /// `V` vectors of all outputs from column `start` on, of `R` positions at a time.
    #[inline(always)]
    fn columns<S: Simd, const R: usize, const V: usize>(&mut self, simd: S, start: usize) {
        let Self { output, a, weights, outputs } = self;
        let (blocks, rest) = a.as_chunks::<R>();
        let (output, rest_output) = output.split_at_mut(blocks.len() * R * *outputs);
        for (a, output) in blocks.iter().zip(output.chunks_exact_mut(R * *outputs)) {
            forward_rows::<S, T, R, V>(simd, output, a, weights, *outputs, start);
        }
        for (a, output) in rest.iter().zip(rest_output.chunks_exact_mut(*outputs)) {
            let a = std::array::from_ref(a);
            forward_rows::<S, T, 1, V>(simd, output, a, weights, *outputs, start);
        }
    }
}

#[inline(always)]
fn forward_rows<S: Simd, const T: usize, const R: usize, const V: usize>(
    simd: S,
    output: &mut [f32],
    a: &[[f32; T]; R],
    weights: &[f32],
    outputs: usize,
    start: usize,
) {
    let mut sums: [[S::f32s; V]; R] =
        std::array::from_fn(|row| vectors::<S, V>(&output[row * outputs + start..]));
    for column in 0..T {
        let weights = vectors::<S, V>(&weights[column * outputs + start..]);
        for row in 0..R {
            let a = simd.splat_f32s(a[row][column]);
            for v in 0..V {
                sums[row][v] = simd.mul_add_e_f32s(a, weights[v], sums[row][v]);
            }
        }
    }
    for row in 0..R {
        store::<S, V>(&mut output[row * outputs + start..], sums[row]);
    }
}

/// `grad_input = start + gradient · weights`.
#[derive(Debug)]
pub(crate) struct GradInput<'a, const T: usize> {
    /// Of every sum.
    pub start: f32,
    /// `[positions, T]`.
    pub grad_input: &'a mut [[f32; T]],
    /// `[positions, outputs]`.
    pub gradient: &'a [f32],
    /// `[outputs, T]`.
    pub weights: &'a [[f32; T]],
}

impl<const T: usize> WithSimd for GradInput<'_, T> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let Self { start, grad_input, gradient, weights } = self;
        let outputs = weights.len();
        let (blocks, rest) = grad_input.as_chunks_mut::<ROWS>();
        let (gradient, rest_gradient) = gradient.split_at(blocks.len() * ROWS * outputs);
        for (sums, gradient) in blocks.iter_mut().zip(gradient.chunks_exact(ROWS * outputs)) {
            *sums = [[start; T]; ROWS];
            add_multiples::<S, T, ROWS>(simd, sums, weights, |i, row| gradient[row * outputs + i]);
        }
        for (sums, gradient) in rest.iter_mut().zip(rest_gradient.chunks_exact(outputs)) {
            *sums = [start; T];
            let sums = std::array::from_mut(sums);
            add_multiples::<S, T, 1>(simd, sums, weights, |i, _| gradient[i]);
        }
    }
}

/// `weights += gradientᵀ · a`.
#[derive(Debug)]
pub(crate) struct GradWeights<'a, const T: usize> {
    /// `[outputs, T]`.
    pub weights: &'a mut [[f32; T]],
    /// `[positions, outputs]`.
    pub gradient: &'a [f32],
    /// `[positions, T]`.
    pub a: &'a [[f32; T]],
}

impl<const T: usize> WithSimd for GradWeights<'_, T> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let Self { weights, gradient, a } = self;
        let outputs = weights.len();
        let (blocks, rest) = weights.as_chunks_mut::<ROWS>();
        let done = blocks.len() * ROWS;
        for (block, sums) in blocks.iter_mut().enumerate() {
            let first = block * ROWS;
            add_multiples::<S, T, ROWS>(simd, sums, a, |i, row| {
                gradient[i * outputs + first + row]
            });
        }
        for (output, sums) in rest.iter_mut().enumerate() {
            let sums = std::array::from_mut(sums);
            add_multiples::<S, T, 1>(simd, sums, a, |i, _| gradient[i * outputs + done + output]);
        }
    }
}

/// `sums[row] += Σ factor(i, row) · rows[i]`.
#[inline(always)]
fn add_multiples<S: Simd, const T: usize, const R: usize>(
    simd: S,
    sums: &mut [[f32; T]; R],
    rows: &[[f32; T]],
    factor: impl Fn(usize, usize) -> f32,
) {
    let mut start = 0;
    while T - start >= VECTORS * S::F32_LANES {
        add_multiples_at::<S, T, R, VECTORS>(simd, sums, rows, &factor, start);
        start += VECTORS * S::F32_LANES;
    }
    while T - start >= S::F32_LANES {
        add_multiples_at::<S, T, R, 1>(simd, sums, rows, &factor, start);
        start += S::F32_LANES;
    }
    if start < T {
        add_multiples_to_the_rest::<S, T, R>(simd, sums, rows, &factor, start);
    }
}

#[inline(always)]
fn add_multiples_at<S: Simd, const T: usize, const R: usize, const V: usize>(
    simd: S,
    sums: &mut [[f32; T]; R],
    rows: &[[f32; T]],
    factor: &impl Fn(usize, usize) -> f32,
    start: usize,
) {
    let mut held: [[S::f32s; V]; R] =
        std::array::from_fn(|row| vectors::<S, V>(&sums[row][start..]));
    for (i, values) in rows.iter().enumerate() {
        let values = vectors::<S, V>(&values[start..]);
        for (row, held) in held.iter_mut().enumerate() {
            let factor = simd.splat_f32s(factor(i, row));
            for (held, &value) in held.iter_mut().zip(&values) {
                *held = simd.mul_add_e_f32s(factor, value, *held);
            }
        }
    }
    for row in 0..R {
        store::<S, V>(&mut sums[row][start..], held[row]);
    }
}

/// The columns that do not fill a vector.
#[inline(always)]
fn add_multiples_to_the_rest<S: Simd, const T: usize, const R: usize>(
    simd: S,
    sums: &mut [[f32; T]; R],
    rows: &[[f32; T]],
    factor: &impl Fn(usize, usize) -> f32,
    start: usize,
) {
    let mut held: [S::f32s; R] =
        std::array::from_fn(|row| simd.partial_load_f32s(&sums[row][start..]));
    for (i, values) in rows.iter().enumerate() {
        let values = simd.partial_load_f32s(&values[start..]);
        for (row, held) in held.iter_mut().enumerate() {
            let factor = simd.splat_f32s(factor(i, row));
            *held = simd.mul_add_e_f32s(factor, values, *held);
        }
    }
    for row in 0..R {
        simd.partial_store_f32s(&mut sums[row][start..], held[row]);
    }
}

/// The first `V` vectors of a row.
#[inline(always)]
fn vectors<S: Simd, const V: usize>(row: &[f32]) -> [S::f32s; V] {
    let (vectors, _) = S::as_simd_f32s(row);
    let Some(vectors) = vectors.first_chunk() else { unreachable!("vectors end with the row") };
    *vectors
}

#[inline(always)]
fn store<S: Simd, const V: usize>(row: &mut [f32], values: [S::f32s; V]) {
    let (vectors, _) = S::as_mut_simd_f32s(row);
    let Some(vectors) = vectors.first_chunk_mut() else { unreachable!("vectors end with the row") };
    *vectors = values;
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use pulp::{Arch, Scalar};

    /// Small whole numbers, so that every order of summing is exact.
    fn whole(count: usize, seed: usize) -> Vec<f32> {
        (0..count).map(|i| ((i * 37 + seed) % 23) as f32 - 11.0).collect()
    }

    fn transposed(matrix: &[f32], columns: usize) -> Vec<f32> {
        let column = |c| matrix.iter().skip(c).step_by(columns).copied();
        (0..columns).flat_map(column).collect()
    }

    /// `to + [m, k] · [k, n]`.
    fn sum(to: &[f32], a: &[f32], b: &[f32], [m, k, n]: [usize; 3]) -> Vec<f32> {
        assert_eq!([to.len(), a.len(), b.len()], [m * n, m * k, k * n]);
        let entry = |i: usize, j: usize| (0..k).map(|l| a[i * k + l] * b[l * n + j]).sum::<f32>();
        to.iter().enumerate().map(|(at, x)| x + entry(at / n, at % n)).collect()
    }

    /// With the widest vectors of the processor, and with none.
    fn on_both(product: impl WithSimd<Output = ()>, plain: impl WithSimd<Output = ()>) {
        Arch::new().dispatch(product);
        plain.with_simd(Scalar);
    }

    fn check<const T: usize>(positions: usize, outputs: usize) {
        let (a, gradient) = (whole(positions * T, 1), whole(positions * outputs, 2));
        let (rows, _) = a.as_chunks::<T>();

        let padded = outputs.next_multiple_of(OUTPUT_STEP);
        let (to, weights) = (whole(positions * padded, 3), whole(T * padded, 4));
        let expected = sum(&to, &a, &weights, [positions, T, padded]);
        let mut outs = [to.clone(), to];
        let [out, plain] = outs.each_mut().map(|output| Forward {
            output,
            a: rows,
            weights: &weights,
            outputs: padded,
        });
        on_both(out, plain);
        assert_eq!(outs, [expected.clone(), expected]);

        let to = whole(outputs * T, 5);
        let by_output = transposed(&gradient, outputs);
        let expected = sum(&to, &by_output, &a, [outputs, positions, T]);
        let mut outs = [to.clone(), to];
        let [out, plain] = outs.each_mut().map(|weights| GradWeights {
            weights: weights.as_chunks_mut::<T>().0,
            gradient: &gradient,
            a: rows,
        });
        on_both(out, plain);
        assert_eq!(outs, [expected.clone(), expected]);

        let weights = whole(outputs * T, 6);
        let twos = vec![2.0; positions * T];
        let expected = sum(&twos, &gradient, &weights, [positions, outputs, T]);
        let mut outs = [a.clone(), a.clone()];
        let [out, plain] = outs.each_mut().map(|grad_input| GradInput {
            start: 2.0,
            grad_input: grad_input.as_chunks_mut::<T>().0,
            gradient: &gradient,
            weights: weights.as_chunks::<T>().0,
        });
        on_both(out, plain);
        assert_eq!(outs, [expected.clone(), expected]);
    }

    proptest! {
        #[test]
        fn blocks_are_multiplied_as_matrices(positions in 1usize..20, outputs in 1usize..70) {
            check::<1>(positions, outputs);
            check::<8>(positions, outputs);
            check::<16>(positions, outputs);
            check::<64>(positions, outputs);
        }
    }
}
