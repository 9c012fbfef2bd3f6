//! `oplus match` between nets, evaluations and engines of their own process.

use crate::support::{Answer, Workdir};

/// The program itself as a UCI engine, as a player of a match.
fn oplus_uci() -> String {
    format!("uci:'{}' uci --eval pesto", env!("CARGO_BIN_EXE_oplus"))
}

fn play(work: &Workdir, arguments: &[&str]) -> Answer {
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
    let work = Workdir::new();
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
            "warning: degenerate: all 3 pairs",
        ],
    );
    let pgn = std::fs::read_to_string(work.path().join("games.pgn")).unwrap();
    assert_eq!(pgn.matches(&format!("[White \"{name}\"]")).count(), 3, "{pgn}");
}

/// A command may end in the name of a net.
#[test]
fn what_follows_uci_is_a_command() {
    let work = Workdir::new();
    let net = concat!(env!("CARGO_MANIFEST_DIR"), "/experiments/default.oplus");
    let engine = format!("uci:'{}' uci --net {net}", env!("CARGO_BIN_EXE_oplus"));
    let answer = play(&work, &["bundled", &engine, "--games", "2", "--nodes", "50"]);
    let name = concat!("oplus ", env!("CARGO_PKG_VERSION"));
    assert_says(&answer, &[&format!("bundled against {name}: ")]);
}

