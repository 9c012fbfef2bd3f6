//! The page.

use askama::Template;

use super::{AblationRow, Ablations, ColourShares, EvolutionReport, MethodRow, TrialResult};
use crate::figure::Figure;
use crate::files::printable;
use base::estimate::Estimate;
use base::format::{duration, fixed, grouped};

#[derive(Template)]
#[template(path = "evolution.html")]
struct Page<'a> {
    report: &'a EvolutionReport,
    figures: &'a [Figure],
}

pub(super) fn render(
    report: &EvolutionReport,
    figures: &[Figure],
) -> Result<String, askama::Error> {
    Page { report, figures }.render().map(printable)
}

const NOTHING: &str = "–";

impl Page<'_> {
    fn spent(&self, row: &MethodRow) -> String {
        format!("{} {}", grouped(row.spent.round() as u64), row.unit)
    }

    fn rounds(&self, row: &MethodRow) -> String {
        grouped(row.rounds.round() as u64)
    }

    fn time(&self, row: &MethodRow) -> String {
        duration(row.seconds)
    }

    fn diversity(&self, row: &MethodRow) -> String {
        fixed(row.diversity, 3)
    }

    fn has_errors(&self) -> bool {
        self.report.methods.iter().any(|row| row.errors.is_some())
    }

    fn has_colours(&self) -> bool {
        self.report.methods.iter().any(|row| row.colours.is_some())
    }

    fn judged_by(&self, row: &MethodRow) -> String {
        error(row.errors.map(|errors| errors.judged_by))
    }

    fn held_out(&self, row: &MethodRow) -> String {
        error(row.errors.and_then(|errors| errors.held_out))
    }

    fn colours(&self, row: &MethodRow) -> String {
        let told = |ColourShares { with_white, scores: [white, black] }: ColourShares| {
            let share = |share: f64| fixed(100.0 * share, 1);
            match with_white {
                1.0 => format!("White alone: {} %", share(white)),
                _ => format!("{} % with White, {} % with Black", share(white), share(black)),
            }
        };
        row.colours.map_or_else(|| NOTHING.to_owned(), told)
    }

    fn elo(&self, result: &Option<TrialResult>) -> String {
        result.map_or_else(|| NOTHING.to_owned(), |result| result.elo.signed())
    }

    /// What White took in each trial, of all methods together.
    fn whites(&self) -> String {
        let of_trial = |(place, trial): (usize, &String)| {
            let results =
                self.report.methods.iter().filter_map(|row| row.trials.get(place)?.as_ref());
            let (points, games) = results.fold((0.0, 0.0), |(points, games), result| {
                let played = result.games as f64;
                (points + played * result.white, games + played)
            });
            let share = fixed(100.0 * points / games, 1);
            (games > 0.0).then(|| format!("White took {share} % of the points {trial}."))
        };
        let told: Vec<String> =
            self.report.trials.iter().enumerate().filter_map(of_trial).collect();
        told.join(" ")
    }

    /// `With the evaluation pesto, 1,000 games each at 3,000 nodes a move.`
    fn ablation_terms(&self, ablations: &Ablations) -> String {
        format!(
            "Both sides evaluate with {}; {} games each at {} nodes a move.",
            ablations.evaluation,
            grouped(ablations.games),
            grouped(ablations.nodes)
        )
    }

    fn ablation_elo(&self, row: &AblationRow) -> String {
        row.elo.map_or_else(|| NOTHING.to_owned(), |elo| elo.signed())
    }

    fn ablation_nodes(&self, row: &AblationRow) -> String {
        format!("× {}", fixed(row.nodes, 2))
    }

    fn white(&self, result: &Option<TrialResult>) -> String {
        result.map_or_else(String::new, |result| {
            format!("White took {} %", fixed(100.0 * result.white, 1))
        })
    }
}

/// A squared error with what it may be off by.
fn error(value: Option<Estimate>) -> String {
    let told = |Estimate { value, low, high }: Estimate| match low.is_finite() {
        true => format!("{} ± {}", fixed(value, 5), fixed((high - low) / 2.0, 5)),
        false => fixed(value, 5),
    };
    value.map_or_else(|| NOTHING.to_owned(), told)
}
