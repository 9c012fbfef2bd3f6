//! The page of a search, from its history and its verdict.

mod headline;
mod plots;
mod tables;
#[cfg(test)]
mod tests;

use arena::Limit;
use base::Estimate;
use base::format::{fixed, grouped};
use discovery::Purpose;
use measure::{EloResult, SetRow};
use report::{Page, Part, Provenance, ReportError, Section, Table};

use crate::discover::DiscoverError;
use crate::discover::baseline::Baseline;
use crate::discover::history::History;
use crate::discover::planner::SearchPlanner;
use crate::discover::verdict::Verdict;
use crate::study::Standing;
use crate::summary;

/// The winner of the race, as its verdict measured it.
struct FoundSet {
    set: String,
    baseline: String,
    /// Answer of the games at equal time.
    verdict: measure::Verdict,
    /// Elo over the baseline by limit, with the games of all seeds.
    elo: Vec<EloResult>,
    /// Time per node relative to the baseline.
    cost: Option<Estimate>,
    /// Nets with games at the limit that decides.
    seeds: usize,
    /// Loss reduction relative to the baseline, in per cent, by seed.
    gains: Vec<Estimate>,
}

impl FoundSet {
    /// Elo by limit, that of the deciding limit first.
    fn results(&self) -> Vec<&EloResult> {
        let deciding = Limit::deciding(self.elo.iter().map(|result| result.limit));
        let mut results: Vec<&EloResult> = self.elo.iter().collect();
        results
            .sort_by_key(|result| (Some(result.limit) != deciding, !result.limit.counts_speed()));
        results
    }
}

/// Everything that the page shows.
struct SearchPage<'p> {
    name: &'p str,
    question: &'p str,
    /// The set that the search began with.
    start: &'p str,
    history: &'p History,
    found: Option<FoundSet>,
    standing: Standing,
    warnings: Vec<String>,
    provenance: Provenance,
}

pub(crate) fn of(
    planner: &SearchPlanner<'_>,
    history: &History,
    verdict: Option<&Verdict>,
    standing: Standing,
) -> Result<Page, DiscoverError> {
    let of_verdict = verdict.into_iter().flat_map(|verdict| verdict.report.warnings.clone());
    let found = history.found().zip(history.baseline());
    let mut provenance = summary::provenance(&planner.plan, &planner.results(), &planner.command)?;
    provenance.conditions.extend(games(planner));
    let shown = SearchPage {
        name: &planner.experiment.name,
        question: &planner.experiment.question,
        start: planner.experiment.reference(),
        history,
        found: found.map(|(found, baseline)| found_set(found, baseline, verdict)),
        standing,
        warnings: history.warnings().chain(of_verdict).collect(),
        provenance,
    };
    Ok(shown.page()?)
}

fn found_set(found: &str, baseline: &Baseline, verdict: Option<&Verdict>) -> FoundSet {
    let row =
        verdict.and_then(|verdict| verdict.report.sets.iter().find(|row| row.features == found));
    FoundSet {
        set: found.to_owned(),
        baseline: baseline.model.expression.clone(),
        verdict: row.and_then(|row| row.pays).unwrap_or(measure::Verdict::Unknown),
        elo: row.map_or_else(Vec::new, |row| row.elo.clone()),
        cost: row.and_then(|row| row.cost),
        seeds: row.map_or(0, seeds),
        gains: verdict.map_or_else(Vec::new, |verdict| verdict.gains.clone()),
    }
}

/// Nets with games at the deciding limit.
fn seeds(row: &SetRow) -> usize {
    let deciding = Limit::deciding(row.elo.iter().map(|result| result.limit));
    deciding.map_or(0, |limit| row.seeds_at(limit))
}

impl SearchPage<'_> {
    fn page(self) -> Result<Page, ReportError> {
        let headline = headline::of(&self);
        let sections = self
            .sections()
            .map_err(|source| ReportError::Draw { experiment: self.name.to_owned(), source })?;
        let rounds: Vec<_> = (1..).zip(&self.history.rounds).collect();
        Ok(Page {
            title: self.name.to_owned(),
            question: self.question.to_owned(),
            answer: headline::answer(&self),
            findings: vec![headline],
            sections,
            sheets: tables::ALL.iter().map(|table| table(&rounds)).collect(),
            warnings: self.warnings,
            provenance: self.provenance,
            ..Page::default()
        })
    }

    fn sections(&self) -> Result<Vec<Section>, report::plot::DrawError> {
        let judged = self.found.as_ref().filter(|_| self.standing == Standing::Over);
        let mut sections = Vec::new();
        if let Some(found) = judged {
            sections.extend(plots::verdict(found, self.history)?.map(Section::from));
            sections.push(tables::verdict(found).into());
        }
        sections.extend(plots::front(self.start, self.history)?.map(Section::from));
        for numbered @ (number, round) in (1..).zip(&self.history.rounds) {
            let title = format!("Round {number}: beside {}", round.base.expression);
            let plot = plots::screened(number, round)?.map(Part::Figure);
            let shown = tables::of_round(numbered).into_iter().map(Part::Table);
            let parts = plot.into_iter().chain(shown);
            sections.push(Section::new(&format!("round-{number}"), &title, parts));
        }
        let baselines: Table = tables::baselines(self.start, self.history);
        sections.extend((!baselines.rows.is_empty()).then(|| baselines.into()));
        Ok(sections)
    }
}

/// The games behind each question.
fn games(planner: &SearchPlanner<'_>) -> [(String, String); 6] {
    let validation = planner.experiment.data.validation;
    let per_cent = |share: f64| format!("{} % of all games", fixed(100.0 * share, 1));
    let share = |purpose: Purpose| per_cent(validation * purpose.share());
    let tests = format!(
        "up to {} games per test, openings of seeds from {} on",
        grouped(planner.search.games.get()),
        planner.search.seed
    );
    let seeds: Vec<String> = planner.experiment.grid.seed.iter().map(u64::to_string).collect();
    [
        ("training", per_cent(1.0 - validation)),
        ("screening", share(Purpose::Screening)),
        ("comparison of nets, ranking of rows", share(Purpose::Comparing)),
        ("tests", tests),
        ("loss of the verdict", share(Purpose::Verdict)),
        ("seeds of the verdict", seeds.join(", ")),
    ]
    .map(|(name, value)| (name.to_owned(), value))
}
