//! Every number of the search that could be otherwise.
//!
//! Margins are in centipawns and depths in plies. They are ordinary values for
//! an engine of this kind, kept round: the search is a measuring instrument
//! and is not tuned to any one evaluation.

use std::sync::LazyLock;

use super::super::value::Value;

/// Half width of the first window around the expected score.
pub const ASPIRATION: Value = 16;
/// Shallowest iteration with a window.
pub const ASPIRATION_DEPTH: i32 = 4;
/// A window that has grown beyond this is thrown open.
pub const ASPIRATION_LIMIT: Value = 600;

/// Deepest node at which the static evaluation alone may refute.
pub const REVERSE_FUTILITY_DEPTH: i32 = 8;
/// Deepest node at which a hopeless evaluation goes straight to quiescence.
pub const RAZOR_DEPTH: i32 = 3;
/// Shallowest node that tries passing.
pub const NULL_MOVE_DEPTH: i32 = 3;
/// Shallowest node that is reduced when the table knows no move.
pub const INTERNAL_REDUCTION_DEPTH: i32 = 4;
/// Shallowest node that asks whether the table's move is singular.
pub const SINGULAR_DEPTH: i32 = 6;
/// How many plies shallower the table's result may be for that.
pub const SINGULAR_TABLE_DEPTH: i32 = 3;
/// A singular move so far above the others is extended twice.
pub const DOUBLE_EXTENSION: Value = 20;
/// Double extensions allowed in one line.
pub const DOUBLE_EXTENSIONS: u8 = 6;
/// Deepest (reduced) depth at which quiet moves are skipped for low evaluation.
pub const FUTILITY_DEPTH: i32 = 7;
/// Deepest depth at which moves are skipped for losing an exchange.
pub const EXCHANGE_DEPTH: i32 = 7;
/// Deepest depth at which late quiet moves are skipped.
pub const LATE_MOVE_DEPTH: i32 = 8;
/// Deepest (reduced) depth at which quiet moves are skipped for bad history.
pub const HISTORY_DEPTH: i32 = 6;
/// Shallowest node whose moves are reduced.
pub const REDUCTION_DEPTH: i32 = 3;
/// First move that is reduced.
pub const REDUCTION_MOVE: usize = 3;
/// Table scores are not trusted when the 50-move rule is so near.
pub const FIFTY_MOVE_CARE: u32 = 90;
/// Shallowest node that tries ProbCut.
pub const PROB_CUT_DEPTH: i32 = 5;
/// How much shallower its captures are searched.
pub const PROB_CUT_REDUCTION: i32 = 4;
/// How far above beta they have to stay.
pub const PROB_CUT: Value = 180;
/// What a capture in quiescence may gain beyond its victim.
pub const DELTA: Value = 180;

/// How far above beta the evaluation must be to refute at once.
pub fn reverse_futility(depth: i32, improving: bool) -> Value {
    80 * (depth - i32::from(improving))
}

/// How far below alpha the evaluation must be to give up on quiet moves.
pub fn razor(depth: i32) -> Value {
    200 + 200 * depth
}

/// How much shallower the answer to a null move is searched.
pub fn null_move_reduction(depth: i32, above_beta: Value) -> i32 {
    4 + depth / 4 + (above_beta / 200).clamp(0, 3)
}

/// Quiet moves looked at before the rest are skipped.
pub fn late_moves(depth: i32, improving: bool) -> usize {
    let moves = 4 + depth * depth;
    (if improving { moves } else { moves / 2 }) as usize
}

/// What a quiet move may gain on the static evaluation.
pub fn futility(reduced_depth: i32) -> Value {
    90 + 90 * reduced_depth
}

/// What a quiet move may lose in an exchange.
pub fn quiet_exchange(reduced_depth: i32) -> Value {
    -25 * reduced_depth * reduced_depth
}

/// What a capture may lose in an exchange.
pub fn capture_exchange(depth: i32) -> Value {
    -90 * depth
}

/// History below which a quiet move is skipped.
pub fn history(depth: i32) -> i32 {
    -2_500 * depth
}

/// History that is worth one ply of reduction.
pub const HISTORY_PER_PLY: i32 = 7_000;

/// Bonus of a refuting move, malus of those tried before it.
pub fn history_bonus(depth: i32) -> i32 {
    (160 * depth - 80).min(1_600)
}

/// One ply of reduction; what speaks for and against a move is added up in
/// smaller parts.
pub const PLY: i32 = 1_024;

/// By how much the `index`-th move (from 1) at `depth` is reduced, in parts of a
/// [`PLY`], before anything is known of it.
#[inline]
pub fn reduction(depth: i32, index: usize) -> i32 {
    REDUCTIONS[(depth as usize).min(63)][index.min(63)]
}

static REDUCTIONS: LazyLock<[[i32; 64]; 64]> = LazyLock::new(|| {
    std::array::from_fn(|depth| {
        std::array::from_fn(|index| {
            let product = (depth.max(1) as f64).ln() * (index.max(1) as f64).ln();
            (f64::from(PLY) * (0.8 + product / 2.25)) as i32
        })
    })
});
