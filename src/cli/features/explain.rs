//! An expression taken apart, and a position in its words.

use std::fmt::Write;

use comfy_table::Table;

use super::table;
use crate::chess::{Color, Position, Scene};
use crate::cli::Failure;
use crate::features::{Feature, FeatureSet, Weighted};
use crate::report::board;
use crate::report::format::grouped;

/// The blocks of a set, with sizes and index order.
pub fn breakdown(set: &FeatureSet) -> Table {
    let header = ["block", "from", "size", "max active", "index order"];
    let mut table = table(&header, &[1, 2, 3], &[0, 4]);
    let number = |n: usize| grouped(n as u64);
    for block in set.summands() {
        table.add_row([
            block.text.as_str(),
            &number(block.offset),
            &number(block.size),
            &number(block.max_active),
            &block.definition,
        ]);
    }
    if set.summands().len() > 1 {
        table.add_row(["total", "", &number(set.size()), &number(set.max_active()), ""]);
    }
    table
}

/// When an accumulator of the set starts again.
pub fn refresh(set: &FeatureSet) -> String {
    let causes: Vec<String> = set.refresh_causes().iter().map(ToString::to_string).collect();
    let valued = if set.is_valued() { "features carry values\n" } else { "" };
    match causes.as_slice() {
        [] => format!("{valued}never refreshed: every move is followed by rows\n"),
        causes => format!("{valued}refreshed when {}\n", causes.join(", or when ")),
    }
}

/// `index 330 of ALL = own rook on d4`.
pub fn index(set: &FeatureSet, index: u32) -> Result<String, Failure> {
    if index as usize >= set.size() {
        let (name, size) = (set.expression(), set.size());
        let message = format!("{name} has {size} features; the last index is {}", size - 1);
        return Err(Failure::usage(message));
    }
    Ok(format!("index {index} of {} = {}", set.expression(), set.describe(Feature(index))))
}

/// The board, and for each perspective the active features, block by block.
pub fn position(set: &FeatureSet, position: &Position) -> String {
    let mut out = board::draw(position.board());
    let turn = position.turn().fold_wb("White", "Black");
    let _ = writeln!(out, "    {turn} to move\n");
    let scene = Scene::from(position);
    for perspective in Color::ALL {
        active(set, &scene, perspective, &mut out);
    }
    out
}

fn active(set: &FeatureSet, scene: &Scene, perspective: Color, out: &mut String) {
    let blocks: Vec<(&str, Vec<Weighted>)> = set
        .parts()
        .map(|part| {
            let mut features: Vec<Weighted> = Vec::new();
            part.active(scene, perspective, &mut features);
            features.sort_unstable_by_key(|entry| entry.feature);
            (part.summand().text.as_str(), features)
        })
        .collect();
    let who = perspective.fold_wb("White", "Black");
    let count: usize = blocks.iter().map(|(_, features)| features.len()).sum();
    let size = grouped(set.size() as u64);
    let _ = writeln!(out, "{who} sees {count} active features of {size}:");
    for (name, features) in &blocks {
        let _ = writeln!(out, "  {name}: {}", features.len());
        let has_values = features.iter().any(|entry| entry.value != 1.0);
        for entry in features {
            let words = set.describe(entry.feature);
            let _ = match has_values {
                true => writeln!(out, "{:>10}  {:>6.3} × {words}", entry.feature.0, entry.value),
                false => writeln!(out, "{:>10}  {words}", entry.feature.0),
            };
        }
    }
    out.push('\n');
}
