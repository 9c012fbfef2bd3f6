//! Suites from outside: counts of legal move sequences, positions that are
//! legal and some that are not, mates. They need `../shared/data`, so CI runs
//! them with `--ignored`.

use std::path::Path;

use crate::support::Workdir;

/// The lines of a suite.
fn suite(name: &str) -> Vec<String> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/data/open").join(name);
    let file = std::fs::File::open(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    let text = zstd::decode_all(file).unwrap();
    String::from_utf8(text).unwrap().lines().map(str::to_owned).collect()
}

/// All that the engine answers to a script.
fn answers(script: String) -> Vec<String> {
    let answer = Workdir::new().run_with(&["uci", "--eval", "pesto"], script);
    assert_eq!(answer.code, 0, "{}", answer.err);
    answer.out.lines().map(str::to_owned).collect()
}

/// A position, a depth, and how many sequences of moves there are.
type Count = (String, u32, u64);

/// `FEN ;D1 20 ;D2 400`: the deepest count of each line within `most`.
fn counts_of_epd(name: &str, most: u64) -> Vec<Count> {
    let deepest = |line: &String| {
        let mut fields = line.split(';').map(str::trim);
        let fen = fields.next()?.to_owned();
        let count = |field: &str| {
            let (depth, count) = field.strip_prefix('D')?.split_once(' ')?;
            Some((depth.parse().unwrap(), count.trim().parse().unwrap()))
        };
        let (depth, count) = fields.filter_map(count).rfind(|&(_, count)| count <= most)?;
        Some((fen, depth, count))
    };
    suite(name).iter().filter_map(deepest).collect()
}

/// `epd FEN`, then lines `perft 1 20`.
fn counts_of_perft(name: &str, most: u64) -> Vec<Count> {
    let mut fen = String::new();
    let mut counts: Vec<Count> = Vec::new();
    for line in suite(name) {
        let words: Vec<&str> = line.split(' ').collect();
        match words[..] {
            ["epd", ref fields @ ..] => fen = fields.join(" "),
            ["perft", depth, count] if is_of_a_game(&fen) => {
                let count: u64 = count.parse().unwrap();
                if count <= most {
                    counts.push((fen.clone(), depth.parse().unwrap(), count));
                }
            }
            _ => {}
        }
    }
    counts
}

/// Boards with more pieces of a colour than a game begins with are refused.
fn is_of_a_game(fen: &str) -> bool {
    let board = fen.split(' ').next().unwrap_or_default();
    let count = |is_own: fn(&char) -> bool| board.chars().filter(is_own).count();
    count(char::is_ascii_uppercase).max(count(char::is_ascii_lowercase)) <= 16
}

fn assert_counts(counts: &[Count], positions: usize) {
    assert!(counts.len() >= positions, "{} positions", counts.len());
    let script =
        counts.iter().map(|(fen, depth, _)| format!("position fen {fen}\ngo perft {depth}\n"));
    let found = answers(script.collect());
    let found: Vec<u64> = found
        .iter()
        .filter_map(|line| line.strip_prefix("Nodes searched: "))
        .map(|count| count.parse().unwrap())
        .collect();
    assert_eq!(found.len(), counts.len());
    for ((fen, depth, expected), found) in counts.iter().zip(found) {
        assert_eq!(found, *expected, "{fen} to depth {depth}");
    }
}

#[test]
#[ignore = "needs ../shared/data; run by .ci/run with --ignored"]
fn legal_moves_are_those_of_the_standard_suites() {
    assert_counts(&counts_of_epd("perft/standard_minimalchess.epd.zst", 200_000), 120);
    assert_counts(&counts_of_epd("perft/perft_whittington.epd.zst", 2_000_000), 140);
    assert_counts(&counts_of_epd("perft/perft-marcel_open.epd.zst", 30_000), 3_300);
    assert_counts(&counts_of_perft("perft/tricky.perft.zst", 1_000_000), 80);
}

#[test]
#[ignore = "needs ../shared/data; run by .ci/run with --ignored"]
fn legal_moves_are_those_of_chess960() {
    assert_counts(&counts_of_epd("perft/fischer.epd.zst", 30_000), 960);
}

/// A written position reads back as the same one.
#[test]
#[ignore = "needs ../shared/data; run by .ci/run with --ignored"]
fn legal_positions_are_read_and_written() {
    let lists = ["perft/valid.sfens.zst", "perft/chess960_start_positions.sfens.zst"];
    let fens: Vec<String> = lists.into_iter().flat_map(suite).collect();
    let shown = |fens: &[String]| -> Vec<[String; 2]> {
        let script = fens.iter().map(|fen| format!("position fen {fen}\nd\n")).collect();
        let answers = answers(script);
        let lines = |name: &str| -> Vec<String> {
            answers.iter().filter_map(|line| line.strip_prefix(name)).map(str::to_owned).collect()
        };
        lines("Fen: ").into_iter().zip(lines("Key: ")).map(|(fen, key)| [fen, key]).collect()
    };
    let first = shown(&fens);
    assert_eq!(first.len(), 10_960);
    for (fen, [written, _]) in fens.iter().zip(&first) {
        let (board, counters) = (fen.split(' ').next(), fen.split(' ').skip(4));
        assert_eq!(written.split(' ').next(), board);
        assert!(counters.eq(written.split(' ').skip(4)), "{fen}: {written}");
    }
    let written: Vec<String> = first.iter().map(|[fen, _]| fen.clone()).collect();
    assert_eq!(shown(&written), first);
}

/// Of the illegal ones only those are let pass that are illegal in that no
/// move could have given this check: games of other variants have them.
#[test]
#[ignore = "needs ../shared/data; run by .ci/run with --ignored"]
fn illegal_positions_are_refused() {
    let fens = suite("perft/invalid.sfens.zst");
    let script = fens.iter().map(|fen| format!("position startpos\nposition fen {fen}\nd\n"));
    let answers = answers(script.collect());
    let refused = answers.iter().filter(|line| line.contains("not a legal position")).count();
    let let_pass = answers.iter().filter(|line| line.starts_with("Checkers: ")).count();
    assert_eq!(refused + let_pass, fens.len());
    assert!(let_pass < fens.len() / 200, "{let_pass} of {}", fens.len());
}

/// Mates in two to five, every twentieth of each suite: the shorter ones all,
/// of the longer ones those that a million nodes are enough for.
#[test]
#[ignore = "needs ../shared/data; run by .ci/run with --ignored"]
fn mates_are_found() {
    for moves in 2..=5 {
        let lines = suite(&format!("epd/mate_in_{moves}.epd.zst"));
        let lines: Vec<&String> = lines.iter().step_by(20).collect();
        let script = lines.iter().map(|line| {
            let fen = line.split(' ').take(4).collect::<Vec<_>>().join(" ");
            format!("position fen {fen} 0 1\ngo mate {moves} nodes 1000000\n")
        });
        let answers = answers(script.collect());
        let ends = answers.split(|line| line.starts_with("bestmove "));
        let solved = ends.filter(|search| search.last().is_some_and(|line| has_mate(line, moves)));
        let solved = solved.count();
        let enough = if moves < 4 { lines.len() } else { lines.len() * 9 / 10 };
        assert!(solved >= enough, "mate in {moves}: {solved} of {}", lines.len());
    }
}

fn has_mate(line: &str, moves: i32) -> bool {
    let mut words = line.split(' ').skip_while(|&word| word != "mate").skip(1);
    let found: Option<i32> = words.next().and_then(|number| number.parse().ok());
    found.is_some_and(|found| (1..=moves).contains(&found))
}
