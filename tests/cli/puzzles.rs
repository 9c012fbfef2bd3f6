//! `oplus puzzles`: selections, lists, results, suites in EPD, and what goes
//! wrong with their files.

use std::path::{Path, PathBuf};

use oplus::measure::puzzles::{Puzzle, grade, read_puzzles};
use serde_json::Value;

use crate::support::{Answer, Workdir};

const HEADER: &str =
    "PuzzleId,FEN,Moves,Rating,RatingDeviation,Popularity,NbPlays,Themes,GameUrl,OpeningTags\n";
const MATE: &str = "6k1/p4ppp/8/8/8/8/5PPP/3R2K1 b - - 0 1,a7a6 d1d8";
const QUEEN: &str = "3qk3/8/8/8/8/8/8/3RK3 b - - 0 1,e8f7 d1d8";

/// Sixty mates and hanging queens, rated from 500 to 2300, some not at all.
fn rows() -> String {
    let row = |i: u32| {
        let (what, themes) = match i.is_multiple_of(2) {
            true => (MATE, "mate mateIn1"),
            false => (QUEEN, "hangingPiece"),
        };
        let rating = if i.is_multiple_of(10) { String::new() } else { (500 + 30 * i).to_string() };
        format!("p{i:02},{what},{rating},{},{},{},{themes},,\n", 70 + i, 100 - i, 10 * i)
    };
    HEADER.to_owned() + &(0..60).map(row).collect::<String>()
}

fn workdir() -> Workdir {
    let work = Workdir::new();
    work.file("puzzles.csv", &rows());
    work
}

fn puzzles(work: &Workdir, args: &[&str]) -> Answer {
    work.run(&[&["puzzles"], args].concat())
}

/// A command that succeeds.
fn done(work: &Workdir, args: &[&str]) -> Answer {
    let answer = puzzles(work, args);
    assert_eq!(answer.code, 0, "{args:?}: {}", answer.err);
    answer
}

fn json(answer: &Answer) -> Value {
    serde_json::from_str(&answer.out).unwrap_or_else(|e| panic!("{e}: {}", answer.out))
}

/// A refused command, with the parts of its error.
fn refused(work: &Workdir, args: &[&str], code: i32, parts: &[&str]) {
    let answer = puzzles(work, args);
    assert_eq!(answer.code, code, "{args:?}: {}{}", answer.out, answer.err);
    answer.assert_shows(parts);
}

#[test]
fn several_players_solve_the_same_puzzles() {
    let work = workdir();
    let players = ["--player", "bundled", "--player", "material"];
    let args = [&["solve", "puzzles.csv", "--nodes", "300"], &players[..]].concat();
    let answer = done(&work, &args);
    for part in
        ["60 of 60", "100.0 (94.0 to 100.0) %", "600–799", "mateIn1", "≈ material is not separable"]
    {
        assert!(answer.out.contains(part), "{part:?} is not in:\n{}", answer.out);
    }
    let result = json(&done(&work, &[&args[..], &["--json"]].concat()));
    assert_eq!(result["puzzles"], 60);
    assert_eq!(result["mode"], "300 nodes");
    assert_eq!(result["selection"], "all");
    let player = &result["players"][0];
    assert_eq!(player["player"], "bundled");
    assert_eq!(player["solved"]["value"], 1.0);
    assert_eq!(player["unrated"], 6);
    assert!(player["puzzle_rating"]["high"].is_null(), "{player}");
    assert!(player["puzzle_rating"]["low"].as_f64().is_some_and(|low| low > 2_000.0), "{player}");
    assert_eq!(result["themes"][0]["theme"], "hangingPiece");
    assert_eq!(result["themes"][0]["share bundled"]["value"], 1.0);
    assert_eq!(result["pairs"][0]["both"], 60);
}

/// One ply deep and at fixed nodes nothing depends on threads.
#[test]
fn answers_do_not_depend_on_threads() {
    let work = workdir();
    for mode in [&["--one-ply"][..], &["--nodes", "100"]] {
        let result = |threads: &str| {
            let args = [&["solve", "puzzles.csv", "--json", "--threads", threads], mode].concat();
            let mut result = json(&done(&work, &args));
            result["players"][0]["seconds"] = Value::Null;
            result["command"] = Value::Null;
            result
        };
        assert_eq!(result("1"), result("3"));
    }
    done(&work, &["solve", "puzzles.csv", "--movetime", "5", "--count", "4"]);
}

