//! A net of bullet as a net of ours: the same weights, and scales with the same arithmetic.
//!
//! Squares of sums up to QA exceed the 16 bits of a layer's inputs, so they lose bits here, one of
//! them with the usual 255. That is far below a centipawn. Clipped sums lose none unless the sum of
//! the output could leave 32 bits.

use serde_json::Value;

use super::{BulletError, BulletLayout, BulletNet, BulletScales};
use nnue::{
    Buckets, IntegerDense, IntegerWeights, Layers, Mix, Net, Rounding, Scales, TransformerScale,
};

/// Most bits that an activation may lose.
const MOST_SHIFT: u32 = 15;

impl BulletNet {
    /// The net of ours with the weights of the file.
    pub(crate) fn to_net(&self, provenance: Value) -> Result<Net, BulletError> {
        let layers = self.layout.layers()?;
        // Buckets without a number of pieces are left out.
        let buckets = layers.buckets().count();
        let inputs = 2 * self.layout.hidden;
        let weights: Vec<i32> =
            self.out_weights[..buckets * inputs].iter().map(|&weight| weight.into()).collect();
        let bias = &self.out_bias[..buckets];
        let (scale, bias) = self.scale(&weights, bias)?;
        let features = self.layout.features.clone();
        let scales = self.layout.net_scales(scale);
        let weights = IntegerWeights {
            ft_weights: self.ft_weights.clone().into(),
            ft_bias: self.ft_bias.clone(),
            psqt: Vec::new(),
            dense: vec![IntegerDense { weights, bias }],
        };
        Ok(Net::from_integers(features, layers, scales, weights, provenance))
    }

    /// The finest activations with which no sum leaves its integers, and the biases that
    /// go with them.
    fn scale(
        &self,
        weights: &[i32],
        bias: &[i16],
    ) -> Result<(TransformerScale, Vec<i64>), BulletError> {
        let of_shift = |shift: u32| {
            let one = self.layout.scales.qa;
            let scale = TransformerScale { one, top: one, shift, base: None };
            let most = scale.most(self.layout.activation, Rounding::Nearest);
            let bias: Vec<i64> = bias.iter().map(|&bias| self.layout.bias(bias, shift)).collect();
            let full = |(row, bias): (&[i32], &i64)| {
                let weights: i64 = row.iter().map(|&weight| i64::from(weight).abs()).sum();
                weights * i64::from(most) + bias.abs()
            };
            let rows = weights.chunks_exact(2 * self.layout.hidden);
            let fits = rows.zip(&bias).map(full).all(|full| full <= i32::MAX.into());
            (fits && most <= i16::MAX.into()).then_some((scale, bias))
        };
        (0..MOST_SHIFT).find_map(of_shift).ok_or(BulletError::Output)
    }
}

impl BulletLayout {
    /// `256 screlu -> 1, buckets material(BANDS(32) / [0, 0, 0, 0, 0, 1, …])`
    pub(super) fn layers(&self) -> Result<Layers, BulletError> {
        let Self { hidden, activation, .. } = self;
        let line = format!("{hidden} {} -> 1, buckets {}", activation.word(), self.bucket_option());
        line.parse().map_err(|source| BulletError::Layers { source })
    }

    /// Buckets as the option of a line: bullet counts pieces in other steps than ours, so the
    /// bucket of each number is listed.
    pub(super) fn bucket_option(&self) -> String {
        match self.buckets {
            1 => Buckets::ONE.to_string(),
            _ => {
                let of_number: Vec<usize> = (1..=32).map(|n| self.bucket(n)).collect();
                format!("material(BANDS(32) / {of_number:?})")
            }
        }
    }

    /// The scales of ours with activations that lose the bits of `transformer`.
    pub(super) fn net_scales(&self, transformer: TransformerScale) -> Scales {
        let BulletScales { qa, qb, scale } = self.scales;
        let unit = i64::from(qa) * self.excess();
        let output = i64::from(scale) << transformer.shift;
        Scales {
            transformer: Some(transformer),
            hidden: Vec::new(),
            output: qb,
            skip: None,
            psqt: None,
            mix: Mix { output, psqt: 0, whole: unit * i64::from(qb) },
            rounding: Rounding::Nearest,
        }
    }

    /// A bias of the file, qa · qb per unit, for activations shifted by `shift` bits.
    fn bias(&self, bias: i16, shift: u32) -> i64 {
        let whole = i64::from(bias) * self.excess();
        (whole + i64::from(Rounding::Nearest.half(shift))) >> shift
    }
}
