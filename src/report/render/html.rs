//! Pages as HTML.
//!
//! The templates escape all text; only pictures and swatches, which are made
//! here, go in as they are. A page is well-formed XML as well, so that a test can tell when a
//! tag is left open.

use askama::Template;

use super::filters;
use super::words::Words;
use crate::files::printable;
use crate::now::Now;
use crate::page::{Page, Part};
use crate::plot::theme::Style;
use crate::swatch::swatch;
use crate::table::{Column, Format, Row, Table};
use crate::value::Cell;

#[derive(Template)]
#[template(path = "page.html")]
struct PageView<'a> {
    page: &'a Page,
    data: Option<Table>,
    /// Names of the CSV and LaTeX files beside the page.
    sheets: Vec<String>,
    now: Option<&'a Now>,
}

#[derive(Template)]
#[template(path = "part.html")]
struct PartView<'a> {
    part: &'a Part,
    /// The title of the section, which its only table need not repeat.
    section: &'a str,
    /// Whether it stands in a card already.
    is_inside: bool,
}

#[derive(Template)]
#[template(path = "table.html")]
struct TableView<'a> {
    table: &'a Table,
    columns: Vec<(usize, &'a Column)>,
}

/// The page; `now` has the running jobs of a live page.
pub(crate) fn page(page: &Page, now: Option<&Now>) -> Result<String, askama::Error> {
    let sheets = if now.is_none() { page.sheet_names() } else { Vec::new() };
    let data = page.provenance.data_table();
    PageView { page, data, sheets, now }.render().map(printable)
}

fn part(part: &Part, section: &str, is_inside: bool) -> Result<String, askama::Error> {
    PartView { part, section, is_inside }.render()
}

fn table(table: &Table) -> Result<String, askama::Error> {
    TableView { table, columns: table.shown().collect() }.render()
}

impl TableView<'_> {
    fn swatch(&self, row: &Row) -> String {
        row.swatch.as_ref().map_or(String::new(), swatch)
    }

    /// The cells of a row that are shown, with the class of each.
    fn cells(&self, row: &Row) -> Vec<(&'static str, Words)> {
        let missing = Cell::default();
        let cell = |&(place, column): &(usize, &Column)| {
            let cell = row.cells.get(place).unwrap_or(&missing);
            (class(column), Words::of(cell, column.format))
        };
        self.columns.iter().map(cell).collect()
    }

    fn class(&self, column: &Column) -> &'static str {
        class(column)
    }
}

fn class(column: &Column) -> &'static str {
    match column.format {
        Format::Text => "left",
        Format::Words => "words",
        _ => "",
    }
}

impl PartView<'_> {
    fn swatch(&self, style: &Style) -> String {
        swatch(style)
    }
}
