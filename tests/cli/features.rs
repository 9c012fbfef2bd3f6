//! `oplus features`: the catalogue, a position in words, statistics.

use serde_json::Value;

use crate::support::{Workdir, games};

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
fn a_position_is_shown_block_by_block() {
    let work = Workdir::new();
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
    let work = Workdir::new();
    let answer = work.run(&["features", "--list"]);
    let line = |name: &str| -> String {
        let found = answer.out.lines().find(|line| line.trim().starts_with(name));
        found.unwrap_or_else(|| panic!("no {name} in:\n{}", answer.out)).to_owned()
    };
    let king_all = line("KING-ALL ");
    for part in ["49,152", " 32 ", "every piece, for every square of the own king", "KING * ALL"] {
        assert!(king_all.contains(part), "{king_all}");
    }
    assert!(line("BUCKETS-9 ").contains(" 9  SQUARES on files a to d, finer"), "{}", answer.out);
    // Piped, nothing is cut.
    assert!(!answer.out.contains('…'));
    // The suggested expression has no warnings.
    let example = answer.out.lines().last().unwrap().split('`').rev().nth(1).unwrap();
    let shown = work.run(&["features", example]);
    assert_eq!((shown.code, shown.err.as_str()), (0, ""), "{example}");
}

fn json(work: &Workdir, args: &[&str]) -> Value {
    let answer = work.run(&[&["features", "--json"], args].concat());
    assert_eq!(answer.code, 0, "{}", answer.err);
    serde_json::from_str(&answer.out).unwrap_or_else(|e| panic!("{e}:\n{}", answer.out))
}

#[test]
fn statistics_of_a_list_are_those_counted_by_hand() {
    let work = Workdir::new();
    work.file("two.epd", LIST);
    let reply = json(&work, &["ALL + H", "--stats", "two.epd", "--searches", "0"]);
    assert_eq!((&reply["positions"], &reply["positions_in_data"]), (&2.into(), &2.into()));
    // White's rook has 10 moves and its king 5, the other king 5.
    assert_eq!(reply["legal_moves"], 20);
    let all = &reply["blocks"][0];
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
    let rows = reply["blocks"][1]["legal"]["rows"].as_f64().unwrap();
    assert!((rows - 2.0 * (3.0 + 4.0 + 4.0) / 20.0).abs() < 1e-9, "{rows}");
    assert_eq!(reply["total"]["size"], 864);
}

