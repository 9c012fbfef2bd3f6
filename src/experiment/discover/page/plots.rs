//! The plots of a search.

use base::Estimate;
use base::format::grouped;
use discovery::tables::picture;
use measure::Pace;
use report::Figure;
use report::plot::DrawError;
use report::plot::cost::{self, Point};
use report::plot::theme::Style;

use crate::discover::history::{History, Round};

/// Candidates in the plot of a round.
const DRAWN: usize = 20;

/// Elo against speed of the start and all challengers.
pub(super) fn front(start: &str, history: &History) -> Result<Option<Figure>, DrawError> {
    let svg = cost::draw(&points(start, history), "Elo at fixed nodes")?;
    Ok(svg.map(|svg| Figure {
        id: "front".to_owned(),
        title: "Cost and Elo of sets".to_owned(),
        caption: format!(
            "Every set with test games: speed, and Elo over {start} at fixed nodes. \
             Elo of later rounds includes the gain of earlier rounds; estimates of stopped sequential \
             tests are biased towards the decisions."
        ),
        svg,
    }))
}

/// Each challenger as high as its base and its own lead over that.
fn points(start: &str, history: &History) -> Vec<Point> {
    let mut points = Vec::new();
    let mut add = |set: &str, pace: &Option<Pace>, elo| {
        let Some(pace) = pace else { return };
        let style = points.len().checked_sub(1).map_or(Style::REFERENCE, Style::nth);
        points.push(Point { label: set.to_owned(), style, speed: pace.nodes_per_second(), elo });
    };
    add(start, &history.start_pace, None);
    let mut below = 0.0;
    for round in &history.rounds {
        let mut next = below;
        for challenger in &round.challengers {
            let Some(trial) = &challenger.trial else { continue };
            let Some(won) = trial.nodes.tested.elo() else { continue };
            let elo = Estimate::new(won.value + below, won.low + below, won.high + below);
            add(&challenger.model.expression, &challenger.pace, Some(elo));
            if trial.is_passed() {
                next = elo.value;
            }
        }
        below = next;
    }
    points
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
