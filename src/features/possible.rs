//! Which features no position of a game can show.
//!
//! A feature holds of a position because some pieces stand somewhere: its
//! *witnesses*. For each element of a predicate the possible witnesses are
//! written out, one or two pieces on their squares each; a product needs one
//! witness of every factor on the same board. A feature is called impossible
//! only if no choice of witnesses can stand together, by these rules alone:
//!
//! * a square holds one piece;
//! * a side has one king, and kings do not stand beside each other;
//! * a pawn stands on ranks 2 to 7;
//! * in a mirrored view the own king stands on files a to d, and what stands
//!   in the same position in views that are not mirrored is turned with it;
//! * both kings are on the board, so no band of a single piece is reached.
//!
//! Squares between two pieces and checks are not looked at, and how many pieces
//! there can be only where they are counted (`numbers`). What is left is therefore not always possible, but what is
//! called impossible always is: the sizes are lower bounds of what is dead.

mod numbers;

use std::ops::Range;
use std::sync::Arc;

use arrayvec::ArrayVec;
use rayon::prelude::*;
use smallvec::SmallVec;

use super::concept::{Axis, side};
use super::expr::Expr;
use super::predicate::bands::Scale;
use super::predicate::both::{self, Placed};
use super::predicate::relation::Relation;
use super::predicate::{Predicate, PredicateKind, castling};
use super::said::{Said, as_white_sees, is_kind, is_place, said, threat_parts, two_pieces};
use chess::{Bitboard, File, PieceKind, Rank, Role, Side, Square, attacks};

/// Most elements of one predicate whose witnesses are written out; those of
/// larger predicates count as possible.
const MOST_WRITTEN: u64 = 1 << 20;

/// Most features that are counted one by one.
const MOST_COUNTED: usize = 1 << 23;

/// Most witnesses tried for one feature; one that takes longer counts as possible.
const PATIENCE: u32 = 20_000;

/// Knows which features of an expression are impossible.
#[derive(Clone, Debug)]
pub struct Possibilities {
    root: Node,
}

/// An expression with the witnesses of its predicates.
#[derive(Clone, Debug)]
enum Node {
    /// Holds of some position, whatever else is asked.
    Free,
    Leaf(Witnesses),
    /// Parts with their sizes.
    Sum(Vec<(u64, Node)>),
    /// Factors with their sizes.
    Product(Vec<(u64, Node)>),
    Mirror(Box<Node>),
    Rows(Box<Node>, Arc<[u32]>),
}

/// Pieces that make an element true. None at all: it is true without any.
type Witness = ArrayVec<Placed, 2>;

/// The witnesses of all elements of a predicate, one after the other.
#[derive(Clone, Debug)]
struct Witnesses {
    /// Where those of each element end.
    ends: Vec<u32>,
    all: Vec<Witness>,
}

/// What one factor asks of the board.
#[derive(Clone, Copy)]
struct Demand<'a> {
    witnesses: &'a [Witness],
    mirrored: bool,
}

impl Possibilities {
    /// Writes the witnesses of an expression out.
    pub fn of(expr: &Expr) -> Self {
        Self { root: Node::of(expr) }
    }

    /// Whether a feature may hold of a position; `false` is certain.
    pub fn is_possible(&self, index: u32) -> bool {
        let mut demands = SmallVec::new();
        self.root.demands(u64::from(index), false, &mut demands);
        demands.sort_by_key(|demand| demand.witnesses.len());
        let halves: &[Option<Half>] = match demands.iter().any(|demand| demand.mirrored) {
            true => &[Some(Half::Left), Some(Half::Right)],
            false => &[None],
        };
        let mut patience = PATIENCE;
        halves.iter().any(|&half| {
            Stand { half, pieces: SmallVec::new(), patience: &mut patience }.fits(&demands)
        })
    }

    /// How many features of a range are impossible; `None` if they are too
    /// many to be looked at (2^23).
    pub fn count_impossible(&self, range: Range<usize>) -> Option<usize> {
        if range.len() > MOST_COUNTED {
            return None;
        }
        let indices = range.start as u32..range.end as u32;
        Some(indices.into_par_iter().filter(|&index| !self.is_possible(index)).count())
    }
}

