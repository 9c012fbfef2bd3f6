use proptest::prelude::*;
use sfbinpack::chess::color::Color as TheirColor;
use sfbinpack::{
    CompressedTrainingDataEntryReader, CompressedTrainingDataEntryWriter, TrainingDataEntry,
};

use super::*;
use crate::formats::archive::Layout;
use crate::formats::entry::GameReader;
use crate::formats::list::ListedPosition;
use crate::formats::writer::{DataWriter, LeftOut, Written};
use crate::samples::candidate::CandidatePosition;
use chess::random_game::random_game;
use chess::{GameMove, Position, Role};

/// The crate's form of a position of a game.
fn their_entry(candidate: &CandidatePosition<'_>) -> TrainingDataEntry {
    let (position, m) = (candidate.position, candidate.played.unwrap());
    let pos = sfbinpack::chess::position::Position::from_fen(&position.fen()).unwrap();
    let square = |square: u32| sfbinpack::chess::coords::Square::new(square);
    let (from, to) = (square(m.from().into()), square(m.to().into()));
    let turn = if position.turn().is_white() { TheirColor::White } else { TheirColor::Black };
    let mv = match m.promotion() {
        _ if m.is_castle() => sfbinpack::chess::r#move::Move::castle(from, to),
        _ if m.is_en_passant() => sfbinpack::chess::r#move::Move::en_passant(from, to),
        None => sfbinpack::chess::r#move::Move::normal(from, to),
        Some(role) => {
            use sfbinpack::chess::piecetype::PieceType;
            let role = match role {
                Role::Knight => PieceType::Knight,
                Role::Bishop => PieceType::Bishop,
                Role::Rook => PieceType::Rook,
                _ => PieceType::Queen,
            };
            let piece = sfbinpack::chess::piece::Piece::new(role, turn);
            sfbinpack::chess::r#move::Move::promotion(from, to, piece)
        }
    };
    let score = candidate.white_score.map_or(32_002, |s| s.seen_by(position.turn()).to_i16());
    let result = i16::from(candidate.result.unwrap().seen_by(position.turn())) - 1;
    TrainingDataEntry { pos, mv, score, ply: position.ply() as u16, result }
}

fn their_entries(game: &Game) -> Vec<TrainingDataEntry> {
    let mut entries = Vec::new();
    CandidatePosition::visit(game, |candidate| entries.push(their_entry(candidate)));
    entries
}

/// The only chunk of a file that the crate wrote of a game's positions.
pub(crate) fn written(game: &Game) -> Vec<u8> {
    let mut writer = CompressedTrainingDataEntryWriter::new_in_memory().unwrap();
    their_entries(game).iter().for_each(|entry| writer.write_entry(entry).unwrap());
    writer.into_bytes().unwrap()
}

/// All positions of a file as the crate reads them.
fn read_by_crate(content: Vec<u8>) -> Vec<TrainingDataEntry> {
    let mut reader = CompressedTrainingDataEntryReader::from_bytes(content).unwrap();
    let mut entries = Vec::new();
    while reader.has_next() {
        entries.push(reader.next());
    }
    entries
}

/// The file that this program writes of some games.
fn file_of(games: &[Game]) -> (Vec<u8>, Written) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.binpack");
    let mut writer = DataWriter::create(&path, Layout::default()).unwrap();
    games.iter().for_each(|game| writer.write_game(game).unwrap());
    let written = writer.finish().unwrap();
    (std::fs::read(path).unwrap(), written)
}

/// All that a file of this content holds.
fn read(content: &[u8]) -> Result<Vec<Result<Game, BadEntry>>, DataError> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.binpack");
    std::fs::write(&path, content).unwrap();
    let (mut reader, mut found) = (GameReader::open(&path)?, Vec::new());
    while let Some(batch) = reader.next_batch(|game| game)? {
        found.extend(batch);
    }
    Ok(found)
}

fn usual_game(seed: u64) -> Option<Game> {
    let game = random_game(seed, 60);
    (!game.start.is_chess960() && !game.moves.is_empty()).then_some(game)
}

