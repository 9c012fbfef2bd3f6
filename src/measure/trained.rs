//! What the training of a net leaves to be told.

use serde::{Deserialize, Serialize};

use chess::{Board, Color, Role, Scene, Square};
use linear::Column;
use nnue::FloatWeights;
use nnue_tools::check::Health;
use report::EpochLoss;
use training::{EpochMetrics, Kept};

/// A trained net, but for its weights.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Trained {
    /// One per epoch.
    pub epochs: Vec<EpochMetrics>,
    /// Which of its nets it ended with.
    pub kept: Kept,
    /// Fingerprint of the net.
    pub net: String,
    /// What its neurons do on real positions.
    pub health: Health,
    /// What the first layer learnt about own pieces.
    pub first_layer: FirstLayer,
    /// What pieces of a linear net are worth as the kings move; empty for others.
    #[serde(default)]
    pub following: Vec<Column>,
}

impl Trained {
    /// Validation loss of the net, against scores.
    pub fn validation_loss(&self) -> Option<f64> {
        self.kept.score_loss()
    }
}

/// What a page shows of epochs.
pub fn losses(epochs: &[EpochMetrics]) -> Vec<EpochLoss> {
    let loss = |epoch: &EpochMetrics| EpochLoss {
        epoch: epoch.epoch,
        train: (!epoch.trains_another_loss()).then_some(epoch.train_loss),
        validation: epoch.score_loss(),
    };
    epochs.iter().map(loss).collect()
}

/// How large the first layer's answer to a lone piece is.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FirstLayer {
    /// `[role][square]`, own pieces: norm of the sum of the rows that such a
    /// piece alone makes active.
    pub norms: Vec<Vec<f32>>,
}

impl FirstLayer {
    /// Of a net.
    pub fn of(weights: &FloatWeights, features: &features::FeatureSet) -> Self {
        let norm = |role: Role, square: Square| -> f32 {
            let mut board = Board::empty();
            board.set_piece_at(square, role.of(Color::White));
            let mut active: Vec<features::Weighted> = Vec::new();
            features.active(&Scene::of_board(board), Color::White, &mut active);
            let layers = &weights.architecture.layers;
            let is_linear = layers.is_linear();
            let columns = if is_linear { layers.psqt_columns() } else { layers.width() };
            let mut sums = vec![0.0f32; columns];
            for features::Weighted { feature, value } in active {
                let row = if is_linear { weights.head_of(feature) } else { weights.row(feature) };
                sums.iter_mut().zip(row).for_each(|(sum, weight)| *sum += value * weight);
            }
            sums.iter().map(|x| x * x).sum::<f32>().sqrt()
        };
        let of_role = |role| Square::ALL.into_iter().map(|square| norm(role, square)).collect();
        Self { norms: Role::ALL.into_iter().map(of_role).collect() }
    }

    /// As the report draws it.
    pub(crate) fn picture(&self) -> Option<report::FirstLayerPicture> {
        let roles: Vec<[f32; 64]> =
            self.norms.iter().filter_map(|squares| squares.as_slice().try_into().ok()).collect();
        Some(report::FirstLayerPicture { norms: roles.try_into().ok()? })
    }
}
