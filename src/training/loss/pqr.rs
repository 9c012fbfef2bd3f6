//! Ranking: the move that was played should be better than another.
//!
//! P is a position of the data, Q the position after the move played in it, R
//! the one after another legal move. With f the net's output in centipawns for
//! the side to move (in Q and R the opponent of P's) and
//! x̄ = 2σ(f(X) / scale) − 1, from −1 lost to 1 won, the loss is the mean of
//!
//! ```text
//!   −log σ(r̄ − q̄)                          Q is worse for the opponent than R
//! + κ (−log σ(p̄ + q̄) − log σ(−p̄ − q̄))     P is worth what Q is worth: p̄ = −q̄
//! ```
//!
//! (Lombardo, *Feature set analysis for chess NNUE networks*, UBA 2024, §5.3;
//! the idea is that of Deep Pink, Bernhardsson 2014.) The first term cannot
//! fall below log(1 + e⁻²) and always pushes Q and R apart, the other two
//! behave as κ (2 log 2 + (p̄ + q̄)² / 4). No scores are used, so nothing holds
//! the outputs to the scale of centipawns.

use burn::tensor::{Tensor, activation};
use serde::{Deserialize, Serialize};

use network::OUTPUT_SCALE;

/// The loss of ranking, and the keys of `method = { kind = "pqr", … }`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Pqr {
    /// Weight of p̄ = −q̄ against the ranking. Default 1.
    pub kappa: f64,
    /// Centipawns per unit of the logistic that squashes the outputs. Default 361.
    pub scale_cp: f64,
}

impl Default for Pqr {
    fn default() -> Self {
        Self { kappa: 1.0, scale_cp: 361.0 }
    }
}

impl Pqr {
    /// From raw outputs, `[3 × samples, 1]`: P, Q and R of each sample one
    /// below the other.
    pub fn of(&self, output: Tensor<2>) -> Tensor<1> {
        // 2σ(x) − 1 = tanh(x / 2), which is exact near 0.
        let squashed = output.mul_scalar(OUTPUT_SCALE / self.scale_cp / 2.0).tanh();
        let [p, q, r] = columns(squashed);
        let ranking = minus_log_sigmoid(r - q.clone());
        let sum = p + q;
        let equality = minus_log_sigmoid(sum.clone()) + minus_log_sigmoid(sum.neg());
        (ranking + equality.mul_scalar(self.kappa)).mean()
    }

    /// The loss of a net with a constant output of 0.
    pub(crate) fn baseline(&self) -> f64 {
        (1.0 + 2.0 * self.kappa) * std::f64::consts::LN_2
    }
}

/// Columns of P, Q and R, each `[samples, 1]`.
fn columns(values: Tensor<2>) -> [Tensor<2>; 3] {
    let [rows, _] = values.dims();
    let triples = values.reshape([rows / 3, 3]);
    [0, 1, 2].map(|column| triples.clone().narrow(1, column, 1))
}

/// −log σ(x), without overflow for any x.
fn minus_log_sigmoid(x: Tensor<2>) -> Tensor<2> {
    activation::log_sigmoid(x).neg()
}

#[cfg(test)]
mod tests {
    use super::*;
    use burn::tensor::{Device, TensorData};
    use proptest::prelude::*;

    /// The definition, in f64, from centipawns.
    fn by_definition(pqr: Pqr, triples: &[[f64; 3]]) -> f64 {
        let sigmoid = |x: f64| 1.0 / (1.0 + (-x).exp());
        let squash = |cp: f64| 2.0 * sigmoid(cp / pqr.scale_cp) - 1.0;
        let losses = triples.iter().map(|triple| {
            let [p, q, r] = triple.map(squash);
            let equality = -sigmoid(p + q).ln() - sigmoid(-p - q).ln();
            -sigmoid(r - q).ln() + pqr.kappa * equality
        });
        losses.sum::<f64>() / triples.len() as f64
    }

    fn raw(triples: &[[f64; 3]], device: &Device) -> Tensor<2> {
        let raw: Vec<f32> = triples.iter().flatten().map(|cp| (cp / OUTPUT_SCALE) as f32).collect();
        let rows = raw.len();
        Tensor::from_data(TensorData::new(raw, [rows, 1]), device)
    }

    fn loss(pqr: Pqr, triples: &[[f64; 3]]) -> f64 {
        let value: f32 = pqr.of(raw(triples, &Device::flex())).into_scalar();
        f64::from(value)
    }

    #[test]
    fn values_worked_out_by_hand() {
        let pqr = Pqr::default();
        // All equal: 3 log 2.
        assert!((loss(pqr, &[[0.0; 3]]) - 3.0 * 2f64.ln()).abs() < 1e-6);
        assert_eq!(pqr.baseline(), 3.0 * 2f64.ln());
        // p̄ = ½, q̄ = −½, r̄ = ½, as 361 log 3 cp is where σ is ¾: the ranking
        // costs log(1 + 1/e), and p̄ + q̄ = 0 the 2 log 2 that it must.
        let half = 361.0 * 3f64.ln();
        let expected = (1.0 + (-1f64).exp()).ln() + 2.0 * 2f64.ln();
        assert!((loss(pqr, &[[half, -half, half]]) - expected).abs() < 1e-6);
        // The least that the ranking can cost, κ = 0: log(1 + e⁻²) = 0.127.
        let least = loss(Pqr { kappa: 0.0, ..pqr }, &[[0.0, -1e5, 1e5]]);
        assert!((least - 0.126_928).abs() < 1e-6, "{least}");
    }

    /// A sign wrong anywhere makes one of these false.
    #[test]
    fn what_is_right_costs_less() {
        let pqr = Pqr::default();
        let right = loss(pqr, &[[100.0, -100.0, 50.0]]);
        assert!(right < loss(pqr, &[[100.0, -100.0, -150.0]]), "R better than Q for the mover");
        assert!(right < loss(pqr, &[[-100.0, -100.0, 50.0]]), "P and Q do not agree");
        assert!(right < loss(pqr, &[[300.0, -100.0, 50.0]]), "P and Q do not quite agree");
    }

    #[test]
    fn the_largest_outputs_have_a_finite_loss_and_gradient() {
        let device = Device::flex().autodiff();
        for triple in [[1e9, 1e9, -1e9], [-1e9, 1e9, 1e9], [3e38, -3e38, 3e38]] {
            let output = raw(&[triple], &device).require_grad();
            let value = Pqr::default().of(output.clone());
            let gradient = output.grad(&value.backward()).unwrap();
            let gradient: Vec<f32> = gradient.into_data().try_to_vec().unwrap();
            let value: f32 = value.into_scalar();
            assert!(value.is_finite() && gradient.iter().all(|g| g.is_finite()), "{triple:?}");
        }
    }

    proptest! {
        #[test]
        fn it_is_the_definition(
            triples in prop::collection::vec(prop::array::uniform3(-3_000.0..3_000.0), 1..20),
            kappa in 0.0..4.0, scale_cp in 100.0..600.0,
        ) {
            let pqr = Pqr { kappa, scale_cp };
            let (ours, theirs) = (loss(pqr, &triples), by_definition(pqr, &triples));
            prop_assert!((ours - theirs).abs() < 1e-5 * (1.0 + theirs), "{ours} {theirs}");
        }
    }
}
