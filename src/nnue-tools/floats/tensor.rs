//! The tensors of float weights: names, shapes, values, for files and for states of PyTorch alike.

use nnue::{Architecture, FloatWeights, Layers};

/// A tensor of float weights.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FloatTensor {
    FtWeight,
    FtBias,
    Psqt,
    /// Centipawns of a skip's sum.
    Skip,
    /// Of a dense layer, counted from the lowest.
    DenseWeight(usize),
    DenseBias(usize),
}

impl FloatTensor {
    /// The tensors of such layers, in the order of a file.
    pub fn of(layers: &Layers) -> Vec<Self> {
        let mut tensors = Vec::new();
        if !layers.is_linear() {
            tensors.extend([Self::FtWeight, Self::FtBias]);
        }
        if layers.has_psqt() {
            tensors.push(Self::Psqt);
        }
        if layers.addition().is_some() {
            tensors.push(Self::Skip);
        }
        let dense = 0..layers.dense().len();
        tensors.extend(dense.flat_map(|place| [Self::DenseWeight(place), Self::DenseBias(place)]));
        tensors
    }

    /// Its name: `ft.weight`, `dense.0.bias`.
    pub fn name(self) -> String {
        match self {
            Self::FtWeight => "ft.weight".to_owned(),
            Self::FtBias => "ft.bias".to_owned(),
            Self::Psqt => "psqt.weight".to_owned(),
            Self::Skip => "skip".to_owned(),
            Self::DenseWeight(place) => format!("dense.{place}.weight"),
            Self::DenseBias(place) => format!("dense.{place}.bias"),
        }
    }

    /// Its dimensions, the one that varies slowest first.
    pub fn shape(self, architecture: &Architecture) -> Vec<usize> {
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

    /// Its dimensions in modules of PyTorch, where the sums of all buckets are those of one `Linear`.
    pub fn module_shape(self, architecture: &Architecture) -> Vec<usize> {
        match (self, self.shape(architecture).as_slice()) {
            (Self::DenseWeight(_), [buckets, sums, inputs]) => vec![buckets * sums, *inputs],
            (Self::DenseBias(_), [buckets, sums]) => vec![buckets * sums],
            (_, shape) => shape.to_vec(),
        }
    }

    /// Whether a tensor of these dimensions has its values in order.
    pub(super) fn accepts(self, shape: &[usize], architecture: &Architecture) -> bool {
        let is_scalar = self == Self::Skip && shape.is_empty();
        is_scalar
            || [self.shape(architecture), self.module_shape(architecture)]
                .iter()
                .any(|known| known == shape)
    }

    /// Its values, the last dimension varying fastest.
    pub fn values(self, weights: &FloatWeights) -> &[f32] {
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
