//! Every example of docs/algebra.md.

use oplus::chess::{Color, Position, Scene};
use oplus::features::{Feature, FeatureSet, Names, TrainedSet, Weighted, lints};

use crate::support::{Answer, Workdir, games};

/// An expression and its comment on the page.
struct Example {
    text: String,
    stated: String,
}

/// Definitions and examples of the page, in order.
fn examples() -> (Names, Vec<Example>) {
    let page = include_str!("../../docs/algebra.md");
    let (mut names, mut examples) = (Names::catalogue(), Vec::new());
    let mut inside = false;
    for line in page.lines() {
        if line.starts_with("```") {
            inside = line == "```algebra";
        } else if inside {
            match (line.split_once('#'), line.split_once(" = ")) {
                (Some((text, stated)), _) => examples.push(Example {
                    text: text.trim().to_owned(),
                    stated: stated.trim().to_owned(),
                }),
                (None, Some((name, definition))) => names.define(name, definition),
                (None, None) => panic!("neither example nor definition: {line}"),
            }
        }
    }
    (names, examples)
}

/// The program's answer, in the form of the page.
fn check(Example { text, stated }: &Example, names: &Names) {
    let compiled = TrainedSet::compile(text, names);
    if let Some(expected) = stated.strip_prefix("error: ") {
        let error = compiled.expect_err(text);
        let (label, help) = (&error.place().label, error.help().unwrap_or_default());
        let shown = format!("{error} {label} {help}");
        assert!(shown.contains(expected), "{text}: {shown}");
        return;
    }
    let compiled = compiled.unwrap_or_else(|error| panic!("{text}: {error}"));
    if let Some(expected) = stated.strip_prefix("warning: ") {
        let reply: Vec<String> =
            lints::of(compiled.set()).iter().map(ToString::to_string).collect();
        assert!(reply.iter().any(|lint| lint.contains(expected)), "{text}: {reply:?}");
        return;
    }
    if let Some((fen, words)) =
        stated.strip_prefix("White sees in ").and_then(|s| s.split_once(": "))
    {
        assert_eq!(white_sees(compiled.set(), fen), words, "{text}");
        return;
    }
    if let Some(meaning) = stated.strip_prefix("index ") {
        let (index, words) = meaning.split_once(": ").unwrap();
        let feature = Feature(index.parse().unwrap());
        assert_eq!(compiled.set().describe(feature), words, "{text}");
        return;
    }
    let size: usize = stated.split(':').next().unwrap().trim().parse().unwrap();
    assert_eq!(compiled.set().size(), size, "{text}");
}

/// Active features of White, values in front of them.
fn white_sees(set: &FeatureSet, fen: &str) -> String {
    let position = Position::from_fen(fen).unwrap();
    let mut active: Vec<Weighted> = Vec::new();
    set.active(&Scene::from(&position), Color::White, &mut active);
    active.sort_unstable_by_key(|entry| entry.feature);
    let words = active.into_iter().map(|Weighted { feature, value }| match set.is_valued() {
        true => format!("{value:.2} × {}", set.describe(feature)),
        false => set.describe(feature),
    });
    words.collect::<Vec<_>>().join("; ")
}

#[test]
fn every_example_of_the_page_holds() {
    let (names, examples) = examples();
    assert!(examples.len() > 90, "{} examples", examples.len());
    examples.iter().for_each(|example| check(example, &names));
}

fn train(work: &Workdir, features: &str, options: &[&str]) -> Answer {
    let games = games().to_str().unwrap();
    let sizes = ["--layers", "8 -> 8 -> 1", "--epochs", "1", "--positions-per-epoch", "512"];
    let what = ["train", features, "--data", games, "--out", "net", "--batch", "256"];
    work.run(&[&what[..], &sizes[..], options].concat())
}

#[test]
fn a_net_trained_with_factors_is_one_of_the_set_alone() {
    let work = Workdir::new();
    let answer = train(&work, "train KING-ALL + factors", &[]);
    assert_eq!(answer.code, 0, "{}", answer.err);
    assert!(answer.err.contains("768 shared rows"), "{}", answer.err);
    let info = work.run(&["net", "info", "net/net.oplus"]);
    let features = "features      king(SQUARES) * piece(SQUARES * ROLES * COLORS) (49,152 features";
    assert!(info.out.contains(features), "{}", info.out);
}

