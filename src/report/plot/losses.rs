//! Training curves: every set's loss by epoch, its name at the end of its line.

use plotters::series::{DashedLineSeries, LineSeries};

use super::axis::PlotAxis;
use super::canvas::{self, Anchor, Canvas, Drawn, NAME_INDENT, font, stroke, sub};
use super::frame::{self, Chart};
use super::text::{fit, width};
use super::theme::{MUTED, Style};
use super::{DrawError, Svg};

const WIDTH: f64 = 920.0;
const LABEL: f64 = 12.0;
const LABEL_STEP: f64 = 16.0;
/// Room for the line that ties a name to its curve.
const LABEL_LEFT: f64 = 11.0;

/// Losses after one epoch.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EpochLoss {
    /// Counted from 1.
    pub epoch: u32,
    /// Mean over the epoch's training positions; none where another loss than
    /// that of the validation was trained.
    pub train: Option<f64>,
    /// On the validation games; not every epoch needs to be validated.
    pub validation: Option<f64>,
}

/// A set's losses by seed and epoch.
#[derive(Clone, Debug, PartialEq)]
pub struct Losses<'a> {
    pub label: String,
    pub style: Style,
    pub seeds: Vec<&'a [EpochLoss]>,
}

/// A set's losses, seeds taken together, in order of epoch.
struct Curve {
    label: String,
    style: Style,
    train: Vec<(f64, f64)>,
    validation: Vec<Band>,
}

/// Validation loss after one epoch over the seeds.
struct Band {
    epoch: f64,
    low: f64,
    mean: f64,
    high: f64,
}