#[test]
fn statistics_of_games_are_printed_as_tables() {
    let work = Workdir::new();
    work.file("games.pgn", PGN);
    let args = ["features", "ALL + KING-ALL", "--stats", "games.pgn", "--nodes", "200"];
    let answer = work.run(&args);
    assert_eq!(answer.code, 0, "{}", answer.err);
    for part in [
        "4 of 4 positions, seed 1, of games.pgn",
        "per legal move (",
        "per move of a search (",
        "dead features",
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
    let work = Workdir::new();
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
    assert!(answer.err.contains("features were active"), "{}", answer.err);
}

#[test]
fn bad_data_is_named_with_its_place() {
    let work = Workdir::new();
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
    work.file("one.fen", ROOK);
    let both = ["features", "ALL", "--json", "--stats", "one.fen", "--fen", ROOK];
    let answer = work.run(&both);
    assert_eq!(answer.code, 2, "{}", answer.err);
    answer.assert_shows(&["--json takes either"]);
    let top = ["features", "ALL", "--stats", "one.fen", "--top", "3", "--rows"];
    let moved = ["rows.txt", "--fen", "startpos", "--move", "e2e4"];
    for (end, part) in
        [(&moved[..], "cannot be used with"), (&["one.fen"], "is both input and output")]
    {
        let answer = work.run(&[&top[..], end].concat());
        assert_eq!(answer.code, 2, "{}", answer.err);
        answer.assert_shows(&[part]);
    }
    let write =
        ["features", "ALL", "--stats", "one.fen", "--top", "3", "--rows", "no/such/rows.txt"];
    let answer = work.run(&write);
    assert!(answer.code == 1 && answer.err.contains("no/such/rows.txt"), "{}", answer.err);
    // Of a folder the last one is made.
    let write = ["features", "ALL", "--stats", "one.fen", "--top", "3", "--rows", "new/rows.txt"];
    assert_eq!(work.run(&write).code, 0);
    assert!(work.path().join("new/rows.txt").exists());
}

#[test]
fn lists_of_every_notation_are_counted_and_their_bad_lines_named() {
    let work = Workdir::new();
    work.file("scored.txt", &format!("{ROOK} | 500 | 1.0\n\n4k3/8/8 w - - 0 1 | 3 | 0.5\n"));
    work.file("bare.fen", &format!("{ROOK}\n\n4k3/8/8 w - - 0 1\n"));
    for data in ["scored.txt", "bare.fen"] {
        let args = ["features", "ALL", "--json", "--stats", data, "--searches", "0"];
        let answer = work.run(&args);
        assert_eq!(answer.code, 0, "{}", answer.err);
        let reply: Value = serde_json::from_str(&answer.out).unwrap();
        // White's rook has 10 moves and its king 5.
        assert_eq!((&reply["positions"], &reply["legal_moves"]), (&1.into(), &15.into()), "{data}");
        for part in ["1 skipped (1 illegal position)", &format!("{data}: line 3: not a legal")] {
            assert!(answer.err.contains(part), "{part:?} is not in:\n{}", answer.err);
        }
    }
}

#[test]
fn an_index_has_its_meaning_in_words() {
    let work = Workdir::new();
    let answer = work.run(&["features", "ALL", "--index", "330", "--index", "0"]);
    for part in [
        "index 330 of ALL = own rook on d4\n  ┌",
        "4 │   ·   ♖   ·   · │",
        "♖ own rook on d4: d4\n",
        "index 0 of ALL = own pawn on a1\nimpossible in legal positions\n",
    ] {
        assert!(answer.out.contains(part), "{part:?} is not in:\n{}", answer.out);
    }
    let answer = work.run(&["features", "ALL", "--index", "768"]);
    assert_eq!(answer.code, 2);
    assert!(answer.err.contains("ALL has 768 features"), "{}", answer.err);
}

#[test]
fn it_says_when_a_set_is_refreshed() {
    let work = Workdir::new();
    let out = |text: &str| work.run(&["features", text]).out;
    assert!(out("ALL + PV").contains("no refreshes"));
    let halfka = out("HALF-KA-HM");
    assert!(halfka.contains("refreshed when the own king moves to another class"), "{halfka}");
    assert!(halfka.contains("crosses between files d and e"), "{halfka}");
}

#[test]
fn an_index_is_drawn_with_all_its_squares() {
    let work = Workdir::new();
    for (text, index, parts) in [
        (
            "KING * H",
            "424",
            &["♔ own king on e1: e1", "1 │ ·   · ② ♔", "② own bishop on file d"][..],
        ),
        ("THREATS", "0", &["♘ own knight: a1", "♙ own pawn: c2"]),
        ("PV", "127", &["① own king next below other rook on file a: a1 a2 a3"]),
        ("ATTACKS", "330", &["4 │   ·   ①", "① own rook attacks d4: d4"]),
        ("KING-OFFSET", "1300", &["♔ own king, for example here"]),
        ("en_passant(FILES * COLORS)", "8", &["6 │   ·   · ① ·"]),
        ("mirror(KING) * PHASE", "3", &["(mirrored)", "♔ own king on d1: d1"]),
    ] {
        let answer = work.run(&["features", text, "--index", index]);
        assert_eq!(answer.code, 0, "{}", answer.err);
        for part in parts {
            assert!(answer.out.contains(part), "{text}: {part:?} is not in:\n{}", answer.out);
        }
    }
    let reply = json(&work, &["KING * H", "--index", "424"]);
    let feature = &reply[0];
    assert_eq!((&feature["index"], &feature["possible"]), (&424.into(), &true.into()));
    assert_eq!(feature["says"], "own king on e1 and own bishop on file d");
    assert_eq!(feature["subjects"][0]["squares"], serde_json::json!(["e1"]));
    assert_eq!(feature["subjects"][1]["squares"].as_array().unwrap().len(), 8);
}

#[test]
fn a_position_is_shown_as_json() {
    let work = Workdir::new();
    let reply = json(&work, &["ALL + PHASE * H", "--fen", ROOK]);
    assert_eq!((&reply["size"], &reply["white"]["active"]), (&864.into(), &6.into()));
    let rook = &reply["white"]["blocks"][0]["features"][0];
    assert_eq!((&rook["index"], &rook["says"]), (&6.into(), &"own rook on a1".into()));
    let phase = &reply["black"]["blocks"][1]["features"][0];
    assert!((phase["value"].as_f64().unwrap() - 22.0 / 24.0).abs() < 1e-6, "{phase}");
    let start = json(&work, &["ALL", "--fen", "startpos"]);
    assert_eq!(start["white"]["active"], 32);
    assert_eq!(start["fen"], "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1");
    let about = json(&work, &["train KING-ALL + factors"]);
    assert_eq!((&about["size"], &about["factors"][0]["size"]), (&49_152.into(), &768.into()));
    assert_eq!(about["refreshed_when"][0], "the own king moves to another class");
}

#[test]
fn a_move_is_shown_as_rows_and_refreshes() {
    let work = Workdir::new();
    let of_move = |text: &str, fen: &str, played: &str| {
        let answer = work.run(&["features", text, "--fen", fen, "--move", played]);
        assert_eq!(answer.code, 0, "{}", answer.err);
        answer.out
    };
    for played in ["e2e4", "e4"] {
        let reply = of_move("ALL + H + PV", "startpos", played);
        for part in [
            "e2e4 changes",
            "for White: 1 row removed, 1 added",
            "      -144  own pawn on e2\n      +336  own pawn on e4\n",
            "  H: nothing",
            "other pawn on e5",
        ] {
            assert!(reply.contains(part), "{part:?} is not in:\n{reply}");
        }
    }
    let reply = of_move("ALL + HALF-KA-HM", ROOK, "e1d2");
    assert!(reply.contains("  HALF-KA-HM: refreshed, since the own king moves to another class, and the own king crosses between files d and e; 3 active features then"), "{reply}");
    // Another king's move within a class is none.
    let reply = of_move("king(RANKS) * H", ROOK, "e1d1");
    assert!(!reply.contains("refreshed"), "{reply}");
    let args = ["ALL + KING-ALL", "--fen", ROOK, "--move", "a1a2"];
    let reply = json(&work, &args);
    assert_eq!((&reply["move"], &reply["fen"]), (&"a1a2".into(), &ROOK.into()));
    assert_eq!(reply["white"][0]["removed"][0]["says"], "own rook on a1");
    assert_eq!(reply["white"][1]["added"][0]["says"], "own king on e1 and own rook on a2");
    let answer = work.run(&["features", "ALL", "--fen", ROOK, "--move", "e1e5"]);
    assert_eq!(answer.code, 2, "{}", answer.err);
    answer.assert_shows(&["`e1e5` is not a legal move in this position: there are 15, such as"]);
}

#[test]
fn trained_and_played_sets_are_shown_side_by_side() {
    let work = Workdir::new();
    let answer = work.run(&["features", "train KING-ALL + PV + factors"]);
    assert_eq!(answer.code, 0, "{}", answer.err);
    for part in [
        "50,304",
        "trained with the factor ALL: 768 rows that copies share",
        "51,072 rows in training, 50,304 in the played net",
    ] {
        assert!(answer.out.contains(part), "{part:?} is not in:\n{}", answer.out);
    }
}
