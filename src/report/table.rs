//! Tables of typed values, which know what their columns are called, measured in and mean.
//!
//! A room makes a table of its own records, a line for each column:
//!
//! ```
//! use oplus_report::{Column, Format, Table};
//!
//! let players = [("new", 0.6, 200_u64), ("old", 0.4, 200)];
//! let table = Table::of("players", "Players", &players)
//!     .column(Column::new("player", "player", Format::Text), |player| player.0)
//!     .column(Column::new("score", "points", Format::Percent(1)), |player| player.1)
//!     .column(Column::new("games", "games", Format::Count), |player| player.2)
//!     .table();
//! assert_eq!(table.rows[0].cells.len(), 3);
//! ```
//!
//! [`render`](crate::render) shows it on a terminal and a page, and writes it as CSV and JSON.

use super::plot::theme::Style;
use super::value::Cell;

/// How the values of a column are written for people.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// A name, on one line of a page.
    Text,
    /// Words, on as many lines as they need.
    Words,
    /// `49,152`.
    Count,
    /// A whole number that counts nothing, such as a seed: `1000`.
    Id,
    /// Five significant digits, or as many as the interval leaves.
    Number,
    /// Number of decimals; an interval by its ends.
    Fixed(usize),
    /// A difference, with its sign.
    Signed(usize),
    /// A share, in per cent.
    Percent(usize),
    /// A difference of shares, in percentage points.
    Points,
    /// `512k`; the interval is for programs.
    Thousands,
    /// `× 1.31`.
    Factor(usize),
    /// `3 min 20 s`.
    Seconds,
    PValue,
    /// Counts side by side, by the names of their parts: a column each in CSV.
    Counts(&'static [&'static str]),
}

impl Format {
    /// Game pairs by the points of the first player.
    pub const PAIRS: Self = Self::Counts(&["0", "0.5", "1", "1.5", "2"]);

    /// Whether text stands on the left.
    pub(crate) fn is_text(self) -> bool {
        matches!(self, Self::Text | Self::Words)
    }
}

/// Outputs that have a column.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Readers {
    #[default]
    All,
    /// Terminals and pages.
    People,
    /// CSV and JSON.
    Programs,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Column {
    /// Its name in CSV and JSON.
    pub key: String,
    /// Its name on terminals and pages, without the unit.
    pub title: String,
    pub unit: String,
    /// Shown where the pointer rests on the title.
    pub meaning: String,
    pub format: Format,
    /// Whether it holds estimates: three columns in CSV, an object in JSON.
    pub is_estimate: bool,
    pub readers: Readers,
    /// Decimals in CSV; as many as a number has if `None`.
    pub decimals: Option<usize>,
}

impl Column {
    pub fn new(key: impl Into<String>, title: impl Into<String>, format: Format) -> Self {
        Self {
            key: key.into(),
            title: title.into(),
            unit: String::new(),
            meaning: String::new(),
            format,
            is_estimate: false,
            readers: Readers::All,
            decimals: None,
        }
    }

    /// Of values with their intervals.
    pub fn estimate(key: impl Into<String>, title: impl Into<String>, format: Format) -> Self {
        Self { is_estimate: true, ..Self::new(key, title, format) }
    }

    #[must_use]
    pub fn unit(self, unit: &str) -> Self {
        Self { unit: unit.to_owned(), ..self }
    }

    #[must_use]
    pub fn means(self, meaning: &str) -> Self {
        Self { meaning: meaning.to_owned(), ..self }
    }

    #[must_use]
    pub fn for_people(self) -> Self {
        Self { readers: Readers::People, ..self }
    }

    #[must_use]
    pub fn for_programs(self) -> Self {
        Self { readers: Readers::Programs, ..self }
    }

    /// Number of decimals in CSV, where more are noise.
    #[must_use]
    pub fn rounded(self, decimals: usize) -> Self {
        Self { decimals: Some(decimals), ..self }
    }

