//! Features that no position of a game can show.
//!
//! A feature holds because of some pieces on some squares: its *arrangements*. For each element of
//! a predicate the possible arrangements are written out, one or two pieces on their squares each;
//! a product needs one arrangement of every factor on the same board. A feature is impossible if no
//! choice of arrangements can stand together, by these rules alone:
//!
//! * a square holds one piece;
//! * a side has one king, and kings do not stand beside each other;
//! * a pawn stands on ranks 2 to 7;
//! * in a mirrored view the own king stands on files a to d, and the pieces of views that are not
//!   mirrored are turned with it;
//! * both kings are on the board, so no band of a single piece is reached.
//!
//! Squares between two pieces and checks are ignored, and numbers of pieces count only in
//! predicates with numbers. So features that are not found impossible need not be possible, but
//! those found impossible always are: the sizes are lower bounds of the dead features.

use std::ops::Range;
use std::sync::Arc;

use arrayvec::ArrayVec;
use rayon::prelude::*;
use smallvec::SmallVec;

use super::expr::{Each, Expr};
use super::predicate::Predicate;
use chess::{Bitboard, File, PieceKind, Role, Side, Square, attacks};

/// Most elements of one predicate whose arrangements are written out; those of
/// larger predicates count as possible.
const MOST_WRITTEN: u64 = 1 << 20;

/// Most pieces of a role that a side can have, pawns promoted.
pub(crate) const MOST_OF_ROLE: [usize; 6] = [8, 10, 10, 10, 9, 1];

/// Most features that are counted one by one.
const MOST_COUNTED: usize = 1 << 23;

/// Most arrangements tried for one feature; above, it counts as possible.
const PATIENCE: u32 = 20_000;

/// The impossible features of an expression.
#[derive(Clone, Debug)]
pub struct Possibilities {
    root: Node,
}

/// An expression with the arrangements of its predicates.
#[derive(Clone, Debug)]
enum Node {
    /// Holds of some position, with any other demand.
    Free,
    Leaf(Arrangements),
    /// Parts with their sizes.
    Sum(Vec<(u64, Node)>),
    /// Factors with their sizes.
    Product(Vec<(u64, Node)>),
    Mirror(Box<Node>),
    Rows(Box<Node>, Arc<[u32]>),
    /// Which features of a quotient some position can show.
    Known(Vec<bool>),
}

pub(crate) type PieceOnSquare = (Square, PieceKind);

/// Pieces that make an element true; empty if it needs none.
pub(crate) type Arrangement = ArrayVec<PieceOnSquare, 2>;

/// The arrangements of all elements of a predicate, one after the other.
#[derive(Clone, Debug)]
struct Arrangements {
    /// End of each element's arrangements.
    ends: Vec<u32>,
    all: Vec<Arrangement>,
}

/// Demand of one factor on the board.
#[derive(Clone, Copy)]
struct Demand<'a> {
    arrangements: &'a [Arrangement],
    mirrored: bool,
}

impl Possibilities {
    /// Writes the arrangements of an expression out.
    pub fn of(expr: &Expr) -> Self {
        Self { root: Node::of(expr) }
    }

    /// Whether a feature may hold of a position; `false` is certain.
    pub fn is_possible(&self, index: u32) -> bool {
        let mut demands = SmallVec::new();
        self.root.demands(u64::from(index), false, &mut demands);
        demands.sort_by_key(|demand| demand.arrangements.len());
        let halves: &[Option<Half>] = match demands.iter().any(|demand| demand.mirrored) {
            true => &[Some(Half::Left), Some(Half::Right)],
            false => &[None],
        };
        let mut patience = PATIENCE;
        halves.iter().any(|&half| {
            Stand { half, pieces: SmallVec::new(), patience: &mut patience }.fits(&demands)
        })
    }

