use std::io::Cursor;
use std::sync::Mutex;

use proptest::prelude::*;

use super::*;
use crate::{Material, Tapered, Techniques};

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
        load_evaluator: Arc::new(|file| match file {
            None => Ok(Arc::new(|| Box::new(Tapered::pesto()))),
            Some("material") => Ok(Arc::new(|| Box::new(Material))),
            Some(other) => Err(format!("{other}: no such file\ntry another").into()),
        }),
        hash_mb: 1,
        techniques: Techniques::PLAYING,
    }
}

/// All output of a script.
fn answers(script: impl AsRef<[u8]>) -> Vec<String> {
    let output = Transcript::default();
    let input = Cursor::new(script.as_ref().to_vec());
    run_uci(input, output.clone(), options()).unwrap();
    let bytes = output.0.lock().unwrap().clone();
    String::from_utf8(bytes).unwrap().lines().map(str::to_owned).collect()
}

/// Texts of the `info string`s.
fn info_strings(answers: &[String]) -> Vec<&str> {
    answers.iter().filter_map(|line| line.strip_prefix("info string ")).collect()
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
fn plays_and_reports_the_mate() {
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
fn mistakes_are_reported_and_change_nothing() {
    let script = "position startpos moves e2e4\n\
                  position fen 8/8/8/8/8/8/8/8 w - - 0 1\n\
                  position fen nonsense\n\
                  position startpos moves e2e4 e2e4\n\
                  position\n\
                  setoption name Hash value\n\
                  setoption name Nothing value 1\n\
                  setoption name EvalFile value missing.net\n\
                  d\n";
    let answers = answers(script);
    let complaints = info_strings(&answers);
    assert!(best_moves(&answers).is_empty());
    assert!(complaints.iter().any(|line| line.contains("illegal move `e2e4`")));
    assert!(complaints.iter().any(|line| line.contains("no option `Nothing`")));
    assert!(complaints.contains(&"missing.net: no such file"));
    assert!(complaints.contains(&"try another"));
    let fen = answers.iter().find_map(|line| line.strip_prefix("Fen: ")).unwrap();
    assert!(fen.starts_with("rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq"), "{fen}");
}

#[test]
fn an_invalid_go_is_reported_and_answered() {
    let script = "go nodes many\ngo searchmoves a8a1 depth 1\ngo depth -1\n\
                  go depth 4294967296 nodes 50\ngo nodes 0\n";
    let answers = answers(script);
    assert_eq!(best_moves(&answers).len(), 5);
    assert!(!best_moves(&answers).contains(&"0000"));
    let complaints = info_strings(&answers);
    assert_eq!(complaints.len(), 5, "{complaints:?}");
    assert!(complaints[0].contains("`nodes` needs a number, not `many`"));
    assert!(complaints[1].contains("not legal here: a8a1; searching all moves"));
    assert!(complaints[2].contains("`depth -1` is out of range; using 1"));
}

/// Otherwise the engine would play on in another game.
#[test]
fn after_a_refused_position_there_is_no_move_until_the_next() {
    let answers =
        answers("position startpos moves e2e4 e2e4\ngo depth 1\nposition startpos\ngo depth 1\n");
    let moves = best_moves(&answers);
    assert_eq!(moves[0], "0000");
    assert_ne!(moves[1], "0000");
    assert!(
        info_strings(&answers)[1].starts_with("no move: the position was refused: illegal move")
    );
}

#[test]
fn finished_games_have_a_score() {
    let answers = answers(
        "position fen R5k1/5ppp/8/8/8/8/8/4K3 b - - 0 1\ngo depth 3\n\
         position fen 7k/5Q2/6K1/8/8/8/8/8 b - -\ngo depth 3\n",
    );
    assert!(answers.contains(&"info depth 0 score mate 0".to_owned()), "{answers:?}");
    assert!(answers.contains(&"info depth 0 score cp 0".to_owned()), "{answers:?}");
    assert_eq!(best_moves(&answers), ["0000", "0000"]);
}

/// The move is the first of the last reported line, also in an aborted search.
#[test]
fn the_last_line_before_the_move_is_its_own() {
    for nodes in (50..3_000).step_by(211) {
        let answers = answers(format!(
            "position fen r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1\n\
             go nodes {nodes}\n"
        ));
        let line = answers.iter().rev().find(|line| line.contains(" pv ")).unwrap();
        let first = line.split(" pv ").nth(1).and_then(|pv| pv.split(' ').next()).unwrap();
        assert_eq!(best_moves(&answers), [first], "{nodes}");
    }
}

/// Nodes and scores of the judging search, switched on and off again within a session.
#[test]
fn judging_leaves_out_correction_history() {
    let position =
        "position fen r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1";
    let game = format!("ucinewgame\n{position}\ngo nodes 4000\ngo nodes 8000\n");
    let lines = |script: String, techniques| -> Vec<String> {
        let output = Transcript::default();
        let options = UciOptions { techniques, ..options() };
        run_uci(Cursor::new(script.into_bytes()), output.clone(), options).unwrap();
        let text = String::from_utf8(output.0.lock().unwrap().clone()).unwrap();
        let scores = text.lines().filter_map(|line| line.split_once(" score "));
        // Rates and times differ between runs.
        scores.map(|(_, rest)| rest.split(" nps ").next().unwrap_or("").to_owned()).collect()
    };
    let judging = lines(game.clone(), Techniques::JUDGING);
    let playing = lines(game.clone(), Techniques::PLAYING);
    assert_ne!(judging, playing);
    let switched = |on: bool| format!("setoption name Judging value {on}\n{game}");
    assert_eq!(lines(switched(true), Techniques::PLAYING), judging);
    let [on, off] = [true, false].map(switched);
    assert_eq!(lines(on + &off, Techniques::PLAYING), [judging, playing].concat());
}

#[test]
fn several_lines_are_different_and_in_order() {
    let answers = answers(
        "setoption name MultiPV value 3\nsetoption name UCI_ShowWDL value true\n\
         position fen 6k1/5ppp/8/8/8/8/8/R3K3 w - - 0 1\ngo depth 5\n",
    );
    let last: Vec<&String> =
        answers.iter().filter(|line| line.starts_with("info depth 5 ")).collect();
    assert_eq!(last.len(), 3, "{answers:#?}");
    for (i, line) in last.iter().enumerate() {
        assert!(line.contains(&format!(" multipv {} score ", i + 1)), "{line}");
    }
    assert!(last[0].contains("score mate 1 wdl 1000 0 0 ") && last[0].ends_with("pv a1a8"));
    let firsts: Vec<_> = last.iter().filter_map(|line| line.split(" pv ").nth(1)).collect();
    assert!(firsts[0] != firsts[1] && firsts[1] != firsts[2]);
    assert_eq!(best_moves(&answers), ["a1a8"]);
}

/// `stop` ends a search although commands wait for it.
#[test]
fn stop_overtakes_waiting_commands() {
    let answers = answers("go depth 100\nucinewgame\ngo depth 100\nisready\nstop\n");
    assert_eq!(best_moves(&answers).len(), 2);
    assert!(answers.contains(&"readyok".to_owned()));
}

#[test]
fn survives_garbage() {
    let mut script: Vec<u8> = (0..=255u8).cycle().take(5_000).collect();
    script.extend_from_slice(b"\ngo depth -1\ngo nodes 99999999999999999999\nstop\n");
    script.extend_from_slice(b"position fen k7/8/8/8/8/8/8/K7 w - - 4000000000 4000000000\n");
    script.extend_from_slice(b"setoption name Hash value 0\nisready\ngo depth 1\n");
    let answers = answers(script);
    assert!(answers.contains(&"readyok".to_owned()));
    assert_eq!(best_moves(&answers).len(), 3);
}

#[test]
fn another_evaluation_can_be_loaded() {
    let fen = "position fen 4k3/8/8/8/8/8/8/Q3K3 w - - 0 1\n";
    let answers = answers(format!("{fen}setoption name EvalFile value material\neval\n"));
    assert!(
        answers.contains(&"evaluation 900 cp for the side to move, scale of the search".to_owned())
    );
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

/// The option sets the written notation of castling; both are read.
#[test]
fn uci_chess960_is_a_matter_of_notation() {
    let castle = "position fen 4k3/8/8/8/8/8/8/4K2R w K - 0 1 moves ";
    let script = format!(
        "{castle}e1g1\nd\n{castle}e1h1\nd\n\
         position fen 4k3/8/8/8/8/8/8/4K2R w K - 0 1\n\
         go searchmoves e1h1 depth 1\n\
         setoption name UCI_Chess960 value true\n\
         go searchmoves e1g1 depth 1\ngo perft 1\n"
    );
    let answers = answers(script);
    let fens: Vec<_> = answers.iter().filter(|line| line.starts_with("Fen: ")).collect();
    assert_eq!(fens[0], fens[1]);
    assert_eq!(best_moves(&answers), ["e1g1", "e1h1"]);
    assert!(answers.contains(&"e1h1: 1".to_owned()));
}

#[test]
fn perft_counts_move_by_move() {
    let answers = answers("go perft 3\nposition fen 7k/5Q2/6K1/8/8/8/8/8 b - -\ngo perft 2\n");
    assert!(answers.contains(&"e2e4: 600".to_owned()));
    assert!(answers.contains(&"Nodes searched: 8902".to_owned()));
    assert!(answers.contains(&"Nodes searched: 0".to_owned()));
}

#[test]
fn pondering_waits_for_the_opponent() {
    // The clock is all but up, yet no move comes before the hit.
    let answers = answers(
        "position startpos moves e2e4 e7e5\ngo ponder wtime 1 btime 1 depth 3\n\
         isready\nponderhit\nisready\ngo ponder nodes 50\nstop\nponderhit\n",
    );
    let ready = answers.iter().position(|line| line == "readyok").unwrap();
    assert!(answers[..ready].iter().all(|line| !line.starts_with("bestmove")), "{answers:?}");
    assert_eq!(best_moves(&answers).len(), 2);
}

#[test]
fn a_hunt_for_a_mate_ends_with_the_mate_or_with_stop() {
    let mate = "position fen 7k/8/8/8/8/8/R7/1R4K1 w - - 0 1\ngo mate 2\n";
    let none = "position fen 4k3/8/8/8/8/8/8/4K2R b - - 0 1\ngo mate 1\nstop\n";
    let (found, stopped) = (answers(mate), answers(none));
    assert_eq!([best_moves(&found).len(), best_moves(&stopped).len()], [1, 1]);
    assert!(found.iter().any(|line| line.contains("score mate 2 ")), "{found:?}");
}

#[test]
fn several_threads_find_the_mate_too() {
    let answers = answers(
        "setoption name Threads value 3\n\
         position fen 6k1/5ppp/8/8/8/8/8/R3K3 w - - 0 1\ngo depth 4\n\
         setoption name Threads value 1\ngo depth 4\n",
    );
    assert_eq!(best_moves(&answers), ["a1a8", "a1a8"]);
}

#[test]
fn games_are_played_from_the_book() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("one.bin");
    let mut entry = chess::Position::default().polyglot_key().to_be_bytes().to_vec();
    // a2a3, of weight 5.
    entry.extend([0x02, 0x10, 0, 5, 0, 0, 0, 0]);
    std::fs::write(&path, &entry).unwrap();
    let answers = answers(format!(
        "setoption name Book File value {}\ngo depth 1\n\
         setoption name OwnBook value true\ngo depth 1\n\
         setoption name Best Book Move value true\ngo wtime 100 btime 100\n\
         go depth 1 searchmoves e2e4\nposition startpos moves a2a3\ngo depth 1\n\
         setoption name Book File value {}\nposition startpos\ngo depth 1\n\
         setoption name Book File value\ngo depth 1\n",
        path.display(),
        folder.path().display(),
    ));
    let moves = best_moves(&answers);
    assert_ne!(moves[0], "a2a3");
    assert_eq!(moves[1..4], ["a2a3", "a2a3", "e2e4"]);
    assert_eq!(moves[5], "a2a3", "a book that cannot be read changes nothing");
    assert_ne!(moves[6], "a2a3");
    assert!(info_strings(&answers).contains(&"book move of weight 5"));
    assert!(
        info_strings(&answers).iter().any(|line| line.starts_with("opening book ")),
        "{answers:?}"
    );
}

#[test]
fn endless_lines_cost_nothing_but_reading() {
    let mut script = vec![b'x'; 10 << 20];
    script.extend_from_slice(b"\nposition fen ");
    script.extend(std::iter::repeat_n(b'k', 500_000));
    script.extend_from_slice(b"\nposition startpos moves");
    script.extend(b" g1f3 g8f6 f3g1 f6g8".repeat(10_000));
    script.extend_from_slice(b"\nsetoption name Nothing\0\x1b[31m\xff value 1\ngo depth 1\n");
    let answers = answers(script);
    assert!(info_strings(&answers)[0].starts_with("line of 10485760 bytes ignored"));
    assert!(info_strings(&answers)[1].starts_with("not a legal position: `kkk"));
    assert!(
        info_strings(&answers)[2].starts_with("no option `Nothing??[31m"),
        "{:?}",
        info_strings(&answers)
    );
    assert!(answers.iter().all(|line| line.len() < 1_000));
    assert_eq!(best_moves(&answers).len(), 1);
}

#[test]
fn missing_tables_are_reported() {
    let answers = answers("setoption name SyzygyPath value no/such/folder\ngo depth 1\n");
    assert!(info_strings(&answers)[0].contains("no/such/folder"), "{answers:?}");
    assert_eq!(best_moves(&answers).len(), 1);
}

/// Lines as interfaces send them, and as they should not.
fn some_line() -> impl Strategy<Value = Vec<u8>> {
    let real = prop::sample::select(vec![
        "uci",
        "isready",
        "ucinewgame",
        "position startpos",
        "position startpos moves e2e4 e7e5 g1f3",
        "position fen r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
        "position fen 1r2k1r1/8/8/8/8/8/8/1R2K1R1 w GBgb - 4294967295 4294967295 moves e1g1",
        "position fen 8/8/8/8/8/8/8/8 w - - 0 1",
        "go nodes 50",
        "go depth 2 searchmoves e2e4 d2d4",
        "go wtime 20 btime 20 winc 1 binc 1 movestogo 2",
        "go movetime 3",
        "go ponder nodes 20",
        "go infinite",
        "go mate 1",
        "go perft 2",
        "ponderhit",
        "stop",
        "setoption name Hash value 1",
        "setoption name Threads value 2",
        "setoption name UCI_Chess960 value true",
        "setoption name OwnBook value true",
        "setoption name Book File value nowhere.bin",
        "setoption name SyzygyPath value nowhere",
        "setoption name EvalFile value material",
        "setoption name Move Overhead value 5000",
        "setoption name Clear Hash",
        "eval",
        "d",
        "bench 1",
        "debug on",
    ]);
    let mutated = (real.clone(), any::<prop::sample::Index>(), any::<u8>(), 0..4).prop_map(
        |(line, at, byte, how)| {
            let mut bytes = line.as_bytes().to_vec();
            let at = at.index(bytes.len());
            match how {
                0 => bytes[at] = byte,
                1 => bytes.insert(at, byte),
                2 => drop(bytes.remove(at)),
                _ => bytes.truncate(at),
            }
            bytes
        },
    );
    let real = real.prop_map(|line| line.as_bytes().to_vec());
    prop_oneof![3 => real, 3 => mutated, 1 => prop::collection::vec(any::<u8>(), 0..60)]
}

/// Whether a line sets at most 2 MiB of hash and two threads: mutated numbers may need gigabytes.
fn harmless(line: &[u8]) -> bool {
    let text = String::from_utf8_lossy(line).to_lowercase();
    let asks_for_much = |name| text.contains(name) && text.contains("value");
    text.trim_end().ends_with("value 1")
        || text.trim_end().ends_with("value 2")
        || !(asks_for_much("hash") || asks_for_much("threads"))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// The engine answers the last question of any script.
    #[test]
    fn no_session_ends_before_its_time(lines in prop::collection::vec(some_line(), 0..12)) {
        let mut script = Vec::new();
        let quits = |line: &[u8]| String::from_utf8_lossy(line).contains("quit");
        for line in lines.iter().filter(|line| harmless(line) && !quits(line)) {
            script.extend_from_slice(line);
            // Mutated limits may be endless.
            script.extend_from_slice(b"\nstop\n");
        }
        script.extend_from_slice(
            b"setoption name OwnBook value false\nposition startpos\ngo nodes 10\nisready\n",
        );
        let answers = answers(script);
        prop_assert!(answers.contains(&"readyok".to_owned()), "{:?}", answers);
        prop_assert!(!best_moves(&answers).is_empty(), "{:?}", answers);
    }
}

/// A script is read at once, while the program still loads its evaluation: its clocks start later.
#[test]
fn the_clock_of_a_script_runs_from_its_execution() {
    let load_evaluator: EvaluatorLoader = Arc::new(|_| {
        std::thread::sleep(std::time::Duration::from_millis(700));
        Ok(Arc::new(|| Box::new(Tapered::pesto())))
    });
    let output = Transcript::default();
    let input = Cursor::new("go movetime 600\n");
    run_uci(input, output.clone(), UciOptions { load_evaluator, ..options() }).unwrap();
    let text = String::from_utf8(output.0.lock().unwrap().clone()).unwrap();
    assert!(text.contains("info depth 2 "), "{text}");
}
