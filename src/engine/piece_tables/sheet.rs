//! Tables as text: sheets of numbers that people and other programs write.
//!
//! ```text
//! # anything
//! pawn,middlegame,82          value added to the numbers below; may be left out
//!    0,  0,  0,  0, …         eight lines of eight, a8 to h1
//! ```
//!
//! Twelve tables, pawn to king in the middlegame and then in the endgame, or six for both. A
//! heading must name its table.

use std::fmt::Write;
use std::path::{Path, PathBuf};

use super::{ByRoleAndSquare, MOST, PieceTables};

const ROLES: [&str; 6] = ["pawn", "knight", "bishop", "rook", "queen", "king"];
const PHASES: [&str; 2] = ["middlegame", "endgame"];

/// A sheet that is none of piece-square tables.
#[derive(Debug, thiserror::Error)]
pub enum TablesError {
    /// The file cannot be read.
    #[error("{}: {source}", .path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// The cause.
        source: std::io::Error,
    },
    /// A line is no row of numbers and no heading.
    #[error("{}, line {line}: {wrong}", .path.display())]
    Line {
        /// The file.
        path: PathBuf,
        /// Counted from 1.
        line: u64,
        /// The error and the expected text.
        wrong: String,
    },
    /// Too many or too few lines.
    #[error(
        "{}: {lines} lines of numbers, expected 96 (twelve tables of eight lines) or 48 (six, for both phases)",
        .path.display()
    )]
    Count {
        /// The file.
        path: PathBuf,
        /// Lines of numbers that it has.
        lines: usize,
    },
}

impl PieceTables {
    /// Reads a sheet.
    ///
    /// # Errors
    /// If it cannot be read or holds something else.
    pub fn load(path: &Path) -> Result<Self, TablesError> {
        let file = |source| TablesError::Read { path: path.to_owned(), source };
        let text = std::fs::read_to_string(path).map_err(file)?;
        Self::read(&text, path)
    }

    /// Reads the text of a sheet; `path` is for errors.
    ///
    /// # Errors
    /// If it holds something else.
    pub fn read(text: &str, path: &Path) -> Result<Self, TablesError> {
        let mut rows: Vec<[i32; 8]> = Vec::new();
        let mut base = 0;
        for (text, line) in text.lines().zip(1..) {
            let wrong = |wrong: String| TablesError::Line { path: path.to_owned(), line, wrong };
            let cells: Vec<&str> = match text.split('#').next() {
                Some(names) if !names.trim().is_empty() => {
                    names.trim().trim_end_matches(',').split(',').map(str::trim).collect()
                }
                _ => continue,
            };
            if cells[0].chars().next().is_some_and(char::is_alphabetic) {
                base = heading(&cells, rows.len()).map_err(wrong)?;
                continue;
            }
            rows.push(row(&cells, base).map_err(wrong)?);
            if rows.len().is_multiple_of(8) {
                base = 0;
            }
        }
        let tables: Vec<[i32; 64]> = rows.chunks_exact(8).map(table).collect();
        let whole = rows.len().is_multiple_of(8);
        match (whole, <[[i32; 64]; 6]>::try_from(&tables[..tables.len().min(6)]), tables.len()) {
            (true, Ok(both), 6) => Ok(Self::new(both, both)),
            (true, Ok(middlegame), 12) => {
                let mut endgame: ByRoleAndSquare = [[0; 64]; 6];
                endgame.copy_from_slice(&tables[6..]);
                Ok(Self::new(middlegame, endgame))
            }
            _ => Err(TablesError::Count { path: path.to_owned(), lines: rows.len() }),
        }
    }

    /// The tables as a sheet, values of the pieces included.
    pub fn sheet(&self) -> String {
        let mut out =
            "# Piece-square tables in centipawns, values of the pieces included; a8 to h1.\n"
                .to_owned();
        for (phase, tables) in PHASES.iter().zip([&self.middlegame, &self.endgame]) {
            for (role, table) in ROLES.iter().zip(tables) {
                let _ = writeln!(out, "{role},{phase}");
                for rank in table.chunks_exact(8).rev() {
                    let numbers: Vec<String> =
                        rank.iter().map(|cell| format!("{cell:5}")).collect();
                    let _ = writeln!(out, "{}", numbers.join(","));
                }
            }
        }
        out
    }
}

/// Value added to the numbers below a heading.
fn heading(cells: &[&str], rows: usize) -> Result<i32, String> {
    let (table, within) = (rows / 8, rows % 8);
    if within != 0 || table >= 12 {
        return Err(format!("words after {within} of eight lines of numbers"));
    }
    let expected = (ROLES[table % 6], PHASES[table / 6]);
    let is_expected = cells[0].eq_ignore_ascii_case(expected.0)
        && cells.get(1).is_none_or(|phase| phase.eq_ignore_ascii_case(expected.1));
    if !is_expected {
        let (role, phase) = expected;
        return Err(format!("`{}`, expected the table of `{role},{phase}`", cells.join(",")));
    }
    cells.get(2).map_or(Ok(0), |value| number(value, 0))
}

fn row(cells: &[&str], base: i32) -> Result<[i32; 8], String> {
    let numbers = cells.iter().map(|cell| number(cell, base)).collect::<Result<Vec<i32>, _>>()?;
    let count = numbers.len();
    numbers.try_into().map_err(|_| format!("{count} numbers, expected eight"))
}

fn number(cell: &str, base: i32) -> Result<i32, String> {
    let value: i32 = cell.parse().map_err(|_| format!("`{cell}` is not a whole number"))?;
    let whole = value.saturating_add(base);
    match (-MOST..=MOST).contains(&whole) {
        true => Ok(whole),
        false => Err(format!("{whole} centipawns; at most {MOST} either way")),
    }
}

/// Eight lines, the eighth rank first, as squares from a1.
fn table(rows: &[[i32; 8]]) -> [i32; 64] {
    std::array::from_fn(|square| rows[7 - square / 8][square % 8])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<PieceTables, String> {
        PieceTables::read(text, Path::new("t.csv")).map_err(|error| error.to_string())
    }

    #[test]
    fn sheets_read_back() {
        let pesto = PieceTables::pesto();
        assert_eq!(read(&pesto.sheet()).as_ref(), Ok(&**pesto));
    }

    #[test]
    fn six_tables_serve_both_phases_and_values_are_added() {
        let rank = "1,2,3,4,5,6,7,8\n";
        let text = format!("pawn,middlegame,100\n{}\n# rest\n{}", rank.repeat(8), rank.repeat(40));
        let tables = read(&text).unwrap();
        assert_eq!(tables.middlegame(), tables.endgame());
        assert_eq!((tables.middlegame()[0][0], tables.middlegame()[1][63]), (101, 8));
    }

    #[test]
    fn other_sheets_are_refused_with_their_line() {
        let rank = "1,2,3,4,5,6,7,8\n";
        for (text, expected) in [
            (rank.repeat(95), "95 lines of numbers"),
            (format!("{rank}1,2,3\n"), "line 2: 3 numbers"),
            (format!("{rank}1,2,3,4,x,6,7,8\n"), "line 2: `x` is not a whole number"),
            ("1,2,3,4,5,6,7,10001\n".to_owned(), "line 1: 10001 centipawns"),
            (format!("{}rook,middlegame\n", rank.repeat(8)), "line 9: `rook,middlegame`"),
            (format!("{rank}pawn\n"), "line 2: words after 1"),
        ] {
            let error = read(&text).unwrap_err();
            assert!(error.contains(expected), "{error}");
        }
    }
}
