//! `oplus compare`: from trained nets to what pays.

use std::collections::BTreeMap;
use std::path::PathBuf;

use crate::support::Workdir;

/// Few of everything.
const LITTLE: [&str; 16] = [
    "--node-games",
    "4",
    "--nodes",
    "50",
    "--equal-games",
    "2",
    "--timing-rounds",
    "1",
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
    let work = Workdir::new();
    work.experiment("small.toml");
    let set = ["--set", "grid.seed=[1, 2]", "--set", "training.epochs=1"];
    let trained = work.run(&[&["run", "small.toml"], &set[..]].concat());
    assert_eq!(trained.code, 0, "{}", trained.err);

    let puzzles = concat!(env!("CARGO_MANIFEST_DIR"), "/datasets/puzzles.csv");
    let compare = ["compare", "H + V", "ALL", "--puzzles", puzzles, "--puzzle-nodes", "0"];
    let all = [&compare[..], &["--out", "weighed"], &LITTLE].concat();
    let answer = work.run(&all);
    assert_eq!(answer.code, 0, "{}", answer.err);
    for part in [
        "H + V",
        "ALL",
        "50 nodes",
        "equal time (50 reference nodes)",
        "2 ms per move",
        "time per node",
    ] {
        assert!(answer.out.contains(part), "{part}: {}", answer.out);
    }
    // Unless a busy machine lost such short games on the clock.
    let prices = ["Twice the time is worth", "no Elo per doubling of time: "];
    assert!(prices.iter().any(|reply| answer.out.contains(reply)), "{}", answer.out);
    let read = |name: &str| std::fs::read_to_string(work.path().join(name)).unwrap();
    let page = read("weighed/index.html");
    assert!(page.contains("How many Elo do these features gain over H + V"), "{page}");
    let sheet = read("weighed/results.csv");
    let mut reader = csv::Reader::from_reader(sheet.as_bytes());
    let header = reader.headers().unwrap().clone();
    let columns = ["set", "features", "variant", "is_reference", "inputs", "seeds"]
        .map(|name| header.iter().position(|column| column == name).unwrap());
    let mut rows: Vec<String> = reader
        .records()
        .map(|row| columns.map(|at| row.as_ref().unwrap()[at].to_owned()).join(","))
        .collect();
    rows.sort();
    assert_eq!(rows, ["ALL,ALL,,false,768,2", "H + V,H + V,,true,192,2"]);
    // Measurements are in files: a second call does nothing and prints the same.
    let results = || -> BTreeMap<PathBuf, String> {
        let files = std::fs::read_dir(work.path().join("runs/compare/results")).unwrap();
        let paths = files.map(|file| file.unwrap().path());
        paths.map(|path| (path.clone(), std::fs::read_to_string(path).unwrap())).collect()
    };
    let before = results();
    let of_kind = |kind: &str| {
        let kind = format!("\"kind\":\"{kind}\"");
        before.values().filter(|text| text.contains(&kind)).count()
    };
    // Two seeds share the games, each in a match of its own. `oplus run` has measured the speed.
    let kinds = ["match", "price-of-time", "speed", "node-time", "puzzles"];
    assert_eq!(kinds.map(of_kind), [6, 1, 0, 1, 4]);
    let plan = work.run(&[&all[..], &["--plan"]].concat());
    assert_eq!(plan.code, 0, "{}", plan.err);
    assert!(plan.out.contains("price of time") && !plan.out.contains("ready"), "{}", plan.out);
    let status = work.run(&["runs", "status", "compare"]);
    assert!(status.out.contains("all jobs are done"), "{}{}", status.out, status.err);
    let again = work.run(&all);
    assert_eq!((again.code, &again.out), (0, &answer.out));
    assert_eq!(results(), before);
    // Other nodes are another match, with a log of its own.
    let other = work.run(
        &[
            &compare[..],
            &["--out", "weighed", "--node-games", "2", "--nodes", "60"],
            &["--equal-games", "0", "--time-games", "0", "--price-games", "0", "--rounds", "1"],
        ]
        .concat(),
    );
    assert_eq!(other.code, 0, "{}", other.err);
    // A mistake in an expression is shown in it.
    let mistaken = work.run(&["compare", "ALL + (", "H + V"]);
    assert_eq!(mistaken.code, 2, "{}", mistaken.err);
    mistaken.assert_shows(&["ALL + (", "^"]);
}

