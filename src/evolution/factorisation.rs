//! Evaluations that are sums of numbers: piece-square tables in as few words as possible.
//!
//! The tables of two phases are a matrix of 64 squares by twelve pieces and phases. It is
//! approximated by C·W plus an offset for each table: n *components*, sets of squares, which are
//! 64-bit words, and for each component a small whole number per table (krezelj, *Piece Square
//! Tables Factorisation*, 2023). A component is a pattern that many tables share, such as "the
//! seventh rank" or "the rim".
//!
//! [`FactorTarget`] has the tables and the weights of errors, [`Factors`] an approximation,
//! [`FactorMethod`] the ways to find one.

use engine::{ByRoleAndSquare, PieceTables};

mod alternating;
mod annealing;
mod export;
mod factors;
mod genetic;
mod joint;
mod lattice;
mod occupancy;
mod of_net;
mod packing;
pub mod page;
mod record;
mod search;
mod target;
#[cfg(test)]
mod tests;

pub use export::Language;
pub use factors::{Factors, MOST_COMPONENTS, OFFSET_STEP};
pub use occupancy::{CountedCell, Occupancy, counted};
pub use of_net::{NoTables, tables_of};
pub use packing::Packed;
pub use record::{EvaluationRms, FactorGames, Occupancies, Record};
pub use search::{FactorBudget, FactorMethod, FactorProgress, FactorSettings, factorise};
pub use target::{FactorLoss, FactorTarget};

/// Squares of a table.
pub const SQUARES: usize = 64;

/// Tables: pawn to king in the middlegame, then in the endgame.
pub const TABLES: usize = 12;

/// A number for each square, a1 first, and table.
pub type Cells<T> = [[T; TABLES]; SQUARES];

pub fn cells_of(tables: &PieceTables) -> Cells<i32> {
    std::array::from_fn(|square| std::array::from_fn(|table| cell_of(tables, square, table)))
}

pub fn cell_of(tables: &PieceTables, square: usize, table: usize) -> i32 {
    match table.checked_sub(TABLES / 2) {
        None => tables.middlegame()[table][square],
        Some(role) => tables.endgame()[role][square],
    }
}

/// Cells as tables that the engine plays.
pub fn tables_of_cells(cells: &Cells<i32>) -> PieceTables {
    let phase = |first: usize| -> ByRoleAndSquare {
        std::array::from_fn(|role| std::array::from_fn(|square| cells[square][first + role]))
    };
    PieceTables::new(phase(0), phase(TABLES / 2))
}
