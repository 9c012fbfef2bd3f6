//! Numbers searched by a method, and what its answers are worth over the board.

use std::num::NonZeroU64;

use serde::{Deserialize, Serialize};

use arena::{ByColour, PairingResult};
use base::Key;
use evolution::{Answer, Cells, Colours, CourseRound, MethodSettings, Terms};

/// A search.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Evolve {
    pub genome: Genome,
    /// Whether it begins anywhere, by the seed.
    pub anywhere: bool,
    pub method: MethodSettings,
    /// By what points are judged.
    pub fitness: Fitness,
    /// Games, or evaluations of all positions, in all.
    pub budget: u64,
    /// At which shares of the budget the answer is kept.
    pub kept_at: Vec<f64>,
    /// Another seed, another search.
    pub seed: u64,
}

/// What is searched; evaluations by their fingerprints.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Genome {
    /// Cells of piece-square tables.
    Tables {
        /// The tables that it begins with.
        tables: String,
        cells: Cells,
        /// How far from the value of the piece, in centipawns.
        range: i32,
        /// What a small change is, in centipawns.
        step: f64,
    },
    /// Margins of the search.
    Margins {
        /// What judges positions for it.
        evaluation: String,
        /// Which; all if none is named.
        names: Vec<String>,
    },
    /// Weights of a linear net.
    Weights {
        net: String,
        /// Of which summands; all if none is named.
        summands: Vec<String>,
        /// How far from what a weight is, in centipawns.
        range: i32,
        /// What a small change is, in centipawns.
        step: f64,
    },
}

/// Whom an answer plays against.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Against {
    /// What the search began with.
    Start,
    /// Our search as it is, with an evaluation of this fingerprint.
    Evaluation(String),
}

/// By what points are judged.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Fitness {
    Games(Terms),
    /// The expected score in positions whose results are known.
    Positions {
        /// What prepares them; those that validate are held out.
        positions: Key,
        /// Centipawns at which the expected score is e : 1.
        scale: f64,
    },
}

/// What came of a search.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Evolved {
    /// Some of the rounds, evenly over all, the last among them.
    pub rounds: Vec<CourseRound>,
    pub round_count: u64,
    /// The answers that were kept, the start first.
    pub answers: Vec<Answer>,
    /// Games of what was judged, by colour.
    pub colours: Colours,
    /// Mean squared errors of the answers, where positions judged.
    #[serde(default)]
    pub errors: Vec<Errors>,
    /// Seconds that the last sitting took.
    pub seconds: f64,
}

/// Mean squared errors of an answer's expected scores.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Errors {
    /// In the positions that it was judged by.
    pub judged_by: f64,
    /// In those held out, if there are any.
    pub held_out: Option<f64>,
}

/// A match of an answer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Trial {
    pub search: Key,
    /// Which of its answers, the start being 0.
    pub answer: usize,
    /// Whom it plays against.
    pub against: Against,
    /// Nodes a move.
    pub nodes: NonZeroU64,
    /// Games; whole pairs where both colours are played.
    pub games: u64,
    pub colours: ByColour,
    /// Seed of the openings.
    pub seed: u64,
}

/// What came of it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Tried {
    /// The games, seen by the answer.
    pub result: PairingResult,
    /// All of them by colour: where White alone was played no pair is ever finished.
    pub colours: Colours,
}
