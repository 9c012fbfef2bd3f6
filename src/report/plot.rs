//! Pictures, as SVG text.
//!
//! Every plot is a function from the model to an [`Svg`]. They share one
//! [`canvas`](canvas::Canvas) (sizes in CSS pixels, four subpixels each, since
//! plotters counts in whole numbers), one [`theme`] (a set keeps its colour and
//! marker through all plots) and one idea: an interval is drawn wherever a
//! value is. Text is placed by estimated widths, for no font is at hand when
//! the file is written; so every label has room to spare or is shortened.

pub mod agreement;
pub mod axis;
pub mod boards;
pub mod canvas;
pub mod cost;
pub mod diagram;
pub mod errors;
pub mod facets;
pub mod following;
pub mod frame;
pub mod games;
pub mod groups;
mod labels;
pub mod learning;
pub mod legal_moves;
pub mod little_board;
pub mod losses;
pub mod network;
pub mod piece_boards;
pub mod rates;
pub mod ratings;
pub mod rows;
pub mod scatter;
pub mod text;
pub mod theme;

#[derive(Clone, Debug, PartialEq)]
pub struct Svg {
    /// In CSS pixels.
    size: (f64, f64),
    open_tag: String,
    content: String,
    /// The same for a phone, where the picture itself would be too wide: one below the other.
    narrow: Vec<Svg>,
}

impl Svg {
    /// To stand inside a page, which gives colours for dark screens and the
    /// paper behind it.
    pub fn inline(&self) -> String {
        let whole = format!("{}{}", self.open_tag, self.content);
        if self.narrow.is_empty() {
            return whole;
        }
        let narrow: String = self.narrow.iter().map(Svg::inline).collect();
        format!("<div class=\"desk\">{whole}</div><div class=\"phone\">{narrow}</div>")
    }

    /// With pictures that take its place on a phone.
    #[must_use]
    pub fn on_phones(self, narrow: Vec<Svg>) -> Self {
        Self { narrow, ..self }
    }

    /// Width and height in CSS pixels.
    pub fn size(&self) -> (f64, f64) {
        self.size
    }

    /// The picture inside another one, at a place and a scale.
    pub fn placed(&self, (x, y): (f64, f64), scale: f64) -> String {
        let [x, y] = [x, y].map(canvas::sub);
        let [width, height] = [self.size.0, self.size.1].map(canvas::sub);
        let [wide, high] = [width, height].map(|length| f64::from(length) * scale);
        format!(
            "<svg x=\"{x}\" y=\"{y}\" width=\"{wide:.0}\" height=\"{high:.0}\" \
             viewBox=\"0 0 {width} {height}\">{}",
            self.content
        )
    }

    /// With other pictures on top.
    #[must_use]
    pub fn with(self, placed: &[String]) -> Self {
        let content = self.content.trim_end().trim_end_matches("</svg>");
        let content = format!("{content}{}</svg>\n", placed.concat());
        Self { content, ..self }
    }

    /// To stand alone in a file: with white paper behind it.
    pub fn standalone(&self) -> String {
        let declaration = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n";
        let paper = "<rect width=\"100%\" height=\"100%\" fill=\"#FFFFFF\"/>";
        format!("{declaration}{}{paper}{}", self.open_tag, self.content)
    }
}

/// plotters' error while drawing into a string.
pub type DrawError = plotters::drawing::DrawingAreaErrorKind<std::io::Error>;
