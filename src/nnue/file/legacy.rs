//! Headers of versions 1 to 4, which knew three shapes of nets.
//!
//! ```text
//! Linear   the high and the low digit of each weight
//! One      (features → L1)×2 → 1, perhaps in buckets
//! Two      (features → L1)×2 → L2 → 1, perhaps in buckets
//! ```
//!
//! Version 1 has `Two` with clipped ReLU only; its header gives the sizes alone. Nets whose
//! activations are shifted are of version 4, others of two digits of version 3, all others
//! of version 2. A net is written in the oldest version that has what it needs, so that
//! programs which know no more can read it, and nets keep their fingerprints.

use serde::{Deserialize, Serialize};

use crate::activation::Activation;
use crate::digits::Base;
use crate::layers::{Architecture, Buckets, Hidden, Layers, Transformer};
use crate::net::Net;
use crate::scales::{HiddenScale, Mix, Rounding, Scales, TransformerScale};
use crate::tensors::TensorName;

/// The header's part that later versions have otherwise.
#[derive(Clone, Copy, Debug)]
pub(super) struct Content {
    pub architecture: Shape,
    pub scales: OldScales,
}

#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(super) struct Shape {
    pub features: usize,
    pub layers: OldLayers,
}

/// The architecture of version 1.
#[derive(Clone, Copy, Debug, Deserialize)]
pub(super) struct Sizes {
    features: usize,
    l1: usize,
    l2: usize,
}

#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum OldLayers {
    Linear,
    One { l1: usize, activation: OldActivation, buckets: usize },
    Two { l1: usize, l2: usize, activation: OldActivation, buckets: usize },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum OldActivation {
    ClippedRelu,
    SquaredClippedRelu,
}

#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(super) struct OldScales {
    /// Of the feature transformer; of a linear net, per centipawn.
    qa: i32,
    /// Of the dense layer; of a linear net, the base of the digits.
    qb: i32,
    /// Of the output of two hidden layers; 1 in others.
    qc: i32,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    base: Option<Base>,
    /// Bits that activations lose, beyond those that squares of more than
    /// [`SQUARE_MOST`] lose anyway.
    #[serde(default, skip_serializing_if = "is_zero")]
    shift: u32,
}

fn is_zero(shift: &u32) -> bool {
    *shift == 0
}

/// Largest activation of a squared clipped ReLU.
const SQUARE_MOST: i32 = 1 << 12;

impl From<Sizes> for Shape {
    fn from(Sizes { features, l1, l2 }: Sizes) -> Self {
        let (activation, buckets) = (OldActivation::ClippedRelu, 1);
        Self { features, layers: OldLayers::Two { l1, l2, activation, buckets } }
    }
}

impl From<OldActivation> for Activation {
    fn from(activation: OldActivation) -> Self {
        match activation {
            OldActivation::ClippedRelu => Self::ClippedRelu,
            OldActivation::SquaredClippedRelu => Self::SquaredClippedRelu,
        }
    }
}

impl OldActivation {
    fn of(activation: Activation) -> Option<Self> {
        match activation {
            Activation::ClippedRelu => Some(Self::ClippedRelu),
            Activation::SquaredClippedRelu => Some(Self::SquaredClippedRelu),
            Activation::Pairwise | Activation::Dual | Activation::Identity => None,
        }
    }

    /// The largest activation for sums of so many integers per unit.
    fn widest(self, qa: i32) -> i32 {
        match self {
            Self::ClippedRelu => qa,
            Self::SquaredClippedRelu => (qa * qa).min(SQUARE_MOST),
        }
    }

    /// The same before bits are lost.
    fn long(self, qa: i32) -> i32 {
        match self {
            Self::ClippedRelu => qa,
            Self::SquaredClippedRelu => qa * qa,
        }
    }
}

