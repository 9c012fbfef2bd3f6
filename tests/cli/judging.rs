//! Statements on results: no more than they show, and before hours are spent on them.

use std::path::Path;

use crate::discovery::search;
use crate::support::{Answer, Workdir, games};

const BUNDLED: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/datasets/bootstrap.oarc");

/// An experiment with nets trained in a moment and the given number of games.
const QUICK: [&str; 6] = [
    "--set",
    "evaluation.speed_rounds=0",
    "--set",
    "grid.features=[\"H\", \"ALL\"]",
    "--set",
    "training.epochs=1",
];

fn run(work: &Workdir, more: &[&str]) -> Answer {
    let answer = work.run(&[&["run", "small.toml"], &QUICK[..], more].concat());
    assert_eq!(answer.code, 0, "{}", answer.err);
    answer
}

fn page(work: &Workdir) -> String {
    std::fs::read_to_string(work.path().join("reports/small/index.html")).unwrap()
}

#[test]
fn losses_of_other_exponents_filters_and_labels_are_not_compared() {
    let work = Workdir::new();
    work.experiment("small.toml");
    let none = ["--set", "evaluation.match=[]", "--set", "evaluation.puzzles.limit=1"];
    let alike = run(&work, &[&none[..], &["--set", "grid.seed=[1, 2]"]].concat());
    assert!(alike.out.contains("has the lowest validation loss of 2 sets"), "{}", alike.out);
    for axis in [
        "grid.training.loss_exponent=[2.0, 2.5]",
        "grid.training.out_scaling=[200.0, 400.0]",
        "grid.training.wdl=[0.0, 0.5]",
        "grid.data.filter=[\"quiet\", \"none\"]",
        "grid.data.validation=[0.2, 0.3]",
    ] {
        let answer = run(&work, &[&none[..], &["--set", axis]].concat());
        assert!(!answer.out.contains("lowest validation loss"), "{axis}: {}", answer.out);
        assert!(answer.out.contains("not comparable"), "{axis}: {}", answer.out);
        assert!(answer.out.contains("The losses have different targets"), "{axis}");
        assert!(page(&work).contains("validation loss, not comparable"), "{axis}");
        assert!(!page(&work).contains("lowest validation loss of"), "{axis}");
    }
    let learning_rate = "grid.training.learning_rate=[1e-3, 2e-3]";
    let answer = run(&work, &[&none[..], &["--set", learning_rate]].concat());
    assert!(answer.out.contains("has the lowest validation loss of 4 variants"), "{}", answer.out);
}

#[test]
fn sets_on_equal_data_come_first_and_a_grid_has_a_table_of_its_factors() {
    let work = Workdir::new();
    work.experiment("small.toml");
    let sizes = [
        "--set",
        "grid.data.positions=[1024, 2048, 3000]",
        "--set",
        "grid.features=[\"H\", \"ALL\"]",
    ];
    let games = ["--set", "evaluation.match=[{ nodes = 20, games = 6, pairings = \"gauntlet\" }]"];
    let answer = run(&work, &[&sizes[..], &games].concat());
    let reply = answer.out.lines().find(|line| line.contains("trained on another number of"));
    let reply = reply.unwrap_or_else(|| panic!("{}", answer.out));
    assert!(reply.starts_with("· 4 variants"), "{reply}");
    let first = answer.out.lines().position(|line| line.starts_with(['▲', '▼', '≈', '?'])).unwrap();
    let other = answer.out.lines().position(|line| line == reply).unwrap();
    assert!(first < other, "{}", answer.out);
    let equal =
        answer.out.lines().filter(|line| line.contains("H · positions = ") && line.contains("Elo"));
    for line in equal {
        let sizes: Vec<&str> = line
            .split("positions = ")
            .skip(1)
            .map(|rest| rest.split(' ').next().unwrap())
            .collect();
        assert!(
            sizes.windows(2).all(|pair| pair[0] == pair[1]),
            "unequal data are compared: {line}"
        );
    }
    assert!(page(&work).contains("<h2 id=\"factors\">Factors</h2>"));
    assert!(
        answer
            .out
            .contains("Elo over the reference's set on the same number of positions, 20 nodes")
    );
}

#[test]
fn a_dry_run_counts_games_by_their_clocks() {
    let work = Workdir::new();
    work.experiment("small.toml");
    let clock = "evaluation.match=[{ movetime_ms = 100, games = 1000 }]";
    let run = ["run", "small.toml", "--dry-run", "--time-concurrency", "1"];
    let answer =
        work.run(&[&run[..], &["--set", clock, "--set", "evaluation.price_games=0"]].concat());
    assert_eq!(answer.code, 0, "{}", answer.err);
    let reply = answer
        .out
        .lines()
        .find(|line| line.starts_with("expected time on this machine: about"))
        .unwrap();
    // Three pairings of a thousand games of some hundred moves of a tenth of a second.
    assert!(reply.contains(": match 7 h") || reply.contains(": match 8 h"), "{reply}");
    assert!(reply.contains("train ") || reply.contains("about 7 h") || reply.contains("about 8 h"));
}

