//! Output for other programs: lines of JSON, TensorBoard's events, shells.

use std::path::PathBuf;
use std::process::Command;

use serde_json::Value;

use crate::plan::UNTIMED;
use crate::support::{Answer, Workdir};

fn lines(answer: &Answer) -> Vec<Value> {
    assert_eq!(answer.code, 0, "{}", answer.err);
    answer.out.lines().map(|line| serde_json::from_str(line).expect(line)).collect()
}

#[test]
fn a_match_tells_its_games_and_its_result() {
    let work = Workdir::new();
    let common = ["pesto", "material", "--nodes", "100", "--json"];
    let reply = lines(&work.run(&[&["match", "--games", "6"], &common[..]].concat()));
    let games: Vec<&Value> = reply.iter().filter(|line| line["event"] == "game").collect();
    assert_eq!(games.len(), 6);
    assert!((1..).zip(&games).all(|(number, game)| game["finished"] == number), "{games:?}");
    let result = reply.last().unwrap();
    assert_eq!((&result["event"], &result["complete"]), (&"result".into(), &true.into()));
    let meeting = &result["meetings"][0];
    let counted = ["wins", "draws", "losses"].map(|name| meeting[name].as_u64().unwrap());
    assert_eq!(counted.iter().sum::<u64>(), 6);

    let test = [&["sprt", "--elo0", "0", "--elo1", "100", "--games", "200"], &common[..]].concat();
    let reply = lines(&work.run(&test));
    let sprt = &reply.last().unwrap()["sprt"];
    assert_eq!(sprt["decision"], "H1");
    assert!(sprt["llr"].as_f64().unwrap() >= sprt["bounds"][1].as_f64().unwrap());

    let three = ["tournament", "pesto", "material", "pesto", "--games", "2", "--nodes", "50"];
    let reply = lines(&work.run(&[&three[..], &["--set", "3:name=again", "--json"]].concat()));
    let ratings = reply.last().unwrap()["ratings"].as_array().unwrap().clone();
    assert_eq!(ratings.len(), 3);
    assert!(ratings.iter().all(|one| one["elo"].get("value").is_some()), "{ratings:?}");
}

#[test]
fn results_are_rated_for_programs_too() {
    let work = Workdir::new();
    let pairs = ["elo", "--pairs", "13", "37", "50", "25", "3", "--elo0", "0", "--elo1", "4"];
    let reply = lines(&work.run(&[&pairs[..], &["--json"]].concat())).remove(0);
    let shown = work.run(&pairs).out;
    let elo = reply["elo"]["value"].as_f64().unwrap();
    assert!(shown.contains(&format!("{elo:.2}")), "{elo} is not in:\n{shown}");
    assert_eq!(reply["tests"].as_array().unwrap().len(), 2);
}

#[test]
fn shells_and_manuals_know_every_command() {
    let work = Workdir::new();
    let help = work.run(&["--help"]).out;
    // Groups of commands stand between usage and options.
    let commands: Vec<&str> = help
        .lines()
        .skip_while(|line| *line != "Research:")
        .take_while(|line| *line != "Options:")
        .filter_map(|line| line.strip_prefix("  ")?.split(' ').next())
        .filter(|name| !name.is_empty())
        .collect();
    assert!(commands.len() > 20, "{commands:?}");
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let answer = work.run(&["completions", shell]);
        assert_eq!(answer.code, 0, "{}", answer.err);
        for command in &commands {
            assert!(answer.out.contains(command), "{command} is not in {shell}'s");
        }
    }
    assert_eq!(work.run(&["completions", "--man", "man"]).code, 0);
    for command in commands.iter().filter(|name| **name != "help") {
        let page = work.path().join(format!("man/oplus-{command}.1"));
        assert!(std::fs::read_to_string(&page).unwrap().contains("Examples"), "{page:?}");
    }
}

/// Reads the events of a run and compares them with its sheet.
const READER: &str = r#"
import csv, sys
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator
run = sys.argv[1]
events = EventAccumulator(run + "/tb")
events.Reload()
rows = list(csv.DictReader(open(run + "/metrics.csv")))
names = {"loss/train": "train_loss", "loss/validation": "validation_loss",
         "learning_rate": "learning_rate", "positions_per_second": "positions_per_second"}
assert set(events.Tags()["scalars"]) == set(names), events.Tags()
for tag, column in names.items():
    scalars = events.Scalars(tag)
    assert [s.step for s in scalars] == [int(row["step"]) for row in rows], tag
    for scalar, row in zip(scalars, rows):
        assert abs(scalar.value - float(row[column])) <= 1e-6 * abs(scalar.value), (tag, scalar, row)
print(len(rows), "epochs")
"#;

/// A Python with what tests ask of it.
fn python() -> Command {
    Command::new(std::env::var("OPLUS_PYTHON").unwrap_or_else(|_| "python3".to_owned()))
}

/// Folders of the three nets of the shared experiment.
fn trained(work: &Workdir) -> Vec<PathBuf> {
    work.experiment("small.toml");
    let answer = work.run(&[&["run", "small.toml"], &UNTIMED[..]].concat());
    assert_eq!(answer.code, 0, "{}", answer.err);
    let runs = std::fs::read_dir(work.path().join("runs/small")).unwrap().flatten();
    let runs: Vec<_> = runs.map(|run| run.path()).filter(|run| run.join("tb").exists()).collect();
    assert_eq!(runs.len(), 3);
    runs
}

#[test]
#[ignore = "needs Python with tensorboard"]
fn tensorboard_reads_what_the_sheet_says() {
    let work = Workdir::new();
    for run in trained(&work) {
        let read = python().args(["-c", READER]).arg(&run).output().unwrap();
        let reply = Answer::from(read);
        assert_eq!((reply.code, reply.out.trim()), (0, "3 epochs"), "{}", reply.err);
    }
}

/// The lines of docs/watching.md, without a network.
#[test]
#[ignore = "needs Python with wandb"]
fn weights_and_biases_takes_the_examples_of_the_book() {
    let work = Workdir::new();
    let runs = trained(&work);
    let book = include_str!("../../docs/watching.md");
    let lines = book.split_once("```python\n").unwrap().1.split_once("```").unwrap().0;
    let mut command = python();
    command.args(["-c", lines]).args(&runs).current_dir(work.path()).env("WANDB_MODE", "offline");
    let reply = Answer::from(command.output().unwrap());
    assert_eq!(reply.code, 0, "{}", reply.err);
    let kept = std::fs::read_dir(work.path().join("wandb")).unwrap().flatten();
    let kept = kept.filter(|it| it.file_name().to_string_lossy().starts_with("offline-run"));
    assert_eq!(kept.count(), runs.len());
}
