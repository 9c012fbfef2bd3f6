//! Cells of piece-square tables.

use std::sync::Arc;

use engine::PieceTables;
use serde::{Deserialize, Serialize};

use crate::SpaceError;
use crate::factorisation::{self, TABLES};
use crate::space::{Gene, Space};

/// Piece-square tables with the cells to search for.
#[derive(Clone, Debug)]
pub struct TableGenome {
    /// Values of the other cells.
    base: Arc<PieceTables>,
    /// For each gene its cell.
    cells: Vec<TableCell>,
    space: Space,
}

/// A cell of tapered tables.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TableCell {
    /// Pawn to king in the middlegame, then in the endgame.
    pub table: usize,
    /// a1 is 0.
    pub square: usize,
}

/// Cells to search for.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "CellNames", into = "CellNames")]
pub enum CellSelection {
    /// All cells of the twelve tables: 768.
    #[default]
    All,
    /// Cells of the ten tables of *Phoenix*: 640. Its endgame has no tables of rooks and queens.
    Phoenix,
    /// Cells of some tables by name: `pawn`, `king endgame`.
    Of(Vec<String>),
}

/// The form in files.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(untagged)]
enum CellNames {
    One(String),
    Several(Vec<String>),
}

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{0}` is none of: all, phoenix, a list of tables, each a role (pawn to king) and, for one of \
     its two, middlegame or endgame"
)]
pub struct CellsError(String);

impl TryFrom<CellNames> for CellSelection {
    type Error = CellsError;

    fn try_from(words: CellNames) -> Result<Self, CellsError> {
        match words {
            CellNames::One(word) if word == "all" => Ok(Self::All),
            CellNames::One(word) if word == "phoenix" => Ok(Self::Phoenix),
            CellNames::One(word) => Err(CellsError(word)),
            CellNames::Several(names) => {
                let wrong =
                    names.iter().find(|name| !(0..TABLES).any(|table| is_named(name, table)));
                wrong.map_or(Ok(Self::Of(names.clone())), |name| Err(CellsError(name.clone())))
            }
        }
    }
}

impl From<CellSelection> for CellNames {
    fn from(cells: CellSelection) -> Self {
        match cells {
            CellSelection::All => Self::One("all".to_owned()),
            CellSelection::Phoenix => Self::One("phoenix".to_owned()),
            CellSelection::Of(names) => Self::Several(names),
        }
    }
}

const ROLES: [&str; TABLES / 2] = ["pawn", "knight", "bishop", "rook", "queen", "king"];
const PHASES: [&str; 2] = ["middlegame", "endgame"];

/// `pawn middlegame` to `king endgame`.
fn name(table: usize) -> String {
    format!("{} {}", ROLES[table % ROLES.len()], PHASES[table / ROLES.len()])
}

/// Whether a text names a table, or both of its role.
fn is_named(text: &str, table: usize) -> bool {
    text == name(table) || text == ROLES[table % ROLES.len()]
}

impl CellSelection {
    fn has(&self, table: usize) -> bool {
        match self {
            Self::All => true,
            Self::Phoenix => !matches!(name(table).as_str(), "rook endgame" | "queen endgame"),
            Self::Of(names) => names.iter().any(|name| is_named(name, table)),
        }
    }
}

impl TableGenome {
    /// Cells of these tables, each within `range` centipawns of the piece value
    /// ([`PieceTables::material`]), in steps of `step`; other cells stay.
    ///
    /// # Errors
    /// Tables that begin outside the range, a step without effect.
    pub fn new(
        base: Arc<PieceTables>,
        cells: &CellSelection,
        range: i32,
        step: f64,
    ) -> Result<Self, SpaceError> {
        let material = PieceTables::material();
        let mut genes = Vec::new();
        let mut all = Vec::new();
        for table in (0..TABLES).filter(|&table| cells.has(table)) {
            for square in 0..64 {
                let cell = TableCell { table, square };
                let middle = cell.of(&material);
                genes.push(Gene {
                    name: cell.name(),
                    start: cell.of(&base).into(),
                    low: (middle - range).into(),
                    high: (middle + range).into(),
                    step,
                });
                all.push(cell);
            }
        }
        Ok(Self { base, cells: all, space: Space::new(genes)? })
    }

    pub fn space(&self) -> &Space {
        &self.space
    }

    /// The cell of each gene.
    pub(crate) fn cells(&self) -> &[TableCell] {
        &self.cells
    }

    pub(crate) fn base(&self) -> &PieceTables {
        &self.base
    }

    /// The tables of a point, in whole centipawns.
    pub fn at(&self, point: &[f64]) -> PieceTables {
        let mut cells = factorisation::cells_of(&self.base);
        for (cell, value) in self.cells.iter().zip(point) {
            cells[cell.square][cell.table] = value.round() as i32;
        }
        factorisation::tables_of_cells(&cells)
    }
}

impl TableCell {
    pub(crate) fn of(self, tables: &PieceTables) -> i32 {
        factorisation::cell_of(tables, self.square, self.table)
    }

    fn name(self) -> String {
        let (file, rank) = (char::from(b'a' + (self.square % 8) as u8), self.square / 8 + 1);
        format!(
            "{} {file}{rank} {}",
            ROLES[self.table % ROLES.len()],
            PHASES[self.table / ROLES.len()]
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_document_has_640_cells_and_all_tables_768() {
        let genes = |cells| {
            let tables = TableGenome::new(PieceTables::pesto().clone(), &cells, 200, 5.0).unwrap();
            tables.space().dimensions()
        };
        assert_eq!((genes(CellSelection::Phoenix), genes(CellSelection::All)), (640, 768));
        let some = ["pawn", "king endgame", "pawn middlegame"].map(str::to_owned);
        assert_eq!(genes(CellSelection::Of(some.to_vec())), 192);
    }

    #[test]
    fn the_start_is_the_tables_themselves_and_a_gene_is_a_cell() {
        let pesto = PieceTables::pesto();
        for cells in [CellSelection::All, CellSelection::Phoenix] {
            let genome = TableGenome::new(pesto.clone(), &cells, 200, 5.0).unwrap();
            let mut point = genome.space().start();
            assert_eq!(genome.at(&point), **pesto);
            let knight =
                genome.space().genes().iter().position(|gene| gene.name == "knight f5 endgame");
            let knight = knight.unwrap();
            point[knight] += 7.4;
            let moved = genome.at(&point);
            let f5 = 4 * 8 + 5;
            assert_eq!(moved.endgame()[1][f5], pesto.endgame()[1][f5] + 7);
            assert_eq!(moved.middlegame(), pesto.middlegame());
        }
    }

    #[test]
    fn tables_that_begin_outside_are_refused() {
        let error = TableGenome::new(PieceTables::pesto().clone(), &CellSelection::All, 20, 5.0)
            .unwrap_err();
        assert!(error.to_string().contains("does not hold"), "{error}");
    }
}
