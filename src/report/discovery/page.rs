//! The page.

use askama::Template;

use super::figures::Figures;
use super::{DiscoveryReport, FoundSet, RoundReport, ScreenedRow, Standing};
use crate::EloResult;
use crate::figure::Figure;
use crate::files::printable;
use crate::now::Now;
use base::estimate::Estimate;
use base::format::{counted, fixed, grouped};

#[derive(Template)]
#[template(path = "discovery.html")]
struct Page<'a> {
    report: &'a DiscoveryReport,
    figures: &'a Figures,
    now: Option<&'a Now>,
}

pub(super) fn render(
    report: &DiscoveryReport,
    figures: &Figures,
    now: Option<&Now>,
) -> Result<String, askama::Error> {
    Page { report, figures, now }.render().map(printable)
}

const NOTHING: &str = "–";

/// Candidates that a round's table lists.
const LISTED: usize = 15;

impl Page<'_> {
    /// What came of it, in a sentence.
    fn headline(&self) -> String {
        self.report.headline()
    }

    /// What was found, once it is judged.
    fn judged(&self) -> Option<&FoundSet> {
        self.report.found.as_ref().filter(|_| self.report.standing == Standing::Over)
    }

    fn listed<'r>(&self, round: &'r RoundReport) -> &'r [ScreenedRow] {
        &round.screened[..round.screened.len().min(LISTED)]
    }

    /// The plot of a round, counted from 0.
    fn figure(&self, round: &usize) -> Option<&Figure> {
        self.figures.screened.get(*round)?.as_ref()
    }

    fn number(&self, round: &usize) -> usize {
        round + 1
    }

    /// `228 candidates, 20 discoveries`.
    fn counts(&self, round: &RoundReport) -> String {
        let found = round.screened.iter().filter(|row| row.is_discovery).count();
        let discoveries = match found {
            1 => "1 discovery".to_owned(),
            found => format!("{} discoveries", grouped(found as u64)),
        };
        format!("{}, {discoveries}", counted(round.screened.len() as u64, "candidate"))
    }

    fn percent(&self, gain: &Estimate) -> String {
        told(*gain, 2)
    }

    fn perhaps(&self, estimate: &Option<Estimate>) -> String {
        estimate.map_or_else(|| NOTHING.to_owned(), |estimate| told(estimate, 2))
    }

    fn elo(&self, elo: &Option<Estimate>) -> String {
        elo.map_or_else(|| NOTHING.to_owned(), |elo| elo.signed())
    }

    /// `+20 ± 9`; nothing where too many games were forfeited.
    fn won(&self, result: &EloResult) -> String {
        match result.spoilt {
            Some(spoilt) => format!("no verdict, since {spoilt}"),
            None => result.estimate.signed(),
        }
    }

    fn games(&self, result: &EloResult) -> String {
        grouped(u64::from(result.games))
    }

    fn cost(&self, cost: &Option<Estimate>) -> String {
        cost.map_or_else(|| NOTHING.to_owned(), |cost| format!("× {}", fixed(cost.value, 2)))
    }

    fn expected(&self, elo: &f64) -> String {
        match elo.is_finite() {
            true => base::format::signed(*elo, 0),
            false => NOTHING.to_owned(),
        }
    }

    fn share(&self, share: &Option<f64>) -> String {
        share.map_or_else(|| NOTHING.to_owned(), |share| format!("{} %", fixed(100.0 * share, 0)))
    }

    fn whole(&self, number: &usize) -> String {
        grouped(*number as u64)
    }

    fn count(&self, number: &u64) -> String {
        grouped(*number)
    }

    fn rounded(&self, number: &f64, decimals: usize) -> String {
        fixed(*number, decimals)
    }

    fn speed(&self, speed: &Estimate) -> String {
        grouped(speed.value.round() as u64)
    }
}

/// `1.25 (1.10 to 1.40)`.
fn told(Estimate { value, low, high }: Estimate, decimals: usize) -> String {
    let [value, low, high] = [value, low, high].map(|number| fixed(number, decimals));
    format!("{value} ({low} to {high})")
}
