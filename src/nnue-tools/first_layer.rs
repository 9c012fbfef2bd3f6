//! Size of the first layer's response to single pieces.

use serde::{Deserialize, Serialize};

use chess::{Board, Color, Role, Scene, Square};
use features::{FeatureSet, Weighted};
use nnue::FloatWeights;

/// Norms of the first layer's response to a lone own piece.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FirstLayer {
    /// `[role][square]`: norm of the sum of the rows that such a piece alone activates.
    pub norms: Vec<Vec<f32>>,
}

impl FirstLayer {
    /// Norms of a net; of a linear net those of its head.
    pub fn of(weights: &FloatWeights, features: &FeatureSet) -> Self {
        let norm = |role: Role, square: Square| -> f32 {
            let mut board = Board::empty();
            board.set_piece_at(square, role.of(Color::White));
            let mut active: Vec<Weighted> = Vec::new();
            features.active(&Scene::of_board(board), Color::White, &mut active);
            let layers = &weights.architecture.layers;
            let is_linear = layers.is_linear();
            let columns = if is_linear { layers.psqt_columns() } else { layers.width() };
            let mut sums = vec![0.0f32; columns];
            for Weighted { feature, value } in active {
                let row = if is_linear { weights.head_of(feature) } else { weights.row(feature) };
                sums.iter_mut().zip(row).for_each(|(sum, weight)| *sum += value * weight);
            }
            sums.iter().map(|x| x * x).sum::<f32>().sqrt()
        };
        let of_role = |role| Square::ALL.into_iter().map(|square| norm(role, square)).collect();
        Self { norms: Role::ALL.into_iter().map(of_role).collect() }
    }
}
