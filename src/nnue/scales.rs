//! Integers per unit of the float net, layer by layer.
//!
//! ```text
//! transformer  sums of `one` per unit, clipped to 0..=top; activated, they lose `shift` bits
//! hidden       weights of `weights` per unit; sums clipped to 0..=top, then `shift` bits lost
//! output       weights of `output` per centipawn and unit of its inputs
//! psqt         32 bits, added up in two digits of a `base`
//! mix          centipawns = round((sum · output + psqt · head) / whole)
//! ```
//!
//! Sums are clipped at `top`: one unit in nets of this program; those of others may be a little
//! above or below.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::digits::Base;
use super::layers::Layers;

/// Integers per unit of the float net.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Scales {
    /// Of the feature transformer; none in a linear net.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub transformer: Option<TransformerScale>,
    /// Of the dense layers below the output, the lowest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub hidden: Vec<HiddenScale>,
    /// Weights of the output layer, per unit of its inputs and centipawn; 1 in a linear net.
    pub output: i32,
    /// Multiplier of the sum of a skip's neuron, if there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub skip: Option<Ratio>,
    /// Value of one in the high digit of the PSQT sums, if there is a head.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub psqt: Option<Base>,
    /// Formula of the centipawns.
    pub mix: Mix,
    /// Rounding of bits that are shifted out.
    #[serde(default, skip_serializing_if = "Rounding::is_usual")]
    pub rounding: Rounding,
}

/// Of the feature transformer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TransformerScale {
    /// Integers per unit of weights and sums; a power of two where sums are multiplied.
    pub one: i32,
    /// Sums are clipped to 0 and this.
    pub top: i32,
    /// Bits that activations lose, to fit the inputs of the dense layer.
    #[serde(default)]
    pub shift: u32,
    /// Base of the digits of sums that do not fit 16 bits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base: Option<Base>,
}

/// Of a dense layer below the output.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HiddenScale {
    /// Integers per unit of the weights.
    pub weights: i32,
    /// Sums are clipped to 0 and this; a power of two, or one less, where they are squared.
    pub top: i32,
    /// Bits that clipped sums lose.
    #[serde(default)]
    pub shift: u32,
}

/// A number of two integers; results of it are rounded towards zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Ratio {
    /// Multiplied by this,
    pub times: i64,
    /// and divided by this.
    pub over: i64,
}

/// Centipawns from the sums of the output layer and of the head.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Mix {
    /// The output layer's sum is multiplied by this.
    pub output: i64,
    /// The difference of the head's sums is multiplied by this.
    pub psqt: i64,
    /// Both together are divided by this.
    pub whole: i64,
}

/// Rounding of bits that are shifted out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Rounding {
    /// The nearest number.
    #[default]
    Nearest,
    /// The next lower number, as in most engines.
    Down,
}

impl Rounding {
    fn is_usual(&self) -> bool {
        *self == Self::default()
    }

    /// Summand before `shift` bits are shifted out.
    #[inline(always)]
    pub fn half(self, shift: u32) -> i32 {
        match self {
            Self::Nearest => (1 << shift) >> 1,
            Self::Down => 0,
        }
    }
}

impl Ratio {
    /// `value` times this number.
    #[inline(always)]
    pub(crate) fn of(self, value: i64) -> i64 {
        // No net needs more bits; a damaged file must not stop the program.
        value.wrapping_mul(self.times) / self.over
    }
}

impl Mix {
    /// Mix of a net with `per_centipawn` integers per centipawn and no head.
    pub fn of_output(per_centipawn: i64) -> Self {
        Self { output: 1, psqt: 0, whole: per_centipawn }
    }

    /// Mix of a head alone.
    pub(crate) fn of_psqt(per_centipawn: i64) -> Self {
        Self { output: 0, psqt: 1, whole: per_centipawn }
    }

    /// Mix of both.
    pub(crate) fn of_both(output: i64, psqt: i64) -> Self {
        Self { output: psqt, psqt: output, whole: output * psqt }
    }

    /// Centipawns, rounded to the nearest integer.
    #[inline(always)]
    pub(crate) fn centipawns(self, output: i64, psqt: i64) -> i32 {
        let [output, psqt] = [output.wrapping_mul(self.output), psqt.wrapping_mul(self.psqt)];
        let sum = output.wrapping_add(psqt).wrapping_add(self.whole / 2);
        sum.div_euclid(self.whole) as i32
    }
}

/// Integers per unit of the inputs and sums of a dense layer.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct DenseUnits {
    /// Of clipped inputs.
    pub inputs: f64,
    /// Of squared inputs, which other programs may have in another unit.
    pub squares: f64,
    /// Of its weights.
    pub weights: f64,
}

impl DenseUnits {
    /// Of its sums, and so of its biases.
    pub(crate) fn sums(self) -> f64 {
        self.inputs * self.weights
    }
}

impl Scales {
    /// Units of all dense layers, the output last.
    pub(crate) fn dense(&self, layers: &Layers) -> Vec<DenseUnits> {
        let Some(transformer) = self.transformer else { return Vec::new() };
        let mut inputs = transformer.unit(layers.activation());
        let mut squares = inputs;
        let mut units = Vec::new();
        for (scale, hidden) in self.hidden.iter().zip(layers.hidden()) {
            let own = DenseUnits { inputs, squares, weights: f64::from(scale.weights) };
            units.push(own);
            let clipped = own.sums() / f64::from(1_u32 << scale.shift);
            let squared = own.sums() * own.sums() / 2_f64.powi(scale.square_shift() as i32);
            [squares, inputs] = hidden.activation.units(clipped, squared);
        }
        units.push(DenseUnits { inputs, squares, weights: f64::from(self.output) });
        units
    }

    /// The largest number that each dense layer reads, the output last.
    pub(crate) fn most_read(&self, layers: &Layers) -> Vec<i32> {
        let transformer = self.transformer.map(|it| it.most(layers.activation(), self.rounding));
        let hidden = self.hidden.iter().map(|it| it.most(self.rounding));
        transformer.into_iter().chain(hidden).collect()
    }

    /// Base of the two digits of the feature transformer; `None` where it has one.
    pub(crate) fn digits(&self) -> Option<Base> {
        self.transformer.and_then(|transformer| transformer.base)
    }

    /// Columns of sums in the feature transformer: twice its width where they have two
    /// digits.
    pub(crate) fn transformer_columns(&self, layers: &Layers) -> usize {
        let digits = if self.digits().is_some() { 2 } else { 1 };
        layers.width() * digits
    }
}

/// `127 per unit, dense 64, 16 per centipawn`, and unusual scales.
impl fmt::Display for Scales {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(TransformerScale { one, shift, base, .. }) = self.transformer else {
            let base = self.psqt.map_or(1, i32::from);
            return write!(f, "{} per centipawn, two digits of base {base}", self.mix.whole);
        };
        write!(f, "{one} per unit")?;
        if shift > 0 {
            write!(f, ", activations shifted by {shift}")?;
        }
        if let Some(base) = base {
            write!(f, ", two digits of base {}", i32::from(base))?;
        }
        for HiddenScale { weights, shift, .. } in &self.hidden {
            write!(f, ", dense {weights}")?;
            if *shift > 0 {
                write!(f, " shifted by {shift}")?;
            }
        }
        write!(f, ", output {}", self.output)
    }
}
