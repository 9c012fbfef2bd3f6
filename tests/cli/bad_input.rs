//! Bad input: an error that names the file, the place and the fix, the right
//! exit code, and nothing half-written.

use crate::support::{Answer, OPLUS, Workdir, games};

/// Runs the small experiment with a change to its text.
fn run_with(work: &Workdir, from: &str, to: &str) -> Answer {
    let path = work.experiment("small.toml");
    let text = std::fs::read_to_string(&path).unwrap();
    assert!(text.contains(from), "{from}");
    std::fs::write(&path, text.replace(from, to)).unwrap();
    work.run(&["run", "small.toml"])
}

fn assert_usage(answer: &Answer, parts: &[&str]) {
    assert_eq!(answer.code, 2, "{}", answer.err);
    assert_message(answer, parts);
}

fn assert_failed(answer: &Answer, parts: &[&str]) {
    assert_eq!(answer.code, 1, "{}", answer.err);
    assert_message(answer, parts);
}

fn assert_message(answer: &Answer, parts: &[&str]) {
    answer.assert_shows(parts);
    assert!(!answer.err.contains("panicked"), "{}", answer.err);
}

#[test]
fn an_unknown_key_names_the_nearest() {
    let work = Workdir::new();
    let answer = run_with(&work, "epochs = 3", "epoch = 3");
    assert_usage(
        &answer,
        &["small.toml", "unknown field `epoch`", "did you mean `epochs`?", "^^^"],
    );
    assert!(!work.path().join("runs").exists());
}

#[test]
fn an_unknown_feature_name_names_the_nearest() {
    let work = Workdir::new();
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
    let work = Workdir::new();
    let answer = run_with(&work, "{d4, e4, d5, e5}", "{d4, e9}");
    assert_usage(&answer, &["small.toml", "`e9` is no element", "CENTRE ="]);
}

#[test]
fn concepts_that_make_no_sense_are_pointed_at() {
    let work = Workdir::new();
    let answer = work.run(&["features", "piece(FILES * FILES)"]);
    assert_usage(&answer, &["`piece` is given FILES twice", "a second time"]);
    let answer = run_with(&work, "\"ALL\", \"H", "\"piece(FILES * FILES)\", \"H");
    assert_usage(&answer, &["small.toml", "`piece` is given FILES twice"]);
}

#[test]
fn numbers_out_of_range_are_pointed_at() {
    let work = Workdir::new();
    const LAYERS: &str = "[\"16 -> 8 -> 1\"]";
    for (lines, reply) in [
        ("[\"16 -> 8 -> 1\", \"12 -> 1\"]", ["12 neurons are no multiple of 8", "is 16"]),
        ("[\"16 -> 8 -> 1, buckets 33\"]", ["1 to 32 buckets by pieces", "8 is usual"]),
        ("[\"16 screl -> 1\"]", ["unknown activation `screl`", "did you mean `screlu`?"]),
        ("[\"16 -> 8 -> 1\", \"16->8->1\"]", ["these layers are listed twice", "again"]),
        ("[]", ["layers is an empty list", "remove it"]),
    ] {
        let answer = run_with(&work, LAYERS, lines);
        assert_usage(&answer, &["small.toml", reply[0], reply[1]]);
    }
    let answer = run_with(&work, "layers = [\"16 -> 8 -> 1\"]", "l1 = [16]\nl2 = [8]");
    assert_usage(&answer, &["small.toml", "unknown field `l1`", "known here: features, layers"]);
    assert_usage(
        &run_with(&work, "= 2e-3", "= 2e-3\nclip_weights = -1.98"),
        &["clip_weights is -1.98", "above 0"],
    );
    assert_usage(&run_with(&work, "= 2e-3", "= 0.0"), &["learning_rate", "above 0"]);
    assert_usage(&run_with(&work, "reference = \"ALL\"", "reference = \"PV\""), &["`PV`", "grid"]);
}

