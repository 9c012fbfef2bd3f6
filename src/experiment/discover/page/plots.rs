//! The plots of a search.

use base::Estimate;
use base::format::grouped;
use discovery::tables::picture;
use measure::{EloResult, Pace};
use report::Figure;
use report::plot::DrawError;
use report::plot::axis::PlotAxis;
use report::plot::cost::{self, Point};
use report::plot::rows::{self, Panel, PlotCell, PlotRow};
use report::plot::theme::Style;

use super::FoundSet;
use crate::discover::history::{History, Round};
use crate::discover::testing::Trial;

/// Candidates in the plot of a round.
const DRAWN: usize = 20;

/// Elo of the found set by limit in the confirming games, beside the tests that chose it where they
/// have these limits; `None` without a valid result.
pub(super) fn verdict(found: &FoundSet, history: &History) -> Result<Option<Figure>, DrawError> {
    let results = found.results();
    let valid: Vec<&EloResult> =
        results.into_iter().filter(|result| result.too_many_forfeits.is_none()).collect();
    if valid.is_empty() {
        return Ok(None);
    }
    let confirmed = valid.iter().map(|result| Some(result.estimate)).collect();
    let mut columns = vec![(format!("confirming games, over {}", found.baseline), confirmed)];
    let trial = last_trial(history);
    if let Some((base, trial)) = trial {
        let of_test = |result: &&EloResult| {
            trial.tests().find(|test| test.limit == result.limit)?.tested.elo()
        };
        let tested: Vec<Option<Estimate>> = valid.iter().map(of_test).collect();
        if tested.iter().any(Option::is_some) {
            columns.push((format!("tests of the search, over {base}"), tested));
        }
    }
    let all = columns.iter().flat_map(|(_, elo)| elo);
    let common = trial.is_none_or(|(base, _)| base == found.baseline).then(|| axis(all));
    let panels: Vec<Panel> = columns
        .into_iter()
        .map(|(title, elo)| Panel {
            title,
            unit: "Elo".to_owned(),
            from_zero: true,
            axis: common.clone().unwrap_or_else(|| axis(&elo)),
            cells: elo.into_iter().map(cell).collect(),
        })
        .collect();
    let row =
        |result: &&EloResult| PlotRow { label: result.limit.to_string(), style: Style::REFERENCE };
    let rows: Vec<PlotRow> = valid.iter().map(row).collect();
    let biased = match panels.len() {
        1 => "",
        _ => " The tests of the search chose the set by one net: selection inflates their Elo.",
    };
    let caption = format!(
        "Elo of {} by limit. The confirming games decide: nets of other seeds, other openings.{biased}",
        found.set
    );
    let svg = rows::draw(&format!("Elo of {}", found.set), &rows, &panels)?;
    let title = "Confirming games".to_owned();
    Ok(Some(Figure { id: "verdict-elo".to_owned(), title, caption, svg }))
}

/// Tests of the challenger that became the found set, with its base.
fn last_trial(history: &History) -> Option<(&str, &Trial)> {
    let round = history.rounds.iter().rev().find(|round| round.taken().is_some())?;
    Some((&round.base.expression, round.taken()?.trial.as_ref()?))
}

/// Elo over different baselines has no common scale.
fn axis<'a>(elo: impl IntoIterator<Item = &'a Option<Estimate>>) -> PlotAxis {
    let ends = elo.into_iter().flatten().flat_map(|elo| [elo.low, elo.high]);
    PlotAxis::linear(ends.chain([0.0]), 5)
}

fn cell(elo: Option<Estimate>) -> PlotCell {
    elo.map_or(PlotCell::Missing, |estimate| PlotCell::Measured {
        estimate,
        seeds: Vec::new(),
        text: estimate.signed(),
    })
}

/// Elo against speed of the start and all challengers.
pub(super) fn front(start: &str, history: &History) -> Result<Option<Figure>, DrawError> {
    let svg = cost::draw(&points(start, history), &format!("Elo over {start}, fixed nodes"))?;
    Ok(svg.map(|svg| Figure {
        id: "front".to_owned(),
        title: "Cost and Elo of sets".to_owned(),
        caption: format!(
            "Every set with test games: speed, by the time per node beside {start}, and Elo over \
             it at fixed nodes. Elo of later rounds includes the gain of earlier rounds; the decisions inflate \
             the estimates of stopped sequential tests."
        ),
        svg,
    }))
}

/// Each challenger as high as its base and its own lead over that; empty without a timing of the start.
fn points(start: &str, history: &History) -> Vec<Point> {
    let Some(start_pace) = &history.start_pace else { return Vec::new() };
    let speed = start_pace.nodes_per_second();
    let reference = Point { label: start.to_owned(), style: Style::REFERENCE, speed, elo: None };
    let mut points = vec![reference];
    let mut add = |set: &str, pace: &Option<Pace>, elo| {
        let Some(pace) = pace else { return };
        let style = Style::nth(points.len() - 1);
        let speed = speed_beside(pace, start_pace);
        points.push(Point { label: set.to_owned(), style, speed, elo: Some(elo) });
    };
    let mut below = 0.0;
    for round in &history.rounds {
        let mut next = below;
        for challenger in &round.challengers {
            let Some(trial) = &challenger.trial else { continue };
            let Some(won) = trial.nodes.tested.elo() else { continue };
            let elo = Estimate::new(won.value + below, won.low + below, won.high + below);
            add(&challenger.model.expression, &challenger.pace, elo);
            if trial.is_passed() {
                next = elo.value;
            }
        }
        below = next;
    }
    points
}

/// Nodes/s by the time per node beside the start's: two timings are minutes or days apart, and a busier
/// machine slows down both sides of the ratio.
fn speed_beside(pace: &Pace, start: &Pace) -> Estimate {
    let (speed, cost) = (start.nodes_per_second().value, pace.cost(start));
    match cost.is_bounded() {
        true => Estimate::new(speed / cost.value, speed / cost.high, speed / cost.low),
        false => Estimate::of_unknown_spread(speed / cost.value),
    }
}

/// Gains and costs of the first candidates of a round.
pub(super) fn screened(number: usize, round: &Round) -> Result<Option<Figure>, DrawError> {
    let all = &round.findings.all;
    let drawn = &all[..all.len().min(DRAWN)];
    if drawn.is_empty() {
        return Ok(None);
    }
    Ok(Some(Figure {
        id: format!("screened-{number}"),
        title: format!("Candidates beside {}", round.base.expression),
        caption: format!(
            "The first {} of {} candidates, {} of them discoveries (coloured): the loss reduction \
             by one weight per feature, on held-out games, and the cost per move.",
            drawn.len(),
            grouped(all.len() as u64),
            round.findings.discoveries()
        ),
        svg: picture(drawn)?,
    }))
}
