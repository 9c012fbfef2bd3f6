//! Four ways to show a table or a page: on a terminal, as CSV, as JSON, as HTML.

pub mod columns;
pub mod csv;
pub mod html;
pub mod json;
pub mod terminal;
mod words;

#[cfg(test)]
mod tests;
