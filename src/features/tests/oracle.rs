//! The definitions, taken literally: the reference of the tests.
//!
//! This code is slow and shares nothing with the compiled tables: every element of a set is written
//! out and its predicate evaluated on the board, square by square; mobility comes from trying
//! moves.

use crate::concept::Axis;
use crate::expr::{Each, Expr};
use crate::predicate::Predicate;
use crate::tuple_values::{TupleValues, as_white_sees, is_kind, is_place};
use chess::{Board, Color, Piece, PieceKind, Role, Side, Square, View};

/// For every element of the set, in order: its value if its predicate holds.
pub(crate) fn values(expr: &Expr, view: View<'_>) -> Vec<Option<f32>> {
    match expr {
        Expr::Predicate(predicate) => counts_of_all(predicate, view)
            .into_iter()
            .map(|count| (count > 0).then_some(1.0))
            .collect(),
        Expr::Count(predicate) => counts_of_all(predicate, view)
            .into_iter()
            .map(|count| (count > 0).then_some(count as f32))
            .collect(),
        Expr::Scalar(scalar) => vec![Some(scalar.value(view))],
        Expr::Sum(parts) | Expr::Each(Each { parts, .. }) => {
            parts.iter().flat_map(|part| values(part, view)).collect()
        }
        Expr::Product(parts) => parts.iter().fold(vec![Some(1.0)], |left, part| {
            let right = values(part, view);
            let times = |a: Option<f32>, b: Option<f32>| a.zip(b).map(|(a, b)| a * b);
            left.iter().flat_map(|&a| right.iter().map(move |&b| times(a, b))).collect()
        }),
        Expr::Mirror(inner) => values(inner, view.mirrored()),
        Expr::Rows(inner, rows) => {
            let all = values(inner, view);
            rows.iter().map(|&row| all[row as usize]).collect()
        }
        Expr::Any(any) => {
            let parts = any.parts().iter().map(|part| values(part, view));
            let or = |a: Vec<Option<f32>>, b: Vec<Option<f32>>| {
                a.into_iter().zip(b).map(|(a, b)| a.or(b)).collect()
            };
            parts.reduce(or).unwrap_or_default()
        }
        Expr::Quotient(inner, classes) => {
            let all = values(inner, view);
            let is_active = |class: u64| {
                (0..).zip(&all).any(|(member, value)| {
                    value.is_some() && classes[member as usize].map(u64::from) == Some(class)
                })
            };
            (0..expr.size()).map(|class| is_active(class).then_some(1.0)).collect()
        }
    }
}

/// Number of causes on the board of each element.
fn counts_of_all(predicate: &Predicate, view: View<'_>) -> Vec<usize> {
    let facts = Facts::of(view);
    (0..predicate.size()).map(|index| predicate.count(index, &facts)).collect()
}

/// A kind of piece and the square of its mark.
pub(crate) type Mark = (PieceKind, Square);

/// A position and its derived facts.
pub(crate) struct Facts<'a> {
    pub(crate) view: View<'a>,
    pub(crate) pieces: Vec<Mark>,
    pub(crate) attacks: Vec<(Mark, Square)>,
    pub(crate) moves: Vec<(Mark, Square)>,
}

impl<'a> Facts<'a> {
    fn of(view: View<'a>) -> Self {
        let pieces: Vec<Mark> = Square::ALL
            .into_iter()
            .filter_map(|square| Some((view.piece_at(square)?, square)))
            .collect();
        let mut board = Board::empty();
        for &(kind, square) in &pieces {
            board.set_piece_at(square, as_white_sees(kind));
        }
        let (mut attacked, mut moves) = (Vec::new(), Vec::new());
        for &(kind, from) in &pieces {
            for to in Square::ALL {
                if attacks(&board, kind, from).contains(&to) {
                    attacked.push(((kind, from), to));
                }
                if can_move(&board, kind, from, to) {
                    moves.push(((kind, from), to));
                }
            }
        }
        Self { view, pieces, attacks: attacked, moves }
    }

    pub(crate) fn pieces_that_are(&self, values: &TupleValues<'_>) -> impl Iterator<Item = &Mark> {
        self.pieces
            .iter()
            .filter(|&&(kind, square)| is_kind(values, kind) && is_place(values, square))
    }

