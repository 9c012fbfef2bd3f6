//! Correct and faulty engines, as shell scripts.

use std::sync::atomic::AtomicBool;
use std::thread;

use super::*;
use crate::uci::position_line;
use crate::{EndReason, GameRules, Opening, PlayedGame, TimeControl, play_game};
use chess::ByColor;
use data::{GameResult, Score};

/// An engine with two moves for each side that runs `go` at its second move.
fn script(go: &str) -> String {
    format!(
        r#"moves=
        while read -r line; do case "$line" in
            uci) echo "id name mock"; echo "option name Threads type spin"; echo uciok;;
            isready) echo readyok;;
            "position startpos") moves="e2e4 g1f3"; second=false;;
            "position startpos moves "????) moves="e7e5 b8c6"; second=false;;
            position*) second=true;;
            go*) if $second; then {go}; else
                echo "info depth 1 score cp 42 nodes 7 pv e2e4"
                echo "bestmove ${{moves% *}}"; fi;;
            quit) exit 0;;
        esac; done"#
    )
}

/// A correct second move.
const PLAYS: &str = r#"echo "info score mate -3 nodes 5"; echo "bestmove ${moves#* }""#;

fn engine(script: String, control: &str) -> EngineSpec {
    EngineSpec {
        program: Program {
            command: vec!["sh".to_owned(), "-c".to_owned(), script],
            options: Vec::new(),
            patience: Duration::from_millis(1_000),
        },
        nodes: Some(100),
        jitter: None,
        depth: None,
        time_control: control.parse().unwrap(),
    }
}

/// A game of four plies at most.
fn game(
    white: &mut UciPlayer<'_>,
    black: &mut UciPlayer<'_>,
    stop: &AtomicBool,
) -> Option<PlayedGame> {
    let rules =
        GameRules { max_plies: Some(4), time_margin_ms: 0, ..GameRules::without_adjudication() };
    play_game(&Opening::at(Position::default()), ByColor { white, black }, &rules, stop)
}

/// Forfeits of White, which runs `go` at its second move, in two games against a correct engine.
/// Both restart or go on as needed.
fn forfeits(go: &str, control: &str) -> [Forfeit; 2] {
    let go_on = AtomicBool::new(false);
    let mut bad = UciPlayer::new(engine(script(go), control), &go_on);
    let mut good = UciPlayer::new(engine(script(PLAYS), "-"), &go_on);
    [(), ()].map(|()| {
        let game = game(&mut bad, &mut good, &go_on).unwrap();
        assert_eq!(game.result, GameResult::Win(Color::Black));
        assert_eq!(game.moves.len(), 2);
        game.reason.forfeit().unwrap()
    })
}

#[test]
fn engines_that_behave_play() {
    let go_on = AtomicBool::new(false);
    let player = || UciPlayer::new(engine(script(PLAYS), "1+0.1"), &go_on);
    let (mut white, mut black) = (player(), player());
    for _ in 0..2 {
        let game = game(&mut white, &mut black, &go_on).unwrap();
        assert_eq!(game.reason, EndReason::MaxPlies);
        let [calm, mated] = [Score::Centipawns(42), Score::Mate(-3)].map(Some);
        assert_eq!(game.scores, [calm, calm, mated, mated]);
        assert_eq!(game.nodes, ByColor { white: 12, black: 12 });
        let control: TimeControl = "1+0.1".parse().unwrap();
        assert_eq!(game.time_controls, ByColor { white: control, black: control });
    }
}

#[test]
fn an_engine_that_crashes_loses_and_restarts() {
    assert_eq!(forfeits("exit 1", "-"), [Forfeit::Crash; 2]);
    assert_eq!(forfeits("exit 1", "1+0.1"), [Forfeit::Crash; 2]);
}

#[test]
fn a_silent_engine_loses_and_is_killed() {
    assert_eq!(forfeits("true", "-"), [Forfeit::Stall; 2]);
    assert_eq!(forfeits("true", "0.05/move"), [Forfeit::Stall; 2]);
    // An engine that no longer reads.
    assert_eq!(forfeits("while true; do sleep 0.05; done", "0.05"), [Forfeit::Stall; 2]);
}

#[test]
fn an_engine_that_babbles_loses() {
    assert_eq!(forfeits("while true; do echo babble; done", "0.05/move"), [Forfeit::Stall; 2]);
}

#[test]
fn a_late_engine_loses_on_time() {
    let late = format!("sleep 0.2; {PLAYS}");
    assert_eq!(forfeits(&late, "0.15/move"), [Forfeit::Time; 2]);
    // Later than the referee waits.
    let later = format!("sleep 0.4; {PLAYS}");
    assert_eq!(forfeits(&later, "0.15"), [Forfeit::Time; 2]);
}

#[test]
fn an_engine_without_a_legal_move_loses() {
    for text in ["e2e4", "a1a1", "e1g1", "nonsense", "e7e8q"] {
        let bad = format!("echo bestmove {text}");
        assert_eq!(forfeits(&bad, "-"), [Forfeit::IllegalMove; 2], "{text}");
    }
    assert_eq!(forfeits("echo 'bestmove (none)'", "-"), [Forfeit::NoMove; 2]);
    assert_eq!(forfeits("echo bestmove", "-"), [Forfeit::NoMove; 2]);
}

