//! Searches with games as fitness.

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use arena::ByColour;
use base::{Observer, Silent};
use engine::PieceTables;

use super::*;

fn tables() -> Genome {
    let material = std::sync::Arc::new(PieceTables::material());
    Genome::Tables(TableGenome::new(material, &CellSelection::Phoenix, 100, 10.0).unwrap())
}

fn terms(opponents: Opponents, colours: ByColour) -> GameTerms {
    GameTerms {
        nodes: 20.try_into().unwrap(),
        games: 4,
        opponents,
        colours,
        ..GameTerms::default()
    }
}

fn small() -> MethodSettings {
    MethodSettings::Genetic(method::genetic::GeneticSettings {
        population: 5,
        replaced: 3,
        ..Default::default()
    })
}

/// Searches in a folder; stops after `rounds` rounds, if given.
fn searched(
    settings: &MethodSettings,
    terms: GameTerms,
    threads: usize,
    folder: &Path,
    rounds: Option<usize>,
) -> Option<SearchRun> {
    let genome = tables();
    let conditions = Conditions {
        space: genome.space().clone(),
        anywhere: true,
        is_noisy: true,
        evaluations: 25,
        seed: 3,
    };
    let search =
        NumberSearch { method: settings, conditions, budget: 60, kept_at: &[0.5, 1.0], folder };
    let mut judge = GameJudge::new(&genome, terms, 3, threads, Some(folder.to_owned()));
    let stop = AtomicBool::new(false);
    let mut observer = StopAfter { rounds, seen: 0, stop: &stop };
    search.run(&mut judge, &mut observer, &stop).unwrap()
}

/// Raises the stop flag after `rounds` rounds, if given.
struct StopAfter<'s> {
    rounds: Option<usize>,
    seen: usize,
    stop: &'s AtomicBool,
}

impl Observer for StopAfter<'_> {
    fn begin(&mut self, _: &str, _: u64, _: &'static str) {}
    fn advance(&mut self, _: u64, _: &str) {
        self.seen += 1;
        let enough = self.rounds.is_some_and(|rounds| self.seen >= rounds);
        self.stop.store(enough, Ordering::Relaxed);
    }
    fn end(&mut self, _: &str) {}
    fn warn(&mut self, _: &str) {}
}

/// Against the same opponent, ratings have the order of the points.
#[test]
fn ratings_have_the_order_of_the_points_among_equals() {
    let genome = tables();
    let mut chance = Chance::seed_from_u64(4);
    let points: Vec<SearchPoint> = (0..6).map(|_| genome.space().any(&mut chance)).collect();
    let fitness = |opponents: Opponents, ratings: bool| -> Vec<f64> {
        let terms = GameTerms { games: 12, ratings, ..terms(opponents, ByColour::Both) };
        let mut judge = GameJudge::new(&genome, terms, 3, 2, None);
        let round = JudgeRound { number: 0, points: &points, alive: &points, wants_slopes: false };
        let judged = judge.judge(&round, &AtomicBool::new(false)).unwrap().unwrap();
        judged.judgements.iter().map(|judgement| judgement.fitness).collect()
    };
    let [shares, ratings] = [false, true].map(|ratings| fitness(Opponents::Start, ratings));
    for a in 0..6 {
        for b in 0..6 {
            let [by_share, by_rating] =
                [(&shares, 1e-9), (&ratings, 1e-6)].map(|(all, room)| all[a] > all[b] + room);
            assert_eq!(by_share, by_rating, "{a} {b}: {shares:?} {ratings:?}");
        }
    }
    // Among themselves they lie around the average player, with draws against all of them.
    let ratings = fitness(Opponents::Population, true);
    assert!(ratings.iter().any(|&elo| elo > 5.0) && ratings.iter().any(|&elo| elo < -5.0));
    assert!((ratings.iter().sum::<f64>() / 6.0).abs() < 60.0, "{ratings:?}");
}

#[test]
fn threads_and_stops_change_nothing() {
    let crowding = MethodSettings::Crowding(method::crowding::CrowdingSettings {
        population: 5,
        mates: 2,
        groups: 2,
        group: 2,
        ..Default::default()
    });
    for settings in [small(), crowding] {
        for opponents in [Opponents::Population, Opponents::Start, Opponents::Champions] {
            let fresh = || tempfile::tempdir().unwrap();
            let terms = || terms(opponents, ByColour::Both);
            let whole = searched(&settings, terms(), 1, fresh().path(), None).unwrap();
            assert_eq!(searched(&settings, terms(), 2, fresh().path(), None).unwrap(), whole);
            let folder = fresh();
            let mut stops = 0;
            let again = loop {
                // One more round each time: the earlier ones are in the journal.
                match searched(&settings, terms(), 2, folder.path(), Some(stops + 1)) {
                    Some(whole) => break whole,
                    None => stops += 1,
                }
            };
            assert!(stops > 1);
            assert_eq!(again, whole);
            assert!(whole.colours.are_balanced());
            assert_eq!(whole.answers.len(), 3);
            assert!(whole.rounds.last().unwrap().spent >= 60);
        }
    }
}

/// A race ends before the openings run out, and is reproducible.
#[test]
fn a_race_spares_games() {
    let spent = |race| {
        let terms = GameTerms { games: 40, race, ..terms(Opponents::Start, ByColour::Both) };
        let run = |threads| {
            let folder = tempfile::tempdir().unwrap();
            searched(&small(), terms.clone(), threads, folder.path(), None).unwrap()
        };
        assert_eq!(run(1), run(2));
        run(1).rounds[0].spent
    };
    let (whole, raced) = (spent(None), spent(Some(200.0)));
    assert_eq!(whole, 5 * 40);
    assert!(raced < whole, "{raced}");
}

#[test]
fn the_counts_show_white_alone() {
    let folder = tempfile::tempdir().unwrap();
    let terms = terms(Opponents::Start, ByColour::White);
    let run = searched(&small(), terms, 2, folder.path(), None).unwrap();
    assert_eq!(run.colours.black.games(), 0);
    assert!(run.colours.white.games() >= 60 && !run.colours.are_balanced());
}

#[test]
fn the_games_of_a_round_are_kept_until_it_is_in_the_journal() {
    let folder = tempfile::tempdir().unwrap();
    searched(&small(), terms(Opponents::Population, ByColour::Both), 1, folder.path(), None);
    let left: Vec<_> = std::fs::read_dir(folder.path())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    assert_eq!(left, ["rounds.jsonl"]);
}

#[test]
fn a_journal_of_another_search_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let terms = terms(Opponents::Start, ByColour::Both);
    assert!(searched(&small(), terms.clone(), 1, folder.path(), Some(1)).is_none());
    let genome = tables();
    let conditions = Conditions {
        space: genome.space().clone(),
        anywhere: true,
        is_noisy: true,
        evaluations: 25,
        seed: 4,
    };
    let method = small();
    let search = NumberSearch {
        method: &method,
        conditions,
        budget: 60,
        kept_at: &[1.0],
        folder: folder.path(),
    };
    let mut judge = GameJudge::new(&genome, terms, 3, 1, None);
    let refused = search.run(&mut judge, &mut Silent, &AtomicBool::new(false));
    let error = refused.unwrap_err().to_string();
    assert!(error.contains("seed was 3, now it is 4"), "{error}");
}
