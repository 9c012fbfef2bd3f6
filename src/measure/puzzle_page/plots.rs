//! The plots of the page, with their captions.

use crate::counts::range;
use crate::puzzles::{Proportion, RatingBucket};
use base::Estimate;
use base::format::counted;
use report::plot::axis::PlotAxis;
use report::plot::diagram::{self, Marks};
use report::plot::groups::{self, Group, LegendPlayer};
use report::plot::ratings::{self, Curve};
use report::plot::rows::{self, Panel, PlotCell, PlotRow};
use report::plot::{DrawError, Svg};
use report::{Figure, PuzzleBucket};

use super::{BoardAnswer, FailedPuzzle, PlayerRow, PuzzleReport, rating, share};

/// Fewest puzzles of a theme in the plot; the sheet has the others.
const LEAST_PUZZLES: u64 = 20;
/// Most themes in a plot.
const MOST_THEMES: usize = 40;

/// A position with the solution and the moves played instead.
pub(super) fn board(report: &PuzzleReport, failed: &FailedPuzzle) -> Result<Svg, DrawError> {
    let wrong: Vec<_> = failed
        .answers
        .iter()
        .enumerate()
        .filter_map(|(player, answer)| match answer {
            BoardAnswer::Wrong(played) => Some((*played, report.style(player))),
            _ => None,
        })
        .collect();
    let marks = Marks { last: failed.last, solution: failed.solution, wrong: &wrong };
    let title = format!("{}: {}", failed.position, failed.task());
    diagram::draw(&failed.position, &marks, &title)
}

/// One number of a player, if there is one.
type Measure<'a> = &'a dyn Fn(&PlayerRow) -> Option<Estimate>;

pub(super) fn results(report: &PuzzleReport) -> Result<Option<Figure>, DrawError> {
    let percent = |of: Proportion| share(of).map(|share| share.scaled(100.0));
    let measures: [(&str, &str, Measure<'_>); 3] = [
        ("Puzzles solved", "%", &|player| percent(player.summary.solved)),
        ("Moves found", "%", &|player| percent(player.summary.moves)),
        ("Puzzle rating", "rating points", &|player| player.summary.rating.map(rating)),
    ];
    let has_any =
        |measure: Measure<'_>| report.players.iter().any(|player| measure(player).is_some());
    let panels: Vec<Panel> = measures
        .into_iter()
        .filter(|(.., measure)| has_any(*measure))
        .map(|(title, unit, measure)| panel(report, title, unit, measure))
        .collect();
    if panels.is_empty() {
        return Ok(None);
    }
    let head = |(i, player): (usize, &PlayerRow)| PlotRow {
        label: player.name.clone(),
        style: report.style(i),
    };
    let heads: Vec<PlotRow> = report.players.iter().enumerate().map(head).collect();
    let caption = format!(
        "{}, {}, with 95 % intervals; each panel has its own scale. All players solve the same \
         puzzles, so the paired tests separate more than these intervals do.",
        counted(report.puzzles(), "puzzle"),
        report.mode,
    );
    let svg = rows::draw("Results", &heads, &panels)?;
    Ok(Some(Figure { id: "results".into(), title: "Results".into(), caption, svg }))
}

fn panel(report: &PuzzleReport, title: &str, unit: &str, measure: Measure<'_>) -> Panel {
    let cell = |player: &PlayerRow| match measure(player) {
        Some(estimate) => {
            PlotCell::Measured { estimate, seeds: Vec::new(), text: estimate.plain() }
        }
        None => PlotCell::Missing,
    };
    let ends = report.players.iter().filter_map(measure);
    let axis = PlotAxis::linear(ends.flat_map(|e| [e.low, e.value, e.high]), 4);
    Panel {
        title: title.to_owned(),
        unit: unit.to_owned(),
        from_zero: false,
        axis: if unit == "%" { axis.within(0.0, 100.0) } else { axis },
        cells: report.players.iter().map(cell).collect(),
    }
}

pub(super) fn by_rating(report: &PuzzleReport) -> Result<Option<Figure>, DrawError> {
    let buckets: Vec<Vec<PuzzleBucket>> =
        report.players.iter().map(|player| buckets(&player.summary.by_rating)).collect();
    let curve = |(i, (player, buckets)): (usize, (&PlayerRow, &Vec<PuzzleBucket>))| Curve {
        label: player.name.clone(),
        style: report.style(i),
        buckets: buckets.clone(),
    };
    let mut curves: Vec<Curve> =
        report.players.iter().zip(&buckets).enumerate().map(curve).collect();
    let others = curves.split_off(curves.len().min(1));
    let Some(svg) = ratings::draw(&others, curves.first())? else { return Ok(None) };
    let sizes = range(buckets.iter().flatten().map(|bucket| bucket.puzzles), "puzzle");
    let behind = match (others.is_empty(), report.players.first()) {
        (false, Some(first)) => format!(" Grey: {}.", first.name),
        _ => String::new(),
    };
    let width = RatingBucket::WIDTH;
    let caption = format!(
        "Share solved in each range of {width} rating points, {sizes} each; 95 % Wilson intervals.{behind}"
    );
    let title = "By rating".into();
    Ok(Some(Figure { id: "by-rating".into(), title, caption, svg }))
}

fn buckets(of: &[RatingBucket]) -> Vec<PuzzleBucket> {
    let bucket = |bucket: &RatingBucket| {
        Some(PuzzleBucket {
            from: bucket.from,
            to: bucket.from + RatingBucket::WIDTH,
            puzzles: bucket.solved.trials,
            accuracy: share(bucket.solved)?,
        })
    };
    of.iter().filter_map(bucket).collect()
}

pub(super) fn by_theme(report: &PuzzleReport) -> Result<Option<Figure>, DrawError> {
    let themes = report.players.first().map_or(&[][..], |first| &first.summary.by_theme);
    let mut groups: Vec<Group> = themes
        .iter()
        .enumerate()
        .filter(|(_, (_, of))| of.trials >= LEAST_PUZZLES)
        .map(|(i, (label, of))| Group {
            label: label.clone(),
            puzzles: of.trials,
            // All players have the same puzzles, and so the same themes.
            shares: report
                .players
                .iter()
                .map(|player| Some(share(player.summary.by_theme.get(i)?.1)?.scaled(100.0)))
                .collect(),
        })
        .collect();
    groups.sort_by_key(|group| std::cmp::Reverse(group.puzzles));
    let left_out = themes.len() - groups.len().min(MOST_THEMES);
    groups.truncate(MOST_THEMES);
    let value = |group: &Group| group.shares.first().copied().flatten().map_or(0.0, |s| s.value);
    groups.sort_by(|a, b| value(b).total_cmp(&value(a)));
    let player = |(i, player): (usize, &PlayerRow)| LegendPlayer {
        label: player.name.clone(),
        style: report.style(i),
    };
    let players: Vec<LegendPlayer> = report.players.iter().enumerate().map(player).collect();
    let Some(svg) = groups::draw("Share solved by theme", &players, &groups)? else {
        return Ok(None);
    };
    let others = match left_out {
        0 => String::new(),
        n => format!(" {} with fewer puzzles in themes.csv.", counted(n as u64, "more theme")),
    };
    let caption = format!(
        "Share solved per theme, with the number of puzzles beside the name; lines are \
         95 % Wilson intervals. A puzzle counts for each of its themes.{others}"
    );
    Ok(Some(Figure { id: "by-theme".into(), title: "By theme".into(), caption, svg }))
}
