//! The tunable numbers of the search.
//!
//! Margins are in centipawns and depths in plies. They are ordinary values for
//! an engine of this kind, kept round: the search is a measuring instrument
//! and is not tuned to any one evaluation.

use std::sync::LazyLock;

use super::super::value::Value;

/// Half width of the first window around the expected score.
pub(super) const ASPIRATION: Value = 16;
/// Shallowest iteration with a window.
pub(super) const ASPIRATION_DEPTH: i32 = 4;
/// A window that has grown beyond this is thrown open.
pub(super) const ASPIRATION_LIMIT: Value = 600;

/// Deepest node at which the static evaluation alone may refute.
pub(super) const REVERSE_FUTILITY_DEPTH: i32 = 8;
/// Deepest node at which a hopeless evaluation goes straight to quiescence.
pub(super) const RAZOR_DEPTH: i32 = 3;
/// Shallowest node that tries a null move.
pub(super) const NULL_MOVE_DEPTH: i32 = 3;
/// Shallowest node at which the answer to a null move is verified whatever the pieces.
pub(super) const NULL_MOVE_VERIFICATION_DEPTH: i32 = 14;
/// Shallowest node with internal iterative reduction (IIR).
pub(super) const IIR_DEPTH: i32 = 4;
/// Shallowest node that asks whether the TT move is singular.
pub(super) const SINGULAR_DEPTH: i32 = 6;
/// How many plies shallower the TT entry may be for that.
pub(super) const SINGULAR_TT_DEPTH: i32 = 3;
/// A singular move this far above the others is extended twice.
pub(super) const DOUBLE_EXTENSION: Value = 20;
/// Double extensions allowed in one line.
pub(super) const DOUBLE_EXTENSIONS: u8 = 6;
/// Deepest (reduced) depth of futility pruning.
pub(super) const FUTILITY_DEPTH: i32 = 7;
/// Deepest depth of SEE pruning.
pub(super) const SEE_DEPTH: i32 = 7;
/// Deepest depth of late move pruning.
pub(super) const LATE_MOVE_PRUNING_DEPTH: i32 = 8;
/// Deepest (reduced) depth of history pruning.
pub(super) const HISTORY_PRUNING_DEPTH: i32 = 6;
/// Shallowest node whose moves are reduced.
pub(super) const REDUCTION_DEPTH: i32 = 3;
/// First move that is reduced.
pub(super) const REDUCTION_MOVE: usize = 3;
/// No TT cutoffs from this many plies without a capture or pawn move on.
pub(super) const FIFTY_MOVE_CARE: u32 = 90;
/// Shallowest node that tries ProbCut.
pub(super) const PROB_CUT_DEPTH: i32 = 5;
/// How much shallower its captures are searched.
pub(super) const PROB_CUT_REDUCTION: i32 = 4;
/// How far above beta they have to stay.
pub(super) const PROB_CUT: Value = 180;
/// What a capture in quiescence may gain beyond its victim.
pub(super) const DELTA: Value = 180;

/// How far above beta the evaluation must be for reverse futility pruning.
pub(super) fn reverse_futility(depth: i32, improving: bool) -> Value {
    80 * (depth - i32::from(improving))
}

/// How far below alpha the evaluation must be for razoring.
pub(super) fn razor(depth: i32) -> Value {
    200 + 200 * depth
}

/// How much shallower the answer to a null move is searched.
pub(super) fn null_move_reduction(depth: i32, above_beta: Value) -> i32 {
    4 + depth / 4 + (above_beta / 200).clamp(0, 3)
}

/// Quiet moves looked at before the rest are skipped.
pub(super) fn late_moves(depth: i32, improving: bool) -> usize {
    let moves = 4 + depth * depth;
    (if improving { moves } else { moves / 2 }) as usize
}

/// What a quiet move may gain on the static evaluation.
pub(super) fn futility(reduced_depth: i32) -> Value {
    90 + 90 * reduced_depth
}

/// SEE below which a quiet move is skipped.
pub(super) fn quiet_see(reduced_depth: i32) -> Value {
    -25 * reduced_depth * reduced_depth
}

/// SEE below which a capture is skipped.
pub(super) fn capture_see(depth: i32) -> Value {
    -90 * depth
}

/// History below which a quiet move is skipped.
pub(super) fn history(depth: i32) -> i32 {
    -2_500 * depth
}

/// History that is worth one ply of reduction.
pub(super) const HISTORY_PER_PLY: i32 = 7_000;

/// History bonus of a move that caused a cutoff, malus of those tried before it.
pub(super) fn history_bonus(depth: i32) -> i32 {
    (160 * depth - 80).min(1_600)
}

/// One ply of reduction; what speaks for and against a move is added up in
/// smaller parts.
pub(super) const PLY: i32 = 1_024;

/// By how much the `index`-th move (from 1) at `depth` is reduced, in parts of a
/// [`PLY`], before anything is known of it.
#[inline]
pub(super) fn reduction(depth: i32, index: usize) -> i32 {
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
