//! Failures of later hours are errors before any training.

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use oplus::nnue::Architecture;
use oplus::training::{Footprint, TrainingConfig};

use crate::support::{Answer, OPLUS, Workdir, games};

/// Whether a run of the experiment, and a dry one, fail with this before any training.
fn fails(work: &Workdir, set: &[&str], parts: &[&str]) {
    work.experiment("small.toml");
    for dry in [&["--dry-run"][..], &[]] {
        let sets = set.iter().flat_map(|set| ["--set", set]);
        let arguments: Vec<&str> = ["run", "small.toml"].into_iter().chain(sets).collect();
        let answer = work.run(&[&arguments, dry].concat());
        assert_ne!(answer.code, 0, "{set:?}: {}", answer.err);
        answer.assert_shows(parts);
        assert!(!answer.err.contains("training H"), "{set:?}: {}", answer.err);
    }
    assert!(!trained(work.path()), "{set:?}");
}

fn trained(work: &Path) -> bool {
    let runs = std::fs::read_dir(work.join("runs/small")).into_iter().flatten();
    runs.flatten().any(|run| run.path().join("checkpoint.bin").exists())
}

#[test]
fn what_judging_needs_is_looked_at_before_training() {
    let work = Workdir::new();
    work.file("empty.csv", "PuzzleId,FEN,Moves\n");
    work.file("bad.epd", "8/8/8/8/8/8/8/8 w - -\n");
    fails(
        &work,
        &["evaluation.puzzles={ file = \"no.csv\" }"],
        &["evaluation.puzzles: ", "no.csv", "columns of Lichess", "remove `puzzles`"],
    );
    fails(&work, &["evaluation.puzzles={ file = \"empty.csv\" }"], &["empty.csv"]);
    let book = "evaluation.match=[{ nodes = 60, games = 6, openings = \"no.epd\" }]";
    fails(&work, &[book], &["evaluation.match: ", "no.epd", "without one there are"]);
    let book = "evaluation.match=[{ nodes = 60, games = 6, openings = \"bad.epd\" }]";
    fails(&work, &[book], &["evaluation.match: ", "bad.epd, line 1"]);
    let few = "evaluation.match=[{ nodes = 60, games = 600, random_plies = 1 }]";
    fails(&work, &[few], &["300 pairs", "found 20", "more random plies"]);
}

#[test]
fn folders_and_memory_are_looked_at_before_training() {
    let work = Workdir::new();
    let large = [
        "grid.layers=[\"32768 -> 8 -> 1\"]",
        "grid.features=[\"KING * enemy_king(SQUARES) * ALL\"]",
    ];
    let sets = [&large[..], &["evaluation.reference=\"\""]].concat();
    fails(
        &work,
        &sets,
        &["does not fit", "3145728 rows of 32768", "make the first layer narrower", "GiB"],
    );
    // A file where the folder of reports should be.
    work.file("reports", "");
    fails(&work, &[], &["the folder of the report", "reports/small"]);
}

/// Of a program that has no such device.
#[test]
#[cfg(not(feature = "ndarray"))]
fn devices_are_looked_at_before_training() {
    let work = Workdir::new();
    let parts = ["training.device: ", "without the ndarray backend", "--features ndarray"];
    fails(&work, &["training.device=\"ndarray\""], &parts);
}

#[test]
fn data_are_looked_at_in_a_dry_run() {
    let work = Workdir::new();
    fails(&work, &["data.train=[\"no.viri\"]"], &["no.viri"]);
    fails(&work, &["start=\"no.oplus\""], &["start: ", "no.oplus", "weights.safetensors"]);
    work.file("what.viri", "this is no viriformat at all\n");
    fails(&work, &["data.train=[\"what.viri\"]"], &["what.viri"]);
    fails(&work, &["training.batch=100_000"], &["training.batch = 100000", "lower training.batch"]);
    let strict = "data.filter={ min_ply = 5_000 }";
    fails(&work, &[strict], &["min_ply"]);
}

#[test]
fn a_dry_run_tells_memory_and_that_all_stands_ready() {
    let work = Workdir::new();
    work.experiment("small.toml");
    let plan = work.run(&["run", "small.toml", "--dry-run"]);
    assert_eq!(plan.code, 0, "{}", plan.err);
    let jobs = "0 of 22 jobs are done";
    for part in ["memory", "MiB", "32 bytes for each position", "device", "disk are ready", jobs] {
        assert!(plan.out.contains(part), "{part:?} is not in:\n{}", plan.out);
    }
    assert!(!work.path().join("runs").exists() && !work.path().join("reports").exists());
}

