//! The squares and pieces that a feature speaks of, to be drawn on a board.

use super::concept::Axis;
use super::expr::{Expr, locate};
use super::predicate::{Predicate, PredicateKind};
use super::said::{Said, is_kind, is_place, said, threat_parts};
use chess::{Bitboard, PieceKind, Rank, Role, Side, Square};

/// One thing that a feature speaks of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Subject {
    /// In words.
    pub what: String,
    /// The kinds of pieces it may be; none if it is no piece.
    pub kinds: Vec<PieceKind>,
    /// Where; no square if it may be anywhere, or nowhere.
    pub squares: Bitboard,
}

/// What a feature speaks of, as the looking side sees it; in a mirrored set with
/// the own king on the left.
pub fn subjects(expr: &Expr, index: u64) -> Vec<Subject> {
    match expr {
        Expr::Predicate(predicate) | Expr::Count(predicate) => of_predicate(predicate, index),
        Expr::Scalar(_) => Vec::new(),
        Expr::Sum(parts) => {
            locate(parts, index).map_or(Vec::new(), |(part, rest)| subjects(part, rest))
        }
        Expr::Product(parts) => {
            let (mut rest, mut found) = (index, Vec::new());
            for part in parts.iter().rev() {
                found.push(subjects(part, rest % part.size()));
                rest /= part.size();
            }
            found.into_iter().rev().flatten().collect()
        }
        Expr::Mirror(inner) => subjects(inner, index),
        Expr::Rows(inner, rows) => {
            rows.get(index as usize).map_or(Vec::new(), |&row| subjects(inner, u64::from(row)))
        }
    }
}

fn of_predicate(predicate: &Predicate, index: u64) -> Vec<Subject> {
    if let Some((a, b)) = predicate.unordered(index) {
        let single = |product: u16| piece(&said(predicate, &predicate.classes(u64::from(product))));
        return vec![single(a), single(b)];
    }
    let classes = predicate.tuple(index);
    let said = said(predicate, &classes);
    let what = predicate.describe(index);
    let king = |side| vec![PieceKind { role: Role::King, side }];
    match predicate.kind() {
        PredicateKind::Threat => threat_parts(&said, predicate.comma()).map(|p| piece(&p)).into(),
        PredicateKind::KingOffset => offset(&said),
        PredicateKind::EnPassant => {
            vec![Subject { what, kinds: Vec::new(), squares: captures(&said) }]
        }
        PredicateKind::King => {
            vec![Subject { what, kinds: king(Side::Own), squares: place(&said) }]
        }
        PredicateKind::EnemyKing => {
            vec![Subject { what, kinds: king(Side::Other), squares: place(&said) }]
        }
        PredicateKind::Piece => vec![Subject { what, ..piece(&said) }],
        // The piece stands elsewhere, or two of them share the squares.
        _ => vec![Subject { what, kinds: Vec::new(), squares: place(&said) }],
    }
}

/// A piece and where it stands.
fn piece(said: &Said<'_>) -> Subject {
    let kinds: Vec<PieceKind> = PieceKind::all().filter(|&kind| is_kind(said, kind)).collect();
    let named = |kind: &PieceKind| Axis::Piece.word(kind.index() as u8);
    const LISTED: usize = 4;
    let what = match kinds.len() {
        1..=LISTED => kinds.iter().map(named).collect::<Vec<_>>().join(" or "),
        _ => "piece".to_owned(),
    };
    Subject { what, kinds, squares: place(said) }
}

/// The squares of the places said; none if none is.
fn place(said: &Said<'_>) -> Bitboard {
    match said.iter().any(|(axis, _)| axis.is_place()) {
        true => Square::ALL.into_iter().filter(|&square| is_place(said, square)).collect(),
        false => Bitboard::EMPTY,
    }
}

/// The own king as near to the middle as may be, and the pieces at its distance.
fn offset(said: &Said<'_>) -> Vec<Subject> {
    let fits = |king: Square, square: Square| {
        said.iter().all(|(axis, elements)| match axis {
            Axis::FileStep | Axis::RankStep => elements.contains(&axis.of_step(king, square)),
            _ => true,
        })
    };
    let kings = Square::ALL.into_iter().map(|king| {
        let from = Square::ALL.into_iter().filter(|&square| fits(king, square));
        (king, from.collect::<Bitboard>())
    });
    let middle = |king: Square| {
        let off = |at: u32| at.abs_diff(3).min(at.abs_diff(4));
        off(king.file() as u32) + off(king.rank() as u32)
    };
    let Some((king, squares)) =
        kings.filter(|(_, squares)| squares.any()).min_by_key(|(king, _)| middle(*king))
    else {
        return Vec::new();
    };
    let own_king = PieceKind { role: Role::King, side: Side::Own };
    let here = Subject {
        what: "own king, for example here".to_owned(),
        kinds: vec![own_king],
        squares: king.into(),
    };
    vec![here, Subject { squares, ..piece(said) }]
}

/// Where a pawn arrives that captures en passant.
fn captures(said: &Said<'_>) -> Bitboard {
    let of_side = |side: Side| {
        let rank = if side == Side::Own { Rank::Sixth } else { Rank::Third };
        let fits = move |square: &Square| {
            square.rank() == rank
                && said.iter().all(|(axis, elements)| match axis {
                    Axis::Color => elements.contains(&(side as u8)),
                    axis => elements.contains(&axis.of_square(*square)),
                })
        };
        Square::ALL.into_iter().filter(fits).collect::<Bitboard>()
    };
    Side::ALL.into_iter().fold(Bitboard::EMPTY, |all, side| all | of_side(side))
}
