//! The tunable numbers of the search.
//!
//! Margins are in centipawns, depths in plies, and reductions in [`PLY`]s of 1,024 parts. They are
//! ordinary round values for an engine of this kind: the search is a measuring instrument and is
//! not tuned to any one evaluation. The fields of [`Margins`] are tunable; the depths of each part
//! of the search are fixed.

use std::fmt::Write as _;

use super::super::value::Value;

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
/// Shallowest node at which the answer to a null move is verified with any material.
pub(super) const NULL_MOVE_VERIFICATION_DEPTH: i32 = 14;
/// Shallowest node with internal iterative reduction (IIR).
pub(super) const IIR_DEPTH: i32 = 4;
/// Shallowest node with a singular search.
pub(super) const SINGULAR_DEPTH: i32 = 6;
/// Plies by which the TT entry may be shallower for that.
pub(super) const SINGULAR_TT_DEPTH: i32 = 3;
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
/// Plies by which its captures are searched less deep.
pub(super) const PROB_CUT_REDUCTION: i32 = 4;

/// One ply of reduction; adjustments are in smaller parts.
pub(super) const PLY: i32 = 1_024;

/// A tunable margin.
#[derive(Clone, Copy, Debug)]
pub struct Margin {
    /// Its name in files and options, `reverse-futility`.
    pub name: &'static str,
    /// Its description.
    pub about: &'static str,
    /// Its default.
    pub usual: i32,
    /// Its range.
    pub range: [i32; 2],
    /// Step of a tuner, large enough to change strength.
    pub step: i32,
    get: fn(&MarginValues) -> i32,
    set: fn(&mut MarginValues, i32),
}

/// Each margin: its description, field and name, default, range, step.
macro_rules! margins {
    ($(
        $(#[doc = $about:literal])+
        $field:ident $name:literal = $usual:literal in $low:literal..=$high:literal by $step:literal;
    )+) => {
        /// The numbers alone.
        #[derive(Clone, Debug, PartialEq, Eq)]
        pub(super) struct MarginValues {
            $($(#[doc = $about])+ pub(super) $field: i32,)+
        }

        impl MarginValues {
            const USUAL: Self = Self { $($field: $usual,)+ };
        }

        impl Margin {
            /// All of them.
            pub const ALL: &'static [Self] = &[$(Self {
                name: $name,
                about: concat!($($about),+),
                usual: $usual,
                range: [$low, $high],
                step: $step,
                get: |numbers| numbers.$field,
                set: |numbers, value| numbers.$field = value,
            },)+];
        }
    };
}

margins! {
    /// Half width of the first window around the expected score
    aspiration "aspiration" = 16 in 5..=60 by 3;
    /// Evaluation over beta for reverse futility pruning, per ply
    reverse_futility "reverse-futility" = 80 in 30..=200 by 8;
    /// Evaluation below alpha for razoring
    razor "razor" = 200 in 50..=500 by 30;
    /// More of that per ply
    razor_per_ply "razor-per-ply" = 200 in 50..=500 by 30;
    /// Evaluation over beta that takes one more ply off a null move
    null_move_per_ply "null-move-per-ply" = 200 in 80..=500 by 25;
    /// A singular move this far above the others is extended twice
    double_extension "double-extension" = 20 in 0..=80 by 5;
    /// Distance of the other moves below the TT score, in eighths of a centipawn per ply
    singular "singular" = 16 in 4..=48 by 3;
    /// Quiet moves looked at before the rest are skipped, besides the square of the depth
    late_moves "late-moves" = 4 in 1..=10 by 1;
    /// Largest gain of a quiet move on the static evaluation
    futility "futility" = 90 in 20..=250 by 15;
    /// More of that per ply
    futility_per_ply "futility-per-ply" = 90 in 20..=250 by 12;
    /// SEE below minus this times the square of the depth: a quiet move is skipped
    quiet_see "quiet-see" = 25 in 5..=80 by 4;
    /// SEE below minus this per ply: a capture is skipped
    capture_see "capture-see" = 90 in 20..=250 by 12;
    /// History below minus this per ply: a quiet move is skipped
    history_pruning "history-pruning" = 2_500 in 500..=8_000 by 300;
    /// History that is worth one ply of reduction
    history_per_ply "history-per-ply" = 7_000 in 2_000..=20_000 by 700;
    /// History bonus of a move that caused a cutoff, per ply
    history_bonus "history-bonus" = 160 in 40..=400 by 20;
    /// Subtracted from that bonus
    history_bonus_less "history-bonus-less" = 80 in 0..=300 by 20;
    /// The largest bonus
    history_bonus_most "history-bonus-most" = 1_600 in 500..=4_000 by 150;
    /// Margin of ProbCut's captures over beta
    prob_cut "prob-cut" = 180 in 60..=400 by 20;
    /// Largest gain of a capture in quiescence beyond its victim
    delta "delta" = 180 in 50..=500 by 25;
    /// Learning rate of each table of the correction history, in 1,024ths per ply
    correction_rate "correction-rate" = 64 in 1..=128 by 4;
    /// Reduction of the first moves, in hundredths of a ply
    reduction "reduction" = 80 in 20..=160 by 8;
    /// ln depth · ln move over a ply of reduction, in hundredths
    reduction_per_ply "reduction-per-ply" = 225 in 120..=400 by 15;
    /// Reduction less of a killer, in 1,024ths of a ply, as all below
    killer_less "killer-less" = 1_024 in 0..=2_048 by 128;
    /// More in a cut node
    cut_more "cut-more" = 2_048 in 0..=4_096 by 160;
    /// More where the side to move does not improve
    worse_more "worse-more" = 1_024 in 0..=2_048 by 128;
    /// Less where a principal variation once ran
    pv_once_less "pv-once-less" = 1_024 in 0..=2_048 by 128;
    /// Less on the principal variation
    pv_less "pv-less" = 1_024 in 0..=2_048 by 128;
    /// Less of a move that gives check
    check_less "check-less" = 1_024 in 0..=2_048 by 128;
}

