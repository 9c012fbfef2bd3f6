//! A board of coloured squares, for numbers by square.

use plotters::style::RGBColor;

use super::canvas::{Anchor, Canvas, Drawn, font};
use super::theme::MUTED;
use chess::{File, Rank, Square};

/// Where a board stands and how large it is, in CSS pixels.
#[derive(Clone, Copy, Debug)]
pub struct LittleBoard {
    pub left: f64,
    pub top: f64,
    pub square: f64,
}

impl LittleBoard {
    /// Side of the whole.
    pub fn side(&self) -> f64 {
        8.0 * self.square
    }

    /// Paints every square, from White's side.
    pub fn paint(&self, canvas: &Canvas, colour: impl Fn(Square) -> RGBColor) -> Drawn {
        for square in Square::ALL {
            let x = self.left + f64::from(u32::from(square.file())) * self.square;
            let y = self.top + f64::from(7 - u32::from(square.rank())) * self.square;
            canvas.rectangle((x, y), (x + self.square, y + self.square), &colour(square))?;
        }
        let end = (self.left + self.side(), self.top + self.side());
        canvas.frame((self.left, self.top), end, &MUTED, 0.75)
    }

    /// Names of files below and of ranks on the left.
    pub fn name_lines(&self, canvas: &Canvas) -> Drawn {
        let small = font(9.0, &MUTED, false);
        let below = self.top + self.side() + 9.0;
        for (i, file) in File::ALL.into_iter().enumerate() {
            let x = self.left + (i as f64 + 0.5) * self.square;
            canvas.text(&file.char().to_string(), (x, below), &small, Anchor::Middle)?;
        }
        for (i, rank) in Rank::ALL.into_iter().rev().enumerate() {
            let y = self.top + (i as f64 + 0.5) * self.square;
            canvas.text(&rank.char().to_string(), (self.left - 3.5, y), &small, Anchor::Right)?;
        }
        Ok(())
    }
}