#[test]
fn garbage_before_a_move_is_passed_over() {
    let garbage = r"printf '\377\000bestmove\n'; head -c 300000 /dev/zero; echo";
    let go_on = AtomicBool::new(false);
    let mut dirty = UciPlayer::new(engine(script(&format!("{garbage}; {PLAYS}")), "10"), &go_on);
    let mut clean = UciPlayer::new(engine(script(PLAYS), "10"), &go_on);
    assert_eq!(game(&mut dirty, &mut clean, &go_on).unwrap().reason, EndReason::MaxPlies);
}

#[test]
fn a_stopped_match_does_not_wait() {
    let stop = AtomicBool::new(false);
    let mut spec = engine(script("true"), "-");
    spec.program.patience = Duration::from_secs(600);
    let mut silent = UciPlayer::new(spec, &stop);
    let mut good = UciPlayer::new(engine(script(PLAYS), "-"), &stop);
    thread::scope(|scope| {
        scope.spawn(|| {
            thread::sleep(Duration::from_millis(300));
            stop.store(true, std::sync::atomic::Ordering::Relaxed);
        });
        assert!(game(&mut silent, &mut good, &stop).is_none());
    });
}

#[test]
fn engines_are_tried_out() {
    let go_on = AtomicBool::new(false);
    let spec = engine(script(PLAYS), "-");
    assert_eq!(spec.probe(&go_on).unwrap().as_deref(), Some("mock"));
    let with = |name: &str| {
        let options = vec![(name.to_owned(), "1".to_owned())];
        let program = Program { options, ..spec.program.clone() };
        EngineSpec { program, ..spec.clone() }.probe(&go_on)
    };
    assert!(with("threads").is_ok());
    let error = with("Contempt").unwrap_err().to_string();
    assert!(error.contains("no option `Contempt`; it has Threads"), "{error}");

    let program = |command: &[&str]| {
        let command = command.iter().map(|&word| word.to_owned()).collect();
        let program = Program { command, ..spec.program.clone() };
        EngineSpec { program, ..spec.clone() }.probe(&go_on).unwrap_err().to_string()
    };
    assert!(
        program(&["no-such-engine", "x"]).starts_with("engine `no-such-engine x`: start failed")
    );
    assert!(program(&[]).contains("no program given"));
    assert!(program(&["true"]).contains("after `uci`"));
    assert!(program(&["sh", "-c", "while read -r x; do :; done"]).contains("`uciok`"));
    assert!(program(&["sh", "-c", "while read -r x; do echo uciok; done"]).contains("`readyok`"));
}

/// The lines that an engine receives before White's second move.
fn commands(
    spec: &EngineSpec,
    start: &Position,
    moves: &[&str],
    clocks: ByColor<&str>,
) -> [String; 2] {
    let mut opening = Opening::at(start.clone());
    moves.iter().for_each(|text| opening.push(opening.position().parse_uci(text).unwrap()));
    let clock = |control: &str| GameClock::new(control.parse().unwrap(), Duration::from_secs(9));
    let turn = Turn {
        start,
        moves: opening.moves(),
        position: opening.position(),
        history: opening.history(),
        clocks: clocks.map(clock),
    };
    [position_line(turn.start, turn.moves.iter().copied()), spec.go(&turn)]
}

#[test]
fn engines_receive_position_and_limits() {
    let spec = EngineSpec { nodes: None, ..engine(String::new(), "-") };
    let commands = |moves: &[&str], white, black| {
        commands(&spec, &Position::default(), moves, ByColor { white, black })
    };
    assert_eq!(commands(&[], "1+0.02", "-"), ["position startpos", "go wtime 1020 winc 20"]);
    let [position, go] = commands(&["e2e4"], "40/60", "40/30+0.5");
    assert_eq!(position, "position startpos moves e2e4");
    assert_eq!(go, "go wtime 60000 winc 0 btime 30500 binc 500 movestogo 40");
    assert_eq!(commands(&["e2e4"], "1", "0.01/move")[1], "go movetime 10");
    // The referee's margin is not announced, and a running clock never shows 0.
    assert_eq!(commands(&[], "0.0001", "0.0001")[1], "go wtime 1 winc 0 btime 1 binc 0");
}

#[test]
fn chess960_castling_is_written_as_engines_expect() {
    let spec = EngineSpec { nodes: Some(5), depth: Some(3), ..engine(String::new(), "-") };
    let start = Position::from_fen("4k3/8/8/8/8/8/8/1R2K1R1 w GB - 0 1").unwrap();
    let [position, go] = commands(&spec, &start, &["e1g1"], ByColor { white: "-", black: "-" });
    assert_eq!(position, format!("position fen {start} moves e1g1"));
    assert_eq!(go, "go nodes 5 depth 3");
    assert!(start.is_chess960() && !Position::default().is_chess960());
}