/// The margins of a search.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Margins {
    pub(super) numbers: MarginValues,
    /// By depth and number of the move; see [`Margins::reduction`].
    reductions: Box<[[i32; 64]; 64]>,
}

/// Margins that do not exist or make no sense.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MarginError {
    /// No such margin.
    #[error("the search has no margin `{0}`; `oplus ablate --list` lists the margins")]
    Unknown(String),
    /// Out of range.
    #[error("`{name}` is {value}, expected {low} to {high}")]
    Range {
        /// Name of the margin.
        name: &'static str,
        /// The value given.
        value: i32,
        /// The least.
        low: i32,
        /// The greatest.
        high: i32,
    },
}

impl Default for Margins {
    fn default() -> Self {
        Self::of(MarginValues::USUAL)
    }
}

impl Margins {
    fn of(numbers: MarginValues) -> Self {
        let reductions = Box::new(reductions(&numbers));
        Self { numbers, reductions }
    }

    /// These with other values for some, by name.
    ///
    /// # Errors
    /// A name that is none, a value out of range.
    pub fn with<'n>(
        &self,
        values: impl IntoIterator<Item = (&'n str, i32)>,
    ) -> Result<Self, MarginError> {
        let mut numbers = self.numbers.clone();
        for (name, value) in values {
            let margin = Margin::ALL.iter().find(|margin| margin.name == name);
            let margin = margin.ok_or_else(|| MarginError::Unknown(name.to_owned()))?;
            let [low, high] = margin.range;
            if !(low..=high).contains(&value) {
                return Err(MarginError::Range { name: margin.name, value, low, high });
            }
            (margin.set)(&mut numbers, value);
        }
        Ok(Self::of(numbers))
    }

    /// The value of one.
    pub fn value(&self, margin: &Margin) -> i32 {
        (margin.get)(&self.numbers)
    }

    /// A line for each that is not as usual: `razor = 215`.
    pub fn to_text(&self) -> String {
        let mut text = String::new();
        for margin in Margin::ALL.iter().filter(|margin| self.value(margin) != margin.usual) {
            let _ = writeln!(text, "{} = {}", margin.name, self.value(margin));
        }
        text
    }

    /// Evaluation over beta for reverse futility pruning.
    #[inline]
    pub(super) fn reverse_futility(&self, depth: i32, improving: bool) -> Value {
        self.numbers.reverse_futility * (depth - i32::from(improving))
    }

    /// Evaluation below alpha for razoring.
    #[inline]
    pub(super) fn razor(&self, depth: i32) -> Value {
        self.numbers.razor + self.numbers.razor_per_ply * depth
    }

    /// Reduction of the answer to a null move.
    pub(super) fn null_move_reduction(&self, depth: i32, above_beta: Value) -> i32 {
        4 + depth / 4 + (above_beta / self.numbers.null_move_per_ply).clamp(0, 3)
    }

    /// Distance of the other moves below the TT score that makes it singular.
    pub(super) fn singular(&self, depth: i32) -> Value {
        self.numbers.singular * depth / 8
    }

    /// Quiet moves looked at before the rest are skipped.
    #[inline]
    pub(super) fn late_moves(&self, depth: i32, improving: bool) -> usize {
        let moves = self.numbers.late_moves + depth * depth;
        (if improving { moves } else { moves / 2 }) as usize
    }

