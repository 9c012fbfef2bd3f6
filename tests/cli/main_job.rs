//! The main job: from a line of algebra to a report.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::support::{FIXED_DATE, OPLUS, Workdir, games};

/// The net files of an experiment, by run.
fn nets(work: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let mut nets: Vec<_> = std::fs::read_dir(work.join("runs/small"))
        .unwrap()
        .map(|entry| entry.unwrap().path().join("net.oplus"))
        .filter(|path| path.exists())
        .map(|path| (path.strip_prefix(work).unwrap().to_owned(), std::fs::read(&path).unwrap()))
        .collect();
    nets.sort();
    nets
}

#[test]
fn trains_judges_and_reports_and_does_nothing_twice() {
    let work = Workdir::new();
    work.experiment("small.toml");
    let first = work.run(&["run", "small.toml"]);
    assert_eq!(first.code, 0, "{}", first.err);
    for features in ["H + V", "ALL", "H + CENTRE"] {
        assert!(first.out.contains(features), "{}", first.out);
        assert!(first.err.contains(&format!("training {features} ")), "{}", first.err);
    }
    assert!(first.out.contains("report: reports/small/index.html"), "{}", first.out);

    let page = std::fs::read_to_string(work.path().join("reports/small/index.html")).unwrap();
    assert!(page.contains("Does the main job run?") && page.contains("<svg"));
    assert!(!page.contains("src=\"http") && !page.contains("href=\"http"), "not self-contained");
    for sheet in ["results.csv", "losses.csv", "games.csv"] {
        let text = std::fs::read_to_string(work.path().join("reports/small").join(sheet)).unwrap();
        assert!(text.lines().count() > 3, "{sheet}: {text}");
    }
    assert_eq!(nets(work.path()).len(), 3);

    let again = work.run(&["run", "small.toml"]);
    assert_eq!(again.code, 0, "{}", again.err);
    assert!(!again.err.contains("training"), "{}", again.err);
    assert!(!again.err.contains("puzzles"), "{}", again.err);
    assert_eq!(again.out, first.out, "the same results, from the registry");
}

/// What people post: one picture, and the page says when, on what and by which command.
#[test]
fn a_report_is_a_picture_too_and_says_how_it_was_made() {
    let work = Workdir::new();
    work.experiment("small.toml");
    let run = ["run", "small.toml", "--set", "evaluation.speed_rounds=0", "--scale", "0.5"];
    assert_eq!(work.run(&run).code, 0);
    let made = work.run(&[
        "report",
        "small.toml",
        "--scale",
        "0.5",
        "--card",
        "--set",
        "evaluation.speed_rounds=0",
    ]);
    assert_eq!(made.code, 0, "{}", made.err);
    let folder = work.path().join("reports/small");
    let png = std::fs::read(folder.join("card.png")).unwrap();
    let size = |at: usize| u32::from_be_bytes(png[at..at + 4].try_into().unwrap());
    assert_eq!((&png[1..4], size(16), size(20)), (&b"PNG"[..], 1200, 630));
    let svg = std::fs::read_to_string(folder.join("card.svg")).unwrap();
    assert!(svg.contains("Does the main job run?"), "{svg}");
    let page = std::fs::read_to_string(folder.join("index.html")).unwrap();
    let version = work.run(&["--version"]).out;
    for part in [version.trim(), "20", "oplus run small.toml", "--scale 0.5", "cores"] {
        assert!(page.contains(part), "{part} is not in the page");
    }
}

/// The table of the data has the files; positions and games of all of them have a line of their own.
#[test]
fn a_page_counts_the_positions_of_several_files_once() {
    let work = Workdir::new();
    work.experiment("small.toml");
    let more = ["selfplay", "--positions", "500", "--nodes", "50", "--out", "more.viri.zst"];
    assert_eq!(work.run(&more).code, 0);
    let files = format!("data.train=[\"{}\", \"more.viri.zst\"]", games().display());
    let sets = "grid.features=[\"ALL\", \"H + V\"]";
    let without = ["--set", "evaluation.match=[]", "--set", "evaluation.speed_rounds=0"];
    let run = ["run", "small.toml", "--set", &files, "--set", sets, "--set", "training.epochs=1"];
    let answer = work.run(&[&run[..], &without].concat());
    assert_eq!(answer.code, 0, "{}", answer.err);
    let page = std::fs::read_to_string(work.path().join("reports/small/index.html")).unwrap();
    let lines: Vec<&str> =
        page.lines().filter(|line| line.contains(" in 2 files, after the filter")).collect();
    let [line] = lines[..] else { panic!("{lines:?}") };
    assert!(line.contains("positions of ") && line.contains("games"), "{line}");
}

