//! Words behind `+` of a dense layer.
//!
//! An addition has neurons of its own behind the layer's. They are not activated and no layer reads
//! them: a function of their sums is added to the output, times a weight of the net
//! ([`FloatWeights::skip`](crate::FloatWeights::skip), and [`Scales::skip`](crate::Scales::skip) in
//! integers). A line has one addition at most. The tensor form stands in `network/model.rs`.

use crate::scales::Ratio;

/// An addition to a dense layer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Addition {
    /// One neuron, whose sum goes straight to the output.
    Skip,
}

impl Addition {
    /// All additions.
    pub const ALL: [Self; 1] = [Self::Skip];

    /// Word in the line of layers.
    pub fn word(self) -> &'static str {
        match self {
            Self::Skip => "skip",
        }
    }

    /// Its neurons.
    pub fn neurons(self) -> usize {
        match self {
            Self::Skip => 1,
        }
    }

    /// Its part of the output for the sums of its neurons, without its weight.
    pub fn of(self, sums: &[f32]) -> f32 {
        match self {
            Self::Skip => sums[0],
        }
    }

    /// The same in integers, with its weight.
    #[inline(always)]
    pub(crate) fn of_integers(self, sums: &[i32], weight: Ratio) -> i64 {
        match self {
            Self::Skip => weight.of(i64::from(sums[0])),
        }
    }

    /// Its largest value for sums up to `most`, without its weight.
    pub(crate) fn largest(self, most: i128) -> i128 {
        match self {
            Self::Skip => most,
        }
    }

    /// [`of`](Self::of) as a formula of exports: `sum` names the sum of a neuron, counted from the
    /// last of the layer.
    pub fn formula(self, sum: impl Fn(usize) -> String) -> String {
        match self {
            Self::Skip => sum(1),
        }
    }
}
