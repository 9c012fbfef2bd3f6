//! Four laws, each over random expressions and random legal games.

use proptest::prelude::*;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::chess::{Color, Position, View};
use crate::features::{Delta, Feature, FeatureSet, Step, Update, oracle};

/// Starting points that bring castling, en passant, promotion and Chess960 soon.
const STARTS: [&str; 5] = [
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
    "n1n5/PPPk4/8/8/8/8/4Kppp/5N1N b - - 0 1",
    "rnbqkbnr/ppp1p1pp/8/3pPp2/8/8/PPPP1PPP/RNBQKBNR w KQkq f6 0 3",
    "1rqbkrbn/1ppppp1p/1n6/p1N3p1/8/2P4P/PP1PPPP1/1RQBKRBN w FBfb - 0 9",
];

fn place() -> impl Strategy<Value = &'static str> {
    prop_oneof![
        Just("SQUARES"),
        Just("FILES"),
        Just("RANKS"),
        Just("DIAGS1"),
        Just("DIAGS2"),
        Just("{d4, e4, d5, e5}"),
        Just("{h, a, d, e}"),
        Just("{7, 2}"),
        Just("FILES * RANKS"),
        Just("DIAGS2{7, 3, 14}"),
    ]
}

fn piece() -> impl Strategy<Value = &'static str> {
    prop_oneof![
        Just("PIECES"),
        Just("ROLES * {other, own}"),
        Just("(ROLES without {king}) * COLORS"),
        Just("{pawn, rook} * COLORS"),
        Just("COLORS * {queen, king}"),
    ]
}

fn line() -> impl Strategy<Value = &'static str> {
    prop_oneof![Just("FILES"), Just("RANKS"), Just("DIAGS1"), Just("DIAGS2"), Just("{c, f}")]
}

fn predicate() -> impl Strategy<Value = String> {
    prop_oneof![
        (place(), piece()).prop_map(|(place, piece)| format!("piece({place} * {piece})")),
        place().prop_map(|place| format!("piece({place} * COLORS)")),
        place().prop_map(|place| format!("piece({place})")),
        (piece(), place()).prop_map(|(piece, place)| format!("piece({piece} * {place})")),
        place().prop_map(|place| format!("king({place})")),
        (line(), piece(), piece()).prop_map(|(l, a, b)| format!("pair({l} * {a} * {b})")),
        (piece(), line(), piece()).prop_map(|(a, l, b)| format!("pair({a} * {l} * {b})")),
    ]
}

/// Random expressions small enough for the oracle to write out.
fn expression() -> impl Strategy<Value = String> {
    let tree = predicate().prop_recursive(3, 5, 2, |inner| {
        prop_oneof![
            (inner.clone(), inner.clone()).prop_map(|(a, b)| format!("{a} + {b}")),
            (inner.clone(), inner).prop_map(|(a, b)| format!("({a}) * ({b})")),
        ]
    });
    tree.prop_filter("small enough", |text| {
        FeatureSet::parse(text).is_ok_and(|set| set.size() <= 60_000)
    })
}

fn sorted(set: &FeatureSet, position: &Position, perspective: Color) -> Vec<Feature> {
    let mut active = Vec::new();
    set.active(position.board(), perspective, &mut active);
    active.sort_unstable();
    active
}

/// The positions of a random game, with the moves between them.
fn random_game(start: usize, seed: u64, plies: usize) -> Vec<(Position, crate::chess::Move)> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut position = Position::from_fen(STARTS[start]).unwrap();
    let mut game = Vec::new();
    for _ in 0..plies {
        let moves = position.legal_moves();
        if moves.is_empty() {
            break;
        }
        let m = moves[rng.random_range(0..moves.len())];
        game.push((position.clone(), m));
        position.play(m);
    }
    game
}

