//! Files of games: every format, there and back, and the commands on them.

use std::path::Path;

use crate::support::{Workdir, games};

/// Runs a command that must succeed, and returns its output.
fn done(work: &Workdir, args: &[&str]) -> String {
    let answer = work.run(args);
    assert_eq!(answer.code, 0, "{args:?}: {}", answer.err);
    answer.out
}

fn source() -> &'static str {
    games().to_str().unwrap()
}

/// The shared games, not compressed.
fn plain(work: &Workdir) -> Vec<u8> {
    done(work, &["data", "convert", source(), "plain.viri"]);
    std::fs::read(work.path().join("plain.viri")).unwrap()
}

fn read(work: &Workdir, name: &str) -> Vec<u8> {
    std::fs::read(work.path().join(name)).unwrap()
}

fn size(path: &Path) -> u64 {
    std::fs::metadata(path).unwrap().len()
}

#[test]
fn games_survive_every_format_that_holds_games() {
    let work = Workdir::new();
    let wanted = plain(&work);
    for name in ["a.oarc", "a.pgn", "a.pgn.zst", "a.viri.zst", "a.binpack", "a.plain.zst"] {
        done(&work, &["data", "convert", source(), name]);
        done(&work, &["data", "convert", name, "back.viri"]);
        assert!(read(&work, "back.viri") == wanted, "{name}");
    }
    for mode in ["best", "fast"] {
        for access in ["block", "game"] {
            let name = format!("{mode}-{access}.oarc");
            let layout = ["--mode", mode, "--access", access, "--block", "7"];
            done(&work, &[&["data", "convert", source(), &name][..], &layout].concat());
            done(&work, &["data", "convert", &name, "back.viri"]);
            assert!(read(&work, "back.viri") == wanted, "{name}");
        }
    }
    let path = |name: &str| work.path().join(name);
    assert!(size(&path("best-block.oarc")) < size(&path("fast-block.oarc")));
    assert!(2 * size(&path("fast-block.oarc")) < size(&path("plain.viri")));
}

#[test]
fn positions_survive_lists() {
    let work = Workdir::new();
    done(&work, &["data", "convert", source(), "a.txt"]);
    done(&work, &["data", "convert", source(), "a.data"]);
    done(&work, &["data", "convert", "a.txt", "b.data.zst"]);
    done(&work, &["data", "convert", "b.data.zst", "b.data"]);
    assert!(read(&work, "a.data") == read(&work, "b.data"));
    let lines = String::from_utf8(read(&work, "a.txt")).unwrap().lines().count();
    assert_eq!(read(&work, "a.data").len(), 32 * lines);
    let reply = work.run(&["data", "convert", "a.txt", "a.pgn"]);
    reply.assert_shows(&["dropped, positions without their games"]);
    done(&work, &["data", "convert", source(), "a.bin"]);
    // Records with their moves, one behind the other, are games again.
    done(&work, &["data", "convert", "a.bin", "a.plain"]);
    done(&work, &["data", "convert", "a.plain", "b.bin.zst"]);
    done(&work, &["data", "convert", "b.bin.zst", "b.bin"]);
    assert!(read(&work, "a.bin") == read(&work, "b.bin"));
    let reply = work.run(&["data", "convert", "a.txt", "a.binpack"]);
    reply.assert_shows(&["dropped, positions without a move"]);
}

#[test]
fn an_archive_tells_what_it_holds_and_gives_single_games() {
    let work = Workdir::new();
    done(&work, &["data", "convert", source(), "a.oarc", "--block", "5"]);
    let info = done(&work, &["archive", "info", "a.oarc"]);
    assert!(info.contains("mode    best\naccess  by block\n"), "{info}");
    done(&work, &["data", "convert", "a.oarc", "all.pgn"]);
    let all = String::from_utf8(read(&work, "all.pgn")).unwrap();
    let games: Vec<&str> = all.split_inclusive("\n\n[").collect();
    assert!(games.len() > 20 && info.contains(&format!("games   {} in", games.len())), "{info}");
    let shown = done(&work, &["archive", "show", "a.oarc", "17"]);
    assert_eq!(shown.trim_start_matches('[').trim(), games[16].trim_end_matches('[').trim());
    let beyond = work.run(&["archive", "show", "a.oarc", "100000"]);
    assert_eq!(beyond.code, 1);
    beyond.assert_shows(&["there is no game 100000: the archive has"]);
    let foreign = work.run(&["archive", "info", "all.pgn"]);
    foreign.assert_shows(&["cannot read `all.pgn`: it is no archive"]);
}