    /// Number of impossible features in a range; `None` above 2^23 features.
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
                Arrangements::of(predicate).map_or(Node::Free, Node::Leaf)
            }
            Expr::Scalar(_) => Node::Free,
            Expr::Sum(parts) | Expr::Each(Each { parts, .. }) => Node::Sum(sized(parts)),
            Expr::Product(parts) => Node::Product(sized(parts)),
            Expr::Mirror(inner) => Node::Mirror(Box::new(Node::of(inner))),
            Expr::Rows(inner, rows) => Node::Rows(Box::new(Node::of(inner)), rows.clone()),
            Expr::Any(any) => {
                let parts: Vec<Possibilities> = any.parts().iter().map(Possibilities::of).collect();
                let some = |index| parts.iter().any(|part| part.is_possible(index));
                Node::Known((0..expr.size() as u32).map(some).collect())
            }
            Expr::Quotient(inner, classes) => {
                let inner = Possibilities::of(inner);
                let mut known = vec![false; expr.size() as usize];
                for (member, class) in (0..).zip(classes.iter()) {
                    if let Some(class) = class {
                        known[*class as usize] |= inner.is_possible(member);
                    }
                }
                Node::Known(known)
            }
        }
    }

    /// Demands of a feature's factors on the board.
    fn demands<'a>(&'a self, index: u64, mirrored: bool, demands: &mut SmallVec<[Demand<'a>; 8]>) {
        let mut rest = index;
        match self {
            Node::Free => {}
            Node::Leaf(leaf) => {
                demands.push(Demand { arrangements: leaf.of_element(index), mirrored })
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
            Node::Known(known) => {
                if !known[index as usize] {
                    demands.push(Demand { arrangements: &[], mirrored });
                }
            }
        }
    }
}

/// Files of the own king under a mirrored factor.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Half {
    /// Mirrored views are as they are.
    Left,
    /// Mirrored views are turned.
    Right,
}

/// Pieces that stand together, from the perspective.
struct Stand<'a> {
    half: Option<Half>,
    pieces: SmallVec<[PieceOnSquare; 8]>,
    patience: &'a mut u32,
}

impl Stand<'_> {
    /// Whether one arrangement of each demand fits here too.
    fn fits(&mut self, demands: &[Demand<'_>]) -> bool {
        let Some((demand, others)) = demands.split_first() else { return true };
        for arrangement in demand.arrangements {
            let Some(left) = self.patience.checked_sub(1) else { return true };
            *self.patience = left;
            let before = self.pieces.len();
            if self.place(arrangement, demand.mirrored) && self.fits(others) {
                return true;
            }
            self.pieces.truncate(before);
        }
        false
    }

    fn place(&mut self, arrangement: &Arrangement, mirrored: bool) -> bool {
        arrangement.iter().all(|&(square, kind)| {
            let turned = mirrored && self.half == Some(Half::Right);
            let placed = (if turned { square.flip_horizontal() } else { square }, kind);
            let fits = self.half.is_none_or(|half| on_its_half(placed, half))
                && self.pieces.iter().all(|&other| agree(placed, other));
            self.pieces.push(placed);
            fits
        })
    }
}

fn on_its_half((square, kind): PieceOnSquare, half: Half) -> bool {
    let is_own_king = kind.role == Role::King && kind.side == Side::Own;
    !is_own_king || (half == Half::Left) == (square.file() <= File::D)
}

/// Whether a position can show it: pawns stand on ranks 2 to 7.
pub(crate) fn can_stand((square, kind): PieceOnSquare) -> bool {
    kind.role != Role::Pawn || !Bitboard::BACKRANKS.contains(square)
}

/// Whether a position can show two different pieces.
pub(crate) fn stand_together(a: PieceOnSquare, b: PieceOnSquare) -> bool {
    let kings = a.1.role == Role::King && b.1.role == Role::King;
    let beside = attacks::king_attacks(a.0).contains(b.0);
    a.0 != b.0 && can_stand(a) && can_stand(b) && !(kings && (a.1 == b.1 || beside))
}

/// Compatibility of two demands, which may mean the same piece.
fn agree(a: PieceOnSquare, b: PieceOnSquare) -> bool {
    a == b || stand_together(a, b)
}

impl Arrangements {
    /// `None` for predicates too large to be written out.
    fn of(predicate: &Predicate) -> Option<Self> {
        if predicate.size() > MOST_WRITTEN {
            return None;
        }
        let (mut ends, mut all) = (Vec::new(), Vec::new());
        for element in 0..predicate.size() {
            let mut found = predicate.arrangements(element);
            found.retain(is_sound);
            all.append(&mut found);
            ends.push(all.len() as u32);
        }
        Some(Self { ends, all })
    }

    fn of_element(&self, element: u64) -> &[Arrangement] {
        let at = element as usize;
        let start = at.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.all[start as usize..self.ends[at] as usize]
    }
}

fn is_sound(arrangement: &Arrangement) -> bool {
    arrangement.iter().all(|&a| can_stand(a) && arrangement.iter().all(|&b| agree(a, b)))
}

/// Arrangements of a true element that needs no piece.
pub(crate) fn no_piece_needed() -> Vec<Arrangement> {
    vec![Arrangement::new()]
}

/// Arrangement of a single piece.
pub(crate) fn one(placed: PieceOnSquare) -> Arrangement {
    Arrangement::from_iter([placed])
}