/// Lines of JSON: stages as they go, and the tables at the end.
#[test]
fn a_run_answers_in_json() {
    let work = Workdir::new();
    work.experiment("small.toml");
    let reply = work.run(&["run", "small.toml", "--set", "evaluation.speed_rounds=0", "--json"]);
    assert_eq!(reply.code, 0, "{}", reply.err);
    let lines: Vec<serde_json::Value> =
        reply.out.lines().map(|line| serde_json::from_str(line).expect(line)).collect();
    let of = |event: &str| lines.iter().filter(|line| line["event"] == event).count();
    assert!(of("begin") > 5 && of("end") > 5, "{}", reply.out);
    let result = lines.last().unwrap();
    assert_eq!(result["event"], "result");
    let sets = result["results"].as_array().unwrap();
    assert_eq!(sets.len(), 3);
    assert!(sets.iter().all(|set| set["validation_loss"]["value"].is_f64()), "{result:#}");
    let references = sets.iter().filter(|set| set["is_reference"] == true);
    assert_eq!(references.map(|set| &set["set"]).collect::<Vec<_>>(), ["ALL"]);
    let nets = result["nets"].as_array().unwrap();
    assert!(nets.iter().all(|net| net["seed"].is_u64() && net["net"].is_string()), "{result:#}");
    let games = result["games"].as_array().unwrap();
    assert!(games.iter().all(|game| game["wins"].is_u64()), "{result:#}");
    assert!(work.path().join(result["page"].as_str().unwrap()).exists());
    let listed = work.run(&["runs", "list", "--json"]).out;
    assert_eq!(listed.lines().count(), 3);
}

#[test]
fn every_kind_of_net_is_trained_played_and_reported() {
    let work = Workdir::new();
    work.experiment("small.toml");
    let sets = [
        "grid.features=[\"H\"]",
        "grid.layers=[\"1\", \"8 screlu -> 1, buckets 8\", \"8 -> 8 -> 1\", \
         \"16 pairwise -> 7 dual + skip -> 8 -> 1, buckets 8, psqt\"]",
        "evaluation.reference=\"H\"",
        "evaluation.match=[{ nodes = 20, games = 2, pairings = \"gauntlet\" }]",
        "training.epochs=1",
    ];
    let mut arguments = vec!["run", "small.toml"];
    arguments.extend(sets.iter().flat_map(|set| ["--set", set]));
    let answer = work.run(&arguments);
    assert_eq!(answer.code, 0, "{}", answer.err);
    for variant in ["8 screlu -> 1, buckets 8", "8 -> 8 -> 1", "16 pairwise -> 7 dual + skip"] {
        assert!(answer.out.contains(variant), "{variant}: {}", answer.out);
    }
    let nets = nets(work.path());
    assert_eq!(nets.len(), 4);
    let shapes: Vec<String> = nets
        .iter()
        .map(|(path, _)| work.run(&["net", "info", path.to_str().unwrap()]).out)
        .filter_map(|info| {
            Some(info.lines().find(|line| line.starts_with("architecture"))?.to_owned())
        })
        .collect();
    for shape in [
        "96 features, layers 1 (96 parameters)",
        "96 features, layers 8 -> 8 -> 1 (921 parameters)",
        "96 features, layers 16 pairwise -> 7 dual + skip -> 8 -> 1, buckets 8, psqt",
    ] {
        assert!(shapes.iter().any(|line| line.contains(shape)), "{shape}: {shapes:#?}");
    }
    let again = work.run(&arguments);
    assert!(!again.err.contains("training"), "{}", again.err);
}

