//! The king-relative models of Leorik, against values worked out by hand.

use crate::{Feature, FeatureSet, Weighted};
use chess::{Color, Position, Scene};

/// White: Kg1, Nf3, Pe4. Black: Kc8, Rd8. Phase points gone: 24 − 1 − 2 = 21.
const FEN: &str = "2kr4/8/8/8/4P3/5N2/8/6K1 w - - 0 1";

/// Terms of a position as a side sees it: scaled files and ranks of the own
/// and of the other king, and the phase.
struct Seen {
    own: (f32, f32),
    other: (f32, f32),
    phase: f32,
}

/// g1 is file 6, rank 0: 6 / 3.5 − 1 = 5/7 and −1. c8 is file 2, rank 7: −3/7
/// and 1.
const WHITE: Seen = Seen { own: (5.0 / 7.0, -1.0), other: (-3.0 / 7.0, 1.0), phase: 0.875 };
/// Black's board is turned over: the own king is on c1, the other on g8.
const BLACK: Seen = Seen { own: (-3.0 / 7.0, -1.0), other: (5.0 / 7.0, 1.0), phase: 0.875 };

/// The nine terms of a piece: 1, kf², kf, kr², kr, of², of, or², or.
fn nine(seen: &Seen) -> Vec<f32> {
    let king = |(file, rank): (f32, f32)| [file * file, file, rank * rank, rank];
    [vec![1.0], king(seen.own).to_vec(), king(seen.other).to_vec()].concat()
}

fn eighteen(seen: &Seen) -> Vec<f32> {
    let nine = nine(seen);
    let late = nine.iter().map(|term| term * seen.phase);
    nine.iter().copied().chain(late).collect()
}

fn fourteen(seen: &Seen) -> Vec<f32> {
    let Seen { own, other, phase } = *seen;
    let late = [1.0, own.0, own.1, other.0, other.1].map(|term| term * phase);
    nine(seen).into_iter().chain(late).collect()
}

/// Own pieces as indices of `SQUARES * ROLES * {own}`.
fn check(text: &str, terms: fn(&Seen) -> Vec<f32>) {
    let set = FeatureSet::parse(text).unwrap();
    let scene = Scene::from(&Position::from_fen(FEN).unwrap());
    let square = |name: &str| name.parse::<chess::Square>().unwrap() as u32;
    let white = [("e4", 0), ("f3", 1), ("g1", 5)];
    // d8 and c8 are d1 and c1 to Black.
    let black = [("d1", 3), ("c1", 5)];
    for (color, seen, pieces) in
        [(Color::White, WHITE, &white[..]), (Color::Black, BLACK, &black[..])]
    {
        let mut active: Vec<Weighted> = Vec::new();
        set.active(&scene, color, &mut active);
        active.sort_unstable_by_key(|entry| entry.feature);
        let mut expected: Vec<(u32, f32)> = Vec::new();
        for (term, value) in (0..).zip(terms(&seen)) {
            for &(at, role) in pieces {
                expected.push((term * 384 + square(at) * 6 + role, value));
            }
        }
        expected.sort_unstable_by_key(|&(index, _)| index);
        assert_eq!(active.len(), expected.len());
        for (entry, (index, value)) in active.iter().zip(expected) {
            assert_eq!(entry.feature, Feature(index), "{text}");
            let words = set.describe(entry.feature);
            assert!((entry.value - value).abs() < 1e-6, "{words}: {} not {value}", entry.value);
        }
    }
}

#[test]
fn eighteen_terms_have_the_values_worked_out_by_hand() {
    check("LEORIK-18", eighteen);
}

#[test]
fn fourteen_terms_have_the_values_worked_out_by_hand() {
    check("LEORIK-14", fourteen);
}

/// Some terms as plain numbers, as a check of the table.
#[test]
fn the_table_is_right() {
    let terms = eighteen(&WHITE);
    for (at, value) in
        [(0, 1.0), (1, 0.510_204), (2, 0.714_286), (4, -1.0), (6, -0.428_571), (11, 0.625)]
    {
        assert!((terms[at] - value).abs() < 1e-5, "term {at}: {}", terms[at]);
    }
}

#[test]
fn phase_runs_from_0_to_1() {
    let phase = |fen: &str| {
        let scene = Scene::from(&Position::from_fen(fen).unwrap());
        let mut active: Vec<Weighted> = Vec::new();
        FeatureSet::parse("PHASE").unwrap().active(&scene, Color::White, &mut active);
        active[0].value
    };
    assert_eq!(phase("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"), 0.0);
    assert_eq!(phase("4k3/8/8/8/8/8/8/4K3 w - - 0 1"), 1.0);
    assert_eq!(phase("4k3/pppp4/8/8/8/8/PPPP4/4K3 w - - 0 1"), 1.0);
}