#[test]
fn a_selection_is_frozen_and_solved() {
    let work = workdir();
    let select =
        ["select", "puzzles.csv", "--per-bucket", "2", "--min-plays", "20", "--out", "a.list"];
    let answer = done(&work, &select);
    assert!(
        answer.out.contains("--min-plays 20 --per-bucket 2 --bucket 200 --seed 1"),
        "{}",
        answer.out
    );
    assert!(
        answer.out.contains("58 of 60 puzzles meet the conditions (dropped: 2 plays)"),
        "{}",
        answer.out
    );
    let list = std::fs::read_to_string(work.path().join("a.list")).unwrap();
    assert!(list.starts_with("# oplus puzzle list, version 1\n# source: puzzles.csv\n"), "{list}");
    let ids = list.lines().filter(|line| line.starts_with('p')).count();
    assert!((18..=20).contains(&ids), "{list}");
    done(&work, &select);
    assert_eq!(std::fs::read_to_string(work.path().join("a.list")).unwrap(), list);

    let result =
        json(&done(&work, &["solve", "puzzles.csv", "--list", "a.list", "--one-ply", "--json"]));
    assert_eq!(result["puzzles"].as_u64(), Some(ids as u64));
    let hash = result["ids_blake3"].as_str().unwrap();
    assert!(list.contains(&format!("# list BLAKE3: {hash}\n")));
    let at_once = json(&done(
        &work,
        &["solve", "puzzles.csv", "--per-bucket", "2", "--min-plays", "20", "--one-ply", "--json"],
    ));
    assert_eq!(at_once["ids_blake3"], hash);
}

#[test]
fn presets_can_be_changed() {
    let work = workdir();
    let out = ["--out", "a.list"];
    let reply = |args: &[&str]| {
        let answer = done(&work, &[&["select", "puzzles.csv"], args, &out].concat());
        answer.out.lines().next().unwrap().to_owned()
    };
    let standard = reply(&["--preset", "standard", "--min-popularity", "-50", "--seed", "7"]);
    let options = "--max-deviation 90 --min-popularity -50 --min-plays 100 --per-bucket 500";
    assert!(standard.contains(options) && standard.contains("--seed 7"), "{standard}");
    // The preset leaves mates out.
    refused(
        &work,
        &["select", "puzzles.csv", "--preset", "thesis", "--theme", "mate", "--out", "b.list"],
        2,
        &["no puzzle of `puzzles.csv` meets the conditions", "dropped:"],
    );
}

#[test]
fn a_report_is_written_with_its_numbers() {
    let work = workdir();
    let args = ["solve", "puzzles.csv", "--one-ply", "--player", "pesto", "--player", "material"];
    let answer = done(&work, &[&args[..], &["--report", "out/page"]].concat());
    assert!(answer.err.contains("report: out/page/index.html"), "{}", answer.err);
    let folder = work.path().join("out/page");
    let page = std::fs::read_to_string(folder.join("index.html")).unwrap();
    for part in ["<h1>Puzzles: puzzles</h1>", "material − pesto", "--report out/page", "by-rating"]
    {
        assert!(page.contains(part), "{part}");
    }
    for name in ["players", "ratings", "themes", "pairs", "outcomes"] {
        assert!(folder.join(format!("{name}.csv")).is_file(), "{name}");
    }
}

#[test]
fn broken_rows_are_skipped_counted_and_the_first_three_shown() {
    let work = Workdir::new();
    let broken = "x1,not a fen,e2e4 e7e5,,,,,,,\nx2\nx3,,,,\nx4,,,,\n";
    work.file("puzzles.csv", &(rows() + broken + &format!("ok,{MATE},often,,,,,,\n")));
    let answer = done(&work, &["solve", "puzzles.csv", "--one-ply"]);
    answer.assert_shows(&[
        "5 skipped (4 malformed, 1 illegal start position)",
        "line 62",
        "line 64",
    ]);
    assert!(!answer.err.contains("line 65"), "{}", answer.err);
}

#[test]
fn bad_files_and_requests_are_errors() {
    let work = workdir();
    work.file("empty.csv", "");
    work.file("other.csv", "a,b\n1,2\n");
    refused(&work, &["solve", "no.csv"], 1, &["cannot open `no.csv`", "check the path"]);
    refused(&work, &["solve", "empty.csv"], 1, &["no puzzles in `empty.csv`"]);
    refused(&work, &["solve", "other.csv"], 1, &["no puzzles in `other.csv`", "line 1"]);
    refused(
        &work,
        &["solve", "puzzles.csv", "--theme", "hangingpeace"],
        2,
        &["has the theme `hangingpeace`", "did you mean `hangingPiece`?", "mate, mateIn1"],
    );
    refused(
        &work,
        &["solve", "puzzles.csv", "--min-rating", "9000"],
        2,
        &["0 of 60 puzzles meet the conditions (dropped: 60 rating)"],
    );
    refused(
        &work,
        &["solve", "puzzles.csv", "--player", "stockfish"],
        2,
        &["is not a puzzle player"],
    );
    refused(&work, &["solve", "puzzles.csv", "--player", "no.oplus"], 1, &["no.oplus"]);
    refused(&work, &["solve", "puzzles.csv", "--nodes", "9", "--one-ply"], 2, &["cannot be used"]);
    refused(
        &work,
        &["solve", "puzzles.csv", "--list", "a", "--count", "9"],
        2,
        &["remove the selection options"],
    );
    refused(
        &work,
        &["select", "puzzles.csv", "--out", "no/such/folder/a.list"],
        1,
        &["no/such/folder/a.list", "cannot write"],
    );
}