#[test]
fn damage_costs_a_block_and_is_named() {
    let work = Workdir::new();
    done(&work, &["data", "convert", source(), "a.oarc", "--block", "5"]);
    assert!(done(&work, &["data", "check", "a.oarc"]).contains(" sound, 0 defects"));
    let mut bytes = read(&work, "a.oarc");
    let middle = bytes.len() / 2;
    bytes[middle] ^= 4;
    std::fs::write(work.path().join("bad.oarc"), &bytes).unwrap();
    let checked = work.run(&["data", "check", "bad.oarc"]);
    assert_eq!(checked.code, 1);
    assert!(
        checked.out.contains(" sound, 1 defect\n") && checked.out.contains("byte "),
        "{checked:?}"
    );
    checked.assert_shows(&["1 defect in games, positions or blocks of games"]);
    let converted = work.run(&["data", "convert", "bad.oarc", "rest.viri"]);
    assert_eq!(converted.code, 0);
    converted.assert_shows(&["not read: 1", "bad.oarc: game"]);
    let lost = plain(&work).len() - read(&work, "rest.viri").len();
    assert!(lost > 0 && lost < plain(&work).len() / 3, "{lost}");
}

#[test]
fn shuffled_and_split_games_are_all_there() {
    let work = Workdir::new();
    let entries = |name: &str| -> Vec<String> {
        done(&work, &["data", "convert", name, "list.txt"]);
        let text = String::from_utf8(read(&work, "list.txt")).unwrap();
        text.lines().map(str::to_owned).collect()
    };
    let sorted = |mut lines: Vec<String>| {
        lines.sort_unstable();
        lines
    };
    let (original, orders) = (entries(source()), ["1", "2", "2"]);
    for (name, seed) in ["a.viri", "b.viri", "c.viri"].into_iter().zip(orders) {
        let memory = if name == "c.viri" { "1" } else { "512" };
        let args = ["data", "shuffle", source(), name, "--seed", seed, "--memory", memory];
        done(&work, &args);
        assert_ne!(entries(name), original);
        assert_eq!(sorted(entries(name)), sorted(original.clone()));
    }
    assert!(read(&work, "a.viri") != read(&work, "b.viri"));
    assert!(read(&work, "b.viri") == read(&work, "c.viri"), "memory decides nothing");
    // The size of a pipe is unknown.
    let piped = ["data", "shuffle", "stdin.viri", "d.viri", "--seed", "2"];
    let piped = work.run_with(&piped, plain(&work));
    assert_eq!(piped.code, 0, "{}", piped.err);
    assert!(read(&work, "b.viri") == read(&work, "d.viri"));
    let split = ["--share", "0.3", "--train", "t.viri", "--validation", "v.viri"];
    done(&work, &[&["data", "split", "a.viri"][..], &split].concat());
    let both = [entries("t.viri"), entries("v.viri")];
    assert!(both.iter().all(|part| !part.is_empty()));
    assert_eq!(sorted(both.concat()), sorted(original));
}

#[test]
fn what_is_there_twice_stays_once() {
    let work = Workdir::new();
    let wanted = plain(&work);
    let reply = done(&work, &["data", "dedup", source(), "plain.viri", "once.viri"]);
    assert!(reply.contains("there before: "), "{reply}");
    assert!(read(&work, "once.viri") == wanted);
    work.file("three.txt", &"4k3/8/8/8/8/8/8/4K2R w - - 0 1 | 5 | 1.0\n".repeat(3));
    let reply = done(&work, &["data", "dedup", "three.txt", "one.txt"]);
    assert!(reply.contains("there before: 2") && reply.contains("1 positions"), "{reply}");
}

#[test]
fn filters_keep_what_they_say() {
    let work = Workdir::new();
    let reply = done(&work, &["data", "filter", source(), "long.viri", "--min-plies", "80"]);
    assert!(reply.contains("dropped: "), "{reply}");
    assert!(read(&work, "long.viri").len() < plain(&work).len());
    done(&work, &["data", "filter", source(), "quiet.txt", "--positions", "quiet"]);
    done(&work, &["data", "convert", source(), "all.txt"]);
    assert!(read(&work, "quiet.txt").len() < read(&work, "all.txt").len());
    let wrong = work.run(&["data", "filter", source(), "x.pgn", "--positions", "quiet"]);
    assert_eq!(wrong.code, 2);
    wrong.assert_shows(&["name a file that holds them", ".binpack"]);
}

