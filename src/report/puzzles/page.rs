//! The page: tables, pictures and words put into the template.

use askama::Template;

use super::failed::FailedPuzzle;
use super::figures::{BoardFigure, Boards};
use super::findings;
use super::model::{PlayerRow, PuzzleReport, difference, rating, share};
use crate::figure::Figure;
use crate::files::printable;
use crate::finding::{Finding, Mark};
use crate::swatch::swatch;
use base::estimate::Estimate;
use base::estimate::per_cent;
use base::format::{counted, duration, grouped, p_value};
use puzzles::{Paired, Proportion};

#[derive(Template)]
#[template(path = "puzzles.html")]
struct Page<'a> {
    report: &'a PuzzleReport,
    findings: Vec<Finding>,
    figures: &'a [Figure],
    sections: Vec<Section<'a>>,
    sheets: &'a [&'a str],
}

/// Boards under one heading.
struct Section<'a> {
    id: &'static str,
    title: &'static str,
    caption: &'static str,
    boards: &'a [BoardFigure<'a>],
}

/// Renders the page; `sheets` are the names of the CSV files beside it.
pub(super) fn render(
    report: &PuzzleReport,
    figures: &[Figure],
    boards: &Boards<'_>,
    sheets: &[&str],
) -> Result<String, askama::Error> {
    let is_rated = report.hardest.iter().any(|failed| failed.rating.is_some());
    let (title, caption) = match is_rated {
        true => ("The hardest failures", "What most players failed, the highest rated first."),
        false => (
            "Failures",
            "What most players failed, in the order of the file: without ratings none is known to \
             be harder than another.",
        ),
    };
    let sections = [
        Section { id: "hardest", title, caption, boards: &boards.hardest },
        Section {
            id: "easiest",
            title: "The easiest failures",
            caption: "What most players failed, the lowest rated first: what a person finds.",
            boards: &boards.easiest,
        },
    ];
    let page = Page {
        report,
        findings: findings::of(report),
        figures,
        sections: sections.into_iter().filter(|section| !section.boards.is_empty()).collect(),
        sheets,
    };
    page.render().map(printable)
}

/// A line of the list below a board.
struct Answer<'a> {
    swatch: String,
    player: &'a str,
    told: String,
}

impl Page<'_> {
    fn byline(&self) -> String {
        let puzzles = counted(self.report.puzzles(), "puzzle");
        let parts = [puzzles, self.report.mode.clone(), self.report.provenance.byline()];
        parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" · ")
    }

    fn swatch(&self, player: &usize) -> String {
        swatch(&self.report.style(*player))
    }

    fn share(&self, of: &Proportion) -> String {
        share(*of).map_or("—".to_owned(), per_cent)
    }

    fn rating(&self, player: &PlayerRow) -> String {
        player.summary.rating.map_or("—".to_owned(), |found| rating(found).plain())
    }

    fn duration(&self, seconds: &f64) -> String {
        duration(*seconds)
    }

    fn first(&self) -> &str {
        self.report.players.first().map_or("", |first| &first.name)
    }

    fn difference(&self, paired: &Paired) -> Estimate {
        difference(paired).scaled(100.0)
    }

    fn compared(&self) -> Vec<(&PlayerRow, &Paired)> {
        self.report.compared().collect()
    }

    fn grouped(&self, number: &u64) -> String {
        grouped(*number)
    }

    fn p_value(&self, paired: &Paired) -> String {
        p_value(paired.p_value())
    }

    fn mark(&self, difference: &Estimate) -> Mark {
        difference.verdict().into()
    }

    /// What stands above a board: `00008 · 1736 · fork, pin`.
    fn head(&self, failed: &FailedPuzzle) -> String {
        let rating = failed.rating.map_or("unrated".to_owned(), |rating| rating.to_string());
        let parts = [failed.id.clone(), rating, failed.themes.join(", ")];
        parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" · ")
    }

    fn answers(&self, failed: &FailedPuzzle) -> Vec<Answer<'_>> {
        let answer = |(player, answer)| Answer {
            swatch: self.swatch(&player),
            player: &self.report.players[player].name,
            told: failed.told(answer),
        };
        failed.answers.iter().enumerate().take(self.report.players.len()).map(answer).collect()
    }
}
