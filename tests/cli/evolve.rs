//! `oplus evolve`, as people use it.

use std::process::Stdio;
use std::time::Duration;

use crate::support::Workdir;

const FILE: &str = r#"
name = "small"
question = "Does it run?"

[genome]
kind = "tables"
cells = "phoenix"

[fitness]
kind = "games"
nodes = 20
games = 2

[budget]
games = 60

[[method]]
kind = "genetic"
population = 6
replaced = 3

[[method]]
name = "White alone"
kind = "spsa"
fitness = { kind = "games", nodes = 20, games = 2, opponents = "start", colours = "white" }

[[trial]]
games = 4
nodes = 20
curve = true

[[trial]]
against = "pesto"
games = 4
nodes = 20
colours = "white"

[[ablation]]
parts = ["alpha-beta"]
games = 10
nodes = 200
depth = 3
"#;

#[test]
fn searches_are_made_tried_shown_and_not_made_again() {
    let work = Workdir::new();
    std::fs::write(work.path().join("small.toml"), FILE).unwrap();
    let args = ["evolve", "small.toml", "--answers", "found"];
    let answer = work.run(&args);
    assert_eq!(answer.code, 0, "{}", answer.err);
    assert!(answer.out.contains("genetic") && answer.out.contains("60 games"), "{}", answer.out);
    // Methods with unbalanced games are named first.
    assert!(answer.out.contains("White alone are not balanced by colour: 100 %"), "{}", answer.out);
    let page = std::fs::read_to_string(work.path().join("reports/small/index.html")).unwrap();
    let warning = page.find("not balanced by colour").unwrap();
    assert!(warning < page.find("<table").unwrap());
    assert!(page.contains("no measure of strength"), "{page}");
    assert!(page.contains("Stop trying moves at a node once one fails high"), "{page}");
    let parts = work.path().join("reports/small/ablations.csv");
    let parts = std::fs::read_to_string(parts).unwrap();
    let elo: f64 = parts.lines().nth(1).unwrap().split(',').nth(6).unwrap().parse().unwrap();
    assert!(elo > 0.0, "{parts}");
    let played =
        work.run(&["match", "found/genetic-s1.csv", "pesto", "--nodes", "20", "--games", "2"]);
    assert_eq!(played.code, 0, "{}", played.err);
    let results = || std::fs::read_dir(work.path().join("runs/small/results")).unwrap().count();
    let before = results();
    let again = work.run(&args);
    assert_eq!((again.code, again.out), (0, answer.out));
    assert_eq!(results(), before);
    let listed = work.run(&["runs", "list", "--experiment", "small"]);
    let row = listed.out.lines().find(|line| line.contains("genetic, seed 1")).unwrap();
    assert!(row.contains(" 60 "), "{row}");
    let plan = work.run(&["evolve", "small.toml", "--plan"]);
    assert!(plan.code == 0 && plan.out.contains("genetic, seed 1"), "{}{}", plan.out, plan.err);
    let status = work.run(&["runs", "status", "small"]);
    assert!(status.out.contains("all jobs are done"), "{}{}", status.out, status.err);
    let reply = work.run(&["evolve", "small.toml", "--json"]);
    let result: serde_json::Value =
        serde_json::from_str(reply.out.lines().last().unwrap()).unwrap();
    assert_eq!(result["methods"].as_array().unwrap().len(), 2, "{result:#}");
    let shown = work.run(&["runs", "rm", "small", "--dry-run"]);
    assert_eq!(shown.code, 0, "{}", shown.err);
    assert!(shown.out.contains("the experiment small"), "{}", shown.out);
}

#[test]
fn what_makes_no_sense_is_refused_with_its_place() {
    let work = Workdir::new();
    for (from, to, expected) in [
        ("kind = \"genetic\"", "kind = \"magic\"", "unknown variant `magic`"),
        ("population = 6", "population = 1", "method `genetic`: `population` of genetic must be 2"),
        ("population = 6", "popluation = 6", "popluation"),
        ("games = 60", "evaluations = 60", "is in `games` for games"),
        ("kind = \"spsa\"", "kind = \"gradient\"", "needs a differentiable objective"),
        ("cells = \"phoenix\"", "cells = [\"pawns\"]", "`pawns` is none of: all, phoenix"),
        ("cells = \"phoenix\"", "range = 0", "`genome.range` must be"),
        ("cells = \"phoenix\"", "tables = \"pesto\"", "does not hold for low, start, high"),
        ("cells = \"phoenix\"", "tables = \"missing.csv\"", "missing.csv"),
        ("kind = \"tables\"\ncells = \"phoenix\"", "", "missing field `kind`"),
        ("kind = \"tables\"\ncells = \"phoenix\"", "kind = \"margins\"\nrange = 9", "range"),
        (
            "kind = \"tables\"\ncells = \"phoenix\"",
            "kind = \"weights\"\nnet = \"none.oplus\"",
            "none.oplus",
        ),
        ("parts = [\"alpha-beta\"]", "parts = [\"alpha-bet\"]", "unknown variant `alpha-bet`"),
        ("name = \"small\"", "name = \"a b\"", "`name` must consist of letters"),
        ("against = \"pesto\"", "against = \"nobody\"", "`nobody` is none of: pesto"),
    ] {
        let text = FILE.replacen(from, to, 1);
        assert_ne!(text, FILE);
        std::fs::write(work.path().join("bad.toml"), text).unwrap();
        let answer = work.run(&["evolve", "bad.toml"]);
        assert_eq!(answer.code, 2, "{expected}: {}", answer.err);
        assert!(answer.err.contains(expected), "{expected}: {}", answer.err);
    }
    let answer = work.run(&["evolve", "nothing.toml"]);
    assert_eq!(answer.code, 1);
    assert!(answer.err.contains("nothing.toml"), "{}", answer.err);
    assert!(!work.path().join("runs").exists());
}