proptest! {
    #[test]
    fn what_the_crate_writes_is_read(seed: u64) {
        let Some(game) = usual_game(seed) else { return Ok(()) };
        let bytes = written(&game);
        let games = decode(&bytes, 0);
        prop_assert_eq!(games.len(), 1);
        let found = games[0].as_ref().unwrap();
        prop_assert_eq!(found.start.fen(), game.start.fen());
        prop_assert_eq!((&found.moves, found.result), (&game.moves, game.result));
    }

    /// A chunk of one game is the crate's to the byte.
    #[test]
    fn the_crate_writes_the_same_bytes(seed: u64) {
        let Some(game) = usual_game(seed) else { return Ok(()) };
        let (bytes, _) = file_of(std::slice::from_ref(&game));
        prop_assert!(bytes == written(&game));
    }

    /// Games are read back one by one, by this program and by the crate.
    #[test]
    fn what_is_written_is_read_back(seed: u64) {
        let games: Vec<Game> = (0..6).filter_map(|i| usual_game(seed ^ i)).collect();
        if games.is_empty() {
            return Ok(());
        }
        let (bytes, written) = file_of(&games);
        prop_assert_eq!((written.games, written.left_out.total()), (games.len() as u64, 0));
        let found = read(&bytes).unwrap();
        prop_assert_eq!(found.len(), games.len());
        for (found, game) in found.iter().zip(&games) {
            let found = found.as_ref().unwrap();
            prop_assert_eq!(found.start.fen(), game.start.fen());
            prop_assert_eq!((&found.moves, found.result), (&game.moves, game.result));
        }
        let entries: Vec<_> = games.iter().flat_map(their_entries).collect();
        prop_assert!(read_by_crate(bytes) == entries);
    }

    /// Damage never panics, and never gives an illegal move.
    #[test]
    fn damage_gives_no_illegal_move(seed: u64, at in any::<prop::sample::Index>(), bit in 0u8..8) {
        let Some(game) = usual_game(seed) else { return Ok(()) };
        let mut chunk = written(&game);
        let at = at.index(chunk.len() - HEAD_BYTES);
        chunk[HEAD_BYTES + at] ^= 1 << bit;
        for game in decode(&chunk, 0).into_iter().flatten() {
            let mut position = game.start.clone();
            for m in game.moves {
                prop_assert!(position.is_legal(m.played));
                position.play(m.played);
            }
        }
    }

    /// A chunk cut at any byte is an error, and its last game is not read as a shorter one.
    #[test]
    fn cut_chunks_are_errors(seed: u64, at in any::<prop::sample::Index>()) {
        let Some(game) = usual_game(seed) else { return Ok(()) };
        let mut chunk = written(&game);
        let at = HEAD_BYTES + at.index(chunk.len() - HEAD_BYTES);
        let size = chunk.len() - HEAD_BYTES;
        chunk.truncate(at);
        let found = decode(&chunk, 77);
        let [Err(bad)] = &found[..] else { panic!("{found:?}") };
        let wanted = format!(
            "chunk at byte 77: the file ends inside this chunk, after {} of its {size} bytes",
            at - HEAD_BYTES
        );
        prop_assert_eq!(bad.to_string(), wanted);
        prop_assert_eq!(bad.defect, Defect::CutShort);
    }

    #[test]
    fn any_bytes_can_be_a_chunk(bytes: Vec<u8>) {
        let head = [&MAGIC[..], &(bytes.len() as u32).to_le_bytes()].concat();
        decode(&[head, bytes].concat(), 0);
    }
}

