//! An expression taken apart.

use std::fmt::Write;

use comfy_table::Table;
use serde::Serialize;

use super::table;
use base::format::{counted, grouped};
use features::TrainedSet;

/// What a set is.
#[derive(Serialize)]
pub(super) struct About {
    expression: String,
    definition: String,
    size: usize,
    max_active: usize,
    valued: bool,
    refreshed_when: Vec<String>,
    blocks: Vec<Block>,
    factors: Vec<Factor>,
}

/// A summand, with its place in the index order.
#[derive(Serialize)]
struct Block {
    name: String,
    definition: String,
    from: usize,
    size: usize,
    max_active: usize,
}

/// What is trained with the set and folded into it.
#[derive(Serialize)]
struct Factor {
    name: String,
    size: usize,
}

/// A set, its blocks and its factors.
pub(super) fn about(trained: &TrainedSet) -> About {
    let set = trained.set();
    let blocks = set.summands().iter().map(|summand| Block {
        name: summand.text.clone(),
        definition: summand.definition.clone(),
        from: summand.offset,
        size: summand.size,
        max_active: summand.max_active,
    });
    let factors = trained
        .factors()
        .map(|factor| Factor { name: factor.expression().to_owned(), size: factor.size() });
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
        out.push_str("features carry values\n");
    }
    out.push_str(&match about.refreshed_when.as_slice() {
        [] => "never refreshed: every move is followed by rows\n".to_owned(),
        causes => format!("refreshed when {}\n", causes.join(", or when ")),
    });
    for Factor { name, size } in &about.factors {
        let rows = counted(*size as u64, "row");
        let _ = writeln!(
            out,
            "trained with the factor {name}: {rows} that copies share, added to them in the net"
        );
    }
    if !about.factors.is_empty() {
        let trained: usize = about.size + about.factors.iter().map(|f| f.size).sum::<usize>();
        let (trained, played) = (grouped(trained as u64), grouped(about.size as u64));
        let _ = writeln!(out, "{trained} rows are trained, and {played} played");
    }
    out.push('\n');
    out
}

/// The blocks of a set, with sizes and index order.
fn blocks(about: &About) -> Table {
    let header = ["block", "from", "size", "max active", "index order"];
    let mut table = table(&header, &[1, 2, 3], &[0, 4]);
    let number = |n: usize| grouped(n as u64);
    for block in &about.blocks {
        let numbers = [block.from, block.size, block.max_active].map(number);
        let [from, size, active] = &numbers;
        table.add_row([block.name.as_str(), from, size, active, &block.definition]);
    }
    if about.blocks.len() > 1 {
        table.add_row(["total", "", &number(about.size), &number(about.max_active), ""]);
    }
    table
}
