//! Tables as a terminal shows them.

use comfy_table::{CellAlignment, Table, TableComponent, presets};

/// A table whose columns after the first `texts` are numbers, on the right.
pub(super) fn table<T: ToString>(header: impl IntoIterator<Item = T>, texts: usize) -> Table {
    let mut table = Table::new();
    table.load_preset(presets::UTF8_HORIZONTAL_ONLY);
    table.set_header(header.into_iter().map(|title| title.to_string()));
    for column in table.column_iter_mut().skip(texts) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    table
}

/// The same without lines between its rows.
pub(super) fn compact<T: ToString>(header: impl IntoIterator<Item = T>, texts: usize) -> Table {
    let mut table = table(header, texts);
    table.remove_style(TableComponent::HorizontalLines);
    table.remove_style(TableComponent::MiddleIntersections);
    table
}
