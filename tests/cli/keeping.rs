//! Measurements stay: results, games and pages against second calls, edits and removal.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use oplus::base::FolderLock;

use crate::support::Workdir;

fn read(work: &Workdir, name: &str) -> String {
    std::fs::read_to_string(work.path().join(name)).unwrap()
}

/// Short trainings: only their kept files matter here.
const QUICK: [&str; 2] = ["--set", "training.epochs=1"];

fn quick<'a>(more: &[&'a str]) -> Vec<&'a str> {
    [&["run", "small.toml"], &QUICK[..], more].concat()
}

/// The logs of matches.
fn logs(work: &Workdir) -> BTreeMap<PathBuf, String> {
    let folder = std::fs::read_dir(work.path().join("runs/small/games")).unwrap();
    let paths = folder.map(|entry| entry.unwrap().path());
    let paths = paths.filter(|path| path.extension().is_some_and(|e| e == "jsonl"));
    paths.map(|path| (path.clone(), std::fs::read_to_string(path).unwrap())).collect()
}

#[test]
fn an_experiment_is_not_removed_under_those_who_carry_it_out() {
    let work = Workdir::new();
    work.experiment("small.toml");
    assert_eq!(work.run(&quick(&[])).code, 0);
    let folder = work.path().join("runs/small");
    let before = logs(&work);
    let held = FolderLock::take(&folder).unwrap();
    let holder = format!("process {}", std::process::id());
    for command in [quick(&[]), vec!["runs", "rm", "small", "--yes"]] {
        let refused = work.run(&command);
        assert_eq!(refused.code, 1, "{}", refused.err);
        refused.assert_shows(&["is in use", &holder, "wait for it or stop it", "runs/small"]);
    }
    assert_eq!(logs(&work), before);
    // Who only looks is let in.
    for command in [
        vec!["runs", "list"],
        quick(&["--dry-run"]),
        [&["report", "small.toml"], &QUICK[..]].concat(),
    ] {
        let answer = work.run(&command);
        assert_eq!(answer.code, 0, "{}", answer.err);
    }
    drop(held);
    let shared = FolderLock::share(&folder).unwrap();
    assert_eq!(work.run(&quick(&[])).code, 0);
    assert_eq!(work.run(&["runs", "rm", "small", "--yes"]).code, 1);
    drop(shared);
    assert_eq!(work.run(&["runs", "rm", "small", "--yes"]).code, 0);
    assert!(!folder.exists());
}

#[test]
fn a_folder_is_trained_into_by_one_process_at_a_time() {
    let work = Workdir::new();
    let games = crate::support::games().to_str().unwrap();
    let train = ["train", "H", "--data", games, "--out", "net", "--layers", "8 -> 1"];
    let train = [&train[..], &["--epochs", "1", "--positions-per-epoch", "512", "--batch", "256"]];
    let train = train.concat();
    std::fs::create_dir(work.path().join("net")).unwrap();
    let held = FolderLock::take(&work.path().join("net")).unwrap();
    let refused = work.run(&train);
    assert_eq!(refused.code, 1, "{}", refused.err);
    refused.assert_shows(&["net is in use", "wait for it or stop it"]);
    drop(held);
    let answer = work.run(&train);
    assert_eq!(answer.code, 0, "{}", answer.err);
}

/// Sets come and go; the games of those that stay are not played again.
#[test]
fn games_of_two_sets_do_not_depend_on_the_others() {
    let work = Workdir::new();
    work.experiment("small.toml");
    let two = ["--set", "grid.features=[\"ALL\", \"H + V\"]"];
    assert_eq!(work.run(&quick(&two)).code, 0);
    let before = logs(&work);
    assert_eq!(before.len(), 1);
    let row = |sheet: &str| -> String {
        let text = read(&work, sheet);
        text.lines().find(|line| line.starts_with("ALL,H + V,")).unwrap().to_owned()
    };
    let of_two = row("reports/small/games.csv");
    // A mark that no game would leave by itself.
    let (path, text) = before.first_key_value().unwrap();
    let marked = text.replacen("\"nodes\":[", "\"nodes\":[99", 1);
    assert_ne!(&marked, text);
    std::fs::write(path, &marked).unwrap();

    let three = ["--set", "grid.features=[\"H\", \"H + V\", \"ALL\"]"];
    let answer = work.run(&quick(&three));
    assert_eq!(answer.code, 0, "{}", answer.err);
    assert_eq!(logs(&work).len(), 3);
    assert_eq!(std::fs::read_to_string(path).unwrap(), marked, "its games were not played again");
    let sheet = read(&work, "reports/small/games.csv");
    let turned = sheet.lines().find(|line| line.starts_with("H + V,ALL,")).unwrap();
    let counts =
        |row: &str| -> Vec<String> { row.split(',').skip(3).take(3).map(str::to_owned).collect() };
    let mut seen_by_other = counts(turned);
    seen_by_other.reverse();
    assert_eq!(counts(&of_two), seen_by_other);

    // Fewer sets: all is there, and nothing is played.
    let fewer = ["--set", "grid.features=[\"ALL\", \"H\"]"];
    let marked = logs(&work);
    assert_eq!(work.run(&quick(&fewer)).code, 0);
    assert_eq!(logs(&work), marked);
}

