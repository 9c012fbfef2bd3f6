//! Which plots a report gets, with the captions that make them readable alone:
//! number of games or puzzles, and kind of the interval.

use super::equal_time;
use super::intervals::{OF_OTHER_LOSSES, of_elo};
use super::lineup::{Entry, Lineup};
use super::loss_and_cost;
use super::model::{PuzzleSuite, Report, RunRow, SetRow};
use crate::counts::range;
use arena::Limit;
use base::estimate::{Estimate, per_cent};
use base::format::{counted, fixed, grouped};
use nnue::QuantisationError;
use report::Figure;
use report::plot::axis::{PlotAxis, extent};
use report::plot::errors::{BINS, Differences};
use report::plot::facets::FacetHead;
use report::plot::losses::Losses;
use report::plot::ratings::Curve;
use report::plot::rows::{Panel, PlotCell, PlotRow};
use report::plot::theme::Style;
use report::plot::{
    DrawError, Svg, boards, cost, errors, following, learning, losses, ratings, rows,
};

/// The comparisons that the report has numbers for, in the page's order.
pub(super) fn comparisons(report: &Report, lineup: &Lineup) -> Result<Vec<Figure>, DrawError> {
    let figures = [
        equal_time::features_or_neurons(report, lineup)?,
        elo(report, lineup)?,
        equal_time::over_nodes(report, lineup)?,
        loss_and_cost::figure(report, lineup)?,
        cost_of(report, lineup)?,
        learning_curves(report, lineup)?,
        loss_curves(report, lineup)?,
        puzzles(report, lineup)?,
        puzzles_by_rating(report, lineup)?,
    ];
    Ok(figures.into_iter().flatten().collect())
}

/// A picture of one set.
type Layer = (Style, Figure);

/// The first layer of a set's first seed that has a picture, for some sets.
pub(super) fn first_layers(lineup: &Lineup) -> Result<Vec<Layer>, DrawError> {
    of_each_set(lineup, "first-layer", |label, run| match &run.first_layer {
        Some(picture) => boards::draw(label, picture),
        None => Ok(None),
    })
}

/// Piece values by king square, of a set's first seed that has them, for some sets.
pub(super) fn followings(lineup: &Lineup) -> Result<Vec<Layer>, DrawError> {
    of_each_set(lineup, "following", |label, run| {
        let columns = &run.following;
        let follow = columns.iter().any(|column| column.differs(&columns[0]));
        let titles: Vec<&str> = columns.iter().map(|column| column.title.as_str()).collect();
        let worth = |column: usize, role, square| columns[column].worth(role, square);
        follow.then(|| following::draw(label, &titles, worth)).transpose()
    })
}

/// Sets with pictures of their own at most: fifty boards are megabytes.
const PICTURED: usize = 6;

/// The first picture that there is of each of the first sets, in the order of the table, and of the
/// reference.
fn of_each_set(
    lineup: &Lineup,
    id: &str,
    draw: impl Fn(&str, &RunRow) -> Result<Option<Svg>, DrawError>,
) -> Result<Vec<Layer>, DrawError> {
    let mut layers = Vec::new();
    let reference = lineup.reference().map(|entry| entry.label.as_str());
    for entry in &lineup.entries {
        let is_reference = Some(entry.label.as_str()) == reference;
        if layers.len() >= PICTURED && !is_reference {
            continue;
        }
        for run in &entry.set.runs {
            let Some(svg) = draw(&entry.label, run)? else { continue };
            let figure = Figure {
                id: format!("{id}-{}", layers.len() + 1),
                title: entry.label.clone(),
                caption: run.seed.map_or(String::new(), |seed| format!("seed {seed}")),
                svg,
            };
            layers.push((entry.style, figure));
            break;
        }
    }
    Ok(layers)
}

