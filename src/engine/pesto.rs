//! PeSTO's tapered piece-square tables: the evaluation to start from.
//!
//! Ronald Friederich tuned them for his engine RofChade and gave them to the
//! public ("PeSTO's Evaluation Function", Chess Programming Wiki). With a
//! search like this one they play as a good club engine, and with them the first training games are
//! played.

use std::path::Path;
use std::sync::{Arc, LazyLock};

use super::piece_tables::{PieceTables, Tapered};

impl PieceTables {
    /// PeSTO's.
    pub fn pesto() -> &'static Arc<Self> {
        static PESTO: LazyLock<Arc<PieceTables>> = LazyLock::new(|| {
            let sheet = include_str!("piece_tables/pesto.csv");
            let tables = PieceTables::read(sheet, Path::new("pesto.csv"));
            Arc::new(tables.unwrap_or_else(|error| unreachable!("{error}")))
        });
        &PESTO
    }

    /// PeSTO's piece values, on all squares.
    pub fn material() -> Self {
        let [middlegame, endgame] = VALUES.map(|values| values.map(|value| [value; 64]));
        Self::new(middlegame, endgame)
    }
}

impl Tapered {
    /// PeSTO at the start position.
    pub fn pesto() -> Self {
        Self::new(PieceTables::pesto().clone())
    }
}

/// Values of pawn to king, in the middlegame and in the endgame.
const VALUES: [[i32; 6]; 2] = [[82, 337, 365, 477, 1025, 0], [94, 281, 297, 512, 936, 0]];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Evaluator;
    use chess::Position;

    #[test]
    fn a_pawn_on_its_seventh_rank_has_the_value_of_the_tables() {
        // 94 + 134 (d7) for the pawn, kings on e1 and h8: endgame phase 0.
        let position = Position::from_fen("7k/3P4/8/8/8/8/8/4K3 w - - 0 1").unwrap();
        let mut pesto = Tapered::pesto();
        pesto.reset(&position);
        assert_eq!(pesto.evaluate(&position), 94 + 134 + (-28) - (-43));
    }
}
