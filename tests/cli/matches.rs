//! `oplus match` between nets, evaluations and engines of their own process.

use crate::support::{Answer, Workplace};

/// The program itself as a UCI engine, as a player of a match.
fn oplus_uci() -> String {
    format!("uci:'{}' uci --eval pesto --without correction-history", env!("CARGO_BIN_EXE_oplus"))
}

fn play(work: &Workplace, arguments: &[&str]) -> Answer {
    let mut all = vec!["match"];
    all.extend(arguments);
    work.run(&all)
}

fn assert_says(answer: &Answer, parts: &[&str]) {
    assert_eq!(answer.code, 0, "{}", answer.err);
    for part in parts {
        assert!(answer.out.contains(part), "{part:?} is not in:\n{}", answer.out);
    }
}

/// The same search in this process and through pipes: the second game of each
/// pair is the first one again, to the move.
#[test]
fn an_engine_plays_through_pipes_as_it_does_in_the_process() {
    let work = Workplace::new();
    let hash = ["--first", "option.Hash=2", "--second", "option.Hash=2"];
    let engine = oplus_uci();
    let mut arguments = vec!["pesto", &engine, "--games", "6", "--nodes", "300"];
    arguments.extend(hash);
    arguments.extend(["--pgn", "games.pgn"]);
    let answer = play(&work, &arguments);
    let name = concat!("oplus ", env!("CARGO_PKG_VERSION"));
    assert_says(
        &answer,
        &[
            &format!("pesto against {name}: "),
            ", 50.0 %",
            "pairs 0 ½ 1 1½ 2: 0 0 3 0 0",
            "forfeited by pesto: none",
            &format!("forfeited by {name}: none"),
            "3 games repeat another one",
        ],
    );
    let pgn = std::fs::read_to_string(work.path().join("games.pgn")).unwrap();
    assert_eq!(pgn.matches(&format!("[White \"{name}\"]")).count(), 3, "{pgn}");
}

/// A command may end in the name of a net.
#[test]
fn what_follows_uci_is_a_command() {
    let work = Workplace::new();
    let net = concat!(env!("CARGO_MANIFEST_DIR"), "/experiments/default.oplus");
    let engine = format!("uci:'{}' uci --net {net}", env!("CARGO_BIN_EXE_oplus"));
    let answer = play(&work, &["bundled", &engine, "--games", "2", "--nodes", "50"]);
    let name = concat!("oplus ", env!("CARGO_PKG_VERSION"));
    assert_says(&answer, &[&format!("bundled against {name}: ")]);
}

#[test]
fn clocks_run_for_players_of_both_kinds() {
    let work = Workplace::new();
    let engine = oplus_uci();
    let answer = play(
        &work,
        &["material", &engine, "--games", "2", "--tc", "0.3+0.01", "--time-margin", "1000"]
            .into_iter()
            .chain(["--second", "movetime=5", "--second", "name=pipes", "--pgn", "games.pgn"])
            .collect::<Vec<_>>(),
    );
    assert_says(&answer, &["forfeited by material: none", "forfeited by pipes: none"]);
    let pgn = std::fs::read_to_string(work.path().join("games.pgn")).unwrap();
    assert!(pgn.contains("[WhiteTimeControl \"0.3+0.01\"]\n[BlackTimeControl \"0.005/move\"]"));
    assert!(pgn.contains("[White \"pipes\"]") && pgn.contains("[Termination \""), "{pgn}");
}

#[cfg(unix)]
#[test]
fn crashes_are_counted_and_the_match_goes_on() {
    let work = Workplace::new();
    let script = "#!/bin/sh\nwhile read -r line; do case \"$line\" in\n\
                  uci) echo uciok;;\nisready) echo readyok;;\ngo*) exit 1;;\nesac; done\n";
    work.file("crash.sh", script);
    let answer = play(&work, &["pesto", "sh crash.sh", "--games", "4", "--nodes", "50"]);
    assert_says(
        &answer,
        &["4 wins, 0 draws, 0 losses, 100.0 %", "forfeited by sh crash.sh: 4 crashes"],
    );
}

#[test]
fn players_that_make_no_sense_are_told() {
    let work = Workplace::new();
    let refused = |arguments: &[&str], code: i32, parts: &[&str]| {
        let answer = play(&work, arguments);
        assert_eq!(answer.code, code, "{}", answer.err);
        answer.assert_tells(parts);
    };
    refused(&["pesto", "no-such-engine"], 1, &["engine `no-such-engine`", "cannot be started"]);
    refused(&["pesto", "missing.oplus"], 1, &["missing.oplus"]);
    refused(&["pesto", "'open"], 2, &["a quote in the command is not closed"]);
    refused(&["pesto", "material", "--first", "speed=9"], 2, &["`speed=9` is no setting"]);
    refused(&["pesto", "material", "--first", "option.Hash=0"], 2, &["option.Hash (1 to"]);
    refused(&["pesto", "material", "--tc", "fast"], 2, &["`fast` is no time control", "1+0.02"]);
    refused(&["pesto", "material", "--tc", "1", "--movetime", "1"], 2, &["cannot be used with"]);
    let engine = oplus_uci();
    let option = ["--second", "option.Contempt=1"];
    refused(&["pesto", &engine, option[0], option[1]], 1, &["no option `Contempt`", "Hash"]);
}

/// A match of which a part is logged goes on with the same players only.
#[test]
fn a_log_of_other_players_is_refused() {
    let work = Workplace::new();
    let play = |nodes: &str| {
        play(&work, &["pesto", "material", "--games", "2", "--nodes", nodes, "--log", "log.jsonl"])
    };
    assert_eq!(play("20").code, 0);
    let refused = play("21");
    assert_eq!(refused.code, 1);
    refused.assert_tells(&["log.jsonl is the log of another tournament", "its `first` is"]);
}