/// Quantisation errors of the nets; `None` without a histogram.
pub(super) fn quantisation(lineup: &Lineup) -> Result<Option<Figure>, DrawError> {
    let shown = lineup.entries.iter().filter_map(|entry| {
        let set = differences(entry.set)?;
        let head = FacetHead { label: entry.label.clone(), style: entry.style, note: set.note() };
        Some((head, set))
    });
    let (heads, sets): (Vec<FacetHead>, Vec<Differences>) = shown.unzip();
    if sets.is_empty() {
        return Ok(None);
    }
    let span = |values: fn(&Differences) -> f64, decimals: usize| {
        let (least, most) = extent(sets.iter().map(values)).unwrap_or((0.0, 0.0));
        let (least, most) = (fixed(least, decimals), fixed(most, decimals));
        if least == most { format!("{most} cp") } else { format!("{least} to {most} cp") }
    };
    let errors = lineup.entries.iter().flat_map(|entry| entry.set.quantisation());
    let errors: Vec<&QuantisationError> = errors.collect();
    let caption = format!(
        "Difference between the evaluations of trained and quantised weights, by position; the \
         last bar is {} cp and more. {} per net, the seeds of a set together. Solid: the \
         mean, {}; dashed: the 99th percentile, {}. {}",
        BINS - 1,
        range(errors.iter().map(|error| error.positions as u64), "position"),
        span(|set| set.mean, 2),
        span(|set| set.percentile_99, 1),
        clipped(&errors),
    );
    let svg = errors::draw(&heads, &sets)?;
    Ok(Some(Figure { id: "quantisation".into(), title: "Quantisation error".into(), caption, svg }))
}

/// Those of all seeds together; `None` if none is measured.
fn differences(set: &SetRow) -> Option<Differences> {
    let errors: Vec<&QuantisationError> = set.quantisation().collect();
    let mean = |value: fn(&QuantisationError) -> f64| {
        errors.iter().map(|error| value(error)).sum::<f64>() / errors.len() as f64
    };
    let in_bin = |bin: usize| errors.iter().map(|error| f64::from(error.histogram[bin])).sum();
    let counts: [f64; BINS] = std::array::from_fn(in_bin);
    let all: f64 = counts.iter().sum();
    (all > 0.0).then(|| Differences {
        shares: counts.map(|count| 100.0 * count / all),
        mean: mean(|error| error.mean),
        percentile_99: mean(|error| error.percentile_99),
    })
}

fn clipped(errors: &[&QuantisationError]) -> String {
    let most = errors.iter().map(|error| error.clipped).fold(0.0, f64::max);
    match most > 0.0 {
        true => format!("Up to {} % of a net's weights are clipped.", fixed(100.0 * most, 3)),
        false => "No weight is clipped.".to_owned(),
    }
}

pub(super) fn heads(entries: &[&Entry]) -> Vec<PlotRow> {
    let head = |entry: &&Entry| PlotRow { label: entry.label.clone(), style: entry.style };
    entries.iter().map(head).collect()
}

fn elo(report: &Report, lineup: &Lineup) -> Result<Option<Figure>, DrawError> {
    if lineup.limits.is_empty() {
        return Ok(None);
    }
    let entries: Vec<&Entry> = lineup.entries.iter().collect();
    // Side by side on one scale, or the eye compares bars that do not compare.
    let axis = elo_axis(lineup, if lineup.limits.len() > 1 { 5 } else { 8 });
    let panels: Vec<Panel> = lineup
        .limits
        .iter()
        .map(|&limit| Panel {
            title: limit.heading(),
            unit: "Elo".to_owned(),
            from_zero: true,
            axis: axis.clone(),
            cells: entries.iter().map(|entry| elo_cell(entry, limit)).collect(),
        })
        .collect();
    let reference = &report.reference;
    let mut caption =
        format!("Elo over {reference}; {}. {}", games_per_set(lineup), of_elo(report.elo_spread));
    if panels.iter().flat_map(|panel| &panel.cells).any(PlotCell::has_seeds) {
        caption.push_str(" Rings are single seeds.");
    }
    let compared = lineup.entries.iter().filter(|entry| !entry.is_reference).count();
    if compared > 4 {
        caption.push_str(&format!(
            " With {}, about one interval in twenty misses by chance.",
            counted(compared as u64, "comparison")
        ));
    }
    let svg = rows::draw(&format!("Elo over {reference}"), &heads(&entries), &panels)?;
    Ok(Some(Figure { id: "elo".into(), title: "Playing strength".into(), caption, svg }))
}

