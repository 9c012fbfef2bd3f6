//! The released engine's evaluation of its own net, bucket by bucket.

use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

use chess::random_game::random_game;
use chess::{Color, Position, Scene};

use super::evaluate::Terms;
use super::undivided;
use crate::foreign::stockfish::StockfishNet;
use crate::import::Description;
use nnue::{AccumulatorStack, Net};

/// Path in Debian's package; the environment variable `STOCKFISH` overrides it.
const STOCKFISH: &str = "/usr/games/stockfish";

/// Output of the engine for these commands.
fn run(folder: &Path, commands: &str) -> String {
    let program = std::env::var("STOCKFISH").unwrap_or_else(|_| STOCKFISH.to_owned());
    let typed = folder.join("commands");
    std::fs::write(&typed, commands).unwrap();
    let output = Command::new(&program).stdin(File::open(typed).unwrap()).output();
    let output = output.unwrap_or_else(|error| panic!("this test needs {program}: {error}"));
    let output = String::from_utf8(output.stdout).unwrap();
    assert!(output.starts_with("Stockfish 15.1 "), "this test needs Stockfish 15.1, not {output}");
    output
}

/// The file of the net that is part of the engine.
fn exported(folder: &Path) -> PathBuf {
    let path = folder.join("stockfish.nnue");
    run(folder, &format!("export_net {}\n", path.display()));
    path
}

/// 2,000 positions of games between people, opening to ending, none in check.
fn positions() -> Vec<Position> {
    let path = "../../../shared/data/open/samples/lichess_gm_scored.tsv.zst";
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(path);
    let file = File::open(&path);
    let file = file.unwrap_or_else(|_| panic!("this test needs {}", path.display()));
    let lines = BufReader::new(zstd::Decoder::new(file).unwrap()).lines().step_by(311);
    let position = |line: String| Position::from_fen(line.split('\t').next().unwrap()).unwrap();
    let positions = lines.map(|line| position(line.unwrap()));
    let positions = positions.filter(|position| !position.is_check()).take(2000);
    let positions: Vec<Position> = positions.collect();
    assert_eq!(positions.len(), 2000);
    positions
}

/// A term in the table's format, with a sign and two decimals: rounded to internal units, then in
/// pawns of 361.
fn pawns(units: i32) -> String {
    let sign = match units.signum() {
        -1 => '-',
        0 => ' ',
        _ => '+',
    };
    format!("{sign}{:6.2}", f64::from(units.abs()) / 361.0)
}

/// A line of the table.
fn row(bucket: usize, Terms { psqt, positional }: Terms) -> String {
    let [psqt, positional] = [psqt, positional].map(|term| term / 16);
    let [psqt, positional, both] = [psqt, positional, psqt + positional].map(pawns);
    format!("|  {bucket}         |  {psqt}   |  {positional}   |  {both}   |")
}

/// The engine's tables of the net's terms, one for each position.
fn evaluated(folder: &Path, positions: &[Position]) -> Vec<String> {
    let commands = positions.iter().map(|p| format!("position fen {}\neval\n", p.fen()));
    let output = run(folder, &commands.collect::<String>());
    let tables = output.split(" NNUE network contributions ").skip(1);
    let tables: Vec<String> = tables.map(str::to_owned).collect();
    assert_eq!(tables.len(), positions.len());
    tables
}

#[test]
#[ignore = "needs ../shared/data and Stockfish 15.1; run by .ci/run with --ignored"]
fn terms_are_those_of_the_engine() {
    let folder = tempfile::tempdir().unwrap();
    let bytes = std::fs::read(exported(folder.path())).unwrap();
    let net = StockfishNet::from_bytes(&bytes).unwrap();
    assert!(net.description().contains("nnue-pytorch"), "{}", net.description());
    let positions = positions();
    for (position, table) in positions.iter().zip(evaluated(folder.path(), &positions)) {
        let fen = position.fen();
        let (scene, turn) = (Scene::from(position), position.turn());
        let (bucket, terms) = (net.bucket(&scene), net.terms(&scene, turn));
        let rows: Vec<&str> = table.lines().skip(5).take(8).collect();
        assert_eq!(rows.len(), terms.len(), "{fen}");
        for (n, (printed, &terms)) in rows.into_iter().zip(&terms).enumerate() {
            let used = if n == bucket { " <-- this bucket is used" } else { "" };
            assert_eq!(printed, row(n, terms) + used, "{fen}");
        }
        let value = f64::from(white(turn) * net.evaluate(&scene, turn).value()) / 361.0;
        let line = format!("{EVALUATION}{value:+.2} (white side)");
        assert!(table.contains(&line), "{fen}\n{line}\n{table}");
    }
}

