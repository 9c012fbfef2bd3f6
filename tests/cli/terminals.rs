//! What people see on a terminal: tables that fit it, and nothing lost for it.

use std::io::Read;

use portable_pty::{CommandBuilder, PtySize, native_pty_system};

use crate::plan::UNTIMED;
use crate::support::{FIXED_DATE, OPLUS, Workdir};

/// Text on a terminal of this width, without colours and cursor movements.
fn shown(work: &Workdir, args: &[&str], columns: u16) -> String {
    let size = PtySize { rows: 50, cols: columns, ..PtySize::default() };
    let terminal = native_pty_system().openpty(size).unwrap();
    let mut command = CommandBuilder::new(OPLUS);
    command.args(args);
    command.cwd(work.path());
    command.env(FIXED_DATE.0, FIXED_DATE.1);
    command.env("TERM", "xterm-256color");
    let mut reader = terminal.master.try_clone_reader().unwrap();
    let mut child = terminal.slave.spawn_command(command).unwrap();
    drop(terminal.slave);
    let mut bytes = Vec::new();
    // The terminal ends with an error when the last of its programs has gone.
    let _ = reader.read_to_end(&mut bytes);
    assert!(child.wait().unwrap().success(), "{args:?}: {}", String::from_utf8_lossy(&bytes));
    plain(&String::from_utf8_lossy(&bytes))
}

/// Without escape sequences; of an overwritten line, its last text.
fn plain(text: &str) -> String {
    let mut out = String::new();
    let mut letters = text.chars();
    while let Some(letter) = letters.next() {
        match letter {
            '\x1b' => drop(letters.find(char::is_ascii_alphabetic)),
            _ => out.push(letter),
        }
    }
    let last = |line: &str| line.trim_end_matches('\r').rsplit('\r').next().map(str::to_owned);
    out.split('\n').filter_map(last).collect::<Vec<_>>().join("\n")
}

/// Words with a digit in them, which no table may break.
fn numbers(text: &str) -> Vec<&str> {
    let words = text.split(|c: char| c.is_whitespace() || "│─┆(),;".contains(c));
    words.filter(|word| word.chars().any(|c| c.is_ascii_digit())).collect()
}

#[test]
fn tables_fit_the_terminal_and_lose_nothing() {
    let work = Workdir::new();
    work.experiment("small.toml");
    let run = [&["run", "small.toml"], &UNTIMED[..]].concat();
    assert_eq!(work.run(&run).code, 0);
    let net = work.run(&["runs", "list", "--json"]).out;
    let net: serde_json::Value = serde_json::from_str(net.lines().next().unwrap()).unwrap();
    let net = net["file"].as_str().unwrap();
    let long = "mirror(king(SQUARES / BUCKETS-9) * ALL) + pair(FILES * PIECES * PIECES)";
    let commands: [&[&str]; 8] = [
        &run,
        &["runs", "list"],
        &["runs", "status", "small", "--all"],
        &["run", "small.toml", "--dry-run"],
        &["features", "--list"],
        &["features", long],
        &["net", "info", net],
        &["puzzles", "solve", "puzzles.csv", "--player", "pesto", "--player", net],
    ];
    for args in commands {
        let piped = work.run(args).out;
        for columns in [80, 100, 140] {
            let reply = shown(&work, args, columns);
            for line in reply.lines().filter(|line| line.contains('─') || line.contains('│')) {
                let width = line.chars().count();
                assert!(width <= usize::from(columns), "{args:?}, {columns}: {width}\n{reply}");
            }
            let shown_numbers = numbers(&reply);
            for number in numbers(&piped) {
                // Times, and what memory is free, differ from call to call.
                let is_time = ["s", "min", "ms", "GiB are free"]
                    .iter()
                    .any(|unit| piped.contains(&format!("{number} {unit}")));
                assert!(
                    is_time || shown_numbers.contains(&number) || reply.contains(number),
                    "{args:?}, {columns}: {number} is not in\n{reply}"
                );
            }
        }
    }
}

#[test]
fn no_color_and_dumb_terminals_stay_without_colours() {
    let work = Workdir::new();
    work.file("wrong.toml", "name = \"wrong\"\n[grid]\nfeatures = [\"ALL + \"]\n");
    for (name, value) in [("NO_COLOR", "1"), ("TERM", "dumb")] {
        let size = PtySize { rows: 50, cols: 100, ..PtySize::default() };
        let terminal = native_pty_system().openpty(size).unwrap();
        let mut command = CommandBuilder::new(OPLUS);
        command.args(["run", "wrong.toml"]);
        command.cwd(work.path());
        // Services that build programs set `CI`.
        command.env("CI", "1");
        command.env(name, value);
        let mut reader = terminal.master.try_clone_reader().unwrap();
        let mut child = terminal.slave.spawn_command(command).unwrap();
        drop(terminal.slave);
        let mut bytes = Vec::new();
        let _ = reader.read_to_end(&mut bytes);
        assert_eq!(child.wait().unwrap().exit_code(), 2);
        let text = String::from_utf8_lossy(&bytes);
        assert!(text.contains("wrong.toml"), "{text}");
        assert!(!text.contains("\x1b[3") && !text.contains("\x1b[1"), "{name}: {text:?}");
    }
}

/// A pipe has no colours unless they are wanted.
#[test]
fn verdicts_have_colours() {
    let work = Workdir::new();
    work.experiment("small.toml");
    let run = [&["run", "small.toml"], &UNTIMED[..]].concat();
    let piped = work.run(&run);
    assert_eq!(piped.code, 0, "{}", piped.err);
    let sign = piped.out.lines().find(|line| line.starts_with(['▲', '▼', '≈'])).unwrap();
    let coloured = work.run(&[&run[..], &["--color", "always"]].concat()).out;
    assert!(!piped.out.contains('\x1b') && coloured.contains("\x1b[3"), "{coloured:?}");
    assert!(plain(&coloured).contains(sign), "{coloured:?}");
}

/// Results and warnings remain.
#[test]
fn quiet_commands_print_no_progress() {
    let work = Workdir::new();
    work.experiment("small.toml");
    let run = [&["run", "small.toml"], &UNTIMED[..]].concat();
    let quiet = work.run(&[&run[..], &["--quiet"]].concat());
    assert_eq!(quiet.code, 0, "{}", quiet.err);
    assert!(quiet.err.lines().all(|line| line.starts_with("warning: ")), "{}", quiet.err);
    assert!(quiet.out.contains("report: "), "{}", quiet.out);
    let wrong = work.run(&["run", "missing.toml", "-q"]);
    assert_eq!(wrong.code, 1);
    wrong.assert_shows(&["missing.toml"]);
}
