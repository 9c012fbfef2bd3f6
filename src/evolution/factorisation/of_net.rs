//! The piece-square tables of a net, or of its head.

use chess::{Board, Color, Orientation, Position, Role, Scene, Square};
use engine::{ByRoleAndSquare, PieceTables};
use features::{FeatureSet, PartialSums, Weighted};
use nnue::{FloatWeights, Net};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// A net without tables to take.
#[derive(Debug, thiserror::Error)]
pub enum NoTables {
    #[error(
        "its layers are `{0}`: piece-square tables are those of a linear model (`1`) or of a head (`…, psqt`)"
    )]
    Layers(String),
    #[error("it has tables for {0} buckets, counted from 0: select one with --bucket")]
    Buckets(usize),
    #[error("no bucket {bucket}: the net has {buckets}, counted from 0")]
    NoBucket { bucket: usize, buckets: usize },
    #[error(
        "the features of `{0}` depend on more than piece, square and phase: they do not fit into twelve tables"
    )]
    Features(String),
}

/// The tables of a linear model or a head, in whole centipawns.
///
/// # Errors
/// A net without tables.
pub fn tables_of(net: &Net, bucket: Option<usize>) -> Result<PieceTables, NoTables> {
    let weights = net.to_floats();
    let layers = &weights.architecture.layers;
    let buckets = layers.psqt_columns();
    let bucket = match (buckets, bucket) {
        (0, _) => return Err(NoTables::Layers(layers.to_string())),
        (1, None) => 0,
        (_, None) => return Err(NoTables::Buckets(buckets)),
        (_, Some(bucket)) if bucket < buckets => bucket,
        (_, Some(bucket)) => return Err(NoTables::NoBucket { bucket, buckets }),
    };
    let features = net.features();
    let refused = || NoTables::Features(features.expression().to_owned());
    let head = FittedHead::of(&weights, features, bucket).ok_or_else(refused)?;
    let tables = head.tables();
    if head.is_all(&tables) { Ok(tables) } else { Err(refused()) }
}

/// Weights of features in a linear model or head.
struct FittedHead<'a> {
    weights: &'a FloatWeights,
    features: &'a FeatureSet,
    bucket: usize,
    /// For each feature whether it is of the endgame alone.
    tapers: Vec<bool>,
}

impl<'a> FittedHead<'a> {
    /// `None` if features are multiplied with numbers other than the phase.
    fn of(weights: &'a FloatWeights, features: &'a FeatureSet, bucket: usize) -> Option<Self> {
        let sums = PartialSums::of(features)?;
        let of_multiplier = |text: String| match text.as_str() {
            "ONE" => Some(false),
            "PHASE" => Some(true),
            _ => None,
        };
        let multipliers = sums.multipliers().iter().map(|m| of_multiplier(m.text()));
        let multipliers = multipliers.collect::<Option<Vec<bool>>>()?;
        let mut tapers = vec![false; features.size()];
        for place in sums.places() {
            tapers[place.feature.0 as usize] = multipliers[place.multiplier];
        }
        Some(Self { weights, features, bucket, tapers })
    }

    /// Sums of a side on a board, in the middlegame and in the endgame.
    fn sums(&self, scene: &Scene, side: Color) -> [f64; 2] {
        let mut active: Vec<Weighted> = Vec::new();
        self.features.active(scene, side, &mut active);
        active.iter().fold([0.0; 2], |[middlegame, endgame], Weighted { feature, .. }| {
            let weight = f64::from(self.weights.head_of(*feature)[self.bucket]);
            let in_middlegame = if self.tapers[feature.0 as usize] { 0.0 } else { weight };
            [middlegame + in_middlegame, endgame + weight]
        })
    }

    /// For White.
    fn evaluate(&self, board: &Board) -> [f64; 2] {
        let scene = Scene::of_board(board.clone());
        let [white, black] = [Color::White, Color::Black].map(|side| self.sums(&scene, side));
        [white[0] - black[0], white[1] - black[1]]
    }

    fn tables(&self) -> PieceTables {
        let mut both: [ByRoleAndSquare; 2] = [[[0; 64]; 6]; 2];
        for role in Role::ALL {
            for square in Square::ALL {
                let mut board = Board::empty();
                board.set_piece_at(square, role.of(Color::White));
                for (tables, value) in both.iter_mut().zip(self.evaluate(&board)) {
                    tables[role as usize - 1][square.to_usize()] = value.round() as i32;
                }
            }
        }
        let [middlegame, endgame] = both;
        PieceTables::new(middlegame, endgame)
    }

    /// Whether tables equal the head, up to rounding.
    fn is_all(&self, tables: &PieceTables) -> bool {
        boards().all(|board| {
            let sum = |tables: &ByRoleAndSquare| -> f64 {
                let pieces = board.iter().map(|(square, piece)| {
                    let role = piece.role as usize - 1;
                    let seen = Orientation::of(piece.color).square(square).to_usize();
                    piece.color.fold_wb(1, -1) * tables[role][seen]
                });
                f64::from(pieces.sum::<i32>())
            };
            let expected = [sum(tables.middlegame()), sum(tables.endgame())];
            let room = 0.51 * board.occupied().count() as f64;
            expected
                .iter()
                .zip(self.evaluate(&board))
                .all(|(expected, head)| (expected - head).abs() <= room)
        })
    }
}

/// Boards of random games.
fn boards() -> impl Iterator<Item = Board> {
    let mut chance = ChaCha8Rng::seed_from_u64(1);
    let mut position = Position::default();
    (0..2_000).map(move |ply| {
        let moves = position.legal_moves();
        if moves.is_empty() || ply % 100 == 0 {
            position = Position::default();
        } else {
            position.play(moves[chance.random_range(0..moves.len())]);
        }
        position.board().clone()
    })
}
