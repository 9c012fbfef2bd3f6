//! Tuple indices of the elements that concepts give a piece.
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
    /// The king of the steps; without one steps do not restrict squares.
    king: Option<Square>,
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
        Self { parts, king: None }
    }

    /// The same with steps to a king on this square.
    pub(crate) fn seen_from(self, king: Square) -> Self {
        Self { king: Some(king), ..self }
    }

    /// Some of the concepts, by their places; strides stay.
    pub(crate) fn only(&self, places: &[usize]) -> Self {
        let parts = places.iter().map(|&at| self.parts[at]).collect();
        Self { parts, king: self.king }
    }

    fn sum(&self, element: impl Fn(Axis) -> Option<u8>) -> Option<u32> {
        self.parts.iter().try_fold(0, |sum, (concept, stride)| match element(concept.axis()) {
            Some(element) => Some(sum + concept.position(element)? as u32 * stride),
            None => Some(sum),
        })
    }

    /// The element of a square on a place axis, or on a step axis with a king.
    fn of_square(&self, axis: Axis, square: Square) -> Option<u8> {
        match self.king {
            Some(king) if axis.is_step() => Some(axis.of_step(king, square)),
            _ => axis.is_place().then(|| axis.of_square(square)),
        }
    }

    /// Index offset of a square; `None` if it is in no tuple.
    pub(crate) fn place(&self, square: Square) -> Option<u32> {
        self.sum(|axis| self.of_square(axis, square))
    }

    /// The squares of every product of places and its index offset, products without any square
    /// included.
    pub(crate) fn classes_of_squares(&self) -> Vec<(Bitboard, u32)> {
        let is_place = |axis: Axis| self.of_square(axis, Square::A1).is_some();
        let places = self.parts.iter().filter(|(concept, _)| is_place(concept.axis()));
        places.fold(vec![(Bitboard::FULL, 0)], |products, (concept, stride)| {
            let class = |class: usize| -> Bitboard {
                let is_in = |square: &Square| {
                    let element = self.of_square(concept.axis(), *square);
                    element.is_some_and(|element| concept.class(class).contains(&element))
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

    /// Index offset of a kind of piece; `None` if it is in no tuple.
    pub(crate) fn kind(&self, kind: PieceKind) -> Option<u32> {
        self.sum(|axis| axis.is_kind().then(|| axis.of_kind(kind)))
    }

    /// Index offset of each number, of a product with `COUNTS`; the last stands for all above it.
    pub(crate) fn numbers(&self) -> Vec<u32> {
        let axes = self.parts.iter().map(|(concept, _)| concept.axis());
        let number = axes.into_iter().find(|axis| axis.is_number());
        number.map_or_else(Vec::new, |axis| self.along(axis))
    }

    /// Index offset of each element of `axis`.
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
