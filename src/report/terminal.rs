//! Tables as a terminal shows them.
//!
//! Names stay readable and numbers whole: where a terminal is too narrow for all columns, those
//! that do not fit move into a table below, behind the same names. A file or a pipe gets everything
//! side by side, without rules, for programs that read lines.

use std::fmt;
use std::io::{IsTerminal, stdout};

use base::printable;
use comfy_table::{
    CellAlignment, ColumnConstraint, ContentArrangement, Table, TableComponent, presets,
};

/// A name may be wrapped to so many characters, a number never.
const NARROWEST_NAME: usize = 24;

/// Around a column's content.
const PADDING: usize = 3;

/// Rows below a header, whose columns after the first `texts` are numbers.
#[derive(Clone, Debug)]
pub struct Sheet {
    header: Vec<String>,
    rows: Vec<Vec<String>>,
    texts: usize,
    /// With lines between rows.
    ruled: bool,
}

/// A table whose columns after the first `texts` are numbers, on the right.
pub fn table<T: ToString>(header: impl IntoIterator<Item = T>, texts: usize) -> Sheet {
    let titles = header.into_iter().map(|title| printable(&title.to_string()).into_owned());
    let header = titles.collect();
    Sheet { header, rows: Vec::new(), texts, ruled: true }
}

/// The same without lines between its rows.
pub fn compact<T: ToString>(header: impl IntoIterator<Item = T>, texts: usize) -> Sheet {
    Sheet { ruled: false, ..table(header, texts) }
}

impl Sheet {
    /// A row of as many cells as the header has.
    pub fn add_row<T: ToString>(&mut self, row: impl IntoIterator<Item = T>) {
        let cells = row.into_iter().map(|cell| printable(&cell.to_string()).into_owned());
        self.rows.push(cells.collect());
    }

    /// Several of them.
    pub fn add_rows<T: ToString, R: IntoIterator<Item = T>>(
        &mut self,
        rows: impl IntoIterator<Item = R>,
    ) {
        rows.into_iter().for_each(|row| self.add_row(row));
    }

    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// As a terminal of so many characters shows it; plain where there is none.
    pub fn fitted(&self, width: Option<usize>) -> String {
        let Some(width) = width else { return self.plain() };
        let parts = self.parts(width);
        let shown = parts.iter().map(|part| self.part(part, width).to_string());
        shown.collect::<Vec<_>>().join("\n")
    }

    /// Columns that go side by side, the first one in front of each.
    fn parts(&self, width: usize) -> Vec<Vec<usize>> {
        let first = self.width(0).min(NARROWEST_NAME.max(width / 3)) + PADDING;
        let (mut parts, mut used) = (vec![vec![0]], first);
        for column in 1..self.header.len() {
            let own = self.width(column).min(width.saturating_sub(first + PADDING)) + PADDING;
            if used + own > width && parts.last().is_some_and(|part| part.len() > 1) {
                parts.push(vec![0]);
                used = first;
            }
            used += own;
            if let Some(part) = parts.last_mut() {
                part.push(column);
            }
        }
        parts
    }

    fn width(&self, column: usize) -> usize {
        let cells =
            self.rows.iter().filter_map(|row| row.get(column)).chain([&self.header[column]]);
        cells.flat_map(|cell| cell.lines()).map(|line| line.chars().count()).max().unwrap_or(0)
    }

    /// Aligned columns, a line for each row.
    fn plain(&self) -> String {
        let in_one_line = |cell: &String| cell.lines().collect::<Vec<_>>().join(" ");
        let mut table = Table::new();
        table.load_preset(presets::NOTHING);
        table.set_header(self.header.iter().map(in_one_line));
        for row in &self.rows {
            table.add_row(row.iter().map(in_one_line));
        }
        for (at, column) in table.column_iter_mut().enumerate() {
            column.set_padding((0, 2));
            if at >= self.texts {
                column.set_cell_alignment(CellAlignment::Right);
            }
        }
        table.trim_fmt()
    }