#[test]
fn a_killed_run_goes_on_and_ends_with_the_same_nets() {
    let straight = Workdir::new();
    straight.experiment("small.toml");
    let more = ["run", "small.toml", "--set", "training.epochs=40"];
    assert_eq!(straight.run(&more).code, 0);

    let killed = Workdir::new();
    killed.experiment("small.toml");
    let mut child = Command::new(OPLUS)
        .current_dir(killed.path())
        .env(FIXED_DATE.0, FIXED_DATE.1)
        .args(more)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    // Kill it in the middle: some epochs are done, not all nets.
    let started = Instant::now();
    let metrics = || {
        let runs = std::fs::read_dir(killed.path().join("runs/small")).into_iter().flatten();
        let lines = |path: PathBuf| std::fs::read_to_string(path).map_or(0, |t| t.lines().count());
        runs.flatten().map(|run| lines(run.path().join("metrics.jsonl"))).sum::<usize>()
    };
    while metrics() < 5 && started.elapsed() < Duration::from_secs(60) {
        std::thread::sleep(Duration::from_millis(1));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(metrics() < 3 * 40, "it was killed too late to tell");

    let rest = killed.run(&more);
    assert_eq!(rest.code, 0, "{}", rest.err);
    assert_eq!(nets(killed.path()), nets(straight.path()), "bit by bit");
}

#[test]
fn a_dry_run_shows_the_grid_and_does_nothing() {
    let work = Workdir::new();
    work.experiment("small.toml");
    let plan = work.run(&["run", "small.toml", "--dry-run", "--scale", "10"]);
    assert_eq!(plan.code, 0, "{}", plan.err);
    assert!(plan.out.contains("H + CENTRE") && plan.out.contains("144"), "{}", plan.out);
    assert!(plan.out.contains("3 runs, 180 games"), "{}", plan.out);
    assert!(plan.out.contains("122,880"), "three epochs of ten times the positions: {}", plan.out);
    assert!(!work.path().join("runs").exists());
}

#[test]
fn runs_are_listed_shown_and_removed() {
    let work = Workdir::new();
    work.experiment("small.toml");
    assert_eq!(work.run(&["run", "small.toml"]).code, 0);
    let list = work.run(&["runs", "list"]);
    assert!(list.out.contains("H + CENTRE") && list.out.contains("train"), "{}", list.out);
    let run = std::fs::read_dir(work.path().join("runs/small"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .find(|name| name.starts_with("h+v"))
        .unwrap();
    let show = work.run(&["runs", "show", &run]);
    assert!(
        show.out.contains("192 features") && show.out.contains("validation_loss"),
        "{}",
        show.out
    );
    let json = work.run(&["runs", "show", &run, "--json"]).out;
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!((&json["run"], &json["size"]), (&run.as_str().into(), &192.into()));
    let measured = json["measured"].as_array().unwrap();
    let kinds: Vec<&str> = measured.iter().map(|one| one["kind"].as_str().unwrap()).collect();
    for kind in ["train", "quantisation", "loss", "speed", "puzzles", "match"] {
        assert!(kinds.contains(&kind), "{kind}: {kinds:?}");
    }

    assert_eq!(work.run(&["runs", "rm", &run, "--yes"]).code, 0);
    assert!(!work.path().join("runs/small").join(&run).exists());
    assert_eq!(work.run(&["runs", "show", &run]).code, 1);
    // Removed results are made again, and no others.
    let again = work.run(&["run", "small.toml"]);
    assert!(
        again.err.contains("training H + V") && !again.err.contains("training ALL"),
        "{}",
        again.err
    );
}

#[test]
fn the_net_plays_as_an_engine() {
    let work = Workdir::new();
    work.experiment("small.toml");
    assert_eq!(work.run(&["run", "small.toml", "--set", "evaluation.match=[]"]).code, 0);
    let (net, _) = nets(work.path()).remove(0);
    let script = "uci\nposition startpos moves e2e4\ngo nodes 2000\nquit\n";
    let text = work.run_with(&["uci", "--net", net.to_str().unwrap()], script).out;
    assert!(text.contains("uciok") && text.contains("bestmove "), "{text}");
    let info = work.run(&["net", "info", net.to_str().unwrap()]);
    assert!(info.out.contains("piece(SQUARES * ROLES * COLORS)"), "{}", info.out);
}

#[test]
fn the_bench_counts_the_same_nodes_every_time() {
    let work = Workdir::new();
    let nodes = || {
        let answer = work.run(&["bench", "--depth", "6"]);
        answer.out.lines().find(|line| line.ends_with(" nodes")).unwrap().to_owned()
    };
    assert_eq!(nodes(), nodes());
}

/// As with `oplus features --list | head`.
#[test]
#[cfg(unix)]
fn a_reader_that_leaves_is_no_failure() {
    let mut child = Command::new(OPLUS)
        .args(["features", "--list"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    let reply = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success() && reply.is_empty(), "{reply}");
}
