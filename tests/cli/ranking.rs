//! Training by ranking, and its control arm.

use crate::support::{Answer, Workdir, games, listed, scored_line};

fn train(out: &str, options: &[&str]) -> Vec<String> {
    let data = ["--data", games().to_str().unwrap(), "--validation", "0.2", "--filter", "none"];
    let sizes = ["--layers", "8 -> 8 -> 1", "--positions-per-epoch", "1024", "--batch", "256"];
    let all = [&["train", "H", "--out", out, "--method", "pqr"][..], &data, &sizes, options];
    all.concat().into_iter().map(str::to_owned).collect()
}

fn run(work: &Workdir, out: &str, options: &[&str]) -> Answer {
    let arguments = train(out, options);
    work.run(&arguments.iter().map(String::as_str).collect::<Vec<_>>())
}

fn net(work: &Workdir, out: &str) -> Vec<u8> {
    std::fs::read(work.path().join(out).join("net.oplus")).unwrap()
}

#[test]
fn a_net_is_ranked_with_any_threads_and_in_parts() {
    let work = Workdir::new();
    let straight = run(&work, "straight", &["--epochs", "3", "--threads", "2"]);
    assert_eq!(straight.code, 0, "{}", straight.err);
    straight.assert_shows(&["with a single legal move", "epoch 3: loss ", ", against scores 0."]);
    let metrics = std::fs::read_to_string(work.path().join("straight/metrics.csv")).unwrap();
    assert!(metrics.contains("validation_score_loss"), "{metrics}");

    for epochs in ["1", "3"] {
        let part = run(&work, "parts", &["--epochs", epochs, "--threads", "1"]);
        assert_eq!(part.code, 0, "{}", part.err);
    }
    assert!(net(&work, "parts") == net(&work, "straight"));
    let info = work.run(&["net", "info", "straight/net.oplus", "--json"]);
    assert!(info.out.contains("\"kind\": \"pqr\""), "{}", info.out);
}

#[test]
fn lists_cannot_be_ranked() {
    let work = Workdir::new();
    work.file("list.txt", &listed(scored_line));
    let answer = run(&work, "net", &["--data", "list.txt"]);
    assert_eq!(answer.code, 1, "{}", answer.err);
    answer.assert_shows(&[
        "`list.txt`",
        "is a list of positions",
        "`training.method = \"pqr\"`",
        "give games (PGN or viriformat)",
    ]);
    assert!(!work.path().join("net").exists());
}

/// The small experiment with methods instead of feature sets.
fn experiment(work: &Workdir, set: &[&str]) -> Answer {
    work.experiment("small.toml");
    let fixed = ["run", "small.toml", "--set", "grid.features=[\"ALL\"]", "--set"];
    work.run(&[&fixed[..], set].concat())
}

#[test]
fn variants_that_differ_by_method_have_labels_of_their_own() {
    let work = Workdir::new();
    let methods = "grid.method=[\"target-scores\", \"pqr\"]";
    let first = experiment(&work, &[methods]);
    assert_eq!(first.code, 0, "{}", first.err);
    for part in ["ALL · target-scores", "ALL · pqr"] {
        assert!(first.out.contains(part), "{part}: {}", first.out);
    }
    let page = std::fs::read_to_string(work.path().join("reports/small/index.html")).unwrap();
    assert!(page.contains("Losses are those of target-scores for every method"));
    let folders = std::fs::read_dir(work.path().join("runs/small")).unwrap();
    let names = folders.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let runs: Vec<String> = names.filter(|name| name.starts_with("all-")).collect();
    assert_eq!(runs.len(), 2, "{runs:?}");
    assert_eq!(runs.iter().filter(|name| name.starts_with("all-pqr-16-8-s1-")).count(), 1);

    let again = experiment(&work, &[methods]);
    assert_eq!((again.code, again.err.contains("training")), (0, false), "{}", again.err);
    let plan = experiment(&work, &[methods, "--dry-run"]);
    assert!(plan.out.contains("2 runs, 6 games"), "{}", plan.out);
}

#[test]
fn methods_that_make_no_sense_are_refused() {
    let work = Workdir::new();
    for (set, parts) in [
        (&["training.method=\"pqrs\""][..], &["unknown variant `pqrs`", "did you mean `pqr`?"][..]),
        (&["grid.method=[]"], &["method is an empty list"]),
        (&["grid.method=[\"pqr\", \"pqr\"]"], &["a method is listed twice"]),
        (
            &["grid.method=[\"pqr\"]", "--set", "training.method=\"pqr\""],
            &["two values of the method", "keep `grid.method` to compare"],
        ),
        (
            &["grid.method=[{ kind = \"pqr\", kappa = -1.0 }]"],
            &["training.method.kappa is -1, which cannot be", "write a number from 0 up"],
        ),
    ] {
        let answer = experiment(&work, set);
        assert_eq!(answer.code, 2, "{set:?}: {}", answer.err);
        answer.assert_shows(parts);
    }
    assert!(!work.path().join("runs").exists());
}
