//! Probabilities of moves by a small policy net in integer arithmetic.
//!
//! Every feature of a move and every piece on the board has a row of sixteen numbers. The
//! rows of a move's features and of the pieces are added up; the first sum is the linear
//! part of the move's logit, the others are hidden neurons (ReLU) for interactions. The
//! probabilities of a position's moves are proportional to 2 to the power of their logits.
//!
//! Sums of 16 bits wrap on overflow, alike on every machine; overflows make an archive
//! larger, not wrong.

use std::sync::Arc;

use super::channel::Odds;
use super::context::{Context, Recent};
use super::exp2::exp2;
use super::features::{self, MoveFeatures, all_features, fast_features};
use super::moves::Mode;
use chess::{Color, Move, Orientation, PieceKind, Position, Side};

/// The sum of a move: its logit's plain part, then the hidden neurons.
pub(crate) const LANES: usize = 16;

/// A row of numbers for one move feature or piece.
pub(crate) type Row = [i16; LANES];

/// Units of a neuron and of its weight, and of a logit's bit.
pub(crate) const UNIT: i32 = 256;

/// Pieces on squares, as the mover sees them.
const PLACED: usize = PieceKind::COUNT * SQUARES;
const SQUARES: usize = 64;

impl Mode {
    /// Number of move features.
    pub fn features(self) -> usize {
        match self {
            Self::Best => features::COUNT,
            Self::Fast => features::FAST_COUNT,
        }
    }

    /// Rows of a policy: move features, pieces on squares, and one that all moves have.
    pub(crate) fn rows(self) -> usize {
        self.features() + PLACED + 1
    }

    /// The features of each move.
    #[inline]
    pub fn each(
        self,
        position: &Position,
        recent: Recent,
        moves: &[Move],
        mut take: impl FnMut(MoveFeatures),
    ) {
        match self {
            Self::Best => {
                let context = Context::new(position, recent);
                moves.iter().for_each(|&m| take(all_features(&context, m)));
            }
            Self::Fast => moves.iter().for_each(|&m| take(fast_features(position, recent, m))),
        }
    }

    /// The rows that all moves of a position have.
    #[inline]
    pub(crate) fn each_of_position(self, position: &Position, mut take: impl FnMut(usize)) {
        let (board, turn, first) = (position.board(), position.turn(), self.features());
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

/// Rows of all move features and pieces, and the weights of the neurons.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Policy {
    mode: Mode,
    rows: Arc<[Row]>,
    /// Weights of the neurons, in 1/256; 0 for the first lane, which is none.
    weights: Row,
}

impl Policy {
    /// From its numbers; rows that are missing are 0.
    pub(crate) fn new(mode: Mode, mut rows: Vec<Row>, weights: Row) -> Self {
        rows.resize(mode.rows(), [0; LANES]);
        Self { mode, rows: rows.into(), weights: without_plain_part(weights) }
    }

    pub(crate) fn rows(&self) -> &[Row] {
        &self.rows
    }

    pub(crate) fn weights(&self) -> &Row {
        &self.weights
    }

    /// Probabilities of the moves.
    #[inline]
    pub(crate) fn odds(
        &self,
        position: &Position,
        recent: Recent,
        moves: &[Move],
        odds: &mut Odds,
    ) {
        let mut base = [0; LANES];
        self.mode.each_of_position(position, |row| add(&mut base, &self.rows[row]));
        let mut logits = [0; 256];
        let mut rest = logits.iter_mut();
        self.mode.each(position, recent, moves, |features| {
            if let Some(logit) = rest.next() {
                *logit = self.logit(base, &features);
            }
        });
        let logits = &logits[..moves.len().min(256)];
        let best = logits.iter().copied().max().unwrap_or(0);
        odds.set(logits.iter().map(|logit| exp2(logit - best).max(1)));
    }

    /// The logit of a move, in 1/256 bit.
    #[inline]
    fn logit(&self, mut sums: Row, features: &MoveFeatures) -> i32 {
        for &feature in features.as_slice() {
            add(&mut sums, &self.rows[usize::from(feature)]);
        }
        i32::from(sums[0]) + value_of_neurons(&sums, &self.weights).div_euclid(UNIT)
    }
}

/// The plain part is no neuron: it is worth nothing among them.
fn without_plain_part(mut weights: Row) -> Row {
    weights[0] = 0;
    weights
}

/// Over all lanes, the plain part's too, which leaves processors whole registers.
#[inline]
fn value_of_neurons(sums: &Row, weights: &Row) -> i32 {
    let mut value = 0;
    for lane in 0..LANES {
        value += i32::from(sums[lane].max(0)) * i32::from(weights[lane]);
    }
    value
}

#[inline]
fn add(sums: &mut Row, row: &Row) {
    for (sum, number) in sums.iter_mut().zip(row) {
        *sum = sum.wrapping_add(*number);
    }
}
