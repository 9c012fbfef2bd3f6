use super::super::mock::{FirstMover, HashMover, Scripted};
use super::super::rules::{DrawRule, ResignRule};
use super::*;
use chess::{EndgameTable, TablebaseOutcome};

fn at(fen: &str) -> Opening {
    Opening::at(Position::from_fen(fen).unwrap())
}

fn play(opening: &Opening, white: &str, black: &str, rules: &GameRules) -> PlayedGame {
    let (mut white, mut black) = (Scripted::new(white), Scripted::new(black));
    play_game(
        opening,
        ByColor { white: &mut white, black: &mut black },
        rules,
        &AtomicBool::new(false),
    )
    .unwrap()
}

fn ending(opening: &Opening, white: &str, black: &str) -> (GameResult, EndReason) {
    let game = play(opening, white, black, &GameRules::without_adjudication());
    (game.result, game.reason)
}

const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";

#[test]
fn games_end_by_the_rules_of_chess() {
    use EndReason::*;
    use GameResult::{Draw, Win};
    let fools_mate = ending(&at(START), "f2f3 g2g4", "e7e5 d8h4");
    assert_eq!(fools_mate, (Win(Color::Black), Checkmate));
    assert_eq!(ending(&at("7k/8/6K1/8/8/8/8/5Q2 w - - 0 1"), "f1f7", ""), (Draw, Stalemate));
    let capture = at("4k3/8/8/8/8/8/4q3/4K3 w - - 0 1");
    assert_eq!(ending(&capture, "e1e2", ""), (Draw, InsufficientMaterial));
    let dance = ending(&at(START), "g1f3 f3g1 g1f3 f3g1", "g8f6 f6g8 g8f6 f6g8");
    assert_eq!(dance, (Draw, Threefold));
    let late = at("4k3/8/8/8/8/8/8/R3K3 w - - 99 80");
    assert_eq!(ending(&late, "a1a2", ""), (Draw, FiftyMoves));
}

#[test]
fn mate_on_the_hundredth_ply_counts() {
    let mate = ending(&at("7k/8/6K1/8/8/8/8/R7 w - - 99 80"), "a1a8", "");
    assert_eq!(mate, (GameResult::Win(Color::White), EndReason::Checkmate));
}

#[test]
fn repetition_counts_the_opening_moves() {
    let mut opening = at(START);
    for text in ["g1f3", "g8f6", "f3g1", "f6g8"] {
        opening.push(opening.position().parse_uci(text).unwrap());
    }
    let game = play(&opening, "g1f3 f3g1", "g8f6 f6g8", &GameRules::default());
    assert_eq!((game.reason, game.moves.len()), (EndReason::Threefold, 4));
}

#[test]
fn each_rule_of_chess_can_be_switched_off() {
    let rules = GameRules {
        threefold: false,
        fifty_moves: false,
        insufficient_material: false,
        ..GameRules::without_adjudication()
    };
    let dance = play(&at(START), "g1f3 f3g1 g1f3 f3g1", "g8f6 f6g8 g8f6 f6g8", &rules);
    assert_eq!((dance.reason, dance.moves.len()), (EndReason::Forfeit(Forfeit::NoMove), 8));
    let bare = play(&at("4k3/8/8/8/8/8/8/4K3 w - - 120 90"), "e1e2", "", &rules);
    assert_eq!((bare.reason, bare.moves.len()), (EndReason::Forfeit(Forfeit::NoMove), 1));
}

#[test]
fn silence_and_illegal_moves_forfeit() {
    let (white_wins, black_wins) = (GameResult::Win(Color::White), GameResult::Win(Color::Black));
    assert_eq!(ending(&at(START), "", ""), (black_wins, EndReason::Forfeit(Forfeit::NoMove)));
    // A king's step that was legal elsewhere.
    assert_eq!(
        ending(&at(START), "e2e4", "!e8e7"),
        (white_wins, EndReason::Forfeit(Forfeit::IllegalMove))
    );
}

