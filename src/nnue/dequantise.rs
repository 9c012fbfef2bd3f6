//! Floats of a quantised net.
//!
//! Nets of different scales can only be compared in floats, where activations have one unit; and
//! training continues from the floats of a net file.

use super::net::{IntegerDense, Net};
use super::scales::DenseUnits;
use super::weights::{DenseWeights, FloatWeights};

impl Net {
    /// The weights in units of activation and centipawns, with the rounding errors of the
    /// quantisation.
    pub fn to_floats(&self) -> FloatWeights {
        let layers = &self.architecture.layers;
        let one = self.scales.transformer.map_or(1.0, |transformer| f64::from(transformer.one));
        let rows = |values: &[i16]| match self.scales.digits() {
            None => divided(values, one),
            Some(base) => divided(&base.join_rows(values, layers.width()), one),
        };
        let mix = self.scales.mix;
        let parts = self.valued.as_ref().map_or(1, |valued| valued.parts());
        let centipawns = |weight: i64| weight as f64 / mix.whole as f64;
        let units = self.scales.dense(layers);
        let mut dense: Vec<DenseWeights> = self
            .weights
            .dense
            .iter()
            .zip(&units)
            .zip(layers.dense())
            .map(|((dense, units), shape)| floats(dense, *units, shape.inputs))
            .collect();
        if let (Some(output), Some(units)) = (dense.last_mut(), units.last()) {
            // Centipawns of a sum of the output layer, in imported nets.
            let factor = units.sums() * centipawns(mix.output);
            let values = output.weights.iter_mut().chain(&mut output.bias);
            values.for_each(|value| *value = (f64::from(*value) * factor) as f32);
        }
        let skip = self.scales.skip.zip(layers.addition()).map_or(0.0, |(skip, (place, _))| {
            units[place].sums() * skip.times as f64 / skip.over as f64 * centipawns(mix.output)
        });
        FloatWeights {
            architecture: self.architecture.clone(),
            ft_weights: rows(&self.weights.ft_weights),
            ft_bias: rows(&self.weights.ft_bias),
            psqt: divided(&self.weights.psqt, mix.whole as f64 / (mix.psqt.max(1) * parts) as f64),
            dense,
            skip: skip as f32,
        }
    }
}

/// A dense layer in units of its inputs. The first half of a dual layer's outputs are squares,
/// which may have a unit of their own.
fn floats(dense: &IntegerDense, units: DenseUnits, inputs: usize) -> DenseWeights {
    let clipped = 1.0 / units.weights;
    let squares = clipped * units.squares / units.inputs;
    let of = |(at, &weight): (usize, &i32)| {
        let unit = if at % inputs < inputs / 2 { squares } else { clipped };
        (f64::from(weight) * unit) as f32
    };
    DenseWeights {
        weights: dense.weights.iter().enumerate().map(of).collect(),
        bias: dense.bias.iter().map(|&bias| (bias as f64 / units.sums()) as f32).collect(),
    }
}

fn divided<T: Copy + Into<f64>>(values: &[T], scale: f64) -> Vec<f32> {
    values.iter().map(|&value| (value.into() / scale) as f32).collect()
}

#[cfg(test)]
mod tests {
    use crate::quantise;
    use crate::testing::{all_kinds, random_weights};
    use features::FeatureSet;

    #[test]
    fn dequantised_weights_differ_by_rounding_alone() {
        let features = FeatureSet::parse("H").unwrap();
        for kind in all_kinds() {
            let weights = random_weights(&features, &kind, 1);
            let net = quantise(&weights, &features, serde_json::Value::Null).unwrap();
            let (scales, layers) = (net.scales(), &net.architecture().layers);
            // Half an integer, in units of each tensor; biases are finer.
            let one = scales.transformer.map_or(1.0, |transformer| f64::from(transformer.one));
            let head = scales.mix.whole as f64 / scales.mix.psqt.max(1) as f64;
            let mut steps = vec![one, one, head];
            steps.extend(scales.dense(layers).iter().flat_map(|units| [units.weights; 2]));
            let back = net.to_floats();
            assert_eq!(back.architecture, weights.architecture);
            assert!((back.skip - weights.skip).abs() < 0.01, "{kind}: {}", back.skip);
            for ((step, (name, ours)), (_, theirs)) in
                steps.into_iter().zip(back.tensors()).zip(weights.tensors())
            {
                let step = 0.51 / step as f32;
                assert_eq!(ours.len(), theirs.len(), "{name}, {kind}");
                let far = ours.iter().zip(theirs).find(|(a, b)| (*a - *b).abs() > step);
                assert_eq!(far, None, "{name}, {kind}");
            }
        }
    }
}
