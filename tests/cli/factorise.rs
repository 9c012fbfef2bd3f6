//! `oplus factorise`, as people use it.

use crate::support::Workdir;

#[test]
fn pesto_in_fewer_words_is_written_shown_and_played() {
    let work = Workdir::new();
    let answer = work.run(&["factorise", "pesto", "--n", "3,4", "--seconds", "0.3"]);
    assert_eq!(answer.code, 0, "{}", answer.err);
    assert!(answer.out.contains("literals"), "{}", answer.out);
    assert!(answer.out.contains("factors/index.html"), "{}", answer.out);
    let stem = "factors/annealing-plain-n4-s1";
    for ending in ["csv", "json", "cs", "h", "rs"] {
        assert!(work.path().join(format!("{stem}.{ending}")).exists(), "{ending}");
    }
    let page = std::fs::read_to_string(work.path().join("factors/index.html")).unwrap();
    assert!(page.contains("annealing, plain"), "{page}");
    let sheet = format!("{stem}.csv");
    let played = work.run(&["match", &sheet, "pesto", "--nodes", "200", "--games", "4"]);
    assert_eq!(played.code, 0, "{}", played.err);
    // An approximation can be factorised again, with fewer components.
    let again = ["factorise", &sheet, "--n", "4", "--method", "genetic", "--seconds", "0.5"];
    let answer = work.run(&again);
    assert_eq!(answer.code, 0, "{}", answer.err);
}

/// One bit cannot hold PeSTO's tables: it loses against them, and files and page say so.
#[test]
fn elo_of_an_approximation_has_its_sign() {
    let work = Workdir::new();
    let play = ["--games", "30", "--nodes", "100"];
    let answer =
        work.run(&[&["factorise", "pesto", "--n", "1", "--seconds", "0.2"], &play[..]].concat());
    assert_eq!(answer.code, 0, "{}", answer.err);
    let text =
        std::fs::read_to_string(work.path().join("factors/annealing-plain-n1-s1.json")).unwrap();
    let record: serde_json::Value = serde_json::from_str(&text).unwrap();
    let elo = record["games"]["elo"][0].as_f64().unwrap();
    assert!(elo < -30.0, "{elo}");
    let page = std::fs::read_to_string(work.path().join("factors/index.html")).unwrap();
    let reply = format!("\u{2212}{:.0}", -elo);
    assert!(page.contains(&reply), "{reply}");
}

#[test]
fn what_is_no_table_is_refused() {
    let work = Workdir::new();
    std::fs::write(work.path().join("short.csv"), "1,2,3,4,5,6,7,8\n").unwrap();
    let one = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1 | 20 | 0.5\n";
    std::fs::write(work.path().join("one.txt"), one).unwrap();
    for (args, reply) in [
        (&["factorise", "short.csv"][..], "1 lines of numbers, expected 96"),
        (&["factorise", "missing.csv"], "missing.csv"),
        (&["factorise", "everything"], "none of: pesto"),
        (&["factorise", "pesto", "--n", "0"], "0 is not in 1..=20"),
        (&["factorise", "pesto", "--n", "21"], "21 is not in 1..=20"),
        (&["factorise", "pesto", "--loss", "cells"], "--data"),
        (&["factorise", "pesto", "--seconds", "0"], "0.01 to"),
        (&["factorise", "pesto", "--data", "one.txt"], "1 position, expected 1,536"),
        (&["factorise", "pesto", "--positions", "1535"], "1535 is not in 1536.."),
    ] {
        let answer = work.run(args);
        assert_ne!(answer.code, 0, "{args:?}");
        assert!(answer.err.contains(reply), "{reply}: {}", answer.err);
    }
    assert!(!work.path().join("factors").exists());
}
