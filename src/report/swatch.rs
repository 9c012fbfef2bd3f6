//! A player's or set's marker, to stand before its name in a table.

use super::plot::theme::{Marker, Style, hex};

/// A small picture, 12 units wide and high.
pub(crate) fn swatch(style: &Style) -> String {
    let shape = match style.marker {
        Marker::Circle => "<circle cx=\"6\" cy=\"6\" r=\"5\"/>",
        Marker::Square => "<rect x=\"1.5\" y=\"1.5\" width=\"9\" height=\"9\"/>",
        Marker::Triangle => "<path d=\"M6 0.5 L11.5 10.5 L0.5 10.5 Z\"/>",
        Marker::Diamond => "<path d=\"M6 0 L12 6 L6 12 L0 6 Z\"/>",
    };
    let colour = hex(style.colour);
    format!(
        "<svg class=\"swatch\" viewBox=\"0 0 12 12\" aria-hidden=\"true\" \
         xmlns=\"http://www.w3.org/2000/svg\"><g fill=\"{colour}\">{shape}</g></svg>"
    )
}

/// Background of a score: blue above one half, orange below, deeper further off.
pub(super) fn tint(score: f64) -> String {
    let (red, green, blue) = if score >= 0.5 { (0, 114, 178) } else { (213, 94, 0) };
    let depth = ((score - 0.5).abs() * 1.4).min(0.4);
    format!("rgba({red},{green},{blue},{depth:.2})")
}
