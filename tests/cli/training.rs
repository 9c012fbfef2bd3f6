//! `oplus train`: stopped, cut off, out of room, diverging.

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::support::{Answer, FIXED_DATE, OPLUS, Workdir, games};

/// A run of `oplus train` into a folder, with options.
fn train<'a>(out: &'a str, options: &[&'a str]) -> Vec<&'a str> {
    let data = ["--data", games().to_str().unwrap(), "--validation", "0.2"];
    let sizes = ["--layers=64->8->1", "--positions-per-epoch", "2048", "--batch", "256"];
    [&["train", "ALL", "--out", out][..], &data, &sizes, options].concat()
}

fn done(answer: Answer) -> Answer {
    assert_eq!(answer.code, 0, "{}", answer.err);
    answer
}

fn net(work: &Workdir, out: &str) -> Vec<u8> {
    std::fs::read(work.path().join(out).join("net.oplus")).unwrap()
}

/// Epochs of `metrics.csv` and of `metrics.jsonl`.
fn epochs(folder: &Path) -> [Vec<u64>; 2] {
    let read = |name: &str| std::fs::read_to_string(folder.join(name)).unwrap_or_default();
    let csv = read("metrics.csv");
    let csv = csv.lines().skip(1).map(|row| row.split(',').next().unwrap().parse().unwrap());
    let csv = csv.collect();
    let lines = read("metrics.jsonl");
    let lines = lines.lines().map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap());
    [csv, lines.map(|epoch| epoch["epoch"].as_u64().unwrap()).collect()]
}

const METHOD: [&str; 12] = [
    "--optimiser",
    "ranger",
    "--weight-decay",
    "0.01",
    "--schedule",
    "cosine:final=1e-5",
    "--warmup",
    "20",
    "--wdl",
    "0..0.4",
    "--epochs",
    "60",
];

#[test]
#[cfg(unix)]
fn interrupted_it_goes_on_and_ends_with_the_same_net() {
    let work = Workdir::new();
    done(work.run(&train("straight", &METHOD)));

    let mut child = Command::new(OPLUS)
        .current_dir(work.path())
        .env(FIXED_DATE.0, FIXED_DATE.1)
        .args(train("stopped", &METHOD))
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let folder = work.path().join("stopped");
    let started = Instant::now();
    while epochs(&folder)[1].len() < 2 && started.elapsed() < Duration::from_secs(60) {
        std::thread::sleep(Duration::from_millis(1));
    }
    let interrupt = Command::new("kill").args(["-INT", &child.id().to_string()]).status();
    assert!(interrupt.unwrap().success());
    assert_eq!(child.wait().unwrap().code(), Some(75));
    assert!(epochs(&folder)[1].len() < 60, "it was stopped too late to tell");
    assert!(!folder.join("net.oplus").exists());

    let rest = done(work.run(&train("stopped", &METHOD)));
    assert!(rest.err.contains("goes on from step "), "{}", rest.err);
    assert_eq!(net(&work, "stopped"), net(&work, "straight"), "bit by bit");
    assert_eq!(epochs(&folder), [(); 2].map(|()| (1..=60).collect::<Vec<u64>>()));
}

#[test]
fn a_checkpoint_cut_off_gives_way_to_the_one_before() {
    let work = Workdir::new();
    done(work.run(&train("straight", &["--epochs", "5"])));
    done(work.run(&train("net", &["--epochs", "3"])));
    let newest = work.path().join("net/checkpoint.bin");
    let bytes = std::fs::read(&newest).unwrap();
    std::fs::write(&newest, &bytes[..bytes.len() / 2]).unwrap();
    let rest = done(work.run(&train("net", &["--epochs", "5"])));
    for part in
        ["warning: net/checkpoint.bin", "it was cut off", "checkpoint.refused.bin", "step 16"]
    {
        assert!(rest.err.contains(part), "{part:?} is not in:\n{}", rest.err);
    }
    assert_eq!(net(&work, "net"), net(&work, "straight"));

    // With both cut off there is nothing to go on from, and nothing is lost.
    for name in ["checkpoint.bin", "checkpoint.previous.bin"] {
        let path = work.path().join("net").join(name);
        std::fs::write(&path, &bytes[..100]).unwrap();
    }
    let answer = work.run(&train("net", &["--epochs", "6"]));
    assert_eq!(answer.code, 1, "{}", answer.err);
    answer.assert_shows(&[
        "checkpoint.bin",
        "checkpoint.previous.bin",
        "cut off",
        "start the run again",
    ]);
}

