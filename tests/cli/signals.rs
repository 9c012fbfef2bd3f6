//! A signal stops a run where it can be resumed, and the message says whether it can.

use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use crate::support::{Answer, OPLUS, Workdir};

/// Self-play that takes minutes, into a journal.
const LONG: [&str; 6] =
    ["selfplay", "--positions", "10000000", "--nodes", "200", "--out=games.oarc"];
/// Games that take minutes.
const GAMES: [&str; 7] = ["match", "pesto", "material", "--games", "2000", "--nodes", "20000"];

/// The program at work since there is a file of that name.
fn at_work(work: &Workdir, args: &[&str], begun: &str) -> Child {
    let mut command = Command::new(OPLUS);
    command.current_dir(work.path()).args(args).stdout(Stdio::null()).stderr(Stdio::piped());
    let child = command.spawn().unwrap();
    let since = Instant::now();
    while !work.path().join(begun).exists() && since.elapsed() < Duration::from_secs(60) {
        std::thread::sleep(Duration::from_millis(20));
    }
    std::thread::sleep(Duration::from_millis(300));
    child
}

fn send(child: &Child, signal: &str) {
    let id = child.id().to_string();
    assert!(Command::new("kill").args([signal, &id]).status().unwrap().success());
}

fn code(child: Child) -> i32 {
    Answer::from(child.wait_with_output().unwrap()).code
}

#[test]
fn every_way_to_ask_stops_with_all_that_was_done() {
    for signal in ["-INT", "-TERM", "-HUP", "-USR1", "-USR2"] {
        let work = Workdir::new();
        let child = at_work(&work, &LONG, "games.oarc.journal");
        send(&child, signal);
        assert_eq!(code(child), 75, "{signal}");
        assert!(work.path().join("games.oarc.journal").exists(), "{signal}");
    }
}

#[test]
fn repeated_signals_stop_a_run_all_the_same() {
    let work = Workdir::new();
    let child = at_work(&work, &LONG, "games.oarc.journal");
    // The kernel joins equal signals that come before the first is looked at.
    for signal in ["-USR1", "-TERM", "-TERM", "-USR2", "-TERM"] {
        let id = child.id().to_string();
        let _ = Command::new("kill").args([signal, &id]).stderr(Stdio::null()).status();
    }
    assert_eq!(code(child), 75);
}

#[test]
fn games_are_kept_in_a_log_only() {
    let work = Workdir::new();
    let logged = [&GAMES[..], &["--log", "log"]].concat();
    let child = at_work(&work, &logged, "log");
    send(&child, "-INT");
    assert_eq!(code(child), 75);
    // Nothing shows from outside that games have begun; a second is enough.
    let child = at_work(&work, &GAMES, "log");
    std::thread::sleep(Duration::from_secs(1));
    send(&child, "-INT");
    let answer = Answer::from(child.wait_with_output().unwrap());
    assert_eq!(answer.code, 130, "{}", answer.err);
    answer.assert_shows(&["--log makes matches resumable"]);
}