#[test]
fn values_that_cannot_be_meant_are_named() {
    let work = Workdir::new();
    let of_match = |rest: &str| format!("evaluation.match=[{{ nodes = 60, {rest} }}]");
    let cases = [
        (of_match("games = 0"), "games = 0: no games"),
        (of_match("games = 9_000_000_000_000_000_000"), "is out of range"),
        (of_match("games = 6, random_plies = 1_000"), "most games are over"),
        (of_match("games = -6"), "expected a whole number from 0 up"),
        ("evaluation.match=[{ nodes = 0 }]".to_owned(), "expected a whole number from 1 up"),
        ("evaluation.hash_mb=0".to_owned(), "hash_mb = 0"),
        ("data.positions=0".to_owned(), "positions = 0: no training positions"),
        ("grid.layers=[\"-8 -> 1\"]".to_owned(), "expected the width of a layer"),
        ("grid.layers=[\"10000000 -> 1\"]".to_owned(), "at most 32768"),
        ("grid.layers=[]".to_owned(), "layers is an empty list"),
        ("grid.features=[]".to_owned(), "no features"),
        ("grid.seed=[]".to_owned(), "seed is an empty list"),
        ("grid.seed=[2, 1, 2]".to_owned(), "seed 2 is listed twice"),
        ("grid.training={ epochs = [2, 4, 2] }".to_owned(), "training.epochs has 2 twice"),
        ("training.epochs=0".to_owned(), "training.epochs is 0"),
        ("training.batch=0".to_owned(), "training.batch is 0"),
        ("training.threads=1_000_000".to_owned(), "training.threads is 1000000"),
        ("training.positions_per_epoch=9_000_000_000_000_000_000".to_owned(), "2^53"),
    ];
    for (set, part) in &cases {
        work.experiment("small.toml");
        let answer = work.run(&["run", "small.toml", "--dry-run", "--set", set]);
        assert_eq!(answer.code, 2, "{set}: {}", answer.err);
        answer.assert_shows(&[part]);
    }
    let answer = work.run(&["run", "small.toml", "--dry-run", "--scale", "1e300"]);
    assert_eq!(answer.code, 2, "{}", answer.err);
}

#[test]
fn more_threads_than_a_machine_bears_are_refused() {
    let work = Workdir::new();
    let games = games().to_str().unwrap();
    let epd = ["puzzles", "epd", "positions.epd", "--threads"];
    let solve = ["puzzles", "solve", "puzzles.csv", "--threads"];
    let cases = [
        &["selfplay", "--out", "games.viri", "--threads"][..],
        &["train", "ALL", "--data", games, "--out", "net", "--threads"],
        &["bench", "train", "ALL", "--data", games, "--threads"],
        &["compare", "bundled", "pesto", "--time-concurrency"],
        &["match", "bundled", "pesto", "--concurrency"],
        &epd,
        &solve,
    ];
    for case in cases {
        let answer = work.run(&[case, &["100000000"]].concat());
        assert_eq!(answer.code, 2, "{case:?}: {}", answer.err);
        answer.assert_shows(&["100000000"]);
    }
    assert_eq!(work.run(&[&epd[..], &["0"]].concat()).code, 2);
}

