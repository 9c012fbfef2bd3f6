//! Active features of a position, and changes by a move.

use std::fmt::Write;

use serde::Serialize;

use crate::cli::Failure;
use base::format::{counted, grouped};
use chess::{Color, Move, Position, Scene};
use features::{Delta, FeatureSet, SetPart, Step, Weighted};
use report::board;

/// A position as both sides see it.
#[derive(Serialize)]
pub(super) struct Active {
    expression: String,
    size: usize,
    fen: String,
    white: SeenSide,
    black: SeenSide,
}

/// Active features of one perspective.
#[derive(Serialize)]
struct SeenSide {
    active: usize,
    blocks: Vec<SeenBlock>,
}

/// The active features of a summand.
#[derive(Serialize)]
struct SeenBlock {
    name: String,
    features: Vec<SeenFeature>,
}

/// A feature, its value and its meaning.
#[derive(Serialize)]
struct SeenFeature {
    index: u32,
    value: f32,
    says: String,
}

/// A move as both sides see it.
#[derive(Serialize)]
pub(super) struct Change {
    expression: String,
    fen: String,
    #[serde(rename = "move")]
    played: String,
    fen_after: String,
    white: Vec<BlockChange>,
    black: Vec<BlockChange>,
}

/// Update of a summand: rows, or a refresh with its reason.
#[derive(Serialize)]
struct BlockChange {
    name: String,
    refreshed_because: Vec<String>,
    /// Features active after a refresh.
    active: Option<usize>,
    removed: Vec<SeenFeature>,
    added: Vec<SeenFeature>,
}

pub(super) fn active(set: &FeatureSet, position: &Position) -> Active {
    let scene = Scene::from(position);
    let [white, black] = [Color::White, Color::Black].map(|color| {
        let block = |part: SetPart<'_>| SeenBlock {
            name: part.summand().text.clone(),
            features: entries(set, of_part(part, &scene, color)),
        };
        let blocks: Vec<SeenBlock> = set.parts().map(block).collect();
        SeenSide { active: blocks.iter().map(|block| block.features.len()).sum(), blocks }
    });
    let (expression, size) = (set.expression().to_owned(), set.size());
    Active { expression, size, fen: position.fen(), white, black }
}

fn of_part(part: SetPart<'_>, scene: &Scene, color: Color) -> Vec<Weighted> {
    let mut features: Vec<Weighted> = Vec::new();
    part.active(scene, color, &mut features);
    features
}

fn entries(set: &FeatureSet, mut features: Vec<Weighted>) -> Vec<SeenFeature> {
    features.sort_unstable_by_key(|entry| entry.feature);
    let entry = |entry: Weighted| SeenFeature {
        index: entry.feature.0,
        value: entry.value,
        says: set.describe(entry.feature),
    };
    features.into_iter().map(entry).collect()
}

/// The board, and for each side the active features, block by block.
pub(super) fn text(active: &Active, position: &Position) -> String {
    let mut out = board::draw(position.board());
    let turn = position.turn().fold_wb("White", "Black");
    let _ = writeln!(out, "    {turn} to move\n");
    for (who, seen) in [("White", &active.white), ("Black", &active.black)] {
        let size = grouped(active.size as u64);
        let _ = writeln!(out, "{who} sees {} active features of {size}:", seen.active);
        for block in &seen.blocks {
            let _ = writeln!(out, "  {}: {}", block.name, block.features.len());
            list(&mut out, &block.features, "");
        }
        out.push('\n');
    }
    out
}

/// One feature a line, after a sign.
fn list(out: &mut String, features: &[SeenFeature], sign: &str) {
    let has_values = features.iter().any(|entry| entry.value != 1.0);
    for SeenFeature { index, value, says } in features {
        let index = format!("{sign}{index}");
        let _ = match has_values {
            true => writeln!(out, "{index:>10}  {value:>6.3} × {says}"),
            false => writeln!(out, "{index:>10}  {says}"),
        };
    }
}

/// Changes by a move in coordinate or standard notation.
pub(super) fn change(
    set: &FeatureSet,
    position: &Position,
    played: &str,
) -> Result<Change, Failure> {
    let m = position.named_move(played).map_err(|error| Failure::usage(error.to_string()))?;
    let after = position.after(m);
    let [white, black] = [Color::White, Color::Black].map(|color| {
        let of_part = |part| block_change(set, part, position, m, color);
        set.parts().map(of_part).collect()
    });
    Ok(Change {
        expression: set.expression().to_owned(),
        fen: position.fen(),
        played: position.uci(m),
        fen_after: after.fen(),
        white,
        black,
    })
}

fn block_change(
    set: &FeatureSet,
    part: SetPart<'_>,
    position: &Position,
    m: Move,
    color: Color,
) -> BlockChange {
    let (before, after) = (Scene::from(position), Scene::from(&position.after(m)));
    let change = position.change(m);
    let step = Step { before: &before, after: &after, change: &change };
    let name = part.summand().text.clone();
    let causes = part.refreshed_by(step, color);
    if !causes.is_empty() {
        let refreshed_because = causes.iter().map(ToString::to_string).collect();
        let active = Some(of_part(part, &after, color).len());
        let (removed, added) = (Vec::new(), Vec::new());
        return BlockChange { name, refreshed_because, active, removed, added };
    }
    let mut delta = Delta::<Weighted>::default();
    part.delta(step, color, &mut delta);
    BlockChange {
        name,
        refreshed_because: Vec::new(),
        active: None,
        removed: entries(set, delta.removed),
        added: entries(set, delta.added),
    }
}

/// Rows and refreshes of each side.
pub(super) fn text_of_change(change: &Change) -> String {
    let mut out = format!("{} changes\n\n", change.played);
    for (who, blocks) in [("White", &change.white), ("Black", &change.black)] {
        let count = |rows: fn(&BlockChange) -> usize| blocks.iter().map(rows).sum::<usize>();
        let (removed, added) = (count(|b| b.removed.len()), count(|b| b.added.len()));
        let removed = counted(removed as u64, "row");
        let _ = writeln!(out, "for {who}: {removed} removed, {added} added");
        for block in blocks {
            let _ = match block.active {
                Some(active) => writeln!(
                    out,
                    "  {}: refreshed, since {}; {active} active features then",
                    block.name,
                    block.refreshed_because.join(", and "),
                ),
                None if block.removed.is_empty() && block.added.is_empty() => {
                    writeln!(out, "  {}: nothing", block.name)
                }
                None => writeln!(out, "  {}:", block.name),
            };
            list(&mut out, &block.removed, "-");
            list(&mut out, &block.added, "+");
        }
        out.push('\n');
    }
    out
}
