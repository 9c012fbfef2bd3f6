//! Output of tables and pages: terminal, CSV, JSON, HTML, LaTeX.

pub mod columns;
pub mod csv;
mod filters;
pub mod html;
pub mod json;
pub mod latex;
pub mod terminal;
mod words;

#[cfg(test)]
mod tests;
