//! Lines of both notations, good and bad.

use std::path::PathBuf;

use proptest::prelude::*;

use super::*;
use crate::formats::entry::{EntryReader, GameReader};
use chess::random_game::random_game;

const KINGS: &str = "4k3/8/8/8/8/8/8/4K3";

fn scored(line: &str) -> Result<ListedPosition, BadEntry> {
    decode_scored_text(line.as_bytes(), 7)
}

fn epd(line: &str) -> Result<ListedPosition, BadEntry> {
    decode_epd(line.as_bytes(), 7)
}

#[test]
fn scored_text_is_seen_by_white_whoever_moves() {
    let listed = scored(&format!("{KINGS} b - - 3 38 | -237 | 0.0\r\n")).unwrap();
    assert_eq!(listed.position.fen(), format!("{KINGS} b - - 3 38"));
    assert_eq!(listed.ply, Some(75));
    assert_eq!(listed.white_score, Some(Score::Centipawns(-237)));
    assert_eq!(listed.result, Some(GameResult::Win(Color::Black)));
}

#[test]
fn scores_beyond_evaluations_are_what_they_are_elsewhere() {
    let score = |text: &str| scored(&format!("{KINGS} w - - | {text} | 0.5")).unwrap().white_score;
    assert_eq!(score("32002"), None);
    assert_eq!(score("-31995"), Some(Score::Mate(-5)));
    assert_eq!(score("100000"), Some(Score::Centipawns(100_000)));
    assert_eq!(score("+12"), Some(Score::Centipawns(12)));
}

#[test]
fn without_counters_there_is_no_ply() {
    assert_eq!(scored(&format!("{KINGS} b - - | 0 | 0.5")).unwrap().ply, None);
    assert_eq!(epd(&format!("{KINGS} b - - 3 38")).unwrap().ply, None);
}

#[test]
fn results_in_every_notation() {
    for (texts, expected) in [
        (["1.0", "1", "1-0"], GameResult::Win(Color::White)),
        (["0.5", "1/2", "1/2-1/2"], GameResult::Draw),
        (["0.0", "0", "0-1"], GameResult::Win(Color::Black)),
    ] {
        for text in texts {
            let line = scored(&format!("{KINGS} w - -|0|{text}\n")).unwrap();
            assert_eq!(line.result, Some(expected), "{text}");
            let line = epd(&format!("{KINGS} w - - id \"c9 x;\"; c9 \"{text}\";")).unwrap();
            assert_eq!((line.result, line.white_score), (Some(expected), None), "{text}");
        }
    }
}

#[test]
fn an_epd_need_not_have_a_result() {
    // Test suites keep other things in c9.
    for operations in ["", " bm Kd7;", " c9 \"e8d7 e8e7\";", " c9;", " # a comment", " c9 \"1-0\""]
    {
        let line = format!("{KINGS} b - -{operations}");
        let expected = operations.contains("1-0").then_some(GameResult::Win(Color::White));
        assert_eq!(epd(&line).unwrap().result, expected, "{line}");
    }
}

#[test]
fn a_line_that_may_be_cut_gives_no_other_result() {
    let cut = |bad: Result<ListedPosition, BadEntry>| bad.unwrap_err().defect;
    let fen = format!("{KINGS} w - - 0 1");
    for points in ["0", "1"] {
        assert_eq!(cut(scored(&format!("{fen} | 12 | {points}"))), Defect::CutShort);
        assert!(scored(&format!("{fen} | 12 | {points}\n")).is_ok());
        assert_eq!(cut(epd(&format!("{KINGS} w - - c9 {points}"))), Defect::CutShort);
    }
    for operand in ["\"", "\"1", "\"1/2", "\"1/2-1/2"] {
        assert_eq!(cut(epd(&format!("{KINGS} w - - c9 {operand}"))), Defect::CutShort, "{operand}");
    }
    for text in ["8/8/8/8/8/8/8/K1k5", "8/8/8/8/8/8/8/K1k5 w", "8/8/8/8/8/8/8/K1k5 w -"] {
        let bad = epd(text).unwrap_err();
        assert!(bad.to_string().contains("not a whole position"), "{bad}");
    }
}

