//! Files that are whole or missing beside other writers, and whose changes are noticed.

use std::io::Write;
use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::plan::UNTIMED;
use crate::support::{Answer, Workdir, games};

const GAME: &str = "[Result \"1-0\"]\n\n1. e4 e5 1-0\n\n";

fn names(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).unwrap();
    let mut names: Vec<_> =
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

/// The first reads from standard input, so that it runs as long as this test wants.
#[test]
fn of_two_that_write_one_file_the_second_is_refused() {
    let work = Workdir::new();
    let mut first = work.command(&["data", "convert", "-", "out.pgn"]);
    first.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut first = first.spawn().unwrap();
    let mut games_of_first = first.stdin.take().unwrap();
    games_of_first.write_all(GAME.as_bytes()).unwrap();
    let began = Instant::now();
    while !work.path().join("out.pgn.partial").exists() {
        assert!(began.elapsed() < Duration::from_secs(60) && first.try_wait().unwrap().is_none());
        std::thread::sleep(Duration::from_millis(10));
    }
    let second = work.run(&["data", "convert", games().to_str().unwrap(), "out.pgn"]);
    assert_eq!(second.code, 1, "{}", second.out);
    second.assert_shows(&["out.pgn", "another process is writing it", "choose another name"]);
    drop(games_of_first);
    let first = Answer::from(first.wait_with_output().unwrap());
    assert_eq!(first.code, 0, "{}", first.err);
    let written = std::fs::read_to_string(work.path().join("out.pgn")).unwrap();
    assert!(
        written.contains("1. e4 e5 1-0") && written.matches("[Event ").count() == 1,
        "{written}"
    );
    assert_eq!(names(work.path()), ["out.pgn"]);
}

#[cfg(unix)]
#[test]
fn no_link_is_followed_and_what_was_left_is_no_hindrance() {
    let work = Workdir::new();
    work.file("a.pgn", GAME);
    work.file("victim", "untouched");
    let link = work.path().join("out.pgn.partial");
    std::os::unix::fs::symlink(work.path().join("victim"), &link).unwrap();
    for _ in 0..2 {
        let answer = work.run(&["data", "convert", "a.pgn", "out.pgn"]);
        assert_eq!(answer.code, 0, "{}", answer.err);
        let read = |name: &str| std::fs::read_to_string(work.path().join(name)).unwrap();
        assert_eq!(read("victim"), "untouched");
        assert!(read("out.pgn").contains("1. e4 e5 1-0"));
        assert_eq!(names(work.path()), ["a.pgn", "out.pgn", "victim"]);
        work.file("out.pgn.partial", "left by a process that was killed, and longer than a game");
    }
}

/// Begun, and then given up at a file that is damaged in its middle.
#[test]
fn what_fails_leaves_nothing_half_written() {
    let work = Workdir::new();
    let mut damaged = std::fs::read(games()).unwrap();
    damaged.truncate(damaged.len() / 2);
    std::fs::write(work.path().join("damaged.viri.zst"), damaged).unwrap();
    work.file("a.pgn", GAME);
    for out in ["out.pgn", "out.oarc", "out.viri.zst"] {
        let answer = work.run(&["data", "convert", "a.pgn", "damaged.viri.zst", out]);
        assert_eq!(answer.code, 1, "{}", answer.out);
        answer.assert_shows(&["damaged.viri.zst"]);
        assert_eq!(names(work.path()), ["a.pgn", "damaged.viri.zst"]);
    }
}

/// A line whose last figure is another one.
fn changed(line: &str) -> String {
    let end = line.rfind(",\"checksum\"").unwrap();
    let at = line[..end].rfind(|c: char| c.is_ascii_digit()).unwrap();
    let digit = line[at..].chars().next().unwrap().to_digit(10).unwrap();
    format!("{}{}{}", &line[..at], (digit + 1) % 10, &line[at + 1..])
}

#[test]
fn a_digit_that_was_turned_in_a_result_is_noticed() {
    let work = Workdir::new();
    work.experiment("small.toml");
    let run = [&["run", "small.toml"], &UNTIMED[..]].concat();
    let whole = work.run(&run);
    assert_eq!(whole.code, 0, "{}", whole.err);
    let results = work.path().join("runs/small/results");
    for name in names(&results) {
        let path = results.join(&name);
        let text = std::fs::read_to_string(&path).unwrap();
        let result: Value = serde_json::from_str(&text).expect("a result is JSON for everybody");
        assert!(!result["found"].is_null(), "{name}");
        std::fs::write(&path, changed(&text)).unwrap();
        let answer = work.run(&["report", "small.toml"]);
        assert_eq!(answer.code, 1, "{name}: {}", answer.out);
        answer.assert_shows(&[&name, "checksum", "remove the file"]);
        std::fs::write(&path, text).unwrap();
    }
    assert_eq!(work.run(&["report", "small.toml"]).code, 0);
}

#[test]
fn a_digit_that_was_turned_in_a_log_of_games_is_noticed() {
    let work = Workdir::new();
    let play = ["match", "pesto", "material", "--games", "2", "--nodes", "50", "--log", "log"];
    assert_eq!(work.run(&play).code, 0);
    let path = work.path().join("log");
    let text = std::fs::read_to_string(&path).unwrap();
    for (number, line) in (1..).zip(text.lines()) {
        std::fs::write(&path, text.replacen(line, &changed(line), 1)).unwrap();
        let answer = work.run(&play);
        assert_ne!(answer.code, 0, "{}", answer.out);
        answer.assert_shows(&[&format!("log, line {number}: "), "checksum", "done again"]);
    }
    std::fs::write(&path, text).unwrap();
    assert_eq!(work.run(&play).code, 0);
}
