//! Positions that each rule drops.

use super::*;
use crate::samples::candidate::CandidatePosition;
use chess::{Color, GameResult, Position, Score};

fn judge(filter: &Filter, candidate: &CandidatePosition<'_>) -> Option<DropRule> {
    filter.clone().open().unwrap().judge(candidate)
}

fn judge_move(filter: &Filter, fen: &str, uci: &str, score: Option<Score>) -> Option<DropRule> {
    let position = Position::from_fen(fen).unwrap();
    let candidate = CandidatePosition {
        position: &position,
        ply: Some(position.ply()),
        played: Some(position.parse_uci(uci).unwrap()),
        white_score: score,
        depth: None,
        result: Some(GameResult::Draw),
    };
    judge(filter, &candidate)
}

/// The verdict on a position with a score and a result, but without a move.
fn judge_listed(filter: &str, fen: &str, score: Score, result: GameResult) -> Option<DropRule> {
    let position = Position::from_fen(fen).unwrap();
    let candidate = CandidatePosition {
        position: &position,
        ply: Some(position.ply()),
        played: None,
        white_score: Some(score),
        depth: None,
        result: Some(result),
    };
    judge(&filter.parse().unwrap(), &candidate)
}

const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";

#[test]
fn each_rule_drops_what_it_names() {
    let capture = "4k3/8/8/3p4/4P3/8/8/4K3 w - - 0 20";
    let promotion = "8/P3k3/8/8/8/8/8/4K3 w - - 0 20";
    let check = "4k3/8/8/8/8/8/4r3/4K3 w - - 0 20";
    let cp = |n| Some(Score::Centipawns(n));
    let late = Filter { min_ply: 1, ..Filter::QUIET };
    let late = || late.clone();
    for (expected, filter, fen, uci, score) in [
        (None, Filter::QUIET, START, "e2e4", cp(-5_000)),
        (Some(DropRule::NoScore), Filter::QUIET, START, "e2e4", None),
        (Some(DropRule::NoScore), Filter::NONE, START, "e2e4", None),
        (Some(DropRule::LargeScore), Filter::QUIET, START, "e2e4", cp(-5_001)),
        (Some(DropRule::Mate), Filter::QUIET, START, "e2e4", Some(Score::Mate(9))),
        (None, Filter::NONE, START, "e2e4", Some(Score::Mate(9))),
        (Some(DropRule::EarlyPly), late(), START, "e2e4", cp(0)),
        (Some(DropRule::Tactical), late(), capture, "e4d5", cp(0)),
        (None, late(), capture, "e4e5", cp(0)),
        (Some(DropRule::Tactical), late(), promotion, "a7a8q", cp(0)),
        (None, Filter::NONE, promotion, "a7a8q", cp(0)),
        (Some(DropRule::InCheck), late(), check, "e1d1", cp(0)),
        (None, Filter { unscored: true, ..Filter::QUIET }, START, "e2e4", None),
        (Some(DropRule::NotChosen), Filter { keep: Share::NONE, ..late() }, capture, "e4e5", cp(0)),
    ] {
        assert_eq!(
            judge_move(&filter, fen, uci, score),
            expected,
            "{filter} {fen} {uci} {score:?}"
        );
    }
}

#[test]
fn what_is_not_known_is_not_guessed() {
    let position = Position::default();
    let nothing = CandidatePosition {
        position: &position,
        ply: None,
        played: None,
        white_score: None,
        depth: None,
        result: None,
    };
    let scored = CandidatePosition { white_score: Some(Score::Centipawns(3)), ..nothing };
    let unscored: Filter = Filter { unscored: true, ..Filter::QUIET };
    assert_eq!(judge(&unscored, &nothing), Some(DropRule::NoTarget));
    assert_eq!(judge(&unscored, &scored), None);
    let late = Filter { min_ply: 1, ..Filter::QUIET };
    assert_eq!(judge(&late, &scored), Some(DropRule::UnknownPly));
}

#[test]
fn positions_without_scores_need_results_alone() {
    let unscored: Filter = Filter { unscored: true, ..Filter::QUIET };
    assert!(unscored.check_targets(0.9).is_err());
    assert!(unscored.check_targets(1.0).is_ok());
    assert!(Filter::default().check_targets(0.0).is_ok());
}

#[test]
fn captures_are_judged_by_exchange() {
    let filter = "{ base = \"none\", winning_captures = false }";
    let level = Score::Centipawns(0);
    for (expected, fen) in [
        (None, START),
        // A pawn takes a defended knight, a rook takes a pawn that a pawn defends.
        (Some(DropRule::WinningCapture), "4k3/8/2p5/3n4/4P3/8/8/4K3 w - - 0 1"),
        (None, "4k3/8/2p5/3p4/8/8/3R4/4K3 w - - 0 1"),
        // Equal exchanges win nothing.
        (None, "4k3/8/2p5/3n4/8/2N5/8/4K3 w - - 0 1"),
        (Some(DropRule::WinningCapture), "4k3/P7/8/8/8/8/8/4K3 w - - 0 1"),
        // En passant, undefended.
        (Some(DropRule::WinningCapture), "4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1"),
    ] {
        assert_eq!(judge_listed(filter, fen, level, GameResult::Draw), expected, "{fen}");
    }
}