/// Bytes at the end of a file that are no chunk cost no game before them.
#[test]
fn ends_that_are_no_chunk_are_counted() {
    let game = (0..).find_map(usual_game).unwrap();
    let chunk = written(&game);
    let zeros = [1, HEAD_BYTES - 1, HEAD_BYTES, HEAD_BYTES + 1, 300_000].map(|n| vec![0; n]);
    let heads = (1..HEAD_BYTES).map(|cut| (chunk[..cut].to_vec(), "inside the head"));
    let padded = zeros.iter().map(|zeros| (zeros.clone(), "zero bytes stand"));
    for (end, part) in heads.chain(padded) {
        let found = read(&[&chunk[..], &chunk, &end].concat()).unwrap();
        let [Ok(a), Ok(b), Err(bad)] = &found[..] else { panic!("{found:?}") };
        assert_eq!([a, b].map(|read| &read.moves), [&game.moves; 2]);
        let place = format!("chunk at byte {}", 2 * chunk.len());
        assert_eq!((bad.defect, &bad.place), (Defect::CutShort, &place));
        assert!(bad.detail.contains(part), "{bad}");
    }
    for zeros in &zeros {
        assert!(read(&[&chunk[..], zeros, &chunk].concat()).is_err());
        assert!(read(zeros).is_err());
    }
    assert!(read(&[&chunk[..], b"more"].concat()).is_err());
}

#[test]
fn a_full_chunk_ends_behind_its_last_game() {
    let games: Vec<Game> = (0..)
        .filter_map(usual_game)
        .flat_map(|game| std::iter::repeat_n(game, 5))
        .take(20_000)
        .collect();
    let (bytes, written) = file_of(&games);
    assert_eq!(written.games, games.len() as u64);
    let first = HEAD_BYTES + size(bytes.first_chunk().unwrap()) as usize;
    assert!((1 << 20..(1 << 20) + 1_000).contains(&first), "{first}");
    assert!(bytes[first..].starts_with(&MAGIC));
    assert_eq!(read(&bytes).unwrap().len(), games.len());
    assert_eq!(read_by_crate(bytes).len() as u64, written.positions);
}

#[test]
fn games_that_a_binpack_cannot_hold_are_named() {
    let usual = (0..).find_map(usual_game).unwrap();
    let chess960 = (0..).map(|seed| random_game(seed, 9)).find(|game| game.start.is_chess960());
    let late = Position::from_fen("4k3/8/8/8/8/8/8/4K2R w K - 0 8193").unwrap();
    let played = late.parse_uci("e1g1").unwrap();
    let game_of = |position: &Position, played| Game {
        start: position.clone(),
        moves: vec![GameMove { played, white_score: None }],
        result: Some(GameResult::Draw),
    };
    for (game, reason) in [
        (Game { result: None, ..usual.clone() }, "no result"),
        (Game { moves: Vec::new(), ..usual.clone() }, "no move is played"),
        (chess960.unwrap(), "Chess960"),
        (game_of(&late, played), "behind move 8,192"),
    ] {
        let (bytes, written) = file_of(&[game, usual.clone()]);
        assert_eq!((written.games, written.left_out.count(LeftOut::Game)), (1, 1), "{reason}");
        let warning = written.left_out_warning(std::path::Path::new("a.binpack")).unwrap();
        assert!(
            warning.contains("not in `a.binpack`") && warning.contains(": 1 games; "),
            "{warning}"
        );
        assert!(warning.contains(reason), "{warning}");
        assert_eq!(read(&bytes).unwrap().len(), 1);
    }
}

/// Positions without their games are chains of one move, as Stockfish's tools make them.
#[test]
fn single_positions_are_chains_of_one_move() {
    let game = (0..).find_map(usual_game).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.binpack");
    let mut writer = DataWriter::create(&path, Layout::default()).unwrap();
    let mut listed = Vec::new();
    CandidatePosition::visit(&game, |candidate| {
        let CandidatePosition { ply, played, white_score, depth, result, .. } = *candidate;
        let position = candidate.position.clone();
        listed.push(ListedPosition { position, ply, played, white_score, depth, result });
    });
    listed.iter().for_each(|listed| writer.write_position(listed).unwrap());
    writer.write_position(&ListedPosition { played: None, ..listed[0].clone() }).unwrap();
    writer.write_position(&ListedPosition { result: None, ..listed[0].clone() }).unwrap();
    let written = writer.finish().unwrap();
    assert_eq!((written.games, written.positions), (0, game.moves.len() as u64));
    let counts = [LeftOut::Move, LeftOut::Result].map(|why| written.left_out.count(why));
    assert_eq!(counts, [1, 1]);
    let bytes = std::fs::read(path).unwrap();
    assert_eq!(read_by_crate(bytes.clone()), their_entries(&game));
    // They follow each other, so they are read as the game.
    let found = read(&bytes).unwrap();
    assert_eq!((found.len(), &found[0].as_ref().unwrap().moves), (1, &game.moves));
}