impl Shape {
    /// The layers, or what is wrong with them.
    pub(super) fn read(self) -> Result<Architecture, String> {
        let Self { features, layers } = self;
        let transformer = |width: usize, activation: OldActivation| Transformer {
            width,
            activation: activation.into(),
        };
        let of = |transformer, hidden, buckets| {
            let buckets = Buckets::by_pieces(buckets)
                .ok_or_else(|| format!("a net has 1 to {} output buckets", Buckets::MOST))?;
            let layers = Layers::of_any_size(transformer, hidden, buckets, false);
            layers.problem().map_or(Ok(layers), Err)
        };
        let layers = match layers {
            OldLayers::Linear => Layers::linear(),
            OldLayers::One { l1, activation, buckets } => {
                of(transformer(l1, activation), Vec::new(), buckets)?
            }
            OldLayers::Two { l1, l2, activation, buckets } => {
                let hidden = Hidden { neurons: l2, activation: activation.into(), skip: false };
                of(transformer(l1, activation), vec![hidden], buckets)?
            }
        };
        Ok(Architecture { features, layers })
    }

    fn activation(self) -> Option<OldActivation> {
        match self.layers {
            OldLayers::Linear => None,
            OldLayers::One { activation, .. } | OldLayers::Two { activation, .. } => {
                Some(activation)
            }
        }
    }

    /// Of the layers, if there is such a shape.
    fn of(architecture: &Architecture) -> Option<Self> {
        let Architecture { features, layers } = architecture;
        let features = *features;
        if layers.is_linear() {
            let is_plain = layers.buckets() == &Buckets::ONE;
            return is_plain.then_some(Self { features, layers: OldLayers::Linear });
        }
        let Buckets::Pieces(buckets) = *layers.buckets() else { return None };
        let activation = OldActivation::of(layers.activation())?;
        let (l1, buckets) = (layers.width(), usize::from(buckets));
        let layers = match layers.hidden() {
            _ if layers.has_psqt() => return None,
            [] => OldLayers::One { l1, activation, buckets },
            [only] if only.activation == layers.activation() && !only.skip => {
                OldLayers::Two { l1, l2: only.neurons, activation, buckets }
            }
            _ => return None,
        };
        Some(Self { features, layers })
    }
}

impl OldScales {
    /// The scales, if they are in range and suit the layers.
    pub(super) fn read(self, shape: Shape) -> Result<Scales, String> {
        let wrong = || format!("the scales {self:?} are out of range");
        let Self { qa, qb, qc, base, shift } = self;
        let in_range = (1..=32_767).contains(&qa) && (1..=32_767).contains(&qb) && qc >= 1;
        let Some(activation) = shape.activation().filter(|_| in_range) else {
            let digits = Base::try_from(qb).ok().filter(|_| base.is_none() && shift == 0);
            let psqt = digits.filter(|_| in_range && shape.activation().is_none());
            return psqt.map(|base| Self::linear(qa, base)).ok_or_else(wrong);
        };
        let squared = activation == OldActivation::SquaredClippedRelu;
        // At most 2¹⁰, so that the square of an accumulator value fits with ease.
        let suits = !squared || (qa.count_ones() == 1 && qb.count_ones() == 1 && qa <= 1 << 10);
        // Something must be left of an activation, and of qa nothing be lost.
        let unit = |shift: u32| activation.widest(qa) >> shift;
        let shifts = shift < 15 && suits && qa % (1 << shift) == 0 && unit(shift) > 0;
        if !shifts {
            return Err(wrong());
        }
        let shift = (activation.long(qa) / unit(shift)).ilog2();
        let transformer = TransformerScale { one: qa, top: qa, shift, base };
        let unit = transformer.unit(activation.into()) as i64;
        let (hidden, output) = match shape.layers {
            OldLayers::Linear | OldLayers::One { .. } => (Vec::new(), qb),
            OldLayers::Two { .. } => {
                let top = i32::try_from(unit * i64::from(qb)).map_err(|_| wrong())?;
                (vec![HiddenScale { weights: qb, top, shift: 0 }], qc)
            }
        };
        let below = hidden.first().map_or(unit, |hidden| i64::from(hidden.top));
        Ok(Scales {
            transformer: Some(transformer),
            hidden,
            output,
            skip: None,
            psqt: None,
            mix: Mix::of_output(below * i64::from(output)),
            rounding: Rounding::Nearest,
        })
    }

