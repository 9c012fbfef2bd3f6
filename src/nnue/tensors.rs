//! The tensors of a net by name: which there are, their shapes, their numbers.
//!
//! The file, its exports and everything that looks at nets walk through this
//! one list, so that no two of them can disagree on an order or a shape.

use super::architecture::{Architecture, Layers};
use super::net::{Net, Scales};

/// A tensor of a quantised net.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TensorName {
    /// First-layer rows, one per feature.
    FtWeights,
    /// What every accumulator starts from.
    FtBias,
    /// The layer that reads the accumulators.
    DenseWeights,
    /// Added to its sums.
    DenseBias,
    /// The layer that reads the second hidden layer.
    OutWeights,
    /// Added to its sum.
    OutBias,
}

/// How the numbers of a tensor are stored, little endian.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Dtype {
    I16,
    I32,
    I64,
}

impl Dtype {
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::I16 => "i16",
            Self::I32 => "i32",
            Self::I64 => "i64",
        }
    }

    pub(crate) fn bytes(self) -> usize {
        match self {
            Self::I16 => 2,
            Self::I32 => 4,
            Self::I64 => 8,
        }
    }
}

/// One dimension of a tensor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Axis {
    /// What its index counts.
    pub name: &'static str,
    pub size: usize,
}

impl TensorName {
    /// The tensors of a net with such layers, in the order of the file.
    pub(crate) fn of(layers: Layers) -> &'static [TensorName] {
        use TensorName::{DenseBias, DenseWeights, FtBias, FtWeights, OutBias, OutWeights};
        match layers {
            Layers::Linear => &[FtWeights, FtBias],
            Layers::One { .. } => &[FtWeights, FtBias, DenseWeights, DenseBias],
            Layers::Two { .. } => {
                &[FtWeights, FtBias, DenseWeights, DenseBias, OutWeights, OutBias]
            }
        }
    }

    /// Its name in files: `ft_weights`.
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::FtWeights => "ft_weights",
            Self::FtBias => "ft_bias",
            Self::DenseWeights => "dense_weights",
            Self::DenseBias => "dense_bias",
            Self::OutWeights => "out_weights",
            Self::OutBias => "out_bias",
        }
    }

    pub(crate) fn dtype(self) -> Dtype {
        match self {
            Self::FtWeights | Self::FtBias | Self::DenseWeights => Dtype::I16,
            Self::DenseBias | Self::OutWeights => Dtype::I32,
            Self::OutBias => Dtype::I64,
        }
    }

    /// Its dimensions in a net of such scales, the one that varies slowest first.
    pub(crate) fn axes(self, architecture: &Architecture, scales: Scales) -> Vec<Axis> {
        let layers = architecture.layers;
        let axis = |name, size| Axis { name, size };
        let digits = axis("digit", scales.digit_count(layers));
        let columns = match (layers, scales.base) {
            (Layers::Linear, _) => vec![digits],
            (Layers::One { l1, .. } | Layers::Two { l1, .. }, None) => vec![axis("l1", l1)],
            (Layers::One { l1, .. } | Layers::Two { l1, .. }, Some(_)) => {
                vec![digits, axis("l1", l1)]
            }
        };
        let bucket = axis("bucket", layers.buckets().count());
        let output = axis("output", layers.dense_outputs());
        match self {
            Self::FtWeights => [vec![axis("feature", architecture.features)], columns].concat(),
            Self::FtBias => columns,
            Self::DenseWeights => {
                vec![bucket, output, axis("input", layers.l1().saturating_mul(2))]
            }
            Self::DenseBias => vec![bucket, output],
            Self::OutWeights => vec![bucket, axis("l2", layers.l2())],
            Self::OutBias => vec![bucket],
        }
    }

    /// How many numbers it holds; `None` if no memory could.
    pub(crate) fn len(self, architecture: &Architecture, scales: Scales) -> Option<usize> {
        let axes = self.axes(architecture, scales);
        axes.iter().try_fold(1usize, |len, axis| len.checked_mul(axis.size))
    }

    /// Its size in a file; `None` if no memory could hold it.
    pub(crate) fn bytes(self, architecture: &Architecture, scales: Scales) -> Option<usize> {
        self.len(architecture, scales)?.checked_mul(self.dtype().bytes())
    }
}

/// The numbers of a tensor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Values<'a> {
    I16(&'a [i16]),
    I32(&'a [i32]),
    I64(&'a [i64]),
}

impl Values<'_> {
    pub(crate) fn to_le_bytes(self) -> Vec<u8> {
        match self {
            Self::I16(values) => values.iter().flat_map(|v| v.to_le_bytes()).collect(),
            Self::I32(values) => values.iter().flat_map(|v| v.to_le_bytes()).collect(),
            Self::I64(values) => values.iter().flat_map(|v| v.to_le_bytes()).collect(),
        }
    }

    pub(crate) fn iter(self) -> impl Iterator<Item = i64> {
        let (short, middle, long) = match self {
            Self::I16(values) => (values, &[][..], &[][..]),
            Self::I32(values) => (&[][..], values, &[][..]),
            Self::I64(values) => (&[][..], &[][..], values),
        };
        let widened = short.iter().map(|&v| i64::from(v));
        widened.chain(middle.iter().map(|&v| i64::from(v))).chain(long.iter().copied())
    }
}

impl Net {
    /// The numbers of a tensor; none of one that the net does not have.
    pub(crate) fn values(&self, name: TensorName) -> Values<'_> {
        match name {
            TensorName::FtWeights => Values::I16(&self.ft_weights),
            TensorName::FtBias => Values::I16(&self.ft_bias),
            TensorName::DenseWeights => Values::I16(&self.dense_weights),
            TensorName::DenseBias => Values::I32(&self.dense_bias),
            TensorName::OutWeights => Values::I32(&self.out_weights),
            TensorName::OutBias => Values::I64(&self.out_bias),
        }
    }

    /// The tensors it has, in the order of the file.
    pub(crate) fn tensors(&self) -> impl Iterator<Item = (TensorName, Values<'_>)> {
        let names = TensorName::of(self.architecture().layers);
        names.iter().map(|&name| (name, self.values(name)))
    }
}
