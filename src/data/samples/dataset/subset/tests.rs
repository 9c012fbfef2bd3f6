//! The rule itself on made-up ranks, then on files.

use std::path::Path;

use bytemuck::Zeroable;
use proptest::prelude::*;

use super::*;
use crate::samples::dataset::tests::{mixed, random_games, run, spec};
use crate::samples::dataset::{DataSpec, Dataset};
use crate::samples::mixture::{Ingredient, Weight};

/// Ranks of entries, some of them equal, their files and their numbers of samples.
fn entries() -> impl Strategy<Value = Vec<(u64, usize, usize)>> {
    prop::collection::vec((0u64..30, 0usize..3, 0usize..6), 0..80)
}

/// Samples that all differ.
fn samples(number: usize, count: usize) -> Vec<Sample> {
    let sample = |ply| Sample { score: number as i16, played: ply as u8, ..Sample::zeroed() };
    (0..count).map(sample).collect()
}

/// The samples of a subset, and their number in each file.
fn chosen(
    entries: &[(u64, usize, usize)],
    wanted: usize,
    spare: usize,
    scratch: &Scratch,
) -> (Vec<Sample>, Vec<usize>) {
    let mut subset = Subset::with_spare(wanted, spare, scratch).unwrap();
    let mut held = scratch.spill().unwrap();
    for (number, &(rank, file, count)) in entries.iter().enumerate() {
        subset.offer(rank, file, &samples(number, count), &mut held).unwrap();
        assert!(held.len() <= wanted + spare + 5, "{} are held", held.len());
    }
    let Chosen { of_files, left_out } = subset.finish(3, &mut held).unwrap();
    let offered: usize = entries.iter().map(|(_, _, count)| count).sum();
    assert_eq!(left_out as usize, offered - held.len());
    (held.with(|held| held.to_vec()).unwrap(), of_files)
}

/// The same from all of them at once.
fn expected(entries: &[(u64, usize, usize)], wanted: usize) -> (Vec<Sample>, Vec<usize>) {
    let (mut left, mut kept, mut of_files) = (wanted, vec![0; entries.len()], vec![0; 3]);
    let mut order: Vec<usize> = (0..entries.len()).collect();
    order.sort_by_key(|&number| entries[number].0);
    for number in order {
        kept[number] = entries[number].2.min(left);
        left -= kept[number];
        of_files[entries[number].1] += kept[number];
    }
    (
        kept.iter().enumerate().flat_map(|(number, &count)| samples(number, count)).collect(),
        of_files,
    )
}

proptest! {
    #[test]
    fn the_lowest_ranks_are_chosen_however_little_is_held(
        entries in entries(),
        wanted in 0usize..200,
        spare in 0usize..40,
    ) {
        for scratch in [Scratch::Memory, Scratch::Folder(std::env::temp_dir())] {
            prop_assert_eq!(chosen(&entries, wanted, spare, &scratch), expected(&entries, wanted));
        }
    }
}

fn limited(spec: &DataSpec, limit: u64) -> Dataset {
    run(&DataSpec { limit: Some(limit), ..spec.clone() }).unwrap()
}

/// Whether these samples stand in the same order among those.
fn is_part(some: &[Sample], all: &[Sample]) -> bool {
    let mut all = all.iter();
    some.iter().all(|sample| all.any(|other| other == sample))
}

#[test]
fn smaller_numbers_are_parts_of_larger_and_validate_on_the_same() {
    let folder = tempfile::tempdir().unwrap();
    let mixed = mixed(&folder);
    let all = run(&mixed).unwrap();
    let total = all.train.len() as u64;
    assert!(total > 500 && all.validation.len() > 100, "{all}");
    let mut larger = all.clone();
    for limit in [total - 1, 500, 333, 100, 7, 1] {
        let some = limited(&mixed, limit);
        assert_eq!((some.train.len() as u64, some.left_out), (limit, total - limit));
        assert!(is_part(&some.train, &larger.train), "{limit}");
        assert_eq!(some.validation, all.validation);
        assert_eq!((&some.games, &some.listed), (&all.games, &all.listed));
        larger = some;
    }
}

#[test]
fn games_are_taken_whole_but_for_one() {
    let folder = tempfile::tempdir().unwrap();
    let path = random_games(&folder, "a.vf", 0..60);
    let alone: Vec<Vec<Sample>> = (0..60)
        .map(|seed| random_games(&folder, &format!("{seed}.vf"), seed..seed + 1))
        .filter_map(|path| run(&DataSpec { validation: 0.0, ..spec(&path) }).ok())
        .map(|data| data.train.to_vec())
        .collect();
    let some = limited(&DataSpec { validation: 0.0, ..spec(&path) }, 400);
    let (mut rest, mut cut, mut whole) = (&some.train[..], 0, 0);
    for game in &alone {
        let taken = game.iter().zip(rest).take_while(|(a, b)| a == b).count();
        // All games may begin alike.
        let Some(behind) = rest.get(taken..).filter(|_| taken > 1) else { continue };
        cut += usize::from(taken < game.len());
        whole += usize::from(taken == game.len());
        rest = behind;
    }
    assert!(rest.is_empty() && cut <= 1 && whole > 5, "{cut} cut, {whole} whole, {rest:?}");
}

