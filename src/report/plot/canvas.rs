//! A sheet to draw on, in CSS pixels.

use plotters::backend::SVGBackend;
use plotters::coord::Shift;
use plotters::drawing::{DrawingArea, IntoDrawingArea};
use plotters::element::{Circle, PathElement, Polygon, Rectangle, Text};
use plotters::style::text_anchor::{HPos, Pos, VPos};
use plotters::style::{Color, FontStyle, IntoFont, RGBAColor, ShapeStyle, TextStyle};

use super::text::clean;
use super::theme::{INK, Marker, PAPER, Style};
use super::{DrawError, Svg};

/// plotters counts in whole numbers; a quarter of a pixel is fine enough.
pub const SUBPIXELS: f64 = 4.0;
/// System fonts first, so that a page looks at home where it is read.
pub const FONT: &str = "system-ui, -apple-system, Segoe UI, Roboto, Helvetica, Arial, sans-serif";
/// Where a name begins behind its marker.
pub const NAME_INDENT: f64 = 15.0;
/// plotters writes a font size divided by this into the file.
const PLOTTERS_FONT_FACTOR: f64 = 1.24;

/// plotters' area over an SVG string.
pub type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;
/// Result of drawing.
pub type Drawn = Result<(), DrawError>;

/// Where text stands relative to its point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Anchor {
    /// The point is at its left end.
    Left,
    /// The point is in its middle.
    Middle,
    /// The point is at its right end.
    Right,
}

/// A sheet; all lengths in CSS pixels from the top left corner.
pub struct Canvas<'a> {
    area: Area<'a>,
}

/// Draws a picture of `width` × `height` CSS pixels; `title` is the text for
/// screen readers.
pub fn draw(
    width: f64,
    height: f64,
    title: &str,
    paint: impl FnOnce(&Canvas) -> Drawn,
) -> Result<Svg, DrawError> {
    let mut markup = String::new();
    {
        let size = (sub(width) as u32, sub(height) as u32);
        let area = SVGBackend::with_string(&mut markup, size).into_drawing_area();
        let canvas = Canvas { area };
        paint(&canvas)?;
        canvas.area.present()?;
    }
    // plotters' own opening tag gives way to one with the size in CSS pixels.
    let content = markup.split_once('>').map_or("", |(_, content)| content).to_owned();
    let open_tag = open_tag(width, height, title);
    Ok(Svg { size: (width, height), open_tag, content, narrow: Vec::new() })
}

/// As it may stand in XML.
pub fn escaped(text: &str) -> String {
    let escapes = [('&', "&amp;"), ('<', "&lt;"), ('>', "&gt;"), ('"', "&quot;")];
    escapes.into_iter().fold(clean(text), |text, (c, escape)| text.replace(c, escape))
}

/// `title` is for those who cannot see the picture.
fn open_tag(width: f64, height: f64, title: &str) -> String {
    let title = escaped(title);
    format!(
        "<svg class=\"plot\" width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {} {}\" \
         role=\"img\" aria-label=\"{title}\" xmlns=\"http://www.w3.org/2000/svg\">",
        sub(width),
        sub(height),
    )
}

/// Subpixels of a length.
pub fn sub(pixels: f64) -> i32 {
    (pixels * SUBPIXELS).round() as i32
}

fn at((x, y): (f64, f64)) -> (i32, i32) {
    (sub(x), sub(y))
}

/// A text style in `size` CSS pixels, bold if asked.
pub fn font(size: f64, colour: &impl Color, is_bold: bool) -> TextStyle<'static> {
    let style = if is_bold { FontStyle::Bold } else { FontStyle::Normal };
    let size = size * SUBPIXELS * PLOTTERS_FONT_FACTOR;
    (FONT, size).into_font().style(style).color(colour)
}

/// A line style in CSS pixels.
pub fn stroke(colour: &impl Color, width: f64) -> ShapeStyle {
    colour.stroke_width(sub(width).max(1) as u32)
}