/// A limit on the size of files stands in for a full disk: the write fails in
/// the middle, with an error.
#[test]
#[cfg(unix)]
fn a_disk_that_fills_up_costs_nothing_but_the_work_since_the_last_checkpoint() {
    let work = Workdir::new();
    done(work.run(&train("straight", &["--epochs", "4"])));
    done(work.run(&train("net", &["--epochs", "2"])));
    let folder = work.path().join("net");
    let before = std::fs::read(folder.join("checkpoint.bin")).unwrap();
    let more = train("net", &["--epochs", "4"]);
    // At most 64 KiB, depending on the shell's blocks; a checkpoint is 600 KiB.
    let quoted: Vec<String> = more.iter().map(|word| format!("'{word}'")).collect();
    let script = format!("trap '' XFSZ; ulimit -f 64; exec {} {}", OPLUS, quoted.join(" "));
    let output = Command::new("sh").current_dir(work.path()).args(["-c", &script]).output();
    let answer = Answer::from(output.unwrap());
    assert_eq!(answer.code, 1, "{}", answer.err);
    answer.assert_shows(&["net/checkpoint.bin: cannot write", "too large", "make room"]);
    assert_eq!(std::fs::read(folder.join("checkpoint.bin")).unwrap(), before);
    assert!(!folder.join("checkpoint.bin.tmp").exists());

    let rest = done(work.run(&more));
    assert!(rest.err.contains("goes on from step 16"), "{}", rest.err);
    assert_eq!(net(&work, "net"), net(&work, "straight"));
}

#[test]
fn a_diverging_net_stops_with_its_step_and_rate_and_is_not_saved() {
    let work = Workdir::new();
    let at_once = work.run(&train("wild", &["--learning-rate", "1e30"]));
    assert_eq!(at_once.code, 1, "{}", at_once.err);
    at_once.assert_shows(&[
        "the net diverged",
        "at step 8 ",
        "lower training.learning_rate",
        "no checkpoint",
    ]);
    assert!(!work.path().join("wild/checkpoint.bin").exists());
}

#[test]
fn a_net_that_says_one_thing_is_a_failure() {
    let work = Workdir::new();
    // Games that are always the same: the rates that kill a net depend on its data.
    let games = concat!(env!("CARGO_MANIFEST_DIR"), "/datasets/bootstrap.oarc");
    let data = ["--data", games, "--positions", "2000", "--validation", "0.005", "--no-cache"];
    let sizes = ["--layers=64->8->1", "--positions-per-epoch", "2048", "--batch", "256"];
    let options = ["--learning-rate", "0.4", "--epochs", "6"];
    let command = ["train", "ALL", "--out", "net"];
    let answer = work.run(&[&command[..], &data, &sizes, &options].concat());
    assert_eq!(answer.code, 1, "{}", answer.err);
    answer.assert_shows(&[
        "warning: the net of epoch",
        "cp of every position",
        "of 8 neurons of the first dense layer never fire",
        "the training has no effect",
        "lower training.learning_rate (it began with 0.4)",
    ]);
    assert!(!work.path().join("net/net.oplus").exists());
}

