//! Tables of texts of the page of experiments, until they are [`Table`](crate::Table)s.

pub use crate::render::terminal::{TextGrid as Sheet, width};

/// A table whose columns after the first `texts` are numbers, on the right.
pub fn compact<T: ToString>(header: impl IntoIterator<Item = T>, texts: usize) -> Sheet {
    let header: Vec<T> = header.into_iter().collect();
    let is_number = (0..header.len()).map(|column| column >= texts).collect();
    Sheet::new(header, is_number)
}
