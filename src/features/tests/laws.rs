//! Four laws, each over random expressions and random legal games.

use std::collections::BTreeSet;

use proptest::prelude::*;
use proptest::test_runner::TestRunner;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::expressions::expression;
use super::oracle;
use crate::catalogue::CATALOGUE;
use crate::{Delta, Feature, FeatureSet, RefreshCause, Step, Update, Weighted};
use chess::{BoardChange, Color, Piece, Position, Role, Scene, Square, View};

/// Starting points that bring castling, en passant, promotion, Chess960 and the end of the half-move
/// clock soon.
pub(crate) const STARTS: [&str; 6] = [
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
    "n1n5/PPPk4/8/8/8/8/4Kppp/5N1N b - - 0 1",
    "rnbqkbnr/ppp1p1pp/8/3pPp2/8/8/PPPP1PPP/RNBQKBNR w KQkq f6 0 3",
    "1rqbkrbn/1ppppp1p/1n6/p1N3p1/8/2P4P/PP1PPPP1/1RQBKRBN w FBfb - 0 9",
    "4k2q/8/1q6/3r4/8/5Q2/1R6/4K2Q w - - 71 120",
];

/// Active features with their values, in index order.
fn sorted(set: &FeatureSet, scene: &Scene, perspective: Color) -> Vec<Weighted> {
    let mut active: Vec<Weighted> = Vec::new();
    set.active(scene, perspective, &mut active);
    active.sort_unstable_by_key(|entry| entry.feature);
    active
}

