//! Sizes of the thesis, and the indices its own program computes.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader};
use std::path::PathBuf;
use std::sync::Arc;

use crate::chess::{Color, Position, Scene};
use crate::features::{Delta, Feature, FeatureSet, Step};
use crate::nnue::thesis::BLOCKS;

#[test]
fn sizes_are_those_of_the_thesis() {
    for (text, size) in [
        ("ALL", 768),
        ("H", 96),
        ("V", 96),
        ("D1", 180),
        ("D2", 180),
        ("PH", 1152),
        ("PV", 1152),
        ("KING", 64),
        ("KING-ALL", 49_152),
        ("HALF-KP", 40_960),
        ("H + V", 192),
        ("D1 + D2", 360),
        ("ALL ⊕ H ⊕ V ⊕ D1 ⊕ D2", 1320),
        ("ALL + PH + PV", 3072),
        ("KING × ALL", 49_152),
        ("MB", 768),
        ("MC", 206),
        ("KING-OFFSET", 2700),
        // Stockfish's sets. Viridithas has 4,560 pairs of pawns, the 48 of two
        // pawns on one square among them.
        ("HALF-KA", 49_152),
        ("HALF-KA-V2", 45_056),
        ("HALF-KA-HM", 32 * 704),
        ("both(SQUARES * {pawn} * COLORS)", 4_560 - 48),
        ("LEORIK-14", 14 * 384),
        ("LEORIK-18", 6_912),
    ] {
        assert_eq!(FeatureSet::parse(text).unwrap().size(), size, "{text}");
    }
}

fn fixture(name: &str) -> PathBuf {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join("../shared/reference/thesis_engine")
        .join(name);
    assert!(path.exists(), "this test needs {} beside the checkout", path.display());
    path
}

/// The blocks of the thesis's program, compiled.
fn sets() -> BTreeMap<&'static str, Arc<FeatureSet>> {
    BLOCKS.iter().map(|&(block, text)| (block, FeatureSet::parse(text).unwrap())).collect()
}

#[derive(serde::Deserialize)]
struct Evaluated {
    fen: String,
    features: BTreeMap<String, BTreeMap<String, Vec<u32>>>,
}

#[test]
#[ignore = "needs ../shared; CI runs it with --ignored"]
fn active_indices_equal_those_of_the_thesis_program() {
    let file = std::fs::File::open(fixture("thesis_evals.jsonl")).unwrap();
    let sets = sets();
    let mut compared = 0;
    for line in BufReader::new(file).lines() {
        let row: Evaluated = serde_json::from_str(&line.unwrap()).unwrap();
        let position = Position::from_fen(&row.fen).unwrap();
        for (block, set) in &sets {
            for (name, color) in [("white", Color::White), ("black", Color::Black)] {
                let mut active: Vec<Feature> = Vec::new();
                set.active(&Scene::from(&position), color, &mut active);
                let mut active: Vec<u32> = active.into_iter().map(|f| f.0).collect();
                active.sort_unstable();
                assert_eq!(&active, &row.features[*block][name], "{block} {name} {}", row.fen);
                compared += 1;
            }
        }
    }
    assert_eq!(compared, 400 * 9 * 2);
}

#[derive(serde::Deserialize)]
struct Updated {
    fen: String,
    #[serde(rename = "move")]
    played: String,
    block: String,
    perspective: String,
    added: usize,
    removed: usize,
}

#[test]
#[ignore = "needs ../shared; CI runs it with --ignored"]
fn row_counts_equal_those_of_the_thesis_program() {
    let file = std::fs::File::open(fixture("thesis_updates.jsonl.zst")).unwrap();
    let reader = BufReader::new(zstd::Decoder::new(file).unwrap());
    let sets = sets();
    let mut compared = 0;
    let mut delta = Delta::<Feature>::default();
    for line in reader.lines() {
        let row: Updated = serde_json::from_str(&line.unwrap()).unwrap();
        let set = &sets[row.block.as_str()];
        let position = Position::from_fen(&row.fen).unwrap();
        let m = position.parse_uci(&row.played).unwrap();
        let next = position.after(m);
        let change = position.change(m);
        let (before, after) = (Scene::from(&position), Scene::from(&next));
        let step = Step { before: &before, after: &after, change: &change };
        let perspective = if row.perspective == "stm" { position.turn() } else { !position.turn() };
        set.delta(step, perspective, &mut delta);
        let counts = (delta.added.len(), delta.removed.len());
        assert_eq!(counts, (row.added, row.removed), "{} {} {}", row.block, row.fen, row.played);
        compared += 1;
    }
    assert_eq!(compared, 2707 * 9 * 2);
}