    fn part(&self, columns: &[usize], width: usize) -> Table {
        let mut table = Table::new();
        table.load_preset(presets::UTF8_HORIZONTAL_ONLY);
        if !self.ruled {
            table.remove_style(TableComponent::HorizontalLines);
            table.remove_style(TableComponent::MiddleIntersections);
        }
        let chosen = |row: &Vec<String>| -> Vec<String> {
            columns.iter().map(|&at| row.get(at).cloned().unwrap_or_default()).collect()
        };
        table.set_header(chosen(&self.header));
        for row in &self.rows {
            table.add_row(chosen(row));
        }
        table.set_content_arrangement(ContentArrangement::Dynamic);
        table.set_width(u16::try_from(width).unwrap_or(u16::MAX));
        for (column, &at) in table.column_iter_mut().zip(columns) {
            if at >= self.texts {
                column.set_cell_alignment(CellAlignment::Right);
                column.set_constraint(ColumnConstraint::ContentWidth);
            }
        }
        table
    }
}

impl fmt::Display for Sheet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.fitted(width()))
    }
}

/// Characters of a line, if a terminal shows it.
pub fn width() -> Option<usize> {
    let columns = stdout().is_terminal().then(|| Table::new().width()).flatten();
    columns.map(usize::from)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A long name and columns of numbers.
    fn sheet() -> Sheet {
        let mut sheet = compact(["set", "loss", "positions/s", "memory", "time left", "seed"], 1);
        let name = "mirror(king(SQUARES / BUCKETS-9) * ALL) + pair(FILES * PIECES * PIECES)";
        sheet.add_row([name, "0.0024871", "1,234,567", "12.5 GB", "1 h 14 min", "1000"]);
        sheet.add_row(["ALL", "0.0031415", "605,000", "0.5 GB", "3 min", "1"]);
        sheet
    }

    #[test]
    fn numbers_stay_whole_and_names_can_be_read_at_any_width() {
        for width in [60, 80, 100, 140] {
            let text = sheet().fitted(Some(width));
            let widest = text.lines().map(|line| line.chars().count()).max();
            assert!(widest.is_some_and(|widest| widest <= width), "{width}:\n{text}");
            for part in
                ["0.0024871", "1,234,567", "12.5 GB", "1 h 14 min", "1000", "ALL", "mirror("]
            {
                assert!(text.contains(part), "{part} is not in, at {width}:\n{text}");
            }
        }
    }

    /// Engines say themselves what they are called.
    #[test]
    fn names_do_not_command_the_terminal() {
        let mut sheet = compact(["player", "\u{1b}]0;title\u{7}"], 1);
        sheet.add_row(["\u{1b}[31mred", "1"]);
        let text = sheet.fitted(None);
        assert!(!text.contains(['\u{1b}', '\u{7}']) && text.contains("[31mred"), "{text:?}");
    }

    #[test]
    fn what_is_no_terminal_gets_one_table() {
        let (whole, narrow) = (sheet().fitted(None), sheet().fitted(Some(60)));
        let headers = |text: &str| text.lines().filter(|line| line.contains("set")).count();
        assert_eq!((headers(&whole), headers(&narrow)), (1, 2));
        assert!(whole.contains("pair(FILES * PIECES * PIECES)"), "{whole}");
        assert_eq!(whole.lines().count(), 3, "a line for each row, and no rules: {whole}");
        let place = |line: &str| line.find("loss").or(line.find("0.00")).unwrap();
        let last = |line: &str| line.chars().last();
        assert!(whole.lines().all(|line| last(line).is_some_and(|end| !end.is_whitespace())));
        let ends: Vec<usize> = whole
            .lines()
            .map(|line| line[place(line)..].find("  ").unwrap() + place(line))
            .collect();
        assert!(ends.iter().all(|end| *end == ends[0]), "columns are aligned: {whole}");
    }
}
