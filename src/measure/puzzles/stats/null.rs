//! Calibration of the tests of sets on puzzles, with trained nets.
//!
//! `null/solved.csv.zst` holds the outcomes of 96 nets on 5,500 puzzles of Lichess: twelve seeds
//! of six orders of one and the same set, and twelve of a net trained on scores and of one
//! trained to rank. Leads between orders are noise of seeds and puzzles. (On the few hundred
//! bundled puzzles the noise is so large that even a test that counts attempts as puzzles is
//! seldom wrong.)
//!
//!     SUITE='evaluation.puzzles={ file = "puzzles_bench.csv.zst", nodes = 1_000 }'
//!     oplus run experiments/null.toml --set "$SUITE"
//!     oplus run experiments/pqr.toml --set name=null-pqr --set "$SUITE" \
//!         --set evaluation.match=[] --set grid.seed=[1,2,3,4,5,6,7,8,9,10,11,12]
//!
//! A row is a net under one condition, its answers in hexadecimal, four puzzles a digit,
//! first puzzle first (`solved` in `oplus runs show RUN --json`).

use std::collections::BTreeMap;
use std::sync::LazyLock;

use rand::SeedableRng;
use rand::seq::index::sample;
use rand_chacha::ChaCha8Rng;

use super::{Crossed, Lead, leads};
use crate::puzzles::AttemptOutcome;

static SOLVED: LazyLock<String> = LazyLock::new(|| {
    let text = zstd::decode_all(&include_bytes!("null/solved.csv.zst")[..]).expect("zstd");
    String::from_utf8(text).expect("text")
});
const SEEDS: usize = 12;
const DRAWS: usize = 20;

/// Answers of the nets of one variant under one condition, by seed.
type Nets = Vec<Vec<AttemptOutcome>>;

/// The variants of an experiment, in the order of the file, under one condition.
fn variants(experiment: &str, condition: &str) -> Vec<Nets> {
    let mut order: Vec<&str> = Vec::new();
    let mut variants: BTreeMap<&str, Nets> = BTreeMap::new();
    for row in SOLVED.lines().skip(1) {
        let fields: Vec<&str> = row.split(';').collect();
        let [of, variant, _seed, setting, puzzles, solved] = fields[..] else { panic!("{row}") };
        if (of, setting) == (experiment, condition) {
            if !order.contains(&variant) {
                order.push(variant);
            }
            let puzzles = puzzles.parse().expect("a number");
            variants.entry(variant).or_default().push(outcomes(solved, puzzles));
        }
    }
    order.iter().filter_map(|variant| variants.remove(variant)).collect()
}

fn outcomes(hex: &str, puzzles: usize) -> Vec<AttemptOutcome> {
    let digits = hex.chars().map(|c| c.to_digit(16).expect("a hexadecimal digit"));
    let bits = digits.flat_map(|digit| (0..4).rev().map(move |bit| digit >> bit & 1 == 1));
    bits.take(puzzles)
        .map(|solved| AttemptOutcome { solved, ..AttemptOutcome::default() })
        .collect()
}

/// Leads of the other variants over the first, each with the nets of the same few seeds, as in an
/// experiment.
fn leads_over_first(variants: &[Nets], seeds: &[usize]) -> Vec<Lead> {
    let against = |variant: &Nets| {
        let nets: Vec<_> = seeds.iter().map(|&s| (&variant[s][..], &variants[0][s][..])).collect();
        Crossed::compare(&nets)
    };
    let crossed: Vec<Option<Crossed>> = variants[1..].iter().map(against).collect();
    leads(&crossed).into_iter().flatten().collect()
}

fn draws(seeds: usize) -> impl Iterator<Item = Vec<usize>> {
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    (0..DRAWS).map(move |_| sample(&mut rng, SEEDS, seeds).into_vec())
}

#[test]
fn the_file_holds_what_it_says() {
    for condition in ["one ply", "1000 nodes"] {
        for (experiment, sets) in [("null", 6), ("null-pqr", 2)] {
            let variants = variants(experiment, condition);
            assert_eq!(variants.len(), sets, "{experiment}");
            assert!(variants.iter().all(|nets| nets.len() == SEEDS), "{experiment}");
        }
    }
}

#[test]
fn equal_sets_seldom_come_out_unequal() {
    let (mut beyond, mut naive, mut rows) = (0, 0, 0);
    for condition in ["one ply", "1000 nodes"] {
        let variants = variants("null", condition);
        for lead in draws(3).flat_map(|seeds| leads_over_first(&variants, &seeds)) {
            beyond += usize::from(lead.p_value < 0.05);
            naive += usize::from(lead.counts.p_value() < 0.05);
            rows += 1;
        }
    }
    println!("{beyond} of {rows} rows beyond 5 %; with attempts taken for puzzles {naive}");
    assert!(beyond * 100 <= rows * 12, "{beyond} of {rows}");
    // Otherwise these nets and puzzles would not expose an unsound test.
    assert!(naive * 100 > rows * 12, "{naive} of {rows}");
}

#[test]
fn sets_that_differ_are_found() {
    for condition in ["one ply", "1000 nodes"] {
        let variants = variants("null-pqr", condition);
        let found = draws(3)
            .flat_map(|seeds| leads_over_first(&variants, &seeds))
            .filter(|lead| lead.p_value < 0.05 && lead.difference < 0.0);
        let found = found.count();
        println!("{condition}: found in {found} of {DRAWS}");
        assert!(found >= 18, "{condition}: {found}");
    }
}
