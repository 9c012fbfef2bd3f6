//! The engine alone, built by the makefile and read as OpenBench reads it.

use std::ffi::OsStr;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::cluster::long_training;
use crate::plan::UNTIMED;
use crate::support::{OPLUS, Workdir};

/// The profile of these tests, whose crates are compiled already.
fn profile() -> &'static str {
    let folder = Path::new(OPLUS).parent().and_then(Path::file_name).and_then(OsStr::to_str);
    folder.map_or("release", |folder| if folder == "debug" { "dev" } else { folder })
}

/// Builds the engine with a net, or with the project's own.
fn make(work: &Workdir, name: &str, net: Option<&Path>) -> PathBuf {
    let program = work.path().join(name);
    let mut make = Command::new("make");
    make.current_dir(env!("CARGO_MANIFEST_DIR")).arg(format!("EXE={}", program.display()));
    make.arg(format!("PROFILE={}", profile()));
    if let Some(net) = net {
        make.arg(format!("EVALFILE={}", net.display()));
    }
    let output = make.output().expect("make");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    program
}

/// Output of a program with these arguments and this input.
fn reply(program: &Path, args: &[&str], input: &str) -> String {
    let mut child = Command::new(program)
        .args(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
    String::from_utf8(child.wait_with_output().unwrap().stdout).unwrap()
}

/// Nodes and speed as OpenBench finds them: lines from the last one backwards, signs as blanks, the
/// first number beside the word.
fn read_bench(output: &str) -> (u64, u64) {
    let (mut nodes, mut speed) = (None, None);
    for line in output.lines().rev() {
        let plain: String =
            line.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { ' ' }).collect();
        let words: Vec<&str> = plain.split_whitespace().collect();
        let number = |word: &str| -> Option<u64> {
            let beside = |pair: &[&str]| {
                let numbers = [pair[0], pair[1]];
                let (at, other) = if pair[1].eq_ignore_ascii_case(word) { (0, 1) } else { (1, 0) };
                numbers[other].eq_ignore_ascii_case(word).then(|| numbers[at].parse().ok())?
            };
            words.windows(2).find_map(beside)
        };
        speed = speed.or_else(|| number("nps"));
        nodes = nodes.or_else(|| number("nodes"));
    }
    (nodes.expect("nodes"), speed.expect("nps"))
}

#[test]
#[ignore = "needs make"]
fn the_engine_alone_is_what_openbench_wants() {
    let work = Workdir::new();
    // Long enough to play chess: a search by a net that knows nothing takes minutes.
    long_training(&work, 30);
    let answer = work.run(&[&["run", "small.toml"], &UNTIMED[..]].concat());
    assert_eq!(answer.code, 0, "{}", answer.err);
    let runs = std::fs::read_dir(work.path().join("runs/small")).unwrap().flatten();
    let mut nets = runs.map(|run| run.path().join("net.oplus")).filter(|net| net.exists());
    let net = nets.next().unwrap();
    let (small, own) = (make(&work, "small", Some(&net)), make(&work, "own", None));

    // The net is built in: the bench is another one, and always the same.
    let [first, again] = [(); 2].map(|()| read_bench(&reply(&own, &["bench"], "")));
    assert_eq!(first.0, again.0);
    assert!(first.1 > 1_000, "{first:?}");
    let of_small = read_bench(&reply(&small, &["bench"], ""));
    assert_ne!(first.0, of_small.0);
    let loaded = format!("setoption name EvalFile value {}", net.display());
    assert_eq!(read_bench(&reply(&own, &[&loaded, "bench", "quit"], "")).0, of_small.0);

    let openings = reply(&own, &["genfens 5 seed 42 book None ", "quit"], "");
    assert_eq!(openings.lines().count(), 5);
    let epd = "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1\n4k3/4p3/8/8/8/8/8/4K3 w - - 0 1\n";
    let book = format!("genfens 4 seed 1 book {}", work.file("book.epd", epd).display());
    let behind = reply(&own, &[&book, "quit"], "");
    for line in openings.lines().chain(behind.lines()) {
        let fen = line.strip_prefix("info string genfens ").expect(line);
        assert_eq!(fen.split(' ').count(), 6, "{fen}");
    }
    assert_eq!(behind.lines().count(), 4);

    let uci = reply(&own, &[], "uci\nsetoption name Threads value 2\nisready\ngo nodes 500\n");
    for part in ["option name Hash", "option name Threads", "uciok", "readyok", "bestmove"] {
        assert!(uci.contains(part), "{part} is not in:\n{uci}");
    }

    let players = [&own, &small].map(|program| program.display().to_string());
    let played = work.run(&["match", &players[0], &players[1], "--nodes", "200", "--games", "4"]);
    assert_eq!(played.code, 0, "{}", played.err);
    assert!(played.out.contains('4'), "{}", played.out);
}