impl Node {
    fn of(expr: &Expr) -> Self {
        let sized = |parts: &[Expr]| parts.iter().map(|p| (p.size(), Node::of(p))).collect();
        match expr {
            Expr::Predicate(predicate) | Expr::Count(predicate) => {
                Witnesses::of(predicate).map_or(Node::Free, Node::Leaf)
            }
            Expr::Scalar(_) => Node::Free,
            Expr::Sum(parts) => Node::Sum(sized(parts)),
            Expr::Product(parts) => Node::Product(sized(parts)),
            Expr::Mirror(inner) => Node::Mirror(Box::new(Node::of(inner))),
            Expr::Rows(inner, rows) => Node::Rows(Box::new(Node::of(inner)), rows.clone()),
        }
    }

    /// What the factors of a feature ask of the board.
    fn demands<'a>(&'a self, index: u64, mirrored: bool, demands: &mut SmallVec<[Demand<'a>; 8]>) {
        let mut rest = index;
        match self {
            Node::Free => {}
            Node::Leaf(leaf) => {
                demands.push(Demand { witnesses: leaf.of_element(index), mirrored })
            }
            Node::Sum(parts) => {
                for (size, part) in parts {
                    if rest < *size {
                        return part.demands(rest, mirrored, demands);
                    }
                    rest -= size;
                }
            }
            Node::Product(factors) => {
                for (size, factor) in factors.iter().rev() {
                    factor.demands(rest % size, mirrored, demands);
                    rest /= size;
                }
            }
            Node::Mirror(inner) => inner.demands(index, true, demands),
            Node::Rows(inner, rows) => {
                inner.demands(u64::from(rows[index as usize]), mirrored, demands);
            }
        }
    }
}

/// The files the own king stands on, where a factor is mirrored.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Half {
    /// Mirrored views are as they are.
    Left,
    /// Mirrored views are turned.
    Right,
}

/// Pieces that stand together, as the side that looks sees them.
struct Stand<'a> {
    half: Option<Half>,
    pieces: SmallVec<[Placed; 8]>,
    patience: &'a mut u32,
}

impl Stand<'_> {
    /// Whether one witness of each demand can stand here too.
    fn fits(&mut self, demands: &[Demand<'_>]) -> bool {
        let Some((demand, others)) = demands.split_first() else { return true };
        for witness in demand.witnesses {
            let Some(left) = self.patience.checked_sub(1) else { return true };
            *self.patience = left;
            let before = self.pieces.len();
            if self.place(witness, demand.mirrored) && self.fits(others) {
                return true;
            }
            self.pieces.truncate(before);
        }
        false
    }

    fn place(&mut self, witness: &Witness, mirrored: bool) -> bool {
        witness.iter().all(|&(square, kind)| {
            let turned = mirrored && self.half == Some(Half::Right);
            let placed = (if turned { square.flip_horizontal() } else { square }, kind);
            let fits = self.half.is_none_or(|half| on_its_half(placed, half))
                && self.pieces.iter().all(|&other| stand_together(placed, other));
            self.pieces.push(placed);
            fits
        })
    }
}

fn on_its_half((square, kind): Placed, half: Half) -> bool {
    let is_own_king = kind.role == Role::King && kind.side == Side::Own;
    !is_own_king || (half == Half::Left) == (square.file() <= File::D)
}

fn stand_together(a: Placed, b: Placed) -> bool {
    a == b || both::possible(a, b)
}

impl Witnesses {
    /// `None` for predicates too large to be written out.
    fn of(predicate: &Predicate) -> Option<Self> {
        if predicate.size() > MOST_WRITTEN {
            return None;
        }
        let (mut ends, mut all) = (Vec::new(), Vec::new());
        for element in 0..predicate.size() {
            let mut found = witnesses(predicate, element);
            found.retain(can_stand);
            all.append(&mut found);
            ends.push(all.len() as u32);
        }
        Some(Self { ends, all })
    }

    fn of_element(&self, element: u64) -> &[Witness] {
        let at = element as usize;
        let start = at.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.all[start as usize..self.ends[at] as usize]
    }
}

