//! Manners of a command: errors when it cannot write, an end when its reader is gone, no
//! more memory than there is, existing files until their replacement is complete.

use std::fs::File;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::containers::within;
use crate::support::{Answer, OPLUS, Workdir, games};

fn oplus(work: &Workdir, args: &[&str]) -> Command {
    let mut command = Command::new(OPLUS);
    command.current_dir(work.path()).args(args);
    command
}

const PRINTING: [&[&str]; 6] = [
    &["completions", "bash"],
    &["features", "--list"],
    &["features", "ALL"],
    &["data", "head", "GAMES", "--count", "50"],
    &["data", "inspect", "GAMES"],
    &["--help"],
];

fn printing(args: &[&'static str]) -> Vec<&'static str> {
    let named = |&arg: &&'static str| if arg == "GAMES" { games().to_str().unwrap() } else { arg };
    args.iter().map(named).collect()
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_under_standard_output_is_an_error() {
    let work = Workdir::new();
    // Help is clap's own affair.
    for args in &PRINTING[..5] {
        let full = File::options().write(true).open("/dev/full").unwrap();
        let output = oplus(&work, &printing(args)).stdout(full).output().unwrap();
        let answer = Answer::from(output);
        assert_eq!(answer.code, 1, "{args:?}: {}", answer.err);
        answer.assert_shows(&["cannot write to standard output", "No space left on device"]);
        assert!(!answer.err.contains("panicked"), "{}", answer.err);
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_under_a_file_is_an_error_and_devices_stay_devices() {
    let work = Workdir::new();
    let source = games().to_str().unwrap();
    std::os::unix::fs::symlink("/dev/full", work.path().join("full.pgn")).unwrap();
    std::os::unix::fs::symlink("/dev/null", work.path().join("null.pgn")).unwrap();
    let full = work.run(&["data", "convert", source, "full.pgn"]);
    assert_eq!(full.code, 1, "{}", full.err);
    full.assert_shows(&["full.pgn", "No space left on device"]);
    assert_eq!(work.run(&["data", "convert", source, "null.pgn"]).code, 0);
    assert!(!work.path().join("null.pgn.partial").exists());
    assert!(!std::fs::metadata(work.path().join("null.pgn")).unwrap().is_file());
}

#[cfg(unix)]
#[test]
fn it_ends_quietly_when_nobody_reads() {
    let work = Workdir::new();
    for args in &PRINTING[..5] {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let answer = Answer::from(oplus(&work, &printing(args)).stdout(writer).output().unwrap());
        // Entries read so far are reported all the same.
        let reply: Vec<&str> =
            answer.err.lines().filter(|line| !line.starts_with("reading")).collect();
        assert_eq!((answer.code, reply), (0, Vec::new()), "{args:?}");
    }
}

#[test]
fn messages_for_files_have_no_colours() {
    let work = Workdir::new();
    for args in [&["features", "AL"][..], &["match"], &["data", "check", "missing.pgn"]] {
        let answer = work.run(args);
        assert!(answer.code != 0 && !answer.err.contains('\x1b'), "{:?}", answer.err);
    }
}

/// A mistake far to the right is shown, and not with all that stands before it.
#[test]
fn mistakes_in_long_lines_are_shown_in_a_window() {
    let work = Workdir::new();
    let assert_short = |answer: &Answer, code: i32, parts: &[&str]| {
        assert_eq!(answer.code, code, "{}", &answer.err[..answer.err.len().min(2_000)]);
        assert!(answer.err.len() < 8_000, "{} bytes", answer.err.len());
        assert!(!answer.err.contains("panicked"), "{}", answer.err);
        answer.assert_shows(parts);
    };
    for blanks in [65_000, 65_531, 65_536, 100_000] {
        let expression = format!("{}ALL + WRONG", " ".repeat(blanks));
        assert_short(&work.run(&["features", &expression]), 2, &["WRONG", "unknown feature set"]);
        let expression = format!("ALL{} + ", " ".repeat(blanks));
        assert_short(&work.run(&["features", &expression]), 2, &["^"]);
    }
    let expression = format!("rows(ALL, [{} wrong])", "1, ".repeat(25_000));
    assert_short(&work.run(&["features", &expression]), 2, &["wrong"]);
    let name = "x".repeat(90_000);
    assert_short(&work.run(&["features", &name]), 2, &["xxx"]);

    let path = work.experiment("small.toml");
    let text = std::fs::read_to_string(&path).unwrap();
    let seeds: Vec<String> = (0..15_000).map(|seed| seed.to_string()).collect();
    let list = format!("seed = [{}, wrong]", seeds.join(", "));
    std::fs::write(&path, text.replace("seed = [1]", &list)).unwrap();
    assert_short(&work.run(&["run", "small.toml"]), 2, &["small.toml", "wrong"]);
    let expression = format!("\"{}WRONG\"", " ".repeat(70_000));
    std::fs::write(&path, text.replace("\"H + CENTRE\"", &expression)).unwrap();
    assert_short(&work.run(&["run", "small.toml"]), 2, &["small.toml", "WRONG"]);

    let filter = format!("{{ base = {}wrong }}", " ".repeat(70_000));
    let games = games().to_str().unwrap();
    let answer = work.run(&["data", "filter", games, "out.txt", "--positions", &filter]);
    assert_eq!(answer.code, 2);
    assert!(!answer.err.contains("panicked"), "{}", answer.err);
    work.file("long.epd", &format!("{}wrong w - -\n", " ".repeat(70_000)));
    let answer = work.run(&["puzzles", "epd", "long.epd"]);
    assert!(answer.code != 0 && !answer.err.contains("panicked"), "{}", answer.err);
    assert!(answer.err.len() < 8_000, "{} bytes", answer.err.len());
}

#[cfg(target_os = "linux")]
#[test]
fn tables_that_the_machine_has_no_memory_for_are_refused() {
    let work = Workdir::new();
    let answer = within(&work, 4_000, &["uci", "--hash", "20000"]);
    assert_eq!(answer.code, 1, "{}", answer.out);
    answer.assert_shows(&["--hash 20000 MiB", "it needs 19.5 GiB of memory", "give at most"]);
    let large = ["match", "pesto", "material", "--games", "2", "--first", "option.Hash=20000"];
    let answer = within(&work, 4_000, &large);
    assert_eq!(answer.code, 1, "{}", answer.out);
    answer.assert_shows(&["of memory; ", "lower option.Hash or --concurrency"]);
    let path = work.experiment("small.toml");
    let text = std::fs::read_to_string(&path).unwrap();
    let text = text.replace("speed_rounds", "hash_mb = 20_000\nspeed_rounds");
    std::fs::write(&path, text).unwrap();
    let answer = within(&work, 4_000, &["run", "small.toml"]);
    assert_eq!(answer.code, 1, "{}", answer.out);
    answer.assert_shows(&["hash_mb = 20000", "of memory; ", "lower it"]);
}

#[cfg(target_os = "linux")]
#[test]
fn an_interface_gets_the_largest_memory() {
    let work = Workdir::new();
    work.file(
        "script",
        "setoption name Hash value 30000\nsetoption name Hash value 16\n\
         setoption name Book File value /dev/zero\nsetoption name EvalFile value /dev/zero\n\
         go nodes 100\nquit\n",
    );
    let oplus = OPLUS;
    let mut command = Command::new("sh");
    let script = "ulimit -v 4000000 && exec \"$0\" uci < script";
    command.current_dir(work.path()).args(["-c", script]).arg(oplus);
    let answer = Answer::from(command.output().unwrap());
    assert_eq!(answer.code, 0, "{}", answer.err);
    let refusals: Vec<&str> = answer.out.lines().filter(|line| line.contains("Hash of")).collect();
    let [refusal] = refusals[..] else { panic!("{}", answer.out) };
    let wanted = "info string Hash of 30000 MiB refused: it needs 29.3 GiB of memory; ";
    assert!(refusal.starts_with(wanted) && refusal.contains("it stays at 64 MiB"), "{refusal}");
    let is_device = |line: &&str| line.contains("/dev/zero") && line.contains("not a regular file");
    assert_eq!(answer.out.lines().filter(is_device).count(), 2, "{}", answer.out);
    assert!(answer.out.contains("bestmove"), "{}", answer.out);
}

#[cfg(unix)]
#[test]
fn devices_without_end_are_no_texts() {
    let work = Workdir::new();
    for args in [
        &["run", "/dev/zero"][..],
        &["train", "ALL", "--data", "x.viri", "--out", "run", "--config", "/dev/zero"],
        &["puzzles", "solve", "x.csv", "--list", "/dev/zero"],
        &["match", "pesto", "material", "--games", "2", "--log", "/dev/zero"],
        &["net", "import", "/dev/zero", "--out", "a.oplus"],
        &["features", "top(ALL, \"/dev/zero\")"],
    ] {
        let answer = within(&work, 4_000, args);
        assert!(answer.code == 1 || answer.code == 2, "{args:?}: {}", answer.err);
        answer.assert_shows(&["/dev/zero"]);
        assert!(!answer.err.contains("panicked"), "{}", answer.err);
    }
}

/// Stopped while it works, a command leaves the file that was there; that of a match is empty, since
/// it replaces no games but its own.
#[cfg(unix)]
#[test]
fn a_stopped_command_replaces_nothing() {
    let work = Workdir::new();
    let games = games().to_str().unwrap();
    for (args, out, before, begun, parts) in [
        (
            &[
                "puzzles", "mine", games, "--count", "100000", "--nodes", "3000000", "--out",
                "old.csv",
            ][..],
            "old.csv",
            "what was there\n",
            "old.csv.partial",
            &["stopped", ".partial"][..],
        ),
        (
            &[
                "match", "pesto", "material", "--games", "2000", "--nodes", "3000000", "--log",
                "log", "--pgn", "old.pgn",
            ],
            "old.pgn",
            "",
            "log",
            &["stopped", "from its log"],
        ),
    ] {
        work.file(out, before);
        let child =
            oplus(&work, args).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
        let since = Instant::now();
        while !work.path().join(begun).exists() && since.elapsed() < Duration::from_secs(60) {
            std::thread::sleep(Duration::from_millis(20));
        }
        std::thread::sleep(Duration::from_millis(300));
        let killed = Command::new("kill").args(["-INT", &child.id().to_string()]).status();
        assert!(killed.unwrap().success());
        let answer = Answer::from(child.wait_with_output().unwrap());
        assert_ne!(answer.code, 0, "{args:?}");
        answer.assert_shows(parts);
        let content = std::fs::read_to_string(work.path().join(out)).unwrap();
        assert_eq!(content, before, "{args:?}");
    }
}