/// Loss by epoch: validation solid with a band from the lowest to the highest
/// seed, training dashed; from epoch `first`. `None` when nothing was recorded.
pub fn draw(sets: &[Losses<'_>], first: u32) -> Result<Option<Svg>, DrawError> {
    let curves: Vec<Curve> = sets.iter().map(|set| curve(set, first)).collect();
    let losses: Vec<f64> = curves.iter().flat_map(Curve::losses).collect();
    if losses.iter().all(|loss| !loss.is_finite()) {
        return Ok(None);
    }
    let height = (curves.len() as f64 * LABEL_STEP + 70.0).max(380.0);
    let longest = curves.iter().map(|curve| width(&curve.label, LABEL)).fold(0.0, f64::max);
    let names = (longest + LABEL_LEFT + NAME_INDENT + 4.0).clamp(90.0, 290.0);
    let picture = canvas::draw(WIDTH, height, "Loss by epoch", |canvas| {
        let muted = font(11.0, &MUTED, false);
        canvas.text("loss", (10.0, 9.0), &muted, Anchor::Left)?;
        canvas.text("epoch", (WIDTH - names - 6.0, height - 7.0), &muted, Anchor::Right)?;
        let area = canvas.part((0.0, 14.0), (WIDTH - names, height - 28.0));
        let epochs = curves.iter().flat_map(Curve::epochs);
        let x = PlotAxis::linear(epochs, 8).within(0.0, f64::INFINITY).whole();
        let y = PlotAxis::log_if_wide(losses.iter().copied(), 7);
        let mut chart = frame::chart(&area, &x, &y)?;
        for curve in &curves {
            draw_curve(&mut chart, curve)?;
        }
        draw_names(canvas, &chart, &curves, (height, names))
    })?;
    Ok(Some(picture))
}

impl Curve {
    fn losses(&self) -> impl Iterator<Item = f64> {
        let validation = self.validation.iter().flat_map(|band| [band.low, band.high]);
        self.train.iter().map(|&(_, loss)| loss).chain(validation)
    }

    fn epochs(&self) -> impl Iterator<Item = f64> {
        let validation = self.validation.iter().map(|band| band.epoch);
        self.train.iter().map(|&(epoch, _)| epoch).chain(validation)
    }

    /// The lowest mean validation loss.
    fn best(&self) -> Option<(f64, f64)> {
        let means = self.validation.iter().map(|band| (band.epoch, band.mean));
        means.min_by(|(_, a), (_, b)| a.total_cmp(b))
    }

    /// Where its name belongs: the last validation, else the last training loss.
    fn end(&self) -> Option<(f64, f64)> {
        let validation = self.validation.last().map(|band| (band.epoch, band.mean));
        validation.or(self.train.last().copied())
    }
}

/// The first epoch of the plot. Steep first epochs would compress the ends of the curves, so a long
/// training is drawn without its first sixteenth.
pub fn first_epoch_shown(last: u32) -> u32 {
    1 + last / 16
}

fn curve(Losses { label, style, seeds }: &Losses<'_>, first: u32) -> Curve {
    let all = || seeds.iter().copied().flatten();
    let epochs = all().map(|loss| loss.epoch);
    let mut epochs: Vec<u32> = epochs.filter(|&epoch| epoch >= first).collect();
    epochs.sort_unstable();
    epochs.dedup();
    let (train, validation) = (Vec::new(), Vec::new());
    let mut curve = Curve { label: label.clone(), style: *style, train, validation };
    for epoch in epochs {
        let records = all().filter(|loss| loss.epoch == epoch);
        let (train, validation): (Vec<Option<f64>>, Vec<Option<f64>>) =
            records.map(|loss| (loss.train, loss.validation)).unzip();
        let epoch = f64::from(epoch);
        if let Some(band) = band(epoch, train.into_iter().flatten().collect()) {
            curve.train.push((epoch, band.mean));
        }
        curve.validation.extend(band(epoch, validation.into_iter().flatten().collect()));
    }
    curve
}

/// Seeds whose loss is no number (a run that diverged) are left out.
fn band(epoch: f64, mut losses: Vec<f64>) -> Option<Band> {
    losses.retain(|loss| loss.is_finite());
    let (low, high) = super::axis::extent(losses.iter().copied())?;
    Some(Band { epoch, low, mean: losses.iter().sum::<f64>() / losses.len() as f64, high })
}

fn draw_curve(chart: &mut Chart, curve: &Curve) -> Drawn {
    let colour = curve.style.colour;
    let edge = |end: fn(&Band) -> f64| -> Vec<(f64, f64)> {
        curve.validation.iter().map(|band| (band.epoch, end(band))).collect()
    };
    frame::band(chart, &edge(|band| band.low), &edge(|band| band.high), colour, 0.18)?;
    chart.draw_series(DashedLineSeries::new(
        curve.train.iter().copied(),
        sub(4.0),
        sub(3.5),
        stroke(&colour, 1.0),
    ))?;
    let validation = curve.validation.iter().map(|band| (band.epoch, band.mean));
    chart.draw_series(LineSeries::new(validation, stroke(&colour, 1.75)))?;
    Ok(())
}

/// Names in the order of the lines' ends, moved apart where they would touch,
/// each tied to its line.
fn draw_names(
    canvas: &Canvas,
    chart: &Chart,
    curves: &[Curve],
    (height, room): (f64, f64),
) -> Drawn {
    let mut ends: Vec<(&Curve, (f64, f64))> = curves
        .iter()
        .filter_map(|curve| Some((curve, curve.end()?)))
        .map(|(curve, (epoch, loss))| (curve, frame::on_canvas(chart, epoch, loss)))
        .collect();
    ends.sort_by(|a, b| a.1.1.total_cmp(&b.1.1));
    let wanted: Vec<f64> = ends.iter().map(|(_, end)| end.1).collect();
    let heights = apart(&wanted, LABEL_STEP, (20.0, height - 40.0));
    for ((curve, end), label_y) in ends.into_iter().zip(heights) {
        let elbow = WIDTH - room + 2.0;
        let label_x = WIDTH - room + LABEL_LEFT;
        canvas.line(end, (elbow, label_y), &curve.style.colour, 0.75)?;
        canvas.line((elbow, label_y), (label_x, label_y), &curve.style.colour, 0.75)?;
        canvas.marker(end, curve.style, 4.0)?;
        if let Some((epoch, loss)) = curve.best() {
            canvas.ring(frame::on_canvas(chart, epoch, loss), curve.style, 5.5)?;
        }
        let label = fit(&curve.label, LABEL, room - LABEL_LEFT - NAME_INDENT - 2.0);
        canvas.name(&label, (label_x, label_y), LABEL, curve.style)?;
    }
    Ok(())
}

/// Moves sorted heights apart to at least `step`, as little as possible and
/// within `bounds`: neighbours that touch become a block around their mean.
pub(super) fn apart(wanted: &[f64], step: f64, bounds: (f64, f64)) -> Vec<f64> {
    struct LabelBlock {
        top: f64,
        count: usize,
    }
    let place = |mean_top: f64, count: usize| {
        let lowest = bounds.1 - (count - 1) as f64 * step;
        mean_top.min(lowest).max(bounds.0)
    };
    let mut blocks: Vec<(LabelBlock, f64)> = Vec::new();
    for (i, &height) in wanted.iter().enumerate() {
        // A block's best top is the mean of (wanted − offset inside the block).
        let mut block = (LabelBlock { top: place(height, 1), count: 1 }, height);
        while let Some((above, sum)) = blocks.last() {
            if above.top + above.count as f64 * step <= block.0.top {
                break;
            }
            let shifted = block.1 - (above.count * block.0.count) as f64 * step;
            let (sum, count) = (sum + shifted, above.count + block.0.count);
            block = (LabelBlock { top: place(sum / count as f64, count), count }, sum);
            blocks.pop();
        }
        debug_assert!(block.0.count <= i + 1);
        blocks.push(block);
    }
    blocks
        .iter()
        .flat_map(|(block, _)| (0..block.count).map(|i| block.top + i as f64 * step))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_do_not_touch_stay() {
        assert_eq!(apart(&[20.0, 60.0], 16.0, (0.0, 100.0)), [20.0, 60.0]);
        assert!(apart(&[], 16.0, (0.0, 100.0)).is_empty());
    }

    #[test]
    fn names_that_touch_move_apart_around_their_middle() {
        assert_eq!(apart(&[50.0, 50.0], 16.0, (0.0, 100.0)), [42.0, 58.0]);
        let crowded = apart(&[10.0, 11.0, 12.0, 90.0, 91.0, 99.0], 16.0, (5.0, 100.0));
        assert!(crowded.windows(2).all(|pair| pair[1] - pair[0] >= 15.999), "{crowded:?}");
        assert!(crowded[0] >= 5.0 && crowded[5] <= 100.0, "{crowded:?}");
    }

    #[test]
    fn the_best_epoch_is_that_of_the_lowest_validation_loss() {
        let losses = [0.3, 0.1, 0.2].into_iter().zip(1..);
        let losses = losses.map(|(loss, epoch)| EpochLoss {
            epoch,
            train: Some(loss),
            validation: Some(loss),
        });
        let losses: Vec<EpochLoss> = losses.collect();
        let (label, style) = ("ALL".to_owned(), Style::REFERENCE);
        let set = Losses { label, style, seeds: vec![&losses] };
        assert_eq!(curve(&set, 1).best(), Some((2.0, 0.1)));
    }

    #[test]
    fn a_set_without_curves_draws_nothing() {
        let (label, style) = ("ALL".to_owned(), Style::REFERENCE);
        let empty = Losses { label, style, seeds: Vec::new() };
        assert_eq!(draw(&[empty], 1).expect("drawn"), None);
    }
}
