use std::convert::Infallible;
use std::num::NonZeroU64;

use super::*;
use chess::Color;
use engine::Pesto;

fn quick(threads: usize, target: Target) -> SelfplayConfig {
    let nodes = const { NonZeroU64::new(150).unwrap() };
    let recipe = Recipe { nodes, hash_mb: 1, ..Recipe::default() };
    SelfplayConfig { recipe, target, threads }
}

fn games(config: &SelfplayConfig) -> Vec<Game> {
    let mut games = Vec::new();
    let mut keep = |game| {
        games.push(game);
        Ok::<_, Infallible>(())
    };
    let stop = AtomicBool::new(false);
    let before = Production::default();
    let make = || Box::new(Pesto::new()) as Box<dyn Evaluator>;
    let made = generate(config, before, &make, &mut keep, &mut |_| {}, &stop).unwrap();
    assert_eq!(made, tally(&games));
    games
}

fn tally(games: &[Game]) -> Production {
    let mut tally = Production::default();
    games.iter().for_each(|game| tally.count(game));
    tally
}

/// What a game is, as text.
fn record(game: &Game) -> String {
    format!("{} {:?} {:?}", game.start.fen(), game.moves, game.result)
}

#[test]
fn the_same_games_whatever_the_threads() {
    let records = |threads| -> Vec<String> {
        games(&quick(threads, Target::Games(6))).iter().map(record).collect()
    };
    let alone = records(1);
    assert_eq!(alone.len(), 6);
    assert_eq!(alone, records(3));
    let mut other = quick(2, Target::Games(6));
    other.recipe.seed = 2;
    let others: Vec<String> = games(&other).iter().map(record).collect();
    assert!(alone.iter().all(|game| !others.contains(game)));
}

#[test]
fn games_are_legal_scored_and_end_as_they_say() {
    for game in games(&quick(2, Target::Games(8))) {
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
    let games = games(&quick(2, Target::Positions(300)));
    let scored = |game: &Game| game.moves.iter().filter(|m| m.white_score.is_some()).count();
    let positions: Vec<usize> = games.iter().map(scored).collect();
    let sum: usize = positions.iter().sum();
    assert!(sum >= 300 && sum - positions.last().unwrap() < 300);
}

#[test]
fn a_set_stop_flag_adds_nothing() {
    let mut keep = |_| Ok::<_, Infallible>(());
    let stop = AtomicBool::new(true);
    let config = quick(1, Target::Games(1_000_000));
    let before = Production { games: 3, positions: 200, ..Production::default() };
    let make = || Box::new(Pesto::new()) as Box<dyn Evaluator>;
    let made = generate(&config, before, &make, &mut keep, &mut |_| {}, &stop).unwrap();
    assert_eq!(made, before);
}
