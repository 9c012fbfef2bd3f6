//! Lints: expressions that are correct and rarely intended.
//!
//! `king(SQUARES / BUCKETS-9) * ALL` has nine copies of ALL, and none while the own king stands
//! on files e to h; `COUNTS(3)` of a single square has two numbers that never occur. A lint gives
//! the extent of the gap and an expression without it.

mod never;

use std::fmt;

use super::concept::{Axis, Concept};
use super::expr::{Each, Expr};
use super::predicate::{Predicate, Scale};
use super::refresh::RefreshCause;
use super::set::FeatureSet;
use chess::{Bitboard, File, Square};

/// A lint of a feature set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Lint {
    /// No copy is selected: the one-hot factors of a product leave states of the anchor out.
    NoCopy {
        /// The summand, as written.
        text: String,
        /// States without a copy.
        gap: Gap,
        /// An expression without the gap.
        instead: Option<String>,
    },
    /// Numbers that never occur.
    NeverSoMany {
        /// The predicate.
        text: String,
        /// Unit of the number.
        counted: Counted,
        /// The largest number of the game.
        largest: u8,
        /// The largest number of its concept.
        most: u8,
    },
    /// Kings, which cannot be pinned.
    NeverPinned {
        /// The predicate.
        text: String,
        /// Whether the predicate is about kings alone.
        alone: bool,
    },
}

/// Things that a predicate counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Counted {
    /// Squares of a place.
    Squares,
    /// Squares to which one piece can move.
    Moves,
    /// Pieces that attack a place.
    Attackers,
}

/// Anchor of one-hot factors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Anchor {
    OwnKing { mirrored: bool },
    OtherKing,
    Band(Scale, u8),
}

/// States of an anchor without a copy: squares of a king, or bands, as bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Gap {
    anchor: Anchor,
    places: Bitboard,
}

/// All lints of a set.
pub fn of(set: &FeatureSet) -> Vec<Lint> {
    let gaps_of = |expr: &Expr| gaps(expr, false);
    let by_summand: Vec<Vec<Gap>> = set.summands().iter().map(|s| gaps_of(&s.expr)).collect();
    let open = unfilled(&by_summand);
    let mut lints = Vec::new();
    for (summand, gaps) in set.summands().iter().zip(&by_summand) {
        for &gap in gaps.iter().filter(|gap| open.contains(gap)) {
            let mirrored = Expr::Mirror(Box::new(summand.expr.clone()));
            let helps = gap.anchor == (Anchor::OwnKing { mirrored: false })
                && gaps_of(&mirrored).is_empty();
            let instead = helps.then(|| format!("mirror({})", summand.text));
            lints.push(Lint::NoCopy { text: summand.text.clone(), gap, instead });
        }
        never::of_predicates(&summand.expr, &mut lints);
    }
    lints
}

/// Gaps that summands do not fill for each other: those of an anchor that every summand with gaps
/// has.
fn unfilled(by_summand: &[Vec<Gap>]) -> Vec<Gap> {
    let all: Vec<Gap> = by_summand.iter().flatten().copied().collect();
    let is_open = |gap: &&Gap| {
        let same = all.iter().filter(|other| other.anchor == gap.anchor);
        same.fold(Bitboard::FULL, |places, other| places & other.places).any()
    };
    all.iter().filter(is_open).copied().collect()
}

fn gaps(expr: &Expr, mirrored: bool) -> Vec<Gap> {
    match expr {
        Expr::Product(parts) => {
            let of_part = |part| match covered(part, mirrored) {
                Some((anchor, places)) => gap(anchor, places).into_iter().collect(),
                None => gaps(part, mirrored),
            };
            parts.iter().flat_map(of_part).collect()
        }
        Expr::Sum(parts) => {
            unfilled(&parts.iter().map(|part| gaps(part, mirrored)).collect::<Vec<_>>())
        }
        Expr::Each(Each { parts, .. }) => gaps_of_all(parts, mirrored),
        Expr::Mirror(inner) => gaps(inner, true),
        Expr::Rows(inner, _) | Expr::Quotient(inner, _) => gaps(inner, mirrored),
        Expr::Any(any) => gaps_of_all(any.parts(), mirrored),
        // A lone predicate is a plain feature, except where a quotient numbers its elements.
        Expr::Predicate(predicate) if predicate.concepts().iter().any(Concept::merges) => {
            covered(expr, mirrored)
                .and_then(|(anchor, places)| gap(anchor, places))
                .into_iter()
                .collect()
        }
        Expr::Predicate(_) | Expr::Count(_) | Expr::Scalar(_) => Vec::new(),
    }
}

/// Gaps in the sum over all elements: one for each anchor with a gap in every part.
fn gaps_of_all(parts: &[Expr], mirrored: bool) -> Vec<Gap> {
    let mut parts = parts.iter().map(|part| gaps(part, mirrored));
    let first = parts.next().unwrap_or_default();
    parts.fold(first, |open, part| {
        let shared = |gap: Gap| {
            let other = part.iter().find(|other| other.anchor == gap.anchor)?;
            let places = gap.places & other.places;
            places.any().then_some(Gap { places, ..gap })
        };
        open.into_iter().filter_map(shared).collect()
    })
}