#[test]
fn lists_that_do_not_fit_are_errors() {
    let work = workdir();
    done(&work, &["select", "puzzles.csv", "--count", "5", "--out", "a.list"]);
    let list = std::fs::read_to_string(work.path().join("a.list")).unwrap();
    let id = list.lines().last().unwrap().to_owned();

    work.file("changed.list", &list.replace(&format!("\n{id}\n"), "\n"));
    let solve = |file, list| ["solve", file, "--one-ply", "--list", list];
    refused(&work, &solve("puzzles.csv", "changed.list"), 1, &["the list was changed or cut"]);
    refused(&work, &solve("puzzles.csv", "puzzles.csv"), 1, &["line 1: expected", "PuzzleId"]);
    refused(&work, &solve("puzzles.csv", "no.list"), 1, &["cannot open `no.list`"]);

    work.file("later.csv", &(rows() + &format!("new,{MATE},,,,,,,\n")));
    refused(&work, &solve("later.csv", "a.list"), 2, &["from `puzzles.csv`", "or `--other-"]);
    let any = [&solve("later.csv", "a.list")[..], &["--other-file"]].concat();
    assert!(done(&work, &any).out.contains(" of 5 "));

    work.file("without.csv", &rows().replace(&format!("\n{id},"), "\nz,"));
    let any = [&solve("without.csv", "a.list")[..], &["--other-file"]].concat();
    refused(&work, &any, 1, &["lacks 1 of the 5 puzzles of the list", &id]);
}

/// A mate in one, a move to avoid, a mate to announce, and graded moves.
const SUITE: &str = "\
6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - bm Rd8; id \"a.1\";
4k3/8/8/3q4/8/8/8/3RK3 w - - 0 1 ; am Rd2; id a.2
7k/8/5K2/8/8/8/8/6Q1 w - - bm #1;
1kr5/3n4/q3p2p/p2n2p1/PppB1P2/5BP1/1P2Q2P/3R2K1 w - - bm f5; id \"STS(v1.0) Undermine.001\"; c8 \"10 2 3 2\"; c9 \"f4f5 d4e5 d4f2 f3g4\";
4k3/8/8/3q4/8/8/8/3RK3 w - - id \"STS(v2.2) Files.001\"; c0 \"Rxd5=10, Rd2=1\";
";

#[test]
fn suites_are_graded() {
    let work = Workdir::new();
    work.file("a.epd", &format!("{SUITE}startpos\n{}", SUITE.replace("Rd8", "Re8")));
    let args = ["epd", "a.epd", "--nodes", "2000", "--player", "pesto"];
    let answer = done(&work, &args);
    answer.assert_shows(&["2 skipped", "line 6", "`bm Re8` is not a legal move"]);
    assert!(answer.out.contains("points a"), "{}", answer.out);
    let result = json(&done(&work, &[&args[..], &["--json"]].concat()));
    let result = &result["results"][0];
    assert_eq!((&result["player"], &result["right"]["trials"]), (&"pesto".into(), &9.into()));
    let answers = result["answers"].as_array().unwrap();
    let right = |i: usize| answers[i]["right"].as_bool().unwrap();
    assert!(right(0) && right(1) && right(2) && right(4), "{answers:?}");
    assert_eq!(answers[4]["played"], "Rxd5");
    assert_eq!(answers[4]["points"], 10);
    assert_eq!(result["by_part"][0]["part"], "STS(v1.0) Undermine");
    assert_eq!(
        (&result["points"]["most"], &result["points"]["questions"]),
        (&40.into(), &4.into())
    );

    refused(&work, &["epd", "no.epd"], 1, &["cannot open `no.epd`"]);
    work.file("b.epd", "startpos\n");
    refused(&work, &["epd", "a.epd", "b.epd"], 1, &["no usable positions in `b.epd`", "line 1"]);
    refused(&work, &["epd"], 2, &["FILES"]);
}

fn open(name: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/data/open").join(name);
    assert!(path.exists(), "this test needs {}; provide it", path.display());
    path
}

