use std::convert::Infallible;
use std::num::NonZeroU64;

use super::*;
use chess::Color;
use engine::Tapered;

fn quick(threads: usize, target: GamesTarget) -> SelfplayConfig {
    let nodes = const { NonZeroU64::new(150).unwrap() };
    let settings = SelfplaySettings { nodes, hash_mb: 1, ..SelfplaySettings::default() };
    SelfplayConfig { settings, target, shard: Shard::ALL, book: Vec::new(), threads }
}

fn games(config: &SelfplayConfig) -> Vec<Game> {
    let mut games = Vec::new();
    let mut keep = |game| {
        games.push(game);
        Ok::<_, Infallible>(())
    };
    let stop = AtomicBool::new(false);
    let before = Production::default();
    let make = || Box::new(Tapered::pesto()) as Box<dyn Evaluator>;
    let made = generate(config, before, &make, &mut keep, &mut |_| {}, &stop).unwrap();
    assert_eq!(made, counts_of(&games));
    games
}

fn counts_of(games: &[Game]) -> Production {
    let mut counts = Production::default();
    games.iter().for_each(|game| counts.count(game));
    counts
}

/// A game as text.
fn record(game: &Game) -> String {
    format!("{} {:?} {:?}", game.start.fen(), game.moves, game.result)
}

#[test]
fn the_same_games_whatever_the_threads() {
    let records = |threads| -> Vec<String> {
        games(&quick(threads, GamesTarget::Games(6))).iter().map(record).collect()
    };
    let alone = records(1);
    assert_eq!(alone.len(), 6);
    assert_eq!(alone, records(3));
    let mut other = quick(2, GamesTarget::Games(6));
    other.settings.seed = 2;
    let others: Vec<String> = games(&other).iter().map(record).collect();
    assert!(alone.iter().all(|game| !others.contains(game)));
}

#[test]
fn games_are_legal_scored_and_end_as_they_say() {
    for game in games(&quick(2, GamesTarget::Games(8))) {
        let book = game.moves.iter().take_while(|m| m.white_score.is_none()).count();
        assert!((6..=9).contains(&book));
        let mut position = game.start.clone();
        for (ply, m) in game.moves.iter().enumerate() {
            assert!(position.is_legal(m.played) && m.white_score.is_some() == (ply >= book));
            position.play(m.played);
        }
        if position.is_checkmate() {
            assert_eq!(game.result, Some(GameResult::Win(!position.turn())));
        }
        let last = game.moves.last().unwrap().white_score.unwrap();
        match game.result.unwrap() {
            GameResult::Win(Color::White) => assert!(engine::value::centipawns(last) > 0),
            GameResult::Win(Color::Black) => assert!(engine::value::centipawns(last) < 0),
            GameResult::Draw => {}
        }
    }
}

#[test]
fn a_target_in_positions_ends_with_a_whole_game() {
    let games = games(&quick(2, GamesTarget::Positions(300)));
    let scored = |game: &Game| game.moves.iter().filter(|m| m.white_score.is_some()).count();
    let positions: Vec<usize> = games.iter().map(scored).collect();
    let sum: usize = positions.iter().sum();
    assert!(sum >= 300 && sum - positions.last().unwrap() < 300);
}

#[test]
fn games_of_a_book_begin_there_and_differ() {
    let fens = [
        "rnbqkb1r/pp2pp1p/3p1np1/8/3NP3/2N5/PPP2PPP/R1BQKB1R w KQkq - 0 6",
        "rnbqkb1r/ppp2ppp/4pn2/3p4/2PP4/5N2/PP2PPPP/RNBQKB1R w KQkq - 0 4",
    ];
    let mut config = quick(2, GamesTarget::Games(8));
    config.book = fens.map(|fen| Opening::at(chess::Position::from_fen(fen).unwrap())).to_vec();
    config.settings.random_plies = "1-2".parse().unwrap();
    let games = games(&config);
    let starts: Vec<String> = games.iter().map(|game| game.start.fen()).collect();
    assert!(fens.iter().all(|fen| starts.iter().any(|start| start == fen)), "{starts:?}");
    assert!(starts.iter().all(|start| fens.contains(&start.as_str())));
    let book = |game: &Game| game.moves.iter().take_while(|m| m.white_score.is_none()).count();
    assert!(games.iter().all(|game| (1..=2).contains(&book(game))));
    let mut records: Vec<String> = games.iter().map(record).collect();
    records.sort_unstable();
    records.dedup();
    assert_eq!(records.len(), 8);
}

#[test]
fn moves_drawn_by_chance_are_others_at_first_and_the_same_whenever_made() {
    let best = quick(2, GamesTarget::Games(6));
    let mut warm = quick(2, GamesTarget::Games(6));
    warm.settings.temperature = "60/10".parse().unwrap();
    let drawn: Vec<String> = games(&warm).iter().map(record).collect();
    let alone = SelfplayConfig { threads: 1, ..warm.clone() };
    assert_eq!(drawn, games(&alone).iter().map(record).collect::<Vec<_>>());
    // The openings are the same, and a drawn move soon differs from the best one.
    let moves = |config: &SelfplayConfig| -> Vec<Vec<chess::Move>> {
        let played = |game: &Game| game.moves.iter().map(|m| m.played).take(16).collect();
        games(config).iter().map(played).collect()
    };
    let (best, warm) = (moves(&best), moves(&warm));
    assert!(best.iter().zip(&warm).all(|(best, warm)| best[..6] == warm[..6]));
    assert!(best.iter().zip(&warm).any(|(best, warm)| best != warm));
}

#[test]
fn a_hard_limit_makes_other_games() {
    let soft = quick(2, GamesTarget::Games(3));
    let mut hard = soft.clone();
    hard.settings.hard_nodes = Some(hard.settings.nodes);
    let (soft, hard) = (games(&soft), games(&hard));
    assert_ne!(record(&soft[0]), record(&hard[0]));
}

#[test]
fn a_set_stop_flag_adds_nothing() {
    let mut keep = |_| Ok::<_, Infallible>(());
    let stop = AtomicBool::new(true);
    let config = quick(1, GamesTarget::Games(1_000_000));
    let before = Production { games: 3, positions: 200, ..Production::default() };
    let make = || Box::new(Tapered::pesto()) as Box<dyn Evaluator>;
    let made = generate(&config, before, &make, &mut keep, &mut |_| {}, &stop).unwrap();
    assert_eq!(made, before);
}
