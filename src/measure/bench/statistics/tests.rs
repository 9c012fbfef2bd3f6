//! The counts against the thesis's own program, and of searches.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader};
use std::path::PathBuf;
use std::sync::atomic::AtomicBool;

use super::*;
use engine::Evaluator;
use features::Names;
use nnue_tools::foreign::thesis::BLOCKS;

/// All blocks of the thesis's program as one set, in the order of [`BLOCKS`].
fn thesis_set() -> Arc<FeatureSet> {
    let mut names = Names::catalogue();
    BLOCKS.iter().for_each(|(name, text)| names.define(name.to_uppercase(), *text));
    let sum: Vec<String> = BLOCKS.iter().map(|(name, _)| name.to_uppercase()).collect();
    FeatureSet::compile(&sum.join(" + "), &names).unwrap()
}

fn fixture(name: &str) -> PathBuf {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join("../../../shared/reference/thesis_engine")
        .join(name);
    assert!(path.exists(), "this test needs {} beside the checkout", path.display());
    path
}

fn summary(positions: &[Position]) -> Summary {
    let stop = AtomicBool::new(false);
    let (frequencies, legal) =
        count_positions(&thesis_set(), positions, &mut |_| {}, &stop).unwrap();
    Summary::new(&frequencies, &legal, None)
}

#[derive(serde::Deserialize)]
struct Line {
    fen: String,
    #[serde(default)]
    features: BTreeMap<String, BTreeMap<String, Vec<u32>>>,
}

/// Means of added and removed rows per legal move, as the thesis's program
/// has them on these positions (`README.md` beside them, section 1).
const MEANS: [(&str, f64, f64); 9] = [
    ("ALL", 1.008, 1.088),
    ("H", 0.649, 0.702),
    ("V", 0.653, 0.640),
    ("D1", 0.789, 0.884),
    ("D2", 0.778, 0.839),
    ("PH", 0.997, 1.063),
    ("PV", 1.010, 0.994),
    ("MB", 6.731, 7.616),
    ("MC", 2.719, 2.719),
];

#[test]
#[ignore = "needs ../shared; CI runs it with --ignored"]
fn rows_per_legal_move_are_those_of_the_thesis_program() {
    let file = std::fs::File::open(fixture("thesis_updates.jsonl.zst")).unwrap();
    let mut fens: Vec<String> = BufReader::new(zstd::Decoder::new(file).unwrap())
        .lines()
        .map(|line| serde_json::from_str::<Line>(&line.unwrap()).unwrap().fen)
        .collect();
    fens.dedup();
    let positions: Vec<Position> =
        fens.iter().map(|fen| Position::from_fen(fen).unwrap()).collect();
    let summary = summary(&positions);
    assert_eq!((summary.positions, summary.legal_moves), (100, 2707));
    for (block, (name, added, removed)) in summary.blocks.iter().zip(MEANS) {
        let mover = block.legal.mover;
        let rounded = |mean: f64| (mean * 1e3).round() / 1e3;
        assert_eq!(block.name, name);
        assert_eq!((rounded(mover.added), rounded(mover.removed)), (added, removed), "{name}");
        assert_eq!(block.legal.both.refreshes, 0.0);
    }
}

#[test]
#[ignore = "needs ../shared; CI runs it with --ignored"]
fn mean_active_features_are_those_of_the_thesis_program() {
    let file = std::fs::File::open(fixture("thesis_evals.jsonl")).unwrap();
    let lines: Vec<Line> = BufReader::new(file)
        .lines()
        .map(|line| serde_json::from_str(&line.unwrap()).unwrap())
        .collect();
    let positions: Vec<Position> =
        lines.iter().map(|line| Position::from_fen(&line.fen).unwrap()).collect();
    let summary = summary(&positions);
    assert_eq!(summary.positions, 400);
    for (block, (name, _)) in summary.blocks.iter().zip(BLOCKS) {
        let lists = lines.iter().flat_map(|line| line.features[name].values());
        let total: usize = lists.map(Vec::len).sum();
        assert!((block.active - total as f64 / 800.0).abs() < 1e-9, "{name}");
    }
    assert_eq!(summary.blocks[0].activity.impossible, Some(32));
}

