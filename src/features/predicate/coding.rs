//! From what the concepts say of a piece to a tuple's index.
//!
//! A tuple's index is mixed-radix in the order in which its concepts were
//! written; each concept adds the number of a class times its stride.

use crate::concept::{Axis, Concept};
use chess::{Bitboard, PieceKind, Square};

pub(crate) const NONE: u32 = u32::MAX;

/// Concepts with their strides.
#[derive(Clone, Debug)]
pub(crate) struct Coding<'a> {
    parts: Vec<(&'a Concept, u32)>,
}

impl<'a> Coding<'a> {
    pub(crate) fn new(concepts: &'a [Concept]) -> Self {
        let mut stride = 1;
        let mut parts: Vec<(&Concept, u32)> = Vec::with_capacity(concepts.len());
        for concept in concepts.iter().rev() {
            parts.push((concept, stride));
            stride = stride.wrapping_mul(concept.len() as u32);
        }
        parts.reverse();
        Self { parts }
    }

    /// Some of the concepts, by their places; strides stay.
    pub(crate) fn only(&self, places: &[usize]) -> Self {
        Self { parts: places.iter().map(|&at| self.parts[at]).collect() }
    }

    fn sum(&self, element: impl Fn(Axis) -> Option<u8>) -> Option<u32> {
        self.parts.iter().try_fold(0, |sum, (concept, stride)| match element(concept.axis()) {
            Some(element) => Some(sum + concept.position(element)? as u32 * stride),
            None => Some(sum),
        })
    }

    /// What the place concepts add for a square; `None` if it is in no tuple.
    pub(crate) fn place(&self, square: Square) -> Option<u32> {
        self.sum(|axis| axis.is_place().then(|| axis.of_square(square)))
    }

    /// The squares of every product of places and what it adds, of those without
    /// any square too.
    pub(crate) fn classes_of_squares(&self) -> Vec<(Bitboard, u32)> {
        let places = self.parts.iter().filter(|(concept, _)| concept.axis().is_place());
        places.fold(vec![(Bitboard::FULL, 0)], |products, (concept, stride)| {
            let class = |class: usize| -> Bitboard {
                let is_in = |square: &Square| {
                    concept.class(class).contains(&concept.axis().of_square(*square))
                };
                Square::ALL.into_iter().filter(is_in).collect()
            };
            let classes: Vec<Bitboard> = (0..concept.len()).map(class).collect();
            let with = |&(squares, part): &(Bitboard, u32)| {
                let classes = (0..).zip(&classes);
                classes.map(move |(at, &class)| (squares & class, part + at * stride)).collect()
            };
            products.iter().flat_map(|product| -> Vec<(Bitboard, u32)> { with(product) }).collect()
        })
    }

    /// What role and colour add for a kind of piece; `None` if it is in no tuple.
    pub(crate) fn kind(&self, kind: PieceKind) -> Option<u32> {
        self.sum(|axis| axis.is_kind().then(|| axis.of_kind(kind)))
    }

    /// What the number of an element of `axis` adds, for all elements.
    pub(crate) fn along(&self, axis: Axis) -> Vec<u32> {
        (0..axis.size())
            .map(|element| self.sum(|a| (a == axis).then_some(element)).unwrap_or(NONE))
            .collect()
    }

    /// [`place`](Self::place) for all squares.
    pub(crate) fn places(&self) -> [u32; 64] {
        std::array::from_fn(|square| self.place(Square::new(square as u32)).unwrap_or(NONE))
    }

    /// [`kind`](Self::kind) for all kinds.
    pub(crate) fn kinds(&self) -> [u32; PieceKind::COUNT] {
        std::array::from_fn(|index| self.kind(PieceKind::from_index(index)).unwrap_or(NONE))
    }
}

/// Whether no two entries but [`NONE`] are equal.
pub(crate) fn all_distinct(parts: &[u32]) -> bool {
    let mut known: Vec<u32> = parts.iter().copied().filter(|&part| part != NONE).collect();
    known.sort_unstable();
    known.windows(2).all(|pair| pair[0] != pair[1])
}
