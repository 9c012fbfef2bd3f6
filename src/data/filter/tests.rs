//! What each rule drops.

use super::*;
use crate::GameResult;
use chess::Position;

fn judge(filter: Filter, fen: &str, uci: &str, white_score: Option<Score>) -> Option<DropRule> {
    let position = Position::from_fen(fen).unwrap();
    filter.judge(&Candidate {
        position: &position,
        ply: Some(position.ply()),
        played: Some(position.parse_uci(uci).unwrap()),
        white_score,
        result: Some(GameResult::Draw),
    })
}

const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";

#[test]
fn each_rule_drops_what_it_names() {
    let capture = "4k3/8/8/3p4/4P3/8/8/4K3 w - - 0 20";
    let promotion = "8/P3k3/8/8/8/8/8/4K3 w - - 0 20";
    let check = "4k3/8/8/8/8/8/4r3/4K3 w - - 0 20";
    let cp = |n| Some(Score::Centipawns(n));
    let late = Filter { min_ply: 1, ..Filter::QUIET };
    for (expected, filter, fen, uci, score) in [
        (None, Filter::QUIET, START, "e2e4", cp(-5_000)),
        (Some(DropRule::NoScore), Filter::QUIET, START, "e2e4", None),
        (Some(DropRule::NoScore), Filter::NONE, START, "e2e4", None),
        (Some(DropRule::LargeScore), Filter::QUIET, START, "e2e4", cp(-5_001)),
        (Some(DropRule::Mate), Filter::QUIET, START, "e2e4", Some(Score::Mate(9))),
        (None, Filter::NONE, START, "e2e4", Some(Score::Mate(9))),
        (Some(DropRule::EarlyPly), late, START, "e2e4", cp(0)),
        (Some(DropRule::Tactical), late, capture, "e4d5", cp(0)),
        (None, late, capture, "e4e5", cp(0)),
        (Some(DropRule::Tactical), late, promotion, "a7a8q", cp(0)),
        (None, Filter::NONE, promotion, "a7a8q", cp(0)),
        (Some(DropRule::InCheck), late, check, "e1d1", cp(0)),
        (None, Filter { unscored: true, ..Filter::QUIET }, START, "e2e4", None),
        (Some(DropRule::NotChosen), Filter { keep: Share::NONE, ..late }, capture, "e4e5", cp(0)),
    ] {
        assert_eq!(judge(filter, fen, uci, score), expected, "{filter} {fen} {uci} {score:?}");
    }
}

#[test]
fn what_is_not_known_is_not_guessed() {
    let position = Position::default();
    let nothing =
        Candidate { position: &position, ply: None, played: None, white_score: None, result: None };
    let scored = Candidate { white_score: Some(Score::Centipawns(3)), ..nothing };
    let unscored = Filter { unscored: true, ..Filter::QUIET };
    assert_eq!(unscored.judge(&nothing), Some(DropRule::NoTarget));
    assert_eq!(unscored.judge(&scored), None);
    let late = Filter { min_ply: 1, ..Filter::QUIET };
    assert_eq!(late.judge(&scored), Some(DropRule::UnknownPly));
}

#[test]
fn positions_without_scores_need_results_alone() {
    let unscored = Filter { unscored: true, ..Filter::QUIET };
    assert!(unscored.check_targets(0.9).is_err());
    assert!(unscored.check_targets(1.0).is_ok());
    assert!(Filter::QUIET.check_targets(0.0).is_ok());
}
