//! Colours, markers and sizes: one look for all plots.

use plotters::style::RGBColor;

/// Text and axes.
pub const INK: RGBColor = RGBColor(0x1F, 0x23, 0x28);
/// Secondary text: ticks, values, the reference.
pub const MUTED: RGBColor = RGBColor(0x5F, 0x69, 0x76);
/// Lines one should hardly notice.
pub const GRID: RGBColor = RGBColor(0xE4, 0xE7, 0xEB);
/// Inside of hollow markers, and a halo behind text that crosses lines.
pub const PAPER: RGBColor = RGBColor(0xFF, 0xFF, 0xFF);

/// Distinguishable with any kind of colour vision: Okabe & Ito, *Color
/// Universal Design* (2008), without its yellow and black, and wine and olive
/// of Paul Tol's *muted* scheme.
const PALETTE: [RGBColor; 8] = [
    RGBColor(0x00, 0x72, 0xB2),
    RGBColor(0xD5, 0x5E, 0x00),
    RGBColor(0x00, 0x9E, 0x73),
    RGBColor(0xCC, 0x79, 0xA7),
    RGBColor(0xE6, 0x9F, 0x00),
    RGBColor(0x56, 0xB4, 0xE9),
    RGBColor(0x88, 0x22, 0x55),
    RGBColor(0x99, 0x99, 0x33),
];

/// What a point looks like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Marker {
    /// ●
    Circle,
    /// ■
    Square,
    /// ▲
    Triangle,
    /// ◆
    Diamond,
}

/// How one feature set is drawn, everywhere.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Style {
    /// Of points, lines and bars.
    pub colour: RGBColor,
    /// Of points; tells sets apart whose colours repeat.
    pub marker: Marker,
}

impl Style {
    /// Neutral grey: what the others are compared with.
    pub const REFERENCE: Style = Style { colour: MUTED, marker: Marker::Circle };

    /// The `nth` set that is not the reference. Thirty-two differ.
    pub fn nth(nth: usize) -> Style {
        let markers = [Marker::Circle, Marker::Square, Marker::Triangle, Marker::Diamond];
        Style {
            colour: PALETTE[nth % PALETTE.len()],
            marker: markers[nth / PALETTE.len() % markers.len()],
        }
    }
}

/// `#0072B2`, as plotters writes it.
pub fn hex(colour: RGBColor) -> String {
    format!("#{:02X}{:02X}{:02X}", colour.0, colour.1, colour.2)
}

/// From dark (0) to bright (1), equal steps looking equally large: *viridis*
/// (S. van der Walt and N. Smith, matplotlib, CC0) through nine of its points.
pub fn heat(share: f64) -> RGBColor {
    const STOPS: [(u8, u8, u8); 9] = [
        (0x44, 0x01, 0x54),
        (0x47, 0x2D, 0x7B),
        (0x3B, 0x52, 0x8B),
        (0x2C, 0x72, 0x8E),
        (0x21, 0x91, 0x8C),
        (0x28, 0xAE, 0x80),
        (0x5E, 0xC9, 0x62),
        (0xAD, 0xDC, 0x30),
        (0xFD, 0xE7, 0x25),
    ];
    let position = share.clamp(0.0, 1.0) * (STOPS.len() - 1) as f64;
    let below = (position as usize).min(STOPS.len() - 2);
    let weight = position - below as f64;
    let mix = |a: u8, b: u8| (f64::from(a) + weight * (f64::from(b) - f64::from(a))).round() as u8;
    let (a, b) = (STOPS[below], STOPS[below + 1]);
    RGBColor(mix(a.0, b.0), mix(a.1, b.1), mix(a.2, b.2))
}

/// From blue (−1) over paper (0) to orange (1).
pub fn diverging(share: f64) -> RGBColor {
    let end = if share < 0.0 { PALETTE[0] } else { PALETTE[1] };
    let weight = share.abs().min(1.0);
    let mix = |a: u8, b: u8| (f64::from(a) + weight * (f64::from(b) - f64::from(a))).round() as u8;
    RGBColor(mix(PAPER.0, end.0), mix(PAPER.1, end.1), mix(PAPER.2, end.2))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thirty_two_sets_look_different_from_each_other_and_the_reference() {
        let styles: Vec<Style> = (0..32).map(Style::nth).chain([Style::REFERENCE]).collect();
        for (i, style) in styles.iter().enumerate() {
            assert!(!styles[..i].contains(style), "style {i} repeats");
        }
    }

    #[test]
    fn heat_grows_brighter_all_the_way() {
        let luminance = |c: RGBColor| {
            0.2126 * f64::from(c.0) + 0.7152 * f64::from(c.1) + 0.0722 * f64::from(c.2)
        };
        let steps: Vec<f64> = (0..=100).map(|i| luminance(heat(f64::from(i) / 100.0))).collect();
        assert!(steps.windows(2).all(|pair| pair[1] > pair[0] - 1.0), "{steps:?}");
        assert_eq!(hex(heat(-1.0)), "#440154");
        assert_eq!(hex(heat(2.0)), "#FDE725");
    }
}