/// The rule itself, on every puzzle with a mate in the open data: the solution
/// is right and any other move is wrong that does not mate.
#[test]
#[ignore = "needs ../shared/data; run by .ci/run with --ignored"]
fn mates_are_graded_right_and_other_moves_wrong() {
    let mut graded = 0;
    for name in ["full", "rated", "lowpop", "unrated"] {
        let set =
            read_puzzles(&open(&format!("puzzles/lichess_puzzles_{name}.csv.zst")), None).unwrap();
        let has_mate = |puzzle: &&Puzzle| puzzle.themes.iter().any(|t| t.starts_with("mate"));
        for (i, puzzle) in set.puzzles.iter().filter(has_mate).enumerate() {
            let solution: Vec<_> = puzzle.questions().map(|(_, m)| m).collect();
            let mut requested = 0;
            let right = grade(puzzle, &mut |_, _| {
                requested += 1;
                solution.get(requested - 1).copied()
            });
            assert!(right.solved, "{}", puzzle.id);
            assert_eq!(right.right_moves as usize, solution.len(), "{}", puzzle.id);

            // Another move where the puzzle begins, chosen by its number.
            let (position, first) = puzzle.questions().next().unwrap();
            let others = position.legal_moves().into_iter().filter(|&m| m != first);
            let others: Vec<_> = others.filter(|&m| !position.after(m).is_checkmate()).collect();
            let Some(&other) = others.get(i * 7_919 % others.len().max(1)) else { continue };
            let wrong = grade(puzzle, &mut |_, _| Some(other));
            assert!(!wrong.solved && wrong.miss.is_some_and(|m| m.question == 0), "{}", puzzle.id);
            graded += 1;
        }
    }
    assert!(graded > 50_000, "{graded}");
}

/// Five seconds on two idle cores; two minutes leave room for busy and slower ones.
#[test]
#[ignore = "needs ../shared/data; run by .ci/run with --ignored"]
fn the_bench_is_solved_within_two_minutes() {
    let work = Workdir::new();
    let file = open("puzzles/puzzles_bench.csv.zst");
    let args = ["solve", file.to_str().unwrap(), "--json", "--report", "page"];
    let result = json(&done(&work, &args));
    let player = &result["players"][0];
    assert_eq!(player["puzzles"], 5_500);
    assert!(player["seconds"].as_f64().is_some_and(|seconds| seconds < 120.0), "{player}");
    assert!(player["solved"]["value"].as_f64().is_some_and(|share| share > 0.6), "{player}");
}

/// Every command of docs/puzzles.md and of the help texts, on small files of the
/// names they use.
#[test]
fn documented_commands_run() {
    let work = workdir();
    std::fs::create_dir(work.path().join("datasets")).unwrap();
    work.file("datasets/puzzles.csv", &rows());
    let packed = zstd::encode_all(rows().as_bytes(), 1).unwrap();
    std::fs::write(work.path().join("lichess_db_puzzle.csv.zst"), packed).unwrap();
    let net = concat!(env!("CARGO_MANIFEST_DIR"), "/experiments/default.oplus");
    for name in ["new.oplus", "old.oplus", "net.oplus"] {
        std::fs::copy(net, work.path().join(name)).unwrap();
    }
    let packed = zstd::encode_all(SUITE.as_bytes(), 1).unwrap();
    std::fs::write(work.path().join("STS1-STS15_LAN_v3.epd.zst"), packed).unwrap();
    for name in ["wacnew.epd", "wac.epd", "STS1-STS15_LAN_v3.epd"] {
        work.file(name, SUITE);
    }
    let page = include_str!("../../docs/puzzles.md");
    let helps = [&["--help"][..], &["select", "--help"], &["solve", "--help"], &["epd", "--help"]];
    let helps: String = helps.map(|help| done(&work, help).out).concat().replace("\\\n", " ");
    let lines = page.lines().chain(helps.lines());
    let commands = lines.filter_map(|line| line.trim().strip_prefix("oplus puzzles "));
    // Drawing from games takes minutes, and lists are made before they are solved.
    // Those on ../shared stand beside their output.
    let runs_here = |line: &&str| {
        let is_long = line.starts_with("mine ") || line.contains("../");
        !is_long && !line.contains(['*', '|', '<', '['])
    };
    let mut commands: Vec<&str> = commands.filter(runs_here).collect();
    commands.sort_by_key(|line| (!line.starts_with("select"), line.contains("zugzwang")));
    assert!(commands.len() >= 12, "{commands:?}");
    for command in commands {
        let command = command.replace("zugzwang", "hangingPiece");
        let args: Vec<&str> = command.split_whitespace().collect();
        done(&work, &args);
    }
}
