//! A position as a picture, with arrows.
//!
//! Pieces are the chess symbols of Unicode, which every system has a font for;
//! their colours and those of the squares are the same on dark screens.

use plotters::style::{Color as _, IntoFont, RGBColor, TextStyle};

use super::canvas::{self, Anchor, Canvas, Drawn, SUBPIXELS, font};
use super::theme::{MUTED, Style};
use super::{DrawError, Svg};
use crate::board::figurine;
use chess::{Color, File, Move, Piece, Position, Rank, Square};

const SQUARE: f64 = 29.0;
const LEFT: f64 = 14.0;
const TOP: f64 = 3.0;
const BOARD: f64 = 8.0 * SQUARE;
const WIDTH: f64 = LEFT + BOARD + 3.0;
const HEIGHT: f64 = TOP + BOARD + 16.0;

const LIGHT: RGBColor = RGBColor(0xF1, 0xEA, 0xDC);
const DARK: RGBColor = RGBColor(0xCB, 0xB8, 0x9A);
const LAST: RGBColor = RGBColor(0xE3, 0xC7, 0x3C);
const WHITE_PIECE: RGBColor = RGBColor(0xFD, 0xFD, 0xFB);
const BLACK_PIECE: RGBColor = RGBColor(0x22, 0x22, 0x26);
const SOLUTION: RGBColor = RGBColor(0x12, 0x6E, 0x32);
/// Fonts that have the symbols, plain and not as coloured emoji.
const SYMBOLS: &str = "DejaVu Sans, Segoe UI Symbol, Apple Symbols, Noto Sans Symbols 2, \
                       Noto Sans Symbols2, FreeSerif, sans-serif";
/// Asks for the plain form of the symbol before it.
const AS_TEXT: char = '\u{FE0E}';

/// Marks on a board.
pub struct Marks<'a> {
    /// The move that led here; its squares are tinted.
    pub last: Option<Move>,
    /// The move to be found.
    pub solution: Move,
    /// Moves played instead, with the look of who played them.
    pub wrong: &'a [(Move, Style)],
}

/// Draws a position from the side that is to move. `title` is for screen readers.
pub fn draw(position: &Position, marks: &Marks<'_>, title: &str) -> Result<Svg, DrawError> {
    let view = Seat(position.turn());
    canvas::draw(WIDTH, HEIGHT, title, |canvas| {
        draw_squares(canvas, view, marks.last)?;
        draw_coordinates(canvas, view)?;
        for (square, piece) in position.board().clone() {
            draw_piece(canvas, view.middle(square), piece)?;
        }
        for &(m, style) in marks.wrong {
            arrow(canvas, view, m, &style.colour, 2.5)?;
        }
        arrow(canvas, view, marks.solution, &SOLUTION, 4.0)
    })
}

/// The side from which the board is seen.
#[derive(Clone, Copy)]
struct Seat(Color);

impl Seat {
    /// Column and row from the top left corner.
    fn place(self, square: Square) -> (f64, f64) {
        let (file, rank) = (u32::from(square.file()), u32::from(square.rank()));
        match self.0 {
            Color::White => (f64::from(file), f64::from(7 - rank)),
            Color::Black => (f64::from(7 - file), f64::from(rank)),
        }
    }

    fn corner(self, square: Square) -> (f64, f64) {
        let (column, row) = self.place(square);
        (LEFT + column * SQUARE, TOP + row * SQUARE)
    }

    fn middle(self, square: Square) -> (f64, f64) {
        let (x, y) = self.corner(square);
        (x + SQUARE / 2.0, y + SQUARE / 2.0)
    }
}

fn ends(m: Move) -> (Square, Square) {
    (m.from(), Position::landing_square(m))
}

fn draw_squares(canvas: &Canvas, view: Seat, last: Option<Move>) -> Drawn {
    let tinted = last.map(ends);
    for square in Square::ALL {
        let (x, y) = view.corner(square);
        let corner = (x + SQUARE, y + SQUARE);
        canvas.rectangle((x, y), corner, if square.is_dark() { &DARK } else { &LIGHT })?;
        if tinted.is_some_and(|(from, to)| from == square || to == square) {
            canvas.rectangle((x, y), corner, &LAST.mix(0.45))?;
        }
    }
    canvas.frame((LEFT, TOP), (LEFT + BOARD, TOP + BOARD), &MUTED, 0.75)
}

fn draw_coordinates(canvas: &Canvas, view: Seat) -> Drawn {
    let small = font(9.0, &MUTED, false);
    for file in File::ALL {
        let (x, _) = view.middle(Square::from_coords(file, Rank::First));
        let below = (x, TOP + BOARD + 8.0);
        canvas.text(&file.char().to_string(), below, &small, Anchor::Middle)?;
    }
    for rank in Rank::ALL {
        let (_, y) = view.middle(Square::from_coords(File::A, rank));
        canvas.text(&rank.char().to_string(), (LEFT - 4.0, y), &small, Anchor::Right)?;
    }
    Ok(())
}

/// White pieces are a filled symbol in white with the outlined one over it.
fn draw_piece(canvas: &Canvas, (x, y): (f64, f64), piece: Piece) -> Drawn {
    // The symbols stand on the line of text, a little above its middle.
    let at = (x, y + 1.5);
    let filled = Piece { color: Color::Black, role: piece.role };
    let symbol = |piece| format!("{}{AS_TEXT}", figurine(piece));
    if piece.color == Color::White {
        canvas.text(&symbol(filled), at, &symbols(&WHITE_PIECE), Anchor::Middle)?;
    }
    canvas.text(&symbol(piece), at, &symbols(&BLACK_PIECE), Anchor::Middle)
}

fn symbols(colour: &RGBColor) -> TextStyle<'static> {
    // As large as `font` makes it: plotters divides by 1.24 when it writes.
    let size = SQUARE * 0.86 * SUBPIXELS * 1.24;
    (SYMBOLS, size).into_font().color(colour)
}

fn arrow(canvas: &Canvas, view: Seat, m: Move, colour: &RGBColor, width: f64) -> Drawn {
    let (from, to) = ends(m);
    let (from, to) = (view.middle(from), view.middle(to));
    let (dx, dy) = (to.0 - from.0, to.1 - from.1);
    let length = dx.hypot(dy).max(1.0);
    let (dx, dy) = (dx / length, dy / length);
    let (head, half) = (4.0 + 2.0 * width, 2.0 + width);
    let neck = (to.0 - head * dx, to.1 - head * dy);
    let sides = [1.0, -1.0].map(|side| (neck.0 - side * half * dy, neck.1 + side * half * dx));
    // Few colours stand out from both kinds of squares, so that each has a dark rim.
    canvas.line(from, neck, &BLACK_PIECE, width + 1.5)?;
    canvas.polygon(&[to, sides[0], sides[1]], &BLACK_PIECE)?;
    let within = |(x, y): (f64, f64)| {
        let middle = (neck.0 + head / 3.0 * dx, neck.1 + head / 3.0 * dy);
        (middle.0 + (x - middle.0) * 0.72, middle.1 + (y - middle.1) * 0.72)
    };
    canvas.line(from, within(neck), colour, width)?;
    canvas.polygon(&[to, sides[0], sides[1]].map(within), colour)
}
