//! `oplus features`: the catalogue, a position in words, statistics.

use serde_json::Value;

use crate::support::{Workplace, games};

const ROOK: &str = "4k3/8/8/8/8/8/8/R3K3 w - - 0 1";

/// Two positions of a list, one with its counters, one without.
const LIST: &str = "\
# a rook ending, and pawns that can do nothing
4k3/8/8/8/8/8/8/R3K3 w - - 0 1
4k3/p7/P7/8/8/8/8/4K3 b - - bm Kd7;
";

const PGN: &str = "\
[Event \"a\"]

1. e4 e5 2. Nf3 Nc6 1-0

[Event \"broken\"]

1. e4 Ke5 1-0
";

#[test]
fn a_position_is_told_block_by_block() {
    let work = Workplace::new();
    let answer = work.run(&["features", "ALL + PH", "--fen", ROOK]);
    assert_eq!(answer.code, 0, "{}", answer.err);
    for part in [
        "1,920",
        "1 │ ♖   ·   ♔   ·   │",
        "White to move",
        "White sees 4 active features of 1,920:\n  ALL: 3\n",
        "  PH: 1\n       850  own rook next left of own king on rank 1",
        "Black sees 4 active features",
    ] {
        assert!(answer.out.contains(part), "{part:?} is not in:\n{}", answer.out);
    }
    let answer = work.run(&["features", "ALL", "--fen", "8/8/8/8/8/8/8/8 w - - 0 1"]);
    assert_eq!((answer.code, answer.out.as_str()), (1, ""), "{}", answer.err);
}

#[test]
fn the_catalogue_is_listed_with_sizes_and_schemes() {
    let work = Workplace::new();
    let answer = work.run(&["features", "--list"]);
    let line = |name: &str| -> String {
        let found = answer.out.lines().find(|line| line.trim().starts_with(name));
        found.unwrap_or_else(|| panic!("no {name} in:\n{}", answer.out)).to_owned()
    };
    let king_all = line("KING-ALL ");
    for part in ["49,152", " 32 ", "every piece, for every square of the own king", "KING * ALL"] {
        assert!(king_all.contains(part), "{king_all}");
    }
    assert!(line("BUCKETS-9 ").contains(" 9   SQUARES on files a to d, finer"), "{}", answer.out);
    // Piped, nothing is cut.
    assert!(!answer.out.contains('…'));
}

fn json(work: &Workplace, args: &[&str]) -> Value {
    let answer = work.run(&[&["features", "--json"], args].concat());
    assert_eq!(answer.code, 0, "{}", answer.err);
    serde_json::from_str(&answer.out).unwrap_or_else(|e| panic!("{e}:\n{}", answer.out))
}

#[test]
fn statistics_of_a_list_are_those_counted_by_hand() {
    let work = Workplace::new();
    work.file("two.epd", LIST);
    let told = json(&work, &["ALL + H", "--stats", "two.epd", "--searches", "0"]);
    assert_eq!((&told["positions"], &told["positions_in_data"]), (&2.into(), &2.into()));
    // White's rook has 10 moves and its king 5, the other king 5.
    assert_eq!(told["legal_moves"], 20);
    let all = &told["blocks"][0];
    assert_eq!(
        (&all["name"], &all["size"], &all["active"]),
        (&"ALL".into(), &768.into(), &3.5.into())
    );
    assert_eq!(
        (&all["legal"]["added"], &all["legal"]["mover"]["removed"]),
        (&1.0.into(), &1.0.into())
    );
    assert_eq!((&all["searched"], &all["legal"]["refreshes"]), (&Value::Null, &0.0.into()));
    assert_eq!(all["impossible"], 32);
    // Own and other king on e1 and e8 each, the rook, and two pawns each way.
    assert_eq!(all["never_active"], 768 - 8);
    assert_eq!(all["never_active_examples"].as_array().unwrap().len(), 3);
    // Along the file 7 rook moves change nothing, and the kings' straight ones.
    let rows = told["blocks"][1]["legal"]["rows"].as_f64().unwrap();
    assert!((rows - 2.0 * (3.0 + 4.0 + 4.0) / 20.0).abs() < 1e-9, "{rows}");
    assert_eq!(told["total"]["size"], 864);
}

#[test]
fn statistics_of_games_are_printed_as_tables() {
    let work = Workplace::new();
    work.file("games.pgn", PGN);
    let args = ["features", "ALL + KING-ALL", "--stats", "games.pgn", "--nodes", "200"];
    let answer = work.run(&args);
    assert_eq!(answer.code, 0, "{}", answer.err);
    for part in [
        "4 of 4 positions, seed 1, of games.pgn",
        "per legal move (",
        "per move of a search (",
        "features that were never active",
        "below 0.01 %",
        "7,172",
    ] {
        assert!(answer.out.contains(part), "{part:?} is not in:\n{}", answer.out);
    }
    assert!(answer.err.contains("1 skipped (1 illegal move)"), "{}", answer.err);
    assert!(answer.err.contains("games.pgn: game 2, line 7"), "{}", answer.err);
    assert_eq!(work.run(&args).out, answer.out, "the same again");
}

#[test]
fn the_most_frequent_rows_are_written_for_the_language() {
    let work = Workplace::new();
    let data = games().to_str().unwrap();
    let args = ["features", "PH", "--stats", data, "--positions", "200", "--searches", "0"];
    let answer = work.run(&[&args[..], &["--top", "50", "--rows", "top.txt"]].concat());
    assert_eq!(answer.code, 0, "{}", answer.err);
    let rows = std::fs::read_to_string(work.path().join("top.txt")).unwrap();
    assert_eq!(rows.lines().filter(|line| !line.starts_with('#')).count(), 50);
    assert!(rows.lines().nth(1).unwrap().contains(" # own "), "{rows}");
    let answer = work.run(&["features", "ALL + top(PH, \"top.txt\")"]);
    assert!(answer.code == 0 && answer.out.contains("818"), "{}{}", answer.out, answer.err);

    let answer = work.run(&[&args[..], &["--top", "5000", "--rows", "all.txt"]].concat());
    assert!(answer.err.contains("features were ever active"), "{}", answer.err);
}

#[test]
fn bad_data_is_named_with_its_place() {
    let work = Workplace::new();
    work.file("bad.fen", "\n\n4k3/8/8 w - - 0 1\n");
    work.file("empty.epd", "# nothing\n");
    work.file("words.txt", "no games\n");
    work.file("only.pgn", "1. e4 Ke5 *\n");
    for (data, parts) in [
        ("bad.fen", &["no positions in `bad.fen`", "bad.fen: line 3"][..]),
        ("empty.epd", &["no positions in `empty.epd`"]),
        ("words.txt", &["words.txt", "no known format"]),
        ("only.pgn", &["only.pgn", "game 1, line 1", "1 illegal move"]),
        ("missing.pgn", &["missing.pgn"]),
    ] {
        let answer = work.run(&["features", "ALL", "--json", "--stats", data]);
        assert_eq!((answer.code, answer.out.as_str()), (1, ""), "{data}: {}", answer.err);
        for part in parts {
            assert!(answer.err.contains(part), "{part:?} is not in:\n{}", answer.err);
        }
    }
    let answer = work.run(&["features", "ALL", "--json"]);
    assert_eq!(answer.code, 2, "{}", answer.err);
    work.file("one.fen", ROOK);
    let write = ["features", "ALL", "--stats", "one.fen", "--top", "3", "--rows", "no/such.txt"];
    let answer = work.run(&write);
    assert!(answer.code == 1 && answer.err.contains("no/such.txt"), "{}", answer.err);
}

#[test]
fn lists_of_every_notation_are_counted_and_their_bad_lines_told() {
    let work = Workplace::new();
    work.file("scored.txt", &format!("{ROOK} | 500 | 1.0\n\n4k3/8/8 w - - 0 1 | 3 | 0.5\n"));
    work.file("bare.fen", &format!("{ROOK}\n\n4k3/8/8 w - - 0 1\n"));
    for data in ["scored.txt", "bare.fen"] {
        let args = ["features", "ALL", "--json", "--stats", data, "--searches", "0"];
        let answer = work.run(&args);
        assert_eq!(answer.code, 0, "{}", answer.err);
        let told: Value = serde_json::from_str(&answer.out).unwrap();
        // White's rook has 10 moves and its king 5.
        assert_eq!((&told["positions"], &told["legal_moves"]), (&1.into(), &15.into()), "{data}");
        for part in ["1 skipped (1 illegal position)", &format!("{data}: line 3: not a legal")] {
            assert!(answer.err.contains(part), "{part:?} is not in:\n{}", answer.err);
        }
    }
}

#[test]
fn an_index_is_told_in_words() {
    let work = Workplace::new();
    let answer = work.run(&["features", "ALL", "--index", "330", "--index", "0"]);
    assert_eq!(answer.out, "index 330 of ALL = own rook on d4\nindex 0 of ALL = own pawn on a1\n");
    let answer = work.run(&["features", "ALL", "--index", "768"]);
    assert_eq!(answer.code, 2);
    assert!(answer.err.contains("ALL has 768 features"), "{}", answer.err);
}

#[test]
fn it_says_when_a_set_is_refreshed() {
    let work = Workplace::new();
    let out = |text: &str| work.run(&["features", text]).out;
    assert!(out("ALL + PV").contains("never refreshed"));
    let halfka = out("HALF-KA-HM");
    assert!(halfka.contains("refreshed when the own king moves to another class"), "{halfka}");
    assert!(halfka.contains("crosses between files d and e"), "{halfka}");
}
