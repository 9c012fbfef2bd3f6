//! Whole tournaments between mock players.

use std::sync::atomic::{AtomicBool, Ordering};

use super::log::GameLog;
use super::*;
use crate::mock::{FirstMover, Greedy, HashMover, Scripted};
use crate::{EndReason, Forfeit, Openings, RandomPlies, write_pgn};

fn config(players: &[&str], pairs: usize) -> TournamentConfig {
    TournamentConfig {
        identity: TournamentIdentity {
            players: players.iter().map(|&name| name.to_owned()).collect(),
            schedule: TournamentSchedule::RoundRobin,
            rules: GameRules { max_plies: Some(60), ..GameRules::default() },
            colours: Default::default(),
            settings: BTreeMap::from([("nodes".to_owned(), "1".to_owned())]),
        },
        openings: Openings::random(11, pairs, RandomPlies::exactly(8), None).take(pairs).unwrap(),
        threads: 1,
        tables: None,
    }
}

/// Player `i` is a [`HashMover`] with salt `i`.
fn equals(PlayerId(id): PlayerId) -> Box<dyn Player> {
    Box::new(HashMover::new(id as u64))
}

fn play(config: &TournamentConfig, log: Option<&Path>) -> Result<TournamentResult, ArenaError> {
    play_tournament(config, &equals, log, &mut |_| {}, &AtomicBool::new(false))
}

fn pgn(result: &TournamentResult) -> Vec<u8> {
    let mut text = Vec::new();
    write_pgn(&mut text, "test", result.records()).unwrap();
    text
}

#[test]
fn the_outcome_does_not_depend_on_the_threads() {
    let alone = config(&["a", "b", "c"], 10);
    let expected = play(&alone, None).unwrap();
    assert!(expected.is_complete());
    for threads in [2, 5] {
        let result = play(&TournamentConfig { threads, ..alone.clone() }, None).unwrap();
        assert_eq!(result, expected);
        assert_eq!(pgn(&result), pgn(&expected));
    }
}

#[test]
fn all_pairings_play_the_same_openings_with_colours_swapped() {
    let result = play(&config(&["a", "b", "c"], 5), None).unwrap();
    let openings = |pairing: &PairingResult| -> Vec<String> {
        pairing.records.iter().map(|game| game.book.clone()).collect()
    };
    for pairing in &result.pairings {
        assert_eq!(openings(pairing), openings(&result.pairings[0]));
        for twins in pairing.records.chunks(2) {
            assert_eq!(twins[0].book, twins[1].book);
            assert_eq!((&twins[0].white, &twins[0].black), (&twins[1].black, &twins[1].white));
        }
    }
}

#[test]
fn a_log_cut_anywhere_leads_to_the_same_result() {
    let config = config(&["a", "b"], 4);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("match.jsonl");
    let expected = play(&config, Some(&path)).unwrap();
    let whole = std::fs::read(&path).unwrap();
    let newlines = whole.iter().enumerate().filter(|(_, b)| **b == b'\n').map(|(i, _)| i);
    let near_newlines = newlines.flat_map(|i| [i, i + 1, i + 2]);
    let cuts = (0..whole.len()).step_by(37).chain(near_newlines);
    for cut in cuts.filter(|&cut| cut <= whole.len()) {
        std::fs::write(&path, &whole[..cut]).unwrap();
        assert_eq!(play(&config, Some(&path)).unwrap(), expected, "cut after {cut} bytes");
        // One thread plays the missing games in order: the log is whole again, to the byte.
        assert_eq!(std::fs::read(&path).unwrap(), whole, "cut after {cut} bytes");
    }
}

#[test]
fn a_stopped_tournament_goes_on_where_it_was() {
    let config = TournamentConfig { threads: 2, ..config(&["a", "b", "c"], 6) };
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("match.jsonl");
    let stop = AtomicBool::new(false);
    let mut stop_after_nine = |progress: GameProgress<'_>| {
        assert_eq!(progress.total, 36);
        stop.store(progress.finished >= 9, Ordering::Relaxed);
    };
    let part = play_tournament(&config, &equals, Some(&path), &mut stop_after_nine, &stop).unwrap();
    assert!(!part.is_complete());
    let played = part.records().count();
    assert!((9..=10).contains(&played), "{played} games");

    let mut counted = Vec::new();
    let mut count = |progress: GameProgress<'_>| counted.push(progress.finished);
    let go_on = AtomicBool::new(false);
    let result = play_tournament(&config, &equals, Some(&path), &mut count, &go_on).unwrap();
    assert_eq!(counted, (played + 1..=36).collect::<Vec<_>>());
    assert_eq!(result, play(&config, None).unwrap());
}

