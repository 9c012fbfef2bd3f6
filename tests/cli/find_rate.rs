//! `oplus train --find-rate`.

use std::path::Path;

use crate::support::{Answer, Workdir, games};

fn try_rates(work: &Workdir, out: &str, options: &[&str]) -> Answer {
    let data = ["--data", games().to_str().unwrap(), "--no-cache"];
    let sizes = ["--layers", "16 -> 1", "--positions-per-epoch", "1024", "--batch", "128"];
    work.run(&[&["train", "ALL", "--out", out][..], &data, &sizes, options].concat())
}

fn files(folder: &Path) -> Vec<String> {
    let files = std::fs::read_dir(folder).unwrap().map(Result::unwrap);
    let files = files.filter(|entry| entry.path().is_file()).map(|file| file.file_name());
    let mut names: Vec<String> = files.map(|name| name.into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn it_recommends_a_rate_and_leaves_a_sheet_and_a_plot() {
    let work = Workdir::new();
    let answer = try_rates(&work, "rates", &["--find-rate"]);
    assert_eq!(answer.code, 0, "{}", answer.err);
    let (_, rate) = answer.out.split_once("--learning-rate ").expect(&answer.out);
    let rate: f64 = rate.lines().next().unwrap().parse().unwrap();
    assert!((1e-4..0.1).contains(&rate), "{}", answer.out);
    assert_eq!(files(&work.path().join("rates")), ["rates.csv", "rates.svg"]);
    let sheet = std::fs::read_to_string(work.path().join("rates/rates.csv")).unwrap();
    assert!(sheet.starts_with("learning_rate,loss,smoothed\n"), "{sheet}");
    assert!((100..=301).contains(&sheet.lines().count()));
    let again = try_rates(&work, "again", &["--find-rate=1e-6..1"]);
    assert_eq!(again.out.replace("again/", "rates/"), answer.out);

    // The printed rate is a valid option.
    let trained =
        try_rates(&work, "rates", &["--epochs", "1", "--learning-rate", &rate.to_string()]);
    assert_eq!(trained.code, 0, "{}", trained.err);
}

#[test]
fn a_run_in_the_folder_is_left_alone() {
    let work = Workdir::new();
    assert_eq!(try_rates(&work, "net", &["--epochs", "1"]).code, 0);
    let before = files(&work.path().join("net"));
    let read = |name: &String| std::fs::read(work.path().join("net").join(name)).unwrap();
    let bytes: Vec<Vec<u8>> = before.iter().map(read).collect();
    let range = ["--find-rate=1e-5..1e-3", "--seed", "2"];
    let answer = try_rates(&work, "net", &range);
    assert_eq!(answer.code, 0, "{}", answer.err);
    assert!(answer.out.contains("reached before the loss diverged"), "{}", answer.out);
    assert_eq!(before.iter().map(read).collect::<Vec<_>>(), bytes);
    let mut after = [&before[..], &["rates.csv".to_owned(), "rates.svg".to_owned()]].concat();
    after.sort();
    assert_eq!(files(&work.path().join("net")), after);
}

#[test]
fn ranges_that_are_none_are_refused_with_one_that_is() {
    let work = Workdir::new();
    for range in ["1e-3", "1..1e-3", "0..1", "low..high"] {
        let answer = try_rates(&work, "net", &[&format!("--find-rate={range}")]);
        assert_eq!(answer.code, 2, "{}", answer.err);
        answer.assert_shows(&["is no range of learning rates", "such as 1e-6..1"]);
    }
    let lines = try_rates(&work, "net", &["--find-rate", "--json"]);
    assert_eq!(lines.code, 2, "{}", lines.err);
    lines.assert_shows(&["--find-rate", "cannot be used with", "--json"]);
    assert!(!work.path().join("net").exists());
}