#[test]
fn data_without_targets_are_an_error_before_training() {
    let work = Workdir::new();
    work.experiment("small.toml");
    let dry = |epochs: &str| {
        let answer = work.run(&["run", "small.toml", "--dry-run", "--set", epochs]);
        assert_eq!(answer.code, 0, "{}", answer.err);
        answer
    };
    let many = dry("training.epochs=10000");
    many.assert_shows(&[
        "passes over the data overfit",
        "6 games per pairing at 60 nodes resolve no difference",
    ]);
    assert!(!dry("training.epochs=3").shows("passes over the data overfit"));
}

/// Net files by the beginning of their folders.
fn net(work: &Path, begins: &str) -> Vec<Vec<u8>> {
    let folders = std::fs::read_dir(work.join("runs/small")).unwrap();
    let paths = folders.map(|entry| entry.unwrap().path().join("weights.safetensors"));
    let own = |path: &std::path::PathBuf| path.to_string_lossy().contains(begins) && path.exists();
    let mut nets: Vec<Vec<u8>> =
        paths.filter(own).map(|path| std::fs::read(path).unwrap()).collect();
    nets.sort();
    nets
}

#[test]
fn more_epochs_go_on_from_fewer() {
    let (grown, straight) = (Workdir::new(), Workdir::new());
    let with = |work: &Workdir, epochs: &str| {
        work.experiment("small.toml");
        let epochs = format!("training.epochs={epochs}");
        run(work, &["--set", "evaluation.match=[]", "--set", &epochs])
    };
    with(&grown, "2");
    let more = with(&grown, "4");
    more.assert_shows(&["ALL 16 -> 8 -> 1 seed 1: goes on from 2 epochs, as trained before"]);
    let whole = with(&straight, "4");
    assert!(!whole.shows("goes on from"), "{}", whole.err);
    let (longer, all) = (net(straight.path(), "/all-"), net(grown.path(), "/all-"));
    assert_eq!((longer.len(), all.len()), (1, 2));
    assert!(all.contains(&longer[0]), "bit by bit what four epochs at once come to");

    let cosine = "training.schedule={ kind = \"cosine\", final = 1e-5 }";
    for epochs in ["training.epochs=2", "training.epochs=4"] {
        let answer =
            run(&grown, &["--set", "evaluation.match=[]", "--set", cosine, "--set", epochs]);
        assert!(!answer.shows("goes on from"), "a cosine looks at the end: {}", answer.err);
    }
}

#[test]
fn too_few_games_to_screen_are_an_error_before_training() {
    let work = Workdir::new();
    let few = search("grammar = \"none\"").replace("screened = 100_000", "screened = 2_048");
    work.file("small.toml", &few);
    let answer = work.run(&["discover", "small.toml"]);
    assert_ne!(answer.code, 0);
    answer.assert_shows(&["games are too few"]);
    assert!(!answer.shows("training"), "{}", answer.err);
}

#[test]
fn percentages_beside_a_poor_net_are_of_its_loss_and_it_is_called_poor() {
    let work = Workdir::new();
    let data = games().to_str().unwrap();
    let poor = ["train", "ALL", "--data", data, "--out", "poor", "--layers", "8 -> 1"];
    let short =
        ["--epochs", "1", "--positions-per-epoch", "256", "--batch", "256", "--filter", "none"];
    let trained = work.run(&[&poor[..], &short].concat());
    assert_eq!(trained.code, 0, "{}", trained.err);
    let requested = ["screen", "--base", "poor/net.oplus", "--candidates", "PV", "--data", BUNDLED];
    let answer = work.run(&[&requested[..], &["--positions", "30000"]].concat());
    assert_eq!(answer.code, 0, "{}", answer.err);
    answer.assert_shows(&["poor/net.oplus is far from trained"]);
    let reply = answer.out.split("reduces it by ").nth(1).unwrap();
    let percent: f64 = reply.trim_start_matches('+').split(' ').next().unwrap().parse().unwrap();
    assert!((5.0..=100.0).contains(&percent), "{}", answer.out);
    let bundled =
        work.run(&["screen", "--candidates", "PV", "--data", BUNDLED, "--positions", "30000"]);
    assert!(!bundled.shows("far from trained"), "{}", bundled.err);
}

#[test]
fn tables_of_a_pipe_are_plain() {
    let answer = Workdir::new().run(&["features", "--list"]);
    assert_eq!(answer.code, 0, "{}", answer.err);
    for line in answer.out.lines() {
        assert!(!line.contains(['─', '═', '│', '┆']), "a rule: {line}");
        assert_eq!(line, line.trim_end(), "blanks at the end");
    }
    assert!(answer.out.contains("\nALL ") && answer.out.contains("BISHOP-PAIR"), "{}", answer.out);
}