    fn linear(qa: i32, base: Base) -> Scales {
        Scales {
            transformer: None,
            hidden: Vec::new(),
            output: 1,
            skip: None,
            psqt: Some(base),
            mix: Mix::of_psqt(qa.into()),
            rounding: Rounding::Nearest,
        }
    }

    /// Of the scales of a net of that shape, if they were written so.
    fn of(scales: &Scales, shape: Shape) -> Option<Self> {
        let old = match shape.activation() {
            None => {
                let qa = i32::try_from(scales.mix.whole).ok()?;
                Self { qa, qb: scales.psqt?.into(), qc: 1, base: None, shift: 0 }
            }
            Some(activation) => {
                let TransformerScale { one, shift, base, .. } = scales.transformer?;
                let unit = activation.long(one) >> shift;
                let shift = (activation.widest(one) / unit.max(1)).max(1).ilog2();
                let (qb, qc) = match scales.hidden.first() {
                    Some(hidden) => (hidden.weights, scales.output),
                    None => (scales.output, 1),
                };
                Self { qa: one, qb, qc, base, shift }
            }
        };
        (old.read(shape).as_ref() == Ok(scales)).then_some(old)
    }

    fn digits(self, shape: Shape) -> Option<Base> {
        match shape.activation() {
            None => Base::try_from(self.qb).ok(),
            Some(_) => self.base,
        }
    }
}

impl Content {
    /// Of a net that versions before the fifth can say.
    pub(super) fn of(net: &Net) -> Option<Self> {
        let architecture = Shape::of(&net.architecture)?;
        let scales = OldScales::of(&net.scales, architecture)?;
        Some(Self { architecture, scales })
    }

    /// The version that has what the net needs.
    pub(super) fn version(self) -> u32 {
        match (self.scales.shift, self.scales.base) {
            (0, None) => 2,
            (0, Some(_)) => 3,
            (1.., _) => 4,
        }
    }

    /// The tensors in their order: a linear net has rows of two digits, and a bias of zeros.
    pub(super) fn tensors(self, net: &Net) -> Vec<u8> {
        let Some(base) = self.scales.digits(self.architecture).filter(|_| self.is_linear()) else {
            return net.tensors().flat_map(|(_, values)| values.to_le_bytes()).collect();
        };
        let digits = base.split_rows(&net.psqt, 1).into_iter().chain([0, 0]);
        digits.flat_map(i16::to_le_bytes).collect()
    }

    fn is_linear(self) -> bool {
        self.architecture.activation().is_none()
    }

    /// Bytes of the tensors; `None` if no memory could hold them.
    pub(super) fn bytes(self, architecture: &Architecture, scales: &Scales) -> Option<usize> {
        if self.is_linear() {
            return architecture.features.checked_add(1)?.checked_mul(2 * size_of::<i16>());
        }
        let names = TensorName::of(&architecture.layers);
        names
            .iter()
            .try_fold(0_usize, |sum, name| sum.checked_add(name.bytes(architecture, scales)?))
    }

    /// The weights of a linear net from its tensors; `None` of other nets.
    pub(super) fn psqt(self, tensors: &[u8]) -> Option<Vec<i32>> {
        let base = self.scales.digits(self.architecture).filter(|_| self.is_linear())?;
        let digits: Vec<i16> =
            tensors.as_chunks().0.iter().copied().map(i16::from_le_bytes).collect();
        Some(base.join_rows(digits.get(..2 * self.architecture.features)?, 1))
    }
}
