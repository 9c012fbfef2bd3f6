//! The figures of screening and ranking as tables, and the picture of candidates.

use base::Estimate;
use base::format::{fixed, grouped};
use features::{Feature, FeatureSet};
use report::plot::axis::PlotAxis;
use report::plot::rows::{self, Panel, PlotRow};
use report::plot::theme::Style;
use report::plot::{DrawError, Svg};
use report::{Column, Format, Table};

use crate::{BlockRank, CandidateGain, Ranking, RowRank};

/// Candidates with their gains and costs.
pub fn candidates(findings: &[CandidateGain]) -> Table {
    let ranked: Vec<(usize, &CandidateGain)> = (1..).zip(findings).collect();
    Table::of("candidates", "Candidates", ranked)
        .column(Column::new("", "", Format::Text).for_people(), |(place, finding)| {
            format!("{place}{}", if finding.is_discovery() { "*" } else { "" })
        })
        .column(Column::new("candidate", "candidate", Format::Text), |(_, it)| &it.candidate)
        .column(Column::new("features", "features", Format::Count), |(_, it)| it.features)
        .column(Column::new("active", "active", Format::Fixed(1)), |(_, it)| it.active)
        .column(gain(3), |(_, it)| it.percent())
        .column(Column::new("p", "p", Format::PValue).for_programs(), |(_, it)| it.p)
        .column(q(), |(_, it)| it.q)
        .column(ns_per_move(), |(_, it)| it.ns_per_move)
        .column(Column::new("pay", "gain per 100 ns, %", Format::Fixed(3)), |(_, it)| it.pay())
        .table()
}

/// The loss reduction.
pub fn gain(decimals: usize) -> Column {
    Column::estimate("gain", "gain", Format::Fixed(decimals))
        .unit("%")
        .means("Loss reduction in per cent, with its 95 % interval")
}

pub fn q() -> Column {
    Column::new("q", "q", Format::Fixed(3))
        .means("False discovery rate at this candidate's p-value")
}

pub fn ns_per_move() -> Column {
    Column::new("ns_per_move", "ns per move", Format::Fixed(0))
        .means("Cost of the features in an engine")
}

/// Limit of the evidence in the rise of a block.
pub const RISE_IS_NO_NEED: &str = "A loss increase above zero proves that this net uses the block, not that it \
    needs it: the other rows were trained beside it and do not replace it here. A superfluous \
    block had +1.8 ± 0.4 %. The value of a block is measured by a net trained without it.";

/// Blocks of a ranked net.
pub fn blocks(ranking: &Ranking) -> Table {
    let rise = |title: &str| Column::estimate(title.replace(' ', "_"), title, Format::Signed(3));
    let percent = 100.0 / ranking.loss;
    let of = |it: &BlockRank| (it.without.zero.loss, it.without.mean.loss);
    Table::of("blocks", "Blocks", &ranking.blocks)
        .column(Column::new("block", "block", Format::Text), |it| &it.name)
        .column(Column::new("features", "features", Format::Count), |it| it.size)
        .column(Column::new("active", "active", Format::Fixed(1)), |it| it.active)
        .column(Column::new("updates", "rows per move", Format::Fixed(2)), |it| it.updates)
        .column(rise("without"), |it| of(it).0.scaled(percent))
        .column(rise("as on average"), |it| of(it).1.scaled(percent))
        .column(Column::new("pull", "pull", Format::Percent(1)), |it| it.pull)
        .notes(vec![RISE_IS_NO_NEED.to_owned()])
        .table()
}

/// Some rows of a ranked net.
pub fn ranked_rows(rows: &[RowRank], loss: f64, set: &FeatureSet) -> Table {
    let rise = |key: &str, title: &str| Column::new(key, title, Format::Fixed(3)).unit("%");
    let percent = 100.0 / loss;
    Table::of("rows", "Rows", rows)
        .column(Column::new("row", "row", Format::Text), |it| it.feature.to_string())
        .column(Column::new("feature", "feature", Format::Text), |it| {
            set.describe(Feature(it.feature))
        })
        .column(Column::new("frequency", "active", Format::Percent(2)), |it| it.frequency)
        .column(Column::new("updates", "changes per move", Format::Fixed(4)), |it| it.updates)
        .column(rise("zero", "without"), |it| percent * it.zero)
        .column(rise("mean", "as on average"), |it| percent * it.mean)
        .column(rise("saliency", "saliency"), |it| percent * it.saliency)
        .column(Column::new("pull", "pull", Format::Percent(2)), |it| it.pull)
        .table()
}

/// Gains and costs of candidates, a row each; discoveries are coloured.
///
/// # Errors
/// As plots have them.
pub fn picture(findings: &[CandidateGain]) -> Result<Svg, DrawError> {
    let style =
        |it: &CandidateGain| if it.is_discovery() { Style::nth(0) } else { Style::REFERENCE };
    let row = |it: &CandidateGain| PlotRow { label: it.candidate.clone(), style: style(it) };
    let panel = |title: &str, unit: &str, axis, cells| Panel {
        title: title.to_owned(),
        unit: unit.to_owned(),
        from_zero: true,
        axis,
        cells,
    };
    let measured = |estimate: Estimate, text: String| rows::PlotCell::Measured {
        estimate,
        seeds: Vec::new(),
        text,
    };
    let ends = findings.iter().flat_map(|it| [it.low, it.high]).chain([0.0]);
    let gains = findings.iter().map(|it| measured(it.percent(), fixed(it.gain, 2)));
    let gain = panel("gain", "% of the loss", PlotAxis::linear(ends, 5), gains.collect());
    let ns = findings.iter().map(|it| it.ns_per_move).chain([0.0]);
    let costs = findings.iter().map(|it| {
        let ns = it.ns_per_move;
        measured(Estimate::new(ns, ns, ns), grouped(ns as u64))
    });
    let cost = panel("cost", "ns per move", PlotAxis::linear(ns, 4), costs.collect());
    let rows: Vec<PlotRow> = findings.iter().map(row).collect();
    rows::draw("Gains and costs of candidates", &rows, &[gain, cost])
}
