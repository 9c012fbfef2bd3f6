//! Scores of players against each other: a square table.

use super::plot::theme::Style;
use super::swatch::tint;
use base::estimate::Estimate;
use base::format::{ascii, percentage};

#[derive(Clone, Debug, Default, PartialEq)]
pub struct CrossTable {
    pub title: String,
    /// Rows and columns, with their markers in plots.
    pub players: Vec<(String, Style)>,
    /// `cells[row][column]`: the result of the row's player against the column's.
    pub cells: Vec<Vec<Option<CrossScore>>>,
    pub caption: String,
    /// Whether terminals show it when a command ends.
    pub is_summary: bool,
}

/// Points of one player against another.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CrossScore {
    /// Share of the points, in [0, 1].
    pub share: f64,
    pub elo: Option<Estimate>,
}

impl CrossTable {
    /// All against all; `score` is of the first player of its arguments against the second.
    pub fn of<P: Copy>(
        players: &[P],
        name: impl Fn(P) -> (String, Style),
        score: impl Fn(P, P) -> Option<CrossScore>,
    ) -> Self {
        let row = |&row: &P| players.iter().map(|&column| score(row, column)).collect();
        let caption = "Row against column: share of the points, and Elo with its 95 % interval.";
        Self {
            title: "Scores".to_owned(),
            players: players.iter().map(|&player| name(player)).collect(),
            cells: players.iter().map(row).collect(),
            caption: caption.to_owned(),
            is_summary: false,
        }
    }
}

impl CrossScore {
    /// The score of the other player.
    #[must_use]
    pub fn turned(self) -> Self {
        Self { share: 1.0 - self.share, elo: self.elo.map(|elo| elo.negated()) }
    }

    pub(crate) fn per_cent(&self) -> String {
        percentage(self.share, 1)
    }

    /// Points of a hundred.
    pub(crate) fn points(&self) -> String {
        ascii(100.0 * self.share, 1)
    }

    pub(crate) fn elo(&self) -> String {
        self.elo.map_or(String::new(), |elo| elo.signed())
    }

    pub(crate) fn tint(&self) -> String {
        tint(self.share)
    }
}