fn can_stand(witness: &Witness) -> bool {
    witness.iter().all(|&placed| both::can_stand(placed))
        && witness.iter().all(|&a| witness.iter().all(|&b| stand_together(a, b)))
}

const OWN_KING: PieceKind = PieceKind { role: Role::King, side: Side::Own };
const OTHER_KING: PieceKind = PieceKind { role: Role::King, side: Side::Other };

/// An element that is true without any piece.
fn no_piece_needed() -> Vec<Witness> {
    vec![Witness::new()]
}

/// All that can make an element true.
fn witnesses(predicate: &Predicate, element: u64) -> Vec<Witness> {
    if let Some(pair) = predicate.unordered(element) {
        return singles_together(predicate, pair);
    }
    let classes = predicate.tuple(element);
    let said = said(predicate, &classes);
    let kings = |kind| squares(&said).map(|square| one((square, kind))).collect();
    match predicate.kind() {
        PredicateKind::Piece => marks(&said, Relation::Stands),
        PredicateKind::Attacks => marks(&said, Relation::Attacks),
        PredicateKind::Mobility => marks(&said, Relation::Moves),
        PredicateKind::King => kings(OWN_KING),
        PredicateKind::EnemyKing => kings(OTHER_KING),
        PredicateKind::KingOffset => offsets(&said),
        PredicateKind::Pair => neighbours(&said),
        PredicateKind::Both => no_piece_needed(),
        PredicateKind::Threat => threats(&said, predicate.comma()),
        PredicateKind::Castling => castlings(&said),
        PredicateKind::EnPassant => en_passants(&said),
        PredicateKind::Material => bands(&said, Scale::Material),
        PredicateKind::Phase => bands(&said, Scale::Phase),
    }
}

fn one(placed: Placed) -> Witness {
    Witness::from_iter([placed])
}

fn squares<'a>(said: &'a Said<'_>) -> impl Iterator<Item = Square> + use<'a> {
    Square::ALL.into_iter().filter(|&square| is_place(said, square))
}

fn kinds<'a>(said: &'a Said<'_>) -> impl Iterator<Item = PieceKind> + use<'a> {
    PieceKind::all().filter(|&kind| is_kind(said, kind))
}

/// A piece that marks such a square; with COUNTS, what makes so many.
fn marks(said: &Said<'_>, relation: Relation) -> Vec<Witness> {
    let one_mark = || {
        let from =
            |kind| squares(said).fold(Bitboard::EMPTY, |all, to| all | origins(relation, kind, to));
        kinds(said).flat_map(|kind| from(kind).into_iter().map(move |at| one((at, kind)))).collect()
    };
    match said.iter().find(|(axis, _)| matches!(axis, Axis::Count(_))) {
        None => one_mark(),
        Some(count) => numbers::witnesses(said, *count, relation, one_mark),
    }
}

/// From where a piece marks a square, at best.
fn origins(relation: Relation, kind: PieceKind, to: Square) -> Bitboard {
    // Looking back from the square: pawns look the other way.
    let back = PieceKind { side: kind.side.opposite(), ..kind };
    let attackers = attacks::attacks(to, as_white_sees(back), Bitboard::EMPTY);
    let below = if kind.side == Side::Own { -8 } else { 8 };
    match relation {
        Relation::Stands => to.into(),
        Relation::Moves if kind.role == Role::Pawn => attackers | Bitboard::from(to).shift(below),
        Relation::Attacks | Relation::Moves => attackers,
    }
}

fn offsets(said: &Said<'_>) -> Vec<Witness> {
    let steps: Said<'_> = said.iter().copied().filter(|(axis, _)| !axis.is_kind()).collect();
    let kinds: Vec<PieceKind> = kinds(said).collect();
    let mut found = Vec::new();
    for king in Square::ALL {
        for square in Square::ALL {
            if steps.iter().all(|(axis, elements)| elements.contains(&axis.of_step(king, square))) {
                let with_king = |&kind: &PieceKind| [(king, OWN_KING), (square, kind)].into();
                found.extend(kinds.iter().map(with_king));
            }
        }
    }
    found
}

