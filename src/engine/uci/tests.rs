use std::io::Cursor;

use super::*;
use crate::engine::{Material, Pesto};

/// Output that the test can read afterwards.
#[derive(Clone, Default)]
struct Transcript(Arc<Mutex<Vec<u8>>>);

impl Write for Transcript {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().write(bytes)
    }
    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

fn options() -> UciOptions {
    UciOptions {
        name: "oplus test".to_owned(),
        make_evaluator: Arc::new(|file| match file {
            None => Ok(Box::new(Pesto::new())),
            Some("material") => Ok(Box::new(Material)),
            Some(other) => Err(format!("{other}: no such file\ntry another").into()),
        }),
        hash_mb: 1,
    }
}

/// Everything answered to a script.
fn answers(script: impl AsRef<[u8]>) -> Vec<String> {
    let output = Transcript::default();
    let input = Cursor::new(script.as_ref().to_vec());
    run_uci(input, output.clone(), options()).unwrap();
    let bytes = output.0.lock().unwrap().clone();
    String::from_utf8(bytes).unwrap().lines().map(str::to_owned).collect()
}

fn best_moves(answers: &[String]) -> Vec<&str> {
    let words = answers.iter().filter_map(|line| line.strip_prefix("bestmove "));
    words.map(|rest| rest.split(' ').next().unwrap()).collect()
}

#[test]
fn introduces_itself() {
    let answers = answers("uci\nisready\nquit\n");
    assert_eq!(answers[0], "id name oplus test");
    let end = &answers[answers.len() - 2..];
    assert_eq!(end, ["uciok", "readyok"]);
    assert!(answers.contains(&"option name Hash type spin default 1 min 1 max 65536".to_owned()));
}

#[test]
fn plays_the_mate_and_says_so() {
    let answers = answers("position fen 6k1/5ppp/8/8/8/8/8/R3K3 w - - 0 1\ngo depth 4\n");
    assert_eq!(best_moves(&answers), ["a1a8"]);
    assert!(answers.iter().any(|line| line.contains("score mate 1 ")));
}

#[test]
fn node_limits_hold_through_uci() {
    let answers = answers("position startpos moves e2e4 e7e5\ngo nodes 5000\n");
    let nodes = |line: &String| {
        let mut words = line.split(' ').skip_while(|&word| word != "nodes");
        words.nth(1).and_then(|n| n.parse::<u64>().ok())
    };
    assert!(answers.iter().filter_map(nodes).max().unwrap() <= 5000);
    assert_eq!(best_moves(&answers).len(), 1);
}

#[test]
fn every_go_has_its_best_move() {
    let script = "go infinite\nisready\nstop\ngo nodes 100\ngo depth 2\nstop\n\
                  position fen R5k1/5ppp/8/8/8/8/8/4K3 b - - 0 1\ngo depth 3\n\
                  position startpos\ngo movetime 5\ngo wtime 20 btime 20\ngo\n";
    let answers = answers(script);
    assert_eq!(best_moves(&answers).len(), 7);
    assert!(best_moves(&answers).contains(&"0000"));
    assert!(answers.contains(&"readyok".to_owned()));
}

#[test]
fn quitting_ends_an_infinite_search() {
    assert_eq!(best_moves(&answers("go infinite\nquit\ngo depth 1\n")).len(), 1);
}

#[test]
fn mistakes_are_told_and_change_nothing() {
    let script = "position startpos moves e2e4\n\
                  position fen 8/8/8/8/8/8/8/8 w - - 0 1\n\
                  position fen nonsense\n\
                  position startpos moves e2e4 e2e4\n\
                  position\n\
                  go nodes many\n\
                  go searchmoves a8a1 depth 1\n\
                  setoption name Hash value\n\
                  setoption name Nothing value 1\n\
                  setoption name EvalFile value missing.net\n\
                  d\n";
    let answers = answers(script);
    let complaints: Vec<_> =
        answers.iter().filter_map(|line| line.strip_prefix("info string ")).collect();
    assert!(best_moves(&answers).is_empty());
    assert!(complaints.iter().any(|line| line.contains("illegal move `e2e4`")));
    assert!(complaints.iter().any(|line| line.contains("`nodes` needs a number")));
    assert!(complaints.iter().any(|line| line.contains("no option `Nothing`")));
    assert!(complaints.contains(&"missing.net: no such file"));
    assert!(complaints.contains(&"try another"));
    let fen = complaints.iter().find_map(|line| line.strip_prefix("fen ")).unwrap();
    assert!(fen.starts_with("rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq"), "{fen}");
}

#[test]
fn survives_garbage() {
    let mut script: Vec<u8> = (0..=255u8).cycle().take(5_000).collect();
    script.extend_from_slice(b"\ngo depth -1\ngo nodes 99999999999999999999\n");
    script.extend_from_slice(b"position fen k7/8/8/8/8/8/8/K7 w - - 4000000000 4000000000\n");
    script.extend_from_slice(b"setoption name Hash value 0\nisready\ngo depth 1\n");
    let answers = answers(script);
    assert!(answers.contains(&"readyok".to_owned()));
    assert_eq!(best_moves(&answers).len(), 1);
}

#[test]
fn another_evaluation_can_be_loaded() {
    let fen = "position fen 4k3/8/8/8/8/8/8/Q3K3 w - - 0 1\n";
    let answers = answers(format!("{fen}setoption name EvalFile value material\neval\n"));
    assert!(answers.contains(&"info string evaluation 900 cp for the side to move".to_owned()));
}

#[test]
fn chess960_castling_is_king_takes_rook() {
    let answers =
        answers("position fen 4k3/8/8/8/8/8/8/1R2K1R1 w GB - 0 1\ngo searchmoves e1g1 depth 1\n");
    assert_eq!(best_moves(&answers), ["e1g1"]);
}

#[test]
fn bench_prints_its_signature_and_later_commands_wait() {
    let answers = answers("bench 3\nbench 3\ngo depth 1\n");
    let signatures: Vec<&str> = answers
        .iter()
        .filter(|line| line.ends_with(" nps"))
        .filter_map(|line| line.split(' ').next())
        .collect();
    assert_eq!(signatures.len(), 2);
    assert_eq!(signatures[0], signatures[1]);
    assert_eq!(best_moves(&answers).len(), 1);
}