    /// Largest gain of a quiet move on the static evaluation.
    #[inline]
    pub(super) fn futility(&self, reduced_depth: i32) -> Value {
        self.numbers.futility + self.numbers.futility_per_ply * reduced_depth
    }

    /// SEE below which a quiet move is skipped.
    #[inline]
    pub(super) fn quiet_see(&self, reduced_depth: i32) -> Value {
        -self.numbers.quiet_see * reduced_depth * reduced_depth
    }

    /// SEE below which a capture is skipped.
    #[inline]
    pub(super) fn capture_see(&self, depth: i32) -> Value {
        -self.numbers.capture_see * depth
    }

    /// History below which a quiet move is skipped.
    #[inline]
    pub(super) fn history(&self, depth: i32) -> i32 {
        -self.numbers.history_pruning * depth
    }

    /// History bonus of a move that caused a cutoff, malus of those tried before it.
    pub(super) fn history_bonus(&self, depth: i32) -> i32 {
        let numbers = &self.numbers;
        let bonus = numbers.history_bonus * depth - numbers.history_bonus_less;
        bonus.clamp(0, numbers.history_bonus_most)
    }

    /// Learning rate of each table of the correction history at a depth, in 1,024ths.
    #[inline]
    pub(super) fn correction(&self, depth: i32) -> i32 {
        self.numbers.correction_rate * depth
    }

    /// Reduction of the `index`-th move (from 1) at `depth`, in parts of a [`PLY`], before
    /// adjustments.
    #[inline]
    pub(super) fn reduction(&self, depth: i32, index: usize) -> i32 {
        self.reductions[(depth as usize).min(63)][index.min(63)]
    }

    /// Adjustment of the reduction.
    #[inline]
    pub(super) fn reduction_by(&self, known: &ReductionInfo) -> i32 {
        let numbers = &self.numbers;
        let parts = |applies: bool, parts: i32| i32::from(applies) * parts;
        known.history.map_or(0, |history| -history * PLY / numbers.history_per_ply)
            - parts(known.is_killer, numbers.killer_less)
            + parts(known.in_cut_node, numbers.cut_more)
            + parts(!known.improving, numbers.worse_more)
            - parts(known.was_on_pv, numbers.pv_once_less)
            - parts(known.on_pv, numbers.pv_less)
            - parts(known.gives_check, numbers.check_less)
    }
}

/// Terms of a move's reduction.
pub(super) struct ReductionInfo {
    /// Its history, if that counts.
    pub history: Option<i32>,
    pub is_killer: bool,
    pub in_cut_node: bool,
    pub improving: bool,
    /// Whether the TT entry of the node was on a principal variation.
    pub was_on_pv: bool,
    pub on_pv: bool,
    pub gives_check: bool,
}

fn reductions(numbers: &MarginValues) -> [[i32; 64]; 64] {
    let [first, per_ply] =
        [numbers.reduction, numbers.reduction_per_ply].map(|number| f64::from(number) / 100.0);
    std::array::from_fn(|depth| {
        std::array::from_fn(|index| {
            let product = (depth.max(1) as f64).ln() * (index.max(1) as f64).ln();
            (f64::from(PLY) * (first + product / per_ply)) as i32
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn usual_values_make_sense_and_have_names_of_their_own() {
        let mut names: Vec<&str> = Margin::ALL.iter().map(|margin| margin.name).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), Margin::ALL.len());
        for margin in Margin::ALL {
            let [low, high] = margin.range;
            assert!(low < margin.usual && margin.usual < high, "{}", margin.name);
            assert!(margin.step > 0 && margin.step * 4 < high - low, "{}", margin.name);
            assert_eq!(Margins::default().value(margin), margin.usual);
        }
        assert_eq!(Margins::default().to_text(), "");
    }

    #[test]
    fn each_can_be_set_and_is_written() {
        for margin in Margin::ALL {
            let value = margin.usual + margin.step.min(margin.range[1] - margin.usual);
            let set = Margins::default().with([(margin.name, value)]).unwrap();
            assert_eq!(set.to_text(), format!("{} = {value}\n", margin.name));
            assert_eq!(set.with([(margin.name, margin.usual)]).unwrap(), Margins::default());
        }
    }

    #[test]
    fn values_out_of_range_are_refused() {
        let refused =
            |name, value| Margins::default().with([(name, value)]).unwrap_err().to_string();
        assert!(refused("magic", 1).starts_with("the search has no margin `magic`"));
        assert_eq!(refused("razor", 9_999), "`razor` is 9999, expected 50 to 500");
    }
}
