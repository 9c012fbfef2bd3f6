//! Predictions of an evaluation for positions, and their loss.

use chess::{Color, Scene};
use data::SamplesByGame;
use measure::LossTarget;
use nnue::Net;
use rayon::prelude::*;

/// Outputs and targets for the positions of some games.
#[derive(Clone, Debug)]
pub struct Predictions<'a> {
    games: &'a SamplesByGame,
    loss_target: &'a LossTarget,
    targets: Vec<f32>,
    /// For the side to move, in units of the logistic.
    outputs: Vec<f32>,
}

impl<'a> Predictions<'a> {
    /// Predictions of a net.
    pub fn of(net: &Net, games: &'a SamplesByGame, loss_target: &'a LossTarget) -> Self {
        let value = |sample: &data::Sample| {
            let (scene, turn) = (Scene::from(&sample.position), sample.position.turn());
            f64::from(net.evaluate(&scene, turn))
        };
        Self::of_values(games, loss_target, value)
    }

    /// Predictions of a function in centipawns, for the side to move.
    pub(crate) fn of_values(
        games: &'a SamplesByGame,
        loss_target: &'a LossTarget,
        value: impl Fn(&data::Sample) -> f64 + Sync,
    ) -> Self {
        let samples = games.samples().par_iter();
        let outputs = samples.clone().map(|s| loss_target.logits(value(s)) as f32).collect();
        let targets = samples.map(|sample| loss_target.target(sample) as f32).collect();
        Self { games, loss_target, targets, outputs }
    }

    pub(crate) fn outputs(&self) -> &[f32] {
        &self.outputs
    }

    pub(crate) fn games(&self) -> &'a SamplesByGame {
        self.games
    }

    /// With outputs raised by `by`.
    pub(crate) fn moved_by(&self, by: impl Fn(usize) -> f32 + Sync) -> Self {
        let outputs = self.outputs.par_iter().enumerate();
        Self { outputs: outputs.map(|(row, output)| output + by(row)).collect(), ..self.clone() }
    }

    /// Loss of a position with its output raised by `by`.
    pub(crate) fn loss_moved_by(&self, row: usize, by: f32) -> f64 {
        let output = f64::from(self.outputs[row] + by);
        self.loss_target.loss(output, f64::from(self.targets[row]))
    }

    /// Mean loss.
    pub fn loss(&self) -> f64 {
        let losses: Vec<f64> = (0..self.outputs.len())
            .into_par_iter()
            .map(|row| self.loss_moved_by(row, 0.0))
            .collect();
        losses.iter().sum::<f64>() / losses.len().max(1) as f64
    }

    /// Derivatives of the loss of each position.
    pub(crate) fn derivatives(&self) -> Derivatives {
        let rows = 0..self.outputs.len();
        let derivative = |row: usize| {
            let (output, target) = (f64::from(self.outputs[row]), f64::from(self.targets[row]));
            let (slope, curvature) = self.loss_target.bend(output, target);
            (slope as f32, curvature as f32)
        };
        let (slopes, curvatures) = rows.into_par_iter().map(derivative).unzip();
        Derivatives { slopes, curvatures }
    }

    /// Variance of the slopes of whole games per unit of curvature: the noise of a fitted weight.
    /// Positions of a game are correlated, so games are the unit.
    pub(crate) fn noise(&self, derivatives: &Derivatives) -> f64 {
        let samples = self.games.samples();
        let of_game = |game: usize| {
            let seen_by_white = |row: usize| {
                let slope = f64::from(derivatives.slopes[row]);
                if samples[row].position.turn() == Color::White { slope } else { -slope }
            };
            self.games.range(game).map(seen_by_white).sum::<f64>().powi(2)
        };
        let games: f64 = (0..self.games.games()).map(of_game).sum();
        let curvature: f64 =
            derivatives.curvatures.iter().map(|&curvature| f64::from(curvature)).sum();
        games / curvature.max(f64::MIN_POSITIVE)
    }
}

/// First and second derivatives of the loss of each position.
#[derive(Clone, Debug)]
pub(crate) struct Derivatives {
    pub(crate) slopes: Vec<f32>,
    pub(crate) curvatures: Vec<f32>,
}
