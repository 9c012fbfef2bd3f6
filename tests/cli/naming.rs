//! Names on the command line: experiments by their names, files of other commands, keys that are
//! misspelt, and missing files.

use std::path::Path;

use serde_json::Value;

use crate::plan::UNTIMED;
use crate::support::{Answer, Workdir, games};

/// The experiment of three nets, in the folder where such files lie.
fn with_experiment() -> Workdir {
    let work = Workdir::new();
    std::fs::create_dir(work.path().join("experiments")).unwrap();
    work.experiment("experiments/small.toml");
    work
}

const ONE_NET: [&str; 6] = [
    "--set",
    "grid.features=[\"ALL\"]",
    "--set",
    "training.epochs=1",
    "--set",
    "evaluation.match=[]",
];

#[test]
fn a_name_is_enough_for_every_command() {
    let work = with_experiment();
    let run = |command: &[&str]| work.run(&[command, &UNTIMED[..], &ONE_NET[..]].concat());
    let good = |answer: &Answer| assert_eq!(answer.code, 0, "{}", answer.err);
    good(&run(&["run", "small"]));
    good(&run(&["report", "small"]));
    good(&run(&["run", "experiments/small", "--dry-run"]));
    // Without its file it is the last run.
    std::fs::remove_file(work.path().join("experiments/small.toml")).unwrap();
    good(&work.run(&["report", "small"]));
    let again = work.run(&["run", "small"]);
    good(&again);
    assert!(!again.err.contains("training ALL"), "all is done: {}", again.err);
    for command in ["run", "report", "discover"] {
        let answer = work.run(&[command, "nope"]);
        assert_ne!(answer.code, 0);
        answer.assert_shows(&["no file `nope`", "`experiments/nope.toml`", "no run of `nope`"]);
    }
}

#[test]
fn misspelt_keys_are_named_with_the_right_ones() {
    let work = Workdir::new();
    let path = work.experiment("small.toml");
    let text = std::fs::read_to_string(path).unwrap();
    for (from, to, parts) in [
        ("features = [", "featurs = [", ["unknown field `featurs`", "did you mean `features`?"]),
        (
            "seed = [1]",
            "\"training.lerning_rate\" = [1e-3]",
            ["training.lerning_rate", "did you mean `learning_rate`?"],
        ),
        ("seed = [1]", "\"data.postions\" = [100]", ["data.postions", "did you mean `positions`?"]),
    ] {
        work.file("small.toml", &text.replacen(from, to, 1));
        let answer = work.run(&["run", "small.toml", "--dry-run"]);
        assert_eq!(answer.code, 2, "{}", answer.out);
        answer.assert_shows(&parts);
        assert!(!answer.shows("missing field"), "{}", answer.err);
    }
}

#[test]
fn files_of_other_commands_are_called_what_they_are() {
    let work = Workdir::new();
    work.experiment("small.toml");
    let text = std::fs::read_to_string(work.path().join("small.toml")).unwrap();
    work.file("found.toml", &format!("{text}\n[discover]\nrounds = 1\n"));
    work.file(
        "evolved.toml",
        "name = \"evolved\"\n[genome]\nkind = \"tables\"\n[fitness]\nkind = \"games\"\n\
         [budget]\ngames = 10\n[[method]]\nkind = \"genetic\"\n",
    );
    for (command, file, right) in [
        ("run", "evolved.toml", "oplus evolve evolved.toml"),
        ("discover", "evolved.toml", "oplus evolve evolved.toml"),
        ("run", "found.toml", "oplus discover found.toml"),
        ("evolve", "found.toml", "oplus discover found.toml"),
        ("evolve", "small.toml", "oplus run small.toml"),
        ("discover", "small.toml", "oplus run small.toml"),
    ] {
        let answer = work.run(&[command, file]);
        assert_eq!(answer.code, 2, "{command} {file}: {}", answer.err);
        answer.assert_shows(&[right]);
    }
    // Reports and pages are of any kind of study.
    let report = work.run(&["report", "evolved.toml"]);
    assert_eq!(report.code, 1, "{}", report.err);
    report.assert_shows(&["no results yet", "oplus evolve evolved.toml"]);
    let watch = work.run(&["watch", "evolved.toml"]);
    assert_eq!(watch.code, 2, "{}", watch.err);
    watch.assert_shows(&["no runs in this folder"]);
}

#[test]
fn where_nothing_was_run_nothing_is_shown() {
    let work = Workdir::new();
    for command in [&["watch", "nope"][..], &["runs", "show", "nope"], &["runs", "status", "nope"]]
    {
        let answer = work.run(command);
        assert_ne!(answer.code, 0, "{command:?}: {}", answer.out);
        assert!(!answer.shows("it has:"), "{}", answer.err);
    }
    let listed = work.run(&["runs", "list"]);
    assert_eq!(listed.code, 0);
    assert!(listed.out.contains("no runs: "), "{}", listed.out);
}

#[test]
fn a_page_that_stays_is_named_with_the_flag_that_replaces_it() {
    let work = Workdir::new();
    work.experiment("small.toml");
    let run = |command: &str, more: &[&str]| {
        work.run(&[&[command, "small.toml"], &UNTIMED[..], &ONE_NET[2..], more].concat())
    };
    assert_eq!(run("run", &[]).code, 0);
    let answer = run("report", &["--set", "grid.features=[\"ALL\"]"]);
    assert_eq!(answer.code, 1, "{}", answer.out);
    answer.assert_shows(&["`--out FOLDER` writes to another folder"]);
}

