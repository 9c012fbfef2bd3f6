//! `material(BANDS(n))` and `phase(BANDS(n))`: which of n equal bands of the
//! piece count, or of the game phase, the position is in. One-hot.

use std::collections::BTreeSet;

use super::Misuse;
use super::coding::{Coding, NONE};
use crate::concept::{Axis, Concept};
use crate::refresh::RefreshCause;
use chess::{Role, View};

/// How `material` is used.
pub const MATERIAL_USAGE: &str =
    "material takes BANDS: `material(BANDS(8))` is the number of pieces, four to a band";

/// How `phase` is used.
pub const PHASE_USAGE: &str =
    "phase takes BANDS: `phase(BANDS(4))` runs from the opening (0) to bare kings and pawns (3)";

/// Phase points at the start: knights and bishops 1, rooks 2, queens 4.
pub const FULL_PHASE: u32 = 24;

/// Pieces at the start.
pub const MOST_PIECES: u32 = 32;

/// What the bands divide.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scale {
    /// The number of pieces, kings and pawns included, 1 to 32.
    Material,
    /// Phase points gone: 0 at the start, [`FULL_PHASE`] without pieces.
    Phase,
}

/// Phase points gone: 0 at the start, [`FULL_PHASE`] with kings and pawns only.
#[inline]
pub fn phase_points(view: View<'_>) -> u32 {
    let board = view.scene().board();
    let count = |role: Role| board.by_role(role).count() as u32;
    let left =
        count(Role::Knight) + count(Role::Bishop) + 2 * count(Role::Rook) + 4 * count(Role::Queen);
    FULL_PHASE.saturating_sub(left)
}

impl Scale {
    /// Number of steps of the scale.
    fn steps(self) -> u32 {
        match self {
            Scale::Material => MOST_PIECES,
            Scale::Phase => FULL_PHASE + 1,
        }
    }

    /// The step a position is on, from 0.
    #[inline]
    fn step(self, view: View<'_>) -> u32 {
        match self {
            Scale::Material => Self::step_of_pieces(view.scene().board().occupied().count() as u32),
            Scale::Phase => phase_points(view),
        }
    }

    #[inline]
    fn step_of_pieces(pieces: u32) -> u32 {
        pieces.clamp(1, MOST_PIECES) - 1
    }

    /// The band of a position among `bands` equal ones.
    #[inline]
    pub fn band(self, view: View<'_>, bands: u8) -> u8 {
        self.band_of_step(self.step(view), bands)
    }

    #[inline]
    fn band_of_step(self, step: u32, bands: u8) -> u8 {
        (step * u32::from(bands) / self.steps()) as u8
    }

    /// The bands among `bands` that positions of a game are in: both kings are
    /// on the board, and where there are more bands than steps some are skipped.
    pub fn reachable(self, bands: u8) -> impl Iterator<Item = u8> {
        let first = match self {
            Scale::Material => 1,
            Scale::Phase => 0,
        };
        (first..self.steps()).map(move |step| self.band_of_step(step, bands))
    }

    /// What it is called.
    pub fn words(self) -> &'static str {
        match self {
            Scale::Material => "piece count",
            Scale::Phase => "phase",
        }
    }
}

/// Checks the concepts of a predicate called `name`.
pub fn check(name: &str, concepts: &[Concept]) -> Result<(), Misuse> {
    match concepts {
        [concept] if matches!(concept.axis(), Axis::Band(_)) => Ok(()),
        [concept] => {
            Err(Misuse::of(0, format!("`{name}` cannot take {}", concept.axis()), "not bands"))
        }
        _ => Err(Misuse::of(1, format!("`{name}` takes one concept"), "one too many")),
    }
}

/// `phase in band 2 of 4`.
pub fn describe(scale: Scale, concepts: &[Concept], classes: &[usize]) -> String {
    let concept = &concepts[0];
    format!("{} in band {} of {}", scale.words(), concept.words(classes[0]), concept.axis().size())
}

/// The predicate as a table by band.
#[derive(Clone, Debug)]
pub struct BandTable {
    scale: Scale,
    tuple: Vec<u32>,
}

impl BandTable {
    /// Table for checked concepts.
    pub fn new(scale: Scale, concepts: &[Concept]) -> Self {
        Self { scale, tuple: Coding::new(concepts).along(concepts[0].axis()) }
    }

    /// The active tuple, if any.
    #[inline]
    pub fn value(&self, view: View<'_>) -> Option<u32> {
        self.at_step(self.scale.step(view))
    }

    /// The tuple of so many pieces, or of so many phase points gone, if there is one.
    pub fn at(&self, pieces: u32, phase: u32) -> Option<u32> {
        self.at_step(match self.scale {
            Scale::Material => Scale::step_of_pieces(pieces),
            Scale::Phase => phase,
        })
    }

    #[inline]
    fn at_step(&self, step: u32) -> Option<u32> {
        let tuple = self.tuple[usize::from(self.scale.band_of_step(step, self.tuple.len() as u8))];
        (tuple != NONE).then_some(tuple)
    }

    /// The tuples that there are.
    pub fn tuples(&self) -> BTreeSet<u32> {
        self.tuple.iter().copied().filter(|&tuple| tuple != NONE).collect()
    }

    /// What changes it.
    pub fn refresh_cause(&self) -> RefreshCause {
        match self.scale {
            Scale::Material => RefreshCause::Material,
            Scale::Phase => RefreshCause::Phase,
        }
    }
}