/// Positions are not collected before they become games: zeros are many positions, and
/// none of them is one.
#[test]
fn a_chunk_of_zeros_takes_no_more_memory_than_its_faults() {
    let size = 1 << 20;
    let mut chunk = [&MAGIC[..], &u32::to_le_bytes(size)].concat();
    chunk.resize(HEAD_BYTES + size as usize, 0);
    let found = decode(&chunk, 0);
    assert!(!found.is_empty() && found.iter().all(Result::is_err));
    assert!(found.len() <= MOST_FAULTS + 1, "{}", found.len());
}

/// The rows that another decoder made of a file: FEN, move, the mover's score, ply,
/// the mover's result.
fn rows(folder: &str, name: &str) -> Vec<String> {
    let packed = std::fs::read(format!("{folder}/{name}")).unwrap();
    let text = String::from_utf8(zstd::decode_all(&packed[..]).unwrap()).unwrap();
    text.lines().map(str::to_owned).collect()
}

#[test]
#[ignore = "needs ../shared/data; run by .ci/run with --ignored"]
fn real_files_are_read_as_another_decoder_reads_them() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/data/open/formats");
    let samples = [
        ("sf_small.binpack.zst", "sf_small.decoded_head5000.tsv.zst", 434_921),
        ("sf_ep1.binpack.zst", "sf_ep1.decoded.tsv.zst", 3),
    ];
    for (file, decoded, count) in samples {
        let path = std::path::PathBuf::from(format!("{folder}/{file}"));
        let mut reader = GameReader::open(&path).unwrap();
        let mut found = Vec::new();
        while let Some(batch) = reader.next_batch(|game| game).unwrap() {
            for game in batch.into_iter().map(Result::unwrap) {
                CandidatePosition::visit(&game, |candidate| {
                    let (position, turn) = (candidate.position, candidate.position.turn());
                    let score = candidate.white_score.map_or(32_002, |s| s.seen_by(turn).to_i16());
                    let result = i32::from(candidate.result.unwrap().seen_by(turn)) - 1;
                    let played = position.uci(candidate.played.unwrap());
                    found.push((position.fen(), played, score, result));
                });
            }
        }
        assert_eq!(found.len(), count, "{file}");
        for (row, (fen, played, score, result)) in rows(folder, decoded).iter().zip(found) {
            let fields: Vec<&str> = row.split('\t').collect();
            let theirs = Position::from_fen(fields[0]).unwrap();
            assert_eq!(fen, theirs.fen(), "{row}");
            assert_eq!(played, theirs.uci(theirs.parse_uci(fields[1]).unwrap()), "{row}");
            assert_eq!(score.to_string(), fields[2], "{row}");
            assert_eq!(result.to_string(), fields[4], "{row}");
        }
    }
}

#[test]
#[ignore = "needs ../shared/data; run by .ci/run with --ignored"]
fn real_games_are_written_for_other_readers() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/data/open/formats");
    let path = std::path::PathBuf::from(format!("{folder}/sf_small.binpack.zst"));
    let (mut reader, mut games, mut positions) = (GameReader::open(&path).unwrap(), Vec::new(), 0);
    while let Some(batch) = reader.next_batch(|game| game).unwrap() {
        for game in batch.into_iter().map(Result::unwrap) {
            if positions < 400_000 {
                positions += game.moves.len();
                games.push(game);
            }
        }
    }
    assert!(positions >= 400_000);
    let (bytes, written) = file_of(&games);
    assert_eq!((written.positions, written.left_out.total()), (positions as u64, 0));
    let theirs = read_by_crate(bytes);
    let original = zstd::decode_all(&std::fs::read(&path).unwrap()[..]).unwrap();
    assert_eq!(theirs.len(), positions);
    assert!(theirs[..] == read_by_crate(original)[..positions]);
}
