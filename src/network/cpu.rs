//! Common parts of our kernels for the processor.
//!
//! Every value is summed in one fixed order, with any number of threads and any width of
//! the vectors, so the result is the same to the bit on processors of one type. Work
//! is cut by the sizes of a batch alone: positions into [`slices`], columns into
//! [`tile`]s, and the [`products`] take one tile of one slice at a time. Where several rows
//! of sums are to stay in registers, which compilers do not manage, `pulp`'s vectors are
//! used explicitly; all else is plain loops that [`vectorised!`](crate::vectorised) compiles
//! for each instruction set.

pub(crate) mod dense;
pub(crate) mod products;
pub(crate) mod slices;
pub(crate) mod tile;

use pulp::Arch;

/// Runs a block of plain loops with the instructions of the machine: it is compiled for each
/// instruction set. All functions of ours that it calls are `#[inline(always)]`.
#[macro_export]
macro_rules! vectorised {
    ($work:expr) => {
        $crate::dispatched(
            #[inline(always)]
            || $work,
        )
    };
}

/// The work of [`vectorised!`](crate::vectorised).
#[doc(hidden)]
#[inline(always)]
pub fn dispatched<R>(work: impl FnOnce() -> R) -> R {
    Arch::new().dispatch(work)
}
