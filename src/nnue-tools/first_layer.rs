//! Response of the first layer to single pieces.

use serde::{Deserialize, Serialize};

use chess::{Board, Color, PieceKind, Role, Scene, Side, Square};
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
            let kind = PieceKind { role, side: Side::Own };
            response(weights, features, kind, square).iter().map(|x| x * x).sum::<f32>().sqrt()
        };
        let of_role = |role| Square::ALL.into_iter().map(|square| norm(role, square)).collect();
        Self { norms: Role::ALL.into_iter().map(of_role).collect() }
    }
}

/// Sums of a neuron of the first layer for lone pieces, by [`PieceKind::index`] and square; `None`
/// of a number beyond its neurons. Those of a linear net are the columns of its head.
pub fn neuron(
    weights: &FloatWeights,
    features: &FeatureSet,
    number: usize,
) -> Option<[[f64; 64]; PieceKind::COUNT]> {
    let mut all = [[0.0; 64]; PieceKind::COUNT];
    for (board, kind) in all.iter_mut().zip(PieceKind::all()) {
        for (sum, square) in board.iter_mut().zip(Square::ALL) {
            *sum = f64::from(*response(weights, features, kind, square).get(number)?);
        }
    }
    Some(all)
}

/// Sum of the rows that a lone piece activates for its own or the other side.
fn response(
    weights: &FloatWeights,
    features: &FeatureSet,
    kind: PieceKind,
    square: Square,
) -> Vec<f32> {
    let mut board = Board::empty();
    let colour = if kind.side == Side::Own { Color::White } else { Color::Black };
    board.set_piece_at(square, kind.role.of(colour));
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
    sums
}

#[cfg(test)]
mod tests {
    use super::*;
    use nnue::testing::random_weights;

    /// Squares of the neurons sum up to the square of the norm, with and without transformer.
    #[test]
    fn neurons_make_up_the_norm() {
        let features = FeatureSet::parse("mirror(ALL) + H").unwrap();
        for layers in ["8 -> 1", "1"] {
            let layers: nnue::Layers = layers.parse().unwrap();
            let weights = random_weights(&features, layers, 1);
            let neurons: Vec<_> = (0..).map_while(|n| neuron(&weights, &features, n)).collect();
            let norms = FirstLayer::of(&weights, &features).norms;
            let rook = PieceKind { role: Role::Rook, side: Side::Own }.index();
            for square in Square::ALL {
                let squares = neurons.iter().map(|sums| sums[rook][square as usize].powi(2));
                let (norm, all) = (f64::from(norms[3][square as usize]), squares.sum::<f64>());
                assert!((all.sqrt() - norm).abs() < 1e-4, "{square}: {all} {norm}");
            }
        }
    }
}
