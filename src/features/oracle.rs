//! The definitions, taken literally: what the tests hold everything against.
//!
//! Nothing here is fast and nothing is shared with the compiled tables: every
//! element of a set is written out and its predicate asked of the board,
//! square by square, and mobility is found by trying moves.

use super::concept::{Axis, side};
use super::expr::Expr;
use super::predicate::bands::Scale;
use super::predicate::{Predicate, PredicateKind, castling};
use super::said::{Said, as_white_sees, is_kind, is_place, said, threat_parts, two_pieces};
use chess::{Board, Color, Piece, PieceKind, Role, Side, Square, View};

/// For every element of the set, in order: its value if its predicate holds.
pub fn values(expr: &Expr, view: View<'_>) -> Vec<Option<f32>> {
    match expr {
        Expr::Predicate(predicate) => witnesses_of_all(predicate, view)
            .into_iter()
            .map(|witnesses| (witnesses > 0).then_some(1.0))
            .collect(),
        Expr::Count(predicate) => witnesses_of_all(predicate, view)
            .into_iter()
            .map(|witnesses| (witnesses > 0).then_some(witnesses as f32))
            .collect(),
        Expr::Scalar(scalar) => vec![Some(scalar.value(view))],
        Expr::Sum(parts) => parts.iter().flat_map(|part| values(part, view)).collect(),
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
    }
}

/// How many things on the board make each element true.
fn witnesses_of_all(predicate: &Predicate, view: View<'_>) -> Vec<usize> {
    let facts = Facts::of(view);
    (0..predicate.size())
        .map(|index| match predicate.unordered(index) {
            Some((a, b)) => {
                let [a, b] = [a, b].map(|product| {
                    let classes = predicate.classes(u64::from(product));
                    facts.pieces_that_are(&said(predicate, &classes)).count()
                });
                usize::from(a > 0 && b > 0)
            }
            None => facts.witnesses(predicate, &said(predicate, &predicate.tuple(index))),
        })
        .collect()
}

/// A kind of piece and a square that it has to do with.
type Mark = (PieceKind, Square);

/// A position with what follows from it by definition.
struct Facts<'a> {
    view: View<'a>,
    pieces: Vec<Mark>,
    attacks: Vec<(Mark, Square)>,
    moves: Vec<(Mark, Square)>,
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

    fn pieces_that_are(&self, said: &Said<'_>) -> impl Iterator<Item = &Mark> {
        self.pieces.iter().filter(|&&(kind, square)| is_kind(said, kind) && is_place(said, square))
    }

    fn witnesses(&self, predicate: &Predicate, said: &Said<'_>) -> usize {
        let only = |sides: Side| {
            self.pieces
                .iter()
                .filter(|(kind, _)| kind.role == Role::King && kind.side == sides)
                .filter(|&&(_, square)| is_place(said, square))
                .count()
        };
        let band = |scale: Scale| {
            let (axis, elements) = &said[0];
            usize::from(elements.contains(&scale.band(self.view, axis.size())))
        };
        match predicate.kind() {
            PredicateKind::Piece => {
                number_or_witnesses(said, self.pieces_that_are(said).map(|&(_, square)| square))
            }
            PredicateKind::Attacks => number_or_witnesses(said, marks(&self.attacks, said)),
            PredicateKind::Mobility => number_or_witnesses(said, marks(&self.moves, said)),
            PredicateKind::King => only(Side::Own),
            PredicateKind::EnemyKing => only(Side::Other),
            PredicateKind::KingOffset => self.offsets(said),
            PredicateKind::Pair => self.pairs(said),
            PredicateKind::Both => 0,
            PredicateKind::Threat => self.threats(said, predicate.comma()),
            PredicateKind::Castling => castlings(said, self.view),
            PredicateKind::EnPassant => en_passants(said, self.view),
            PredicateKind::Material => band(Scale::Material),
            PredicateKind::Phase => band(Scale::Phase),
        }
    }

    fn offsets(&self, said: &Said<'_>) -> usize {
        let Some(king) = self.view.own_king() else { return 0 };
        let steps = |square: Square| {
            said.iter().filter(|(axis, _)| matches!(axis, Axis::FileStep | Axis::RankStep)).all(
                |(axis, elements)| {
                    let (to, from) = match axis {
                        Axis::FileStep => (king.file() as i32, square.file() as i32),
                        _ => (king.rank() as i32, square.rank() as i32),
                    };
                    elements.iter().any(|&element| axis.word(element) == (to - from).to_string())
                },
            )
        };
        self.pieces.iter().filter(|&&(kind, square)| is_kind(said, kind) && steps(square)).count()
    }

    /// Neighbours on the lines, first and second as said.
    fn pairs(&self, said: &Said<'_>) -> usize {
        let [first, second] = two_pieces(said);
        let Some((axis, lines)) = said.iter().find(|(axis, _)| axis.is_line()) else { return 0 };
        let pairs_on = |line: u8| {
            let mut on_line: Vec<Mark> = self
                .pieces
                .iter()
                .copied()
                .filter(|&(_, square)| axis.of_square(square) == line)
                .collect();
            // Left before right, and on a file low before high.
            on_line.sort_by_key(|(_, square)| (square.file(), square.rank()));
            let next = on_line.windows(2);
            next.filter(|w| is_kind(&first, w[0].0) && is_kind(&second, w[1].0)).count()
        };
        lines.iter().map(|&line| pairs_on(line)).sum()
    }

    fn threats(&self, said: &Said<'_>, comma: Option<usize>) -> usize {
        let [first, second] = threat_parts(said, comma);
        let attacked = self.attacks.iter().filter(|((kind, from), to)| {
            let target = self.view.piece_at(*to);
            is_kind(&first, *kind)
                && is_place(&first, *from)
                && target.is_some_and(|target| is_kind(&second, target))
                && is_place(&second, *to)
        });
        attacked.count()
    }
}

fn marks<'b>(marks: &'b [(Mark, Square)], said: &'b Said<'_>) -> impl Iterator<Item = Square> + 'b {
    marks
        .iter()
        .filter(|((kind, _), to)| is_kind(said, *kind) && is_place(said, *to))
        .map(|&(_, to)| to)
}

/// Witnesses; or with COUNTS said, whether the number of different squares is
/// the one said.
fn number_or_witnesses(said: &Said<'_>, squares: impl Iterator<Item = Square>) -> usize {
    let counts = said.iter().find_map(|(axis, elements)| match axis {
        Axis::Count(most) => Some((*most, *elements)),
        _ => None,
    });
    let mut squares: Vec<Square> = squares.collect();
    match counts {
        None => squares.len(),
        Some((most, elements)) => {
            squares.sort_unstable();
            squares.dedup();
            usize::from(elements.contains(&(squares.len().min(usize::from(most)) as u8)))
        }
    }
}

fn castlings(said: &Said<'_>, view: View<'_>) -> usize {
    let mut found = 0;
    for side_of in Side::ALL {
        for wing in 0..2 {
            let fits = said.iter().all(|(axis, elements)| match axis {
                Axis::Color => elements.contains(&(side_of as u8)),
                _ => elements.contains(&wing),
            });
            found += usize::from(fits && view.may_castle(side_of, castling::wing(wing)));
        }
    }
    found
}

fn en_passants(said: &Said<'_>, view: View<'_>) -> usize {
    let Some((file, by)) = view.en_passant() else { return 0 };
    usize::from(said.iter().all(|(axis, elements)| match axis {
        Axis::Color => elements.iter().any(|&element| side(element) == by),
        _ => elements.contains(&(file as u8)),
    }))
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
