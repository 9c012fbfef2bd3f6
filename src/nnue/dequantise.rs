//! From integers back to floats: what the numbers of a net mean.
//!
//! Nets of different scales can only be compared in floats, and activations then
//! mean the same for all of them.

use super::net::{Net, Scales};
use super::weights::FloatWeights;

impl Net {
    /// The weights in units of activation and centipawns. Rounding, which is
    /// what quantising took, is not undone.
    pub(crate) fn to_floats(&self) -> FloatWeights {
        let layers = self.architecture.layers;
        let Scales { qa, qb, qc, .. } = self.scales;
        let unit = f64::from(self.scales.activation_unit(layers.activation())) * f64::from(qb);
        let rows = |values: &[i16]| match self.scales.digits(layers) {
            None => divided(values, qa),
            Some(base) => divided(&base.join_rows(values, layers.width()), qa),
        };
        FloatWeights {
            architecture: self.architecture,
            ft_weights: rows(&self.ft_weights),
            ft_bias: rows(&self.ft_bias),
            dense_weights: divided(&self.dense_weights, qb),
            dense_bias: self.dense_bias.iter().map(|&b| (f64::from(b) / unit) as f32).collect(),
            out_weights: divided(&self.out_weights, qc),
            out_bias: self
                .out_bias
                .iter()
                .map(|&b| (b as f64 / (unit * f64::from(qc))) as f32)
                .collect(),
        }
    }
}

fn divided<T: Copy + Into<f64>>(values: &[T], scale: i32) -> Vec<f32> {
    values.iter().map(|&value| (value.into() / f64::from(scale)) as f32).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::quantise;
    use crate::testing::{all_kinds, random_weights};
    use features::FeatureSet;

    #[test]
    fn what_was_quantised_comes_back_but_for_rounding() {
        let features = FeatureSet::parse("H").unwrap();
        for kind in all_kinds() {
            let weights = random_weights(&features, kind, 1);
            let net = quantise(&weights, &features, serde_json::Value::Null).unwrap();
            let Scales { qa, qb, qc, .. } = net.scales();
            // Half an integer, in units of each tensor; biases have finer ones.
            let steps = [qa, qa, qb, qb, qc, qc].map(|scale| 0.51 / scale as f32);
            let back = net.to_floats();
            assert_eq!(back.architecture, weights.architecture);
            for ((step, (name, ours)), (_, theirs)) in
                steps.into_iter().zip(back.tensors()).zip(weights.tensors())
            {
                assert_eq!(ours.len(), theirs.len(), "{name}, {kind}");
                let far = ours.iter().zip(theirs).find(|(a, b)| (*a - *b).abs() > step);
                assert_eq!(far, None, "{name}, {kind}");
            }
        }
    }
}