#[test]
fn clocks_run_for_players_of_both_kinds() {
    let work = Workdir::new();
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

/// An engine as a script of the shell that does `on_go` when it is to move.
#[cfg(unix)]
fn mock(work: &Workdir, name: &str, on_go: &str) -> String {
    let script = format!(
        "#!/bin/sh\nwhile read -r line; do case \"$line\" in\n\
         uci) echo uciok;;\nisready) echo readyok;;\ngo*) {on_go};;\nquit) exit 0;;\nesac; done\n"
    );
    work.file(name, &script);
    format!("sh {name}")
}

/// Each kind of failure is counted by itself, and the match goes on.
#[cfg(unix)]
#[test]
fn engines_that_fail_lose_their_games_and_are_counted() {
    let work = Workdir::new();
    for (name, on_go, expected) in [
        ("crash", "exit 1", "2 crashes"),
        ("stall", "sleep 100", "2 stalls"),
        ("illegal", "echo bestmove e2e5", "2 illegal moves"),
        ("garbage", "echo '%$ &?'; echo; echo bestmove knight takes", "2 illegal moves"),
        ("resigns", "echo 'bestmove (none)'", "2 missing moves"),
    ] {
        let engine = mock(&work, name, on_go);
        let arguments = ["pesto", &engine, "--games", "2", "--nodes", "50", "--patience", "1"];
        let answer = play(&work, &arguments);
        let (forfeits, won) =
            (format!("forfeited by {engine}: {expected}"), "2 wins, 0 draws, 0 losses");
        assert_says(&answer, &[won, "forfeited by pesto: none", &forfeits]);
        assert_says(&answer, &["forfeited 2 of 2 games"]);
        assert_says(&answer, &["no verdict: 2 of 2 games were forfeited"]);
        assert!(!answer.out.contains("superiority"), "{}", answer.out);
    }
    let slow = mock(&work, "slow", "sleep 0.3; echo bestmove e2e4");
    let arguments = ["pesto", &slow, "--games", "2", "--first", "nodes=50", "--movetime", "20"];
    let answer = play(&work, &arguments);
    assert_says(&answer, &["2 wins", &format!("forfeited by {slow}: 2 losses on time")]);
}

/// Who does not speak UCI at all is no opponent.
#[cfg(unix)]
#[test]
fn a_mute_engine_is_refused() {
    let work = Workdir::new();
    work.file("mute", "while read -r line; do :; done\n");
    let answer = play(&work, &["pesto", "sh mute", "--games", "2"]);
    assert_eq!(answer.code, 1);
    answer.assert_shows(&["engine `sh mute`", "after `uci`", "is it a UCI engine?"]);
}

#[test]
fn invalid_players_are_errors() {
    let work = Workdir::new();
    let refused = |arguments: &[&str], code: i32, parts: &[&str]| {
        let answer = play(&work, arguments);
        assert_eq!(answer.code, code, "{}", answer.err);
        answer.assert_shows(parts);
    };
    refused(&["pesto", "no-such-engine"], 1, &["engine `no-such-engine`", "start failed"]);
    refused(&["pesto", "missing.oplus"], 1, &["missing.oplus"]);
    refused(&["pesto", "'open"], 2, &["unclosed quotation mark in the command"]);
    refused(&["pesto", "material", "--first", "speed=9"], 2, &["`speed=9` is not a setting"]);
    refused(&["pesto", "material", "--first", "option.Hash=0"], 2, &["option.Hash (1 to"]);
    refused(&["pesto", "material", "--tc", "fast"], 2, &["`fast` is not a time control", "1+0.02"]);
    refused(&["pesto", "material", "--tc", "1", "--movetime", "1"], 2, &["cannot be used with"]);
    let engine = oplus_uci();
    let option = ["--second", "option.Contempt=1"];
    refused(&["pesto", &engine, option[0], option[1]], 1, &["no option `Contempt`", "Hash"]);
}

/// A page, the games and a log, of a test that ends when it has seen enough.
#[test]
fn a_test_ends_when_it_has_seen_enough() {
    let work = Workdir::new();
    let test = |threads: &str| {
        let arguments = ["sprt", "pesto", "material", "--elo1", "100", "--nodes", "100"];
        let more = ["--concurrency", threads, "--pgn", "games.pgn", "--report", "page"];
        work.run(&[&arguments[..], &more].concat())
    };
    let answer = test("2");
    assert_says(
        &answer,
        &[
            "pesto against material: ",
            "H1 accepted: pesto is stronger by more than 0 (normalised Elo); LLR ",
        ],
    );
    let read = |name: &str| std::fs::read_to_string(work.path().join(name)).unwrap();
    let games = read("games.pgn");
    let page = read("page/index.html");
    assert!(page.contains("Log-likelihood ratio") && page.contains("H1 accepted: pesto"), "{page}");
    assert!(read("page/llr.csv").starts_with("pairs,llr\n0,0.0000\n1,"));
    // The same decision after the same games with any number of threads.
    std::fs::remove_file(work.path().join("games.pgn")).unwrap();
    assert_eq!(test("1").out, answer.out);
    assert_eq!(read("games.pgn"), games);
}

#[test]
fn senseless_tests_and_matches_are_refused() {
    let work = Workdir::new();
    let refused = |arguments: &[&str], parts: &[&str]| {
        let answer = work.run(arguments);
        assert_eq!(answer.code, 2, "{}", answer.err);
        answer.assert_shows(parts);
    };
    let test = ["sprt", "pesto", "material", "--elo0", "5", "--elo1", "5"];
    refused(&test, &["elo1 (5) must be greater than elo0 (5)", "--elo1"]);
    refused(&["match", "pesto", "material", "--games", "0"], &["a match needs at least two games"]);
    let rule = ["match", "pesto", "material", "--draw-rule", "often"];
    refused(&rule, &["`often` is not a rule", "40/8/10"]);
    refused(&["match", "pesto", "material", "--jitter", "95"], &["between 1 and 90 per cent"]);
    let much = ["match", "pesto", "material", "--first", "jitter=300"];
    refused(&much, &["between 1 and 90 per cent, not 300"]);
    let no_nodes = ["match", "pesto", "material", "--jitter", "9", "--depth", "3"];
    refused(&no_nodes, &["jitter needs nodes=N"]);
    refused(&["tournament", "pesto"], &["2"]);
    let foreign = ["match", "pesto", "uci:engine", "--second", "without=null-move"];
    refused(&foreign, &["are for the bundled search", "option.NAME=VALUE"]);
    let unknown = ["match", "pesto", "material", "--first", "without=nullmove"];
    refused(&unknown, &["no part `nullmove`", "oplus ablate --list"]);
    let stranger = ["tournament", "pesto", "material", "--set", "3:nodes=5"];
    refused(&stranger, &["no player `3`: players are 1 to 2"]);
    let anchor = ["tournament", "pesto", "material", "--anchor", "1"];
    refused(&anchor, &["--anchor 1", "PLAYER=ELO"]);
}

#[test]
fn too_few_openings_are_named_with_their_number() {
    let work = Workdir::new();
    work.file(
        "book.epd",
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -\n\
         rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq -\n\
         rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1\n",
    );
    let book = ["--openings", "book.epd", "--nodes", "20"];
    let answer = work.run(&[&["match", "pesto", "material", "--games", "6"], &book[..]].concat());
    assert_eq!(answer.code, 1);
    answer.assert_shows(&["3 pairs need as many distinct openings, found 2"]);
    answer.assert_shows(&["same position as another one: 1"]);
    // A test takes the openings that the book has.
    let answer = work.run(&[&["sprt", "pesto", "material"], &book[..]].concat());
    assert_says(&answer, &["The test did not decide", "after 2 pairs"]);
}

/// Two players that are the same, and nothing that varies.
#[test]
fn copies_are_called_degenerate() {
    let work = Workdir::new();
    let equals = ["pesto", "pesto", "--games", "6", "--nodes", "60"];
    let answer = play(&work, &equals);
    assert_says(&answer, &["pesto (1) against pesto (2): ", "warning: degenerate: all 3 pairs"]);
    let answer = play(&work, &[&equals[..], &["--jitter", "30"]].concat());
    assert_says(&answer, &["pesto (1) against pesto (2): "]);
    assert!(!answer.out.contains("degenerate"), "{}", answer.out);
}

#[test]
fn a_tournament_rates_everybody() {
    let work = Workdir::new();
    let arguments = ["tournament", "pesto", "material", "bundled", "--nodes", "60"];
    let more = ["--games", "20", "--set", "2:name=wood", "--anchor", "2=1000", "--report", "page"];
    let answer = work.run(&[&arguments[..], &more].concat());
    assert_says(
        &answer,
        &[
            "wood",
            "+1,000.0",
            "In these openings White's advantage is ",
            "the draw rate of equal players ",
        ],
    );
    let page = std::fs::read_to_string(work.path().join("page/index.html")).unwrap();
    assert!(page.contains("Scores") && page.contains("wood"));
    let gauntlet = [&arguments[..], &["--games", "4", "--gauntlet", "--pgn", "games.pgn"]].concat();
    assert_says(&work.run(&gauntlet), &["pesto", "bundled", "material"]);
    let games = std::fs::read_to_string(work.path().join("games.pgn")).unwrap();
    assert_eq!(games.matches("[Event ").count(), 8, "two pairings of four games");
}

#[test]
fn results_are_weighed_without_playing() {
    let work = Workdir::new();
    let answer =
        work.run(&["elo", "--pairs", "13", "37", "50", "25", "3", "--elo0", "0", "--elo1", "4"]);
    // fishtest's arithmetic: montytest's page shows -0.54912.
    assert_says(&answer, &["normalised      LLR -0.55 (-2.94, 2.94)", "score           43.75 %"]);
    let answer = work.run(&["elo", "--games", "136", "111", "96"]);
    assert_says(&answer, &["Elo             +40.70 (+10.59 to +71.44, 95 %)", "99.60 %"]);
    // Neither certainty nor a sign of nothing.
    let answer = work.run(&["elo", "--pairs", "0", "0", "1", "0", "900"]);
    assert_says(&answer, &["superiority     > 99.99 %"]);
    let answer = work.run(&[
        "elo", "--pairs", "100000", "0", "0", "0", "100001", "--elo0", "0", "--elo1", "0.01",
    ]);
    assert!(!answer.out.contains("-0.00 ") && !answer.out.contains("+0.00 "), "{}", answer.out);
    let answer = work.run(&["elo", "--pairs", "0", "0", "0", "0", "0"]);
    assert_eq!(answer.code, 2);
    answer.assert_shows(&["all counts are 0"]);
}

/// A match with a partial log goes on with the same players only.
#[test]
fn a_log_of_other_players_is_refused() {
    let work = Workdir::new();
    let play = |nodes: &str| {
        play(&work, &["pesto", "material", "--games", "2", "--nodes", nodes, "--log", "log.jsonl"])
    };
    assert_eq!(play("20").code, 0);
    let refused = play("21");
    assert_eq!(refused.code, 1);
    refused
        .assert_shows(&["log.jsonl is the journal of another tournament", "settings.player 1 was"]);
}
