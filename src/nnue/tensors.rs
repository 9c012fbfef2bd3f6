//! The tensors of a net by name: shapes, number types, values.
//!
//! File, exports and checks walk this one list, so order and shape are the same everywhere.

use std::borrow::Cow;

use super::layers::{Architecture, Layers};
use super::net::Net;
use super::scales::Scales;

/// A tensor of a quantised net.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TensorName {
    /// Rows of the feature transformer, one per feature.
    FtWeights,
    /// Initial sums of every accumulator.
    FtBias,
    /// PSQT weights.
    Psqt,
    /// Weights of a dense layer.
    DenseWeights(DensePlace),
    /// Added to its sums.
    DenseBias(DensePlace),
}

/// Place of a dense layer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DensePlace {
    /// The layer above the accumulators, which may be the output.
    Lowest,
    /// The layer between two others.
    Middle,
    /// The output above others.
    Output,
}

/// Type of a tensor's numbers, little endian in files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dtype {
    /// 2 bytes.
    I16,
    /// 4 bytes.
    I32,
    /// 8 bytes.
    I64,
}

impl Dtype {
    /// `i16`, `i32` or `i64`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::I16 => "i16",
            Self::I32 => "i32",
            Self::I64 => "i64",
        }
    }

    /// Bytes of one number.
    pub fn bytes(self) -> usize {
        match self {
            Self::I16 => 2,
            Self::I32 => 4,
            Self::I64 => 8,
        }
    }

    /// The smallest and the largest number.
    pub fn range(self) -> (i64, i64) {
        match self {
            Self::I16 => (i16::MIN.into(), i16::MAX.into()),
            Self::I32 => (i32::MIN.into(), i32::MAX.into()),
            Self::I64 => (i64::MIN, i64::MAX),
        }
    }
}

/// One dimension of a tensor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TensorAxis {
    /// Meaning of its index.
    pub name: &'static str,
    /// Its length.
    pub size: usize,
}

impl DensePlace {
    /// Of the dense layers of a net, the output last.
    pub fn of(layers: &Layers) -> Vec<Self> {
        match layers.dense().len() {
            0 => vec![],
            1 => vec![Self::Lowest],
            2 => vec![Self::Lowest, Self::Output],
            _ => vec![Self::Lowest, Self::Middle, Self::Output],
        }
    }

    /// Its index among them.
    pub fn index(self, layers: &Layers) -> usize {
        match self {
            Self::Lowest => 0,
            Self::Middle => 1,
            Self::Output => layers.hidden().len(),
        }
    }

    /// Names of its inputs and its sums.
    fn axes(self) -> [&'static str; 2] {
        match self {
            Self::Lowest => ["input", "output"],
            Self::Middle => ["l2", "l3"],
            Self::Output => ["l2", "output"],
        }
    }
}

impl TensorName {
    /// The tensors of a net with such layers, in the order of the file.
    pub fn of(layers: &Layers) -> Vec<TensorName> {
        let mut names = Vec::new();
        if !layers.is_linear() {
            names.extend([Self::FtWeights, Self::FtBias]);
        }
        if layers.has_psqt() {
            names.push(Self::Psqt);
        }
        for place in DensePlace::of(layers) {
            names.extend([Self::DenseWeights(place), Self::DenseBias(place)]);
        }
        names
    }