#[test]
fn layers_that_cannot_be_are_refused_on_the_command_line() {
    let work = Workdir::new();
    let train = ["train", "H", "--data", games().to_str().unwrap(), "--out", "net"];
    for (flags, reply) in [
        (["--layers", "12 -> 1"], ["12 neurons are no multiple of 8", "the nearest is 16"]),
        (["--layers", "8 -> 12 -> 1"], ["12 neurons are no multiple of 8", "^^"]),
        (["--layers", "8 -> 1, buckets 33"], ["1 to 32 buckets by pieces", "out of range"]),
        (["--layers", "8 screl -> 1"], ["unknown activation `screl`", "did you mean `screlu`?"]),
        (["--layers", "24 pairwise -> 1"], ["no multiple of 16", "the nearest is 32"]),
        (["--layers", "8 -> 8 -> 1 dual"], ["`dual` after the output", "-> 1"]),
    ] {
        assert_usage(&work.run(&[&train[..], &flags].concat()), &reply);
    }
    assert!(!work.path().join("net").exists());
}

#[test]
fn an_empty_dataset_fails() {
    let work = Workdir::new();
    work.file("empty.pgn", "");
    let answer = run_with(&work, games().to_str().unwrap(), "empty.pgn");
    assert_failed(&answer, &["empty.pgn"]);
    let answer = run_with(&work, games().to_str().unwrap(), "missing.pgn");
    assert_failed(&answer, &["missing.pgn"]);
}

#[test]
fn no_position_left_after_filtering_fails() {
    let work = Workdir::new();
    work.file("unscored.pgn", "[Event \"?\"]\n[Result \"1-0\"]\n\n1. e4 e5 2. Nf3 Nc6 1-0\n");
    let answer = run_with(&work, games().to_str().unwrap(), "unscored.pgn");
    assert_failed(&answer, &["unscored.pgn", "score"]);
}

#[test]
fn a_batch_larger_than_the_data_fails() {
    let work = Workdir::new();
    assert_failed(&run_with(&work, "batch = 256", "batch = 100_000"), &["100000", "batch"]);
}

/// `oplus train` of a small net with options.
fn train(work: &Workdir, options: &[&str]) -> Answer {
    let base = ["train", "ALL", "--data", games().to_str().unwrap(), "--out", "net"];
    let small = ["--epochs=1", "--positions-per-epoch=512"];
    let batch =
        if options.iter().any(|o| o.starts_with("--batch")) { &[][..] } else { &["--batch=256"] };
    work.run(&[&base[..], &small, batch, options].concat())
}

#[test]
fn training_options_that_make_no_sense_are_refused() {
    let work = Workdir::new();
    for (options, parts) in [
        (&["--learning-rate=0"][..], &["training.learning_rate is 0", "above 0"][..]),
        (&["--learning-rate=-1e-3"], &["training.learning_rate is -0.001", "above 0"]),
        (&["--schedule=cosin:final=0"], &["unknown variant `cosin`", "cosine:final=1e-5"]),
        (&["--schedule=cosine:final=1"], &["training.schedule.final is 1", "learning rate"]),
        (&["--optimiser=adamx"], &["`adamx`", "`adam`, `adamw`, `ranger`"]),
        (&["--weight-decay=0.1"], &["training.weight_decay is 0.1", "adamw"]),
        (&["--wdl=2"], &["training.wdl is 2", "from 0"]),
        (&["--wdl=much"], &["`much` is no WDL weight", "0..0.5"]),
        (&["--warmup=9"], &["training.warmup is 9", "fewer steps"]),
    ] {
        assert_usage(&train(&work, options), parts);
    }
    assert!(!work.path().join("net").exists());
    let answer = train(&work, &["--batch=100000"]);
    assert_failed(&answer, &["training.batch = 100000", "training positions", "lower"]);
    assert!(!work.path().join("net").exists());
}

#[test]
fn a_schedule_out_of_range_is_pointed_at() {
    let work = Workdir::new();
    let schedule = "= 2e-3\nschedule = { kind = \"linear\", final = 1.0 }";
    let answer = run_with(&work, "= 2e-3", schedule);
    assert_usage(&answer, &["small.toml", "training.schedule.final is 1", "^^^"]);
    let answer = run_with(&work, "= 2e-3", "= 2e-3\nschedule = { kind = \"linea\" }");
    assert_usage(&answer, &["small.toml", "unknown variant `linea`", "did you mean `linear`?"]);
}

#[test]
fn the_checkpoint_of_another_architecture_is_refused() {
    let work = Workdir::new();
    assert_eq!(train(&work, &["--layers=8->8->1"]).code, 0);
    let path = work.path().join("net/checkpoint.bin");
    let before = std::fs::read(&path).unwrap();
    let answer = train(&work, &["--layers=16->8->1"]);
    assert_failed(
        &answer,
        &[
            "net/checkpoint.bin",
            "its layers is 8 -> 8 -> 1, here it is 16 -> 8 -> 1",
            "choose another directory",
        ],
    );
    assert_eq!(std::fs::read(&path).unwrap(), before, "nothing lost");
}

