//! The width of a tile of columns.
//!
//! Loops over the columns of a tile have a length known to the compiler, wide enough to
//! fill vector registers and small enough that sums never leave them.

/// Runs an expression with the widest tile that divides the number of columns.
/// Four vectors of 16 fill enough registers to keep a processor busy; narrower layers have
/// narrower tiles.
macro_rules! with_tile {
    ($columns:expr, |$T:ident| $body:expr) => {
        with_tile!(@widest $columns, $T, $body, 64, 16, 8, 1)
    };
    (@widest $columns:expr, $T:ident, $body:expr, $width:literal) => {{
        const $T: usize = $width;
        $body
    }};
    (@widest $columns:expr, $T:ident, $body:expr, $width:literal, $($narrower:literal),+) => {
        if $columns.is_multiple_of($width) {
            const $T: usize = $width;
            $body
        } else {
            with_tile!(@widest $columns, $T, $body, $($narrower),+)
        }
    };
}
pub(crate) use with_tile;
