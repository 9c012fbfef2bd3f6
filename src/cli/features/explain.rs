//! An expression taken apart.

use std::fmt::Write;

use serde::Serialize;

use base::format::{counted, grouped};
use features::TrainedSet;
use report::Format::{Count, Text, Words};
use report::{Cell, Column, Table};

/// Description of a set.
#[derive(Serialize)]
pub(super) struct About {
    expression: String,
    definition: String,
    size: usize,
    max_active: usize,
    valued: bool,
    refreshed_when: Vec<String>,
    blocks: Vec<ExplainedBlock>,
    factors: Vec<ExplainedFactor>,
}

/// A summand, with its place in the index order.
#[derive(Serialize)]
struct ExplainedBlock {
    name: String,
    definition: String,
    from: usize,
    size: usize,
    max_active: usize,
}

/// Factors: trained with the set and folded into it.
#[derive(Serialize)]
struct ExplainedFactor {
    name: String,
    size: usize,
}

/// A set, its blocks and its factors.
pub(super) fn about(trained: &TrainedSet) -> About {
    let set = trained.set();
    let blocks = set.summands().iter().map(|summand| ExplainedBlock {
        name: summand.text.clone(),
        definition: summand.definition.clone(),
        from: summand.offset,
        size: summand.size,
        max_active: summand.max_active,
    });
    let factors = trained.factors().map(|factor| ExplainedFactor {
        name: factor.expression().to_owned(),
        size: factor.size(),
    });
    About {
        expression: trained.expression().to_owned(),
        definition: set.canonical().to_owned(),
        size: set.size(),
        max_active: set.max_active(),
        valued: set.is_valued(),
        refreshed_when: set.refresh_causes().iter().map(ToString::to_string).collect(),
        blocks: blocks.collect(),
        factors: factors.collect(),
    }
}

/// The same for people.
pub(super) fn text(about: &About) -> String {
    let mut out = format!("{}\n", blocks(about));
    if about.valued {
        out.push_str("valued features\n");
    }
    out.push_str(&match about.refreshed_when.as_slice() {
        [] => "no refreshes: every move is a row update\n".to_owned(),
        causes => format!("refreshed when {}\n", causes.join(", or when ")),
    });
    for ExplainedFactor { name, size } in &about.factors {
        let rows = counted(*size as u64, "row");
        let _ = writeln!(
            out,
            "trained with the factor {name}: {rows} that copies share, added to them in the net"
        );
    }
    if !about.factors.is_empty() {
        let trained: usize = about.size + about.factors.iter().map(|f| f.size).sum::<usize>();
        let (trained, played) = (grouped(trained as u64), grouped(about.size as u64));
        let _ = writeln!(out, "{trained} rows in training, {played} in the played net");
    }
    out.push('\n');
    out
}

/// The blocks of a set, with sizes and index order.
fn blocks(about: &About) -> Table {
    let total = ExplainedBlock {
        name: "total".to_owned(),
        from: 0,
        size: about.size,
        max_active: about.max_active,
        definition: String::new(),
    };
    let total = Some(&total).filter(|_| about.blocks.len() > 1);
    let is_total = |block: &ExplainedBlock| block.definition.is_empty();
    Table::of("blocks", "Blocks", about.blocks.iter().chain(total))
        .column(Column::new("block", "block", Text), |it| &it.name)
        .column(Column::new("from", "from", Count), |it| match is_total(it) {
            true => Cell::remark(""),
            false => it.from.into(),
        })
        .column(Column::new("size", "size", Count), |it| it.size)
        .column(Column::new("max_active", "max active", Count), |it| it.max_active)
        .column(Column::new("index_order", "index order", Words), |it| &it.definition)
        .table()
}