    /// The squares on the given places that pieces of the given kind mark.
    pub(crate) fn marks(&self, marks: &[(Mark, Square)], values: &TupleValues<'_>) -> Vec<Square> {
        let steps = values.iter().filter(|(axis, _)| axis.is_step());
        let is_so_far = |square: Square| {
            steps.clone().all(|(axis, elements)| {
                let Some(king) = self.view.own_king() else { return false };
                let (to, from) = match axis {
                    Axis::FileStep => (king.file() as i32, square.file() as i32),
                    _ => (king.rank() as i32, square.rank() as i32),
                };
                elements.iter().any(|&element| axis.word(element) == (to - from).to_string())
            })
        };
        let holds = |((kind, _), to): &&(Mark, Square)| {
            is_kind(values, *kind) && is_place(values, *to) && is_so_far(*to)
        };
        marks.iter().filter(holds).map(|&(_, to)| to).collect()
    }

    /// Whether its king would be attacked from further squares without it.
    pub(crate) fn is_pinned(&self, &(kind, square): &Mark) -> bool {
        let mut board = Board::empty();
        for &(kind, square) in &self.pieces {
            board.set_piece_at(square, as_white_sees(kind));
        }
        let Some(king) = board.king_of(as_white_sees(kind).color) else { return false };
        let attackers = |board: &Board| {
            let others = self.pieces.iter().filter(|(other, _)| other.side != kind.side);
            others.filter(|&&(other, from)| attacks(board, other, from).contains(&king)).count()
        };
        let with = attackers(&board);
        board.discard_piece_at(square);
        kind.role != Role::King && attackers(&board) > with
    }

    pub(crate) fn phase_points(&self) -> usize {
        let points = |role: Role| match role {
            Role::Knight | Role::Bishop => 1,
            Role::Rook => 2,
            Role::Queen => 4,
            Role::Pawn | Role::King => 0,
        };
        self.pieces.iter().map(|(kind, _)| points(kind.role)).sum()
    }
}

/// Squares that a piece attacks, found step by step.
fn attacks(board: &Board, kind: PieceKind, from: Square) -> Vec<Square> {
    const STRAIGHT: [(i32, i32); 4] = [(1, 0), (-1, 0), (0, 1), (0, -1)];
    const DIAGONAL: [(i32, i32); 4] = [(1, 1), (1, -1), (-1, 1), (-1, -1)];
    const KNIGHT: [(i32, i32); 8] =
        [(1, 2), (2, 1), (-1, 2), (-2, 1), (1, -2), (2, -1), (-1, -2), (-2, -1)];
    let up = if kind.side == Side::Own { 1 } else { -1 };
    let (steps, reach): (Vec<(i32, i32)>, usize) = match kind.role {
        Role::Pawn => (vec![(-1, up), (1, up)], 1),
        Role::Knight => (KNIGHT.to_vec(), 1),
        Role::Bishop => (DIAGONAL.to_vec(), 7),
        Role::Rook => (STRAIGHT.to_vec(), 7),
        Role::Queen => ([STRAIGHT, DIAGONAL].concat(), 7),
        Role::King => ([STRAIGHT, DIAGONAL].concat(), 1),
    };
    let mut reached = Vec::new();
    for (files, ranks) in steps {
        let mut at = from;
        for _ in 0..reach {
            let Some((file, rank)) = at.file().offset(files).zip(at.rank().offset(ranks)) else {
                break;
            };
            at = Square::from_coords(file, rank);
            reached.push(at);
            if board.piece_at(at).is_some() {
                break;
            }
        }
    }
    reached
}

/// Whether a piece can move, as the thesis defines mobility: by trying.
fn can_move(board: &Board, kind: PieceKind, from: Square, to: Square) -> bool {
    let piece = as_white_sees(kind);
    let target = board.piece_at(to);
    let ahead = if kind.side == Side::Own { 1 } else { -1 };
    let goes = match kind.role {
        Role::Pawn if target.is_some() => attacks(board, kind, from).contains(&to),
        Role::Pawn => from.file() == to.file() && from.rank().offset(ahead) == Some(to.rank()),
        _ => attacks(board, kind, from).contains(&to),
    };
    if !goes || target.is_some_and(|target| target.color == piece.color) {
        return false;
    }
    let mut after = board.clone();
    after.discard_piece_at(from);
    after.set_piece_at(to, piece);
    let Some(king) = after.king_of(piece.color) else { return false };
    let others = after.clone().into_iter().filter(|(_, other)| other.color != piece.color);
    let attacked = |(square, other): (Square, Piece)| {
        attacks(&after, PieceKind::seen(other, Color::White), square).contains(&king)
    };
    !others.into_iter().any(attacked)
}