    /// Its name in files: `ft_weights`.
    pub fn as_str(self) -> &'static str {
        use DensePlace::{Lowest, Middle, Output};
        match self {
            Self::FtWeights => "ft_weights",
            Self::FtBias => "ft_bias",
            Self::Psqt => "psqt",
            Self::DenseWeights(Lowest) => "dense_weights",
            Self::DenseBias(Lowest) => "dense_bias",
            Self::DenseWeights(Middle) => "dense2_weights",
            Self::DenseBias(Middle) => "dense2_bias",
            Self::DenseWeights(Output) => "out_weights",
            Self::DenseBias(Output) => "out_bias",
        }
    }

    /// Type of its numbers.
    pub fn dtype(self) -> Dtype {
        use DensePlace::{Lowest, Middle, Output};
        match self {
            Self::FtWeights | Self::FtBias | Self::DenseWeights(Lowest | Middle) => Dtype::I16,
            Self::Psqt | Self::DenseBias(Lowest | Middle) | Self::DenseWeights(Output) => {
                Dtype::I32
            }
            Self::DenseBias(Output) => Dtype::I64,
        }
    }

    /// Its dimensions in a net of such scales, the one that varies slowest first.
    pub fn axes(self, architecture: &Architecture, scales: &Scales) -> Vec<TensorAxis> {
        let layers = &architecture.layers;
        let axis = |name, size| TensorAxis { name, size };
        let feature = axis("feature", architecture.features);
        let columns = match scales.digits() {
            None => vec![axis("l1", layers.width())],
            Some(_) => vec![axis("digit", 2), axis("l1", layers.width())],
        };
        let bucket = axis("bucket", layers.buckets().count());
        let shape = |place: DensePlace| layers.dense()[place.index(layers)];
        match self {
            Self::FtWeights => [vec![feature], columns].concat(),
            Self::FtBias => columns,
            Self::Psqt => vec![feature, bucket],
            Self::DenseWeights(place) => {
                let ([inputs, sums], shape) = (place.axes(), shape(place));
                let neurons = (place != DensePlace::Output).then(|| axis(sums, shape.sums));
                [bucket].into_iter().chain(neurons).chain([axis(inputs, shape.inputs)]).collect()
            }
            Self::DenseBias(place) => {
                let ([_, sums], shape) = (place.axes(), shape(place));
                let neurons = (place != DensePlace::Output).then(|| axis(sums, shape.sums));
                [bucket].into_iter().chain(neurons).collect()
            }
        }
    }

    /// Number of its values; `None` beyond any memory.
    pub fn len(self, architecture: &Architecture, scales: &Scales) -> Option<usize> {
        let axes = self.axes(architecture, scales);
        axes.iter().try_fold(1usize, |len, axis| len.checked_mul(axis.size))
    }

    /// Its size in a file; `None` beyond any memory.
    pub fn bytes(self, architecture: &Architecture, scales: &Scales) -> Option<usize> {
        self.len(architecture, scales)?.checked_mul(self.dtype().bytes())
    }
}

/// The numbers of a tensor.
#[derive(Clone, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the types name the variants")]
pub enum Values<'a> {
    I16(Cow<'a, [i16]>),
    I32(Cow<'a, [i32]>),
    I64(Cow<'a, [i64]>),
}

impl Values<'_> {
    /// The numbers as they are stored, little endian.
    pub fn to_le_bytes(&self) -> Vec<u8> {
        match self {
            Self::I16(values) => values.iter().flat_map(|v| v.to_le_bytes()).collect(),
            Self::I32(values) => values.iter().flat_map(|v| v.to_le_bytes()).collect(),
            Self::I64(values) => values.iter().flat_map(|v| v.to_le_bytes()).collect(),
        }
    }

    /// The numbers, widened.
    pub fn iter(&self) -> impl Iterator<Item = i64> {
        let (short, middle, long) = match self {
            Self::I16(values) => (&values[..], &[][..], &[][..]),
            Self::I32(values) => (&[][..], &values[..], &[][..]),
            Self::I64(values) => (&[][..], &[][..], &values[..]),
        };
        let widened = short.iter().map(|&v| i64::from(v));
        widened.chain(middle.iter().map(|&v| i64::from(v))).chain(long.iter().copied())
    }
}

impl Net {
    /// The numbers of a tensor that the net has.
    pub fn values(&self, name: TensorName) -> Values<'_> {
        let dense = |place: DensePlace| &self.weights.dense[place.index(&self.architecture.layers)];
        match name {
            TensorName::FtWeights => Values::I16(Cow::Borrowed(&self.weights.ft_weights)),
            TensorName::FtBias => Values::I16(Cow::Borrowed(&self.weights.ft_bias)),
            TensorName::Psqt => Values::I32(Cow::Borrowed(&self.weights.psqt)),
            TensorName::DenseWeights(place) => {
                let weights = &dense(place).weights;
                match name.dtype() {
                    Dtype::I16 => Values::I16(weights.iter().map(|&w| w as i16).collect()),
                    Dtype::I32 | Dtype::I64 => Values::I32(Cow::Borrowed(weights)),
                }
            }
            TensorName::DenseBias(place) => {
                let bias = &dense(place).bias;
                match name.dtype() {
                    Dtype::I64 => Values::I64(Cow::Borrowed(bias)),
                    Dtype::I16 | Dtype::I32 => {
                        Values::I32(bias.iter().map(|&b| b as i32).collect())
                    }
                }
            }
        }
    }

    /// The tensors it has, in the order of the file.
    pub fn tensors(&self) -> impl Iterator<Item = (TensorName, Values<'_>)> {
        let names = TensorName::of(&self.architecture().layers);
        names.into_iter().map(|name| (name, self.values(name)))
    }
}