/// More games of a match are the same ones and some more.
#[test]
fn more_games_keep_those_that_were_played() {
    let work = Workdir::new();
    work.experiment("small.toml");
    assert_eq!(work.run(&quick(&[])).code, 0);
    let before = logs(&work);
    let more = ["--set", "evaluation.match=[{ nodes = 60, games = 10 }]"];
    assert_eq!(work.run(&quick(&more)).code, 0);
    let after = logs(&work);
    assert_eq!(after.len(), before.len());
    for (path, log) in before {
        assert!(after[&path].starts_with(&log), "{}", path.display());
        assert_eq!(after[&path].lines().count(), 1 + 10);
    }
}

#[test]
fn a_report_never_replaces_more_by_less() {
    let work = Workdir::new();
    work.experiment("small.toml");
    assert_eq!(work.run(&quick(&["--set", "grid.seed=[1, 2]"])).code, 0);
    let page = read(&work, "reports/small/index.html");
    let refused = |arguments: &[&str], parts: &[&str]| {
        let answer = work.run(&[&["report", "small.toml"], arguments].concat());
        assert_eq!(answer.code, 1, "{}", answer.out);
        answer.assert_shows(parts);
        assert_eq!(read(&work, "reports/small/index.html"), page, "{arguments:?}");
    };
    // Nothing of the file as it is now, and the keys that made it so.
    let nothing = "no results of `small` with the keys of its file";
    let other = ["--set", "training.epochs=2", "--set", "grid.seed=[1, 2]"];
    refused(&other, &[nothing, "training.epochs was 1, now it is 2", "--as-run", "oplus run"]);
    refused(&[&other[..], &["--replace"]].concat(), &[nothing]);
    let seeds = ["--set", "training.epochs=1", "--set", "grid.seed=[1, 2]"];
    let data = [&seeds[..], &["--set", "data.validation=0.3"]].concat();
    refused(&data, &[nothing, "data.validation was 0.2, now it is 0.3"]);
    // Something, but less than the page shows.
    refused(&QUICK, &["more results", "1 of 2 seeds of `", "grid.seed was [1, 2], now it is [1]"]);
    let match_of_others = "evaluation.match=[{ nodes = 60, games = 8 }]";
    let other_match = [&seeds[..], &["--set", match_of_others]].concat();
    refused(&other_match, &["more results", "Elo at 60 nodes of", "--replace"]);
    // Elsewhere, as it was run, or by force.
    let elsewhere = work.run(&[&["report", "small.toml", "--out", "other"], &QUICK[..]].concat());
    assert_eq!(elsewhere.code, 0, "{}", elsewhere.err);
    std::fs::remove_dir_all(work.path().join("reports/small")).unwrap();
    let as_run = work.run(&["report", "small.toml", "--as-run"]);
    assert_eq!(as_run.code, 0, "{}", as_run.err);
    assert_eq!(read(&work, "reports/small/index.html"), page);
    let forced = work.run(&[&["report", "small.toml", "--replace"], &QUICK[..]].concat());
    assert_eq!(forced.code, 0, "{}", forced.err);
    assert_ne!(read(&work, "reports/small/index.html"), page);
}