impl<'a> Canvas<'a> {
    /// The part `width` × `height` from `(x, y)`, for plotters' charts.
    pub fn part(&self, (x, y): (f64, f64), (width, height): (f64, f64)) -> Area<'a> {
        self.area.clone().shrink((sub(x), sub(y)), (sub(width), sub(height)))
    }

    pub fn line(&self, from: (f64, f64), to: (f64, f64), colour: &impl Color, width: f64) -> Drawn {
        self.area.draw(&PathElement::new(vec![at(from), at(to)], stroke(colour, width)))
    }

    pub fn dashes(
        &self,
        from: (f64, f64),
        to: (f64, f64),
        colour: &impl Color,
        width: f64,
    ) -> Drawn {
        let (dx, dy) = (to.0 - from.0, to.1 - from.1);
        let length = dx.hypot(dy);
        let dashes = (length / 7.0).ceil() as u32;
        for dash in 0..dashes {
            let share = |pixels: f64| (pixels / length).min(1.0);
            let (a, b) = (share(f64::from(dash) * 7.0), share(f64::from(dash) * 7.0 + 4.0));
            let point = |t: f64| (from.0 + t * dx, from.1 + t * dy);
            self.line(point(a), point(b), colour, width)?;
        }
        Ok(())
    }

    /// A filled rectangle between two corners.
    pub fn rectangle(&self, from: (f64, f64), to: (f64, f64), colour: &impl Color) -> Drawn {
        self.area.draw(&Rectangle::new([at(from), at(to)], colour.filled()))
    }

    /// The outline of a rectangle between two corners.
    pub fn frame(
        &self,
        from: (f64, f64),
        to: (f64, f64),
        colour: &impl Color,
        width: f64,
    ) -> Drawn {
        self.area.draw(&Rectangle::new([at(from), at(to)], stroke(colour, width)))
    }

    pub fn polygon(&self, points: &[(f64, f64)], colour: &impl Color) -> Drawn {
        let points: Vec<_> = points.iter().copied().map(at).collect();
        self.area.draw(&Polygon::new(points, colour.filled()))
    }

    /// Text with its vertical middle at `point`.
    pub fn text(
        &self,
        text: &str,
        point: (f64, f64),
        style: &TextStyle<'static>,
        anchor: Anchor,
    ) -> Drawn {
        let horizontal = match anchor {
            Anchor::Left => HPos::Left,
            Anchor::Middle => HPos::Center,
            Anchor::Right => HPos::Right,
        };
        let style = style.pos(Pos::new(horizontal, VPos::Center));
        self.area.draw(&Text::new(clean(text), at(point), style))
    }

    /// A set's point, with a thin rim of paper that parts it from what lies
    /// below.
    pub fn marker(&self, point: (f64, f64), style: Style, radius: f64) -> Drawn {
        self.shape(point, style.marker, radius + 1.0, &PAPER.to_rgba())?;
        self.shape(point, style.marker, radius, &style.colour.to_rgba())
    }

    /// A small hollow circle: one seed.
    pub fn ring(&self, point: (f64, f64), style: Style, radius: f64) -> Drawn {
        self.area.draw(&Circle::new(at(point), sub(radius), PAPER.filled()))?;
        self.area.draw(&Circle::new(at(point), sub(radius), stroke(&style.colour, 1.0)))
    }

    fn shape(&self, (x, y): (f64, f64), marker: Marker, r: f64, colour: &RGBAColor) -> Drawn {
        match marker {
            Marker::Circle => self.area.draw(&Circle::new(at((x, y)), sub(r), colour.filled())),
            Marker::Square => {
                let half = r * 0.9;
                self.rectangle((x - half, y - half), (x + half, y + half), colour)
            }
            Marker::Triangle => {
                let r = r * 1.2;
                let (half, low) = (r * 0.866, r * 0.5);
                self.polygon(&[(x, y - r), (x + half, y + low), (x - half, y + low)], colour)
            }
            Marker::Diamond => {
                let r = r * 1.25;
                self.polygon(&[(x, y - r), (x + r, y), (x, y + r), (x - r, y)], colour)
            }
        }
    }

    /// An interval from `low` to `high` at height `y`. An end beyond the axis
    /// (`None`) is an arrow that leaves at `edges`.
    pub fn interval(
        &self,
        y: f64,
        (low, high): (Option<f64>, Option<f64>),
        edges: (f64, f64),
        style: Style,
    ) -> Drawn {
        let (from, to) = (low.unwrap_or(edges.0), high.unwrap_or(edges.1));
        self.line((from, y), (to, y), &style.colour, 1.5)?;
        for (end, x, direction) in [(low, from, -1.0), (high, to, 1.0)] {
            match end {
                Some(x) => self.line((x, y - 4.0), (x, y + 4.0), &style.colour, 1.5)?,
                None => {
                    let back = x - direction * 7.0;
                    self.polygon(&[(x, y), (back, y - 4.5), (back, y + 4.5)], &style.colour)?;
                }
            }
        }
        Ok(())
    }

    /// Name of a set behind its marker: no colour that separates sets is also dark enough for
    /// text.
    pub fn name(&self, name: &str, (x, y): (f64, f64), size: f64, style: Style) -> Drawn {
        self.marker((x + 5.0, y), style, 4.0)?;
        self.label(name, (x + NAME_INDENT, y), size, Anchor::Left)
    }

    pub fn label(&self, text: &str, point: (f64, f64), size: f64, anchor: Anchor) -> Drawn {
        self.text(text, point, &font(size, &INK, false), anchor)
    }
}
