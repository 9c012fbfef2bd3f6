//! Plans of jobs: shown, done one by one, shared between processes, killed anywhere.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::{Child, Stdio};
use std::time::Duration;

use serde_json::Value;

use crate::support::Workdir;

/// Without what clocks decide, so that equal plans come to equal results.
pub(crate) const UNTIMED: [&str; 2] = ["--set", "evaluation.speed_rounds=0"];

fn run(more: &[&'static str]) -> Vec<&'static str> {
    [&["run", "small.toml"], &UNTIMED[..], more].concat()
}

/// The jobs of a plan as it stands.
fn jobs(work: &Workdir) -> Vec<Value> {
    let shown = work.run(&run(&["--plan", "--json"]));
    assert_eq!(shown.code, 0, "{}", shown.err);
    let plan: Value = serde_json::from_str(&shown.out).unwrap();
    assert_eq!(plan["experiment"], "small");
    plan["jobs"].as_array().unwrap().clone()
}

fn key(job: &Value) -> String {
    job["key"].as_str().unwrap().to_owned()
}

/// What jobs came to, by key; with the seconds left out that training took.
pub(crate) fn results(work: &Path) -> BTreeMap<String, Value> {
    let files = std::fs::read_dir(work.join("runs/small/results")).unwrap();
    let read = |path: std::path::PathBuf| {
        let text = std::fs::read_to_string(&path).unwrap();
        let mut result: Value = serde_json::from_str(&text).unwrap();
        let mut found = result["found"].take();
        for epoch in found.get_mut("epochs").and_then(Value::as_array_mut).into_iter().flatten() {
            for timed in ["seconds", "waiting", "positions_per_second"] {
                epoch[timed] = Value::Null;
            }
        }
        (path.file_stem().unwrap().to_string_lossy().into_owned(), found)
    };
    files.map(|file| read(file.unwrap().path())).collect()
}

/// The same experiment done in one go.
fn straight() -> Workdir {
    let work = Workdir::new();
    work.experiment("small.toml");
    let answer = work.run(&run(&[]));
    assert_eq!(answer.code, 0, "{}", answer.err);
    work
}

#[test]
fn jobs_are_done_one_by_one_in_their_order_and_never_twice() {
    let work = Workdir::new();
    work.experiment("small.toml");
    let plan = jobs(&work);
    assert!(!work.path().join("runs").exists(), "a plan does nothing");
    let train = plan.iter().find(|job| job["kind"] == "train").unwrap();
    let early = work.run(&run(&["--job", key(train).leak()]));
    assert_eq!(early.code, 1);
    early.assert_shows(&["depends on", "positions"]);
    let unknown = work.run(&run(&["--job", "zzz"]));
    assert_eq!(unknown.code, 2);
    unknown.assert_shows(&["no job of the plan", "--plan"]);

    for job in &plan {
        let one: &'static str = key(job).leak();
        let done = work.run(&run(&["--job", one]));
        assert_eq!(done.code, 0, "{}", done.err);
        let again = work.run(&run(&["--job", one]));
        assert!(again.code == 0 && again.out.contains("was done before"), "{}", again.out);
    }
    assert!(jobs(&work).iter().all(|job| job["state"] == "done"));
    assert_eq!(results(work.path()), results(straight().path()));
    let rest = work.run(&run(&[]));
    assert!(rest.code == 0 && !rest.err.contains("training"), "{}", rest.err);
}

#[test]
fn the_plan_is_a_table_for_people() {
    let work = Workdir::new();
    work.experiment("small.toml");
    let shown = work.run(&run(&["--plan"]));
    assert_eq!(shown.code, 0, "{}", shown.err);
    for part in
        ["H + CENTRE 16 -> 8 -> 1 seed 1", "waits for 1 job", "ready", "match", "0 of 19 jobs"]
    {
        assert!(shown.out.contains(part), "{part}: {}", shown.out);
    }
}

fn begun(work: &Workdir, arguments: &[&str]) -> Child {
    let mut command = work.command(arguments);
    command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap()
}

#[test]
fn two_processes_share_a_plan_and_do_every_job_once() {
    let work = Workdir::new();
    work.experiment("small.toml");
    let arguments = run(&[]);
    let both = [(); 2].map(|()| begun(&work, &arguments));
    let both = both.map(|child| child.wait_with_output().unwrap());
    let reply = both.each_ref().map(|one| String::from_utf8_lossy(&one.stderr).into_owned());
    assert!(both.iter().all(|one| one.status.success()), "{reply:#?}");
    for features in ["H + V", "ALL", "H + CENTRE"] {
        let stage = format!("training {features} 16 -> 8 -> 1 seed 1");
        let begun = |reply: &String| reply.lines().filter(|line| line.starts_with(&stage)).count();
        assert_eq!(reply.iter().map(begun).sum::<usize>(), 1, "{stage}: {reply:#?}");
    }
    assert_eq!(results(work.path()), results(straight().path()));
}

#[test]
fn killed_anywhere_it_goes_on() {
    let work = Workdir::new();
    work.experiment("small.toml");
    let arguments = run(&[]);
    let mut kills = 0;
    for delay in (1..).map(|step| Duration::from_millis(40 * step)) {
        let mut child = begun(&work, &arguments);
        std::thread::sleep(delay);
        if let Some(status) = child.try_wait().unwrap() {
            assert!(status.success());
            break;
        }
        child.kill().unwrap();
        child.wait().unwrap();
        kills += 1;
    }
    assert!(kills > 2, "it was too fast to be killed");
    assert_eq!(results(work.path()), results(straight().path()));
    // No game was played twice.
    for log in std::fs::read_dir(work.path().join("runs/small/games")).unwrap() {
        let log = std::fs::read_to_string(log.unwrap().path()).unwrap();
        assert_eq!(log.lines().count(), 1 + 6, "{log}");
    }
}

#[test]
fn a_result_that_cannot_be_read_is_named_and_not_taken_for_none() {
    let work = straight();
    let results = work.path().join("runs/small/results");
    let some = std::fs::read_dir(&results).unwrap().next().unwrap().unwrap().path();
    std::fs::write(&some, "{").unwrap();
    let answer = work.run(&run(&[]));
    assert_eq!(answer.code, 1);
    answer.assert_shows(&[some.file_name().unwrap().to_str().unwrap(), "remove the file"]);
    std::fs::remove_file(&some).unwrap();
    assert_eq!(work.run(&run(&[])).code, 0);
    assert!(some.exists(), "it was done again");
}

#[test]
fn one_result_is_forgotten_and_done_again() {
    let work = straight();
    let plan = jobs(&work);
    let game = plan.iter().find(|job| job["kind"] == "match").unwrap();
    let before = results(work.path());
    let shown = work.run(&["runs", "rm", &key(game), "--dry-run"]);
    assert!(shown.out.contains("match at 60 nodes"), "{}", shown.out);
    assert_eq!(work.run(&["runs", "rm", &key(game), "--yes"]).code, 0);
    assert_eq!(results(work.path()).len() + 1, before.len());
    let again = work.run(&run(&[]));
    assert!(again.err.contains("match at 60 nodes") && !again.err.contains("training"));
    assert_eq!(results(work.path()), before);
    // A copy beside the page goes too, or the next run would take it from there.
    let kept = work.run(&["report", "small.toml", "--as-run", "--keep-results"]);
    assert_eq!(kept.code, 0, "{}", kept.err);
    assert_eq!(work.run(&["runs", "rm", &key(game), "--yes"]).code, 0);
    let again = work.run(&run(&[]));
    assert!(again.err.contains("match at 60 nodes") && !again.err.contains("training"));
    assert_eq!(results(work.path()), before);
}

#[test]
fn games_on_the_clock_say_whether_a_set_pays() {
    let work = Workdir::new();
    work.experiment("small.toml");
    let answer = work.run(&[
        "run",
        "small.toml",
        "--set",
        "evaluation.match=[{ nodes = 50, games = 4 }, { movetime_ms = 2, games = 2 }]",
        "--set",
        "evaluation.price_games=2",
    ]);
    assert_eq!(answer.code, 0, "{}", answer.err);
    for part in ["50 nodes", "2 ms per move", "time per node"] {
        assert!(answer.out.contains(part), "{part}: {}", answer.out);
    }
    // Unless a busy machine lost such short games on the clock.
    let prices = ["Twice the time is worth", "no Elo per doubling of time: "];
    assert!(prices.iter().any(|reply| answer.out.contains(reply)), "{}", answer.out);
    let verdicts = ["pays: it", "does not pay: it", "undecided: it", "no verdict: "];
    assert!(verdicts.iter().any(|verdict| answer.out.contains(verdict)), "{}", answer.out);
    let page = std::fs::read_to_string(work.path().join("reports/small/index.html")).unwrap();
    assert!(verdicts.iter().any(|verdict| page.contains(verdict)));
}

#[test]
fn numbers_of_positions_make_learning_curves() {
    let work = Workdir::new();
    work.experiment("small.toml");
    let arguments = [
        "run",
        "small.toml",
        "--set",
        "grid.features=[\"ALL\", \"H + V\"]",
        "--set",
        "grid.seed=[1, 2]",
        "--set",
        "grid.data.positions=[300, 600, 1200]",
        "--set",
        "evaluation.match=[{ nodes = 50, games = 40, pairings = \"gauntlet\" }]",
        "--set",
        "evaluation.speed_rounds=0",
    ];
    let plan = work.run(&[&arguments[..], &["--plan"]].concat());
    assert_eq!(plan.code, 0, "{}", plan.err);
    // Besides the first set of all, every set meets the reference's of its own size.
    for size in [600, 1200] {
        let names = ["ALL", "H + V"].map(|set| format!("{set} · positions = {size} seed 1"));
        let [one, other] = names.each_ref();
        let met = [format!("{one} – {other}"), format!("{other} – {one}")];
        assert!(met.iter().any(|met| plan.out.contains(met)), "{met:?}: {}", plan.out);
    }
    let answer = work.run(&arguments);
    assert_eq!(answer.code, 0, "{}", answer.err);
    assert!(answer.out.contains("H + V over numbers of positions: "), "{}", answer.out);
    let page = std::fs::read_to_string(work.path().join("reports/small/index.html")).unwrap();
    for part in [
        "Loss and Elo over the number of positions",
        "of 1 curves",
        "Elo over ALL with the same number",
    ] {
        assert!(page.contains(part), "{part}");
    }
    let read = |name: &str| std::fs::read_to_string(work.path().join("reports/small").join(name));
    let sheet = read("learning.csv").unwrap();
    assert_eq!(sheet.lines().count(), 4, "{sheet}");
    // The first lead is one over the reference of the page, and has the interval that it has there.
    let first: Vec<&str> = sheet.lines().nth(1).unwrap().split(',').collect();
    assert!(read("results.csv").unwrap().contains(&first[3..6].join(",")), "{sheet}");
}

/// Who labelled the positions may be the question: then files are an axis.
#[test]
fn files_can_be_an_axis() {
    let work = Workdir::new();
    let file = work.experiment("small.toml");
    let text = std::fs::read_to_string(&file).unwrap();
    let games = text.lines().find(|line| line.starts_with("train")).unwrap().to_owned();
    let list = games.split_once('=').unwrap().1.trim();
    let of = |axis: &str| {
        let axes = format!("[grid]\n\"data.train\" = {axis}\n");
        std::fs::write(&file, text.replace("[grid]\n", &axes).replace(&games, "")).unwrap();
        work.run(&["run", "small.toml", "--dry-run"])
    };
    let answer = of(&format!("[{list}]"));
    assert_eq!(answer.code, 0, "{}", answer.err);
    assert!(answer.out.contains("trained on"), "{}", answer.out);
    let missing = of(&format!("[{list}, [\"no/such.oarc\"]]"));
    assert_eq!(missing.code, 1, "{}", missing.out);
    missing.assert_shows(&["no/such.oarc"]);
    of(&format!("[{list}, []]")).assert_shows(&["no data files", "in the grid"]);
}

#[test]
fn keys_of_other_tables_are_axes_of_the_grid() {
    let work = Workdir::new();
    work.experiment("small.toml");
    let arguments = [
        "run",
        "small.toml",
        "--set",
        "grid.features=[\"ALL\"]",
        "--set",
        "grid.data.positions=[500, 1000]",
        "--set",
        "grid.training.epochs=[1, 2]",
        "--set",
        "evaluation.match=[]",
    ];
    let answer = work.run(&arguments);
    assert_eq!(answer.code, 0, "{}", answer.err);
    for arm in ["positions = 500, epochs = 1", "positions = 1000, epochs = 2"] {
        assert!(answer.out.contains(arm), "{arm}: {}", answer.out);
    }
    let of = |more: &'static str| {
        let answer = work.run(&["run", "small.toml", "--dry-run", "--set", more]);
        assert_eq!(answer.code, 2, "{more}: {}", answer.out);
        answer
    };
    of("grid.training.epoch=[1]").assert_shows(&["epoch"]);
    of("grid.sed=[1]").assert_shows(&["unknown field `sed`", "`seed`"]);
    of("grid.training.learning_rate=[0.1, -1.0]").assert_shows(&["learning_rate", "in the grid"]);
}