#[test]
fn bad_lines_say_what_was_found_and_what_is_expected() {
    let two_kings = format!("{KINGS} w - - 0 1");
    for (line, defect, part) in [
        ("hello", Defect::Malformed, "expected `FEN | score | result`, found `hello`"),
        ("a | b", Defect::Malformed, "found `a | b`"),
        ("a | b | c | d", Defect::Malformed, "found `a | b | c | d`"),
        ("8/8 w - - | 1 | 0.5", Defect::Position, "not a legal position: `8/8 w - -`"),
        (&format!("{two_kings} | 0.3 | 0.5"), Defect::Malformed, "score is `0.3`; expected whole"),
        (&format!("{two_kings} | | 0.5"), Defect::Malformed, "score is ``"),
        (&format!("{two_kings} | 3 | 2"), Defect::Malformed, "result is `2`; expected `1.0`"),
    ] {
        let bad = scored(line).unwrap_err();
        assert_eq!(bad.defect, defect, "{line}");
        assert!(bad.to_string().starts_with("line 7: ") && bad.detail.contains(part), "{bad}");
    }
    assert_eq!(epd("8/8/8/8/8/8/8/8 w - -").unwrap_err().defect, Defect::Position);
    assert_eq!(decode_epd(b"\xff", 7).unwrap_err().defect, Defect::Malformed);
}

fn file(content: &[u8]) -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("list.epd");
    std::fs::write(&path, content).unwrap();
    (folder, path)
}

/// Places of the bad lines, and the number of good ones.
fn read(content: &[u8]) -> (usize, Vec<String>) {
    let (_folder, path) = file(content);
    let mut reader = EntryReader::open(&path).unwrap();
    assert!(!reader.format().has_games());
    let (mut good, mut bad) = (0, Vec::new());
    while let Some(batch) = reader.next_batch(|_| ()).unwrap() {
        for line in batch {
            line.map_or_else(|e| bad.push(e.bad.place), |()| good += 1);
        }
    }
    (good, bad)
}

#[test]
fn lines_keep_their_numbers() {
    let good = format!("{KINGS} w - -");
    let text = format!("\u{feff}{good}\r\n\r\n# comment\n  \n{good}\nbad\n{good}");
    assert_eq!(read(text.as_bytes()), (3, vec!["line 6".to_owned()]));
    assert_eq!(read(b""), (0, vec![]));
    assert_eq!(read(b"\n\n# nothing"), (0, vec![]));
}

#[test]
fn a_file_without_line_ends_is_one_bad_line() {
    let mut content = vec![b'x'; 3 << 20];
    assert_eq!(read(&content), (0, vec!["line 1".to_owned()]));
    content.extend_from_slice(format!("\n{KINGS} w - -\n").as_bytes());
    assert_eq!(read(&content), (1, vec!["line 1".to_owned()]));
}

#[test]
fn a_list_is_no_file_of_games() {
    let (_folder, path) = file(format!("{KINGS} w - -\n").as_bytes());
    let error = GameReader::open(&path).err().unwrap().to_string();
    assert!(error.contains("list.epd` (EPD) is a list of positions; games are needed"), "{error}");
}

/// The position after some random moves.
fn random_position(seed: u64, plies: usize) -> Position {
    let game = random_game(seed, plies);
    game.moves.iter().fold(game.start, |position, m| position.after(m.played))
}

proptest! {
    #[test]
    fn what_is_written_is_read_back(
        seed in any::<u64>(), plies in 0usize..60, cp in -30_999i32..=30_999, points in 0usize..3,
    ) {
        let position = random_position(seed, plies);
        let fen = position.fen();
        let (text, pgn) = [("0.0", "0-1"), ("0.5", "1/2-1/2"), ("1.0", "1-0")][points];
        let result = result(pgn);
        let listed = scored(&format!("{fen} | {cp} | {text}")).unwrap();
        prop_assert_eq!(listed.position.fen(), fen.clone());
        prop_assert_eq!(listed.ply, Some(position.ply()));
        prop_assert_eq!(listed.white_score, Some(Score::Centipawns(cp)));
        prop_assert_eq!(listed.result, result);

        let fields: Vec<&str> = fen.split(' ').take(4).collect();
        let listed = epd(&format!("{} c9 \"{pgn}\";", fields.join(" "))).unwrap();
        prop_assert_eq!(listed.position.key(), position.key());
        prop_assert_eq!(listed.result, result);
    }

    #[test]
    fn damage_never_panics(
        seed in any::<u64>(), at in any::<prop::sample::Index>(), bytes in any::<[u8; 3]>(),
    ) {
        let mut line = format!("{} | 12 | 0.5 c9 \"1-0\";", random_position(seed, 20)).into_bytes();
        let at = at.index(line.len() - 2);
        line[at..at + 3].copy_from_slice(&bytes);
        let _ = (decode_scored_text(&line, 1), decode_epd(&line, 1));
    }

    #[test]
    fn noise_never_panics(line in any::<Vec<u8>>()) {
        let _ = (decode_scored_text(&line, 1), decode_epd(&line, 1));
    }
}
