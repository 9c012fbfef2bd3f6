//! A net of ours as a net of bullet.
//!
//! A net at the scales of the file, an imported one, keeps its integers. Where activations lose
//! bits ([`convert`](super::convert)), output biases lost as many: squares fewer than a step of the
//! file has, so that the nearest step is that of the file. Only clipped sums that could leave 31
//! bits do not come back. Any other net is quantised through its floats.

use super::layout::ACTIVATIONS;
use super::numbers::MOST_BUCKETS;
use super::{BulletError, BulletLayout, BulletNet, BulletScales};
use crate::foreign::OutOfRange;
use crate::foreign::integers::{Scaled, integers};
use nnue::tensors::{DensePlace, TensorName};
use nnue::{Buckets, IntegerDense, Layers, Net, Scales, Transformer, TransformerScale};

const OUT_WEIGHTS: TensorName = TensorName::DenseWeights(DensePlace::Lowest);
const OUT_BIAS: TensorName = TensorName::DenseBias(DensePlace::Lowest);

/// A net that no file of bullet can hold.
#[derive(Debug, thiserror::Error)]
pub enum BulletExportError {
    #[error(
        "its layers are `{found}`, a file of bullet has `N crelu -> 1` or `N screlu -> 1`; train a net of such layers, or export this one with --format raw"
    )]
    Layers { found: String },
    /// Buckets by pieces, in other steps, or by other features.
    #[error(
        "its layers are `{found}`, bullet counts pieces in other steps; train a net with `buckets {expected}`, or export this one with --format raw"
    )]
    Buckets { found: String, expected: String },
    /// Weights that the scales of the file cannot hold.
    #[error(
        "{0}; choose coarser scales, as in --scales \"qa 127, qb 32, scale 800\", or export this one with --format raw"
    )]
    Weight(#[from] OutOfRange),
    /// The file has sums that no reader here follows.
    #[error(transparent)]
    Net(#[from] BulletError),
}

impl BulletNet {
    /// The net as one of bullet, at `scales`; without these at those of the file that it was
    /// imported from, or of bullet's examples.
    pub fn of_net(net: &Net, scales: Option<BulletScales>) -> Result<Self, BulletExportError> {
        let scales = scales.or_else(|| imported(net)).unwrap_or_default();
        let layout = layout(net, scales)?;
        let kept = net.scales().transformer.filter(|it| layout.net_scales(*it) == *net.scales());
        Ok(match kept {
            Some(transformer) => Self::copied(net, layout, transformer)?,
            None => Self::quantised(net, layout)?,
        })
    }

    /// The integers of the net.
    fn copied(
        net: &Net,
        layout: BulletLayout,
        transformer: TransformerScale,
    ) -> Result<Self, OutOfRange> {
        let weights = net.weights();
        let IntegerDense { weights: out_weights, bias } = &weights.dense[0];
        let unit = f64::from(1 << transformer.shift) / layout.excess() as f64;
        let bias = bias.iter().map(|&bias| Scaled { value: bias as f64, unit });
        Ok(Self {
            ft_weights: weights.ft_weights.to_vec(),
            ft_bias: weights.ft_bias.clone(),
            out_weights: i16s(net, OUT_WEIGHTS, Scaled::all(out_weights, 1.0))?,
            out_bias: i16s(net, OUT_BIAS, bias)?,
            layout,
        })
    }

    /// The floats of the net in integers at the scales of the file.
    fn quantised(net: &Net, layout: BulletLayout) -> Result<Self, OutOfRange> {
        let floats = net.to_floats();
        let [qa, qb, scale] =
            [layout.scales.qa, layout.scales.qb, layout.scales.scale].map(f64::from);
        let output = &floats.dense[0];
        Ok(Self {
            ft_weights: i16s(net, TensorName::FtWeights, Scaled::all(&floats.ft_weights, qa))?,
            ft_bias: i16s(net, TensorName::FtBias, Scaled::all(&floats.ft_bias, qa))?,
            out_weights: i16s(net, OUT_WEIGHTS, Scaled::all(&output.weights, qb / scale))?,
            out_bias: i16s(net, OUT_BIAS, Scaled::all(&output.bias, qa * qb / scale))?,
            layout,
        })
    }
}

/// The nearest 16-bit integers of a tensor of the net.
fn i16s(
    net: &Net,
    tensor: TensorName,
    numbers: impl Iterator<Item = Scaled>,
) -> Result<Vec<i16>, OutOfRange> {
    // The file has one digit, be the net's two.
    let transformer = net.scales().transformer.map(|it| TransformerScale { base: None, ..it });
    let scales = Scales { transformer, ..net.scales().clone() };
    integers(tensor, &tensor.axes(net.architecture(), &scales), numbers)
}

/// The scales of the file that a net was imported from.
fn imported(net: &Net) -> Option<BulletScales> {
    let layout = net.provenance()["imported"]["layout"].as_str()?;
    Some(layout.parse::<BulletLayout>().ok()?.scales)
}

/// The layout of a file with the net.
fn layout(net: &Net, scales: BulletScales) -> Result<BulletLayout, BulletExportError> {
    let layers = &net.architecture().layers;
    let found = || layers.to_string();
    let Some(Transformer { width, activation }) =
        layers.transformer().filter(|it| is_held(layers, it))
    else {
        return Err(BulletExportError::Layers { found: found() });
    };
    let features = net.features();
    let of_buckets = |buckets: usize| BulletLayout {
        features: features.clone(),
        hidden: width,
        activation,
        buckets,
        scales,
    };
    let is_own = |layout: &BulletLayout| layout.layers().is_ok_and(|own| own == *layers);
    (1..=MOST_BUCKETS).map(of_buckets).find(is_own).ok_or_else(|| {
        let count = layers.buckets().count().min(Buckets::MOST);
        let expected = of_buckets(count).bucket_option();
        BulletExportError::Buckets { found: found(), expected }
    })
}

/// Whether a file of bullet holds such layers, buckets apart.
fn is_held(layers: &Layers, transformer: &Transformer) -> bool {
    ACTIVATIONS.contains(&transformer.activation)
        && layers.hidden().is_empty()
        && !layers.has_psqt()
}
