//! Legal moves by move of the game: a map of positions, with quartiles.

use plotters::series::LineSeries;

use super::axis::PlotAxis;
use super::canvas::{self, Anchor, Canvas, Drawn, font, stroke};
use super::frame::{self, Chart};
use super::theme::{INK, MUTED, PAPER, heat};
use super::{DrawError, Svg};

const WIDTH: f64 = 720.0;
const PANEL: f64 = 260.0;

/// Shares of positions with fewer legal moves, drawn as lines.
const QUANTILES: [f64; 3] = [0.25, 0.5, 0.75];

/// Moves of the game with fewer positions have no cells: their shares are noise.
const FEWEST: u64 = 20;

/// Positions of one colour to move.
#[derive(Clone, Debug, PartialEq)]
pub struct MoveCounts<'a> {
    pub title: &'a str,
    /// `[move of the game − 1][legal moves]`.
    pub positions: &'a [Vec<u64>],
}

/// A panel for each colour. A cell is the brighter the larger the share of its column, the positions
/// of one move of the game; lines are the quartiles.
pub fn draw(panels: &[MoveCounts<'_>]) -> Result<Svg, DrawError> {
    let columns = panels.iter().flat_map(|panel| panel.positions);
    let most = columns.filter_map(|column| column.iter().rposition(|&n| n > 0)).max().unwrap_or(1);
    let last = panels.iter().map(|panel| panel.positions.len()).max().unwrap_or(1);
    let x = PlotAxis::linear([1.0, last as f64 + 1.0], 10).within(1.0, last as f64 + 1.0);
    let y = PlotAxis::linear([0.0, most as f64 + 1.0], 6).within(0.0, most as f64 + 1.0);
    let title = "Legal moves by move of the game";
    canvas::draw(WIDTH, PANEL * panels.len() as f64, title, |canvas| {
        for (place, panel) in panels.iter().enumerate() {
            let top = place as f64 * PANEL;
            let bold = font(12.5, &INK, true);
            canvas.text(panel.title, (10.0, top + 10.0), &bold, Anchor::Left)?;
            let below = (WIDTH - 8.0, top + PANEL - 7.0);
            let words = "move of the game; lines: quartiles of the number of legal moves";
            canvas.text(words, below, &font(11.0, &MUTED, false), Anchor::Right)?;
            let area = canvas.part((0.0, top + 18.0), (WIDTH, PANEL - 32.0));
            let mut chart = frame::chart(&area, &x, &y)?;
            draw_cells(canvas, &chart, panel.positions)?;
            draw_quantiles(&mut chart, panel.positions)?;
        }
        Ok(())
    })
}

fn draw_cells(canvas: &Canvas, chart: &Chart, positions: &[Vec<u64>]) -> Drawn {
    for (place, column) in positions.iter().enumerate().filter(|(_, column)| is_enough(column)) {
        let (left, highest) = (place as f64 + 1.0, column.iter().max().copied().unwrap_or(1));
        for (moves, &count) in column.iter().enumerate().filter(|&(_, &count)| count > 0) {
            let from = frame::on_canvas(chart, left, moves as f64);
            let to = frame::on_canvas(chart, left + 1.0, moves as f64 + 1.0);
            let corners = ((from.0, to.1), (to.0, from.1));
            canvas.rectangle(corners.0, corners.1, &heat(count as f64 / highest as f64))?;
        }
    }
    Ok(())
}

fn draw_quantiles(chart: &mut Chart, positions: &[Vec<u64>]) -> Drawn {
    for share in QUANTILES {
        let columns = positions.iter().enumerate().filter(|(_, column)| is_enough(column));
        let line: Vec<(f64, f64)> = columns
            .map(|(place, column)| (place as f64 + 1.5, quantile(column, share) as f64 + 0.5))
            .collect();
        let thickness = if share == 0.5 { 2.0 } else { 1.25 };
        chart.draw_series(LineSeries::new(line, stroke(&PAPER, thickness)))?;
    }
    Ok(())
}

fn is_enough(column: &[u64]) -> bool {
    column.iter().sum::<u64>() >= FEWEST
}

/// Fewest legal moves that at least `share` of the positions do not exceed.
fn quantile(column: &[u64], share: f64) -> usize {
    let wanted = share * column.iter().sum::<u64>() as f64;
    let mut sum = 0;
    let reached = column.iter().position(|&count| {
        sum += count;
        sum as f64 >= wanted
    });
    reached.unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quartiles_are_those_of_a_column() {
        // 1, 2, 2, 3, 3, 3, 3, 9.
        let column = [0, 1, 2, 4, 0, 0, 0, 0, 0, 1];
        assert_eq!(QUANTILES.map(|share| quantile(&column, share)), [2, 3, 3]);
        assert_eq!(quantile(&column, 1.0), 9);
    }

    #[test]
    fn only_moves_with_positions_have_cells() {
        let few = vec![0, 5, 5];
        let many = vec![0, 30, 10];
        let positions = [few, many];
        let svg = draw(&[MoveCounts { title: "White to move", positions: &positions }]).unwrap();
        let svg = svg.standalone().to_lowercase();
        let cells =
            |share| svg.matches(&super::super::theme::hex(heat(share)).to_lowercase()).count();
        assert_eq!((cells(1.0), cells(1.0 / 3.0)), (1, 1));
    }
}
