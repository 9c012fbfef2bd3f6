//! The layers of a network from left to right: both perspectives, the dense layers with a copy
//! for each bucket, and what goes past them.

use plotters::style::RGBColor;

use super::canvas::{self, Anchor, Canvas, Drawn, font};
use super::theme::{GRID, INK, MUTED, PAPER, Style};
use super::{DrawError, Svg};
use crate::network::{LayerShape, NetworkShape};
use base::format::counted;

const WIDTH: f64 = 720.0;
const HEIGHT: f64 = 300.0;

/// Middles of the two perspectives, and of all that reads both.
const OWN: f64 = 92.0;
const OTHER: f64 = 204.0;
const MIDDLE: f64 = 148.0;

/// Half of the width of a layer's bar.
const HALF: f64 = 9.0;

/// Half of the height of the tallest bar, so that the perspectives stand apart.
const TALLEST: f64 = 50.0;

/// How far a copy of a layer stands behind the one before it.
const BEHIND: f64 = 4.0;

/// No more copies are drawn; their number is written.
const MOST_COPIES: usize = 4;

/// A bar: a layer, or the features of one perspective.
#[derive(Clone, Copy)]
struct Bar {
    x: f64,
    y: f64,
    half_height: f64,
    copies: usize,
}

impl Bar {
    /// Tall by the logarithm of how many neurons it stands for.
    fn of(x: f64, y: f64, neurons: usize, copies: usize) -> Self {
        let half_height = (4.0 + 4.0 * (neurons.max(1) as f64).log2()).min(TALLEST);
        Self { x, y, half_height, copies: copies.min(MOST_COPIES) }
    }

    fn top(self) -> f64 {
        self.y - self.half_height
    }

    fn bottom(self) -> f64 {
        self.y + self.half_height
    }

    fn draw(self, canvas: &Canvas, colour: RGBColor) -> Drawn {
        for copy in (0..self.copies).rev() {
            let behind = BEHIND * copy as f64;
            let from = (self.x - HALF + behind, self.top() - behind);
            let to = (self.x + HALF + behind, self.bottom() - behind);
            canvas.rectangle(from, to, &colour)?;
            canvas.frame(from, to, &PAPER, 1.0)?;
        }
        Ok(())
    }

    /// Every neuron of the one reads every one of the other.
    fn read_by(self, reader: Bar, canvas: &Canvas) -> Drawn {
        let (left, right) = (self.x + HALF, reader.x - HALF);
        let corners = [
            (left, self.top()),
            (right, reader.top()),
            (right, reader.bottom()),
            (left, self.bottom()),
        ];
        canvas.polygon(&corners, &GRID)
    }
}

pub fn draw(shape: &NetworkShape) -> Result<Svg, DrawError> {
    let title = format!("Network {} on {} features", shape.line, shape.features);
    canvas::draw(WIDTH, HEIGHT, &title, |canvas| Picture::new(shape).draw(canvas))
}

struct Picture<'a> {
    shape: &'a NetworkShape,
    features: [Bar; 2],
    accumulators: Option<[Bar; 2]>,
    hidden: Vec<Bar>,
    output: Bar,
}

impl<'a> Picture<'a> {
    fn new(shape: &'a NetworkShape) -> Self {
        let columns = 2 + usize::from(shape.transformer.is_some()) + shape.hidden.len();
        let step = (WIDTH - 180.0) / (columns - 1) as f64;
        let x = |column: usize| 80.0 + step * column as f64;
        let both = |column, neurons| [OWN, OTHER].map(|y| Bar::of(x(column), y, neurons, 1));
        let dense = |column, neurons| Bar::of(x(column), MIDDLE, neurons, shape.buckets);
        let hidden = shape.hidden.iter().zip(2..);
        Self {
            shape,
            features: both(0, shape.features),
            accumulators: shape.transformer.as_ref().map(|layer| both(1, layer.neurons)),
            hidden: hidden.map(|(layer, column)| dense(column, layer.neurons)).collect(),
            output: dense(columns - 1, 1),
        }
    }

    fn draw(&self, canvas: &Canvas) -> Drawn {
        self.draw_readers(canvas)?;
        self.draw_ways_past(canvas)?;
        self.draw_bars(canvas)?;
        self.draw_names(canvas)
    }

    fn draw_readers(&self, canvas: &Canvas) -> Drawn {
        let dense: Vec<Bar> = self.hidden.iter().copied().chain([self.output]).collect();
        if let Some(accumulators) = self.accumulators {
            for (features, accumulator) in self.features.into_iter().zip(accumulators) {
                features.read_by(accumulator, canvas)?;
                accumulator.read_by(dense[0], canvas)?;
            }
        }
        dense.windows(2).try_for_each(|pair| pair[0].read_by(pair[1], canvas))
    }

