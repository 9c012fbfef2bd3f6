//! How the activations of a batch lie in memory.
//!
//! The positions are taken in slices of [`SLICE`], the columns in tiles. A
//! slice holds its tiles one after the other; a tile holds two blocks, the side
//! to move's rows and then the other side's. So what one product works on is
//! one piece of a few kilobytes, where the plain order would spread it over a
//! row in every other page of memory.

/// Runs an expression with the widest tile that L1 is a multiple of. Four
/// vectors of 16 fill enough registers to keep a processor busy; narrower nets
/// take what they have.
macro_rules! with_tile {
    ($l1:expr, |$T:ident| $body:expr) => {
        with_tile!(@widest $l1, $T, $body, 64, 16, 8, 1)
    };
    (@widest $l1:expr, $T:ident, $body:expr, $width:literal) => {{
        const $T: usize = $width;
        $body
    }};
    (@widest $l1:expr, $T:ident, $body:expr, $width:literal, $($narrower:literal),+) => {
        if $l1.is_multiple_of($width) {
            const $T: usize = $width;
            $body
        } else {
            with_tile!(@widest $l1, $T, $body, $($narrower),+)
        }
    };
}
pub(super) use with_tile;

/// Positions in a slice; the last one of a batch may have fewer.
pub(super) const SLICE: usize = 64;

/// Values of a whole slice, with `l1` columns per perspective.
pub(super) fn slice_values(l1: usize) -> usize {
    2 * SLICE * l1
}

/// Both blocks of a tile in a slice of `positions` positions: the side to
/// move's rows, then the other side's.
#[inline(always)]
pub(super) fn blocks<const T: usize>(
    slice: &[f32],
    tile: usize,
    positions: usize,
) -> [&[[f32; T]]; 2] {
    let size = 2 * positions * T;
    let (rows, _) = slice[tile * size..][..size].as_chunks::<T>();
    rows.split_at(positions).into()
}

/// [`blocks`], to be written.
#[inline(always)]
pub(super) fn blocks_mut<const T: usize>(
    slice: &mut [f32],
    tile: usize,
    positions: usize,
) -> [&mut [[f32; T]]; 2] {
    let size = 2 * positions * T;
    let (rows, _) = slice[tile * size..][..size].as_chunks_mut::<T>();
    rows.split_at_mut(positions).into()
}
