//! An experiment that makes its own data: games, a net, its games, the next net.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::support::{FIXED_DATE, OPLUS, Workdir};

/// Of a size that `--scale` makes small.
const EXPERIMENT: &str = r#"
name = "small"
question = "Who is the stronger?"
[grid]
features = ["H"]
layers = ["8 -> 1"]
[selfplay]
generations = 2
positions = 400_000
nodes = 60
[data]
validation = 0.2
[training]
epochs = 2
positions_per_epoch = 200_000
batch = 256
[evaluation]
speed_rounds = 1
puzzles = { file = "puzzles.csv", nodes = 50 }
match = [{ nodes = 60, games = 600 }]
"#;

const RUN: [&str; 4] = ["run", "small.toml", "--scale", "0.01"];

pub(crate) fn workdir() -> Workdir {
    let work = Workdir::new();
    work.file("small.toml", EXPERIMENT);
    work.file("puzzles.csv", crate::support::PUZZLES);
    work
}

/// Games and nets of all generations, by name.
pub(crate) fn made(work: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let folder = std::fs::read_dir(work.join("runs/small")).unwrap();
    let mut files: Vec<PathBuf> = folder
        .map(|entry| entry.unwrap().path())
        .map(|path| if path.is_dir() { path.join("net.oplus") } else { path })
        .filter(|path| path.extension().is_some_and(|e| e == "oarc" || e == "oplus"))
        .filter(|path| path.exists())
        .collect();
    files.sort();
    let content = |path: PathBuf| {
        let bytes = std::fs::read(&path).unwrap();
        (path.strip_prefix(work).unwrap().to_owned(), bytes)
    };
    files.into_iter().map(content).collect()
}

#[test]
fn two_generations_play_learn_and_are_rated() {
    let work = workdir();
    let first = work.run(&RUN);
    assert_eq!(first.code, 0, "{}", first.err);
    for stage in [
        "games of PeSTO",
        "training generation 1",
        "games of generation 1",
        "training generation 2",
        "match at 60 nodes",
    ] {
        assert!(first.err.contains(stage), "{stage}: {}", first.err);
    }
    let made = made(work.path());
    assert_eq!(made.len(), 4, "two files of games, two nets");
    let info = |path: &Path| work.run(&["archive", "info", path.to_str().unwrap()]).out;
    assert_ne!(info(&made[0].0), info(&made[1].0));

    let folder = work.path().join("reports/small");
    let page = std::fs::read_to_string(folder.join("index.html")).unwrap();
    for part in ["Who is the stronger?", "Generations", "PeSTO", "generation 2", "Ratings"] {
        assert!(page.contains(part), "{part} is not on the page");
    }
    let sheet = std::fs::read_to_string(folder.join("generations.csv")).unwrap();
    let rows: Vec<Vec<&str>> = sheet.lines().skip(1).map(|row| row.split(',').collect()).collect();
    assert_eq!((rows[0][0], rows[0][1]), ("generation 1", "PeSTO"));
    assert_eq!((rows[1][0], rows[1][1]), ("generation 2", "generation 1"));
    let number = |row: usize, column: usize| rows[row][column].parse::<f64>().unwrap();
    for row in 0..2 {
        let (positions, loss) = (number(row, 3), number(row, 6));
        assert!((4_000.0..4_500.0).contains(&positions) && loss > 0.0, "{sheet}");
    }
    assert!(number(1, 5) > 1.5 * number(0, 5), "the second is trained on both: {sheet}");
    let players = std::fs::read_to_string(folder.join("players.csv")).unwrap();
    assert_eq!(players.lines().count(), 4, "{players}");

    let again = work.run(&RUN);
    assert_eq!((again.code, &again.out), (0, &first.out), "{}", again.err);
    assert!(!again.err.contains("training"), "{}", again.err);
    std::fs::remove_dir_all(&folder).unwrap();
    let report = work.run(&["report", "small.toml", "--scale", "0.01"]);
    assert_eq!(report.code, 0, "{}", report.err);
    assert_eq!(std::fs::read_to_string(folder.join("index.html")).unwrap(), page);
}

#[test]
fn killed_in_the_games_of_a_net_they_go_on_to_the_same_nets() {
    let straight = workdir();
    assert_eq!(straight.run(&RUN).code, 0);

    let work = workdir();
    let mut child = Command::new(OPLUS)
        .current_dir(work.path())
        .env(FIXED_DATE.0, FIXED_DATE.1)
        .args(RUN)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let journal = || {
        let names = std::fs::read_dir(work.path().join("runs/small")).into_iter().flatten();
        let names = names.flatten().map(|entry| entry.file_name().into_string().unwrap());
        let names: Vec<String> = names.filter(|name| name.starts_with("games-")).collect();
        // The games of the first are made, those of the second are not.
        let stem = |name: &String| name.split('.').next().unwrap().to_owned();
        let of = |ending: &str| -> Vec<String> {
            names.iter().filter(|name| name.ends_with(ending)).map(stem).collect()
        };
        let made = of(".oarc");
        !made.is_empty() && of(".journal").iter().any(|journal| !made.contains(journal))
    };
    let started = Instant::now();
    while !journal() && started.elapsed() < Duration::from_secs(60) {
        std::thread::sleep(Duration::from_millis(1));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(journal(), "it was killed too late to tell");
    assert!(!work.path().join("reports/small").exists());
    let unrated = work.run(&["report", "small.toml", "--scale", "0.01"]);
    assert_eq!(unrated.code, 1);
    unrated.assert_shows(&["have no games against each other yet"]);

    let rest = work.run(&RUN);
    assert_eq!(rest.code, 0, "{}", rest.err);
    assert!(!rest.err.contains("training generation 1"), "{}", rest.err);
    assert_eq!(made(work.path()), made(straight.path()), "bit by bit");
}

#[test]
fn a_dry_run_counts_every_generation() {
    let work = workdir();
    let plan = work.run(&["run", "small.toml", "--dry-run", "--scale", "0.1"]);
    assert_eq!(plan.code, 0, "{}", plan.err);
    for part in ["2 runs, 180 games", "40000 positions for each, at 60 nodes"] {
        assert!(plan.out.contains(part), "{part}: {}", plan.out);
    }
    assert!(!work.path().join("runs").exists());
}

#[test]
fn what_does_not_go_with_generations_is_shown_in_its_place() {
    let work = workdir();
    for (set, reply) in [
        ("data.train=[\"games.oarc\"]", "two sources of data"),
        ("grid.features=[\"H\", \"V\"]", "`grid.features` lists 2, but a generation is one net"),
        ("grid.seed=[1, 2]", "`grid.seed` lists 2"),
        ("evaluation.match=[]", "generations are rated by one round robin"),
        ("selfplay.generations=0", "expected a whole number from 1 up"),
        ("selfplay.nodes=0", "expected a whole number from 1 up"),
        ("selfplay.positions=0", "expected a whole number from 1 up"),
        ("selfplay.random_plies=\"9-6\"", "`9-6` is not a range of random plies"),
        ("selfplay.balance=0", "`0`: number would be zero"),
        ("selfplay.resign_rule=\"1500\"", "`1500` is not a rule; write MOVES/CENTIPAWNS"),
        ("selfplay.node=5", "did you mean `nodes`?"),
    ] {
        let answer = work.run(&["run", "small.toml", "--set", set]);
        assert_eq!(answer.code, 2, "{set}: {}", answer.err);
        answer.assert_shows(&[reply]);
        assert!(answer.err.contains("small.toml with --set"), "{set}: {}", answer.err);
    }
    assert!(!work.path().join("runs").exists());
}