#[test]
fn improbable_results_are_dropped() {
    let filter = "{ upset = { max = 0.8, scale_cp = 200.0 } }";
    let (white, black) = (GameResult::Win(Color::White), GameResult::Win(Color::Black));
    let cp = Score::Centipawns;
    // White is promised 0.82 at 300 centipawns, 0.79 at 265.
    for (expected, score, result) in [
        (None, cp(300), white),
        (None, cp(300), GameResult::Draw),
        (Some(DropRule::Upset), cp(300), black),
        (None, cp(265), black),
        (Some(DropRule::Upset), cp(-300), white),
    ] {
        assert_eq!(judge_listed(filter, START, score, result), expected, "{score:?} {result:?}");
    }
    let filter = filter.replace("{ upset", "{ base = \"none\", upset");
    let judge = |result| judge_listed(&filter, START, Score::Mate(-3), result);
    assert_eq!([judge(black), judge(white)], [None, Some(DropRule::Upset)]);
}

#[test]
fn pieces_are_counted() {
    let filter = "{ min_pieces = 3, max_pieces = 4 }";
    for (expected, fen) in [
        (Some(DropRule::Pieces), "4k3/8/8/8/8/8/8/4K3 w - - 0 1"),
        (None, "4k3/p7/8/8/8/8/8/4K3 w - - 0 1"),
        (None, "4k3/p7/p7/8/8/8/8/4K3 w - - 0 1"),
        (Some(DropRule::Pieces), START),
    ] {
        let found = judge_listed(filter, fen, Score::Centipawns(0), GameResult::Draw);
        assert_eq!(found, expected, "{fen}");
    }
}

/// The share kept of the positions of random games, by a number that each of them has.
fn shares(
    filter: &str,
    class: impl Fn(&CandidatePosition<'_>) -> usize,
    classes: usize,
) -> Vec<f64> {
    let filter: Filter = filter.parse().unwrap();
    let mut seen = vec![(0u32, 0u32); classes];
    for seed in 0..400 {
        CandidatePosition::visit(&chess::random_game::random_game(seed, 120), |candidate| {
            let of_class = &mut seen[class(candidate)];
            of_class.0 += 1;
            of_class.1 += u32::from(filter.judge_ignoring_score(candidate).is_none());
        });
    }
    seen.into_iter().map(|(all, kept)| f64::from(kept) / f64::from(all)).collect()
}

#[test]
fn a_growing_share_is_kept_by_ply() {
    let filter = "{ base = \"none\", min_ply = 10, full_ply = 49 }";
    let kept = shares(filter, |candidate| (candidate.ply.unwrap() as usize / 10).min(6), 7);
    // A fortieth at ply 10, one more at every ply; 400 games of ten plies, some repeated.
    for (share, wanted) in kept.iter().zip([0.0, 0.1375, 0.3875, 0.6375, 0.8875, 1.0, 1.0]) {
        assert!((share - wanted).abs() < 0.05, "{kept:?}");
    }
}

#[test]
fn shares_are_kept_by_phase() {
    let filter = "{ base = \"none\", keep_by_phase = [0.2, 0.9, 0, 1] }";
    let class =
        |candidate: &CandidatePosition<'_>| chess::phase(candidate.position.board()) as usize;
    // Phases 0 to 24 in four parts: 0–6, 7–12, 13–18, 19–24.
    let part = |phase: usize| phase * 4 / 25;
    let kept = shares(filter, |candidate| part(class(candidate)), 4);
    assert!((kept[0] - 0.2).abs() < 0.03 && (kept[1] - 0.9).abs() < 0.03, "{kept:?}");
    assert_eq!(kept[2..], [0.0, 1.0]);
}

#[test]
fn scores_are_held_against_a_net() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("net.oplus");
    nnue::bundled().save(&path).unwrap();
    let near =
        |max| Filter { static_gap: Some(StaticGap { net: path.clone(), max }), ..Filter::QUIET };
    let fens = [START, "4k3/8/8/8/8/8/4P3/4K3 b - - 0 1", "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1"];
    for fen in fens {
        let position = Position::from_fen(fen).unwrap();
        let own = nnue::bundled().evaluate(&(&position).into(), position.turn());
        let white = |own: i32| if position.turn().is_white() { own } else { -own };
        let judge = |filter: &Filter, own| {
            let filter = filter.to_string();
            judge_listed(&filter, fen, Score::Centipawns(white(own)), GameResult::Draw)
        };
        assert_eq!(judge(&near(30), own + 30), None, "{fen}");
        assert_eq!(judge(&near(30), own - 30), None, "{fen}");
        assert_eq!(judge(&near(30), own + 31), Some(DropRule::StaticGap), "{fen}");
        assert_eq!(judge(&near(30), own - 31), Some(DropRule::StaticGap), "{fen}");
    }
    let mate = Filter { max_score: None, ..near(30) };
    let found = judge_listed(&mate.to_string(), START, Score::Mate(1), GameResult::Draw);
    assert_eq!(found, Some(DropRule::StaticGap));
    let missing =
        Filter { static_gap: Some(StaticGap { net: "no.oplus".into(), max: 1 }), ..near(0) };
    assert!(missing.open().unwrap_err().to_string().contains("no.oplus"));
}