#[test]
fn the_catalogue_is_listed_for_programs() {
    let work = Workdir::new();
    let listed = work.run(&["features", "--list", "--json"]);
    assert_eq!(listed.code, 0, "{}", listed.err);
    let listed: Value = serde_json::from_str(&listed.out).unwrap();
    let all = listed["sets"].as_array().unwrap().iter().find(|set| set["name"] == "ALL").unwrap();
    assert_eq!(all["size"], 768);
    assert!(listed["schemes"].as_array().unwrap().len() > 2);
    assert_eq!(work.run(&["features", "--list", "ALL", "--json"]).code, 2);
}

#[test]
fn axes_are_in_the_names_of_runs_and_in_the_sheets() {
    let work = Workdir::new();
    work.experiment("small.toml");
    let axis = ["--set", "grid.training.epochs=[1, 2]"];
    let one_set = [
        "--set",
        "grid.features=[\"ALL\"]",
        "--set",
        "evaluation.puzzles={ file = \"puzzles.csv\", nodes = 10 }",
    ];
    let run = work.run(&[&["run", "small.toml"], &UNTIMED[..], &axis, &one_set].concat());
    assert_eq!(run.code, 0, "{}", run.err);
    let runs: Vec<String> = std::fs::read_dir(work.path().join("runs/small"))
        .unwrap()
        .filter_map(|entry| entry.unwrap().file_name().into_string().ok())
        .filter(|name| name.contains("-s1-"))
        .collect();
    for epochs in ["-epochs-1-s1-", "-epochs-2-s1-"] {
        assert!(runs.iter().any(|name| name.contains(epochs)), "{epochs}: {runs:?}");
    }
    let rows = |name: &str| -> Vec<Vec<(String, String)>> {
        let mut reader =
            csv::Reader::from_path(work.path().join("reports/small").join(name)).unwrap();
        let header = reader.headers().unwrap().clone();
        let of = |row: csv::StringRecord| {
            header.iter().zip(&row).map(|(a, b)| (a.to_owned(), b.to_owned())).collect()
        };
        reader.records().map(|row| of(row.unwrap())).collect()
    };
    let cell = |row: &[(String, String)], name: &str| {
        row.iter().find(|(column, _)| column == name).map(|(_, cell)| cell.clone())
    };
    for sheet in ["results.csv", "nets.csv"] {
        let mut epochs: Vec<_> =
            rows(sheet).iter().map(|row| cell(row, "training.epochs").unwrap()).collect();
        // The strongest set is the first of the results.
        epochs.sort();
        assert_eq!(epochs, ["1", "2"], "{sheet}");
    }
    let own = cell(&rows("nets.csv")[1], "elo_nodes_60").unwrap();
    assert!(own.parse::<f64>().is_ok(), "the second net has an Elo of its own: {own:?}");
}

/// Every experiment of the project, where none of its data are.
#[test]
fn experiments_are_planned_without_their_data() {
    let work = Workdir::new();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("experiments");
    let mut others = 0;
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|extension| extension != "toml") {
            continue;
        }
        let text = std::fs::read_to_string(&path).unwrap();
        let file = path.to_str().unwrap();
        let is_searched = text.contains("\n[discover]");
        if is_searched || text.contains("\n[selfplay]") {
            continue;
        }
        let plan =
            work.run(&["run", file, "--plan", "--set", "training.warmup=0", "--scale", "0.001"]);
        assert_eq!(plan.code, 0, "{file}: {}", plan.err);
        assert!(plan.out.contains("missing input files"), "{file}: {}", plan.out);
        let dry =
            work.run(&["run", file, "--dry-run", "--set", "training.warmup=0", "--scale", "0.001"]);
        for part in [" of training, ", "jobs are done", "expected time by default rates: about "] {
            assert!(dry.out.contains(part), "{file}: {part:?} is not in:\n{}", dry.out);
        }
        assert_eq!(dry.code, 1, "{file}");
        dry.assert_shows(&["data.train: no such file: "]);
        assert!(!dry.err.contains("No such file"), "{file}: {}", dry.err);
        if !text.contains("\"datasets/") {
            others += 1;
            let is_named = dry.shows("oplus selfplay") || dry.shows("not part of the project");
            assert!(is_named, "{file} does not say what its data are: {}", dry.err);
        }
    }
    assert!(others > 10, "{others} with data of their own");
}

/// A cause that is part of the message is not repeated.
#[test]
fn a_missing_file_is_named_once() {
    let work = Workdir::new();
    for command in [
        &["data", "inspect", "nope.viri"][..],
        &["net", "info", "nope.oplus"],
        &["run", "nope.toml"],
        &["evolve", "nope.toml"],
        &["train", "ALL", "--data", "nope.viri", "--out", "net"],
    ] {
        let answer = work.run(command);
        assert_ne!(answer.code, 0);
        assert_eq!(answer.err.matches("No such file").count(), 1, "{command:?}: {}", answer.err);
    }
    assert!(games().exists());
}