/// In an experiment the other runs go on, and the report says what became of this one.
#[test]
fn a_run_that_fails_leaves_the_others_be() {
    let work = Workdir::new();
    work.experiment("small.toml");
    // A step of 50 makes a linear net diverge on any positions.
    let sets = [
        "grid.features=[\"ALL\"]",
        "grid.layers=[\"1\"]",
        "grid.seed=[1, 2]",
        "grid.training.learning_rate=[0.001, 50.0]",
        "evaluation.match=[{ nodes = 60, games = 2, pairings = \"gauntlet\" }]",
    ];
    let sets = sets.iter().flat_map(|set| ["--set", set]);
    let arguments: Vec<&str> = ["run", "small.toml"].into_iter().chain(sets).collect();
    let first = work.run(&arguments);
    assert_eq!(first.code, 1, "{}", first.err);
    let failed = |seed: u32| format!("ALL linear learning_rate = 50.0 seed {seed}");
    first.assert_shows(&[
        &format!("{} failed: the net diverged", failed(1)),
        &format!("2 jobs failed: {}: the net diverged", failed(1)),
        &format!("; {}: the net diverged", failed(2)),
        &format!("not done, failed dependency: quantisation of {}", failed(1)),
    ]);
    for part in
        ["ALL · learning_rate = 0.001", "ALL · learning_rate = 50.0, seed 2: the run failed"]
    {
        assert!(first.out.contains(part), "{part:?} is not in:\n{}", first.out);
    }
    let page = std::fs::read_to_string(work.path().join("reports/small/index.html")).unwrap();
    let on_page = "learning_rate = 50.0, seed 1: the run failed and has no results here";
    assert!(page.contains(on_page), "{page}");

    let again = work.run(&arguments);
    assert_eq!((again.code, &again.out), (1, &first.out), "{}", again.err);
    assert!(!again.err.contains("training ALL"), "{}", again.err);
    // The keys that the warnings name, by seed.
    let key_of = |seed: u32| {
        let (_, warning) = again.err.split_once(&format!("{} failed: ", failed(seed)))?;
        let (_, key) = warning.split_once("`oplus runs rm ")?;
        Some(key.split_once('`')?.0)
    };
    let [Some(of_one), Some(of_two)] = [1, 2].map(key_of) else { panic!("{}", again.err) };
    assert_ne!(of_one, of_two);
    assert_eq!(work.run(&["runs", "rm", of_one, "--yes"]).code, 0);
    let again = work.run(&arguments);
    // Seed 1 was tried anew, seed 2 has the error of before.
    assert!(!again.err.contains(of_one), "{}", again.err);
    again.assert_shows(&[&format!("{} failed", failed(1)), of_two]);
}

#[test]
fn it_keeps_the_best_net() {
    let work = Workdir::new();
    let options = ["--epochs", "30", "--learning-rate", "5e-3"];
    let answer = done(work.run(&train("net", &options)));
    let lines = std::fs::read_to_string(work.path().join("net/metrics.jsonl")).unwrap();
    let epochs = lines.lines().map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap());
    let losses: Vec<f64> = epochs.map(|epoch| epoch["validation_loss"].as_f64().unwrap()).collect();
    assert_eq!(losses.len(), 30);
    let lowest = losses.iter().copied().fold(f64::INFINITY, f64::min);
    let best = 1 + losses.iter().position(|&loss| loss == lowest).unwrap();
    assert!(best < 30, "it is learnt by heart: {losses:?}");
    answer.assert_shows(&[&format!("the net is that of epoch {best}, validation")]);
    let info = work.run(&["net", "info", "net/net.oplus", "--json"]);
    assert!(info.out.contains(&format!("\"epoch\": {best}")), "{}", info.out);
}

#[test]
fn positions_are_kept_for_the_next_call() {
    let work = Workdir::new();
    let once = ["--epochs", "2"];
    let first = done(work.run(&train("first", &once)));
    assert!(first.err.contains("reading positions"), "{}", first.err);
    let second = done(work.run(&train("second", &once)));
    assert!(!second.err.contains("reading positions"), "{}", second.err);
    let anew = done(work.run(&train("anew", &["--epochs", "2", "--no-cache"])));
    assert!(anew.err.contains("reading positions"), "{}", anew.err);
    assert_eq!(net(&work, "first"), net(&work, "second"));
    assert_eq!(net(&work, "first"), net(&work, "anew"));
}

