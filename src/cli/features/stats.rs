//! Statistics of a set on the positions of a file, as tables or JSON.

use std::fmt::Write;
use std::path::Path;
use std::sync::Arc;

use serde::Serialize;

use super::StatsArgs;
use crate::cli::inputs::{self, UNPRINTED};
use crate::cli::progress::Progress;
use crate::cli::signals::stop_flag;
use crate::cli::{Failure, output};
use base::Observer;
use base::atomic::write_atomically;
use base::format::{counted, grouped};
use chess::Position;
use data::{DataError, sample_positions};
use features::{FeatureSet, Frequencies, MoveCounts};
use measure::bench::statistics::summary::{Bar, BlockSummary, MoveSummary, Summary};
use measure::bench::statistics::{count_positions, count_searches};
use report::Format::{Count, Fixed, Percent, Text, Words};
use report::{Cell, Column, Table};

/// The figures and their sample.
#[derive(Serialize)]
struct Statistics<'a> {
    data: &'a Path,
    positions_in_data: u64,
    seed: u64,
    searches: usize,
    nodes_per_search: u64,
    #[serde(flatten)]
    summary: Summary,
}

pub(super) fn main(
    set: &Arc<FeatureSet>,
    data: &Path,
    as_json: bool,
    args: &StatsArgs,
) -> Result<(), Failure> {
    let mut progress = Progress::default();
    let count = usize::try_from(args.positions).unwrap_or(usize::MAX);
    let sample = inputs::drawn(sample_positions, data, count, args.seed, &mut progress);
    let sample = sample.map_err(|error| match error {
        DataError::Stopped => UNPRINTED,
        other => other.into(),
    })?;
    let positions = &sample.positions;
    let (frequencies, legal) = count_legal(set, positions, &mut progress)?;
    let searched = spread(positions, args.searches as usize);
    let searched_moves = count_searched(set, &searched, args.nodes, &mut progress)?;
    let statistics = Statistics {
        data,
        positions_in_data: sample.of,
        seed: args.seed,
        searches: searched.len(),
        nodes_per_search: args.nodes,
        summary: Summary::new(&frequencies, &legal, searched_moves.as_ref()),
    };
    match as_json {
        true => output::print_json(&statistics)?,
        false => print!("{}", text(&statistics)),
    }
    write_top(&frequencies, args)
}

fn count_legal(
    set: &Arc<FeatureSet>,
    positions: &[Position],
    progress: &mut Progress,
) -> Result<(Frequencies, MoveCounts), Failure> {
    progress.begin("counting legal moves", positions.len() as u64, "positions");
    let advance = &mut |done| progress.advance(done, "");
    let counts = count_positions(set, positions, advance, stop_flag()).ok_or(UNPRINTED)?;
    progress.end(&counted(counts.1.moves(), "move"));
    Ok(counts)
}

/// `None` without positions to search.
fn count_searched(
    set: &Arc<FeatureSet>,
    positions: &[Position],
    nodes: u64,
    progress: &mut Progress,
) -> Result<Option<MoveCounts>, Failure> {
    if positions.is_empty() {
        return Ok(None);
    }
    progress.begin("counting searched moves", positions.len() as u64, "searches");
    let advance = &mut |done| progress.advance(done, "");
    let counts = count_searches(set, positions, nodes, advance, stop_flag()).ok_or(UNPRINTED)?;
    progress.end(&counted(counts.moves(), "move"));
    Ok(Some(counts))
}

/// At most `count` of the positions, at even distances.
fn spread(positions: &[Position], count: usize) -> Vec<Position> {
    let count = count.min(positions.len());
    (0..count).map(|at| positions[at * positions.len() / count].clone()).collect()
}

