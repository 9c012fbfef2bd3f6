//! The indices of the thesis's program are those of the sets of its blocks.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader};
use std::path::PathBuf;
use std::sync::Arc;

use chess::{Color, Position, Scene};
use features::{Delta, Feature, FeatureSet, Step};

use crate::foreign::thesis::BLOCKS;

fn fixture(name: &str) -> PathBuf {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join("../../../shared/reference/thesis_engine")
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