#[test]
fn gathered_shards_equal_a_single_process() {
    let config = config(&["a", "b"], 7);
    let folder = tempfile::tempdir().unwrap();
    let [one, gathered] = ["one", "gathered"].map(|name| folder.path().join(name));
    let expected = play(&config, Some(&one)).unwrap();
    let stop = AtomicBool::new(false);
    let mut parts = Vec::new();
    for shard in Shard::each_of(3) {
        let log = folder.path().join(shard.to_string().replace('/', "-"));
        let mut total = 0;
        let mut count = |progress: GameProgress<'_>| total = progress.total;
        play_shard(shard, &config, &equals, Some(&log), &mut count, &stop).unwrap();
        assert_eq!(total, config.games_of(shard).unwrap());
        parts.push(log);
    }
    // The missing games are played.
    assert_eq!(gather(&config, &gathered, &parts[..2]).unwrap(), 8);
    assert_eq!(play(&config, Some(&gathered)).unwrap(), expected);
    assert_eq!(gather(&config, &gathered, &parts).unwrap(), 0);
    assert_eq!(std::fs::read(&gathered).unwrap(), std::fs::read(&one).unwrap());
}

#[test]
fn a_tournament_can_be_prolonged() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("match.jsonl");
    play(&config(&["a", "b"], 3), Some(&path)).unwrap();
    let longer = config(&["a", "b"], 5);
    let mut new_games = 0;
    let mut count = |_: GameProgress<'_>| new_games += 1;
    let stop = AtomicBool::new(false);
    let result = play_tournament(&longer, &equals, Some(&path), &mut count, &stop).unwrap();
    assert_eq!(new_games, 4);
    assert_eq!(result, play(&longer, None).unwrap());
    // A configuration with fewer pairs uses fewer of the log's games.
    let shorter = config(&["a", "b"], 2);
    assert_eq!(play(&shorter, Some(&path)).unwrap(), play(&shorter, None).unwrap());
}

#[test]
fn a_pair_counts_when_both_games_are_finished() {
    let config = config(&["a", "b"], 2);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("match.jsonl");
    let stop = AtomicBool::new(false);
    let mut stop_after_three =
        |progress: GameProgress<'_>| stop.store(progress.finished == 3, Ordering::Relaxed);
    let result =
        play_tournament(&config, &equals, Some(&path), &mut stop_after_three, &stop).unwrap();
    let pairing = &result.pairings[0];
    assert_eq!(pairing.records.len(), 3);
    assert_eq!((pairing.pentanomial.pairs(), pairing.games.games()), (1, 2));
    assert_eq!(pairing.pairs.iter().flatten().count(), 1);
}

#[test]
fn a_log_of_another_tournament_is_refused_with_the_reason() {
    let config = config(&["a", "b"], 2);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("match.jsonl");
    play(&config, Some(&path)).unwrap();
    let before = std::fs::read(&path).unwrap();
    let refused = |other: &TournamentConfig, reason: &str| {
        let error = play(other, Some(&path)).unwrap_err();
        assert!(matches!(error, ArenaError::Log(JournalError::OtherSettings { .. })), "{error}");
        assert!(error.to_string().contains(reason), "{error}");
        assert_eq!(std::fs::read(&path).unwrap(), before);
    };
    let mut other = config.clone();
    other.identity.settings.insert("nodes".to_owned(), "2".to_owned());
    refused(&other, "settings.nodes was 1, now it is 2");
    let mut other = config.clone();
    other.identity.players[1] = "c".to_owned();
    refused(&other, "players was [a, b], now it is [a, c]");
    let mut other = config.clone();
    other.identity.rules.resign = None;
    refused(&other, "rules.resign");
    let mut other = config.clone();
    other.openings = Openings::random(12, 2, RandomPlies::exactly(8), None).take(2).unwrap();
    refused(&other, "another book or seed?");
}

#[test]
fn a_file_that_is_no_log_is_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("notes.txt");
    for content in ["dear diary", "dear diary\nday two", "{\"a\":1}\n"] {
        std::fs::write(&path, content).unwrap();
        let error = play(&config(&["a", "b"], 1), Some(&path)).unwrap_err();
        assert!(matches!(error, ArenaError::Log(JournalError::OtherFile { .. })), "{error}");
        assert_eq!(std::fs::read_to_string(&path).unwrap(), content);
    }
}

#[test]
fn a_damaged_line_is_named() {
    let config = config(&["a", "b"], 2);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("match.jsonl");
    play(&config, Some(&path)).unwrap();
    let whole = std::fs::read_to_string(&path).unwrap();
    let refused = |content: &str, line: usize| {
        std::fs::write(&path, content).unwrap();
        let error = play(&config, Some(&path)).unwrap_err();
        let found =
            matches!(error, ArenaError::Log(JournalError::Line { line: l, .. }) if l == line);
        assert!(found, "{error}");
    };
    refused(&whole.replacen("\"1/2-1/2\"", "\"2-0\"", 1), 2);
    refused(&whole.replacen("\"white\":\"b\"", "\"white\":\"z\"", 1), 3);
    let last = whole.lines().last().unwrap();
    refused(&format!("{whole}{last}\n"), 6);
}