#[test]
fn results_that_are_wanted_must_be_there() {
    let work = Workdir::new();
    let undecided = GOOD_GAME.replace("1-0", "*");
    let train = |pgn: &str| {
        work.file("games.pgn", pgn);
        let data = ["--data", "games.pgn", "--out", "net", "--batch", "2", "--epochs", "1"];
        let sizes = ["--layers", "8 -> 8 -> 1", "--positions-per-epoch", "4"];
        let rest = ["--validation", "0", "--wdl", "0.5"];
        work.run(&[&["train", "ALL"][..], &data, &sizes, &rest].concat())
    };
    let answer = train(&undecided.repeat(3));
    assert_failed(&answer, &["training.wdl is 0.5", "no training position has the result"]);
    assert!(!work.path().join("net").exists());
    let answer = train(&format!("{GOOD_GAME}{undecided}"));
    assert_eq!(answer.code, 0, "{}", answer.err);
    let share = "warning: 50.0 % of the training positions have no result";
    assert_message(&answer, &[share, "training.wdl is 0.5"]);
}

#[test]
fn damaged_nets_fail() {
    let work = Workdir::new();
    let out = ["train", "H", "--data", games().to_str().unwrap(), "--out", "net"];
    let small = [
        "--layers",
        "8 -> 8 -> 1",
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
    let work = Workdir::new();
    work.experiment("small.toml");
    // 1 or 2 MiB, depending on the shell's blocks: enough for the registry, not
    // for a checkpoint of ALL at 256.
    let script = format!(
        "trap '' XFSZ; ulimit -f 2048; exec {OPLUS} run small.toml --set 'grid.layers=[\"256 -> 8 -> 1\"]'"
    );
    let output = std::process::Command::new("sh")
        .current_dir(work.path())
        .args(["-c", &script])
        .output()
        .unwrap();
    let answer = Answer::from(output);
    assert_failed(&answer, &["too large"]);
    // Written files are whole; files that did not fit do not exist.
    let files = walk(&work.path().join("runs/small"));
    assert!(
        !files.iter().any(|name| {
            let is_small = name.ends_with(".jsonl") || name.ends_with(".lock");
            name.contains("/all-256") && !is_small
        }),
        "{files:?}"
    );
    for net in files.iter().filter(|name| name.ends_with("net.oplus")) {
        assert_eq!(work.run(&["net", "info", net]).code, 0, "{net}");
    }
    // With room again it goes on.
    let again = work.run(&["run", "small.toml", "--set", "grid.layers=[\"256 -> 8 -> 1\"]"]);
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
    let work = Workdir::new();
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
    assert_message(&answer, &["4 games skipped", "games.pgn", "Ke4"]);
    assert_eq!(answer.err.matches("Ke4").count(), 3, "the first three are shown: {}", answer.err);
}

#[test]
fn malformed_puzzle_lines_are_skipped_and_counted() {
    let work = Workdir::new();
    work.experiment("small.toml");
    let bad = format!("{}b1,not a fen,e2e4 e7e5,,,,,,,\nb2\n", crate::support::PUZZLES);
    work.file("puzzles.csv", &bad);
    let answer = work.run(&["run", "small.toml"]);
    assert_eq!(answer.code, 0, "{}", answer.err);
    assert_message(&answer, &["2 puzzles skipped", "puzzles.csv", "4"]);
}

const SCORED: &str = "4k3/8/8/8/8/8/P7/4K3 w - - 0 20 | 150 | 1.0\n";

/// Trains on a file; the answer is an error.
fn train_on(work: &Workdir, data: &str, more: &[&str]) -> Answer {
    let args = ["train", "H", "--data", data, "--out", "net"];
    let answer = work.run(&[&args[..], more].concat());
    assert!(!work.path().join("net").exists(), "{}", answer.err);
    answer
}

#[test]
fn filters_that_a_list_cannot_serve_are_named_with_what_to_write() {
    let work = Workdir::new();
    work.file("list.txt", SCORED);
    work.file("list.epd", "4k3/8/8/8/8/8/P7/4K3 w - - c9 \"1-0\";\n");
    let answer = train_on(&work, "list.txt", &[]);
    let instead = [
        "filter = { base = \"quiet\", quiet_lists = true }",
        "filter = { base = \"quiet\", tactical = true }",
    ];
    assert_failed(&answer, &["`list.txt`", "no moves", instead[0], instead[1]]);

    let answer = train_on(&work, "list.epd", &["--filter", "{ quiet_lists = true, min_ply = 8 }"]);
    let instead = "filter = { base = \"quiet\", quiet_lists = true, unscored = true }";
    assert_failed(&answer, &["`list.epd`", "no scores", "no move numbers", instead]);
    assert!(!answer.err.contains("no moves,"), "{}", answer.err);

    // The experiment names the file before it reads the games.
    let both = format!("{}\", \"list.txt", games().display());
    let answer = run_with(&work, games().to_str().unwrap(), &both);
    assert_failed(&answer, &["`list.txt`", "no moves"]);
}

#[test]
fn positions_without_scores_are_trained_on_results_alone() {
    let work = Workdir::new();
    let answer = train_on(&work, "list.epd", &["--filter", "{ unscored = true }"]);
    assert_usage(&answer, &["unscored = true", "wdl = 0", "result weight of 1"]);
    let answer =
        run_with(&work, "validation = 0.2", "validation = 0.2\nfilter = { unscored = true }");
    assert_usage(&answer, &["small.toml", "unscored = true", "filter =", "result weight of 1"]);
    // Positions with neither have no target.
    work.file("suite.epd", "4k3/8/8/8/8/8/P7/4K3 w - - bm a4; id \"1\";\n");
    let unscored = ["--filter", "{ quiet_lists = true, unscored = true }", "--wdl", "1"];
    let answer = train_on(&work, "suite.epd", &unscored);
    assert_failed(&answer, &["suite.epd", "1 with neither score nor result", "c9"]);
}

#[test]
fn filters_that_make_no_sense_are_refused() {
    let work = Workdir::new();
    for (filter, part) in
        [("loud", "`loud`"), ("{ keep = 2 }", "not a share"), ("{ plies = 1 }", "plies")]
    {
        assert_usage(&train_on(&work, "list.txt", &["--filter", filter]), &["--filter", part]);
    }
    let answer = run_with(&work, "validation = 0.2", "validation = 0.2\nfilter = { keep = 1.5 }");
    assert_usage(&answer, &["small.toml", "1.5 is not a share", "filter ="]);
}

#[test]
fn lists_without_a_good_line_fail() {
    let work = Workdir::new();
    let quiet = ["--filter", "{ quiet_lists = true }"];
    work.file("bad.txt", "4k3/8/8 w - - | 1 | 0.5\n4k3/8/8/8/8/8/P7/4K3 w - - | x | 0.5\n");
    let answer = train_on(&work, "bad.txt", &quiet);
    assert_failed(&answer, &["no positions in `bad.txt`", "2 skipped", "line 1", "line 2"]);
    work.file("words.txt", "once upon a time\n");
    let answer = train_on(&work, "words.txt", &quiet);
    assert_failed(&answer, &["`words.txt` is in no known format", "once upon a time", ".pgn"]);
    work.file("list.txt", SCORED);
    let answer = work.run(&["puzzles", "mine", "list.txt", "--count", "1", "--out", "puzzles.csv"]);
    assert_failed(&answer, &["`list.txt`", "is a list of positions", "viriformat"]);
}

#[test]
fn malformed_lines_of_a_list_are_skipped_and_counted() {
    let work = Workdir::new();
    let bad = ["4k3/8/8 w - - | 1 | 0.5\n", "hello\n", &SCORED.replace("1.0", "2.0"), "\n| | |\n"];
    work.file("list.txt", &format!("{}{}", SCORED.repeat(300), bad.concat()));
    let small = "--layers=8->8->1 --epochs 1 --positions-per-epoch 256 --batch 256 --out net";
    let args = ["train", "H", "--data", "list.txt", "--filter", "{ quiet_lists = true }"];
    let small: Vec<&str> = small.split(' ').collect();
    let answer = work.run(&[&args[..], &small[..]].concat());
    assert_eq!(answer.code, 0, "{}", answer.err);
    assert_message(
        &answer,
        &["4 lines skipped", "list.txt: line 301: not a legal", "line 302", "`2.0`"],
    );
    assert!(!answer.err.contains("line 305"), "the first three are shown: {}", answer.err);
}
