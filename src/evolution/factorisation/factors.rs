//! Components and their weights.

use super::{Cells, SQUARES, TABLES};

/// Step of offsets in centipawns: a byte then reaches from −1,152 to 1,143 centipawns.
pub const OFFSET_STEP: i32 = 9;

/// Range of a weight and of an offset.
pub(crate) const RANGE: std::ops::RangeInclusive<i32> = -128..=127;

/// Largest number of components.
pub const MOST_COMPONENTS: usize = 20;

/// An approximation of twelve tables: the value of a square is the sum of the weights of its
/// components and the offset of the table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Factors {
    /// For each square a bit per component.
    pub(crate) masks: [u32; SQUARES],
    /// `[components][tables]`, each in [`RANGE`].
    pub(crate) weights: Vec<[i32; TABLES]>,
    /// In steps of [`OFFSET_STEP`], each in [`RANGE`].
    pub(crate) offsets: [i32; TABLES],
}

impl Factors {
    /// No components yet.
    pub(crate) fn of_offsets(offsets: [i32; TABLES]) -> Self {
        Self { masks: [0; SQUARES], weights: Vec::new(), offsets }
    }

    /// From its parts: squares of each component (bit 0 is a1), their weights, and offsets in
    /// steps of [`OFFSET_STEP`].
    pub fn new(components: &[u64], weights: &[[i8; TABLES]], offsets: [i8; TABLES]) -> Self {
        let of_square = |square: usize| {
            let bits = components.iter().enumerate();
            bits.fold(0, |mask, (i, &squares)| mask | ((squares >> square & 1) as u32) << i)
        };
        Self {
            masks: std::array::from_fn(of_square),
            weights: weights.iter().map(|row| row.map(i32::from)).collect(),
            offsets: offsets.map(i32::from),
        }
    }

    /// Number of components.
    pub fn count(&self) -> usize {
        self.weights.len()
    }

    /// The squares of a component, bit 0 is a1.
    pub fn component(&self, index: usize) -> u64 {
        let bits = self.masks.iter().enumerate();
        bits.fold(0, |squares, (square, &mask)| squares | u64::from(mask >> index & 1) << square)
    }

    /// The squares of all components.
    pub fn components(&self) -> Vec<u64> {
        (0..self.count()).map(|index| self.component(index)).collect()
    }

    /// `[components][tables]`
    pub fn weights(&self) -> Vec<[i8; TABLES]> {
        self.weights.iter().map(|row| row.map(byte)).collect()
    }

    /// In steps of [`OFFSET_STEP`].
    pub fn offsets(&self) -> [i8; TABLES] {
        self.offsets.map(byte)
    }

    /// Values of a square in all tables.
    pub(crate) fn row(&self, square: usize) -> [i32; TABLES] {
        let mask = self.masks[square];
        let active = self.weights.iter().enumerate().filter(|&(i, _)| mask >> i & 1 == 1);
        active.fold(self.offsets.map(|offset| offset * OFFSET_STEP), |mut sum, (_, row)| {
            sum.iter_mut().zip(row).for_each(|(sum, weight)| *sum += weight);
            sum
        })
    }

    /// The approximated tables, values of pieces included.
    pub fn cells(&self) -> Cells<i32> {
        std::array::from_fn(|square| self.row(square))
    }

    /// Adds a component without squares and weights.
    pub(crate) fn grow(&mut self) {
        self.weights.push([0; TABLES]);
    }
}

/// A weight as it is stored; searches keep to [`RANGE`].
fn byte(weight: i32) -> i8 {
    weight.clamp(*RANGE.start(), *RANGE.end()) as i8
}