/// Over all finite ends of intervals, zero included.
pub(super) fn elo_axis(lineup: &Lineup, ticks: usize) -> PlotAxis {
    let estimates = lineup
        .limits
        .iter()
        .flat_map(|&limit| lineup.entries.iter().filter_map(move |entry| entry.elo(limit)));
    let ends = estimates.flat_map(|elo| [elo.low, elo.high]).chain([0.0]);
    let seeds = lineup.entries.iter().flat_map(|entry| &entry.set.runs).flat_map(|run| &run.elo);
    PlotAxis::linear(ends.chain(seeds.map(|elo| elo.estimate.value)), ticks)
}

pub(super) fn elo_cell(entry: &Entry, limit: Limit) -> PlotCell {
    let seeds = entry.set.runs.iter().flat_map(|run| &run.elo).filter(|elo| elo.limit == limit);
    let mut seeds: Vec<f64> = seeds.map(|elo| elo.estimate.value).collect();
    if seeds.len() < 2 {
        // A single seed is the estimate itself.
        seeds.clear();
    }
    match entry.elo(limit) {
        Some(estimate) => PlotCell::Measured { estimate, seeds, text: estimate.signed() },
        None if entry.is_reference => PlotCell::Reference,
        None => PlotCell::Missing,
    }
}

/// `400 games per set at 1,000 nodes, 300 to 400 at 20 ms a move`.
fn games_per_set(lineup: &Lineup) -> String {
    let of_limit = |limit: &Limit| {
        let sets = lineup.entries.iter().filter(|entry| !entry.is_reference);
        let games = sets.filter_map(|entry| entry.set.elo_at(*limit)).map(|elo| elo.games.into());
        format!("{} per set at {limit}", range(games, "game"))
    };
    lineup.limits.iter().map(of_limit).collect::<Vec<_>>().join(", ")
}

fn cost_of(report: &Report, lineup: &Lineup) -> Result<Option<Figure>, DrawError> {
    let Some(limit) = lineup.untimed().next() else { return Ok(None) };
    let points = cost_points(lineup, limit);
    let Some(svg) = cost::draw(&points, &format!("Elo over {}, {limit}", report.reference))? else {
        return Ok(None);
    };
    let mut caption =
        "Up: a better evaluation; right: a faster one. Lines are 95 % intervals. All nets \
         evaluate the same search tree, so times compare node for node. A set to the left of \
         the reference must lie above it to pay."
            .to_owned();
    if points.iter().any(|point| point.elo.is_some_and(|elo| !elo.value.is_finite())) {
        caption.push_str(" Sets that won or lost every game are missing.");
    }
    Ok(Some(Figure { id: "cost".into(), title: "Elo over speed".into(), caption, svg }))
}

/// Sets with speed and Elo under a limit.
pub(super) fn cost_points(lineup: &Lineup, limit: Limit) -> Vec<cost::Point> {
    lineup
        .entries
        .iter()
        .filter(|entry| entry.is_reference || entry.elo(limit).is_some())
        .filter_map(|entry| {
            let speed = entry.set.nodes_per_second?;
            Some(cost::Point {
                label: entry.label.clone(),
                style: entry.style,
                speed,
                elo: entry.elo(limit),
            })
        })
        .collect()
}

