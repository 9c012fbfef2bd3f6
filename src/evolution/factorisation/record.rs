//! The record of an approximation: its words and figures.

use std::path::Path;

use serde::{Deserialize, Serialize};

use super::occupancy::CELLS;
use super::packing::Packed;
use super::search::{FactorMethod, FactorSettings};
use super::target::{FactorLoss, FactorTarget};
use super::{Factors, OFFSET_STEP, Occupancy, TABLES};

/// An approximation of tables, with its figures.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Record {
    /// The tables' name in the command.
    pub tables: String,
    /// Method of the search.
    pub method: FactorMethod,
    /// Loss of the search.
    pub loss: FactorLoss,
    /// Seed of the search.
    pub seed: u64,
    pub seconds: f64,
    /// Squares of each component in hexadecimal, bit 0 is a1.
    pub components: Vec<String>,
    /// Weights of each component by table.
    pub weights: Vec<[i8; TABLES]>,
    /// Offset of each table, in steps of [`step`](Self::step).
    pub offsets: [i8; TABLES],
    /// Centipawns of a step.
    pub step: i32,
    /// Words in a program.
    pub literals: usize,
    pub bytes: usize,
    /// Mean over all cells, cp².
    pub mean_squared_error: f64,
    /// Largest error of a cell, cp.
    pub largest_error: i32,
    /// Errors of evaluations.
    pub evaluation_error: Option<EvaluationRms>,
    /// Games against the original tables.
    pub games: Option<FactorGames>,
}

/// Games of an approximation against the original tables.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FactorGames {
    /// Elo of the approximation, and the ends of its 95 % interval.
    pub elo: [f64; 3],
    pub games: u64,
    /// Conditions of the games, in words.
    pub terms: String,
}

/// Error of evaluations of real positions: root of the mean square, in centipawns.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct EvaluationRms {
    /// On the positions that weighted the errors.
    pub seen: f64,
    pub seen_positions: u64,
    pub held_out: f64,
    pub held_out_positions: u64,
}

/// Positions that weight errors, and held-out positions.
#[derive(Clone, Debug, Default)]
pub struct Occupancies {
    /// For the search.
    pub seen: Occupancy,
    /// For the figures.
    pub held_out: Occupancy,
}

impl Occupancies {
    /// Least number of positions: with fewer than cells, tables may be wrong about every square and
    /// right about every position.
    pub const LEAST: usize = CELLS;
}

impl Record {
    /// The record of a search's result.
    pub fn new(
        tables: &str,
        target: &FactorTarget,
        factors: &Factors,
        settings: &FactorSettings,
        loss: FactorLoss,
        seconds: f64,
        occupancies: Option<&Occupancies>,
    ) -> Self {
        let packed = Packed::pack(factors);
        let errors = target.errors(factors);
        Self {
            tables: tables.to_owned(),
            method: settings.method,
            loss,
            seed: settings.seed,
            seconds,
            components: packed.components.iter().map(|squares| format!("{squares:016x}")).collect(),
            weights: factors.weights(),
            offsets: factors.offsets(),
            step: OFFSET_STEP,
            literals: packed.literals(),
            bytes: packed.bytes(),
            mean_squared_error: target.mean_squared_error(factors),
            largest_error: target.largest_error(factors),
            games: None,
            evaluation_error: occupancies.map(|Occupancies { seen, held_out }| EvaluationRms {
                seen: seen.evaluation_error(&errors),
                seen_positions: seen.positions(),
                held_out: held_out.evaluation_error(&errors),
                held_out_positions: held_out.positions(),
            }),
        }
    }

    /// All records of a folder, in no order; it may hold other files that end in `.json`.
    ///
    /// # Errors
    /// A folder or a file that cannot be read.
    pub fn all_in(folder: &Path) -> std::io::Result<Vec<Self>> {
        let mut records = Vec::new();
        for entry in std::fs::read_dir(folder)? {
            let path = entry?.path();
            if path.extension().is_some_and(|ending| ending == "json") {
                records.extend(serde_json::from_slice::<Self>(&std::fs::read(&path)?).ok());
            }
        }
        Ok(records)
    }

    /// Method and loss: `annealing, plain`.
    pub fn kind(&self) -> String {
        format!("{}, {}", self.method.name(), self.loss.name())
    }

    /// `12, annealing, plain, seed 1`.
    pub fn label(&self) -> String {
        format!("{}, {}, seed {}", self.components.len(), self.kind(), self.seed)
    }

    /// Name of its files, without their endings: `annealing-plain-n12-s1`.
    pub fn stem(&self) -> String {
        let (method, loss) = (self.method.name(), self.loss.name());
        format!("{method}-{loss}-n{}-s{}", self.components.len(), self.seed)
    }

    /// The approximation; `None` if its components are no hexadecimal words.
    pub fn factors(&self) -> Option<Factors> {
        let word = |text: &String| u64::from_str_radix(text, 16).ok();
        let components: Option<Vec<u64>> = self.components.iter().map(word).collect();
        Some(Factors::new(&components?, &self.weights, self.offsets))
    }
}
