//! The law of all readers: on a cut or flipped file there is no panic and no endless loop,
//! entries before the damage are intact, and no move is illegal. What can be noticed comes with its place.

use std::path::{Path, PathBuf};

use tempfile::TempDir;

use crate::formats::archive::Layout;
use crate::formats::entry::{Entry, EntryReader};
use crate::formats::writer::DataWriter;
use crate::formats::{binpack, marlinformat, montyformat, sfen};
use crate::samples::candidate::CandidatePosition;
use chess::random_game::random_game;
use chess::{Game, Position};

/// The outcome of reading a file.
struct Found {
    /// The entries that could be read.
    entries: Vec<String>,
    /// Messages about entries that could not be read, or of the error at the end.
    messages: Vec<String>,
}

fn read(path: &Path) -> Found {
    let mut found = Found { entries: Vec::new(), messages: Vec::new() };
    let mut go = || {
        let mut reader = EntryReader::open(path)?;
        while let Some(batch) = reader.next_batch(|entry| entry)? {
            for entry in batch {
                match entry {
                    Ok(entry) => found.entries.push(text(&entry)),
                    Err(bad) => found.messages.push(bad.message),
                }
            }
        }
        reader.finish()
    };
    if let Err(error) = go() {
        found.messages.push(error.to_string());
    }
    found
}

/// Everything of an entry; illegal moves fail here.
fn text(entry: &Entry) -> String {
    match entry {
        Entry::Position(listed) => format!("{} {listed:?}", listed.position.fen()),
        Entry::Game(game) => {
            let mut position = game.start.clone();
            for m in &game.moves {
                assert!(position.is_legal(m.played), "{} {:?}", position.fen(), m.played);
                position.play(m.played);
            }
            format!("{} {:?} {:?}", game.start.fen(), game.moves, game.result)
        }
    }
}

/// Small games from the usual start.
fn games() -> Vec<Game> {
    (0..100)
        .map(|seed| random_game(seed, 9))
        .filter(|game| game.start.fen() == Position::default().fen())
        .take(3)
        .collect()
}

/// A small file of each format that has a writer, and of those whose tests have one.
fn files(folder: &TempDir) -> Vec<PathBuf> {
    let place = |name: &str| folder.path().join(name);
    let written = [
        "a.oarc",
        "b.viri",
        "c.pgn",
        "d.txt",
        "e.data",
        "f.viri.zst",
        "g.txt.zst",
        "j.binpack",
        "k.bin",
        "l.plain",
    ];
    let mut files = Vec::new();
    for path in written.map(place) {
        let mut writer =
            DataWriter::create(&path, Layout { block: 1, ..Layout::default() }).unwrap();
        games().iter().for_each(|game| writer.write_game(game).unwrap());
        writer.finish().unwrap();
        files.push(path);
    }
    let chunks: Vec<u8> = games().iter().flat_map(binpack::tests::written).collect();
    let (mut records, mut marlins, mut evaluations) = (Vec::new(), Vec::new(), String::new());
    CandidatePosition::visit(&games()[0], |candidate| {
        let played = candidate.played.unwrap();
        records.extend(sfen::tests::written(candidate.position, played, 31, 1));
        marlins.extend(marlinformat::tests::written(candidate.position, -7, 2));
        let (fen, line) = (candidate.position, candidate.position.uci(played));
        let pvs = format!("[{{\"cp\":9,\"line\":\"{line}\"}}]");
        let line = format!("{{\"fen\":\"{fen}\",\"evals\":[{{\"pvs\":{pvs},\"depth\":9}}]}}\n");
        evaluations.push_str(&line);
    });
    for (name, content) in [
        ("h.binpack", chunks),
        ("i.bin", records),
        ("m.marlin", marlins),
        ("n.jsonl", evaluations.into_bytes()),
        ("o.monty", games().iter().flat_map(montyformat::tests::written).collect()),
    ] {
        std::fs::write(place(name), content).unwrap();
        files.push(place(name));
    }
    files
}

fn name(path: &Path) -> &str {
    path.file_name().unwrap().to_str().unwrap()
}

#[test]
fn files_cut_at_every_byte_keep_what_stood_before() {
    let folder = tempfile::tempdir().unwrap();
    for path in files(&folder) {
        let content = std::fs::read(&path).unwrap();
        let whole = read(&path);
        assert!(
            !whole.entries.is_empty() && whole.messages.is_empty(),
            "{}: {:?}",
            name(&path),
            whole.messages
        );
        for cut in 0..content.len() {
            std::fs::write(&path, &content[..cut]).unwrap();
            let found = read(&path);
            let sure = found.entries.len().saturating_sub(1);
            assert!(found.entries.len() <= whole.entries.len(), "{} cut at {cut}", name(&path));
            assert_eq!(
                found.entries[..sure],
                whole.entries[..sure],
                "{} cut at {cut}",
                name(&path)
            );
            let named = found.messages.iter().all(|message| message.contains(name(&path)));
            assert!(named, "{} cut at {cut}: {:?}", name(&path), found.messages);
            // The first line decides the format of a file of this name.
            let is_first_line = name(&path) == "d.txt" && !content[..cut].contains(&b'\n');
            if !ends_softly(&path) && !is_first_line {
                let intact = found.entries[..] == whole.entries[..found.entries.len()];
                assert!(intact, "{} cut at {cut}: {:?}", name(&path), found.entries.last());
            }
        }
    }
}

#[test]
fn flipped_bits_give_no_illegal_move() {
    let folder = tempfile::tempdir().unwrap();
    for path in files(&folder) {
        let content = std::fs::read(&path).unwrap();
        let whole = read(&path);
        for place in 0..content.len() {
            let mut damaged = content.clone();
            damaged[place] ^= 1 << (place % 8);
            std::fs::write(&path, &damaged).unwrap();
            let found = read(&path);
            if is_checked(&path) {
                // Compressed files return unpacked bytes before their checksum is read.
                let sound = found.entries.iter().all(|entry| whole.entries.contains(entry));
                assert!(sound || is_compressed(&path), "{} changed at {place}", name(&path));
                let noticed = !found.messages.is_empty() || found.entries == whole.entries;
                assert!(noticed, "{} changed at {place}", name(&path));
            }
        }
    }
}

/// Whether a part of the last entry can make sense: a move less.
fn ends_softly(path: &Path) -> bool {
    [".binpack", ".plain"].iter().any(|ending| name(path).ends_with(ending))
}

/// Whether the file has checksums.
fn is_checked(path: &Path) -> bool {
    name(path).ends_with(".oarc") || is_compressed(path)
}

fn is_compressed(path: &Path) -> bool {
    name(path).ends_with(".zst")
}
