//! The page of a match: words, tables and pictures put into the template.

use std::borrow::Borrow;

use askama::Template;

use super::generations::COLUMNS;
use super::{GamesReport, Meeting, PlayerRow};
use crate::figure::Figure;
use crate::files::printable;
use crate::now::Now;
use crate::plot::theme::Style;
use crate::swatch::swatch;
use crate::swatch::tint;
use base::estimate::{Estimate, Verdict};
use base::format::{grouped, percentage};

#[derive(Template)]
#[template(path = "games.html")]
struct Page<'a> {
    report: &'a GamesReport,
    figures: &'a [Figure],
    sheets: &'a [&'a str],
    now: Option<&'a Now>,
}

struct CrossRow<'a> {
    name: &'a str,
    /// Against each player in order; none against itself and strangers.
    cells: Vec<Option<Meeting>>,
}

/// Renders the page; `sheets` are the names of the CSV files beside it, `now` is what is under
/// way while it is looked at.
pub(super) fn render(
    report: &GamesReport,
    figures: &[Figure],
    sheets: &[&str],
    now: Option<&Now>,
) -> Result<String, askama::Error> {
    let page = Page { report, figures, sheets, now };
    page.render().map(printable)
}

impl Page<'_> {
    fn generation_columns(&self) -> [&'static str; COLUMNS.len()] {
        COLUMNS
    }

    fn is_ladder(&self) -> bool {
        self.report.players.len() > 2
    }

    /// The colour that a player has in the plot of ratings.
    fn swatch_of(&self, name: &str) -> String {
        let place = self.report.players.iter().position(|player| player.name == name);
        swatch(&place.map_or(Style::REFERENCE, Style::nth))
    }

    fn cross(&self) -> Vec<CrossRow<'_>> {
        let players = &self.report.players;
        let row = |player: &'_ PlayerRow| {
            let against = |other: &PlayerRow| self.report.meeting(&player.name, &other.name);
            players.iter().map(against).collect()
        };
        players.iter().map(|player| CrossRow { name: &player.name, cells: row(player) }).collect()
    }

    fn tint(&self, meeting: &Meeting) -> String {
        tint(meeting.score())
    }

    fn per_cent(&self, share: impl Borrow<f64>) -> String {
        percentage(*share.borrow(), 1)
    }

    fn draws(&self, meeting: &Meeting) -> String {
        let games = meeting.games.iter().sum::<u64>().max(1);
        self.per_cent(meeting.games[1] as f64 / games as f64)
    }

    fn grouped(&self, number: &u64) -> String {
        grouped(*number)
    }

    fn elo(&self, estimate: &Option<Estimate>) -> String {
        estimate.map_or("—".to_owned(), |estimate| estimate.signed())
    }

    fn tone(&self, meeting: &Meeting) -> &'static str {
        let told = meeting.elo.filter(|_| !meeting.is_spoilt);
        match told.map(|estimate| estimate.verdict()) {
            Some(Verdict::Better) => "better",
            Some(Verdict::Worse) => "worse",
            Some(Verdict::Open) | None => "open",
        }
    }
}
