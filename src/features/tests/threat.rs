//! Attackers, targets and the comma between them.

use crate::{Feature, FeatureSet};
use chess::{Color, Position, Scene};

fn set(text: &str) -> std::sync::Arc<FeatureSet> {
    FeatureSet::parse(text).unwrap_or_else(|error| panic!("{text}: {error}"))
}

/// Active features of White, in words.
fn sees(text: &str, fen: &str) -> Vec<String> {
    let set = set(text);
    let mut active: Vec<Feature> = Vec::new();
    set.active(&Scene::from(&Position::from_fen(fen).unwrap()), Color::White, &mut active);
    active.sort_unstable();
    active.into_iter().map(|feature| set.describe(feature)).collect()
}

/// A knight on e4 and a pawn on d6, which it attacks.
const FORK: &str = "4k3/8/3p4/8/4N3/8/8/4K3 w - - 0 1";

#[test]
fn a_comma_says_whose_place_it_is() {
    assert_eq!(
        sees("threat(SQUARES * {own knight}, {other pawn})", FORK),
        ["own knight on e4 attacks other pawn"]
    );
    for target in ["{own knight}, SQUARES * {other pawn}", "{own knight} * SQUARES * {other pawn}"]
    {
        let values = sees(&format!("threat({target})"), FORK);
        assert_eq!(values, ["own knight attacks other pawn on d6"], "{target}");
    }
    assert_eq!(
        sees("threat(FILES * RANKS * ROLES, COLORS)", FORK)[..1],
        ["knight on file e on rank 4 attacks other piece"]
    );
    assert!(FeatureSet::parse("threat(SQUARES * {own knight} * {other pawn})").is_err());
    assert!(FeatureSet::parse("threat(ROLES * FILES * COLORS * PIECES)").is_err());
}

#[test]
fn a_set_has_one_canonical_text_with_or_without_comma() {
    for (with, without) in [
        ("threat(PIECES, PIECES)", "threat(PIECES * PIECES)"),
        ("threat(SQUARES * PIECES, SQUARES * PIECES)", "THREATS"),
        (
            "threat({own knight}, FILES * {other pawn})",
            "threat({own knight} * FILES * {other pawn})",
        ),
    ] {
        assert_eq!(set(with).canonical(), set(without).canonical());
    }
    let attackers = set("threat(FILES * {own knight}, {other pawn})");
    assert_eq!(attackers.canonical(), "threat(FILES * {own knight}, {other pawn})");
}

/// Every pair of squares and kinds that an empty board allows, with the exact set: a merged set has
/// one row for each class of these.
#[test]
fn merged_kinds_keep_no_rows_that_cannot_be() {
    let exact = set("THREATS");
    let merged = |kind: &str| kind.replace("own king", "king").replace("other king", "king");
    let mut classes: Vec<String> = (0..exact.size() as u32)
        .map(|index| exact.describe(Feature(index)).replace(" protects ", " attacks "))
        .map(|values| {
            let (attacker, target) = values.split_once(" attacks ").unwrap();
            format!("{} attacks {target}", merged(attacker))
        })
        .collect();
    classes.sort_unstable();
    classes.dedup();
    let merged = set("threat(SQUARES * (PIECES / ONE-KING) * SQUARES * PIECES)");
    assert_eq!(merged.size(), classes.len());
    assert!(merged.size() < exact.size());
    // Without squares every row was kept, and is.
    assert_eq!(set("threat((PIECES / ONE-KING) * PIECES)").size(), 132);
    assert_eq!(set("threat(FILES * (PIECES / ONE-KING) * FILES * PIECES)").size(), 8 * 11 * 96);
}

/// The order of Stockfish's `full_threats.cpp` (2025-11): attacker, its target's colour and role,
/// the attacker's square, the target's; of its 79,856 rows those that can be active.
#[test]
fn full_threats_stand_in_stockfishs_order() {
    use chess::{Bitboard, Piece, Role, Side, attacks};
    let set = set("FULL-THREATS");
    let targets = |role: Role| -> &[Role] {
        use Role::{Bishop, King, Knight, Pawn, Queen, Rook};
        match role {
            Pawn => &[Pawn, Knight, Rook],
            Knight | Queen => &[Pawn, Knight, Bishop, Rook, Queen, King],
            Bishop | Rook => &[Pawn, Knight, Bishop, Rook, King],
            King => &[Pawn, Knight, Bishop, Rook],
        }
    };
    let may_stand = |role: Role, square: chess::Square| {
        role != Role::Pawn || !Bitboard::BACKRANKS.contains(square)
    };
    let (mut rows, mut next) = (0, 0);
    for side in Side::ALL {
        for role in Role::ALL {
            let attacker = Piece { role, color: side.color(Color::White) };
            for target_side in Side::ALL {
                for &target in targets(role) {
                    for from in chess::Square::ALL {
                        if !may_stand(role, from) {
                            continue;
                        }
                        for to in attacks::attacks(from, attacker, Bitboard::EMPTY) {
                            rows += 1;
                            let enemies = target_side != side;
                            let twice = role == target && (enemies || role != Role::Pawn);
                            if twice && from < to || !may_stand(target, to) {
                                continue;
                            }
                            let word = |side: Side| ["own", "other"][side as usize];
                            let verb = ["protects", "attacks"][usize::from(enemies)];
                            let values = format!(
                                "{} {role:?} on {from} {verb} {} {target:?} on {to} (mirrored)",
                                word(side),
                                word(target_side)
                            );
                            assert_eq!(
                                set.describe(Feature(next)).to_lowercase(),
                                values.to_lowercase()
                            );
                            next += 1;
                        }
                    }
                }
            }
        }
    }
    assert_eq!((rows, next as usize), (79_856, set.size()));
}