/// A match with a changed log is refused, or it is the same match: one whose last line is torn
/// plays that game again.
#[test]
fn every_byte_of_a_log_counts() {
    let config = config(&["a", "b"], 1);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("match.jsonl");
    let result = play(&config, Some(&path)).unwrap();
    let whole = std::fs::read(&path).unwrap();
    for at in 0..whole.len() {
        let mut changed = whole.clone();
        changed[at] ^= 1;
        std::fs::write(&path, changed).unwrap();
        match play(&config, Some(&path)) {
            Ok(again) => assert_eq!((again, at), (result.clone(), whole.len() - 1)),
            Err(error) => assert!(error.to_string().contains("match.jsonl"), "{error}"),
        }
    }
}

#[test]
fn a_log_has_one_writer() {
    let config = config(&["a", "b"], 1);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("match.jsonl");
    let pairings = config.identity.checked_pairings().unwrap();
    let _held = GameLog::open(&path, &config, &pairings).unwrap();
    let error = play(&config, Some(&path)).unwrap_err();
    assert!(matches!(error, ArenaError::Log(JournalError::InUse { .. })), "{error}");
}

#[test]
fn invalid_tournaments_are_refused() {
    let alone = play(&config(&["a"], 1), None);
    assert!(matches!(alone, Err(ArenaError::TooFewPlayers(1))));
    let twice = play(&config(&["a", "b", "a"], 1), None);
    assert!(matches!(twice, Err(ArenaError::SameName(name)) if name == "a"));
    let mut nobody = config(&["a", "b"], 1);
    nobody.identity.schedule = TournamentSchedule::Gauntlet(PlayerId(2));
    assert!(matches!(play(&nobody, None), Err(ArenaError::NoSuchPlayer { .. })));
}

#[test]
fn equal_deterministic_players_repeat_their_games_and_it_shows() {
    let twins = |_: PlayerId| -> Box<dyn Player> { Box::new(FirstMover) };
    let config = config(&["a", "b"], 5);
    let result =
        play_tournament(&config, &twins, None, &mut |_| {}, &AtomicBool::new(false)).unwrap();
    let pairing = &result.pairings[0];
    // The second game of a pair is the first one again.
    assert_eq!(pairing.duplicates, 5);
    assert_eq!(pairing.pentanomial.counts, [0, 0, 5, 0, 0]);
    assert_eq!(play(&config, None).unwrap().pairings[0].duplicates, 0);
}

#[test]
fn forfeits_are_counted_for_the_loser() {
    let players = |PlayerId(id): PlayerId| -> Box<dyn Player> {
        if id == 0 { Box::new(HashMover::new(1)) } else { Box::new(Scripted::new("")) }
    };
    let config = config(&["plays", "silent"], 3);
    let result =
        play_tournament(&config, &players, None, &mut |_| {}, &AtomicBool::new(false)).unwrap();
    let pairing = &result.pairings[0];
    assert_eq!(pairing.forfeits.map(|forfeits| forfeits.of(Forfeit::NoMove)), [0, 6]);
    assert_eq!(pairing.pentanomial.counts, [0, 0, 0, 0, 3]);
    assert_eq!((pairing.white.wins, pairing.white.losses), (3, 3));
    assert!(pairing.records.iter().all(|game| game.reason == EndReason::Forfeit(Forfeit::NoMove)));
}

#[test]
fn the_stronger_player_is_found() {
    let players = |PlayerId(id): PlayerId| -> Box<dyn Player> {
        if id == 1 { Box::new(Greedy::new(9)) } else { equals(PlayerId(id)) }
    };
    let mut config = config(&["random", "greedy", "random too"], 40);
    config.identity.rules.max_plies = Some(200);
    let result =
        play_tournament(&config, &players, None, &mut |_| {}, &AtomicBool::new(false)).unwrap();
    let greedy = result.head_to_head(PlayerId(1), PlayerId(0)).unwrap().elo().unwrap();
    assert!(greedy.low > 100.0, "{greedy}");
    let inverse = result.head_to_head(PlayerId(0), PlayerId(1)).unwrap().elo().unwrap();
    assert_eq!(inverse.value, -greedy.value);
}

/// Equal players, many small matches: 95 % of the intervals must cover 0.
#[test]
fn intervals_cover_the_truth_at_their_nominal_rate() {
    const MATCHES: usize = 200;
    const PAIRS: usize = 40;
    let mut config = TournamentConfig { threads: 2, ..config(&["a", "b"], MATCHES * PAIRS) };
    config.identity.rules.max_plies = Some(300);
    let result = play(&config, None).unwrap();
    let pairs: Vec<_> = result.pairings[0].pairs.iter().copied().map(Option::unwrap).collect();
    let covered = pairs
        .chunks(PAIRS)
        .map(|pairs| pairs.iter().map(|pair| pair.score()).collect::<Pentanomial>().elo().unwrap())
        .filter(|elo| elo.covers(0.0))
        .count();
    // Three standard errors of 95 % of 200 are 9.
    assert!((181..=199).contains(&covered), "{covered} of {MATCHES}");
    assert!(result.pairings[0].games.draws < result.pairings[0].games.games() * 9 / 10);
}
