//! Bad input: an error that names the file, the place and the fix, the right
//! exit code, and nothing half-written.

use crate::support::{Answer, Workplace, games};

/// Runs the small experiment with a change to its text.
fn run_with(work: &Workplace, from: &str, to: &str) -> Answer {
    let path = work.experiment("small.toml");
    let text = std::fs::read_to_string(&path).unwrap();
    assert!(text.contains(from), "{from}");
    std::fs::write(&path, text.replace(from, to)).unwrap();
    work.run(&["run", "small.toml"])
}

fn assert_usage(answer: &Answer, parts: &[&str]) {
    assert_eq!(answer.code, 2, "{}", answer.err);
    assert_told(answer, parts);
}

fn assert_failed(answer: &Answer, parts: &[&str]) {
    assert_eq!(answer.code, 1, "{}", answer.err);
    assert_told(answer, parts);
}

fn assert_told(answer: &Answer, parts: &[&str]) {
    for part in parts {
        assert!(answer.err.contains(part), "{part:?} is not in:\n{}", answer.err);
    }
    assert!(!answer.err.contains("panicked"), "{}", answer.err);
}

#[test]
fn an_unknown_key_names_the_nearest() {
    let work = Workplace::new();
    let answer = run_with(&work, "epochs = 3", "epoch = 3");
    assert_usage(
        &answer,
        &["small.toml", "unknown field `epoch`", "did you mean `epochs`?", "───"],
    );
    assert!(!work.path().join("runs").exists());
}

#[test]
fn an_unknown_feature_name_names_the_nearest() {
    let work = Workplace::new();
    let answer = run_with(&work, "\"ALL\", \"H", "\"AL\", \"H");
    assert_usage(
        &answer,
        &["small.toml", "unknown feature set `AL`", "did you mean `ALL`?", "features ="],
    );
    let answer = work.run(&["features", "ALL + PHH"]);
    assert_usage(&answer, &["unknown feature set `PHH`", "did you mean `PH`?"]);
}

#[test]
fn a_mistake_in_a_definition_is_shown_in_its_line() {
    let work = Workplace::new();
    let answer = run_with(&work, "{d4, e4, d5, e5}", "{d4, e9}");
    assert_usage(&answer, &["small.toml", "`e9` is no element", "CENTRE ="]);
}

#[test]
fn concepts_that_make_no_sense_are_pointed_at() {
    let work = Workplace::new();
    let answer = work.run(&["features", "piece(FILES * FILES)"]);
    assert_usage(&answer, &["`piece` is given FILES twice", "a second time"]);
    let answer = run_with(&work, "\"ALL\", \"H", "\"piece(FILES * FILES)\", \"H");
    assert_usage(&answer, &["small.toml", "`piece` is given FILES twice"]);
}

#[test]
fn numbers_out_of_range_are_pointed_at() {
    let work = Workplace::new();
    assert_usage(&run_with(&work, "l1 = [16]", "l1 = [12]"), &["l1 = 12", "multiple of 8"]);
    assert_usage(&run_with(&work, "= 2e-3", "= 0.0"), &["learning_rate", "above 0"]);
    assert_usage(&run_with(&work, "reference = \"ALL\"", "reference = \"PV\""), &["`PV`", "grid"]);
}

#[test]
fn an_empty_dataset_fails() {
    let work = Workplace::new();
    work.file("empty.pgn", "");
    let answer = run_with(&work, games().to_str().unwrap(), "empty.pgn");
    assert_failed(&answer, &["empty.pgn"]);
    let answer = run_with(&work, games().to_str().unwrap(), "missing.pgn");
    assert_failed(&answer, &["missing.pgn"]);
}

#[test]
fn no_position_left_after_filtering_fails() {
    let work = Workplace::new();
    work.file("unscored.pgn", "[Event \"?\"]\n[Result \"1-0\"]\n\n1. e4 e5 2. Nf3 Nc6 1-0\n");
    let answer = run_with(&work, games().to_str().unwrap(), "unscored.pgn");
    assert_failed(&answer, &["unscored.pgn", "score"]);
}

#[test]
fn a_batch_larger_than_the_data_fails() {
    let work = Workplace::new();
    assert_failed(&run_with(&work, "batch = 256", "batch = 100_000"), &["100000", "batch"]);
}