fn loss_curves(report: &Report, lineup: &Lineup) -> Result<Option<Figure>, DrawError> {
    // In the report's order, so that a page made again draws the same picture.
    let sets: Vec<Losses<'_>> = (report.sets.iter())
        .map(|set| Losses {
            label: set.label(),
            style: lineup.style_of(&set.label()),
            seeds: set.runs.iter().map(|run| run.losses.as_slice()).collect(),
        })
        .collect();
    let epochs = report.sets.iter().flat_map(|set| &set.runs).flat_map(|run| &run.losses);
    let first = losses::first_epoch_shown(epochs.map(|loss| loss.epoch).max().unwrap_or(0));
    let Some(svg) = losses::draw(&sets, first)? else { return Ok(None) };
    let from = if first > 1 { format!(" Drawn from epoch {first} on.") } else { String::new() };
    let seeds = range(report.sets.iter().map(|set| set.runs.len() as u64), "seed");
    let seeds = match seeds.as_str() {
        "1 seed" => "one seed per set".to_owned(),
        _ => format!("mean of {seeds} per set, the band from the lowest to the highest seed"),
    };
    let caution = match report.sets.len() {
        1 => String::new(),
        _ if !report.losses_compare() => format!(" {OF_OTHER_LOSSES}"),
        _ => " A lower loss need not mean more Elo.".to_owned(),
    };
    let caption = format!(
        "Solid: validation loss, {seeds}. Dashed: training loss. Ring: the lowest validation loss.{caution}{from}"
    );
    Ok(Some(Figure { id: "losses".into(), title: "Training".into(), caption, svg }))
}

/// Results over the number of positions.
fn learning_curves(report: &Report, lineup: &Lineup) -> Result<Option<Figure>, DrawError> {
    let Some(curves) = &report.learning else { return Ok(None) };
    let mut others: Vec<&str> = Vec::new();
    for series in curves.panels.iter().flat_map(|panel| &panel.series) {
        if series.label != curves.reference && !others.contains(&series.label.as_str()) {
            others.push(&series.label);
        }
    }
    // A curve of each feature set has the colour of its sets.
    let is_by_features = lineup.features().len() == others.len() + 1;
    let style = |label: &str| {
        let place = others.iter().position(|other| *other == label);
        match is_by_features {
            true => lineup.style_of_features(label),
            false => place.map_or(Style::REFERENCE, Style::nth),
        }
    };
    let svg = learning::draw("Learning curves", &curves.panels, style)?;
    let caption = "Points: measurements with 95 % intervals. Lines: curves a + b·N^−c, averaged \
                   over exponents c from −0.2 to 1 with the likelihood of their fits; \
                   dashed beyond the largest size. Bands: 95 % of the curves, wider without \
                   measurements. Positions are distinct ones: board and side to move."
        .to_owned();
    let title = "Loss and Elo over the number of positions".into();
    Ok(Some(Figure { id: "learning".into(), title, caption, svg }))
}

/// One number of a set, if it was measured.
type Measure = fn(&SetRow) -> Option<Estimate>;

fn puzzles(report: &Report, lineup: &Lineup) -> Result<Option<Figure>, DrawError> {
    let measures: [(String, Measure); 2] = [
        (search_title(report.puzzles.as_ref()), |set| set.puzzle_accuracy),
        ("One ply".to_owned(), |set| set.one_ply),
    ];
    let is_measured = |e: &&Entry| measures.iter().any(|(_, measure)| measure(e.set).is_some());
    let mut entries: Vec<&Entry> = lineup.entries.iter().filter(is_measured).collect();
    let sort_by = |entry: &Entry| {
        let first = entry.set.puzzle_accuracy.or(entry.set.one_ply);
        first.map_or(f64::NEG_INFINITY, |share| share.value)
    };
    entries.sort_by(|a, b| sort_by(b).total_cmp(&sort_by(a)));
    let panels: Vec<Panel> = measures
        .into_iter()
        .filter(|(_, measure)| entries.iter().any(|entry| measure(entry.set).is_some()))
        .map(|(title, measure)| share_panel(title, &entries, measure))
        .collect();
    if panels.is_empty() {
        return Ok(None);
    }
    let suite = report.puzzles.as_ref().map_or(String::new(), |suite| {
        format!("{} of {}. ", counted(suite.puzzles, "puzzle"), suite.name)
    });
    let caption = format!(
        "{suite}Share solved with its 95 % interval; each panel has its own scale. All sets solve the \
         same puzzles, so the paired tests below separate more than these intervals do."
    );
    let caption = match report.paired_puzzles.is_empty() {
        true => caption.replace("so the paired tests below separate", "so a paired test separates"),
        false => caption,
    };
    let svg = rows::draw("Puzzle accuracy", &heads(&entries), &panels)?;
    Ok(Some(Figure { id: "puzzles".into(), title: "Puzzles".into(), caption, svg }))
}

