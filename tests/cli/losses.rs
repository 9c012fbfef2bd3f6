//! Nothing is lost in silence: entries read, written and dropped.

use std::io::Write;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use crate::support::{Answer, Workdir, games};

/// A game of three moves with scores.
const GAME: &str =
    "[Event \"?\"]\n[Result \"1-0\"]\n\n1. e4 {wv=0.30} e5 {wv=0.20} 2. Nf3 {wv=0.30} 1-0\n\n";

fn source() -> &'static str {
    games().to_str().unwrap()
}

fn run(work: &Workdir, code: i32, args: &[&str]) -> Answer {
    let answer = work.run(args);
    assert_eq!(answer.code, code, "{args:?}: {}{}", answer.out, answer.err);
    answer
}

/// The number before a word of a summary.
fn number(text: &str, line: &str, word: &str) -> u64 {
    let line = text.lines().find(|found| found.starts_with(line)).unwrap_or_else(|| {
        panic!("no line {line:?} in:\n{text}");
    });
    let words: Vec<&str> = line.split_whitespace().collect();
    let at = words.iter().position(|found| found.trim_end_matches(',') == word).unwrap();
    words[at - 1].replace(',', "").parse().unwrap()
}

#[test]
fn games_that_would_lose_moves_are_refused_and_named() {
    let work = Workdir::new();
    let result = |game: &str, tag: &str| game.replace("[Result \"1-0\"]", tag);
    for (bad, reply) in [
        (GAME.replace("2. Nf3", "2. Zf6"), "line 9: move 2: `Zf6` is no move"),
        (GAME.replace(" 1-0\n\n", "\n\n"), "line 9: the game has no end marker behind 3 moves"),
        (
            result(GAME, "[Result \"0-1\"]"),
            "line 9: the tag `Result` is `0-1`, and the end marker `1-0`",
        ),
        (GAME.replace("e5 {", "e5 ("), "line 9: move 2: a variation is opened here and never"),
        (GAME.replace("\"?\"", "?"), "line 6: `[Event ?]` is no tag"),
    ] {
        work.file("a.pgn", &[GAME, &bad, GAME].concat());
        let checked = run(&work, 1, &["data", "check", "a.pgn"]);
        assert!(checked.out.contains("a.pgn: 2 sound, 1 defect"), "{reply}: {}", checked.out);
        assert!(checked.out.contains(&format!("a.pgn: game 2, {reply}")), "{}", checked.out);
        let converted = run(&work, 0, &["data", "convert", "a.pgn", "b.pgn"]);
        converted.assert_shows(&["not read: 1 (1 ", reply]);
        assert_eq!(number(&converted.out, "read: ", "games"), 2);
        assert_eq!(number(&converted.out, "b.pgn: ", "positions"), 6);
    }
    for (tag, result) in [("[Result \"*\"]", "1-0"), ("[White \"Ann\"]", "1-0")] {
        work.file("a.pgn", &self::tagged(tag));
        run(&work, 0, &["data", "convert", "a.pgn", "b.pgn"]);
        let text = std::fs::read_to_string(work.path().join("b.pgn")).unwrap();
        assert!(text.contains(&format!("[Result \"{result}\"]")), "{text}");
    }
}

fn tagged(tag: &str) -> String {
    GAME.replace("[Result \"1-0\"]", tag)
}

#[test]
fn a_file_cut_anywhere_is_noticed() {
    let work = Workdir::new();
    for name in ["a.pgn", "a.txt"] {
        run(&work, 0, &["data", "convert", source(), name]);
        let whole = std::fs::read_to_string(work.path().join(name)).unwrap();
        for part in 1..60 {
            let cut = whole.len() * part / 60 + part % 7;
            let kept = &whole[..cut];
            std::fs::write(work.path().join(name), kept).unwrap();
            let answer = work.run(&["data", "check", name]);
            // Between two entries there is nothing to notice.
            let ends = match name {
                "a.pgn" => ["1-0", "0-1", "1/2-1/2", "1/2", "*"].iter().any(|marker| {
                    let kept = kept.trim_end();
                    kept.ends_with(&format!(" {marker}")) || kept.ends_with(&format!("\n{marker}"))
                }),
                _ => kept.ends_with('\n') || [".0", ".5"].iter().any(|end| kept.ends_with(end)),
            };
            assert_eq!(answer.code, i32::from(!ends), "{name} cut at {cut}: {}", answer.out);
        }
    }
}