/// The positions of a random game, with the moves between them.
pub(crate) fn random_game(start: usize, seed: u64, plies: usize) -> Vec<(Position, chess::Move)> {
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

/// The same scene with the colours exchanged: flipped top to bottom.
fn color_flipped(scene: &Scene) -> Scene {
    let en_passant = scene.en_passant().map(|(square, _)| square.flip_vertical());
    let board = scene.board().clone().into_mirrored();
    Scene::new(board, scene.castling_rooks().flip_vertical(), en_passant)
        .with_halfmoves(scene.halfmoves())
}

/// The same scene in a mirror: files a and h exchanged.
fn file_flipped(scene: &Scene) -> Scene {
    let mut board = scene.board().clone();
    board.flip_horizontal();
    let en_passant = scene.en_passant().map(|(square, _)| Square::flip_horizontal(square));
    Scene::new(board, scene.castling_rooks().flip_horizontal(), en_passant)
        .with_halfmoves(scene.halfmoves())
}

/// Whether the king of `color` moves: the mover is the first piece removed.
fn moves_king_of(change: &BoardChange, color: Color) -> bool {
    change.removed.first().is_some_and(|p| p.piece == Piece { color, role: Role::King })
}

/// Whether a move can be this cause. Not every such move is one: the king may stay in its bucket.
fn may_be(cause: RefreshCause, change: &BoardChange, perspective: Color) -> bool {
    let captures = change.removed.len() > change.added.len();
    let promotes = change.added.iter().any(|p| p.piece.role != Role::Pawn)
        && change.removed.iter().any(|p| p.piece.role == Role::Pawn);
    match cause {
        RefreshCause::OwnKing | RefreshCause::Mirror => moves_king_of(change, perspective),
        RefreshCause::EnemyKing => moves_king_of(change, !perspective),
        RefreshCause::Material => captures,
        RefreshCause::Phase | RefreshCause::Count(_) => captures || promotes,
        // Every move changes the clock.
        RefreshCause::Halfmoves => true,
    }
}

fn check_delta(set: &FeatureSet, position: &Position, m: chess::Move) {
    check_step(set, position, &position.after(m), &position.change(m));
}

/// A null move changes the half-move clock and en passant.
fn check_null(set: &FeatureSet, position: &Position) {
    if let Some(passed) = position.after_null() {
        check_step(set, position, &passed, &BoardChange::default());
    }
}

fn check_step(set: &FeatureSet, position: &Position, next: &Position, change: &BoardChange) {
    let (before, after) = (Scene::from(position), Scene::from(next));
    let step = Step { before: &before, after: &after, change };
    for perspective in Color::ALL {
        let mut delta = Delta::<Weighted>::default();
        let update = set.delta(step, perspective, &mut delta);
        let because: BTreeSet<RefreshCause> =
            set.parts().flat_map(|part| part.refreshed_by(step, perspective)).collect();
        assert_eq!(
            update == Update::Refresh,
            !because.is_empty(),
            "{}: {because:?}",
            set.expression()
        );
        if update == Update::Refresh {
            let causes = set.refresh_causes();
            assert!(because.is_subset(&causes), "{}: {because:?}", set.expression());
            assert!(
                causes.iter().any(|&cause| may_be(cause, change, perspective)),
                "{}: a refresh without a cause",
                set.expression()
            );
            continue;
        }
        let mut active = sorted(set, &before, perspective);
        for gone in &delta.removed {
            let at = active.iter().position(|entry| entry == gone);
            let at = at.unwrap_or_else(|| {
                panic!("{}: {gone:?} was not active in {position}", set.expression())
            });
            active.remove(at);
        }
        for come in &delta.added {
            assert!(
                !active.iter().any(|entry| entry.feature == come.feature),
                "{}: {come:?} was active in {position}",
                set.expression()
            );
            active.push(*come);
        }
        active.sort_unstable_by_key(|entry| entry.feature);
        assert_eq!(active, sorted(set, &after, perspective), "{} {position}", set.expression());
    }
}

fn check_values(set: &FeatureSet, position: &Position) {
    let scene = Scene::from(position);
    for perspective in Color::ALL {
        let values = oracle::values(set.expr(), View::new(&scene, perspective));
        assert_eq!(values.len(), set.size());
        let expected: Vec<Weighted> = (0..)
            .zip(values)
            .filter_map(|(i, value)| Some(Weighted { feature: Feature(i), value: value? }))
            .collect();
        let active = sorted(set, &scene, perspective);
        // Products of values may be taken in another order.
        let same = |(a, b): (&Weighted, &Weighted)| {
            a.feature == b.feature && (a.value - b.value).abs() <= 1e-5 * b.value.abs()
        };
        assert!(
            active.len() == expected.len() && active.iter().zip(&expected).all(same),
            "{} {position} {perspective}:\n{active:?}\n{expected:?}",
            set.expression()
        );
    }
}

/// The four laws, and the mirror's, of one expression in one game.
fn check_laws(text: &str, start: usize, seed: u64, plies: usize) {
    let set = FeatureSet::parse(text).unwrap();
    let game = random_game(start, seed, plies);
    let mirrored = FeatureSet::parse(&format!("mirror({text})")).unwrap();
    for (ply, (position, m)) in game.iter().enumerate() {
        let scene = Scene::from(position);
        let active = sorted(&set, &scene, Color::White);
        assert!(active.windows(2).all(|w| w[0].feature < w[1].feature), "duplicates in {text}");
        assert!(active.iter().all(|entry| (entry.feature.0 as usize) < set.size()));
        assert!(active.len() <= set.max_active(), "{text}: too many active in {position}");
        assert_eq!(active, sorted(&set, &color_flipped(&scene), Color::Black), "{text} {position}");
        let turned = file_flipped(&scene);
        for perspective in Color::ALL {
            assert_eq!(
                sorted(&mirrored, &scene, perspective),
                sorted(&mirrored, &turned, perspective),
                "mirror({text}) {position}"
            );
        }
        if ply % 25 == 0 {
            check_values(&set, position);
        }
        check_delta(&set, position, *m);
        check_null(&set, position);
    }
    for (position, _) in game.iter().step_by(50) {
        position.legal_moves().into_iter().for_each(|m| check_delta(&set, position, m));
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 192, ..ProptestConfig::default() })]

    #[test]
    fn the_laws_hold(text in expression(), start in 0..STARTS.len(), seed: u64) {
        check_laws(&text, start, seed, 60);
    }

    /// Sizes add and multiply.
    #[test]
    fn sizes_add_and_multiply(a in expression(), b in expression()) {
        let (set_a, set_b) = (FeatureSet::parse(&a).unwrap(), FeatureSet::parse(&b).unwrap());
        if let Ok(sum) = FeatureSet::parse(&format!("{a} + {b}")) {
            prop_assert_eq!(sum.size(), set_a.size() + set_b.size());
        }
        if let Ok(product) = FeatureSet::parse(&format!("({a}) * ({b})")) {
            prop_assert_eq!(product.size(), set_a.size() * set_b.size());
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

/// On all cores, each with its share of the expressions.
#[test]
#[ignore = "minutes long; run by .ci/long"]
fn the_laws_hold_for_two_thousand_expressions() {
    let cores = std::thread::available_parallelism().map_or(1, usize::from) as u32;
    let config = ProptestConfig { cases: 2_000u32.div_ceil(cores), ..ProptestConfig::default() };
    let check = |(text, start, seed): (String, usize, u64)| {
        check_laws(&text, start, seed, 200);
        Ok(())
    };
    std::thread::scope(|scope| {
        for _ in 0..cores {
            scope.spawn(|| {
                let strategy = (expression(), 0..STARTS.len(), any::<u64>());
                let held = TestRunner::new(config.clone()).run(&strategy, check);
                held.unwrap_or_else(|error| panic!("{error}"));
            });
        }
    });
}

#[test]
fn every_named_set_obeys_the_laws() {
    for named in &*CATALOGUE {
        let oracle_can = FeatureSet::parse(named.name).unwrap().size() <= 60_000;
        for start in 0..STARTS.len() {
            let game = random_game(start, 7, 60);
            let set = FeatureSet::parse(named.name).unwrap();
            game.iter().for_each(|(position, m)| check_delta(&set, position, *m));
            if oracle_can {
                check_values(&set, &game[game.len() - 1].0);
            }
        }
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
