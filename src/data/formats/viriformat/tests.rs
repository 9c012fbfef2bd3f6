//! Round trips, damage, and the published crate as reference.

use std::path::{Path, PathBuf};

use proptest::prelude::*;

use super::terminated::MOVE_BYTES;
use super::*;
use crate::defect::{BadEntry, Defect};
use crate::error::DataError;
use crate::formats::archive::Layout;
use crate::formats::entry::GameReader;
use crate::formats::writer::{DataWriter, LeftOut};
use chess::random_game::random_game;
use chess::{Game, Score};

fn write(path: &Path, games: &[Game]) {
    let mut writer = DataWriter::create(path, Layout::default()).unwrap();
    for game in games {
        writer.write_game(game).unwrap();
    }
    assert_eq!(writer.written().games, games.len() as u64);
    assert!(!path.exists(), "seen before it was finished");
    writer.finish().unwrap();
}

fn read(path: &Path) -> Result<Vec<Result<Game, BadEntry>>, DataError> {
    let mut reader = GameReader::open(path)?;
    let mut games = Vec::new();
    while let Some(batch) = reader.next_batch(|game| game)? {
        games.extend(batch);
    }
    Ok(games)
}

fn file(folder: &tempfile::TempDir, name: &str) -> PathBuf {
    folder.path().join(name)
}

fn assert_same(a: &Game, b: &Game) {
    assert_eq!(a.start.fen(), b.start.fen());
    assert_eq!(a.moves, b.moves);
    assert_eq!(a.result, b.result);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn games_are_read_back(seed in any::<u64>(), plies in 0usize..120, packed in any::<bool>()) {
        let folder = tempfile::tempdir().unwrap();
        let path = file(&folder, if packed { "a.vf.zst" } else { "a.vf" });
        let games: Vec<Game> = (0..3).map(|i| random_game(seed ^ i, plies)).collect();
        write(&path, &games);
        let read = read(&path).unwrap();
        prop_assert_eq!(read.len(), games.len());
        for (read, game) in read.iter().zip(&games) {
            assert_same(read.as_ref().unwrap(), game);
        }
    }

    #[test]
    fn damage_never_panics(seed in any::<u64>(), at in any::<prop::sample::Index>(), byte in any::<u8>()) {
        let folder = tempfile::tempdir().unwrap();
        let path = file(&folder, "a.vf");
        write(&path, &[random_game(seed, 40), random_game(seed ^ 1, 40)]);
        let mut bytes = std::fs::read(&path).unwrap();
        let at = at.index(bytes.len());
        bytes[at] = byte;
        std::fs::write(&path, &bytes).unwrap();
        let _ = read(&path);
    }
}

#[test]
fn a_file_cut_anywhere_keeps_its_whole_games() {
    let folder = tempfile::tempdir().unwrap();
    let path = file(&folder, "a.vf");
    let games: Vec<Game> = (0..3).map(|seed| random_game(seed, 20)).collect();
    write(&path, &games);
    let bytes = std::fs::read(&path).unwrap();
    let ends: Vec<usize> = games
        .iter()
        .scan(0, |end, game| {
            *end += HEADER_BYTES + MOVE_BYTES * (game.moves.len() + 1);
            Some(*end)
        })
        .collect();
    assert_eq!(ends.last(), Some(&bytes.len()));
    for cut in 0..bytes.len() {
        std::fs::write(&path, &bytes[..cut]).unwrap();
        let read = read(&path).unwrap();
        let whole = ends.iter().filter(|end| **end <= cut).count();
        for (read, game) in read.iter().zip(&games[..whole]) {
            assert_same(read.as_ref().unwrap(), game);
        }
        let between_games = cut == 0 || ends.contains(&cut);
        assert_eq!(read.len(), whole + usize::from(!between_games), "cut at {cut}");
        if !between_games {
            let bad = read[whole].as_ref().unwrap_err();
            let start = if whole == 0 { 0 } else { ends[whole - 1] };
            assert_eq!(bad.defect, Defect::CutShort);
            assert_eq!(bad.place, format!("byte {start}"));
        }
    }
}

/// The crate that defines the format reads what we write, and sees the same.
#[test]
fn the_published_crate_agrees() {
    use viriformat::dataformat::{Game as TheirGame, WDL};
    let folder = tempfile::tempdir().unwrap();
    let path = file(&folder, "a.vf");
    let games: Vec<Game> = (0..60).map(|seed| random_game(seed, 100)).collect();
    write(&path, &games);
    let mut bytes = &std::fs::read(&path).unwrap()[..];
    for game in &games {
        let theirs = TheirGame::deserialise_from(&mut bytes, Vec::new()).unwrap();
        let expected = match theirs.outcome() {
            WDL::Loss => 0,
            WDL::Draw => 1,
            WDL::Win => 2,
        };
        assert_eq!(marlinformat::encode_result(game.result.unwrap()), expected);
        let mut position = game.start.clone();
        let mut moves = game.moves.iter();
        theirs.visit_positions(|board, score| {
            let ours = moves.next().unwrap();
            // Board and turn; the crate spells castling and en passant differently.
            let first_two = |fen: &str| fen.split(' ').take(2).collect::<Vec<_>>().join(" ");
            assert_eq!(first_two(&board.to_string()), first_two(&position.fen()));
            assert_eq!(Score::from_i16(i16::try_from(score).unwrap()), ours.white_score);
            position.play(ours.played);
        });
        assert!(moves.next().is_none());

        // And it writes the same bytes again.
        let mut again = Vec::new();
        theirs.serialise_into(&mut again).unwrap();
        assert_same(&decode(&again, 0).unwrap(), game);
    }
    assert!(bytes.is_empty());
}

#[test]
fn an_illegal_move_costs_its_game_only() {
    let folder = tempfile::tempdir().unwrap();
    let path = file(&folder, "a.vf");
    let games: Vec<Game> = (0..2).map(|seed| random_game(seed, 20)).collect();
    write(&path, &games);
    let mut bytes = std::fs::read(&path).unwrap();
    let second_move = HEADER_BYTES + MOVE_BYTES;
    bytes[second_move..second_move + 2].copy_from_slice(&[0xff, 0x0f]);
    std::fs::write(&path, &bytes).unwrap();
    let read = read(&path).unwrap();
    let bad = read[0].as_ref().unwrap_err();
    assert_eq!(bad.defect, Defect::IllegalMove);
    assert!(
        bad.to_string().starts_with("byte 36: h8h8 (kind 0, 0x0fff) is not legal in "),
        "{bad}"
    );
    assert_same(read[1].as_ref().unwrap(), &games[1]);
}

#[test]
fn foreign_files_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = file(&folder, "a.vf");
    std::fs::write(&path, vec![b'x'; 100_000]).unwrap();
    let error = read(&path).unwrap_err();
    assert!(matches!(error, DataError::Broken { offset: 0, .. }), "{error}");
}

#[test]
fn a_game_without_result_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = file(&folder, "a.vf");
    let mut writer = DataWriter::create(&path, Layout::default()).unwrap();
    let unfinished = Game { result: None, ..random_game(1, 10) };
    writer.write_game(&unfinished).unwrap();
    writer.write_game(&random_game(1, 10)).unwrap();
    let exported = writer.finish().unwrap();
    assert_eq!((exported.games, exported.left_out.count(LeftOut::Game)), (1, 1));
    let reason = &exported.left_out.first()[0];
    assert_eq!(reason, "game 1: it has no result, which viriformat cannot hold");
    assert_eq!(read(&path).unwrap().len(), 1);
}