#[test]
fn thinking_too_long_forfeits() {
    let game = |control: &str, margin| {
        let control = control.parse().unwrap();
        let rules = GameRules { time_margin_ms: margin, ..GameRules::without_adjudication() };
        let think = Duration::from_millis(20);
        let mut slow = Scripted::new("e2e4 d2d4").thinking(think, control);
        let mut other = Scripted::new("e7e5");
        let players = ByColor::<&mut dyn Player> { white: &mut slow, black: &mut other };
        let game = play_game(&at(START), players, &rules, &AtomicBool::new(false)).unwrap();
        assert_eq!(game.time_controls.white, control);
        (game.result, game.reason, game.moves.len())
    };
    let lost = (GameResult::Win(Color::Black), EndReason::Forfeit(Forfeit::Time));
    assert_eq!(game("0.001/move", 0), (lost.0, lost.1, 0));
    assert_eq!(game("0.019", 0), (lost.0, lost.1, 0));
    // The second move has the rest of the first one's time.
    assert_eq!(game("60", 0).1, EndReason::Forfeit(Forfeit::NoMove));
    assert_eq!(game("0.001/move", 60_000).1, EndReason::Forfeit(Forfeit::NoMove));
}

/// A busy machine wakes the referee late, which is no fault of the player.
#[test]
fn the_referees_own_delay_is_not_charged() {
    let control = "0.4".parse().unwrap();
    let rules = GameRules { time_margin_ms: 0, ..GameRules::without_adjudication() };
    let mut prompt = Scripted::new("e2e4").delayed(Duration::from_millis(500), control);
    let mut other = Scripted::new("e7e5");
    let players = ByColor::<&mut dyn Player> { white: &mut prompt, black: &mut other };
    let game = play_game(&at(START), players, &rules, &AtomicBool::new(false)).unwrap();
    assert_eq!(game.reason, EndReason::Forfeit(Forfeit::NoMove));
    assert!(game.times[0].is_some_and(|time| time < Duration::from_millis(400)));
}

#[test]
fn a_raised_flag_stops_the_game() {
    let (mut white, mut black) = (FirstMover, FirstMover);
    let players = ByColor::<&mut dyn Player> { white: &mut white, black: &mut black };
    let stopped = AtomicBool::new(true);
    assert!(play_game(&at(START), players, &GameRules::default(), &stopped).is_none());
}

const ROOKS: &str = "r3k3/8/8/8/8/8/8/R3K3 w - - 0 60";

/// Four moves of a rook that neither repeat nor give check.
fn rook_moves(rank: u8, scores: impl Fn(usize) -> i32) -> String {
    let squares = "abc".chars().zip("bcd".chars());
    let other = if rank == 1 { 2 } else { 7 };
    let mut texts = vec![format!("a{rank}a{other}")];
    texts.extend(squares.map(|(from, to)| format!("{from}{other}{to}{other}")));
    let scored = texts.iter().enumerate().map(|(i, text)| format!("{text}:{}", scores(i)));
    scored.collect::<Vec<_>>().join(" ")
}

fn rook_game(
    white: impl Fn(usize) -> i32,
    black: impl Fn(usize) -> i32,
    rules: &GameRules,
) -> PlayedGame {
    play(&at(ROOKS), &rook_moves(1, white), &rook_moves(8, black), rules)
}

#[test]
fn level_scores_are_adjudicated_a_draw_from_the_set_move_on() {
    let draw = DrawRule { from_move: 62, moves: 2, bound_cp: 10 };
    let rules = GameRules { draw: Some(draw), ..GameRules::without_adjudication() };
    let game = rook_game(|_| 10, |_| -10, &rules);
    assert_eq!((game.reason, game.moves.len()), (EndReason::DrawAdjudication, 4));
    // A score beyond the bound on White's second move starts the count anew.
    let game = rook_game(|i| if i == 1 { 11 } else { 0 }, |_| 0, &rules);
    assert_eq!((game.reason, game.moves.len()), (EndReason::DrawAdjudication, 7));
    let late = GameRules { draw: Some(DrawRule { from_move: 64, ..draw }), ..rules };
    let game = rook_game(|_| 0, |_| 0, &late);
    assert_eq!((game.reason, game.moves.len()), (EndReason::DrawAdjudication, 8));
}