/// The imported net divides once and to the nearest where the engine divides twice and
/// towards zero.
#[test]
#[ignore = "needs ../shared/data and Stockfish 15.1; run by .ci/run with --ignored"]
fn evaluations_are_those_of_the_engine() {
    let folder = tempfile::tempdir().unwrap();
    let path = exported(folder.path());
    let net = crate::import::net(&path, &Description::default()).unwrap();
    let line = "1024 pairwise -> 15 dual + skip -> 32 -> 1, buckets 8, psqt";
    assert_eq!(net.architecture().layers.to_string(), line);
    let foreign = StockfishNet::from_bytes(&std::fs::read(&path).unwrap()).unwrap();
    let [layers, psqt] = undivided(&net);
    let positions = positions();
    for (position, table) in positions.iter().zip(evaluated(folder.path(), &positions)) {
        let (scene, turn) = (Scene::from(position), position.turn());
        let terms = foreign.evaluate(&scene, turn);
        let sums = (psqt.evaluate(&scene, turn) / 2, layers.evaluate(&scene, turn));
        assert_eq!(sums, (terms.psqt, terms.positional), "{}", position.fen());
        let evaluation = table.split(EVALUATION).nth(1).unwrap().split(' ').next().unwrap();
        let engine = 100.0 * evaluation.parse::<f64>().unwrap();
        let ours = f64::from(white(turn) * net.evaluate(&scene, turn));
        assert!((ours - engine).abs() <= 1.01, "{}: {ours}, {engine}", position.fen());
    }
    let again = path.with_extension("oplus");
    net.save(&again).unwrap();
    assert_eq!(Net::load(&again).unwrap().fingerprint(), net.fingerprint());
}

/// Through a net file of ours.
#[test]
#[ignore = "needs Stockfish 15.1; run by .ci/run with --ignored"]
fn the_imported_net_is_written_as_the_same_bytes() {
    let folder = tempfile::tempdir().unwrap();
    let path = exported(folder.path());
    let net = crate::import::net(&path, &Description::default()).unwrap();
    let again = path.with_extension("oplus");
    net.save(&again).unwrap();
    let written = StockfishNet::of_net(&Net::load(&again).unwrap()).unwrap().to_bytes();
    // Not `assert_eq`, which would print 47 MB.
    assert!(written == std::fs::read(&path).unwrap());
}

#[test]
#[ignore = "needs Stockfish 15.1; run by .ci/run with --ignored"]
fn the_imported_net_follows_the_moves() {
    let folder = tempfile::tempdir().unwrap();
    let net =
        Arc::new(crate::import::net(&exported(folder.path()), &Description::default()).unwrap());
    let mut accumulators = AccumulatorStack::new(net.clone());
    for seed in 0..20 {
        let game = random_game(seed, 100);
        let mut position = game.start;
        accumulators.reset(&position);
        for played in game.moves {
            let change = position.change(played.played);
            position.play(played.played);
            accumulators.push(change, &position);
            let (scene, turn) = (Scene::from(&position), position.turn());
            assert_eq!(accumulators.evaluate(turn), net.evaluate(&scene, turn));
        }
    }
}

/// Text before the engine's own evaluation, in pawns.
const EVALUATION: &str = "NNUE evaluation        ";

/// Sign of the side to move in an evaluation from White's side.
fn white(turn: Color) -> i32 {
    if turn == Color::White { 1 } else { -1 }
}