/// Nets of two trainings are no seeds of one set, even with different seeds.
#[test]
fn two_trainings_of_a_set_are_ambiguous() {
    let work = Workdir::new();
    work.experiment("small.toml");
    for (epochs, seed) in [(1, 1), (2, 2)] {
        let (epochs, seed) = (format!("training.epochs={epochs}"), format!("grid.seed=[{seed}]"));
        let trained = work.run(&["run", "small.toml", "--set", &epochs, "--set", &seed]);
        assert_eq!(trained.code, 0, "{}", trained.err);
    }
    let answer = work.run(&["compare", "H + V", "ALL"]);
    assert_eq!(answer.code, 2, "{}", answer.err);
    let parts = ["`H + V` names several nets", "(training.epochs ", "name one run"];
    answer.assert_shows(&parts);
}

#[test]
fn files_that_are_no_nets_are_errors() {
    let work = Workdir::new();
    let refused = |sets: [&str; 2], parts: &[&str]| {
        let answer = work.run(&["compare", sets[0], sets[1]]);
        assert_eq!(answer.code, 2, "{}", answer.err);
        answer.assert_shows(parts);
    };
    refused(["ALL", "ALL + H"], &["no trained net of `ALL`", "oplus run"]);
    let net = concat!(env!("CARGO_MANIFEST_DIR"), "/experiments/default.oplus");
    refused([net, net], &["appears twice", "one=…"]);
    refused(["ALL + XYZ", "ALL"], &["no trained net of `ALL + XYZ`"]);
    let missing = work.run(&["compare", net, "missing.oplus"]);
    assert_eq!(missing.code, 1);
    missing.assert_shows(&["missing.oplus"]);
}

/// A net beside itself: nothing is better, and the games are called copies.
#[test]
fn a_net_beside_itself_is_degenerate() {
    let work = Workdir::new();
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
        "--equal-games",
        "0",
        "--time-games",
        "0",
        "--price-games",
        "0",
        "--rounds",
        "1",
    ]);
    assert_eq!(answer.code, 0, "{}", answer.err);
    assert!(answer.out.contains("50 nodes: degenerate: all 2 pairs"), "{}", answer.out);
    assert!(!answer.out.contains("pays"), "nothing was played on the clock: {}", answer.out);
}

/// Who loses on the clock need not be the weaker.
#[test]
fn games_lost_on_the_clock_leave_no_verdict() {
    let work = Workdir::new();
    let net = concat!(env!("CARGO_MANIFEST_DIR"), "/experiments/default.oplus");
    let (one, other) = (format!("one={net}"), format!("other={net}"));
    let sets = ["compare", &one, &other, "--out", "clocks", "--node-games", "0"];
    let few = [
        "--equal-games",
        "0",
        "--time-games",
        "4",
        "--movetime",
        "2",
        "--price-games",
        "2",
        "--rounds",
        "1",
    ];
    let compare = [&sets[..], &few].concat();
    let answer = work.run(&compare);
    assert_eq!(answer.code, 0, "{}", answer.err);
    for log in std::fs::read_dir(work.path().join("runs/compare/games")).unwrap() {
        let path = log.unwrap().path();
        let text = std::fs::read_to_string(&path).unwrap();
        let lost = |(number, line): (usize, &str)| {
            let mut game: serde_json::Value = serde_json::from_str(line).unwrap();
            match number {
                0 => {}
                1 => game["reason"] = serde_json::json!({ "forfeit": "time" }),
                // Any verdict is valid with the clocks of a busy machine.
                _ => game["reason"] = "max_plies".into(),
            }
            game.as_object_mut().unwrap().remove("checksum");
            base::sealed::seal(&game.to_string()) + "\n"
        };
        std::fs::write(&path, text.lines().enumerate().map(lost).collect::<String>()).unwrap();
    }
    std::fs::remove_dir_all(work.path().join("runs/compare/results")).unwrap();
    let answer = work.run(&compare);
    assert_eq!(answer.code, 0, "{}", answer.err);
    let reply = "no verdict at 2 ms per move: 1 of 4 games was forfeited (more \
                than 1 %)";
    let remedy = "forfeits invalidate the measurement: play them again";
    for part in [reply, remedy, "--time-concurrency", "runs rm", "no Elo per doubling of time"] {
        assert!(answer.out.contains(part), "{part}: {}", answer.out);
    }
    assert!(!answer.out.contains("Twice the time is worth"), "{}", answer.out);
    let page = std::fs::read_to_string(work.path().join("clocks/index.html")).unwrap();
    assert!(page.contains("no verdict at 2 ms per move: 1 of 4 games"), "{page}");
    assert!(!page.contains("class=\"better\"") && !page.contains("class=\"worse\""), "{page}");
}
