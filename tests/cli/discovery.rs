//! `oplus screen` and `oplus rank`, as people use them.

use crate::support::Workplace;

const BUNDLED: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/datasets/bootstrap.oarc");

#[test]
fn candidates_are_ranked_and_written_down() {
    let work = Workplace::new();
    let answer = work.run(&[
        "screen",
        "--candidates",
        "PH; BISHOP-PAIR",
        "--data",
        BUNDLED,
        "--positions",
        "20000",
        "--csv",
        "gains.csv",
    ]);
    assert_eq!(answer.code, 0, "{}", answer.err);
    assert!(answer.out.contains("of 2 are discoveries"), "{}", answer.out);
    let sheet = std::fs::read_to_string(work.path().join("gains.csv")).unwrap();
    let lines: Vec<&str> = sheet.lines().collect();
    assert_eq!(lines[0], "candidate,features,active,gain,low,high,p,q,ns_per_move");
    assert_eq!(lines.len(), 3, "{sheet}");
    for (name, features) in [("PH", "1152"), ("BISHOP-PAIR", "2")] {
        assert!(sheet.contains(&format!("\n{name},{features},")), "{sheet}");
    }
}

#[test]
fn what_cannot_be_screened_is_said_before_anything_is_read() {
    let work = Workplace::new();
    let screen = |candidates: &str, data: &str, positions: &str| {
        let args = ["screen", "--candidates", candidates, "--data", data, "--positions", positions];
        let answer = work.run(&args);
        (answer.code, answer.err)
    };
    // No data is there, and nobody has asked for it yet.
    for (candidates, why) in [
        ("mirror(ALL)", "`mirror(ALL)` is what the net has already"),
        ("PH; pair(RANKS * PIECES * PIECES)", "are the same set"),
        ("PASED", "PASSED"),
    ] {
        let (code, err) = screen(candidates, "nowhere.pgn", "1000");
        assert_eq!(code, 2, "{err}");
        assert!(err.contains(why), "{err}");
    }
    let (code, err) = screen("PH", "nowhere.pgn", "1000");
    assert!(code != 0 && err.contains("nowhere.pgn"), "{err}");
    let (code, err) = screen("PH", BUNDLED, "1000");
    assert_eq!(code, 2, "{err}");
    assert!(err.contains("games are too few"), "{err}");
}

#[test]
fn rows_are_ranked_and_those_kept_make_a_set() {
    let work = Workplace::new();
    let asked = ["rank", "--data", BUNDLED, "--positions", "1500", "--picture", "squares.svg"];
    let answer = work.run(&[&asked[..], &["--top", "100", "--out", "rows.txt"]].concat());
    assert_eq!(answer.code, 0, "{}", answer.err);
    assert!(answer.out.contains("rises are in per cent"), "{}", answer.out);
    let rows = std::fs::read_to_string(work.path().join("rows.txt")).unwrap();
    assert_eq!(rows.lines().count(), 100);
    let picture = std::fs::read_to_string(work.path().join("squares.svg")).unwrap();
    assert!(picture.contains("<svg") && picture.contains("knight"));
    assert!(rows.lines().all(|line| line.contains(" # own ") || line.contains(" # other ")));
    let kept = work.run(&["features", "top(ALL, \"rows.txt\")"]);
    assert_eq!(kept.code, 0, "{}", kept.err);
    assert!(kept.out.contains("100"), "{}", kept.out);
}

#[test]
fn a_block_that_is_not_there_is_named_with_those_that_are() {
    let work = Workplace::new();
    let answer = work.run(&["rank", "--data", BUNDLED, "--block", "PH"]);
    assert_eq!(answer.code, 2);
    assert!(answer.err.contains("`PH` is no summand of the net"), "{}", answer.err);
}