fn search_title(suite: Option<&PuzzleSuite>) -> String {
    suite.map_or("Search".to_owned(), |suite| format!("{} nodes", grouped(suite.nodes)))
}

fn share_panel(title: String, entries: &[&Entry], measure: Measure) -> Panel {
    let cells = entries.iter().map(|entry| match measure(entry.set) {
        Some(share) => PlotCell::Measured {
            estimate: share.scaled(100.0),
            seeds: Vec::new(),
            text: per_cent(share),
        },
        None => PlotCell::Missing,
    });
    let ends = entries.iter().filter_map(|entry| measure(entry.set));
    let ends = ends.flat_map(|share| [100.0 * share.low, 100.0 * share.high]);
    Panel {
        title,
        unit: "% solved".to_owned(),
        from_zero: false,
        axis: PlotAxis::linear(ends, 4).within(0.0, 100.0),
        cells: cells.collect(),
    }
}

fn puzzles_by_rating(report: &Report, lineup: &Lineup) -> Result<Option<Figure>, DrawError> {
    let reference = lineup.reference().filter(|entry| !entry.set.puzzle_buckets.is_empty());
    let others = lineup.entries.iter().filter(|entry| !entry.is_reference);
    let curves: Vec<Curve> = others.map(curve).collect();
    let Some(svg) = ratings::draw(&curves, reference.map(curve).as_ref())? else {
        return Ok(None);
    };
    let sizes = report.sets.iter().flat_map(|set| &set.puzzle_buckets);
    let behind = match reference {
        Some(entry) => format!(" Grey: {}.", entry.label),
        None => String::new(),
    };
    let puzzles = range(sizes.map(|bucket| bucket.puzzles), "puzzle");
    let intervals = match report.sets.iter().any(|set| set.runs.len() > 1) {
        true => {
            "95 % intervals of the puzzles (Wilson) or of the set's own seeds, the wider of both"
        }
        false => "95 % Wilson intervals",
    };
    let caption = format!("{puzzles} per range of ratings; {intervals}.{behind}");
    Ok(Some(Figure {
        id: "puzzles-by-rating".into(),
        title: "Puzzles by rating".into(),
        caption,
        svg,
    }))
}

/// A set's accuracy by rating.
fn curve(entry: &Entry) -> Curve {
    let buckets = entry.set.puzzle_buckets.clone();
    Curve { label: entry.label.clone(), style: entry.style, buckets }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page::tests::demo;

    #[test]
    fn intervals_by_rating_are_named_after_the_number_of_seeds() {
        let caption = |report: &Report| {
            let figure = puzzles_by_rating(report, &Lineup::of(report)).unwrap();
            figure.expect("puzzles by rating").caption
        };
        let mut report = demo::report();
        assert!(caption(&report).contains("the set's own seeds"), "{}", caption(&report));
        report.sets.iter_mut().for_each(|set| set.runs.truncate(1));
        assert!(caption(&report).contains("; 95 % Wilson intervals."), "{}", caption(&report));
    }

    #[test]
    fn seeds_are_taken_together_and_those_without_a_measurement_left_out() {
        let mut set = demo::report().sets[1].clone();
        let first = set.runs[0].quantisation.expect("measured");
        let histogram = std::array::from_fn(|bin| u32::from(bin == 20) * 1_000);
        let second = QuantisationError { mean: first.mean + 1.0, histogram, ..first };
        set.runs[1].quantisation = Some(second);
        set.runs[2].quantisation = None;
        set.runs.truncate(3);
        let both = differences(&set).expect("two histograms");
        assert!((both.shares.iter().sum::<f64>() - 100.0).abs() < 1e-9);
        assert!(both.shares[20] > 49.0, "{:?}", both.shares);
        assert!((both.mean - first.mean - 0.5).abs() < 1e-9);
        set.runs.drain(..2);
        assert_eq!(differences(&set), None);
    }
}
