//! `attackers(place * piece * COUNTS(n))`: how many such pieces attack or protect something of
//! the place: pieces are counted, where `attacks(… * COUNTS)` counts squares.

use arrayvec::ArrayVec;
use smallvec::SmallVec;

use super::prelude::*;
use super::relation::Relation;
use super::relation::classes::KindClass;
use crate::picture;
use crate::possible::{no_piece_needed, one};
use crate::said::{as_white_sees, kinds, squares};
use chess::{Bitboard, Square, View, attacks};

pub(crate) struct Attackers;

/// Most pieces of a role that a side can have, pawns promoted.
const MOST: [usize; 6] = [8, 10, 10, 10, 9, 1];

impl Definition for Attackers {
    fn entry(&self) -> Entry {
        Entry {
            name: "attackers",
            usage: "attackers takes places, COUNTS of pieces that attack them, ROLES and COLORS, each at most once: `attackers(SQUARES * COLORS * COUNTS(3))`",
            example: "attackers(SQUARES * COLORS * COUNTS(3))",
            after_comma: AfterComma::Nothing,
            is_countable: false,
        }
    }

    fn check(&self, concepts: &[Concept], _: &mut Clauses) -> Result<Tupling, Misuse> {
        let takes = |axis: Axis| axis.is_place() || axis.is_kind() || axis.is_number();
        check_each("attackers", concepts, takes, "neither place nor piece nor number")?;
        let says = |wanted: fn(Axis) -> bool| concepts.iter().any(|concept| wanted(concept.axis()));
        match (says(Axis::is_place), says(Axis::is_number)) {
            (true, true) => Ok(Tupling::All),
            (_, false) => Err(Misuse::missing(
                "`attackers` needs to know how many: COUNTS",
                "no number among these",
            )),
            (false, _) => Err(Misuse::missing(
                "`attackers` needs to know of what: a square, file, rank or diagonal",
                "no place among these",
            )),
        }
    }

    /// Every place and kind has exactly one number.
    fn max_active(&self, concepts: &[Concept], _: Clauses) -> u64 {
        let counted = concepts.iter().filter(|concept| !concept.axis().is_number());
        counted.map(|concept| concept.len() as u64).product()
    }

    /// `other pawn attacking d4: 2`.
    fn describe(&self, predicate: &Predicate, index: u64) -> String {
        let (piece, place) = (predicate.piece_words(index), predicate.place_words(index));
        let number = predicate.number_words(index).unwrap_or_default();
        format!("{piece} attacking {place}: {number}")
    }

    fn subjects(&self, predicate: &Predicate, index: u64) -> Vec<Subject> {
        picture::places_of(predicate, index)
    }

    /// No piece for the number 0, and otherwise one that attacks.
    fn witnesses(&self, predicate: &Predicate, index: u64) -> Vec<Witness> {
        let said = predicate.said(index);
        let numbers = said.iter().find(|(axis, _)| axis.is_number());
        let least = numbers.and_then(|(_, numbers)| numbers.iter().min()).copied().unwrap_or(0);
        if least == 0 {
            return no_piece_needed();
        }
        let most: usize = kinds(&said).map(|kind| MOST[kind.role as usize - 1]).sum();
        if usize::from(least) > most {
            return Vec::new();
        }
        let place: Bitboard = squares(&said).collect();
        let mut found = Vec::new();
        for kind in kinds(&said) {
            let attacks_it = |from: &Square| {
                (attacks::attacks(*from, as_white_sees(kind), Bitboard::EMPTY) & place).any()
            };
            let from = Square::ALL.into_iter().filter(attacks_it);
            found.extend(from.map(|from| one((from, kind))));
        }
        found
    }

