//! Impossible features never occur, and the rules find known ones.

use proptest::prelude::*;

use super::expressions::expression;
use super::laws::{STARTS, random_game};
use crate::catalogue::CATALOGUE;
use crate::{Feature, FeatureSet, Possibilities};
use chess::{Color, Position, Scene};

fn check_seen(set: &FeatureSet, possible: &Possibilities, position: &Position) {
    for perspective in Color::ALL {
        let mut active: Vec<Feature> = Vec::new();
        set.active(&Scene::from(position), perspective, &mut active);
        for feature in active {
            assert!(
                possible.is_possible(feature.0),
                "{}: `{}` holds of {position}",
                set.expression(),
                set.describe(feature)
            );
        }
    }
}

#[test]
fn nothing_impossible_is_ever_seen_in_a_named_set() {
    for named in &*CATALOGUE {
        let set = FeatureSet::parse(named.name).unwrap();
        let possible = Possibilities::of(set.expr());
        for start in 0..STARTS.len() {
            for seed in 0..4 {
                let game = random_game(start, seed, 150);
                game.iter().for_each(|(position, _)| check_seen(&set, &possible, position));
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 192, ..ProptestConfig::default() })]

    #[test]
    fn nothing_impossible_is_ever_seen(text in expression(), start in 0..STARTS.len(), seed: u64) {
        let set = FeatureSet::parse(&text).unwrap();
        let possible = Possibilities::of(set.expr());
        for (position, _) in random_game(start, seed, 80).iter().step_by(3) {
            check_seen(&set, &possible, position);
        }
    }
}

/// Counted by hand from the rules of the game.
#[test]
fn the_rules_are_known() {
    // Where two kings may stand: the ordered pairs of squares apart, not adjacent.
    let kings = 64 * 63 - 420;
    // A pawn on one of 48 squares, the own king on another.
    let pawn_and_king = 48 * 63;
    let king_all = 64 + 8 * 64 * 63 + 2 * pawn_and_king + kings;
    for (text, impossible) in [
        // Two kinds of pawns on two ranks of eight squares.
        ("ALL", 32),
        ("H", 0),
        ("V", 4),
        ("KING", 0),
        ("MB", 32),
        ("ATTACKS", 32),
        // A pawn stands on no back rank: of 144 pairs 100 are left there. No
        // side has two kings.
        ("PH", 2 * 44 + 8 * 2),
        ("PV", 8 * 2),
        ("KING-ALL", 64 * 768 - king_all),
        ("HALF-KP", 64 * 640 - 8 * 64 * 63 - 2 * pawn_and_king),
        // The king of the plane is the own one, or the other side's.
        ("HALF-KA-V2", 64 * 704 - 64 - 8 * 64 * 63 - 2 * pawn_and_king - kings),
        ("mirror(KING)", 32),
        ("mirror(KING) * KING", 64 * 64 - 64),
        // Both sides see the same file, or its mirror image.
        ("mirror(piece(FILES * {own king}))", 4),
        ("piece(FILES * {own king}) * piece(FILES * {own king})", 64 - 8),
        ("king_offset(FILE_STEPS * {own king})", 14),
        ("king_offset(FILE_STEPS * RANK_STEPS * {other king})", 9),
        ("pair({1, 8} * {own pawn} * PIECES)", 24),
        // b1 and a2, or alone on a1: the kings would be adjacent, or one.
        ("pair(DIAGS1{0, 1} * {own king} * {other king})", 2),
        ("threat(PIECES * PIECES)", 4),
        ("both(SQUARES * {pawn} * COLORS)", 0),
        ("material(BANDS(32))", 1),
        ("phase(BANDS(32))", 32 - 25),
        ("halfmoves(BANDS(50))", 0),
        ("QUEENS", 0),
        ("piece({own pawn} * RANKS * COUNTS(1))", 2),
        // A square is one square: 2 and 3 can never be, for each of 12 kinds, nor 1
        // behind the pawns of either side.
        ("attacks(SQUARES * PIECES * COUNTS(3))", 64 * 12 * 2 + 32),
        // From a corner a king attacks 3, from an edge 5, from elsewhere 8.
        ("attacks({king} * COUNTS(8) * COLORS)", 2 * 6),
        ("piece({own king} * COUNTS(2))", 2),
        ("piece({own queen} * COUNTS(12))", 3),
        ("piece(RANKS * {own pawn} * COUNTS(8))", 2 * 8),
        ("mobility({king, knight} * COUNTS(8) * COLORS)", 0),
        ("MC", 0),
        // h8 is not on file a.
        ("piece({a, b} * {a1, h8} * COUNTS(1))", 3),
        ("castling(COLORS * WINGS) * piece(RANKS * {own king})", 2 * 7),
        ("en_passant({own}) * piece({e5} * {own rook})", 0),
        ("en_passant({e} * {own}) * piece({e5} * {own rook, other pawn})", 1),
        ("PHASE * piece({a1} * {own pawn})", 1),
        ("rows(ALL, [0, 300, 700])", 1),
        ("PINS", 2 * 16),
        ("pinned(SQUARES * {king} * COLORS)", 2 * 64),
        ("HANGING", 16),
        ("PASSED", 0),
        ("attackers({e4} * {own king} * COUNTS(2))", 1),
        // From a corner a knight goes to two squares.
        ("moves({a1} * {own knight} * COUNTS(3))", 1),
        ("piece({a1, b2} * {own pawn}) / [0, 1]", 1),
        ("any(x : {a1, b2}, piece(x * {own pawn, own rook}))", 0),
        // The own king is in files e to h: 210 of its steps, two sides, three kinds anywhere and
        // pawns on 174; or attacked there, by 1,624 steps of either side.
        ("FULL-THREATS", 2 * (3 * 210 + 174) + 2 * 1_624),
    ] {
        let set = FeatureSet::parse(text).unwrap();
        let counted = Possibilities::of(set.expr()).count_impossible(0..set.size());
        assert_eq!(counted, Some(impossible), "{text}");
    }
}