/// States in which one-hot factors, or a sum of them, select a copy.
fn covered(expr: &Expr, mirrored: bool) -> Option<(Anchor, Bitboard)> {
    match expr {
        Expr::Predicate(predicate) => covered_by(predicate, mirrored),
        Expr::Mirror(inner) => covered(inner, true),
        Expr::Sum(parts) | Expr::Each(Each { parts, .. }) => {
            let mut parts = parts.iter().map(|part| covered(part, mirrored));
            let (anchor, places) = parts.next()??;
            parts.try_fold((anchor, places), |(anchor, places), part| {
                let (other, more) = part?;
                (other == anchor).then_some((anchor, places | more))
            })
        }
        _ => None,
    }
}

fn covered_by(predicate: &Predicate, mirrored: bool) -> Option<(Anchor, Bitboard)> {
    let selector = predicate.selector()?;
    let band = |scale| match predicate.concepts().first()?.axis() {
        Axis::Band(bands) => Some(Anchor::Band(scale, bands)),
        _ => None,
    };
    let anchor = match selector.refresh_cause() {
        RefreshCause::OwnKing => Anchor::OwnKing { mirrored },
        RefreshCause::EnemyKing => Anchor::OtherKing,
        RefreshCause::Material => band(Scale::Material)?,
        RefreshCause::Phase => band(Scale::Phase)?,
        RefreshCause::Halfmoves => band(Scale::Halfmoves)?,
        // Every number has a tuple.
        RefreshCause::Mirror | RefreshCause::Count(_) => return None,
    };
    let all = selector.refresh_cause().states_of_games();
    Some((anchor, anchor.places(all.filter(|&state| selector.at(state).is_some()))))
}

fn gap(anchor: Anchor, covered: Bitboard) -> Option<Gap> {
    let places = anchor.reachable() & !covered;
    places.any().then_some(Gap { anchor, places })
}

impl Anchor {
    /// States of a refresh cause as bits: squares of a king, or bands of a scale.
    fn places(self, states: impl Iterator<Item = usize>) -> Bitboard {
        let place = |state: usize| match self {
            Anchor::Band(scale, bands) => scale.band(state, bands).into(),
            Anchor::OwnKing { .. } | Anchor::OtherKing => state,
        };
        Bitboard(states.fold(0, |bits, state| bits | 1 << place(state)))
    }

    fn reachable(self) -> Bitboard {
        match self {
            Anchor::OwnKing { mirrored: true } => left_half(),
            Anchor::OwnKing { mirrored: false } | Anchor::OtherKing => Bitboard::FULL,
            Anchor::Band(scale, _) => self.places(scale.states()),
        }
    }
}

fn left_half() -> Bitboard {
    [File::A, File::B, File::C, File::D]
        .into_iter()
        .map(Bitboard::from)
        .fold(Bitboard::EMPTY, |all, file| all | file)
}

impl fmt::Display for Gap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (count, all) = (self.places.count(), self.anchor.reachable().count());
        if let Anchor::Band(scale, bands) = self.anchor {
            let band = |band: Square| (band as usize).to_string();
            let numbers: Vec<String> = self.places.into_iter().map(band).collect();
            let (scale, numbers) = (scale.words(), numbers.join(", "));
            return write!(f, "with the {scale} in band {numbers} of {bands}");
        }
        let whose = if self.anchor == Anchor::OtherKing { "other" } else { "own" };
        write!(f, "with the {whose} king on {count} of {all} squares")?;
        const LISTED: usize = 4;
        let squares: Vec<String> =
            self.places.into_iter().take(LISTED).map(|square| square.to_string()).collect();
        match count {
            _ if self.places == !left_half() => f.write_str(" (files e to h)"),
            0..=LISTED => write!(f, " ({})", squares.join(", ")),
            _ => write!(f, " ({}, …)", squares.join(", ")),
        }
    }
}

impl fmt::Display for Lint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Lint::NoCopy { text, gap, instead } => {
                write!(f, "`{text}` is empty {gap}: no copy is selected there. ")?;
                match instead {
                    Some(instead) => write!(f, "Write `{instead}`"),
                    None => {
                        f.write_str("Give them a class of their own, or add a summand for them")
                    }
                }
            }
            Lint::NeverSoMany { text, counted, largest, most } => {
                let (what, coarser) = match counted {
                    Counted::Squares => ("squares: a place has", ", or coarser places"),
                    Counted::Moves => ("squares to which one piece can move:", ""),
                    Counted::Attackers => ("pieces: there can be", ""),
                };
                write!(
                    f,
                    "`{text}` counts {what} {largest} at most. Larger numbers, up to {most}, never occur. Write COUNTS({largest}){coarser}"
                )
            }
            Lint::NeverPinned { text, alone } => {
                let what = if *alone { "speaks of kings alone" } else { "has features of kings" };
                write!(
                    f,
                    "`{text}` {what}, and a king is never pinned: these are never active. Write `pinned(SQUARES * (ROLES without {{king}}) * COLORS)`"
                )
            }
        }
    }
}