/// `oplus train` with little data into the folder `net`.
fn train<'a>(expression: &'a str, options: &[&'a str]) -> Vec<&'a str> {
    let start = ["train", expression, "--data", games().to_str().unwrap(), "--out", "net"];
    let size = ["--epochs", "2", "--positions-per-epoch", "2048", "--batch", "256"];
    [&start[..], &size, options].concat()
}

#[test]
fn what_cannot_be_quantised_is_refused_before_it_is_trained() {
    let work = Workdir::new();
    for valued in ["ALL + PHASE * ALL", "count(H)"] {
        let answer = work.run(&train(valued, &["--layers", "16 -> 16 -> 1"]));
        assert_eq!(answer.code, 2, "{}", answer.err);
        answer.assert_shows(&["is a valued set", "--no-net"]);
        assert!(!work.path().join("net").exists());
    }
    let answer = work.run(&train("ALL + PHASE * ALL", &["--layers", "16 -> 16 -> 1", "--no-net"]));
    assert_eq!(answer.code, 0, "{}", answer.err);
    assert_eq!(answer.out.trim(), "net/metrics.csv");
    assert!(answer.err.contains("validation"), "{}", answer.err);
    assert!(!work.path().join("net/net.oplus").exists());
}

#[test]
fn a_net_that_does_not_fit_is_not_begun() {
    let work = Workdir::new();
    let answer =
        work.run(&train("KING * enemy_king(SQUARES) * ALL", &["--layers", "32768 -> 16 -> 1"]));
    assert_eq!(answer.code, 1, "{}", answer.err);
    answer.assert_shows(&[
        "does not fit",
        "3145728 rows of 32768",
        "are free",
        "make the first layer narrower",
    ]);
    assert!(!answer.err.contains("reading positions"), "{}", answer.err);
    assert!(!work.path().join("net").exists());
}

/// The same where it is not the machine that sets the limit.
#[test]
#[cfg(target_os = "linux")]
fn a_limit_on_memory_is_an_error_before_it_is_reached() {
    let work = Workdir::new();
    let words = train("\"KING * ALL\"", &["--layers='2048->16->1'"]).join(" ");
    let script = format!("ulimit -v 3500000; exec {OPLUS} {words}");
    let output = Command::new("sh").current_dir(work.path()).args(["-c", &script]).output();
    let answer = Answer::from(output.unwrap());
    assert_eq!(answer.code, 1, "{}", answer.err);
    answer.assert_shows(&["does not fit", "49152 rows of 2048"]);
}

#[test]
fn where_a_page_will_go_is_looked_at_first() {
    let work = Workdir::new();
    work.file("taken", "");
    work.experiment("small.toml");
    let solve = ["puzzles", "solve", "puzzles.csv", "--report", "taken/page"];
    let play = ["match", "pesto", "material", "--games", "2", "--nodes", "50"];
    let of_match = |option: &'static str, place| [&play[..], &[option, place]].concat();
    for (arguments, key) in [
        (solve.to_vec(), "--report"),
        (of_match("--report", "taken/page"), "--report"),
        (of_match("--pgn", "no/such/games.pgn"), "--pgn"),
        (of_match("--log", "."), "--log"),
        (train("ALL", &["--out", "taken"])[..].to_vec(), "--out"),
    ] {
        // The folder of the last one occurs twice; the first is as good.
        let arguments: Vec<&str> = match arguments.iter().rposition(|&word| word == "net") {
            Some(at) => [&arguments[..at - 1], &arguments[at + 1..]].concat(),
            None => arguments,
        };
        let answer = work.run(&arguments);
        assert_eq!(answer.code, 1, "{arguments:?}: {}", answer.err);
        answer.assert_shows(&[key, "help"]);
    }
}

/// The forecast is the disk that a run takes, begun and continued: not less, and not much more.
#[test]
#[cfg(target_os = "linux")]
fn the_forecast_of_memory_is_kept() {
    let work = Workdir::new();
    let layers = "256 -> 16 -> 1".parse().unwrap();
    let config = TrainingConfig { batch: 256, threads: 2, ..TrainingConfig::default() };
    let architecture = Architecture { features: 49_152, layers };
    let forecast = Footprint::of(architecture, &config, 32).peak();
    let train = |epochs| {
        let size = ["--layers", "256 -> 16 -> 1", "--threads", "2", "--epochs", epochs];
        let start = ["train", "KING * ALL", "--data", games().to_str().unwrap(), "--out", "net"];
        let some = ["--positions-per-epoch", "512", "--batch", "256"];
        peak(&work, &[&start[..], &size, &some].concat())
    };
    for most in [train("1"), train("2")] {
        assert!(most <= forecast, "{most} bytes of {forecast}");
        assert!(2 * most >= forecast, "{most} bytes of {forecast}");
    }
}

/// The most memory that the program has at once.
#[cfg(target_os = "linux")]
fn peak(work: &Workdir, arguments: &[&str]) -> u64 {
    let mut child = Command::new(OPLUS)
        .current_dir(work.path())
        .args(arguments)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let status = format!("/proc/{}/status", child.id());
    let mut most = 0;
    while child.try_wait().unwrap().is_none() {
        let text = std::fs::read_to_string(&status).unwrap_or_default();
        let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        let kibibytes = line.and_then(|line| line.split_whitespace().next()?.parse().ok());
        most = most.max(1024 * kibibytes.unwrap_or(0));
        std::thread::sleep(Duration::from_millis(5));
    }
    assert!(child.wait().unwrap().success());
    most
}