#[test]
fn weights_say_how_often_a_file_is_seen() {
    let work = Workdir::new();
    std::fs::copy(games(), work.path().join("copy.viri.zst")).unwrap();
    let with = |out: &str, second: &str| {
        done(work.run(&train(out, &["--data", second, "--epochs", "2"])));
        net(&work, out)
    };
    let even = with("even", "copy.viri.zst");
    assert_eq!(with("one", "copy.viri.zst@1"), even);
    assert_ne!(with("half", "copy.viri.zst@0.5"), even);
    let wrong = work.run(&train("wrong", &["--data", "copy.viri.zst@0"]));
    assert_eq!(wrong.code, 2);
    wrong.assert_shows(&["0 is no weight", "such as 0.5 or 2"]);
}

#[test]
fn a_file_says_how_to_train_and_the_command_line_goes_before_it() {
    let work = Workdir::new();
    work.file("how.toml", "[training]\nepochs = 2\npositions_per_epoch = 512\nbatch = 128\n");
    let data = ["--data", games().to_str().unwrap(), "--config", "how.toml"];
    let out = ["train", "H", "--layers", "8 -> 8 -> 1", "--out", "net"];
    done(work.run(&[&out[..], &data, &["--epochs", "3"]].concat()));
    assert_eq!(epochs(&work.path().join("net"))[0], [1, 2, 3]);

    work.file("how.toml", "[training]\nepoch = 2\n");
    let wrong = work.run(&[&out[..], &data].concat());
    assert_eq!(wrong.code, 2, "{}", wrong.err);
    wrong.assert_shows(&["how.toml", "unknown field `epoch`", "did you mean `epochs`?"]);
}

#[test]
fn the_loader_is_timed_alone_with_lists_and_with_their_inverse() {
    let work = Workdir::new();
    let data = ["bench", "train", "ALL", "--data", games().to_str().unwrap()];
    let sizes = ["--layers=8->1", "--batch", "256", "--rounds", "1", "--steps", "1"];
    let answer = done(work.run(&[&data[..], &sizes, &["--threads", "2"]].concat()));
    for kind in ["ALL, lists", "ALL, with inverse"] {
        let mut rows = answer.out.lines().filter(|line| line.contains(kind));
        assert!(rows.next().is_some_and(|row| row.contains(" %")), "{kind}: {}", answer.out);
    }
}

#[test]
fn a_training_is_an_experiment_of_one_net() {
    let work = Workdir::new();
    let plan = done(work.run(&train("net", &["--epochs", "2", "--plan"])));
    for kind in ["positions", "train", "quantisation"] {
        assert!(plan.out.contains(kind), "{kind}: {}", plan.out);
    }
    let script = done(work.run(&train("net", &["--epochs", "2", "--slurm", "--dry-run"])));
    assert!(script.out.contains("sbatch"), "{}", script.out);
    let wrong = work.run(&train("net", &["--plan", "--no-net"]));
    assert_eq!(wrong.code, 2, "{}", wrong.err);
    assert!(!work.path().join("net").exists() && !work.path().join("runs/net").exists());
}

#[test]
fn epochs_and_the_net_come_as_json() {
    let work = Workdir::new();
    let answer = done(work.run(&train("net", &["--epochs", "2", "--json"])));
    let lines = answer.out.lines().map(|line| serde_json::from_str(line).unwrap());
    let lines: Vec<serde_json::Value> = lines.collect();
    let epochs = lines.iter().filter_map(|line| line["message"].as_str());
    assert_eq!(epochs.filter(|line| line.starts_with("epoch ")).count(), 2, "{lines:?}");
    let last = lines.last().unwrap();
    assert_eq!((&last["event"], &last["file"]), (&"result".into(), &"net/net.oplus".into()));
}