#[test]
fn noise_is_no_game() {
    let work = Workdir::new();
    let mut state = 1u64;
    let mut next = || {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 56) as u8
    };
    let noise: Vec<u8> = (0..100_000).map(|_| next()).collect();
    for name in ["noise.pgn", "noise.epd", "noise.data", "noise.bin", "noise.viri"] {
        std::fs::write(work.path().join(name), &noise).unwrap();
        let checked = run(&work, 1, &["data", "check", name]);
        let sound =
            checked.out.contains(": 0 sound, ") || checked.shows("the file is damaged there");
        assert!(sound, "{name}: {}{}", checked.out, checked.err);
        let out = run(&work, 1, &["data", "convert", name, "out.txt"]);
        assert!(!work.path().join("out.txt").exists(), "{name}: {}", out.err);
    }
}

#[test]
fn summaries_say_what_is_in_the_files() {
    let work = Workdir::new();
    let unscored = GAME.replace("{wv=0.20} ", "").replace("1-0\n\n", "{wv=M3} 1-0\n\n");
    work.file(
        "a.pgn",
        &[GAME, &unscored, &tagged("[Result \"*\"]").replace(" 1-0\n", " *\n")].concat(),
    );
    for name in ["a.txt", "a.data"] {
        let reply = run(&work, 0, &["data", "convert", "a.pgn", name]);
        let bytes = std::fs::read(work.path().join(name)).unwrap();
        let entries = match name {
            "a.txt" => bytes.iter().filter(|&&c| c == b'\n').count(),
            _ => bytes.len() / 32,
        };
        assert_eq!(entries, 5);
        assert_eq!(number(&reply.out, "read: ", "games"), 3);
        assert_eq!(number(&reply.out, "read: ", "positions"), 9);
        assert!(reply.out.contains(&format!("{name}: 5 positions, ")), "{}", reply.out);
        let parts = ["dropped, positions without a score: 1", "without a result: 3"];
        reply.assert_shows(&parts);
    }
    let filtered = ["data", "filter", "a.pgn", "b.txt", "--positions", "quiet", "--finished"];
    let reply = run(&work, 0, &filtered);
    for part in [
        "read: 3 games, 9 positions",
        "dropped: 1 games, 3 positions",
        "dropped: 2 positions (1 without a score, 1 with a mate",
        "b.txt: 4 positions",
    ] {
        assert!(reply.out.contains(part), "{part}: {}", reply.out);
    }
    let unserved = run(&work, 1, &["data", "filter", "a.txt", "c.txt", "--positions", "quiet"]);
    unserved.assert_shows(&["it has no moves", "quiet_lists = true"]);
}

#[test]
fn scores_beyond_a_format_are_kept_where_they_can_be_and_counted_where_not() {
    let work = Workdir::new();
    let scores = ["309.99", "-320.00", "987.65", "M3", "M1200"];
    let moves = ["1. e4", "e5", "2. Nf3", "Nc6", "3. Bb5"];
    let moves: Vec<String> =
        moves.iter().zip(scores).map(|(m, score)| format!("{m} {{wv={score}}}")).collect();
    work.file("a.pgn", &format!("[Result \"1-0\"]\n\n{} 1-0\n", moves.join("\n")));
    let kept = |name: &str| {
        run(&work, 0, &["data", "convert", name, "back.pgn"]);
        let text = std::fs::read_to_string(work.path().join("back.pgn")).unwrap();
        let scores =
            text.split("{wv=").skip(1).map(|rest| rest.split('}').next().unwrap().to_owned());
        scores.collect::<Vec<_>>()
    };
    run(&work, 0, &["data", "shuffle", "a.pgn", "b.pgn"]);
    assert_eq!(kept("b.pgn"), scores);
    for (name, expected, reply) in [
        (
            "a.oarc",
            ["309.99", "-320.00", "327.67", "M3", "M1200"],
            "written as the nearest it can: 1",
        ),
        (
            "a.viri",
            ["309.99", "-309.99", "309.99", "M3", "M1000"],
            "written as the nearest it can: 2",
        ),
    ] {
        let answer = run(&work, 0, &["data", "convert", "a.pgn", name]);
        answer.assert_shows(&[
            "scores larger than the format can hold",
            reply,
            "game 1, ply 3: 987.65",
        ]);
        assert_eq!(kept(name), expected, "{name}");
    }
    let list = run(&work, 0, &["data", "convert", "a.pgn", "a.txt"]);
    list.assert_shows(&["nearest it can: 2", "mates further away than the format can hold"]);
    let text = std::fs::read_to_string(work.path().join("a.txt")).unwrap();
    assert!(text.contains("| 30999 | 1.0") && text.contains("| -30999 | 1.0"), "{text}");
}