fn check_delta(set: &FeatureSet, position: &Position, m: crate::chess::Move) {
    let next = position.after(m);
    let change = position.change(m);
    let step = Step { before: position.board(), after: next.board(), change: &change };
    for perspective in Color::ALL {
        let mut delta = Delta::default();
        if set.delta(step, perspective, &mut delta) == Update::Refresh {
            assert!(change.moves_king_of(perspective), "only a king move of one's own refreshes");
            continue;
        }
        let mut active = sorted(set, position, perspective);
        for feature in &delta.removed {
            let at = active.iter().position(|f| f == feature);
            active.remove(at.expect("a removed feature was active"));
        }
        for feature in &delta.added {
            assert!(!active.contains(feature), "an added feature was not active");
            active.push(*feature);
        }
        active.sort_unstable();
        assert_eq!(active, sorted(set, &next, perspective), "{} {position}", set.expression());
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    /// Law 1: sizes add and multiply; active features are distinct, within
    /// the size and within the stated maximum.
    #[test]
    fn sizes_and_bounds(a in expression(), b in expression(), start in 0..STARTS.len(), seed: u64) {
        let (set_a, set_b) = (FeatureSet::parse(&a).unwrap(), FeatureSet::parse(&b).unwrap());
        // The only reason to refuse the sum of two good sets is its bound on active features.
        prop_assume!(set_a.max_active() + set_b.max_active() <= 4096);
        let sum = FeatureSet::parse(&format!("{a} + {b}")).unwrap();
        prop_assert_eq!(sum.size(), set_a.size() + set_b.size());
        if let Ok(product) = FeatureSet::parse(&format!("({a}) * ({b})")) {
            prop_assert_eq!(product.size(), set_a.size() * set_b.size());
        }
        for (position, _) in random_game(start, seed, 20) {
            for perspective in Color::ALL {
                let active = sorted(&sum, &position, perspective);
                prop_assert!(active.windows(2).all(|w| w[0] < w[1]), "duplicates in {}", sum.expression());
                prop_assert!(active.iter().all(|f| (f.0 as usize) < sum.size()));
                prop_assert!(active.len() <= sum.max_active());
            }
        }
    }

    /// Law 2: the active features are what the definitions say.
    #[test]
    fn active_is_what_the_definitions_say(text in expression(), start in 0..STARTS.len(), seed: u64) {
        let set = FeatureSet::parse(&text).unwrap();
        let game = random_game(start, seed, 40);
        for (position, _) in game.iter().step_by(10) {
            for perspective in Color::ALL {
                let holds = oracle::holds(set.expr(), &View::new(position.board(), perspective));
                prop_assert_eq!(holds.len(), set.size());
                let expected: Vec<Feature> =
                    (0..).zip(holds).filter(|(_, h)| *h).map(|(i, _)| Feature(i)).collect();
                prop_assert_eq!(sorted(&set, position, perspective), expected, "{}", position);
            }
        }
    }

    /// Law 3: a position seen by White is its colour-flipped twin seen by Black.
    #[test]
    fn colours_are_symmetric(text in expression(), start in 0..STARTS.len(), seed: u64) {
        let set = FeatureSet::parse(&text).unwrap();
        for (position, _) in random_game(start, seed, 20) {
            let twin = position.board().clone().into_mirrored();
            let mut seen = Vec::new();
            set.active(&twin, Color::Black, &mut seen);
            seen.sort_unstable();
            prop_assert_eq!(sorted(&set, &position, Color::White), seen);
        }
    }

    /// Law 4: active before − removed + added = active after, every legal move.
    #[test]
    fn deltas_lead_to_the_next_position(text in expression(), start in 0..STARTS.len(), seed: u64) {
        let set = FeatureSet::parse(&text).unwrap();
        let game = random_game(start, seed, 60);
        for (position, m) in &game {
            check_delta(&set, position, *m);
        }
        for (position, _) in game.iter().step_by(30) {
            for m in position.legal_moves() {
                check_delta(&set, position, m);
            }
        }
    }

    /// The canonical text reads back as the same set.
    #[test]
    fn canonical_text_reads_back(text in expression()) {
        let set = FeatureSet::parse(&text).unwrap();
        let again = FeatureSet::parse(set.canonical()).unwrap();
        prop_assert_eq!(again.canonical(), set.canonical());
        prop_assert_eq!(again.expr(), set.expr());
        prop_assert_eq!(again.hash(), set.hash());
    }
}

#[test]
fn an_index_is_explained_in_words() {
    let describe =
        |text: &str, index: u32| FeatureSet::parse(text).unwrap().describe(Feature(index));
    let d4 = 27;
    assert_eq!(describe("ALL", d4 * 12 + 3 * 2), "own rook on d4");
    assert_eq!(describe("H + V", 96 + 3 * 12 + 1), "other pawn on rank 4");
    assert_eq!(describe("KING-ALL", 4 * 768), "own king on e1 and own pawn on a1");
    assert_eq!(describe("PV", 12 * 10 + 8), "own king next below own queen on file a");
}