fn text(statistics: &Statistics<'_>) -> String {
    let summary = &statistics.summary;
    let mut out = format!(
        "{} of {}, seed {}, of {}\n\nper legal move ({})\n{}\n\n",
        grouped(summary.positions),
        counted(statistics.positions_in_data, "position"),
        statistics.seed,
        statistics.data.display(),
        grouped(summary.legal_moves),
        costs(summary, |block| Some((block.active, &block.legal))),
    );
    if statistics.searches > 0 {
        let _ = writeln!(
            out,
            "per move of a search ({}, in {} of these positions, {} each)\n{}\n",
            grouped(summary.searched_moves),
            grouped(statistics.searches as u64),
            counted(statistics.nodes_per_search, "node"),
            costs(summary, |block| {
                block.searched.as_ref().map(|searched| (searched.both.active, searched))
            }),
        );
    }
    out.push_str(
        "means per perspective; row counts exclude refreshes, whose share of all moves is given\n\n",
    );
    let _ = writeln!(out, "dead features\n{}\n", dead(summary));
    out.push_str("features by the share of positions in which they were active\n");
    out.push_str(&histogram(&summary.total.activity.histogram));
    out
}

/// All rows of a table: the blocks, and the total if there are several.
fn rows(summary: &Summary) -> impl Iterator<Item = &BlockSummary> {
    let total = Some(&summary.total).filter(|_| summary.blocks.len() > 1);
    summary.blocks.iter().chain(total)
}

/// Active features, and rows per move of one kind.
fn costs(summary: &Summary, of: impl Fn(&BlockSummary) -> Option<(f64, &MoveSummary)>) -> Table {
    let row = |block| {
        let (active, moves) = of(block)?;
        Some((block, active, moves.both))
    };
    Table::of("costs", "Rows per move", rows(summary).filter_map(row))
        .column(Column::new("block", "block", Text), |(block, ..)| &block.name)
        .column(Column::new("size", "size", Count), |(block, ..)| block.size)
        .column(Column::new("active", "active", Fixed(2)), |(_, active, _)| active)
        .column(Column::new("added", "added", Fixed(3)), |(.., means)| means.added)
        .column(Column::new("removed", "removed", Fixed(3)), |(.., means)| means.removed)
        .column(Column::new("rows", "rows", Fixed(3)), |(.., means)| means.rows)
        .column(Column::new("refreshes", "refresh", Percent(1)), |(.., means)| means.refreshes)
        .table()
}

fn dead(summary: &Summary) -> Table {
    let examples = |block: &BlockSummary| {
        let examples = block.activity.never_active_examples.iter();
        examples.map(|dead| dead.says.as_str()).collect::<Vec<_>>().join("; ")
    };
    Table::of("dead", "Dead features", rows(summary))
        .column(Column::new("block", "block", Text), |it| &it.name)
        .column(Column::new("number", "number", Count), |it| it.activity.never_active)
        .column(Column::new("impossible", "impossible", Count), |it| {
            it.activity.impossible.map_or(Cell::remark("?"), Cell::from)
        })
        .column(Column::new("examples", "possible", Words), examples)
        .table()
}

/// Bars of this many characters at most.
const BAR: usize = 40;

fn histogram(bars: &[Bar]) -> String {
    let longest = bars.iter().map(|bar| bar.features).max().unwrap_or(0).max(1);
    let mut out = String::new();
    for bar in bars {
        // A bar with features is at least one character long.
        let length = (bar.features * BAR).div_ceil(longest);
        let number = grouped(bar.features as u64);
        let _ = writeln!(out, "{:>14} {number:>11} {}", bar.share, "█".repeat(length));
    }
    out
}

/// Writes the most frequent features, where a flag requests it.
fn write_top(frequencies: &Frequencies, args: &StatsArgs) -> Result<(), Failure> {
    let Some((count, path)) = args.top.zip(args.rows.as_deref()) else { return Ok(()) };
    let set = frequencies.features();
    let count = usize::try_from(count).unwrap_or(usize::MAX);
    let top = frequencies.top(count);
    let mut text = format!(
        "# the {} most frequent features of {}, most frequent first\n",
        top.len(),
        set.expression()
    );
    for &feature in &top {
        let share = 100.0 * frequencies.share(feature);
        let _ = writeln!(text, "{} # {}, {share:.3} %", feature.0, set.describe(feature));
    }
    write_atomically(path, &[text.as_bytes()])?;
    if top.len() < count {
        eprintln!("warning: only {} were active", counted(top.len() as u64, "feature"));
    }
    eprintln!("{}", path.display());
    Ok(())
}