    /// Title and unit: `largest error, cp`.
    pub fn heading(&self) -> String {
        match self.unit.as_str() {
            "" => self.title.clone(),
            unit => format!("{}, {unit}", self.title),
        }
    }
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Row {
    /// As many as the table has columns.
    pub cells: Vec<Cell>,
    /// The marker that its subject has in plots.
    pub swatch: Option<Style>,
    /// Whether the others are compared with it.
    pub is_reference: bool,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Table {
    /// Its name in JSON, and that of its CSV file; empty if it has neither.
    pub key: String,
    pub title: String,
    /// The first one names the row.
    pub columns: Vec<Column>,
    pub rows: Vec<Row>,
    /// Stands below, on pages.
    pub caption: String,
    /// Stands below, on pages and terminals.
    pub notes: Vec<String>,
    /// Whether terminals show it when a command ends, and a page that would lose rows or
    /// numbers of it is not written.
    pub is_summary: bool,
    /// Whether it may be wider than the page.
    pub is_wide: bool,
}

impl Table {
    /// A table of records, a row each.
    pub fn of<R: Copy>(key: &str, title: &str, records: impl IntoIterator<Item = R>) -> TableOf<R> {
        let records: Vec<R> = records.into_iter().collect();
        let rows = vec![Row::default(); records.len()];
        let table = Self { key: key.to_owned(), title: title.to_owned(), rows, ..Self::default() };
        TableOf { table, records }
    }

    /// The cells of a column, from top to bottom.
    pub fn cells(&self, column: usize) -> impl Iterator<Item = &Cell> {
        self.rows.iter().filter_map(move |row| row.cells.get(column))
    }

    /// Places of the columns for people: those that hold something.
    pub(crate) fn shown(&self) -> impl Iterator<Item = (usize, &Column)> {
        self.columns.iter().enumerate().filter(|(place, column)| {
            let holds_something =
                self.rows.is_empty() || self.cells(*place).any(|cell| !cell.is_missing());
            column.readers != Readers::Programs && holds_something
        })
    }

    /// Places of the columns for programs.
    pub(crate) fn written(&self) -> impl Iterator<Item = (usize, &Column)> {
        let columns = self.columns.iter().enumerate();
        columns.filter(|(_, column)| column.readers != Readers::People)
    }
}

/// A table under construction, with the records that its columns are taken from.
#[derive(Clone, Debug)]
#[must_use]
pub struct TableOf<R> {
    table: Table,
    records: Vec<R>,
}

impl<R: Copy> TableOf<R> {
    pub fn column<C: Into<Cell>>(mut self, column: Column, cell: impl Fn(R) -> C) -> Self {
        self.table.columns.push(column);
        for (row, &record) in self.table.rows.iter_mut().zip(&self.records) {
            row.cells.push(cell(record).into());
        }
        self
    }

    /// A column for each of several things, such as limits of games.
    pub fn columns<T, C: Into<Cell>>(
        self,
        things: impl IntoIterator<Item = T>,
        column: impl Fn(&T) -> Column,
        cell: impl Fn(R, &T) -> C,
    ) -> Self {
        let with =
            |table: Self, thing: T| table.column(column(&thing), |record| cell(record, &thing));
        things.into_iter().fold(self, with)
    }

    /// With the markers that plots have for the records.
    pub fn swatches(mut self, style: impl Fn(R) -> Style) -> Self {
        for (row, &record) in self.table.rows.iter_mut().zip(&self.records) {
            row.swatch = Some(style(record));
        }
        self
    }

    /// With the row that the others are compared with.
    pub fn reference(mut self, is_reference: impl Fn(R) -> bool) -> Self {
        for (row, &record) in self.table.rows.iter_mut().zip(&self.records) {
            row.is_reference = is_reference(record);
        }
        self
    }

    pub fn caption(mut self, caption: impl Into<String>) -> Self {
        self.table.caption = caption.into();
        self
    }

    pub fn notes(mut self, notes: Vec<String>) -> Self {
        self.table.notes = notes;
        self
    }

    pub fn summary(mut self) -> Self {
        self.table.is_summary = true;
        self
    }

    pub fn wide(mut self) -> Self {
        self.table.is_wide = true;
        self
    }

    pub fn table(self) -> Table {
        self.table
    }
}
