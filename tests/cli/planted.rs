//! Truth planted in labels, a net trained on them, and what `oplus screen` sees beside it.
//!
//! Labels are material, 25 centipawns for every passed pawn, 40 for a pair of bishops, and noise
//! of 60: real games, other scores.

use std::path::Path;
use std::sync::Arc;

use oplus::chess::{Color, Scene};
use oplus::data::{DataWriter, Game, GameReader, Score};
use oplus::discovery::Grammar;
use oplus::features::{Feature, FeatureSet};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::support::Workdir;

const BUNDLED: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/datasets/bootstrap.oarc");

const MATERIAL: [(&str, f64); 5] = [
    ("piece(SQUARES * {own pawn})", 100.0),
    ("piece(SQUARES * {own knight})", 300.0),
    ("piece(SQUARES * {own bishop})", 310.0),
    ("piece(SQUARES * {own rook})", 500.0),
    ("piece(SQUARES * {own queen})", 900.0),
];

const HIDDEN: [(&str, f64); 2] = [("PASSED", 25.0), ("piece({own bishop} * COUNTS(2){2})", 40.0)];

/// Names of candidates that contain the hidden feature.
const BLOCKS: [&str; 2] = ["BISHOP-PAIR", "PASSED"];

const NOISE_CP: f64 = 60.0;

/// What features of a side are worth.
struct Planted(Vec<(Arc<FeatureSet>, f64)>);

impl Planted {
    fn new(blocks: &[(&str, f64)]) -> Self {
        let parse = |&(text, cp): &(&str, f64)| (FeatureSet::parse(text).unwrap(), cp);
        Self(blocks.iter().map(parse).collect())
    }

    /// For White, without noise.
    fn of(&self, scene: &Scene) -> f64 {
        let mut active: Vec<Feature> = Vec::new();
        let mut seen = |set: &FeatureSet, perspective: Color| {
            active.clear();
            set.active(scene, perspective, &mut active);
            active.len() as f64
        };
        let worth = |(set, cp): &(Arc<FeatureSet>, f64)| {
            cp * (seen(set, Color::White) - seen(set, Color::Black))
        };
        self.0.iter().map(worth).sum()
    }

    /// The same games with these scores.
    fn relabelled(&self, mut game: Game, chance: &mut ChaCha8Rng) -> Game {
        let mut position = game.start.clone();
        for played in &mut game.moves {
            // Twelve uniform numbers make a normal one.
            let noise: f64 = (0..12).map(|_| chance.random_range(-0.5..0.5)).sum();
            let cp = self.of(&Scene::from(&position)) + NOISE_CP * noise;
            played.white_score = Some(Score::Centipawns(cp.round() as i32));
            position.play(played.played);
        }
        game
    }

    /// Writes the first games of the bundled ones.
    fn write(&self, games: usize, seed: u64, path: &Path) {
        let mut chance = ChaCha8Rng::seed_from_u64(seed);
        let mut reader = GameReader::open(Path::new(BUNDLED)).unwrap();
        let mut writer = DataWriter::create(path, Default::default()).unwrap();
        let mut left = games;
        while let Some(batch) = reader.next_batch(|game| game).unwrap() {
            for game in batch.into_iter().flatten().take(left) {
                left -= 1;
                writer.write_game(&self.relabelled(game, &mut chance)).unwrap();
            }
            if left == 0 {
                break;
            }
        }
        writer.finish().unwrap();
    }
}

/// What came of a candidate.
struct Row {
    name: String,
    gain: f64,
    q: f64,
}

/// Trains `ALL` on planted labels and screens candidates beside it, the best first.
fn screened(blocks: &[(&str, f64)], games: usize, seed: u64, candidates: &[String]) -> Vec<Row> {
    let work = Workdir::new();
    Planted::new(blocks).write(games, seed, &work.path().join("planted.viri"));
    let experiment = format!(
        r#"
name = "planted"
[grid]
features = ["ALL"]
layers = ["16 -> 1"]
seed = [{seed}]
[data]
train = ["planted.viri"]
validation = 0.1
[training]
epochs = 8
positions_per_epoch = 200_000
batch = 2_048
learning_rate = 5e-3
gamma = 0.7
[evaluation]
speed_rounds = 0
"#
    );
    std::fs::write(work.path().join("planted.toml"), experiment).unwrap();
    let trained = work.run(&["run", "planted.toml"]);
    assert_eq!(trained.code, 0, "{}", trained.err);
    let candidates = candidates.join(";");
    let data = ["--base", "planted:ALL", "--data", "planted.viri", "--csv", "found.csv"];
    let answer = work.run(&[&["screen", "--candidates", &candidates][..], &data].concat());
    assert_eq!(answer.code, 0, "{}", answer.err);
    let mut sheet = csv::Reader::from_path(work.path().join("found.csv")).unwrap();
    let row = |record: csv::StringRecord| Row {
        name: record[0].to_owned(),
        gain: record[3].parse().unwrap(),
        q: record[7].parse().unwrap(),
    };
    sheet.records().map(|record| row(record.unwrap())).collect()
}

/// Candidates without the hidden feature.
fn others(count: usize) -> Vec<String> {
    let contains = ["PASSED", "BISHOP-PAIR", "pair", "both", "COUNTS", "pawn"];
    let base = FeatureSet::parse("ALL").unwrap();
    let all = Grammar::named("default").unwrap().beside(&base, 2_000).into_iter();
    let names = all.map(|candidate| candidate.name);
    names.filter(|name| !contains.iter().any(|word| name.contains(word))).take(count).collect()
}

fn what_is_planted_comes_first(games: usize, seeds: std::ops::Range<u64>, count: usize) {
    let blocks = [&MATERIAL[..], &HIDDEN].concat();
    let mut candidates = others(count);
    candidates.extend(BLOCKS.map(str::to_owned));
    for seed in seeds {
        let found = screened(&blocks, games, seed, &candidates);
        let mut first: Vec<&str> = found[..2].iter().map(|row| row.name.as_str()).collect();
        first.sort_unstable();
        let rows: Vec<(&str, f64)> =
            found[..4].iter().map(|row| (row.name.as_str(), row.gain)).collect();
        println!("seed {seed}: {rows:?}");
        assert_eq!(first, BLOCKS, "seed {seed}: {rows:?}");
        assert!(found[..2].iter().all(|row| row.q <= 0.05), "seed {seed}: {rows:?}");
    }
}

#[test]
fn what_is_planted_comes_out_first_beside_a_trained_net() {
    what_is_planted_comes_first(1_500, 1..2, 10);
}

#[test]
#[ignore = "minutes long; run by .ci/long"]
fn what_is_planted_comes_out_first_among_fifty_beside_ten_trained_nets() {
    what_is_planted_comes_first(3_000, 1..11, 52);
}

/// In 20 seeds at 5 %, three or fewer false discoveries.
#[test]
#[ignore = "minutes long; run by .ci/long"]
fn where_nothing_is_planted_little_is_found_beside_trained_nets() {
    let candidates = others(52);
    let wrong: Vec<(u64, String)> = (1..21)
        .filter_map(|seed| {
            let found = screened(&MATERIAL, 2_000, seed, &candidates);
            let best = &found[0];
            println!("seed {seed}: {} gains {} (q {})", best.name, best.gain, best.q);
            let wrong = found.into_iter().find(|row| row.q <= 0.05)?;
            Some((seed, format!("{} {}", wrong.name, wrong.gain)))
        })
        .collect();
    assert!(wrong.len() <= 3, "{wrong:?}");
}
