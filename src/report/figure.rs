//! A plot as it stands in a page.

use super::plot::Svg;

#[derive(Clone, Debug, PartialEq)]
pub struct Figure {
    /// File name without ending, and anchor in the page.
    pub id: String,
    /// Stands above.
    pub title: String,
    /// Stands below.
    pub caption: String,
    pub svg: Svg,
}