#[test]
fn damaged_nets_fail() {
    let work = Workplace::new();
    let out = ["train", "H", "--data", games().to_str().unwrap(), "--out", "net"];
    let small = [
        "--l1",
        "8",
        "--l2",
        "8",
        "--epochs",
        "1",
        "--positions-per-epoch",
        "512",
        "--batch",
        "256",
    ];
    let trained = work.run(&[&out[..], &small[..]].concat());
    assert_eq!(trained.code, 0, "{}", trained.err);
    let bytes = std::fs::read(work.path().join("net/net.oplus")).unwrap();

    std::fs::write(work.path().join("cut.oplus"), &bytes[..bytes.len() / 2]).unwrap();
    for command in [
        &["net", "info", "cut.oplus"][..],
        &["uci", "--net", "cut.oplus"],
        &["bench", "--net", "cut.oplus"],
    ] {
        assert_failed(&work.run(command), &["cut.oplus", "cut off or damaged"]);
    }
    let mut flipped = bytes.clone();
    *flipped.last_mut().unwrap() ^= 1;
    std::fs::write(work.path().join("flipped.oplus"), &flipped).unwrap();
    assert_failed(
        &work.run(&["net", "info", "flipped.oplus"]),
        &["flipped.oplus", "checksum mismatch at byte"],
    );
    work.file("not.oplus", "hello");
    assert_failed(&work.run(&["net", "info", "not.oplus"]), &["not.oplus", "not an oplus net"]);

    // The checkpoint in `net` belongs to H.
    let other = ["train", "V", "--data", games().to_str().unwrap(), "--out", "net"];
    let before = std::fs::read(work.path().join("net/checkpoint.bin")).unwrap();
    assert_failed(&work.run(&[&other[..], &small[..]].concat()), &["checkpoint.bin"]);
    assert_eq!(
        std::fs::read(work.path().join("net/checkpoint.bin")).unwrap(),
        before,
        "nothing lost"
    );
}

/// A file size limit stands in for a full disk: writes fail with an error.
#[test]
#[cfg(unix)]
fn a_full_disk_fails_and_leaves_nothing_half_written() {
    let work = Workplace::new();
    work.experiment("small.toml");
    let binary = assert_cmd::cargo::cargo_bin("oplus");
    // 1 or 2 MiB, depending on the shell's blocks: enough for the registry, not
    // for a checkpoint of ALL at 256.
    let script = format!(
        "trap '' XFSZ; ulimit -f 2048; exec {} run small.toml --set 'grid.l1=[256]'",
        binary.display()
    );
    let output = std::process::Command::new("sh")
        .current_dir(work.path())
        .args(["-c", &script])
        .output()
        .unwrap();
    let answer = Answer::from(output);
    assert_failed(&answer, &["too large"]);
    // What is there is whole; what did not fit is not there at all.
    let files = walk(&work.path().join("runs/small"));
    assert!(
        !files.iter().any(|name| name.contains("/all-256") && !name.ends_with(".jsonl")),
        "{files:?}"
    );
    for net in files.iter().filter(|name| name.ends_with("net.oplus")) {
        assert_eq!(work.run(&["net", "info", net]).code, 0, "{net}");
    }
    // With room again it goes on.
    let again = work.run(&["run", "small.toml", "--set", "grid.l1=[256]"]);
    assert_eq!(again.code, 0, "{}", again.err);
}

fn walk(dir: &std::path::Path) -> Vec<String> {
    let entries = std::fs::read_dir(dir).into_iter().flatten().flatten();
    entries
        .flat_map(|entry| match entry.path() {
            path if path.is_dir() => walk(&path),
            path => vec![path.display().to_string()],
        })
        .collect()
}

const GOOD_GAME: &str = "[Event \"?\"]\n[Result \"1-0\"]\n\n1. e4 { [%eval 0.3] } e5 { [%eval 0.2] } 2. Nf3 { [%eval 0.3] } Nc6 { [%eval 0.25] } 3. Bb5 { [%eval 0.3] } a6 { [%eval 0.3] } 1-0\n\n";

#[test]
fn illegal_moves_in_a_pgn_are_skipped_and_counted() {
    let work = Workplace::new();
    let bad =
        "[Event \"?\"]\n[Result \"1-0\"]\n\n1. e4 { [%eval 0.3] } Ke4 { [%eval 0.3] } 1-0\n\n";
    let mut pgn = String::new();
    for i in 0..400 {
        pgn.push_str(&GOOD_GAME.replace("a6 {", ["a6 {", "Nf6 {", "d6 {", "f5 {", "Nd4 {"][i % 5]));
        if i % 100 == 0 {
            pgn.push_str(bad);
        }
    }
    work.file("games.pgn", &pgn);
    let path = work.experiment("small.toml");
    let text = std::fs::read_to_string(&path).unwrap();
    let text = text.replace(games().to_str().unwrap(), "games.pgn").replace("0.2", "0.4");
    std::fs::write(&path, text).unwrap();
    let answer = work.run(&["run", "small.toml"]);
    assert_eq!(answer.code, 0, "{}", answer.err);
    assert_told(&answer, &["4 games skipped", "games.pgn", "Ke4"]);
    assert_eq!(answer.err.matches("Ke4").count(), 3, "the first three are shown: {}", answer.err);
}

#[test]
fn malformed_puzzle_lines_are_skipped_and_counted() {
    let work = Workplace::new();
    work.experiment("small.toml");
    let bad = format!("{}b1,not a fen,e2e4 e7e5,,,,,,,\nb2\n", crate::support::PUZZLES);
    work.file("puzzles.csv", &bad);
    let answer = work.run(&["run", "small.toml"]);
    assert_eq!(answer.code, 0, "{}", answer.err);
    assert_told(&answer, &["2 puzzles skipped", "puzzles.csv", "4"]);
}