/// First left of second on the line, or on a file below it.
fn neighbours(said: &Said<'_>) -> Vec<Witness> {
    let [first, second] = two_pieces(said);
    let Some((axis, lines)) = said.iter().find(|(axis, _)| axis.is_line()) else {
        return Vec::new();
    };
    let mut found = Vec::new();
    for &line in *lines {
        let mut on_line: Vec<Square> =
            Square::ALL.into_iter().filter(|&square| axis.of_square(square) == line).collect();
        on_line.sort_by_key(|square| (square.file(), square.rank()));
        for (i, &a) in on_line.iter().enumerate() {
            for &b in &on_line[i + 1..] {
                found.extend(kinds(&first).flat_map(|low| {
                    kinds(&second).map(move |high| Witness::from([(a, low), (b, high)]))
                }));
            }
        }
    }
    found
}

fn singles_together(predicate: &Predicate, (a, b): (u16, u16)) -> Vec<Witness> {
    let single = |product: u16| -> Vec<Placed> {
        let classes = predicate.classes(u64::from(product));
        let said = said(predicate, &classes);
        squares(&said).flat_map(|square| kinds(&said).map(move |kind| (square, kind))).collect()
    };
    let (first, second) = (single(a), single(b));
    first.iter().flat_map(|&a| second.iter().map(move |&b| Witness::from([a, b]))).collect()
}

fn threats(said: &Said<'_>, comma: Option<usize>) -> Vec<Witness> {
    let [attacker, target] = threat_parts(said, comma);
    let targets: Bitboard = squares(&target).collect();
    let mut found = Vec::new();
    for kind in kinds(&attacker) {
        for from in squares(&attacker) {
            let reached = attacks::attacks(from, as_white_sees(kind), Bitboard::EMPTY) & targets;
            for to in reached {
                found.extend(
                    kinds(&target).map(|victim| Witness::from([(from, kind), (to, victim)])),
                );
            }
        }
    }
    found
}

/// King and rook on the back rank, in Chess960 on any files.
fn castlings(said: &Said<'_>) -> Vec<Witness> {
    let mut found = Vec::new();
    for side in Side::ALL {
        let rank = if side == Side::Own { Rank::First } else { Rank::Eighth };
        let at = |file, role| (Square::from_coords(file, rank), PieceKind { role, side });
        for wing in 0..2 {
            let fits = said.iter().all(|(axis, elements)| match axis {
                Axis::Color => elements.contains(&(side as u8)),
                _ => elements.contains(&wing),
            });
            let right = castling::wing(wing).is_king_side();
            for king in File::ALL {
                let rooks = File::ALL
                    .into_iter()
                    .filter(|&rook| fits && rook != king && (rook > king) == right);
                found.extend(
                    rooks.map(|rook| Witness::from([at(king, Role::King), at(rook, Role::Rook)])),
                );
            }
        }
    }
    found
}

/// The pawn that may be captured, and beside it one that may capture.
fn en_passants(said: &Said<'_>) -> Vec<Witness> {
    let mut found = Vec::new();
    for by in Side::ALL {
        let rank = if by == Side::Own { Rank::Fifth } else { Rank::Fourth };
        let pawn =
            |file, side| (Square::from_coords(file, rank), PieceKind { role: Role::Pawn, side });
        for file in File::ALL {
            let fits = said.iter().all(|(axis, elements)| match axis {
                Axis::Color => elements.iter().any(|&element| side(element) == by),
                _ => elements.contains(&(file as u8)),
            });
            let beside = [-1, 1].into_iter().filter(|_| fits).filter_map(|step| file.offset(step));
            found.extend(
                beside.map(|from| Witness::from([pawn(file, by.opposite()), pawn(from, by)])),
            );
        }
    }
    found
}

fn bands(said: &Said<'_>, scale: Scale) -> Vec<Witness> {
    let reached = |(axis, elements): &(Axis, &[u8])| {
        scale.reachable(axis.size()).any(|band| elements.contains(&band))
    };
    if said.iter().all(reached) { no_piece_needed() } else { Vec::new() }
}
