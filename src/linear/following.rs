//! How the worth of a piece follows the kings, in a linear net.

use chess::{Board, Color, Role, Scene, Square};
use features::{Feature, PartialSums};
use nnue::{FloatWeights, Net};

/// Where kings stand, and how far the game has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Kings {
    /// Of the piece's side, White.
    pub own: Square,
    /// Of the other side.
    pub enemy: Square,
    /// Whether only kings and pawns are left, instead of all pieces.
    pub is_endgame: bool,
}

/// What pieces are worth in a linear net, by the squares of the kings.
pub struct Following {
    weights: FloatWeights,
    sums: PartialSums,
}

impl Following {
    /// `None` for nets with other layers than `1`.
    pub fn of(net: &Net) -> Option<Self> {
        let is_linear = net.architecture().layers.is_linear();
        let sums = is_linear.then(|| PartialSums::of(net.features())).flatten()?;
        Some(Self { weights: net.to_floats(), sums })
    }

    /// Centipawns of a white piece on each square, a1 first, in the first bucket; `None` where a
    /// king stands.
    pub fn worth(&self, role: Role, kings: Kings) -> [Option<f64>; 64] {
        let bare = board(kings, None);
        let numbers = numbers_of(kings);
        Square::ALL.map(|square| {
            let is_free = bare.piece_at(square).is_none();
            is_free.then(|| {
                let with = board(kings, Some((square, role)));
                let seen = |side: Color| self.added(&bare, &with, &numbers, side);
                seen(Color::White) - seen(Color::Black)
            })
        })
    }

    /// What one side sees more on the second board than on the first.
    fn added(&self, bare: &Board, with: &Board, numbers: &Scene, side: Color) -> f64 {
        self.total(with, numbers, side) - self.total(bare, numbers, side)
    }

    fn total(&self, board: &Board, numbers: &Scene, side: Color) -> f64 {
        let mut active: Vec<Feature> = Vec::new();
        self.sums.carrier().active(&Scene::of_board(board.clone()), side, &mut active);
        let values: Vec<f64> = self
            .sums
            .multipliers()
            .iter()
            .map(|m| m.numerator(numbers, side) as f64 / m.denominator() as f64)
            .collect();
        let places = self.sums.places().iter().filter(|place| active.contains(&place.carrier));
        let worth = |place: &features::Place| {
            f64::from(self.weights.head_of(place.feature)[0]) * values[place.multiplier]
        };
        places.map(worth).sum()
    }
}

fn board(kings: Kings, piece: Option<(Square, Role)>) -> Board {
    let mut board = Board::empty();
    board.set_piece_at(kings.own, Role::King.of(Color::White));
    board.set_piece_at(kings.enemy, Role::King.of(Color::Black));
    if let Some((square, role)) = piece {
        board.set_piece_at(square, role.of(Color::White));
    }
    board
}

/// The kings among as many pieces as the phase wants.
fn numbers_of(kings: Kings) -> Scene {
    let mut board = board(kings, None);
    // Six queens are all the points of a phase.
    let free =
        Square::ALL.into_iter().filter(|&square| square != kings.own && square != kings.enemy);
    let queens = if kings.is_endgame { 0 } else { 6 };
    free.take(queens).for_each(|square| board.set_piece_at(square, Role::Queen.of(Color::White)));
    Scene::of_board(board)
}