/// A run of less has its page, and that of before is kept beside it.
#[test]
fn a_smaller_run_keeps_the_larger_page_under_another_name() {
    let work = Workdir::new();
    work.experiment("small.toml");
    assert_eq!(work.run(&quick(&["--set", "grid.seed=[1, 2]"])).code, 0);
    let page = read(&work, "reports/small/index.html");
    let smaller = work.run(&quick(&[]));
    assert_eq!(smaller.code, 0, "{}", smaller.err);
    smaller.assert_shows(&["1 of 2 seeds of `", "moved to reports/small.earlier-1"]);
    assert_eq!(read(&work, "reports/small.earlier-1/index.html"), page);
    // As large, or larger: it is replaced.
    let again = work.run(&quick(&[]));
    assert!(!again.err.contains("moved to"), "{}", again.err);
}

#[test]
fn nothing_is_made_where_nothing_was_run() {
    let work = Workdir::new();
    work.experiment("small.toml");
    let answer = work.run(&["report", "small.toml"]);
    assert_eq!(answer.code, 1);
    answer.assert_shows(&["no results yet: run `oplus run small.toml`"]);
    assert!(!work.path().join("runs").exists() && !work.path().join("reports").exists());
}

/// The page has the given command, and the kind of each interval.
#[test]
fn pages_say_how_they_were_made_and_what_they_show() {
    let work = Workdir::new();
    work.experiment("small file.toml");
    let set = "grid.seed=[1, 2]";
    let run = ["run", "small file.toml", "--set", set, "--set", "training.epochs=1"];
    let answer = work.run(&[&run[..], &["--scale", "0.5"]].concat());
    assert_eq!(answer.code, 0, "{}", answer.err);
    let command = "oplus run &#39;small file.toml&#39; --set &#39;grid.seed=[1, 2]&#39; --set \
                   training.epochs=1 --scale 0.5";
    let page = read(&work, "reports/small/index.html");
    for part in [
        command,
        "positions_per_epoch = 2048",
        "Elo: 95 % intervals include the noise of the games and the spread between seeds; nets of one set scatter by ",
        "Validation loss: mean over the seeds, 95 % intervals from their spread, pooled over the sets; nets of \
         one set scatter by ",
        "All nets evaluate the same search tree",
        "Nodes/s: medians over rounds of one search tree for all nets",
    ] {
        assert!(page.contains(part), "{part} is not on the page:\n{page}");
    }
    let sheet = read(&work, "reports/small/results.csv");
    assert!(sheet.contains("nodes_per_second,nodes_per_second_low,nodes_per_second_high,cost"));
    assert!(answer.out.contains("Nodes/s: medians over rounds"), "{}", answer.out);
    // Pooled: the half widths of sets with equally many seeds are equal.
    let mut reader = csv::Reader::from_reader(sheet.as_bytes());
    let header = reader.headers().unwrap().clone();
    let at = |name: &str| header.iter().position(|column| column == name).unwrap();
    let halves: Vec<f64> = reader
        .records()
        .map(|row| {
            let row = row.unwrap();
            let end = |name: &str| row[at(name)].parse::<f64>().unwrap();
            end("validation_loss_high") - end("validation_loss")
        })
        .collect();
    assert!(halves.iter().all(|half| (half - halves[0]).abs() < 1e-12), "{halves:?}");
}

#[test]
fn removing_says_what_goes_and_asks() {
    let work = Workdir::new();
    work.experiment("small.toml");
    assert_eq!(work.run(&quick(&[])).code, 0);
    let shown = work.run(&["runs", "rm", "small", "--dry-run"]);
    assert_eq!(shown.code, 0, "{}", shown.err);
    for part in ["the experiment small: 3 runs", "18 games", " MB in runs/small"] {
        assert!(shown.out.contains(part), "{part}: {}", shown.out);
    }
    // Without a terminal there is no confirmation.
    let unconfirmed = work.run(&["runs", "rm", "small"]);
    assert_eq!(unconfirmed.code, 2, "{}", unconfirmed.out);
    unconfirmed.assert_shows(&["nothing was removed", "--yes", "--dry-run"]);
    let folder: &Path = &work.path().join("runs/small");
    assert!(folder.is_dir());
    assert!(work.run(&["runs", "list"]).out.contains("H + CENTRE"));
    let gone = work.run(&["runs", "rm", "small", "--yes"]);
    assert_eq!(gone.code, 0, "{}", gone.err);
    assert!(!folder.exists());
    assert!(!work.run(&["runs", "list"]).out.contains("H + CENTRE"));
}

