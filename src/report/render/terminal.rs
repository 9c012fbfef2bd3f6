//! Tables as a terminal shows them.
//!
//! Names stay readable and numbers whole: where a terminal is too narrow for all columns, those
//! that do not fit move into a table below, behind the same names. A file or a pipe gets everything
//! side by side, without rules, for programs that read lines.

use std::fmt;
use std::io::{IsTerminal, stdout};

use anstyle::{AnsiColor, Style};
use base::printable;
use comfy_table::{
    CellAlignment, ColumnConstraint, ContentArrangement, Table as Drawn, TableComponent, presets,
};

use super::words::Words;
use crate::cross::CrossTable;
use crate::finding::Mark;
use crate::page::{Page, Part};
use crate::table::Table;

/// Smallest width of a wrapped name; numbers are never wrapped.
const NARROWEST_NAME: usize = 24;

/// Around a column's content.
const PADDING: usize = 3;

/// A table on lines of `width` characters; plain without a terminal.
pub fn table(table: &Table, width: Option<usize>) -> String {
    let mut text = TextGrid::from(table).fitted(width);
    table.notes.iter().for_each(|note| text += &format!("\n{note}"));
    text
}

/// A table of one row as lines of titles and values.
pub fn facts(table: &Table) -> String {
    let mut grid = TextGrid::new(["", ""], vec![false; 2]);
    for (place, column) in table.shown() {
        for cell in table.cells(place) {
            grid.add_row([column.heading(), Words::of(cell, column.format).in_full()]);
        }
    }
    let lines = grid.plain();
    lines.lines().skip(1).map(|line| format!("{line}\n")).collect()
}

/// A page in short: its summaries, findings and warnings.
pub fn page(page: &Page, width: Option<usize>) -> String {
    shown(page, width, |_| Style::new())
}

/// As [`page`], with the signs of the verdicts in colour.
pub fn coloured_page(page: &Page, width: Option<usize>) -> String {
    shown(page, width, |mark| match mark {
        Mark::Better => AnsiColor::Green.on_default().bold(),
        Mark::Worse => AnsiColor::Red.on_default().bold(),
        Mark::NotSeparable | Mark::NoVerdict => AnsiColor::Yellow.on_default(),
        Mark::Remark => Style::new(),
    })
}

fn shown(page: &Page, width: Option<usize>, style: impl Fn(Mark) -> Style) -> String {
    let mut text = String::new();
    let summaries: Vec<&Part> = page.parts().filter(|part| part.is_summary()).collect();
    for part in &summaries {
        let (title, shown) = match part {
            Part::Table(shown) => (&shown.title, table(shown, width)),
            Part::Cross(cross) => (&cross.title, TextGrid::from(cross).fitted(width)),
            _ => continue,
        };
        if summaries.len() > 1 {
            text += &format!("{title}\n");
        }
        text += &format!("{shown}\n");
    }
    for finding in &page.findings {
        let (sign, style) = (finding.mark.sign(), style(finding.mark));
        text += &format!("{style}{sign}{style:#} {}\n", printable(&finding.sentence()));
    }
    page.warnings.iter().for_each(|warning| text += &format!("warning: {warning}\n"));
    text
}

/// Rows of text below a header.
#[derive(Clone, Debug)]
pub struct TextGrid {
    header: Vec<String>,
    rows: Vec<Vec<String>>,
    /// Whether a column holds numbers, which stand on the right.
    is_number: Vec<bool>,
}

impl From<&Table> for TextGrid {
    fn from(table: &Table) -> Self {
        let columns: Vec<_> = table.shown().collect();
        // `Elo, 1,000 nodes` on two lines.
        let titles = columns.iter().map(|(_, column)| column.heading().replacen(", ", "\n", 1));
        let is_number = columns.iter().map(|(_, column)| !column.format.is_text()).collect();
        let mut grid = Self::new(titles, is_number);
        for row in &table.rows {
            let cells = columns.iter().filter_map(|&(place, column)| {
                row.cells.get(place).map(|cell| Words::of(cell, column.format).in_full())
            });
            grid.add_row(cells);
        }
        grid
    }
}

impl From<&CrossTable> for TextGrid {
    fn from(cross: &CrossTable) -> Self {
        let names = cross.players.iter().map(|(name, _)| name.clone());
        let header = [String::new()].into_iter().chain(names.clone());
        let is_number = [false].into_iter().chain(names.clone().map(|_| true)).collect();
        let mut grid = Self::new(header, is_number);
        for (name, cells) in names.zip(&cross.cells) {
            let cells = cells.iter().map(|cell| cell.map_or(String::new(), |it| it.points()));
            grid.add_row([name].into_iter().chain(cells));
        }
        grid
    }
}

impl TextGrid {
    pub fn new<T: ToString>(header: impl IntoIterator<Item = T>, is_number: Vec<bool>) -> Self {
        let header = header.into_iter().map(|title| printable(&title.to_string()).into_owned());
        Self { header: header.collect(), rows: Vec::new(), is_number }
    }

    /// A row of as many cells as the header has.
    pub fn add_row<T: ToString>(&mut self, row: impl IntoIterator<Item = T>) {
        let cells = row.into_iter().map(|cell| printable(&cell.to_string()).into_owned());
        self.rows.push(cells.collect());
    }

    /// The table for a terminal of `width` characters; plain without one.
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
        let mut table = Drawn::new();
        table.load_preset(presets::NOTHING);
        table.set_header(self.header.iter().map(in_one_line));
        for row in &self.rows {
            table.add_row(row.iter().map(in_one_line));
        }
        for (at, column) in table.column_iter_mut().enumerate() {
            column.set_padding((0, 2));
            if self.is_number[at] {
                column.set_cell_alignment(CellAlignment::Right);
            }
        }
        table.trim_fmt()
    }

    fn part(&self, columns: &[usize], width: usize) -> Drawn {
        let mut table = Drawn::new();
        table.load_preset(presets::UTF8_HORIZONTAL_ONLY);
        table.remove_style(TableComponent::HorizontalLines);
        table.remove_style(TableComponent::MiddleIntersections);
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
            if self.is_number[at] {
                column.set_cell_alignment(CellAlignment::Right);
                column.set_constraint(ColumnConstraint::ContentWidth);
            }
        }
        table
    }
}

impl fmt::Display for TextGrid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.fitted(width()))
    }
}

/// As wide as the terminal.
impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&table(self, width()))
    }
}

/// Characters of a line, if a terminal shows it.
pub fn width() -> Option<usize> {
    let columns = stdout().is_terminal().then(|| Drawn::new().width()).flatten();
    columns.map(usize::from)
}
