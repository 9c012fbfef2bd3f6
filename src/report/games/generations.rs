//! Generations: nets that were trained on games of those before them.

use base::estimate::Estimate;
use base::format::{fixed, grouped, percentage, significant};

/// A net and the games it was trained on.
#[derive(Clone, Debug, PartialEq)]
pub struct GenerationRow {
    /// The net's name among the players.
    pub name: String,
    /// Who made the games of this generation.
    pub player: String,
    pub games: u64,
    /// Their positions with a score.
    pub positions: u64,
    /// Share of those games that were drawn, in [0, 1].
    pub drawn: f64,
    /// Positions that the net was trained on.
    pub trained_on: u64,
    /// Loss on games it was not trained on.
    pub validation_loss: Option<f64>,
    /// Share of puzzles solved, in [0, 1].
    pub puzzles: Option<Estimate>,
    /// Speed of the search.
    pub nodes_per_second: Option<Estimate>,
    /// Elo over the player who made the games.
    pub gain: Option<Estimate>,
}

/// What the columns are called; the first two hold names.
pub(super) const COLUMNS: [&str; 10] = [
    "net",
    "games by",
    "games",
    "positions",
    "drawn",
    "trained on",
    "validation loss",
    "puzzles",
    "nodes/s",
    "Elo over the one before",
];

impl GenerationRow {
    pub fn cells(&self) -> [String; COLUMNS.len()] {
        let or_none = |cell: Option<String>| cell.unwrap_or_else(|| "—".to_owned());
        let thousands = |speed: Estimate| format!("{}k", fixed(speed.value / 1e3, 0));
        let per_cent = |share: Estimate| format!("{} %", share.scaled(100.0).plain());
        [
            self.name.clone(),
            self.player.clone(),
            grouped(self.games),
            grouped(self.positions),
            percentage(self.drawn, 1),
            grouped(self.trained_on),
            or_none(self.validation_loss.map(significant)),
            or_none(self.puzzles.map(per_cent)),
            or_none(self.nodes_per_second.map(thousands)),
            or_none(self.gain.map(|elo| elo.signed())),
        ]
    }
}