/// Elo per per cent of the loss on kept pages, `reports/*` included, which names files too.
#[test]
fn slopes_of_kept_pages_are_printed() {
    let reports = concat!(env!("CARGO_MANIFEST_DIR"), "/reports");
    let paths = ["README.md", "king-relative", "filters"].map(|name| format!("{reports}/{name}"));
    let work = Workdir::new();
    let answer = work.run(&["report", "--loss-elo", &paths[0], &paths[1], &paths[2]]);
    assert_eq!(answer.code, 0, "{}", answer.err);
    assert!(answer.out.contains("+8.2 ± 2.6"), "{}", answer.out);
    assert!(answer.out.contains("no loss-elo.csv"), "{}", answer.out);
    let missing = work.run(&["report", "--loss-elo", "nowhere"]);
    assert_eq!(missing.code, 2, "{}", missing.err);
    assert!(missing.err.contains("no such folder: nowhere"), "{}", missing.err);
    let nothing = work.run(&["report"]);
    assert_eq!(nothing.code, 2, "{}", nothing.err);
}

/// Expected Elo of kept pages, with the slopes of the atlas's test.
#[test]
fn expected_elo_of_kept_pages_is_printed() {
    let page = concat!(env!("CARGO_MANIFEST_DIR"), "/reports/calibration-threats");
    let work = Workdir::new();
    let slopes = ["--elo-per-percent", "6.06", "--elo-per-doubling", "265"];
    let answer = work.run(&[&["report", "--expected-elo", page], &slopes[..]].concat());
    assert_eq!(answer.code, 0, "{}", answer.err);
    let row = answer.out.lines().find(|line| line.contains("FULL-THREATS")).unwrap();
    let cells = ["× 3.28 ± 0.16", "−404", "−378 ± 41", "(5,000 reference nodes)", "yes"];
    let places: Vec<_> = cells.iter().map(|cell| row.find(cell)).collect();
    assert!(places.is_sorted() && places[0].is_some(), "{row}");
    let fails = |args: &[&str], text: &str| {
        let answer = work.run(args);
        assert_eq!(answer.code, 2, "{}", answer.err);
        assert!(answer.err.contains(text), "{}", answer.err);
    };
    fails(&["report", "--expected-elo", "nowhere"], "no such folder: nowhere");
    fails(&["report", "small.toml", "--elo-per-percent", "6"], "cannot be used with");
    fails(&["report", "--expected-elo", page, "--elo-per-percent", "nan"], "a number above 0");
}

/// The results that a page keeps stand for the trainings behind them; other questions train again.
#[test]
fn a_run_goes_on_from_the_results_that_a_page_keeps() {
    let work = Workdir::new();
    work.experiment("small.toml");
    assert_eq!(work.run(&quick(&[])).code, 0);
    let kept = work.run(&[&["report", "small.toml", "--keep-results"], &QUICK[..]].concat());
    assert_eq!(kept.code, 0, "{}", kept.err);
    let page = read(&work, "reports/small/results.csv");
    let results = || std::fs::read_dir(work.path().join("reports/small/results")).unwrap().count();
    let of_first = results();
    let forget = || std::fs::remove_dir_all(work.path().join("runs")).unwrap();
    forget();
    let dry = work.run(&quick(&["--dry-run"]));
    assert!(dry.code == 0 && dry.out.contains("are done"), "{}{}", dry.out, dry.err);
    let again = work.run(&quick(&[]));
    assert_eq!(again.code, 0, "{}", again.err);
    assert!(!again.err.contains("training H") && !again.err.contains("match at"), "{}", again.err);
    assert_eq!(read(&work, "reports/small/results.csv"), page);

    // More games need the nets, not the other measurements.
    forget();
    let more = quick(&["--set", "evaluation.match=[{ nodes = 30, games = 6 }]"]);
    let answer = work.run(&more);
    assert_eq!(answer.code, 0, "{}", answer.err);
    answer.assert_shows(&["training H", "match at 30 nodes"]);
    assert!(!answer.err.contains("time per node"), "{}", answer.err);
    assert!(results() > of_first, "kept results grow");

    let damaged = std::fs::read_dir(work.path().join("reports/small/results")).unwrap();
    let damaged = damaged.map(|entry| entry.unwrap().path()).min().unwrap();
    std::fs::write(&damaged, "{}").unwrap();
    forget();
    let refused = work.run(&more);
    assert_eq!(refused.code, 1, "{}", refused.err);
    refused.assert_shows(&[damaged.file_name().unwrap().to_str().unwrap(), "remove the file"]);
}
