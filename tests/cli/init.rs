//! An experiment for own data runs as it is written.

use crate::support::{Workdir, epd_line, games, listed, scored_line};

#[test]
fn what_is_written_can_be_run() {
    let work = Workdir::new();
    let made =
        work.run(&["selfplay", "--positions", "20000", "--nodes", "20", "--out", "my games.viri"]);
    assert_eq!(made.code, 0, "{}", made.err);
    let answer = work.run(&["init", "my games.viri"]);
    assert_eq!(answer.code, 0, "{}", answer.err);
    let file = "experiments/my-games.toml";
    assert_eq!(answer.out, format!("{file}\noplus run {file} --dry-run\n"));
    let text = std::fs::read_to_string(work.path().join(file)).unwrap();
    for part in [
        "games, ",
        " % with scores",
        "out_scaling = ",
        "filter = \"quiet\"",
        "# 4 nets and 1,800 games: about ",
    ] {
        assert!(text.contains(part), "{part} is not in:\n{text}");
    }
    // As fast as a test wants it.
    let small = [
        "--set",
        "training.epochs=1",
        "--set",
        "training.positions_per_epoch=1024",
        "--set",
        "grid.seed=[1]",
    ];
    let quick = [
        "--set",
        "evaluation.match=[{ nodes = 50, games = 2 }]",
        "--set",
        "evaluation.speed_rounds=0",
    ];
    assert_eq!(work.run(&["run", file, "--dry-run"]).code, 0);
    let run = work.run(&[&["run", file], &small[..], &quick].concat());
    assert_eq!(run.code, 0, "{}", run.err);
    assert!(work.path().join("reports/my-games/index.html").exists());

    let again = work.run(&["init", "my games.viri"]);
    assert_eq!(again.code, 2);
    again.assert_shows(&["exists", "--out"]);
}

/// A tuning set: EPD with results and without scores, as docs/data-sources.md trains on it.
#[test]
fn results_alone_are_enough() {
    let work = Workdir::new();
    work.file("tuning.epd", &listed(epd_line).repeat(4));
    let answer = work.run(&["init", "tuning.epd"]);
    assert_eq!(answer.code, 0, "{}", answer.err);
    let text = std::fs::read_to_string(work.path().join("experiments/tuning.toml")).unwrap();
    for reply in ["quiet_lists = true, unscored = true", "wdl = 1.0", "0.0 % with scores"] {
        assert!(text.contains(reply), "{reply} is not in:\n{text}");
    }
    let ready = work.run(&["run", "experiments/tuning.toml", "--dry-run"]);
    assert_eq!(ready.code, 0, "{}", ready.err);
}

#[test]
fn data_without_targets_are_an_error() {
    let work = Workdir::new();
    let few = work.run(&["init", games().to_str().unwrap()]);
    assert_eq!(few.code, 1);
    few.assert_shows(&["too few", "oplus selfplay"]);
    let unscored: String = listed(scored_line)
        .lines()
        .map(|line| {
            let parts: Vec<&str> = line.split(" | ").collect();
            format!("{} | 32002 | {}\n", parts[0], parts[2])
        })
        .collect();
    work.file("unscored.txt", &unscored);
    let answer = work.run(&["init", "unscored.txt"]);
    assert_eq!(answer.code, 1);
    answer.assert_shows(&["positions with results are too few"]);
    work.file("nobody.pgn", "1. e4 e5 2. Nf3 *\n");
    let answer = work.run(&["init", "nobody.pgn"]);
    assert_eq!(answer.code, 1);
    answer.assert_shows(&["has a score or a result", "oplus data rescore"]);
    assert_eq!(work.run(&["init", "no.viri"]).code, 1);
    assert!(!work.path().join("experiments").exists());
}