#[test]
fn nothing_left_is_an_error_and_no_file() {
    let work = Workdir::new();
    work.file("bare.pgn", "[Result \"1-0\"]\n\n1. e4 e5 1-0\n");
    work.file("bad.pgn", "1. e4 Zf6 *\n");
    work.file("empty.pgn", "");
    let left = |args: &[&str], parts: &[&str]| {
        let answer = run(&work, 1, args);
        answer.assert_shows(parts);
        for name in ["out.data", "out.oarc", "more.oarc"] {
            let path = work.path().join(name);
            assert!(!path.exists() && !path.with_added_extension("partial").exists(), "{args:?}");
        }
    };
    let unscored = ["`out.data` is not written", "1 games, 2 positions", "without a score: 2"];
    for command in ["convert", "shuffle", "dedup"] {
        left(&["data", command, "bare.pgn", "out.data"], &unscored);
        left(
            &["data", command, "bad.pgn", "out.oarc"],
            &["`out.oarc` is not written", "0 positions"],
        );
        left(&["data", command, "empty.pgn", "out.oarc"], &["`out.oarc` is not written"]);
    }
    let quiet = ["data", "filter", "bare.pgn", "out.data", "--positions", "quiet"];
    left(&quiet, &["nothing is left", "The games carry no scores"]);
    left(&["data", "filter", "bare.pgn", "out.oarc", "--scored"], &["nothing is left to write"]);
    let split = ["data", "split", "bad.pgn", "--train", "out.oarc", "--validation", "more.oarc"];
    left(&split, &["is not written"]);
    for command in ["check", "inspect", "stats", "head"] {
        run(&work, 1, &["data", command, "empty.pgn"]).assert_shows(&["empty.pgn"]);
        let bad = run(&work, 1, &["data", command, "bad.pgn"]);
        assert!(
            format!("{}{}", bad.out, bad.err).contains("`Zf6` is no move"),
            "{command}: {bad:?}"
        );
    }
    let mixed = [
        "data",
        "split",
        "bare.pgn",
        "--train",
        "t.oarc",
        "--validation",
        "v.oarc",
        "--share",
        "0",
    ];
    run(&work, 0, &mixed).assert_shows(&["warning: nothing fell to the side of `v.oarc`"]);
}

#[test]
fn advice_for_scores_that_mean_mate_helps() {
    let work = Workdir::new();
    work.file("a.txt", &"4k3/8/8/8/8/8/8/4K2R w - - 0 1 | 32000 | 1.0\n".repeat(3));
    let filter =
        |filter: &str| work.run(&["data", "filter", "a.txt", "b.txt", "--positions", filter]);
    let answer = filter("{ quiet_lists = true, max_score = 40000 }");
    assert_eq!(answer.code, 1);
    answer.assert_shows(&["are mates, which no `max_score` keeps: use `filter = \"none\"`"]);
    assert_eq!(filter("none").code, 0);
    let quiet = filter("{ base = \"none\", checks = false, quiet_lists = true, tactical = false }");
    assert_eq!(quiet.code, 0, "{}", quiet.err);
}

/// The first game comes while the rest of the file does not.
#[test]
fn the_head_of_a_file_takes_no_more_than_it_shows() {
    let work = Workdir::new();
    run(&work, 0, &["data", "convert", source(), "a.oarc", "--block", "2"]);
    run(&work, 0, &["data", "convert", source(), "a.pgn"]);
    for name in ["a.oarc", "a.pgn"] {
        let bytes = std::fs::read(work.path().join(name)).unwrap();
        let mut head = Command::new(env!("CARGO_BIN_EXE_oplus"))
            .args(["data", "head", "-", "--count", "1"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut pipe = head.stdin.take().unwrap();
        pipe.write_all(&bytes[..bytes.len() / 2]).unwrap();
        assert!(ends(&mut head), "{name}");
        drop(pipe);
        let out = head.wait_with_output().unwrap();
        let text = String::from_utf8(out.stdout).unwrap();
        assert!(out.status.success() && text.matches("[Result ").count() == 1, "{name}: {text}");
    }
}

/// Whether a program ends within a minute.
fn ends(child: &mut Child) -> bool {
    let begun = Instant::now();
    while begun.elapsed() < Duration::from_secs(60) {
        if child.try_wait().unwrap().is_some() {
            return true;
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    child.kill().unwrap();
    false
}
