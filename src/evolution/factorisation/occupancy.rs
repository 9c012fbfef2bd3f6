//! Frequencies of pieces on squares, and the effect of table errors on evaluations.
//!
//! A position's evaluation by tables is a sum over cells: each piece counts in the middlegame's
//! table by the phase left, in the endgame's by the phase gone, White's with its square, Black's
//! negative and seen from its own side. With errors δ of all cells the evaluation is off by xᵀδ,
//! and the root of the mean square over positions is the root of δᵀΣδ with Σ = E[x xᵀ].

use chess::{Board, FULL_PHASE, Orientation, phase};

use super::{Cells, SQUARES, TABLES};

pub(crate) const CELLS: usize = SQUARES * TABLES;

/// Index of a cell.
#[inline]
pub(crate) fn cell(square: usize, table: usize) -> usize {
    square * TABLES + table
}

/// The second moments of the cells' factors in positions.
#[derive(Clone, Debug)]
pub struct Occupancy {
    /// `[cells][cells]`, sums over positions.
    products: Vec<f64>,
    positions: u64,
}

impl Default for Occupancy {
    fn default() -> Self {
        Self { products: vec![0.0; CELLS * CELLS], positions: 0 }
    }
}

/// Factor of a cell in a position, seen by White.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CountedCell {
    /// Square from the piece's own side; a1 is 0.
    pub square: usize,
    /// Pawn to king in the middlegame, then in the endgame.
    pub table: usize,
    /// The share of the phase, negative for Black's pieces.
    pub factor: f64,
}

/// The cells of a position: two for each piece, one of them perhaps with factor 0.
pub fn counted(board: &Board) -> Vec<CountedCell> {
    let gone = f64::from(phase(board)) / f64::from(FULL_PHASE);
    let mut cells = Vec::with_capacity(64);
    for (square, piece) in board.iter() {
        let sign = piece.color.fold_wb(1.0, -1.0);
        let square = Orientation::of(piece.color).square(square).to_usize();
        let table = piece.role as usize - 1;
        cells.push(CountedCell { square, table, factor: sign * (1.0 - gone) });
        cells.push(CountedCell { square, table: table + TABLES / 2, factor: sign * gone });
    }
    cells
}

impl Occupancy {
    pub fn add(&mut self, board: &Board) {
        let counted: Vec<(usize, f64)> =
            counted(board).iter().map(|one| (cell(one.square, one.table), one.factor)).collect();
        for &(row, x) in &counted {
            let products = &mut self.products[row * CELLS..][..CELLS];
            counted.iter().for_each(|&(column, y)| products[column] += x * y);
        }
        self.positions += 1;
    }

    pub fn positions(&self) -> u64 {
        self.positions
    }

    /// E[x²] of one cell.
    pub(crate) fn of_cell(&self, square: usize, table: usize) -> f64 {
        self.between(cell(square, table), cell(square, table))
    }

    /// E[x y] of two cells.
    pub(crate) fn between(&self, row: usize, column: usize) -> f64 {
        self.products[row * CELLS + column] / self.positions.max(1) as f64
    }

    /// E[x y] of one cell and all.
    pub(crate) fn row(&self, row: usize) -> impl Iterator<Item = f64> {
        let positions = self.positions.max(1) as f64;
        self.products[row * CELLS..][..CELLS].iter().map(move |product| product / positions)
    }

    /// Error of the evaluation for errors of cells: root of the mean square over the positions, in
    /// centipawns.
    pub fn evaluation_error(&self, errors: &Cells<i32>) -> f64 {
        let flat: Vec<f64> = errors.iter().flatten().map(|&error| f64::from(error)).collect();
        let of_row = |row: usize| {
            let sum: f64 = self.row(row).zip(&flat).map(|(product, error)| product * error).sum();
            sum * flat[row]
        };
        (0..CELLS).map(of_row).sum::<f64>().max(0.0).sqrt()
    }
}
