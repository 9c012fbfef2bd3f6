//! What our kernels for the processor have in common.
//!
//! Every value is summed in one fixed order, whatever the number of threads and the width
//! of the vectors, so the result is the same to the bit on processors of one type. Work
//! is cut by the sizes of a batch alone: positions into [`slices`], columns into
//! [`tile`]s, and the [`products`] take one tile of one slice at a time. Where several rows
//! of sums are to stay in registers, which compilers do not manage, `pulp`'s vectors are
//! used explicitly; all else `multiversion` compiles for each instruction set.

pub(crate) mod dense;
pub(crate) mod products;
pub(crate) mod slices;
pub(crate) mod tile;
