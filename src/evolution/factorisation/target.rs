//! The tables to approximate, and the weights of errors.

use super::factors::{Factors, OFFSET_STEP, RANGE};
use super::{Cells, Occupancy, SQUARES, TABLES};

/// Errors that count.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize, clap::ValueEnum,
)]
#[serde(rename_all = "kebab-case")]
pub enum FactorLoss {
    /// Errors of all cells, unweighted.
    Plain,
    /// Errors weighted by the occupancy of the square in real positions of the phase.
    Cells,
    /// Errors of the evaluation in real positions, where errors of several pieces may cancel.
    Evaluation,
}

impl FactorLoss {
    pub fn name(self) -> &'static str {
        match self {
            FactorLoss::Plain => "plain",
            FactorLoss::Cells => "cells",
            FactorLoss::Evaluation => "evaluation",
        }
    }
}

/// Tables, and the weight of an error in each cell.
#[derive(Clone, Debug)]
pub struct FactorTarget {
    /// Whole values, piece values included.
    pub(crate) cells: Cells<i32>,
    /// Weight of a squared error; 0 where no such piece can stand.
    pub(crate) importance: Cells<f32>,
    /// Whether offsets are fitted too, instead of being the means of the tables.
    pub(crate) fits_offsets: bool,
}

/// Table of pawns in either phase.
fn is_of_pawns(table: usize) -> bool {
    table.is_multiple_of(TABLES / 2)
}

/// Whether such a piece can stand there: pawns cannot on the first and the last rank.
pub(crate) fn is_possible(square: usize, table: usize) -> bool {
    !(is_of_pawns(table) && matches!(square / 8, 0 | 7))
}

impl FactorTarget {
    /// All cells alike except those where no piece can stand; offsets as in the document.
    pub fn plain(cells: Cells<i32>) -> Self {
        let importance = std::array::from_fn(|square| {
            std::array::from_fn(|table| f32::from(u8::from(is_possible(square, table))))
        });
        Self { cells, importance, fits_offsets: false }
    }

    /// Cells weighted by these positions. Errors are then squared centipawns of an evaluation, if
    /// those of different cells were independent.
    pub fn weighted(cells: Cells<i32>, occupancy: &Occupancy) -> Self {
        let importance = std::array::from_fn(|square| {
            std::array::from_fn(|table| occupancy.of_cell(square, table) as f32)
        });
        Self { cells, importance, fits_offsets: true }
    }

    /// No components, and for each table the rounded mean over all its squares as offset, to the
    /// nearest step.
    pub fn start(&self) -> Factors {
        let offset = |table: usize| {
            let sum: i32 = self.cells.iter().map(|row| row[table]).sum();
            let mean = (f64::from(sum) / SQUARES as f64).round();
            ((mean / f64::from(OFFSET_STEP)).round() as i32).clamp(*RANGE.start(), *RANGE.end())
        };
        Factors::of_offsets(std::array::from_fn(offset))
    }

    /// Error of the approximation in each cell.
    pub(crate) fn errors(&self, factors: &Factors) -> Cells<i32> {
        let mut errors = factors.cells();
        for (row, target) in errors.iter_mut().zip(&self.cells) {
            row.iter_mut().zip(target).for_each(|(error, target)| *error -= target);
        }
        errors
    }

    /// Weighted sum of all squared errors.
    pub fn cost(&self, factors: &Factors) -> f64 {
        self.cost_of(&self.errors(factors))
    }

    pub(crate) fn cost_of(&self, errors: &Cells<i32>) -> f64 {
        let rows = errors.iter().zip(&self.importance);
        rows.map(|(errors, importance)| f64::from(cost_of_row(errors, importance))).sum()
    }

    /// The mean squared error over all 768 cells in cp²; those where no piece can stand count as
    /// exact, as in the document.
    pub fn mean_squared_error(&self, factors: &Factors) -> f64 {
        let plain = Self::plain(self.cells);
        plain.cost(factors) / (SQUARES * TABLES) as f64
    }

    /// The largest error of a cell where a piece can stand, in centipawns.
    pub fn largest_error(&self, factors: &Factors) -> i32 {
        let errors = self.errors(factors);
        let possible = |square: usize| {
            let row = errors[square].iter().enumerate();
            row.filter(move |&(table, _)| is_possible(square, table)).map(|(_, error)| error.abs())
        };
        (0..SQUARES).flat_map(possible).max().unwrap_or(0)
    }
}

/// Weighted squared errors of one square.
#[inline]
pub(crate) fn cost_of_row(errors: &[i32; TABLES], importance: &[f32; TABLES]) -> f32 {
    let squares = errors.iter().zip(importance);
    squares.map(|(&error, &importance)| importance * (error * error) as f32).sum()
}
