//! How likely each move is: a small policy net in integer arithmetic.
//!
//! Every clue (a feature of a move) of a move and every piece on the board has a row of sixteen numbers. The
//! rows of a move's clues and of the pieces are added up; the first sum is the move's
//! logit as it would be if clues did not depend on each other, the others are hidden
//! neurons (ReLU) that say how they do. The moves of a position share their
//! probability as the powers of two of their logits do.
//!
//! Sums of 16 bits wrap where they overflow, alike everywhere; a net whose sums did so
//! would guess badly, and never wrongly.

use std::sync::Arc;

use super::channel::Odds;
use super::clues::{self, Clues, brisk_clues, clues};
use super::exp2::exp2;
use super::outlook::{Outlook, Recent};
use chess::{Color, Move, Orientation, PieceKind, Position, Side};

/// The sum of a move: its logit's plain part, then the hidden neurons.
pub(crate) const LANES: usize = 16;

/// A row of numbers for one clue or piece.
pub(crate) type Row = [i16; LANES];

/// Units of a neuron and of its weight, and of a logit's bit.
pub(crate) const UNIT: i32 = 256;

/// Pieces on squares, as the mover sees them.
const PLACED: usize = PieceKind::COUNT * SQUARES;
const SQUARES: usize = 64;

/// How closely moves are looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    /// All clues.
    Thorough,
    /// Where the piece comes from and goes, what it takes, and pawns that may take it.
    Brisk,
}

impl Style {
    /// How many clues there are.
    pub fn clues(self) -> usize {
        match self {
            Self::Thorough => clues::COUNT,
            Self::Brisk => clues::BRISK_COUNT,
        }
    }

    /// How many rows a policy has: clues, pieces on squares, and one that all moves have.
    pub(crate) fn rows(self) -> usize {
        self.clues() + PLACED + 1
    }

    /// The clues of each move.
    #[inline]
    pub fn each(
        self,
        position: &Position,
        recent: Recent,
        moves: &[Move],
        mut take: impl FnMut(Clues),
    ) {
        match self {
            Self::Thorough => {
                let outlook = Outlook::new(position, recent);
                moves.iter().for_each(|&m| take(clues(&outlook, m)));
            }
            Self::Brisk => moves.iter().for_each(|&m| take(brisk_clues(position, recent, m))),
        }
    }

    /// The rows that all moves of a position have.
    #[inline]
    pub(crate) fn each_of_position(self, position: &Position, mut take: impl FnMut(usize)) {
        let (board, turn, first) = (position.board(), position.turn(), self.clues());
        let orientation = Orientation::of(turn);
        take(first + PLACED);
        for kind in PieceKind::all() {
            let color = turn.is_white() == (kind.side == Side::Own);
            let pieces = board.by_role(kind.role) & board.by_color(Color::from_white(color));
            for square in pieces {
                let seen = usize::from(orientation.square(square));
                take(first + kind.index() * SQUARES + seen);
            }
        }
    }
}

/// Rows of all clues and pieces, and what the neurons are worth.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Policy {
    style: Style,
    rows: Arc<[Row]>,
    /// What each neuron adds to the logit, in 1/256; 0 for the first lane, which is none.
    worth: Row,
}

impl Policy {
    /// From its numbers; rows that are missing are 0.
    pub(crate) fn new(style: Style, mut rows: Vec<Row>, worth: Row) -> Self {
        rows.resize(style.rows(), [0; LANES]);
        Self { style, rows: rows.into(), worth: without_plain_part(worth) }
    }

    pub(crate) fn rows(&self) -> &[Row] {
        &self.rows
    }

    /// What each neuron adds to the logit, in 1/256.
    pub(crate) fn worth(&self) -> &Row {
        &self.worth
    }

    /// How likely the moves are.
    #[inline]
    pub(crate) fn odds(
        &self,
        position: &Position,
        recent: Recent,
        moves: &[Move],
        odds: &mut Odds,
    ) {
        let mut base = [0; LANES];
        self.style.each_of_position(position, |row| add(&mut base, &self.rows[row]));
        let mut logits = [0; 256];
        let mut rest = logits.iter_mut();
        self.style.each(position, recent, moves, |clues| {
            if let Some(logit) = rest.next() {
                *logit = self.logit(base, &clues);
            }
        });
        let logits = &logits[..moves.len().min(256)];
        let best = logits.iter().copied().max().unwrap_or(0);
        odds.set(logits.iter().map(|logit| exp2(logit - best).max(1)));
    }

    /// The logit of a move, in 1/256 bit.
    #[inline]
    fn logit(&self, mut sums: Row, clues: &Clues) -> i32 {
        for &clue in clues.as_slice() {
            add(&mut sums, &self.rows[usize::from(clue)]);
        }
        i32::from(sums[0]) + value_of_neurons(&sums, &self.worth).div_euclid(UNIT)
    }
}

/// The plain part is no neuron: it is worth nothing among them.
fn without_plain_part(mut worth: Row) -> Row {
    worth[0] = 0;
    worth
}

/// Over all lanes, the plain part's too, which leaves processors whole registers.
#[inline]
fn value_of_neurons(sums: &Row, worth: &Row) -> i32 {
    let mut value = 0;
    for lane in 0..LANES {
        value += i32::from(sums[lane].max(0)) * i32::from(worth[lane]);
    }
    value
}

#[inline]
fn add(sums: &mut Row, row: &Row) {
    for (sum, number) in sums.iter_mut().zip(row) {
        *sum = sum.wrapping_add(*number);
    }
}
