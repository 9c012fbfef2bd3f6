//! Engines of others in matches: their output is read tolerantly, and no process of them stays.

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::support::{Answer, OPLUS, Workdir};

/// An engine as a script of the shell: `on` adds or replaces its answer to a command.
fn engine(work: &Workdir, name: &str, on: &str) -> String {
    let script = format!(
        "#!/bin/sh\nwhile read -r line; do case \"$line\" in\n{on}\n\
         uci) echo uciok;;\nisready) echo readyok;;\ngo*) echo bestmove e2e4;;\n\
         quit) exit 0;;\nesac; done\n"
    );
    work.file(name, &script);
    format!("sh {name}")
}

/// A match from the initial position between an engine and PeSTO's tables.
fn play(work: &Workdir, engine: &str, more: &[&str]) -> Answer {
    work.file("start.fen", "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1\n");
    let mut arguments = vec!["match", engine, "pesto", "--games", "2", "--nodes", "50"];
    arguments.extend(["--openings", "start.fen"]);
    arguments.extend(more);
    work.run(&arguments)
}

fn read(work: &Workdir, name: &str) -> String {
    std::fs::read_to_string(work.path().join(name)).unwrap()
}

/// The last completed score is the one that an engine has found; words come in any order.
#[test]
fn scores_are_taken_as_engines_mean_them() {
    let exact = "info depth 9 multipv 1 score cp 25 nodes 9 pv e2e4";
    for (name, stated) in [
        ("upper", [exact, "info depth 10 multipv 1 score cp -650 upperbound nodes 10 pv e2e4"]),
        ("mate", [exact, "info depth 10 score mate 4 lowerbound nodes 10"]),
        ("zero", [exact, "info depth 10 nodes 10 score mate 0"]),
        ("first", ["info depth 9 pv e2e4 e7e5 score cp 25", "info nodes 10"]),
        ("float", ["info depth 9 score cp 25.0", "info nodes 10"]),
        ("lines", ["info depth 9 multipv 0 score cp 25", "info multipv 1 score cp 5 nodes 10"]),
    ] {
        let work = Workdir::new();
        let [first, second] = stated;
        let on = format!("go*) echo '{first}'; echo '{second}'; echo bestmove e2e4;;");
        let answer = play(&work, &engine(&work, "mock", &on), &["--pgn", "games.pgn"]);
        assert_eq!(answer.code, 0, "{}", answer.err);
        let pgn = read(&work, "games.pgn");
        assert!(pgn.contains("1. e4 {+0.25/9, n=10}"), "{name}: {pgn}");
    }
}

/// The names of options are sent as the engine spells them, values as it takes them.
#[test]
fn options_are_held_against_what_the_engine_declares() {
    let work = Workdir::new();
    let on = "uci) echo 'option name Hash type spin default 16 min 1 max 128'; \
              echo 'option name Style Of Play type combo default Normal var Normal var Very Risky'; \
              echo 'option name Ponder type check default false'; echo uciok;;\n\
              setoption*) echo \"$line\" >> said;;";
    let mock = engine(&work, "mock", on);
    let with = |options: &[&str]| {
        let flags = options.iter().flat_map(|option| ["--first", option]);
        play(&work, &mock, &flags.collect::<Vec<_>>())
    };
    let spelt = with(&["option.hash=8", "option.style of play=very risky", "option.PONDER=TRUE"]);
    assert_eq!(spelt.code, 0, "{}", spelt.err);
    let stated = read(&work, "said");
    for line in ["Hash value 8", "Style Of Play value Very Risky", "Ponder value true"] {
        assert!(stated.lines().any(|reply| reply == format!("setoption name {line}")), "{stated}");
    }
    for (option, reply) in [
        ("option.Hash=abc", "its option `Hash` takes whole numbers from 1 to 128, not `abc`"),
        ("option.hash=129", "its option `Hash` takes whole numbers from 1 to 128, not `129`"),
        ("option.Style Of Play=Nope", "takes one of Normal, Very Risky, not `Nope`"),
        ("option.Ponder=perhaps", "takes `true` or `false`, not `perhaps`"),
    ] {
        let answer = with(&[option]);
        assert_eq!(answer.code, 1, "{option}");
        answer.assert_shows(&["engine `sh mock`", reply]);
    }
}

/// An engine that loads much is not given up before its patience is at an end.
#[test]
fn patience_holds_for_the_introduction_too() {
    let work = Workdir::new();
    // Only the first time.
    let slow = engine(&work, "slow", "uci) [ -e up ] || sleep 11; echo > up; echo uciok;;");
    let refused = play(&work, &slow, &["--patience", "1"]);
    assert_eq!(refused.code, 1, "{}", refused.err);
    refused.assert_shows(&["no `uciok` after `uci`"]);
    let taken = play(&work, &slow, &["--patience", "60"]);
    assert_eq!(taken.code, 0, "{}", taken.err);
    assert!(taken.out.contains("forfeited by sh slow: 2 illegal moves"), "{}", taken.out);
}