#[test]
fn as_many_as_there_are_change_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let mixed = mixed(&folder);
    let all = run(&mixed).unwrap();
    for limit in [all.train.len() as u64, 1 << 40, u64::MAX] {
        let same = limited(&mixed, limit);
        assert_eq!(same, all);
        assert_eq!(same.hash(), all.hash());
    }
}

#[test]
fn neither_threads_nor_names_matter() {
    let folder = tempfile::tempdir().unwrap();
    let mut mixed = mixed(&folder);
    let hash = |spec: &DataSpec, threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| limited(spec, 300).hash())
    };
    let one = hash(&mixed, 1);
    assert_eq!(one, hash(&mixed, 5));
    for (number, file) in mixed.train.iter_mut().enumerate() {
        let ending = file.path.extension().unwrap().to_str().unwrap();
        let path = folder.path().join(format!("{}.{ending}", 9 - number));
        std::fs::rename(&file.path, &path).unwrap();
        *file = Ingredient::new(path);
    }
    assert_eq!(one, hash(&mixed, 2));
}

#[test]
fn the_order_of_files_chooses_nothing_else() {
    let folder = tempfile::tempdir().unwrap();
    let [a, b] = [0..40, 40..80]
        .map(|seeds| Ingredient::new(random_games(&folder, &format!("{}.vf", seeds.start), seeds)));
    let sorted = |train: Vec<Ingredient>| {
        let mut samples = limited(&DataSpec { train, ..spec(Path::new("")) }, 500).train.to_vec();
        samples.sort_unstable_by_key(|sample| *bytemuck::cast_ref::<_, [u8; 32]>(sample));
        samples
    };
    assert_eq!(sorted(vec![a.clone(), b.clone()]), sorted(vec![b, a]));
}

#[test]
fn the_same_game_twice_counts_twice() {
    let folder = tempfile::tempdir().unwrap();
    let path = random_games(&folder, "a.vf", 0..30);
    let once = spec(&path);
    let twice = DataSpec { train: vec![Ingredient::new(&path); 2], ..once.clone() };
    let total = run(&once).unwrap().train.len() as u64;
    for limit in [1, 50, 51, 200, total, 2 * total - 1] {
        let some = limited(&twice, limit);
        assert_eq!(some.train.len() as u64, limit);
        assert_eq!(some, limited(&twice, limit));
    }
    // Each sample is there twice, except those of the last game.
    let some = limited(&twice, 400);
    let mut counts = std::collections::HashMap::new();
    for sample in &some.train {
        *counts.entry(*bytemuck::cast_ref::<_, [u8; 32]>(sample)).or_insert(0) += 1;
    }
    let odd = counts.values().filter(|&&count| count % 2 == 1).count();
    assert!(odd <= 30, "{odd}");
}

#[test]
fn weights_stay_with_what_is_left_of_their_files() {
    let folder = tempfile::tempdir().unwrap();
    let half = Weight::try_from(0.5).unwrap();
    let mut train = [0..30, 30..60, 60..90]
        .map(|seeds| Ingredient::new(random_games(&folder, &format!("{}.vf", seeds.start), seeds)));
    let of = |train: &[Ingredient]| {
        limited(&DataSpec { train: train.to_vec(), ..spec(Path::new("")) }, 500)
    };
    let even = of(&train);
    train[1].weight = half;
    let data = of(&train);
    assert_eq!(data.train, even.train);
    let weights: Vec<Weight> = data.stretches.iter().map(|stretch| stretch.weight).collect();
    assert_eq!(weights, [Weight::ONE, half, Weight::ONE]);
    assert_eq!(data.stretches.iter().map(|stretch| stretch.samples).sum::<usize>(), 500);
    // Each stretch holds what its file holds.
    let mut rest = &data.train[..];
    for (stretch, file) in data.stretches.iter().zip(&train) {
        let (of_file, behind) = rest.split_at(stretch.samples);
        assert!(is_part(of_file, &run(&spec(&file.path)).unwrap().train));
        rest = behind;
    }
}

/// Validation games have the lowest hashes of all: ranks equal to those hashes would depend on the
/// validation share.
#[test]
fn ranks_are_independent_of_the_validation_set() {
    use crate::samples::split::Split;
    use chess::random_game::random_game;
    let half = Split::new(0.5).unwrap();
    let games: Vec<Entry> = (0..2_000).map(|seed| Entry::Game(random_game(seed, 12))).collect();
    let low = |game: &&Entry| rank(game) < u64::MAX / 2;
    let validating: Vec<&Entry> = games.iter().filter(|game| half.validates(game)).collect();
    let share = validating.iter().copied().filter(low).count() as f64 / validating.len() as f64;
    assert!((0.44..0.56).contains(&share), "{share}");
}
