//! Games made by the program itself, over as many sessions as it takes.

use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use crate::support::{OPLUS, Workdir};

/// A production long enough to be killed in the middle.
const LONG: [&str; 5] = ["selfplay", "--positions", "30000", "--nodes", "100"];

fn with<'a>(production: &[&'a str], more: &[&'a str]) -> Vec<&'a str> {
    [production, more].concat()
}

/// Begins a production and lets it come to a size of its journal.
fn begin(work: &Workdir, arguments: &[&str], journal: &str, bytes: u64) -> Child {
    let child = Command::new(OPLUS)
        .current_dir(work.path())
        .args(arguments)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let size = || work.path().join(journal).metadata().map_or(0, |file| file.len());
    let started = Instant::now();
    while size() < bytes && started.elapsed() < Duration::from_secs(60) {
        std::thread::sleep(Duration::from_millis(1));
    }
    child
}

fn names(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).unwrap();
    let mut names: Vec<String> =
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
#[cfg(unix)]
fn killed_and_stopped_it_goes_on_to_the_same_file() {
    let straight = Workdir::new();
    let arguments = with(&LONG, &["--out", "games.oarc"]);
    let reply = straight.run(&arguments);
    assert_eq!(reply.code, 0, "{}", reply.err);
    let whole = std::fs::read(straight.path().join("games.oarc")).unwrap();

    let work = Workdir::new();
    let mut child = begin(&work, &arguments, "games.oarc.journal", 20_000);
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(!work.path().join("games.oarc").exists(), "it was killed too late to tell");
    // The next dies while it writes a game.
    let journal = work.path().join("games.oarc.journal");
    let mut bytes = std::fs::read(&journal).unwrap();
    bytes.truncate(bytes.len() - 7);
    std::fs::write(&journal, &bytes).unwrap();

    let child = begin(&work, &arguments, "games.oarc.journal", 60_000);
    stop(&child);
    let stopped = child.wait_with_output().unwrap();
    assert_eq!(stopped.status.code(), Some(75));
    assert!(!work.path().join("games.oarc").exists(), "it was stopped too late to tell");

    let rest = work.run(&arguments);
    assert_eq!(rest.code, 0, "{}", rest.err);
    assert_eq!(std::fs::read(work.path().join("games.oarc")).unwrap(), whole, "byte by byte");
    assert_eq!(names(work.path()), ["games.oarc", "games.oarc.selfplay.json"]);
}

/// As Ctrl-C does.
#[cfg(unix)]
fn stop(child: &Child) {
    let id = child.id().to_string();
    assert!(Command::new("kill").args(["-INT", &id]).status().unwrap().success());
}

#[test]
fn other_settings_are_refused_until_it_is_begun_anew() {
    let work = Workdir::new();
    let short = ["selfplay", "--positions", "300", "--nodes", "100", "--out", "games.viri"];
    assert_eq!(work.run(&short).code, 0);
    let first = std::fs::read(work.path().join("games.viri")).unwrap();

    let again = work.run(&short);
    assert_eq!(again.code, 0, "{}", again.err);
    again.assert_shows(&["the file has"]);
    assert_eq!(std::fs::read(work.path().join("games.viri")).unwrap(), first);

    let other = with(&short, &["--seed", "2", "--resign-rule", "off"]);
    let refused = work.run(&other);
    assert_eq!(refused.code, 2);
    refused.assert_shows(&[
        "seed was 1, now it is 2",
        "rules.resign.bound_cp was 1500, now it is not set",
    ]);
    refused.assert_shows(&["--fresh"]);
    assert_eq!(std::fs::read(work.path().join("games.viri")).unwrap(), first);

    assert_eq!(work.run(&with(&other, &["--fresh"])).code, 0);
    assert_ne!(std::fs::read(work.path().join("games.viri")).unwrap(), first);
}

#[test]
fn an_unfinished_production_of_other_settings_is_refused() {
    let work = Workdir::new();
    let arguments = with(&LONG, &["--out", "games.oarc"]);
    let mut child = begin(&work, &arguments, "games.oarc.journal", 10_000);
    child.kill().unwrap();
    child.wait().unwrap();
    let journal = std::fs::read(work.path().join("games.oarc.journal")).unwrap();
    let refused = work.run(&with(&arguments, &["--balance", "off"]));
    assert_eq!(refused.code, 2);
    refused.assert_shows(&["balance was 150, now it is off"]);
    assert_eq!(std::fs::read(work.path().join("games.oarc.journal")).unwrap(), journal);
}

#[test]
fn a_finished_file_grows_to_what_it_would_have_been() {
    let work = Workdir::new();
    let make = |positions: &str, out: &str| {
        let answer =
            work.run(&["selfplay", "--positions", positions, "--nodes", "100", "--out", out]);
        assert_eq!(answer.code, 0, "{}", answer.err);
        std::fs::read(work.path().join(out)).unwrap()
    };
    for ending in ["oarc", "viri.zst", "pgn"] {
        let (grown, straight) = (format!("grown.{ending}"), format!("straight.{ending}"));
        let small = make("300", &grown);
        let large = make("1500", &grown);
        assert!(large.len() > small.len() && large == make("1500", &straight), "{ending}");
        assert_eq!(make("200", &grown), large, "less is there already");
    }
    make("300", "list.txt");
    let longer = ["selfplay", "--positions", "900", "--nodes", "100", "--out", "list.txt"];
    let refused = work.run(&longer);
    assert_eq!(refused.code, 2);
    refused.assert_shows(&["no whole games"]);
}

#[test]
fn an_unfinished_production_makes_do_with_what_there_is() {
    let work = Workdir::new();
    let arguments = with(&LONG, &["--out", "games.oarc"]);
    let mut child = begin(&work, &arguments, "games.oarc.journal", 20_000);
    child.kill().unwrap();
    child.wait().unwrap();
    let less = ["selfplay", "--positions", "100", "--nodes", "100", "--out", "games.oarc"];
    let answer = work.run(&less);
    assert_eq!(answer.code, 0, "{}", answer.err);
    let positions = answer.out.lines().find_map(|line| line.strip_prefix("positions  ")).unwrap();
    assert!(positions.parse::<u64>().unwrap() > 3_000, "nothing is thrown away: {}", answer.out);
    assert!(!answer.out.contains("speed"), "nothing was played: {}", answer.out);
}

#[test]
fn files_of_other_makers_are_not_replaced() {
    let work = Workdir::new();
    work.file("games.pgn", "[Event \"mine\"]\n");
    let refused = work.run(&["selfplay", "--positions", "100", "--out", "games.pgn"]);
    assert_eq!(refused.code, 2);
    refused.assert_shows(&["exists without a record of its settings", "--fresh"]);
    assert_eq!(
        std::fs::read_to_string(work.path().join("games.pgn")).unwrap(),
        "[Event \"mine\"]\n"
    );
}

#[test]
fn a_summary_tells_what_was_made() {
    let work = Workdir::new();
    let answer =
        work.run(&["selfplay", "--positions", "400", "--nodes", "100", "--out", "games.viri"]);
    let figure = |name: &str| -> f64 {
        let line = answer.out.lines().find(|line| line.starts_with(name)).unwrap_or_default();
        let number = line.split_whitespace().nth(1).unwrap_or_default();
        number.trim_end_matches(':').parse().unwrap_or_else(|_| panic!("{name}: {}", answer.out))
    };
    let (games, positions) = (figure("games "), figure("positions "));
    assert!(positions >= 400.0 && games >= 1.0);
    assert!(figure("speed ") > 0.0);
    let bytes = work.path().join("games.viri").metadata().unwrap().len() as f64;
    assert!((figure("size ") - bytes / positions).abs() < 0.006, "{}", answer.out);
    let results: f64 = ["white wins", "draws", "black wins"]
        .map(|kind| answer.out.split(kind).next().unwrap().split_whitespace().last().unwrap())
        .iter()
        .map(|number| number.parse::<f64>().unwrap())
        .sum();
    assert_eq!(results, games, "{}", answer.out);
}

#[test]
fn rules_change_the_games() {
    let work = Workdir::new();
    let longest = |more: &[&str]| -> usize {
        let make = ["selfplay", "--positions", "1000", "--nodes", "60", "--fresh", "--out"];
        let answer = work.run(&with(&with(&make, &["games.txt"]), more));
        assert_eq!(answer.code, 0, "{}", answer.err);
        let text = std::fs::read_to_string(work.path().join("games.txt")).unwrap();
        let moves = |line: &str| line.split(' ').nth(5).unwrap().parse::<usize>().unwrap();
        text.lines().map(moves).max().unwrap()
    };
    assert!(longest(&["--max-moves", "10", "--random-plies", "6"]) <= 13);
    assert!(longest(&[]) > 13);
}

#[test]
fn nonsense_is_refused() {
    let work = Workdir::new();
    for (flag, value, reply) in [
        ("--nodes", "0", "'--nodes <NODES>'"),
        ("--positions", "0", "0 is not in 1.."),
        ("--random-plies", "9-6", "`9-6` is not a range of random plies"),
        ("--balance", "0", "'--balance <CP>'"),
        ("--resign-rule", "0/1500", "`0/1500` is not a rule; write MOVES/CENTIPAWNS"),
        ("--draw-rule", "10/8", "`10/8` is not a rule; write MOVE/MOVES/CENTIPAWNS"),
        ("--max-moves", "0", "'--max-moves <MOVES>'"),
    ] {
        let answer = work.run(&["selfplay", "--out", "games.oarc", flag, value]);
        assert_eq!(answer.code, 2, "{flag}: {}", answer.err);
        answer.assert_shows(&[reply]);
    }
    let answer = work.run(&["selfplay", "--out", "games.docx"]);
    assert_eq!(answer.code, 2, "{}", answer.err);
    answer.assert_shows(&["does not say a format that is written", ".oarc"]);
    assert!(names(work.path()).is_empty());
}

/// The key of the only job of a command.
fn key_of(work: &Workdir, command: &[&str]) -> String {
    let plan = work.run(&with(command, &["--plan", "--json"]));
    assert_eq!(plan.code, 0, "{}", plan.err);
    let plan: serde_json::Value = serde_json::from_str(&plan.out).unwrap();
    assert_eq!(plan["jobs"].as_array().unwrap().len(), 1, "{plan}");
    plan["jobs"][0]["key"].as_str().unwrap().to_owned()
}

#[test]
fn jobs_make_the_files_that_commands_make() {
    let (straight, work) = (Workdir::new(), Workdir::new());
    let games = ["selfplay", "--games", "3", "--nodes", "60", "--out", "games.oarc"];
    let scores = ["data", "rescore", "games.oarc", "scores.oarc", "--player", "pesto", "--static"];
    for (command, file) in [(&games[..], "games.oarc"), (&scores[..], "scores.oarc")] {
        let answer = straight.run(command);
        assert_eq!(answer.code, 0, "{}", answer.err);
        let key = key_of(&work, command);
        for more in [&["--job", &key][..], &["--collect"]] {
            let answer = work.run(&with(command, more));
            assert_eq!(answer.code, 0, "{}", answer.err);
        }
        let read = |work: &Workdir| std::fs::read(work.path().join(file)).unwrap();
        assert_eq!(read(&work), read(&straight), "{file}");
    }
    let again = work.run(&with(&games, &["--slurm", "--dry-run", "--seed", "2"]));
    assert_eq!(again.code, 0, "{}", again.err);
    assert!(again.out.contains("sbatch"), "{}", again.out);
    // Another seed is another job, whose file would replace the one that is there.
    let other = with(&games, &["--seed", "2"]);
    let refused = work.run(&with(&other, &["--job", &key_of(&work, &other)]));
    assert_eq!(refused.code, 1, "{}", refused.err);
    refused.assert_shows(&["`games.oarc` exists", "--fresh"]);
}

#[test]
fn progress_and_result_come_as_json() {
    let work = Workdir::new();
    let make = ["selfplay", "--games", "2", "--nodes", "60", "--out", "games.oarc", "--json"];
    let answer = work.run(&make);
    assert_eq!(answer.code, 0, "{}", answer.err);
    let last: serde_json::Value = serde_json::from_str(answer.out.lines().last().unwrap()).unwrap();
    assert_eq!((&last["event"], &last["made"]["games"]), (&"result".into(), &2.into()), "{last}");
}
