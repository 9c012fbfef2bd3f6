//! The quantised net and what it says of a position.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::simd;
use super::weights::Architecture;
use crate::chess::{Color, Scene};
use crate::features::{Feature, FeatureSet};

/// Integers per unit of the float net.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Scales {
    /// Feature transformer weights and activations.
    pub qa: i32,
    /// Second-layer weights.
    pub qb: i32,
    /// Output weights.
    pub qc: i32,
}

/// A quantised net with the feature set it was made for.
#[derive(Clone, Debug)]
pub struct Net {
    pub(super) features: Arc<FeatureSet>,
    pub(super) architecture: Architecture,
    pub(super) scales: Scales,
    /// `[features][l1]`, scale qa.
    pub(super) ft_weights: Vec<i16>,
    /// `[l1]`, scale qa.
    pub(super) ft_bias: Vec<i16>,
    /// `[l2][2 * l1]`, scale qb.
    pub(super) l2_weights: Vec<i16>,
    /// `[l2]`, scale qa·qb.
    pub(super) l2_bias: Vec<i32>,
    /// `[l2]`, scale qc, centipawns.
    pub(super) out_weights: Vec<i32>,
    /// Scale qa·qb·qc, centipawns.
    pub(super) out_bias: i64,
    /// Where the net comes from: data hashes, seed, configuration, program.
    pub(super) provenance: serde_json::Value,
}

impl Net {
    /// The feature set it reads positions with.
    pub fn features(&self) -> &Arc<FeatureSet> {
        &self.features
    }

    /// Layer sizes.
    pub fn architecture(&self) -> Architecture {
        self.architecture
    }

    /// Integers per unit.
    pub fn scales(&self) -> Scales {
        self.scales
    }

    /// Where the net comes from.
    pub fn provenance(&self) -> &serde_json::Value {
        &self.provenance
    }

    /// First-layer row of a feature; `[l1]`.
    #[inline]
    pub(super) fn row(&self, feature: Feature) -> &[i16] {
        let l1 = self.architecture.l1;
        &self.ft_weights[feature.0 as usize * l1..][..l1]
    }

    /// Accumulator of one perspective from scratch; `[l1]`.
    pub(super) fn refresh(
        &self,
        scene: &Scene,
        perspective: Color,
        active: &mut Vec<Feature>,
        out: &mut [i16],
    ) {
        active.clear();
        self.features.active(scene, perspective, active);
        let rows: Vec<&[i16]> = active.iter().map(|&feature| self.row(feature)).collect();
        simd::update_rows(out, &self.ft_bias, &rows, &[]);
    }

    /// Centipawns for the side to move, given both accumulators.
    pub(super) fn propagate(&self, stm: &[i16], nstm: &[i16], clipped: &mut [i16]) -> i32 {
        let l1 = self.architecture.l1;
        let top = self.scales.qa as i16;
        simd::clip(&mut clipped[..l1], stm, top);
        simd::clip(&mut clipped[l1..], nstm, top);
        let unit = self.scales.qa * self.scales.qb;
        let mut sum = self.out_bias;
        let layer = self.l2_weights.chunks_exact(2 * l1).zip(&self.l2_bias).zip(&self.out_weights);
        for ((row, bias), weight) in layer {
            let hidden = (simd::dot(row, clipped) + bias).clamp(0, unit);
            sum += i64::from(hidden) * i64::from(*weight);
        }
        let whole = i64::from(unit) * i64::from(self.scales.qc);
        (sum + whole / 2).div_euclid(whole) as i32
    }

    /// Centipawns for the side to move, from scratch.
    pub fn evaluate(&self, scene: &Scene, turn: Color) -> i32 {
        let l1 = self.architecture.l1;
        let mut active = Vec::new();
        let (mut stm, mut nstm) = (vec![0; l1], vec![0; l1]);
        self.refresh(scene, turn, &mut active, &mut stm);
        self.refresh(scene, !turn, &mut active, &mut nstm);
        self.propagate(&stm, &nstm, &mut vec![0; 2 * l1])
    }
}