#[test]
fn a_pawn_move_starts_the_draw_count_anew() {
    let draw = DrawRule { from_move: 1, moves: 1, bound_cp: 10 };
    let rules = GameRules { draw: Some(draw), ..GameRules::without_adjudication() };
    let opening = at("4k3/7p/8/8/8/8/7P/4K3 w - - 0 60");
    let game = play(&opening, "h2h3:0 e1e2:0", "h7h6:0 e8e7:0", &rules);
    assert_eq!((game.reason, game.moves.len()), (EndReason::DrawAdjudication, 4));
}

/// A table in which a rook wins.
#[derive(Debug)]
struct RookEndings;

impl EndgameTable for RookEndings {
    fn most_pieces(&self) -> usize {
        3
    }

    fn probe(&self, position: &Position) -> Option<TablebaseOutcome> {
        let board = position.board();
        let rook = (board.rooks() & board.by_color(position.turn())).any();
        Some(if rook { TablebaseOutcome::Win } else { TablebaseOutcome::Loss })
    }

    fn best_moves(&self, _: &Position) -> Option<Vec<Move>> {
        None
    }
}

#[test]
fn tables_decide_after_a_capture_into_them() {
    let rules = GameRules::without_adjudication();
    let game = |fen: &str, white: &str, black: &str| {
        let (mut white, mut black) = (Scripted::new(white), Scripted::new(black));
        let players = ByColor::<&mut dyn Player> { white: &mut white, black: &mut black };
        let referee = Referee { rules: &rules, tables: Some(&RookEndings) };
        let game = play_game(&at(fen), players, referee, &AtomicBool::new(false)).unwrap();
        (game.result, game.reason, game.moves.len())
    };
    let white_wins = GameResult::Win(Color::White);
    let captured = game("8/8/8/8/8/k7/8/1n1RK3 w - - 5 60", "d1b1 b1b8", "a3a2");
    assert_eq!(captured, (white_wins, EndReason::TablebaseAdjudication, 1));
    // Moves that count towards the fifty are not the tables' business.
    let counted = game("8/8/8/8/8/k7/8/1R2K3 b - - 1 60", "", "a3a4");
    assert_eq!((counted.1, counted.2), (EndReason::Forfeit(Forfeit::NoMove), 1));
}

#[test]
fn a_win_is_adjudicated_when_both_agree() {
    let resign = ResignRule { moves: 2, bound_cp: 1000 };
    let rules = GameRules { resign: Some(resign), ..GameRules::without_adjudication() };
    let game = rook_game(|_| -1000, |_| 1500, &rules);
    assert_eq!((game.result, game.moves.len()), (GameResult::Win(Color::Black), 4));
    assert_eq!(game.reason, EndReason::ResignAdjudication);
    // Both think that they are winning: no agreement.
    let game = rook_game(|_| 2000, |_| 2000, &rules);
    assert_eq!(game.reason, EndReason::Forfeit(Forfeit::NoMove));
    // A resignation score of one side alone does not suffice.
    let game = rook_game(|_| -2000, |_| 900, &rules);
    assert_eq!(game.reason, EndReason::Forfeit(Forfeit::NoMove));
}

#[test]
fn long_games_are_drawn() {
    let rules = GameRules { max_plies: Some(5), ..GameRules::without_adjudication() };
    let game = rook_game(|_| 500, |_| 500, &rules);
    assert_eq!((game.result, game.moves.len()), (GameResult::Draw, 5));
    assert_eq!(game.reason, EndReason::MaxPlies);
}

#[test]
fn scores_and_nodes_are_those_of_the_movers() {
    let (mut white, mut black) = (HashMover::new(1), HashMover::new(2));
    let players = ByColor::<&mut dyn Player> { white: &mut white, black: &mut black };
    let rules = GameRules { max_plies: Some(11), ..GameRules::without_adjudication() };
    let game = play_game(&at(START), players, &rules, &AtomicBool::new(false)).unwrap();
    assert_eq!((game.moves.len(), game.scores.len()), (11, 11));
    assert_eq!(game.nodes, ByColor { white: 6, black: 5 });
}
