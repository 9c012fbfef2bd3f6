//! Numbers of the engine to search for, and the players of points.
//!
//! To add a genome: a file here with its numbers and the player of a point, and a variant of
//! [`Genome`].

mod margins;
mod tables;
mod weights;

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use arena::EnginePlayer;
use arena::contender::Evaluation;
use engine::{Limits, Margins};

use super::space::Space;

pub use margins::{MarginGenome, MarginGenomeError};
pub(crate) use tables::TableCell;
pub use tables::{CellSelection, TableGenome};
pub use weights::{WeightGenome, WeightGenomeError};

/// The numbers of the engine to search for.
#[derive(Clone)]
pub enum Genome {
    /// Cells of piece-square tables.
    Tables(TableGenome),
    /// Margins of the search.
    Margins(MarginGenome),
    /// Weights of a linear net.
    Weights(WeightGenome),
}

/// A player of our search.
#[derive(Clone)]
pub struct GenomePlayer {
    /// Evaluation of positions.
    pub evaluation: Evaluation,
    /// The margins of its search.
    pub margins: Arc<Margins>,
}

impl Genome {
    pub fn space(&self) -> &Space {
        match self {
            Self::Tables(tables) => tables.space(),
            Self::Margins(margins) => margins.space(),
            Self::Weights(weights) => weights.space(),
        }
    }

    pub fn candidate(&self, point: &[f64]) -> GenomePlayer {
        match self {
            Self::Tables(tables) => {
                GenomePlayer::usual(Evaluation::Tables(Arc::new(tables.at(point))))
            }
            Self::Weights(genome) => GenomePlayer::usual(Evaluation::Net(genome.at(point))),
            Self::Margins(genome) => GenomePlayer {
                evaluation: genome.evaluation().clone(),
                margins: Arc::new(genome.at(point)),
            },
        }
    }

    /// A point as a file, and the ending of its name: a sheet of tables, lines of margins, a net.
    pub fn file(&self, point: &[f64]) -> (Vec<u8>, &'static str) {
        match self {
            Self::Tables(tables) => (tables.at(point).sheet().into_bytes(), "csv"),
            Self::Margins(genome) => (genome.at(point).to_text().into_bytes(), "txt"),
            Self::Weights(genome) => (genome.at(point).to_bytes(), "oplus"),
        }
    }

    /// For titles and logs.
    pub fn summary(&self) -> String {
        match self {
            Self::Tables(tables) => {
                format!("{} cells of piece-square tables", tables.space().dimensions())
            }
            Self::Margins(genome) => {
                format!("{} margins of the search", genome.space().dimensions())
            }
            Self::Weights(genome) => {
                format!("{} weights of a linear net", genome.space().dimensions())
            }
        }
    }
}

impl GenomePlayer {
    /// A player with the default margins.
    pub fn usual(evaluation: Evaluation) -> Self {
        Self { evaluation, margins: Arc::default() }
    }

    /// Identifies the player.
    pub fn fingerprint(&self) -> String {
        format!("{}; {}", self.evaluation.fingerprint(), self.margins.to_text().replace('\n', ", "))
    }

    /// A player of games.
    pub fn player<'s>(
        &self,
        hash_mb: usize,
        limits: Limits,
        stop: &'s AtomicBool,
    ) -> EnginePlayer<'s> {
        EnginePlayer::new(self.evaluation.evaluator(), hash_mb, limits, stop)
            .with_margins(self.margins.clone())
    }
}
