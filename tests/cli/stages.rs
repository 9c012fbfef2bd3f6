//! Training in stages, and from nets that are there.

use crate::support::{Answer, Workdir, games};

fn train(work: &Workdir, expression: &str, out: &str, more: &[&str]) -> Answer {
    let base = ["train", expression, "--data", games().to_str().unwrap(), "--out", out];
    let size = ["--epochs", "1", "--positions-per-epoch", "1024", "--batch", "256"];
    work.run(&[&base[..], &size, more].concat())
}

#[test]
fn a_net_is_trained_further_on_a_set_that_has_grown() {
    let work = Workdir::new();
    let first = train(&work, "ALL", "first", &["--layers", "16 pairwise -> 8 -> 1"]);
    assert_eq!(first.code, 0, "{}", first.err);
    assert!(first.err.contains("neurons sorted: "), "{}", first.err);
    assert!(work.path().join("first/weights.safetensors").exists());
    for (out, start) in [("of-run", "first"), ("of-net", "first/net.oplus")] {
        let wider = ["--layers", "32 pairwise -> 8 -> 1, psqt", "--start", start];
        let grown = train(&work, "PV + ALL", out, &wider);
        assert_eq!(grown.code, 0, "{}", grown.err);
        grown.assert_shows(&["start: ALL taken over; PV new, at zero"]);
    }
}

#[test]
fn starts_that_do_not_fit_are_refused_before_data_are_read() {
    let work = Workdir::new();
    let first = train(&work, "H", "first", &["--layers", "8 -> 8 -> 1"]);
    assert_eq!(first.code, 0, "{}", first.err);
    std::fs::write(work.path().join("no.oplus"), "nothing").unwrap();
    for (expression, layers, start, expected) in [
        ("ALL", "8 -> 8 -> 1", "first", "they have no summand in common"),
        ("H", "8 -> 16 -> 1", "first", "the start net has the layers 8 -> 8 -> 1"),
        ("H", "8 -> 8 -> 1", "missing", "missing: cannot be read"),
        ("H", "8 -> 8 -> 1", "no.oplus", "not an oplus net"),
    ] {
        let answer = train(&work, expression, "second", &["--layers", layers, "--start", start]);
        assert_eq!(answer.code, 1, "{start}: {}", answer.err);
        answer.assert_shows(&[expected]);
    }
}

const STAGES: &str = r#"
[[stages]]
name = "squares"
features = "H"
training = { epochs = 1 }

[[stages]]
training = { epochs = 1, learning_rate = 1e-4 }
"#;

#[test]
fn an_experiment_goes_through_its_stages_and_shares_those_that_are_the_same() {
    let work = Workdir::new();
    work.experiment("small.toml");
    let path = work.path().join("small.toml");
    let text = std::fs::read_to_string(&path).unwrap();
    std::fs::write(&path, format!("{text}{STAGES}")).unwrap();
    let sets = [
        "grid.features=[\"H\", \"H + V\"]",
        "evaluation.reference=\"H\"",
        "evaluation.match=[{ nodes = 20, games = 2, pairings = \"gauntlet\" }]",
    ];
    let mut arguments = vec!["run", "small.toml"];
    arguments.extend(sets.iter().flat_map(|set| ["--set", set]));
    let answer = work.run(&arguments);
    assert_eq!(answer.code, 0, "{}", answer.err);
    let trained = |what: &str| answer.err.matches(&format!("training {what} ")).count();
    assert_eq!(trained("H 16 -> 8 -> 1 seed 1, squares"), 1, "once: {}", answer.err);
    assert_eq!(trained("H + V 16 -> 8 -> 1 seed 1"), 1, "{}", answer.err);
    let again = work.run(&arguments);
    assert_eq!((again.code, again.out), (0, answer.out), "{}", again.err);
}

#[test]
fn stages_that_cannot_be_are_pointed_at() {
    let work = Workdir::new();
    for (stages, expected) in [
        ("[[stages]]\nfeatures = \"H\"\n", "the last stage has a feature set of its own"),
        ("[[stages]]\ntraining = { epoch = 1 }\n", "unknown field `epoch`"),
        ("[[stages]]\ntraining = { epochs = 0 }\n", "training.epochs is 0"),
        ("[[stages]]\nlayers = \"9 -> 1\"\n[[stages]]\n", "9 neurons are no multiple of 8"),
        ("[[stages]]\nfeatures = \"HH\"\n[[stages]]\n", "unknown feature set `HH`"),
        ("[[stages]]\nname = 1\n", "expected a string"),
    ] {
        work.experiment("small.toml");
        let path = work.path().join("small.toml");
        let text = std::fs::read_to_string(&path).unwrap();
        std::fs::write(&path, format!("{text}\n{stages}")).unwrap();
        let answer = work.run(&["run", "small.toml", "--dry-run"]);
        assert_eq!(answer.code, 2, "{stages}: {}", answer.err);
        answer.assert_shows(&["small.toml", expected]);
    }
}
