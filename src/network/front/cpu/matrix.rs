//! Products of small dense matrices, one thread each.
//!
//! The arithmetic is that of the `gemm` crate, which Burn's own processor
//! backend uses; here it is called on pieces of a batch that are still in the
//! cache, which Burn's tensors cannot say.

#![allow(unsafe_code)]

use gemm::Parallelism;

/// A matrix that lies in a slice in any order.
#[derive(Clone, Copy, Debug)]
pub struct Matrix<'a> {
    data: &'a [f32],
    layout: Layout,
}

/// A matrix to be written, one row after the other.
#[derive(Debug)]
pub struct MatrixMut<'a> {
    data: &'a mut [f32],
    layout: Layout,
}

#[derive(Clone, Copy, Debug)]
struct Layout {
    rows: usize,
    columns: usize,
    /// Values from a row to the next.
    row_stride: usize,
    /// Values from a column to the next.
    column_stride: usize,
}

impl Layout {
    fn check(self, len: usize) -> Self {
        if self.rows > 0 && self.columns > 0 {
            let last = (self.rows - 1) * self.row_stride + (self.columns - 1) * self.column_stride;
            assert!(last < len, "a {self:?} does not lie in {len} values");
        }
        self
    }
}

impl<'a> Matrix<'a> {
    /// `rows × columns` values from the start of `data`, with `row_stride`
    /// values from a row to the next.
    ///
    /// # Panics
    /// If `data` is shorter than that.
    pub fn new(data: &'a [f32], rows: usize, columns: usize, row_stride: usize) -> Self {
        let layout = Layout { rows, columns, row_stride, column_stride: 1 };
        Self { data, layout: layout.check(data.len()) }
    }

    /// Rows for columns.
    pub fn transposed(self) -> Self {
        let Layout { rows, columns, row_stride, column_stride } = self.layout;
        let layout = Layout {
            rows: columns,
            columns: rows,
            row_stride: column_stride,
            column_stride: row_stride,
        };
        Self { layout, ..self }
    }
}

impl<'a> MatrixMut<'a> {
    /// See [`Matrix::new`].
    ///
    /// # Panics
    /// If `data` is shorter than that.
    pub fn new(data: &'a mut [f32], rows: usize, columns: usize, row_stride: usize) -> Self {
        let layout = Layout { rows, columns, row_stride, column_stride: 1 };
        let layout = layout.check(data.len());
        Self { data, layout }
    }

    /// Becomes `a · b`.
    ///
    /// # Panics
    /// If the sizes do not go together.
    pub fn set_product(self, a: Matrix<'_>, b: Matrix<'_>) {
        self.product(a, b, false);
    }

    /// Grows by `a · b`.
    ///
    /// # Panics
    /// If the sizes do not go together.
    pub fn add_product(self, a: Matrix<'_>, b: Matrix<'_>) {
        self.product(a, b, true);
    }

    fn product(self, a: Matrix<'_>, b: Matrix<'_>, add: bool) {
        let (to, from, by) = (self.layout, a.layout, b.layout);
        assert!(
            to.rows == from.rows && to.columns == by.columns && from.columns == by.rows,
            "{from:?} times {by:?} is not {to:?}"
        );
        // SAFETY: every place that these sizes and strides reach lies in its
        // slice, as was checked when the matrices were made; the slice that is
        // written is borrowed by nobody else.
        unsafe {
            gemm::gemm(
                to.rows,
                to.columns,
                from.columns,
                self.data.as_mut_ptr(),
                to.column_stride as isize,
                to.row_stride as isize,
                add,
                a.data.as_ptr(),
                from.column_stride as isize,
                from.row_stride as isize,
                b.data.as_ptr(),
                by.column_stride as isize,
                by.row_stride as isize,
                1.0,
                1.0,
                false,
                false,
                false,
                Parallelism::None,
            );
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn values(count: usize) -> Vec<f32> {
        (0..count).map(|i| ((i * 37) % 23) as f32 - 11.0).collect()
    }

    proptest! {
        /// Small whole numbers, so that every order of summing is exact.
        #[test]
        fn products_are_rows_times_columns(
            (m, k, n, gap) in (1usize..20, 0usize..20, 1usize..20, 0usize..4),
            transposed: bool,
            add: bool,
        ) {
            let (a, b) = (values(m * (k + gap).max(1)), values(k * n));
            let mut out = values(m * (n + gap));
            let at = |i: usize, j: usize| if transposed { a[j * m + i] } else { a[i * (k + gap) + j] };
            let mut expected = out.clone();
            for i in 0..m {
                for j in 0..n {
                    let sum: f32 = (0..k).map(|l| at(i, l) * b[l * n + j]).sum();
                    let place = &mut expected[i * (n + gap) + j];
                    *place = if add { *place + sum } else { sum };
                }
            }
            let left = if transposed {
                Matrix::new(&a, k, m, m).transposed()
            } else {
                Matrix::new(&a, m, k, k + gap)
            };
            let (right, to) = (Matrix::new(&b, k, n, n), MatrixMut::new(&mut out, m, n, n + gap));
            if add { to.add_product(left, right) } else { to.set_product(left, right) }
            prop_assert_eq!(out, expected);
        }
    }

    #[test]
    #[should_panic(expected = "does not lie in 11 values")]
    fn a_matrix_beyond_its_values_is_refused() {
        Matrix::new(&[0.0; 11], 3, 4, 4);
    }

    #[test]
    #[should_panic(expected = "is not")]
    fn sizes_that_do_not_fit_are_refused() {
        let (a, b) = ([0.0; 6], [0.0; 6]);
        let to = MatrixMut::new(&mut [0.0; 4], 2, 2, 2).data.to_vec();
        let mut to = to;
        MatrixMut::new(&mut to, 2, 2, 2)
            .set_product(Matrix::new(&a, 2, 3, 3), Matrix::new(&b, 2, 3, 3));
    }
}
