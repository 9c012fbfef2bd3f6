//! Notes on runs, lists of runs, and one page of several experiments.

use serde_json::Value;

use crate::plan::UNTIMED;
use crate::support::Workdir;

/// The two runs of a small experiment, by name.
fn ran(work: &Workdir) -> Vec<String> {
    work.experiment("small.toml");
    let arguments = ["run", "small.toml", "--set", "grid.seed=[1, 2]"];
    let answer = work.run(&[&arguments[..], &UNTIMED].concat());
    assert_eq!(answer.code, 0, "{}", answer.err);
    listed(work, &[]).into_iter().map(|run| run["run"].as_str().unwrap().to_owned()).collect()
}

fn listed(work: &Workdir, more: &[&str]) -> Vec<Value> {
    let answer = work.run(&[&["runs", "list", "--json"], more].concat());
    assert_eq!(answer.code, 0, "{}", answer.err);
    answer.out.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn notes_are_shown_found_and_removed() {
    let work = Workdir::new();
    let runs = ran(&work);
    let run = runs[1].as_str();
    assert_eq!(work.run(&["runs", "note", run, "  baseline of the paper "]).code, 0);
    assert_eq!(work.run(&["runs", "note", run]).out, "baseline of the paper\n");
    for shown in [&["runs", "list"][..], &["runs", "show", run], &["runs", "show", run, "--json"]] {
        assert!(work.run(shown).out.contains("baseline of the paper"), "{shown:?}");
    }
    let found = listed(&work, &["--contains", "of the paper"]);
    assert_eq!(found.iter().map(|found| &found["run"]).collect::<Vec<_>>(), [run]);
    assert!(listed(&work, &["--contains", "of no run"]).is_empty());
    assert_eq!(work.run(&["runs", "note", run, "--clear"]).code, 0);
    assert_eq!(work.run(&["runs", "note", run]).out, format!("{run} has no note\n"));
    assert!(!work.run(&["runs", "list"]).out.contains("note"));
    // Of an experiment, and of nothing.
    assert_eq!(work.run(&["runs", "note", "small", "a first try"]).code, 0);
    assert_eq!(work.run(&["runs", "note", "small"]).out, "a first try\n");
    let unknown = work.run(&["runs", "note", "nothing", "text"]);
    assert_eq!(unknown.code, 1);
    unknown.assert_shows(&["nothing"]);
}

#[test]
fn runs_are_listed_in_the_order_of_their_losses() {
    let work = Workdir::new();
    ran(&work);
    let losses = |more: &[&str]| -> Vec<f64> {
        listed(&work, more).iter().map(|run| run["validation_loss"].as_f64().unwrap()).collect()
    };
    let mut sorted = losses(&[]);
    sorted.sort_by(f64::total_cmp);
    assert!(sorted.len() > 1);
    assert_eq!(losses(&["--sort", "loss"]), sorted);
}

#[test]
fn several_experiments_have_one_page() {
    let work = Workdir::new();
    let reports = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("reports");
    let [axes, lines] = ["laptop-axes", "laptop-lines"].map(|name| reports.join(name));
    let (axes, lines) = (axes.to_str().unwrap(), lines.to_str().unwrap());
    let answer = work.run(&["report", axes, lines, "--name", "both"]);
    assert_eq!(answer.code, 0, "{}", answer.err);
    for part in ["laptop-axes", "laptop-lines", "reports/both/index.html"] {
        assert!(answer.out.contains(part), "{}", answer.out);
    }
    let both = work.path().join("reports/both");
    let sheet = std::fs::read_to_string(both.join("results.csv")).unwrap();
    assert!(sheet.starts_with("set,page,is_reference,elo_"), "{sheet}");
    let document = std::fs::read_to_string(both.join("results.tex")).unwrap();
    assert!(document.contains("\\begin{tabular}") && document.contains("H + V"), "{document}");

    let missing = work.run(&["report", axes, "elsewhere"]);
    assert_eq!(missing.code, 1);
    missing.assert_shows(&["reports/elsewhere", "no results.csv", "oplus report"]);
    for of_one in [&["report", axes, lines, "--card"][..], &["report", axes, "--name", "x"]] {
        assert_eq!(work.run(of_one).code, 2, "{of_one:?}");
    }
}
