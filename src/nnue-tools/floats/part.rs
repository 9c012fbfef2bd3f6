//! The tensors of a file of float weights: names, shapes, values.

use nnue::{Architecture, FloatWeights, Layers};

/// A tensor of float weights.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part {
    FtWeight,
    FtBias,
    Psqt,
    /// Centipawns of a skip's sum.
    Skip,
    /// Of a dense layer, counted from the lowest.
    DenseWeight(usize),
    DenseBias(usize),
}

impl Part {
    /// The tensors of such layers, in the order of the file.
    pub(super) fn of(layers: &Layers) -> Vec<Self> {
        let mut parts = Vec::new();
        if !layers.is_linear() {
            parts.extend([Self::FtWeight, Self::FtBias]);
        }
        if layers.has_psqt() {
            parts.push(Self::Psqt);
        }
        if layers.addition().is_some() {
            parts.push(Self::Skip);
        }
        let dense = 0..layers.dense().len();
        parts.extend(dense.flat_map(|place| [Self::DenseWeight(place), Self::DenseBias(place)]));
        parts
    }

    pub(super) fn name(self) -> String {
        match self {
            Self::FtWeight => "ft.weight".to_owned(),
            Self::FtBias => "ft.bias".to_owned(),
            Self::Psqt => "psqt.weight".to_owned(),
            Self::Skip => "skip".to_owned(),
            Self::DenseWeight(place) => format!("dense.{place}.weight"),
            Self::DenseBias(place) => format!("dense.{place}.bias"),
        }
    }

    /// Name in files of earlier versions, whose tensors have one dimension.
    pub(super) fn flat_name(self) -> String {
        match self {
            Self::FtWeight => "ft_weights".to_owned(),
            Self::FtBias => "ft_bias".to_owned(),
            Self::Psqt => "psqt".to_owned(),
            Self::Skip => "skip".to_owned(),
            Self::DenseWeight(place) => format!("dense.{place}.weights"),
            Self::DenseBias(place) => format!("dense.{place}.bias"),
        }
    }

    /// Its dimensions, the one that varies slowest first.
    pub(super) fn shape(self, architecture: &Architecture) -> Vec<usize> {
        let Architecture { features, layers } = architecture;
        let buckets = layers.buckets().count();
        match self {
            Self::FtWeight => vec![*features, layers.width()],
            Self::FtBias => vec![layers.width()],
            Self::Psqt => vec![*features, buckets],
            Self::Skip => vec![1],
            Self::DenseWeight(place) => {
                let shape = layers.dense()[place];
                vec![buckets, shape.sums, shape.inputs]
            }
            Self::DenseBias(place) => vec![buckets, layers.dense()[place].sums],
        }
    }

    pub(super) fn values(self, weights: &FloatWeights) -> &[f32] {
        match self {
            Self::FtWeight => &weights.ft_weights,
            Self::FtBias => &weights.ft_bias,
            Self::Psqt => &weights.psqt,
            Self::Skip => std::slice::from_ref(&weights.skip),
            Self::DenseWeight(place) => &weights.dense[place].weights,
            Self::DenseBias(place) => &weights.dense[place].bias,
        }
    }
}
