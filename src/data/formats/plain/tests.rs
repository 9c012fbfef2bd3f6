//! Round trips, damage, and records of other programs.

use std::path::Path;

use proptest::prelude::*;

use super::*;
use crate::formats::archive::Layout;
use crate::formats::entry::GameReader;
use crate::formats::writer::{DataWriter, LeftOut, Written};
use chess::random_game::random_game;

fn file_of(path: &Path, games: &[Game]) -> Written {
    let mut writer = DataWriter::create(path, Layout::default()).unwrap();
    games.iter().for_each(|game| writer.write_game(game).unwrap());
    writer.finish().unwrap()
}

fn read(text: &str) -> Vec<Result<Game, BadEntry>> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.plain");
    std::fs::write(&path, text).unwrap();
    read_file(&path)
}

fn read_file(path: &Path) -> Vec<Result<Game, BadEntry>> {
    let (mut reader, mut found) = (GameReader::open(path).unwrap(), Vec::new());
    while let Some(batch) = reader.next_batch(|game| game).unwrap() {
        found.extend(batch);
    }
    found
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn games_are_read_back(seed: u64, plies in 1usize..120, packed: bool) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(if packed { "a.plain.zst" } else { "a.plain" });
        let games: Vec<Game> = (0..3).map(|i| random_game(seed ^ i, plies)).collect();
        let written = file_of(&path, &games);
        prop_assert_eq!((written.games, written.left_out.total()), (3, 0));
        let found = read_file(&path);
        prop_assert_eq!(found.len(), games.len());
        for (found, game) in found.iter().zip(&games) {
            let found = found.as_ref().unwrap();
            prop_assert_eq!(found.start.fen(), game.start.fen());
            prop_assert_eq!((&found.moves, found.result), (&game.moves, game.result));
        }
    }

    #[test]
    fn damage_never_panics(seed: u64, at in any::<prop::sample::Index>(), byte: u8) {
        let mut text = Vec::new();
        encode(&random_game(seed, 20), &mut text).unwrap();
        let at = at.index(text.len());
        text[at] = byte;
        decode(&text, 1);
    }

    #[test]
    fn noise_never_panics(bytes: Vec<u8>) {
        decode(&bytes, 1);
        read(&String::from_utf8_lossy(&bytes));
    }
}

/// Two positions of a game and one of another, as Stockfish's tools write them.
const RECORDS: &str = "\
fen rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1
move e2e4
score 31
ply 0
result 1
e
fen rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1
move e7e5
score -25
ply 1
result -1
e
fen 4k3/8/8/8/8/8/8/4K2R w K - 3 40
move e1g1
score 32002
ply 78
result 0
e
";

#[test]
fn records_that_follow_each_other_are_a_game() {
    for text in [RECORDS.to_owned(), RECORDS.replace('\n', "\r\n"), format!("\u{feff}\n{RECORDS}")]
    {
        let found: Vec<Game> = read(&text).into_iter().map(Result::unwrap).collect();
        let [open, late] = &found[..] else { panic!("{found:?}") };
        let scores: Vec<_> = open.moves.iter().map(|m| m.white_score).collect();
        assert_eq!(scores, [31, 25].map(|cp| Some(Score::Centipawns(cp))));
        assert_eq!(open.result, Some(GameResult::Win(chess::Color::White)));
        assert_eq!((late.start.ply(), late.moves[0].white_score), (78, None));
        assert!(late.moves[0].played.is_castle());
        let mut again = Vec::new();
        found.iter().for_each(|game| encode(game, &mut again).unwrap());
        assert_eq!(String::from_utf8(again).unwrap(), RECORDS);
    }
}

#[test]
fn words_may_stand_in_any_order_and_others_are_passed_over() {
    let text = "result 0\nscore 5\nnodes 800\nmove e2e4\n\nfen rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1\ne\n";
    let found = decode(text.as_bytes(), 1);
    assert_eq!(found[0].as_ref().unwrap().moves[0].white_score, Some(Score::Centipawns(5)));
}

#[test]
fn a_bad_record_costs_itself() {
    for (from, to, defect, message) in [
        ("move e7e5", "move e7e4", Defect::IllegalMove, "line 8: "),
        ("score -25", "score high", Defect::Malformed, "line 9: the score is `high`, expected"),
        ("ply 1\n", "ply one\n", Defect::Malformed, "line 10: the ply is `one`, expected"),
        (
            "result -1",
            "result 2",
            Defect::Malformed,
            "line 11: the result is `2`, expected 1 (won)",
        ),
        (
            "result -1\n",
            "",
            Defect::Malformed,
            "line 11: the record that ends here has no line `result`",
        ),
        ("PPPP1PPP/RNBQKBNR b", "PPPP1PPP/RNBQKBN b", Defect::Position, "line 7: "),
    ] {
        assert!(RECORDS.contains(from), "{from}");
        let found = read(&RECORDS.replace(from, to));
        let [Ok(_), Err(bad), Ok(_)] = &found[..] else { panic!("{to}: {found:?}") };
        assert_eq!(bad.defect, defect, "{bad}");
        assert!(bad.to_string().starts_with(message), "{bad}");
    }
    let cut = RECORDS.strip_suffix("e\n").unwrap();
    let found = read(cut);
    let Some(Err(bad)) = found.last() else { panic!("{found:?}") };
    assert_eq!(bad.to_string(), "line 17: the record has no end (a line `e`)");
}

#[test]
fn games_without_a_result_are_left_out() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.plain");
    let game = random_game(1, 10);
    let unfinished = Game { result: None, ..game.clone() };
    let unplayed = Game { moves: Vec::new(), ..game.clone() };
    let written = file_of(&path, &[unfinished, unplayed, game]);
    assert_eq!((written.games, written.left_out.count(LeftOut::Game)), (1, 2));
    assert!(written.left_out.first()[0].contains("it has no result, which `.plain` cannot hold"));
}
