//! Named sets against python-chess: `python_chess/make.py` implements their definitions literally
//! and generated `positions.txt` from 2,000 positions.

use chess::{Color, Position, Scene};

use crate::{Feature, FeatureSet};

const POSITIONS: &str = include_str!("python_chess/positions.txt");

fn active(set: &FeatureSet, scene: &Scene, perspective: Color) -> Vec<u32> {
    let mut found: Vec<Feature> = Vec::new();
    set.active(scene, perspective, &mut found);
    let mut found: Vec<u32> = found.into_iter().map(|feature| feature.0).collect();
    found.sort_unstable();
    found
}

/// Features of one perspective, set by set.
fn lists(text: &str) -> Vec<Vec<u32>> {
    let list = |text: &str| text.split(' ').filter(|it| !it.is_empty()).map(number).collect();
    text.split('|').map(list).collect()
}

fn number(text: &str) -> u32 {
    text.parse().unwrap()
}

#[test]
fn python_chess_sees_the_same() {
    let mut lines = POSITIONS.lines();
    let names: Vec<&str> = lines.next().unwrap().trim_start_matches("# ").split('|').collect();
    let sets: Vec<_> = names.iter().map(|name| FeatureSet::parse(name).unwrap()).collect();
    assert_eq!(sets.len(), 9);
    let (mut positions, mut seen) = (0, vec![0; sets.len()]);
    for line in lines {
        let [fen, white, black] = line.split(';').collect::<Vec<_>>()[..] else { panic!("{line}") };
        let scene = Scene::from(&Position::from_fen(fen).unwrap());
        for (perspective, listed) in [(Color::White, lists(white)), (Color::Black, lists(black))] {
            assert_eq!(listed.len(), sets.len(), "{fen}");
            for (at, expected) in listed.iter().enumerate() {
                let found = active(&sets[at], &scene, perspective);
                assert_eq!(&found, expected, "{} of {fen}, seen by {perspective}", names[at]);
                seen[at] += found.len();
            }
        }
        positions += 1;
    }
    assert_eq!(positions, 2_000);
    assert!(seen.iter().all(|&seen| seen > 500), "{seen:?}");
}
