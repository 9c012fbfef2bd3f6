//! Piece values of a linear net as a function of the king squares.

use chess::{Board, Color, Role, Scene, Square};
use features::{Feature, PartialSums};
use nnue::{FloatWeights, Net};
use serde::{Deserialize, Serialize};

/// Squares of the kings, and the game phase.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Kings {
    /// Of the piece's side, White.
    own: Square,
    /// Of the other side.
    enemy: Square,
    /// Whether only kings and pawns are left, instead of all pieces.
    is_endgame: bool,
}

/// Piece values with the kings on some squares.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct KingColumn {
    /// Squares of the kings, in few words.
    pub title: String,
    /// Centipawns by role, pawn to queen, and square, a1 first; `None` where a king stands.
    pub centipawns: Vec<Vec<Option<f64>>>,
}

impl KingColumn {
    /// Pawn to queen.
    pub const ROLES: usize = 5;

    /// Centipawns of a piece; `None` where a king stands.
    pub fn worth(&self, role: Role, square: Square) -> Option<f64> {
        *self.centipawns.get(role as usize - 1)?.get(square as usize)?
    }

    /// Whether some piece value differs by half a centipawn somewhere.
    pub fn differs(&self, other: &Self) -> bool {
        let cells = |column: &Self| column.centipawns.iter().flatten().copied().collect::<Vec<_>>();
        let pairs = cells(self).into_iter().zip(cells(other));
        pairs.filter_map(|(one, two)| Some(one? - two?)).any(|difference| difference.abs() >= 0.5)
    }
}

/// Piece values of a linear net, by the squares of the kings.
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

    /// The mean over kings that have castled or not yet, then kings on some squares.
    pub fn columns(&self) -> Vec<KingColumn> {
        let kings = |own, enemy| Kings { own, enemy, is_endgame: false };
        let own = [Square::G1, Square::E1, Square::C1];
        let enemy = [Square::G8, Square::E8, Square::C8];
        let usual = own.map(|own| enemy.map(|enemy| kings(own, enemy))).concat();
        let endgame = Kings { own: Square::E4, enemy: Square::E6, is_endgame: true };
        vec![
            self.column("mean", &usual),
            self.column("king g1", &[kings(Square::G1, Square::E8)]),
            self.column("king e1", &[kings(Square::E1, Square::E8)]),
            self.column("king c1", &[kings(Square::C1, Square::E8)]),
            self.column("enemy g8", &[kings(Square::E1, Square::G8)]),
            self.column("enemy c8", &[kings(Square::E1, Square::C8)]),
            self.column("e4, e6, endgame", &[endgame]),
        ]
    }

    fn column(&self, title: &str, places: &[Kings]) -> KingColumn {
        let roles = Role::ALL.into_iter().take(KingColumn::ROLES);
        let centipawns = roles.map(|role| self.mean(role, places)).collect();
        KingColumn { title: title.to_owned(), centipawns }
    }

    /// Square by square, to a tenth of a centipawn; nothing where some king stands.
    fn mean(&self, role: Role, places: &[Kings]) -> Vec<Option<f64>> {
        let boards: Vec<_> = places.iter().map(|&kings| self.worth(role, kings)).collect();
        let mean = |square: usize| {
            let all: Option<Vec<f64>> = boards.iter().map(|board| board[square]).collect();
            let sum: f64 = all?.iter().sum();
            Some((10.0 * sum / boards.len().max(1) as f64).round() / 10.0)
        };
        (0..64).map(mean).collect()
    }

    /// Centipawns of a white piece on each square, a1 first, in the first bucket; `None` where a
    /// king stands.
    fn worth(&self, role: Role, kings: Kings) -> [Option<f64>; 64] {
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

    /// Difference of one side's sum between the two boards.
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
        let worth = |place: &features::SumPlace| {
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

/// The kings, with the pieces of the phase.
fn numbers_of(kings: Kings) -> Scene {
    let mut board = board(kings, None);
    // Six queens are all phase points.
    let free =
        Square::ALL.into_iter().filter(|&square| square != kings.own && square != kings.enemy);
    let queens = if kings.is_endgame { 0 } else { 6 };
    free.take(queens).for_each(|square| board.set_piece_at(square, Role::Queen.of(Color::White)));
    Scene::of_board(board)
}