    #[cfg(test)]
    fn count(&self, predicate: &Predicate, index: u64, facts: &crate::oracle::Facts<'_>) -> usize {
        let said = predicate.said(index);
        let Some((Axis::Count(most), numbers)) = said.iter().find(|(axis, _)| axis.is_number())
        else {
            return 0;
        };
        let attacks_it = |mark: &&crate::oracle::Mark| {
            let is_there = |square| crate::said::is_place(&said, square);
            crate::said::is_kind(&said, mark.0)
                && facts.attacks.iter().any(|(of, to)| of == *mark && is_there(*to))
        };
        let attackers = facts.pieces.iter().filter(attacks_it).count();
        usize::from(numbers.contains(&(attackers.min(usize::from(*most)) as u8)))
    }

    fn compile(&self, predicate: &Predicate, _valued: bool) -> Compiled {
        AttackersTable::new(predicate.concepts()).into()
    }
}

/// For every place and class of kinds exactly the tuple of its number is active.
#[derive(Clone, Debug)]
pub(crate) struct AttackersTable {
    /// The squares of each place, as seen, and what it adds to the index.
    places: Vec<(Bitboard, u32)>,
    classes: Vec<KindClass>,
    /// What each class of kinds adds to the index.
    parts: Vec<u32>,
    /// What each number adds to the index; the last stands for all above it.
    numbers: Vec<u32>,
}

/// What each piece of a class attacks, as seen.
type Attacked = ArrayVec<Bitboard, 32>;

impl AttackersTable {
    fn new(concepts: &[Concept]) -> Self {
        let coding = Coding::new(concepts);
        let kinds = coding.kinds();
        let (classes, _) = KindClass::all(&kinds);
        let parts = classes.iter().map(|class| kinds[class.first().index()]).collect();
        let (places, numbers) = (coding.classes_of_squares(), coding.numbers());
        Self { places, classes, parts, numbers }
    }

    /// What the number of attackers of a place adds to the index.
    #[inline]
    fn number(&self, attacked: &Attacked, place: Bitboard) -> u32 {
        let attackers = attacked.iter().filter(|&&squares| (squares & place).any()).count();
        self.numbers[attackers.min(self.numbers.len() - 1)]
    }

    fn attacked(&self, view: View<'_>) -> SmallVec<[Attacked; 2]> {
        self.classes.iter().map(|class| attacked_by(class, view)).collect()
    }
}

fn attacked_by(class: &KindClass, view: View<'_>) -> Attacked {
    let (board, orientation) = (view.scene().board(), view.orientation());
    let mut attacked = Attacked::new();
    for square in class.squares(Relation::Stands, view.scene(), view.perspective()) {
        let Some(piece) = board.piece_at(square) else { continue };
        let squares = attacks::attacks(square, piece, board.occupied());
        // A board set up by hand may hold more than a game can.
        let _ = attacked.try_push(orientation.squares(squares));
    }
    attacked
}

impl Table for AttackersTable {
    fn refreshed_by(&self) -> Option<RefreshCause> {
        None
    }

    fn active<S: Sink>(&self, view: View<'_>, sink: &mut S) {
        for (attacked, part) in self.attacked(view).iter().zip(&self.parts) {
            for (place, at) in &self.places {
                let number = self.number(attacked, *place);
                if number != NONE {
                    sink.push(part + at + number, 1.0);
                }
            }
        }
    }

    fn delta<S: Sink>(&self, step: &ViewStep<'_>, removed: &mut S, added: &mut S) -> Update {
        let (before, after) = (self.attacked(step.before()), self.attacked(step.after()));
        for ((old, new), part) in before.iter().zip(&after).zip(&self.parts) {
            if old == new {
                continue;
            }
            for (place, at) in &self.places {
                let (was, is) = (self.number(old, *place), self.number(new, *place));
                if was == is {
                    continue;
                }
                if was != NONE {
                    removed.push(part + at + was, 1.0);
                }
                if is != NONE {
                    added.push(part + at + is, 1.0);
                }
            }
        }
        Update::Rows
    }

    fn atoms(&self) -> Option<Vec<(Atom, u32)>> {
        None
    }

    fn sum_over_pieces(&self) -> Option<&dyn SumOverPieces> {
        None
    }
}