/// A set without a copy for half of the kings trains, after a warning.
#[test]
fn training_a_set_with_gaps_warns() {
    let work = Workdir::new();
    let text = "king(SQUARES / BUCKETS-9) * H";
    let reply =
        ["warning: ", "on 32 of 64 squares", "Write `mirror(king(SQUARES / BUCKETS-9) * H)`"];
    let answer = train(&work, text, &[]);
    assert_eq!(answer.code, 0, "{}", answer.err);
    answer.assert_shows(&reply);
    let path = work.experiment("small.toml");
    let experiment = std::fs::read_to_string(&path).unwrap();
    std::fs::write(&path, experiment.replace("\"ALL\", \"H", &format!("\"ALL\", \"{text}\", \"H")))
        .unwrap();
    let answer = work.run(&["run", "small.toml", "--dry-run"]);
    assert_eq!(answer.code, 0, "{}", answer.err);
    answer.assert_shows(&reply);
    assert_eq!(answer.err.matches("is empty with the own king").count(), 1, "{}", answer.err);
    let answer = work.run(&["features", text]);
    answer.assert_shows(&reply);
    let answer = work.run(&["features", &format!("mirror({text})")]);
    assert_eq!((answer.code, answer.err.as_str()), (0, ""));
}

#[test]
fn valued_sets_train_and_say_that_they_cannot_be_written() {
    let work = Workdir::new();
    let answer = train(&work, "LEORIK-14", &[]);
    assert_eq!(answer.code, 2, "{}", answer.err);
    for part in ["valued set", "floating point only", "--no-net"] {
        assert!(answer.err.contains(part), "{part}: {}", answer.err);
    }
    assert!(!work.path().join("net").exists(), "nothing was trained");
    let answer = train(&work, "LEORIK-14", &["--no-net"]);
    assert_eq!(answer.code, 0, "{}", answer.err);
    assert!(answer.err.contains("validation"), "{}", answer.err);
    assert!(work.path().join("net/checkpoint.bin").exists());
    assert!(!work.path().join("net/net.oplus").exists());
}

#[test]
fn an_experiment_refuses_valued_sets_before_it_starts() {
    let work = Workdir::new();
    let path = work.experiment("small.toml");
    let text = std::fs::read_to_string(&path).unwrap();
    std::fs::write(&path, text.replace("\"ALL\", \"H", "\"ALL\", \"PHASE * ALL\", \"H")).unwrap();
    let answer = work.run(&["run", "small.toml"]);
    assert_eq!(answer.code, 2, "{}", answer.err);
    answer.assert_shows(&["not playable, a valued set", "not for hidden layers"]);
    assert!(!work.path().join("runs").exists());
}

/// Tapered tables are trained, written, checked and played.
#[test]
fn linear_nets_of_valued_sets_are_played() {
    let work = Workdir::new();
    let tapered = "(ONE + PHASE) * piece(SQUARES * ROLES * {own})";
    let games = games().to_str().unwrap();
    let sizes = ["--layers", "1", "--epochs", "1", "--positions-per-epoch", "512"];
    let what = ["train", tapered, "--data", games, "--out", "net", "--batch", "256"];
    let answer = work.run(&[&what[..], &sizes].concat());
    assert_eq!(answer.code, 0, "{}", answer.err);
    let checked = work.run(&["net", "check", "net/net.oplus", "--data", games]);
    assert_eq!(checked.code, 0, "{}", checked.err);
    let fewer = work.run(&["factorise", "net", "--n", "2", "--seconds", "0.1"]);
    assert_eq!(fewer.code, 0, "{}", fewer.err);
    let drawn = work.run(&["net", "info", "net/net.oplus", "--kings", "kings.svg"]);
    assert_eq!(drawn.code, 0, "{}", drawn.err);
    let picture = std::fs::read_to_string(work.path().join("kings.svg")).unwrap();
    assert!(picture.contains("e4, e6, endgame"), "{picture}");
    let game = ["match", "net/net.oplus", "material", "--nodes", "200", "--games", "4"];
    let played = work.run(&game);
    assert_eq!(played.code, 0, "{}", played.err);
}
