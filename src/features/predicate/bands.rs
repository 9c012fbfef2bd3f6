//! `material(BANDS(n))`, `phase(BANDS(n))` and `halfmoves(BANDS(n))`: which of n equal bands of
//! the piece count, of the game phase or of the half-move clock the position is in. One-hot.

use std::ops::RangeInclusive;

use super::prelude::*;
use crate::concept::MOST_BANDS;
use crate::possible::no_piece_needed;
use chess::{FULL_PHASE, phase_band};

/// Pieces at the start.
pub(crate) const MOST_PIECES: usize = 32;

/// Most plies on the half-move clock before the draw.
pub(crate) const MOST_HALFMOVES: usize = 99;

/// The scale that the bands divide.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Scale {
    /// The number of pieces, kings and pawns included, 1 to 32.
    Material,
    /// Phase points gone: 0 at the start, [`FULL_PHASE`] without pieces.
    Phase,
    /// Plies since the last capture or pawn move, 0 to [`MOST_HALFMOVES`].
    Halfmoves,
}

impl Scale {
    /// Most bands. Narrower ones of material and phase are empty.
    fn most_bands(self) -> u8 {
        match self {
            Scale::Material | Scale::Phase => 32,
            Scale::Halfmoves => MOST_BANDS,
        }
    }

    /// Refresh cause: a change of its [state](RefreshCause::state).
    pub(crate) fn cause(self) -> RefreshCause {
        match self {
            Scale::Material => RefreshCause::Material,
            Scale::Phase => RefreshCause::Phase,
            Scale::Halfmoves => RefreshCause::Halfmoves,
        }
    }

    /// The states in positions of a game: both kings are on the board.
    pub(crate) fn states(self) -> RangeInclusive<usize> {
        match self {
            Scale::Material => 2..=MOST_PIECES,
            Scale::Phase => 0..=FULL_PHASE as usize,
            Scale::Halfmoves => 0..=MOST_HALFMOVES,
        }
    }

    /// The band of a state among `bands` equal ones.
    pub(crate) fn band(self, state: usize, bands: u8) -> u8 {
        let bands = usize::from(bands);
        let band = match self {
            Scale::Material => (state.clamp(1, MOST_PIECES) - 1) * bands / MOST_PIECES,
            Scale::Phase => phase_band(state as u32, bands),
            Scale::Halfmoves => state.min(MOST_HALFMOVES) * bands / (MOST_HALFMOVES + 1),
        };
        band as u8
    }

    pub(crate) fn words(self) -> &'static str {
        match self {
            Scale::Material => "piece count",
            Scale::Phase => "phase",
            Scale::Halfmoves => "half-move clock",
        }
    }
}

impl Definition for Scale {
    fn entry(&self) -> Entry {
        match self {
            Scale::Material => Entry::new(
                "material",
                "the number of pieces on the board is in that band",
                "material takes BANDS: `material(BANDS(8))` is the number of pieces, four to a band",
                "material(BANDS(8))",
            ),
            Scale::Phase => Entry::new(
                "phase",
                "the phase, from the opening to bare kings and pawns, is in that band",
                "phase takes BANDS: `phase(BANDS(4))` runs from the opening (0) to bare kings and pawns (3)",
                "phase(BANDS(4))",
            ),
            Scale::Halfmoves => Entry::new(
                "halfmoves",
                "the number of plies without capture or pawn move is in that band",
                "halfmoves takes BANDS: `halfmoves(BANDS(10))` is the number of plies without capture or pawn move, ten to a band",
                "halfmoves(BANDS(10))",
            ),
        }
    }

    fn check(&self, concepts: &[Concept], _: &mut Clauses) -> Result<Tupling, Misuse> {
        let name = self.entry().name;
        match concepts {
            [concept] if concept.axis().size() > self.most_bands() && is_band(concept) => {
                let most = self.most_bands();
                let message = format!("`{name}` has {most} bands at most");
                let help = Some(format!("`{name}(BANDS({most}))` is the finest"));
                Err(Misuse { help, ..Misuse::of(0, message, "too many bands") })
            }
            [concept] if is_band(concept) => Ok(Tupling::All),
            [concept] => Err(Misuse::stranger(name, 0, concept.axis(), "not bands")),
            _ => Err(Misuse::of(1, format!("`{name}` takes one concept"), "one too many")),
        }
    }

    fn max_active(&self, _: &[Concept], _: Clauses) -> u64 {
        1
    }

    /// `phase in band 2 of 4`.
    fn describe(&self, predicate: &Predicate, index: u64) -> String {
        let bands = predicate.words(index);
        let words = bands.map(|(axis, band)| format!("in band {band} of {}", axis.size()));
        format!("{} {}", self.words(), words.collect::<String>())
    }

    fn arrangements(&self, predicate: &Predicate, index: u64) -> Vec<Arrangement> {
        let is_reached = |(axis, elements): &(Axis, &[u8])| {
            self.states().any(|state| elements.contains(&self.band(state, axis.size())))
        };
        if predicate.values(index).iter().all(is_reached) { no_piece_needed() } else { Vec::new() }
    }

    #[cfg(test)]
    fn count(
        &self,
        predicate: &Predicate,
        index: u64,
        facts: &crate::tests::oracle::Facts<'_>,
    ) -> usize {
        let (axis, elements) = predicate.values(index)[0];
        let bands = usize::from(axis.size());
        let band = match self {
            Scale::Material => (facts.pieces.len() - 1) * bands / 32,
            Scale::Halfmoves => {
                let plies = facts.view.scene().halfmoves() as usize;
                (0..bands).rfind(|band| band * 100 <= plies.min(99) * bands).unwrap_or(0)
            }
            Scale::Phase => 24_usize.saturating_sub(facts.phase_points()) * bands / 25,
        };
        usize::from(elements.contains(&(band as u8)))
    }

    fn compile(&self, predicate: &Predicate, _valued: bool) -> Compiled {
        let axis = predicate.concepts()[0].axis();
        let tuple = Coding::new(predicate.concepts()).along(axis);
        let of_state = |state| tuple[usize::from(self.band(state, axis.size()))];
        Selector::compiled(self.cause(), of_state)
    }
}

fn is_band(concept: &Concept) -> bool {
    matches!(concept.axis(), Axis::Band(_))
}