/// The name that an engine gives itself does nothing to a terminal or a spreadsheet.
#[test]
fn names_of_engines_are_only_shown() {
    let work = Workdir::new();
    let on = "uci) printf 'id name =HYPERLINK(x)\\033[31m\\033]0;owned\\007\\n'; echo uciok;;";
    let mock = engine(&work, "mock", on);
    let answer = play(&work, &mock, &["--pgn", "games.pgn", "--report", "page"]);
    assert_eq!(answer.code, 0, "{}", answer.err);
    assert!(answer.out.contains("=HYPERLINK(x)�[31m�]0;owned� against pesto"), "{}", answer.out);
    let shown = [answer.out, answer.err, read(&work, "games.pgn"), read(&work, "page/index.html")];
    for text in &shown {
        assert!(!text.contains(['\u{1b}', '\u{7}']), "{text:?}");
    }
    let sheet = read(&work, "page/players.csv");
    assert!(sheet.lines().any(|line| line.starts_with("'=HYPERLINK(x)")), "{sheet}");
}

/// Whether a process lives.
fn lives(id: &str) -> bool {
    let mut kill = Command::new("kill");
    kill.args(["-0", id.trim()]).stderr(Stdio::null()).status().unwrap().success()
}

/// Waits for the file that a script writes at its start.
fn awaited(work: &Workdir, name: &str) -> String {
    let begun = Instant::now();
    loop {
        let text = std::fs::read_to_string(work.path().join(name)).unwrap_or_default();
        if text.ends_with('\n') {
            return text;
        }
        assert!(begun.elapsed() < Duration::from_secs(60), "no {name}");
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// None of the processes that wrote their numbers into a file lives on for long.
fn assert_all_gone(work: &Workdir, name: &str) {
    let begun = Instant::now();
    let ids = awaited(work, name);
    for id in ids.lines() {
        while lives(id) {
            assert!(begun.elapsed() < Duration::from_secs(30), "{id} of {ids:?} lives");
            std::thread::sleep(Duration::from_millis(10));
        }
    }
}

/// A script that starts the engine proper, which notes its number in a file.
fn wrapped(work: &Workdir, on: &str) -> String {
    let inner = engine(work, "inner", on);
    let noted = read(work, "inner").replacen("while read", "echo $$ >> ids\nwhile read", 1);
    work.file("inner", &noted);
    work.file("wrap", &format!("#!/bin/sh\n{inner}\nexit 0\n"));
    "sh wrap".to_owned()
}

#[test]
fn engines_behind_scripts_end_with_the_match() {
    for (on, reply) in [
        ("go*) exec sleep 1000;;", "2 stalls"),
        // Neither `quit` nor the end of its input ends it.
        ("quit) exec sleep 1000;;", "2 illegal moves"),
    ] {
        let work = Workdir::new();
        let wrapped = wrapped(&work, on);
        let answer = play(&work, &wrapped, &["--patience", "1"]);
        assert_eq!(answer.code, 0, "{}", answer.err);
        assert!(answer.out.contains(reply), "{}", answer.out);
        assert_all_gone(&work, "ids");
    }
}

/// After one signal or two, no engine of a match stays.
#[test]
fn engines_end_with_a_match_that_is_interrupted() {
    for times in [1, 2] {
        let work = Workdir::new();
        let wrapped = wrapped(&work, "go*) echo gone >> thinks; exec sleep 1000;;");
        let mut command = Command::new(OPLUS);
        command.current_dir(work.path()).args(["match", &wrapped, "pesto", "--games", "2"]);
        let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        awaited(&work, "thinks");
        for _ in 0..times {
            interrupt(child.id());
            std::thread::sleep(Duration::from_millis(5));
        }
        child.wait().unwrap();
        assert_all_gone(&work, "ids");
    }
}

fn interrupt(id: u32) {
    // Of a second one it may have ended by the first.
    let _ = Command::new("kill").args(["-INT", &id.to_string()]).stderr(Stdio::null()).status();
}

/// A net of one name in each of two folders.
fn two_nets(work: &Workdir) {
    let net = Path::new(env!("CARGO_MANIFEST_DIR")).join("experiments/default.oplus");
    for folder in ["a", "b"] {
        std::fs::create_dir(work.path().join(folder)).unwrap();
        std::fs::copy(&net, work.path().join(folder).join("net.oplus")).unwrap();
    }
}

/// Paths are shown once, names as short as they can be.
#[test]
fn players_have_short_names() {
    let work = Workdir::new();
    two_nets(&work);
    let [a, b] = ["a", "b"].map(|folder| work.path().join(folder).join("net.oplus"));
    let [a, b] = [&a, &b].map(|path| path.to_str().unwrap());
    let answer = work.run(&["match", a, b, "--games", "2", "--nodes", "20", "--pgn", "games.pgn"]);
    assert_eq!(answer.code, 0, "{}", answer.err);
    for line in ["a/net against b/net: ", &format!("a/net is {a}\n"), &format!("b/net is {b}\n")] {
        assert!(answer.out.contains(line), "{line:?} is not in:\n{}", answer.out);
    }
    assert_eq!(answer.out.matches(a).count(), 1, "{}", answer.out);
    assert!(read(&work, "games.pgn").contains("[White \"a/net\"]"));
    let only = work.run(&["match", a, "pesto", "--games", "2", "--nodes", "20"]);
    assert!(only.out.contains("\nnet against pesto: "), "{}", only.out);
}

/// A mate is written as one and read back as one.
#[test]
fn mates_are_written_as_mates() {
    let work = Workdir::new();
    work.file("mate.fen", "7k/8/6K1/8/8/8/8/R7 w - - 0 1\n");
    let arguments = ["match", "pesto", "material", "--games", "2", "--nodes", "500"];
    let answer =
        work.run(&[&arguments[..], &["--openings", "mate.fen", "--pgn", "games.pgn"]].concat());
    assert_eq!(answer.code, 0, "{}", answer.err);
    let pgn = read(&work, "games.pgn");
    assert_eq!(pgn.matches("1. Ra8# {+M1/").count(), 2, "{pgn}");
    let reply = work.run(&["data", "inspect", "games.pgn"]);
    assert_eq!(reply.code, 0, "{}", reply.err);
    let mates = reply.out.lines().find(|line| line.trim_start().starts_with("mate")).unwrap();
    assert!(mates.contains("100"), "{}", reply.out);
}

/// Openings at which the game is drawn by the rules are no games.
#[test]
fn drawn_openings_are_left_out() {
    let work = Workdir::new();
    work.file(
        "late.fen",
        "4k3/8/8/8/8/8/4P3/4K3 w - - 99 80\n4k3/8/8/8/8/8/3P4/4K3 w - - 100 80\n\
         4k3/8/8/8/8/8/2P5/4K3 w - - 120 90\n",
    );
    let dance = "Nf3 Nf6 Ng1 Ng8 Nf3 Nf6 Ng1 Ng8 1/2-1/2\n";
    work.file("dance.pgn", &format!("{dance}\n\ne4 e5 *\n\n"));
    for (book, left_out) in [("late.fen", 2), ("dance.pgn", 1)] {
        let played = |games: &str| {
            let players = ["match", "pesto", "material", "--nodes", "50"];
            work.run(&[&players[..], &["--openings", book, "--games", games]].concat())
        };
        let answer = played("2");
        assert_eq!(answer.code, 0, "{}", answer.err);
        answer.assert_shows(&[&format!("openings dropped, game over: {left_out}")]);
        let refused = played("4");
        assert_eq!(refused.code, 1, "{book}: {}", refused.out);
        refused.assert_shows(&["2 pairs need as many distinct openings, found 1"]);
    }
}

/// Games are not replaced by those of another match; a match that goes on writes its own anew.
#[test]
fn games_of_another_match_are_not_replaced() {
    let work = Workdir::new();
    let played = |nodes: &str, games: &str, more: &[&str]| {
        let players = ["match", "pesto", "material", "--pgn", "games.pgn"];
        work.run(&[&players[..], &["--nodes", nodes, "--games", games], more].concat())
    };
    assert_eq!(played("20", "4", &[]).code, 0);
    let before = read(&work, "games.pgn");
    for more in [&[][..], &["--log", "log"]] {
        let refused = played("30", "2", more);
        assert_eq!(refused.code, 2, "{}", refused.out);
        refused.assert_shows(&["--pgn games.pgn", "give another name, or remove the file"]);
        assert_eq!(read(&work, "games.pgn"), before);
    }
    std::fs::remove_file(work.path().join("games.pgn")).unwrap();
    for games in ["2", "4", "4"] {
        let answer = played("30", games, &["--log", "log"]);
        assert_eq!(answer.code, 0, "{}", answer.err);
        assert_eq!(read(&work, "games.pgn").matches("[Event ").count().to_string(), games);
    }
    let packed = ["match", "pesto", "material", "--pgn", "games.pgn.zst", "--log", "log"];
    for _ in 0..2 {
        let answer = work.run(&[&packed[..], &["--nodes", "30", "--games", "4"]].concat());
        assert_eq!(answer.code, 0, "{}", answer.err);
    }
}
