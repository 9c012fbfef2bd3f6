//! Plots of leads over the nodes of a move, and over the time of a node.

use super::lineup::{Entry, Lineup};
use super::model::{Report, SetRow};
use crate::agreement::{Agreement, Leads};
use crate::over_nodes::Odds;
use crate::unique::unique;
use arena::Limit;
use base::Estimate;
use base::format::grouped;
use nnue::Layers;
use report::Figure;
use report::plot::learning::{CurveSeries, LearningPanel};
use report::plot::{DrawError, learning};

/// Leads over the nodes of a move, a panel for each rule that gives them out.
pub(super) fn over_nodes(report: &Report, lineup: &Lineup) -> Result<Option<Figure>, DrawError> {
    let panels: Vec<LearningPanel> =
        Odds::ALL.into_iter().filter_map(|odds| nodes_panel(report, lineup, odds)).collect();
    if panels.is_empty() {
        return Ok(None);
    }
    let svg = learning::draw("Lead over nodes per move", &panels, |label| lineup.style_of(label))?;
    let mut caption = format!(
        "Elo over {}. Points: measurements with 95 % intervals. Lines: mean of the seeds' \
         least-squares lines over the logarithm of the nodes; bands: 95 %, of games, \
         seeds and timing. A set gains where its band is above 0.",
        report.reference
    );
    for odds in Odds::ALL {
        caption.extend(agreement(report, lineup, odds));
    }
    Ok(Some(Figure { id: "nodes".into(), title: "Lead over nodes per move".into(), caption, svg }))
}

/// Whether the fewest nodes of a rule have the verdicts of the most, in words.
fn agreement(report: &Report, lineup: &Lineup, odds: Odds) -> Option<String> {
    let of_set = |entry: &Entry| {
        let line = entry.set.lines.iter().find(|line| line.odds == odds)?;
        let (&few, &many) = (line.measured.first()?, line.measured.last()?);
        Some((entry.label.clone(), few, many))
    };
    let lines: Vec<_> = lineup.entries.iter().filter_map(of_set).collect();
    let leads = lines.iter().map(|(set, few, many)| Leads { set, few: few.1, many: many.1 });
    let found = Agreement::of(&report.reference, &leads.collect::<Vec<_>>())?;
    let (_, (few, _), (many, _)) = lines.first()?;
    let (few, many) = (grouped(*few as u64), grouped(*many as u64));
    let pair = |(better, other): &(String, String)| format!("{better} and {other}");
    let reversals = match found.reversals.as_slice() {
        [] => "no two change their order beyond their intervals".to_owned(),
        pairs => {
            let pairs: Vec<String> = pairs.iter().map(pair).collect();
            format!("beyond their intervals change their order: {}", pairs.join("; "))
        }
    };
    Some(format!(
        " At {odds} the Elo of {} at {many} nodes is {} times that at {few}; {reversals}.",
        report.counted(found.sets),
        found.slope.plain()
    ))
}

fn nodes_panel(report: &Report, lineup: &Lineup, odds: Odds) -> Option<LearningPanel> {
    let lines = lineup.entries.iter().flat_map(|entry| {
        let of_odds = entry.set.lines.iter().filter(move |line| line.odds == odds);
        of_odds.map(|line| (entry.label.clone(), line))
    });
    let series: Vec<CurveSeries> = lines
        .map(|(label, line)| CurveSeries {
            label,
            points: line.measured.clone(),
            band: line.line.clone(),
            ..CurveSeries::default()
        })
        .collect();
    let across = match odds {
        Odds::FixedNodes => "nodes per move".to_owned(),
        Odds::EqualTime => format!("nodes per move of {}", report.reference),
    };
    let title = format!("Elo over {} at {odds}", report.reference);
    (!series.is_empty()).then(|| LearningPanel {
        title,
        remark: String::new(),
        unit: "Elo".to_owned(),
        across,
        series,
    })
}