#[test]
fn files_are_looked_into() {
    let work = Workdir::new();
    done(&work, &["data", "convert", source(), "a.oarc"]);
    let text = done(&work, &["data", "inspect", "a.oarc"]);
    for part in
        ["format", "archive", "positions", "White won", "no score", "31 to 32 pieces", "┌──"]
    {
        assert!(text.contains(part), "{part}: {text}");
    }
    let json = done(&work, &["data", "inspect", "a.oarc", "--json"]);
    let found: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert!(found["positions"].as_u64().unwrap() >= 4_000, "{json}");
    assert!(found["agreement"]["scale"].as_f64().unwrap() > 10.0, "{json}");
    done(&work, &["data", "inspect", "a.oarc", "--plot", "agreement.svg"]);
    let picture = String::from_utf8(read(&work, "agreement.svg")).unwrap();
    assert!(picture.contains("<circle") && picture.contains("Results by score"));
    done(&work, &["data", "inspect", "a.oarc", "--legal-moves", "moves.svg"]);
    let picture = String::from_utf8(read(&work, "moves.svg")).unwrap();
    assert!(picture.contains("White to move") && picture.contains("Black to move"));
    let table = done(&work, &["data", "stats", "a.oarc", source()]);
    assert_eq!(table.lines().count(), 3, "{table}");
    let head = done(&work, &["data", "head", "a.oarc", "--count", "2"]);
    assert_eq!(head.matches("[Result ").count(), 2);
}

#[test]
fn folders_and_standard_input_are_read() {
    let work = Workdir::new();
    let wanted = plain(&work);
    std::fs::create_dir(work.path().join("folder")).unwrap();
    std::fs::copy(work.path().join("plain.viri"), work.path().join("folder/b.viri")).unwrap();
    std::fs::copy(work.path().join("plain.viri"), work.path().join("folder/a.viri")).unwrap();
    work.file("folder/notes.md", "not a game");
    done(&work, &["data", "convert", "folder", "both.viri"]);
    assert!(read(&work, "both.viri") == [wanted.clone(), wanted].concat());
    done(&work, &["data", "convert", source(), "a.pgn"]);
    let piped = work.run_with(&["data", "convert", "-", "piped.pgn"], read(&work, "a.pgn"));
    assert_eq!(piped.code, 0, "{}", piped.err);
    assert!(read(&work, "piped.pgn") == read(&work, "a.pgn"));
    let convert = ["data", "convert", "stdin.viri", "piped.viri"];
    let piped = work.run_with(&convert, read(&work, "plain.viri"));
    assert_eq!(piped.code, 0, "{}", piped.err);
    assert!(read(&work, "piped.viri") == read(&work, "plain.viri"));
}

#[test]
fn wrong_requests_are_errors() {
    let work = Workdir::new();
    let refused = |args: &[&str], code: i32, parts: &[&str]| {
        let answer = work.run(args);
        assert_eq!(answer.code, code, "{args:?}: {}", answer.err);
        answer.assert_shows(parts);
    };
    refused(&["data", "convert", source(), "a.docx"], 1, &["a.docx", ".oarc (archive)"]);
    refused(&["data", "convert", "missing.pgn", "a.oarc"], 1, &["cannot open `missing.pgn`"]);
    done(&work, &["data", "convert", source(), "a.oarc"]);
    let both = &["is both input and output"];
    refused(&["data", "convert", "a.oarc", "a.oarc"], 2, both);
    std::fs::create_dir(work.path().join("games")).unwrap();
    std::fs::copy(work.path().join("a.oarc"), work.path().join("games/a.oarc")).unwrap();
    done(&work, &["data", "convert", "games", "games/all.oarc"]);
    refused(&["data", "convert", "games", "games/all.oarc"], 2, both);
    refused(&["archive", "fit", "a.oarc", "--out", "a.oarc"], 2, both);
    refused(&["puzzles", "mine", "a.oarc", "--out", "a.oarc"], 2, both);
    done(&work, &["data", "convert", "a.oarc", "a.txt"]);
    let list = ["data", "rescore", "a.txt", "c.oarc", "--player", "material", "--static"];
    refused(&list, 2, &["`c.oarc` holds games", "`a.txt` is a list"]);
    let shard = ["selfplay", "--positions", "60", "--shard", "1/2", "--out", "c.oarc"];
    refused(&shard, 2, &["--shard is one of the --games"]);
    std::fs::create_dir(work.path().join("empty")).unwrap();
    refused(&["data", "inspect", "empty"], 1, &["no file in the folder `empty`"]);
    refused(&["data", "dedup", "-", "b.oarc"], 2, &["standard input can be read once"]);
    let two = ["data", "inspect", "a.oarc", source(), "--plot", "a.svg"];
    refused(&two, 2, &["--plot draws one file"]);
    assert!(!work.path().join("b.oarc").exists() && !work.path().join("c.oarc").exists());
}

