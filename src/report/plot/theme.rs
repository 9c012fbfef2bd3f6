//! Colours, markers and sizes: one look for all plots.

pub use plotters::style::RGBColor;

/// Text and axes.
pub const INK: RGBColor = RGBColor(0x1F, 0x23, 0x28);
/// Secondary text: ticks, values, the reference.
pub const MUTED: RGBColor = RGBColor(0x5F, 0x69, 0x76);
/// Lines one should hardly notice.
pub const GRID: RGBColor = RGBColor(0xE4, 0xE7, 0xEB);
/// Inside of hollow markers, and behind text and marks that cross lines.
pub const PAPER: RGBColor = RGBColor(0xFF, 0xFF, 0xFF);

/// The same on dark screens.
const NEUTRALS: [(RGBColor, RGBColor); 4] = [
    (INK, RGBColor(0xE6, 0xE8, 0xEB)),
    (MUTED, RGBColor(0x9A, 0xA4, 0xB0)),
    (GRID, RGBColor(0x2C, 0x32, 0x3A)),
    (PAPER, RGBColor(0x17, 0x1B, 0x21)),
];

/// Of sets, on white paper and on dark screens. Every one stands out from its
/// paper (3 : 1), which is too little for text: names are written in [`INK`].
/// The first four and wine are those of Okabe & Ito, *Color Universal Design*
/// (2008), and Paul Tol's *muted* scheme; the others are darker than theirs
/// and lie far from all for any kind of colour vision.
const PALETTE: [(RGBColor, RGBColor); 8] = [
    (RGBColor(0x00, 0x72, 0xB2), RGBColor(0x3D, 0x9B, 0xD6)),
    (RGBColor(0xD5, 0x5E, 0x00), RGBColor(0xF0, 0x7F, 0x2E)),
    (RGBColor(0x00, 0x9E, 0x73), RGBColor(0x1F, 0xB5, 0x88)),
    (RGBColor(0xCC, 0x79, 0xA7), RGBColor(0xF0, 0xB3, 0xD6)),
    (RGBColor(0x7A, 0x56, 0x00), RGBColor(0xE0, 0xB8, 0x4C)),
    (RGBColor(0x2E, 0x9B, 0xD6), RGBColor(0x56, 0xB4, 0xE9)),
    (RGBColor(0x88, 0x22, 0x55), RGBColor(0xC4, 0x57, 0x8F)),
    (RGBColor(0x4B, 0x3F, 0xA8), RGBColor(0x7A, 0x6B, 0xE0)),
];

/// Style rules of a page that give its pictures their colours on dark screens.
pub fn on_dark_screens() -> String {
    let rule = |&(light, dark): &(RGBColor, RGBColor)| {
        let (light, dark) = (hex(light), hex(dark));
        let of = |what| format!("  svg [{what}=\"{light}\"] {{ {what}: {dark}; }}\n");
        ["fill", "stroke"].map(of).concat()
    };
    let rules: String = NEUTRALS.iter().chain(&PALETTE).map(rule).collect();
    format!("@media (prefers-color-scheme: dark) {{\n{rules}}}")
}

/// Look of a point.
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
    /// Neutral grey, for the reference.
    pub const REFERENCE: Style = Style { colour: MUTED, marker: Marker::Circle };

    /// The `nth` set that is not the reference. Thirty-two differ, neighbours
    /// by colour and marker.
    pub fn nth(nth: usize) -> Style {
        let markers = [Marker::Circle, Marker::Square, Marker::Triangle, Marker::Diamond];
        Style {
            colour: PALETTE[nth % PALETTE.len()].0,
            marker: markers[(nth + nth / PALETTE.len()) % markers.len()],
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

/// From blue (−1) over nearly white (0) to orange (1). None of the three is a
/// colour that changes on dark screens: a scale stays as it is, or two of its
/// steps would change places.
pub fn diverging(share: f64) -> RGBColor {
    const MIDDLE: RGBColor = RGBColor(0xF7, 0xF7, 0xF5);
    const LOW: RGBColor = RGBColor(0x01, 0x73, 0xB2);
    const HIGH: RGBColor = RGBColor(0xD5, 0x5F, 0x01);
    let end = if share < 0.0 { LOW } else { HIGH };
    let weight = share.abs().min(1.0);
    let mix = |a: u8, b: u8| (f64::from(a) + weight * (f64::from(b) - f64::from(a))).round() as u8;
    RGBColor(mix(MIDDLE.0, end.0), mix(MIDDLE.1, end.1), mix(MIDDLE.2, end.2))
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

    /// Relative luminance of WCAG 2.2.
    fn luminance(colour: RGBColor) -> f64 {
        let linear = |value: u8| match f64::from(value) / 255.0 {
            value if value <= 0.04045 => value / 12.92,
            value => ((value + 0.055) / 1.055).powf(2.4),
        };
        0.2126 * linear(colour.0) + 0.7152 * linear(colour.1) + 0.0722 * linear(colour.2)
    }

    fn contrast(a: RGBColor, b: RGBColor) -> f64 {
        let [a, b] = [a, b].map(|colour| luminance(colour) + 0.05);
        a.max(b) / a.min(b)
    }

    #[test]
    fn text_and_marks_stand_out_from_the_paper_of_both_themes() {
        let [ink, muted, _, paper] = NEUTRALS;
        let text = [ink, muted].map(|colour| (colour, 4.5));
        let marks = PALETTE.map(|colour| (colour, 3.0));
        for ((light, dark), least) in text.into_iter().chain(marks) {
            for (colour, paper) in [(light, paper.0), (dark, paper.1)] {
                let found = contrast(colour, paper);
                assert!(found >= least, "{} has {found:.2} : 1", hex(colour));
            }
        }
    }

    #[test]
    fn scales_are_the_same_in_both_themes() {
        let changes = |colour: RGBColor| {
            let pairs = NEUTRALS.iter().chain(&PALETTE);
            pairs.map(|pair| pair.0).any(|light| light == colour)
        };
        for step in -200..=200 {
            let share = f64::from(step) / 200.0;
            assert!(!changes(diverging(share)) && !changes(heat(share)), "at {share}");
        }
    }

    #[test]
    fn heat_grows_brighter_all_the_way() {
        let steps: Vec<f64> = (0..=100).map(|i| luminance(heat(f64::from(i) / 100.0))).collect();
        assert!(steps.windows(2).all(|pair| pair[1] > pair[0]), "{steps:?}");
        assert_eq!(hex(heat(-1.0)), "#440154");
        assert_eq!(hex(heat(2.0)), "#FDE725");
    }
}