/// Elo at equal time over the time per node, a line for each feature set over its layers: for a
/// budget of time per node, the best set and width.
pub(super) fn features_or_neurons(
    report: &Report,
    lineup: &Lineup,
) -> Result<Option<Figure>, DrawError> {
    let Some(limit) = lineup.deciding().filter(|limit| limit.is_equal_time()) else {
        return Ok(None);
    };
    let features = lineup.features();
    let layers = unique(report.sets.iter().filter_map(SetRow::layers));
    if layers.len() < 2 {
        return Ok(None);
    }
    let differ_in_neurons = unique(layers.iter().copied().map(neurons)).len() == layers.len();
    // Whole lines of layers have no room at the points.
    let note = |set: &SetRow| match differ_in_neurons {
        true => set.layers().and_then(neurons).map(|neurons| neurons.to_string()),
        false => None,
    };
    let note = |set: &SetRow| note(set).unwrap_or_default();
    let series: Vec<CurveSeries> = features
        .iter()
        .filter_map(|features| over_cost(report, lineup, features, limit, &note))
        .collect();
    if series.iter().all(|series| series.points.len() < 2) {
        return Ok(None);
    }
    let panel = LearningPanel {
        title: format!("Elo over {}, {limit}", report.reference),
        remark: highest(report, lineup, limit).unwrap_or_default(),
        unit: "Elo".to_owned(),
        across: format!("time per node, relative to {}", report.reference),
        series,
    };
    let style = |label: &str| lineup.style_of_features(label);
    let svg = learning::draw("Elo at equal time over the time per node", &[panel], style)?;
    let numbers = if differ_in_neurons { "; numbers are neurons" } else { "" };
    let caption = format!(
        "One line per feature set over its layers, with 95 % intervals{numbers}. \
         For a given time per node, the highest point at or left of it is the best set and width."
    );
    Ok(Some(Figure { id: "budget".into(), title: "Features or neurons".into(), caption, svg }))
}

/// The highest point, with its cost; `None` if it is the reference.
fn highest(report: &Report, lineup: &Lineup, limit: Limit) -> Option<String> {
    let is_drawn = |entry: &&Entry<'_>| {
        let is_sound = entry.sound_elo(limit).is_some() && report.is_on_equal_data(entry.set);
        entry.is_reference || is_sound
    };
    let best = lineup.entries.iter().find(is_drawn)?;
    let (elo, cost) = (best.elo(limit)?, best.set.cost?);
    let (label, elo, cost) = (&best.label, elo.signed(), cost.plain());
    Some(format!("Highest: {label}, {elo} Elo; a node takes {cost} times as long."))
}

/// Neurons of the first layer of a line of layers.
fn neurons(layers: &str) -> Option<usize> {
    layers.parse().ok().map(|layers: Layers| layers.width())
}

/// A feature set with all of its layers, the cheapest first; `None` without games.
fn over_cost(
    report: &Report,
    lineup: &Lineup,
    features: &str,
    limit: Limit,
    note: &impl Fn(&SetRow) -> String,
) -> Option<CurveSeries> {
    let is_on_line =
        |entry: &&Entry<'_>| entry.set.features == features && report.is_on_equal_data(entry.set);
    let of_set = lineup.entries.iter().filter(is_on_line);
    let point = |entry: &Entry| match entry.is_reference {
        true => Some((1.0, Estimate::new(0.0, 0.0, 0.0))),
        false => Some((entry.set.cost?.value, entry.elo(limit).filter(Estimate::is_bounded)?)),
    };
    let mut measured: Vec<(&Entry, (f64, Estimate))> =
        of_set.filter_map(|entry| Some((entry, point(entry)?))).collect();
    measured.sort_by(|(_, a), (_, b)| a.0.total_cmp(&b.0));
    let notes = measured.iter().map(|(entry, _)| note(entry.set)).collect();
    let points: Vec<(f64, Estimate)> = measured.into_iter().map(|(_, point)| point).collect();
    let middle = |&(cost, elo): &(f64, Estimate)| (cost, Estimate::symmetric(elo.value, 0.0));
    let band = points.iter().map(middle).collect();
    let label = features.to_owned();
    (!points.is_empty()).then_some(CurveSeries { label, points, notes, band })
}