#[test]
fn figures_of_blocks_add_up() {
    let summary = summary(&[Position::default()]);
    assert_eq!((summary.legal_moves, summary.searched_moves), (20, 0));
    let all = &summary.blocks[0];
    assert_eq!((all.active, all.legal.both.rows), (32.0, 2.0));
    assert_eq!(all.activity.never_active, 768 - 32);
    assert_eq!(all.activity.impossible, Some(32));
    let total = &summary.total;
    assert_eq!(total.size, summary.blocks.iter().map(|block| block.size).sum::<usize>());
    let rows: f64 = summary.blocks.iter().map(|block| block.legal.both.rows).sum();
    assert!((total.legal.both.rows - rows).abs() < 1e-9);
    for block in summary.blocks.iter().chain([total]) {
        let bars: usize = block.activity.histogram.iter().map(|bar| bar.features).sum();
        assert_eq!(bars, block.size);
    }
}

/// Positions with castling, promotions and checks at hand.
const ROOTS: [&str; 3] = [
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
    "n1n5/PPPk4/8/8/8/8/4Kppp/5N1N b - - 0 1",
    "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
];

fn roots() -> Vec<Position> {
    ROOTS.iter().map(|fen| Position::from_fen(fen).unwrap()).collect()
}

#[test]
fn a_watched_evaluation_counts_every_move_it_is_shown() {
    let set = FeatureSet::parse("ALL + KING-ALL + PH + EN-PASSANT").unwrap();
    let (mut watched, counted) = Watched::new(set.clone());
    let mut expected = MoveCounts::new(set);
    for root in roots() {
        watched.reset(&root);
        for m in root.legal_moves() {
            let after = root.after(m);
            watched.push(&root, m, &after);
            record_legal_moves(&mut expected, &after);
            for reply in after.legal_moves() {
                watched.push(&after, reply, &after.after(reply));
                watched.pop();
            }
            if let Some(passed) = after.after_null() {
                watched.push_null(&passed);
                watched.pop();
            }
            watched.pop();
        }
        record_legal_moves(&mut expected, &root);
    }
    let counted = counted.so_far();
    assert!(counted.moves() > 2_000);
    assert_eq!(counted.parts(), expected.parts());
    assert_eq!(counted.whole(), expected.whole());
}

#[test]
fn searches_are_counted_and_repeat() {
    let set = FeatureSet::parse("H + KING-ALL").unwrap();
    let stop = AtomicBool::new(false);
    let mut progress = Vec::new();
    let mut search = |nodes| {
        count_searches(&set, &roots(), nodes, &mut |done| progress.push(done), &stop).unwrap()
    };
    let (counts, again) = (search(400), search(400));
    assert_eq!((counts.parts(), counts.whole()), (again.parts(), again.whole()));
    // Every node but the root's is a move or a pass.
    assert!((600..=1_200).contains(&counts.moves()), "{}", counts.moves());
    let (of_h, king_all) = (counts.parts()[0].both(), counts.parts()[1].both());
    assert!(of_h.refreshes == 0 && of_h.mean_rows() > 1.0);
    assert!(king_all.refreshes > 0 && king_all.mean_rows() > 2.0);
    assert_eq!(progress, [3, 3]);
}

#[test]
fn a_raised_flag_stops_the_count() {
    let set = FeatureSet::parse("H").unwrap();
    let stop = AtomicBool::new(true);
    assert!(count_positions(&set, &roots(), &mut |_| {}, &stop).is_none());
    assert!(count_searches(&set, &roots(), 100, &mut |_| {}, &stop).is_none());
}