/// The keys that a part of the file may have, as the refusal of a strange one names them.
fn keys_after(work: &Workdir, line: &str) -> Vec<String> {
    assert!(FILE.contains(line), "{line}");
    work.file("strange.toml", &FILE.replacen(line, &format!("{line}\nzzz = 1"), 1));
    let reply = work.run(&["evolve", "strange.toml"]).err;
    assert!(reply.contains("unknown field `zzz`"), "{line}: {reply}");
    let expected = reply.split("expected").nth(1).unwrap();
    expected.split('`').skip(1).step_by(2).map(str::to_owned).collect()
}

#[test]
fn every_key_is_documented() {
    let work = Workdir::new();
    let docs = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/evolution.md");
    let docs = std::fs::read_to_string(docs).unwrap();
    for (line, prefix, least) in [
        ("question = \"Does it run?\"", "", 9),
        ("cells = \"phoenix\"", "genome.", 5),
        ("games = 2", "fitness.", 7),
        ("replaced = 3", "", 4),
        ("against = \"pesto\"", "", 5),
        ("depth = 3", "", 5),
    ] {
        let keys = keys_after(&work, line);
        assert!(keys.len() >= least, "{line}: {keys:?}");
        for key in keys {
            let is_table = docs.contains(&format!("`[[{key}]]`"));
            let is_part = ["genome", "fitness"].contains(&key.as_str());
            let is_shown = docs.contains(&format!("`{prefix}{key}`"));
            assert!(is_table || is_part || is_shown, "{prefix}{key} of {line}");
        }
    }
}

/// Weights of a linear net, of one of its summands.
#[test]
fn weights_of_a_linear_net_are_searched() {
    let work = Workdir::new();
    let bootstrap = concat!(env!("CARGO_MANIFEST_DIR"), "/datasets/bootstrap.oarc");
    let train = ["train", "ALL + PHASE * ALL", "--layers", "1", "--data", bootstrap];
    let some = ["--epochs", "1", "--positions-per-epoch", "4096", "--batch", "1024"];
    let few = ["--positions", "4096", "--out", "linear"];
    let trained = work.run(&[&train[..], &some[..], &few[..]].concat());
    assert_eq!(trained.code, 0, "{}", trained.err);
    work.file(
        "weights.toml",
        r#"
name = "weights"
[genome]
kind = "weights"
net = "linear/net.oplus"
summands = ["PHASE * ALL"]
range = 50
[fitness]
kind = "games"
nodes = 20
games = 2
[budget]
games = 40
[[method]]
kind = "evolution-strategy"
population = 4
"#,
    );
    let answer = work.run(&["evolve", "weights.toml", "--answers", "found"]);
    assert_eq!(answer.code, 0, "{}", answer.err);
    let page = std::fs::read_to_string(work.path().join("reports/weights/index.html")).unwrap();
    assert!(page.contains("768 weights of a linear net"), "{page}");
    let net = "found/evolution-strategy-s1.oplus";
    let diff = work.run(&["net", "diff", "linear/net.oplus", net, "--data", bootstrap]);
    assert_eq!(diff.code, 0, "{}", diff.err);
    let match_ = work.run(&["match", net, "linear/net.oplus", "--nodes", "20", "--games", "2"]);
    assert_eq!(match_.code, 0, "{}", match_.err);
    let text = std::fs::read_to_string(work.path().join("weights.toml")).unwrap();
    work.file("weights.toml", &text.replace("PHASE * ALL", "PHASE * H"));
    let refused = work.run(&["evolve", "weights.toml"]);
    assert_eq!(refused.code, 2, "{}", refused.err);
    refused.assert_shows(&["no summand `PHASE * H`: it has piece("]);
}

/// However often it is killed, it comes to the same.
#[cfg(unix)]
#[test]
fn what_is_killed_goes_on() {
    let text = FILE.replace("games = 60", "games = 400");
    let finish = |work: &Workdir| {
        let answer = work.run(&["evolve", "small.toml", "--answers", "found"]);
        assert_eq!(answer.code, 0, "{}", answer.err);
        let file = |name: &str| std::fs::read_to_string(work.path().join("found").join(name));
        (file("genetic-s1.csv").unwrap(), file("White-alone-s1.csv").unwrap())
    };
    let (whole, killed) = (Workdir::new(), Workdir::new());
    whole.file("small.toml", &text);
    killed.file("small.toml", &text);
    let folders =
        || std::fs::read_dir(killed.path().join("runs/small")).map_or(0, |runs| runs.count());
    let mut kills = 0;
    for milliseconds in [150, 250, 350, 450] {
        let mut child = killed.command(&["evolve", "small.toml"]);
        let mut child = child.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        std::thread::sleep(Duration::from_millis(milliseconds));
        kills += u32::from(child.try_wait().unwrap().is_none());
        // SIGKILL on Unix.
        let _ = child.kill();
        child.wait().unwrap();
    }
    assert!(kills > 0 && folders() > 0, "it was never killed on the way");
    assert_eq!(finish(&killed), finish(&whole));
}