    /// The psqt head below the layers, the skip above them.
    fn draw_ways_past(&self, canvas: &Canvas) -> Drawn {
        let colour = Style::nth(1).colour;
        let end = (self.output.x, self.output.bottom());
        if self.shape.psqt {
            let floor = HEIGHT - 22.0;
            let [_, other] = self.features;
            let way = [(other.x, other.bottom()), (other.x, floor), (end.0, floor), (end.0, end.1)];
            way_of(canvas, &way, colour)?;
            let name = of_copies("psqt", self.shape.buckets);
            let place = ((other.x + end.0) / 2.0, floor - 10.0);
            canvas.text(&name, place, &font(12.0, &INK, true), Anchor::Middle)?;
        }
        let layers = self.shape.hidden.iter().zip(&self.hidden);
        for (_, bar) in layers.filter(|(layer, _)| layer.addition.is_some()) {
            let ceiling = 46.0;
            let way = [
                (bar.x, bar.top()),
                (bar.x, ceiling),
                (end.0, ceiling),
                (end.0, self.output.top()),
            ];
            way_of(canvas, &way, colour)?;
        }
        Ok(())
    }

    fn draw_bars(&self, canvas: &Canvas) -> Drawn {
        let sides = [Style::nth(0).colour, MUTED];
        for bars in [Some(self.features), self.accumulators].into_iter().flatten() {
            for (bar, colour) in bars.into_iter().zip(sides) {
                bar.draw(canvas, colour)?;
            }
        }
        let dense = self.hidden.iter().chain([&self.output]);
        dense.copied().try_for_each(|bar| bar.draw(canvas, INK))
    }

    fn draw_names(&self, canvas: &Canvas) -> Drawn {
        let [own, other] = self.features;
        for (bar, name) in [(own, "side to move"), (other, "other side")] {
            let place = (bar.x - HALF - 4.0, bar.y);
            let [first, second] = name.split_once(' ').map_or([name, ""], |(a, b)| [a, b]);
            let muted = font(11.0, &MUTED, false);
            canvas.text(first, (place.0, place.1 - 7.0), &muted, Anchor::Right)?;
            canvas.text(second, (place.0, place.1 + 7.0), &muted, Anchor::Right)?;
        }
        name(canvas, own.x, [&counted(self.shape.features as u64, "feature"), ""])?;
        if let (Some([bar, _]), Some(layer)) = (self.accumulators, &self.shape.transformer) {
            name(canvas, bar.x, [&counted(layer.neurons as u64, "sum"), &handed_on(layer)])?;
        }
        for (bar, layer) in self.hidden.iter().zip(&self.shape.hidden) {
            let added = layer.addition.map_or(String::new(), |word| format!(" + {word}"));
            name(canvas, bar.x, [&format!("{}{added}", layer.neurons), &handed_on(layer)])?;
        }
        name(canvas, self.output.x, ["output", ""])?;
        if self.shape.buckets > 1 {
            let first = self.hidden.first().unwrap_or(&self.output);
            let place = ((first.x + self.output.x) / 2.0, MIDDLE + 62.0);
            let copies = format!("one of {} copies, by bucket", self.shape.buckets);
            canvas.text(&copies, place, &font(11.0, &MUTED, false), Anchor::Middle)?;
        }
        Ok(())
    }
}

/// `pairwise: 512`, or the activation alone if it leaves as many as there are.
fn handed_on(layer: &LayerShape) -> String {
    match layer.outputs == layer.neurons {
        true => layer.activation.clone(),
        false => format!("{}: {}", layer.activation, layer.outputs),
    }
}

fn of_copies(what: &str, copies: usize) -> String {
    if copies > 1 { format!("{what} × {copies}") } else { what.to_owned() }
}

/// The two lines of a column's name.
fn name(canvas: &Canvas, x: f64, [first, second]: [&str; 2]) -> Drawn {
    canvas.text(first, (x, 12.0), &font(12.0, &INK, true), Anchor::Middle)?;
    canvas.text(second, (x, 28.0), &font(11.0, &MUTED, false), Anchor::Middle)
}

fn way_of(canvas: &Canvas, points: &[(f64, f64)], colour: RGBColor) -> Drawn {
    points.windows(2).try_for_each(|ends| canvas.line(ends[0], ends[1], &colour, 1.75))
}