#[test]
fn a_model_of_ones_own_is_fitted_and_carried() {
    let work = Workdir::new();
    done(&work, &["data", "convert", source(), "a.oarc"]);
    let fit = ["archive", "fit", "a.oarc", "--out", "own.model", "--epochs", "1"];
    assert!(done(&work, &fit).contains("own.model"));
    let held_out =
        ["archive", "fit", "a.oarc", "--out", "held.model", "--epochs", "1", "--hold-out"];
    done(&work, &held_out);
    assert!(read(&work, "held.model") != read(&work, "own.model"));
    done(&work, &["data", "convert", source(), "own.oarc", "--model", "own.model"]);
    assert!(done(&work, &["archive", "info", "own.oarc"]).contains("(inside the archive)"));
    done(&work, &["data", "convert", "own.oarc", "back.viri"]);
    assert!(read(&work, "back.viri") == plain(&work));
}

#[test]
fn games_are_judged_anew_in_this_process_and_through_pipes() {
    let work = Workdir::new();
    done(&work, &["data", "convert", source(), "a.oarc"]);
    let static_by = |player: &str, out: &str| {
        done(&work, &["data", "rescore", "a.oarc", out, "--player", player, "--static"])
    };
    let reply = static_by("material", "b.viri");
    assert!(reply.contains("with a new score (100.0 %)"), "{reply}");
    // A second time there is nothing to do, and others are not mixed in.
    assert_eq!(
        static_by("material", "b.viri"),
        reply.split("\nspeed").next().unwrap().to_owned() + "\n"
    );
    // The output in the folder of the input is no input of the next call.
    std::fs::create_dir(work.path().join("folder")).unwrap();
    std::fs::copy(work.path().join("a.oarc"), work.path().join("folder/a.oarc")).unwrap();
    let folder = ["data", "rescore", "folder", "folder/b.viri", "--player", "material", "--static"];
    let reply = done(&work, &folder);
    let complete = reply.split("\nspeed").next().unwrap().to_owned() + "\n";
    assert_eq!(done(&work, &folder), complete);
    let fresh = work.run(&[&folder[..], &["--fresh"]].concat());
    assert_eq!(fresh.code, 2, "{}", fresh.err);
    assert!(fresh.err.contains("is both input and output"), "{}", fresh.err);
    let other = work.run(&["data", "rescore", "a.oarc", "b.viri", "--player", "pesto", "--static"]);
    assert_eq!(other.code, 2, "{}", other.err);
    assert!(other.err.contains("player was material, now it is pesto"), "{}", other.err);

    // The same search here and in a process of its own, which sees a depth alike.
    let engine = format!("uci:'{}' uci --eval pesto", env!("CARGO_BIN_EXE_oplus"));
    for (player, out) in [("pesto", "own.viri"), (&engine, "piped.viri")] {
        let shard = ["--depth", "2", "--shard", "1/9", "--filter", "quiet"];
        let args = [&["data", "rescore", "a.oarc", out, "--player", player][..], &shard].concat();
        let reply = done(&work, &args);
        assert!(!reply.contains("(100.0 %)") && reply.contains("positions/s"), "{reply}");
    }

    // Parts follow each other.
    for shard in ["1/2", "2/2"] {
        let name = format!("{}.viri", &shard[..1]);
        let args = ["data", "rescore", "a.oarc", &name, "--player", "material", "--static"];
        done(&work, &[&args[..], &["--shard", shard]].concat());
    }
    done(&work, &["data", "convert", "1.viri", "2.viri", "joined.viri"]);
    assert!(read(&work, "joined.viri") == read(&work, "b.viri"));

    let wrong = work.run(&["data", "rescore", "a.oarc", "c.viri", "--player", "x", "--depth", "0"]);
    assert_eq!(wrong.code, 2, "{}", wrong.err);
    let none =
        work.run(&["data", "rescore", "a.oarc", "c.viri", "--player", "no-engine", "--depth", "1"]);
    assert_eq!(none.code, 1, "{}", none.err);
    assert!(none.err.contains("start failed"), "{}", none.err);
}
