//! `oplus compare`: from trained nets to what pays.

use crate::support::Workplace;

/// Few of everything.
const LITTLE: [&str; 12] = [
    "--node-games",
    "4",
    "--nodes",
    "50",
    "--time-games",
    "2",
    "--movetime",
    "2",
    "--price-games",
    "2",
    "--rounds",
    "1",
];

/// Sets of an experiment by their expressions, with puzzles; a second call finds
/// all games in the logs and says the same of them.
#[test]
fn sets_of_an_experiment_are_weighed() {
    let work = Workplace::new();
    work.experiment("small.toml");
    let set = ["--set", "grid.seed=[1, 2]", "--set", "training.epochs=1"];
    let trained = work.run(&[&["run", "small.toml"], &set[..]].concat());
    assert_eq!(trained.code, 0, "{}", trained.err);

    let puzzles = concat!(env!("CARGO_MANIFEST_DIR"), "/datasets/puzzles.csv");
    let compare = ["compare", "H + V", "ALL", "--puzzles", puzzles, "--puzzle-nodes", "0"];
    let all = [&compare[..], &["--out", "weighed"], &LITTLE].concat();
    let answer = work.run(&all);
    assert_eq!(answer.code, 0, "{}", answer.err);
    for part in ["H + V", "ALL", "50 nodes a move", "2 ms a move"] {
        assert!(answer.out.contains(part), "{part}: {}", answer.out);
    }
    // Unless a busy machine lost such short games on the clock.
    let prices = ["twice the time is worth", "the price of time is not told, since"];
    assert!(prices.iter().any(|told| answer.out.contains(told)), "{}", answer.out);
    let read = |name: &str| std::fs::read_to_string(work.path().join(name)).unwrap();
    let page = read("weighed/index.html");
    assert!(page.contains("What it brings, and whether it pays"), "{page}");
    let sheet = read("weighed/balance.csv");
    let (reference, other) = (sheet.lines().nth(1).unwrap(), sheet.lines().nth(2).unwrap());
    assert!(reference.starts_with("H + V,2,,,,") && other.starts_with("ALL,2,"), "{sheet}");
    // Two seeds share the four games, whose logs, one for each, make a second call short.
    let log = |stage: &str| -> String {
        let logs = std::fs::read_dir(work.path().join("weighed/games")).unwrap();
        let paths = logs.map(|log| log.unwrap().path());
        let is_of_stage = |path: &std::path::PathBuf| {
            path.file_name().unwrap().to_string_lossy().starts_with(stage)
        };
        let mut paths: Vec<std::path::PathBuf> = paths.filter(is_of_stage).collect();
        paths.sort();
        paths.into_iter().map(|path| std::fs::read_to_string(path).unwrap()).collect()
    };
    assert_eq!(log("fixed-nodes").lines().count(), 2 * (1 + 2));
    let stages = ["fixed-nodes", "fixed-time", "price-of-time"];
    let logs = stages.map(log);
    assert_eq!(work.run(&all).code, 0);
    assert_eq!(stages.map(log), logs);
    // Other nodes are another match, with a log of its own.
    let other = work.run(
        &[
            &compare[..],
            &["--out", "weighed", "--node-games", "2", "--nodes", "60"],
            &["--time-games", "0", "--price-games", "0", "--rounds", "1"],
        ]
        .concat(),
    );
    assert_eq!(other.code, 0, "{}", other.err);
}

#[test]
fn what_is_no_net_is_told() {
    let work = Workplace::new();
    let refused = |sets: [&str; 2], parts: &[&str]| {
        let answer = work.run(&["compare", sets[0], sets[1]]);
        assert_eq!(answer.code, 2, "{}", answer.err);
        answer.assert_tells(parts);
    };
    refused(["ALL", "ALL + H"], &["no trained net of `ALL`", "oplus run"]);
    let net = concat!(env!("CARGO_MANIFEST_DIR"), "/experiments/default.oplus");
    refused([net, net], &["is there twice", "one=…"]);
    refused(["ALL + XYZ", "ALL"], &["no trained net of `ALL + XYZ`"]);
    let missing = work.run(&["compare", net, "missing.oplus"]);
    assert_eq!(missing.code, 1);
    missing.assert_tells(&["missing.oplus"]);
}

/// A net beside itself: nothing is better, and the games are called copies.
#[test]
fn a_net_beside_itself_is_degenerate() {
    let work = Workplace::new();
    let net = concat!(env!("CARGO_MANIFEST_DIR"), "/experiments/default.oplus");
    let (one, other) = (format!("one={net}"), format!("other={net}"));
    let answer = work.run(&[
        "compare",
        &one,
        &other,
        "--out",
        "same",
        "--node-games",
        "4",
        "--nodes",
        "50",
        "--time-games",
        "0",
        "--price-games",
        "0",
        "--rounds",
        "1",
    ]);
    assert_eq!(answer.code, 0, "{}", answer.err);
    assert!(answer.out.contains("fixed nodes: degenerate: all 2 pairs"), "{}", answer.out);
    assert!(answer.out.contains("other: not played at fixed time"), "{}", answer.out);
}

/// Who loses on the clock need not be the weaker.
#[test]
fn games_lost_on_the_clock_leave_no_verdict() {
    let work = Workplace::new();
    let net = concat!(env!("CARGO_MANIFEST_DIR"), "/experiments/default.oplus");
    let (one, other) = (format!("one={net}"), format!("other={net}"));
    let sets = ["compare", &one, &other, "--out", "clocks", "--node-games", "0"];
    let few = ["--time-games", "4", "--movetime", "2", "--price-games", "2", "--rounds", "1"];
    let compare = [&sets[..], &few].concat();
    let answer = work.run(&compare);
    assert_eq!(answer.code, 0, "{}", answer.err);
    for log in std::fs::read_dir(work.path().join("clocks/games")).unwrap() {
        let path = log.unwrap().path();
        let text = std::fs::read_to_string(&path).unwrap();
        let lost = |(number, line): (usize, &str)| {
            let mut game: serde_json::Value = serde_json::from_str(line).unwrap();
            match number {
                0 => {}
                1 => game["reason"] = serde_json::json!({ "forfeit": "time" }),
                // Whatever the clocks of a busy machine made of it.
                _ => game["reason"] = "max_plies".into(),
            }
            format!("{game}\n")
        };
        std::fs::write(&path, text.lines().enumerate().map(lost).collect::<String>()).unwrap();
    }
    let answer = work.run(&compare);
    assert_eq!(answer.code, 0, "{}", answer.err);
    let told =
        "other: no verdict, since 1 of 4 games was lost otherwise than by chess (more than 1 %)";
    for part in [told, "--time-concurrency", "price of time is not told"] {
        assert!(answer.out.contains(part), "{part}: {}", answer.out);
    }
    assert!(!answer.out.contains("twice the time is worth"), "{}", answer.out);
    let page = std::fs::read_to_string(work.path().join("clocks/index.html")).unwrap();
    assert!(page.contains("no verdict, since 1 of 4 games"), "{page}");
    assert!(!page.contains("class=\"better\"") && !page.contains("class=\"worse\""), "{page}");
}
