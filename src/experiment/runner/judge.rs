//! Judging trained nets: speed, puzzles, matches.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::time::{Duration, Instant};

use super::{Context, TrainedRun};
use crate::config::{Experiment, MatchConfig, Pairings, PuzzleConfig};
use crate::error::ExperimentError;
use crate::grid::{self, RunSpec};
use crate::measure::{MatchRecord, PairingRecord, PuzzleRecord, Speed, kind};
use crate::preflight;
use arena::contender::Evaluation;
use arena::{
    EnginePlayer, Forfeits, GameRules, Identity, PairingLogs, PairingResult, Player, PlayerId,
    Schedule, TournamentConfig, TournamentResult, play_pairings,
};
use base::format::percentage;
use base::memory;
use chess::Position;
use engine::table;
use engine::{Limits, NetEvaluator, Searcher, Techniques, bench};
use nnue::Net;
use puzzles::{Mode, Outcome, Puzzle, PuzzleError, Solver, run_suite};

/// Rounds in which all nets are timed in turn, so that a machine whose speed
/// drifts is unfair to none of them.
const SPEED_ROUNDS: usize = 3;

/// Measures nodes per second of every net that has no figure yet.
pub fn speed(context: &mut Context<'_>, runs: &[TrainedRun]) -> Result<(), ExperimentError> {
    let nodes = context.experiment.evaluation.speed_nodes;
    let mut todo = Vec::new();
    for run in runs {
        let name = &context.experiment.name;
        if context.registry.get::<Speed>(name, &run.id, kind::SPEED)?.is_none() {
            todo.push(run);
        }
    }
    if nodes == 0 || todo.is_empty() {
        return Ok(());
    }
    context.observer.begin("measuring speed", (SPEED_ROUNDS * todo.len()) as u64, "searches");
    let mut rounds: Vec<Vec<f64>> = vec![Vec::new(); todo.len()];
    let mut counts = vec![(0.0, 0.0, 0.0); todo.len()];
    for round in 0..SPEED_ROUNDS {
        for (i, run) in todo.iter().enumerate() {
            if context.stopped() {
                return Ok(());
            }
            let (rate, per_node) = time_search(&run.net, nodes / SPEED_ROUNDS as u64, context);
            rounds[i].push(rate);
            counts[i] = per_node;
            let done = (round * todo.len() + i + 1) as u64;
            context.observer.advance(done, &format!("{:.2} Mnodes/s", rate / 1e6));
        }
    }
    for ((run, rounds), (rows, refreshes, refreshed)) in todo.iter().zip(rounds).zip(counts) {
        let speed = Speed {
            rounds,
            rows_per_node: rows,
            refreshes_per_node: refreshes,
            refreshed_rows_per_node: refreshed,
        };
        context.registry.put(&context.experiment.name, &run.id, kind::SPEED, &speed)?;
    }
    context.observer.end("");
    Ok(())
}

/// Searches the bench positions at equal nodes: nodes/s, and rows updated,
/// refreshes and rows refreshed per node.
fn time_search(net: &Arc<Net>, nodes: u64, context: &Context<'_>) -> (f64, (f64, f64, f64)) {
    let mut searcher = Searcher::new(Box::new(NetEvaluator::new(net.clone())), 16)
        .with_techniques(Techniques::JUDGING);
    let each = Limits::nodes((nodes / bench::POSITIONS.len() as u64).max(1_000));
    let (mut searched, mut elapsed) = (0, Duration::ZERO);
    for position in bench::POSITIONS.iter().filter_map(|fen| Position::from_fen(fen).ok()) {
        searcher.new_game();
        let started = Instant::now();
        searched += searcher.search(&position, &[], &each, context.stop, &mut |_| {}).nodes;
        elapsed += started.elapsed();
    }
    let counts = searcher.evaluator().update_counts();
    let per_node = |count: u64| count as f64 / searched.max(1) as f64;
    let rate = searched as f64 / elapsed.as_secs_f64().max(1e-9);
    (rate, (per_node(counts.rows), per_node(counts.refreshes), per_node(counts.refreshed_rows)))
}

/// Lets every net without a result solve the puzzles.
pub fn puzzles(context: &mut Context<'_>, runs: &[TrainedRun]) -> Result<(), ExperimentError> {
    let Some(config) = context.experiment.evaluation.puzzles.clone() else { return Ok(()) };
    let set = preflight::puzzles(&config)?;
    if set.skipped.total() > 0 {
        let shown = set.skipped.first().join("\n  ");
        context
            .observer
            .warn(&format!("{} puzzles skipped; the first:\n  {shown}", set.skipped.total()));
    }
    let suite = format!("{} {}", set.source.blake3, set.puzzles.len());
    for run in runs {
        for (kind, nodes) in [(kind::PUZZLES_ONE_PLY, 0), (kind::PUZZLES_NODES, config.nodes)] {
            if context.stopped() {
                return Ok(());
            }
            if kind == kind::PUZZLES_ONE_PLY || nodes > 0 {
                solve(context, run, &config, &set.puzzles, &suite, kind, nodes)?;
            }
        }
    }
    Ok(())
}

fn solve(
    context: &mut Context<'_>,
    run: &TrainedRun,
    config: &PuzzleConfig,
    puzzles: &[Puzzle],
    suite: &str,
    kind: &str,
    nodes: u64,
) -> Result<(), ExperimentError> {
    let name = &context.experiment.name;
    let known: Option<PuzzleRecord> = context.registry.get(name, &run.id, kind)?;
    if known.is_some_and(|record| record.suite == suite && record.nodes == nodes) {
        return Ok(());
    }
    let how = if nodes == 0 { "by one-ply value".to_owned() } else { format!("at {nodes} nodes") };
    let title = format!("puzzles {how}, {}", run.label);
    let total = puzzles.len() as u64;
    let stop = context.stop;
    let make_solver = || -> Box<dyn Solver + Send + '_> {
        Mode::of_nodes(nodes).solver(Box::new(NetEvaluator::new(run.net.clone())), stop)
    };
    let solved = with_live_progress(context, &title, total, "puzzles", |progress| {
        run_suite(puzzles, &make_solver, progress, stop)
    });
    let outcomes = match solved {
        Err(PuzzleError::Stopped) => return Ok(()),
        other => other?,
    };
    let record = record_of(suite, nodes, config, puzzles, &outcomes);
    let (right, all) = record.counts();
    context
        .observer
        .end(&format!("{right} of {all} solved ({})", percentage(right as f64 / all as f64, 1)));
    context.registry.put(name, &run.id, kind, &record)
}

/// Runs parallel work that counts from any thread, while this thread tells
/// the observer.
fn with_live_progress<T: Send>(
    context: &mut Context<'_>,
    title: &str,
    total: u64,
    unit: &'static str,
    work: impl FnOnce(&(dyn Fn(u64) + Sync)) -> T + Send,
) -> T {
    use std::sync::atomic::Ordering::Relaxed;
    context.observer.begin(title, total, unit);
    let done = AtomicU64::new(0);
    std::thread::scope(|scope| {
        let progress = |count: u64| {
            done.fetch_max(count, Relaxed);
        };
        let done = &done;
        let worker = scope.spawn(move || work(&progress));
        while !worker.is_finished() {
            std::thread::sleep(Duration::from_millis(20));
            context.observer.advance(done.load(Relaxed), "");
        }
        // A panic of the worker is a bug of ours; it goes on as itself.
        worker.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    })
}

fn record_of(
    suite: &str,
    nodes: u64,
    config: &PuzzleConfig,
    puzzles: &[Puzzle],
    outcomes: &[Outcome],
) -> PuzzleRecord {
    let sum = |of: fn(&Outcome) -> u32| outcomes.iter().map(|o| u64::from(of(o))).sum();
    PuzzleRecord {
        suite: suite.to_owned(),
        file: config.file.clone(),
        nodes,
        moves: (sum(|o| o.solver_moves), sum(|o| o.right_moves)),
        solved: outcomes.iter().map(|o| if o.solved { '1' } else { '0' }).collect(),
        ratings: puzzles.iter().map(|p| p.rating.unwrap_or(0)).collect(),
    }
}

/// A player of a match.
pub struct Contestant {
    /// Its name in the log.
    pub name: String,
    /// What judges positions for it.
    pub evaluation: Evaluation,
}

/// Plays the matches that are not played yet: each among the nets of one seed.
pub fn matches(context: &mut Context<'_>, runs: &[TrainedRun]) -> Result<(), ExperimentError> {
    let mut seeds: BTreeMap<u64, Vec<&TrainedRun>> = BTreeMap::new();
    for run in runs {
        seeds.entry(run.spec.seed).or_default().push(run);
    }
    for config in context.experiment.evaluation.matches.clone() {
        for (seed, runs) in &seeds {
            if context.stopped() {
                return Ok(());
            }
            if runs.len() > 1 {
                play_seed(context, &config, *seed, runs)?;
            }
        }
    }
    Ok(())
}

fn play_seed(
    context: &mut Context<'_>,
    config: &MatchConfig,
    seed: u64,
    runs: &[&TrainedRun],
) -> Result<(), ExperimentError> {
    let experiment = context.experiment;
    let contestant = |run: &&TrainedRun| Contestant {
        name: run.id.clone(),
        evaluation: Evaluation::Net(run.net.clone()),
    };
    let players: Vec<Contestant> = runs.iter().map(contestant).collect();
    let reference = reference(experiment, seed, runs)?;
    if config.pairings == Pairings::Gauntlet && reference.is_none() {
        let (nodes, set) = (config.nodes, experiment.reference());
        context.observer.warn(&format!(
            "no match at {nodes} nodes with seed {seed}: the reference, {set}, came to no net"
        ));
        return Ok(());
    }
    let Some(result) = play(context, config, seed, &players, reference)? else { return Ok(()) };
    // Each pairing by itself, so that it stays what it is when others come or go.
    for pairing in &result.pairings {
        let record = record_match(config, seed, &result.players, pairing);
        let two = [record.players[0].as_str(), record.players[1].as_str()];
        let hash_mb = experiment.evaluation.hash_mb;
        let subject = MatchRecord::subject(config, hash_mb, seed, two);
        context.registry.put(&experiment.name, &subject, kind::MATCH, &record)?;
    }
    Ok(())
}

/// Which of the nets of a seed the others are compared with: that of the grid's first arm of
/// the reference's features, unless it failed.
fn reference(
    experiment: &Experiment,
    seed: u64,
    runs: &[&TrainedRun],
) -> Result<Option<PlayerId>, ExperimentError> {
    let is_reference = |spec: &RunSpec| spec.features.expression() == experiment.reference();
    let specs = grid::expand(experiment)?;
    let label =
        specs.iter().find(|spec| is_reference(spec) && spec.seed == seed).map(RunSpec::label);
    Ok(runs.iter().position(|run| Some(&run.label) == label.as_ref()).map(PlayerId))
}

/// Plays what is missing of a match; `None` if stopped.
pub fn play(
    context: &mut Context<'_>,
    config: &MatchConfig,
    seed: u64,
    players: &[Contestant],
    reference: Option<PlayerId>,
) -> Result<Option<TournamentResult>, ExperimentError> {
    let tournament = TournamentConfig {
        identity: identity(context, config, seed, players, reference),
        openings: preflight::openings(config, seed)?,
        threads: std::thread::available_parallelism().map_or(1, usize::from),
        tables: None,
    };
    let folder = context.folder.clone();
    let stem = format!("match-{}-nodes-s{seed}", config.nodes);
    let logs = PairingLogs { folder: &folder, stem: &stem };
    let hash_mb = context.experiment.evaluation.hash_mb.max(1);
    let tables = [table::bytes(hash_mb); 2].into_iter();
    memory::ensure(table::bytes_at_once(tournament.threads, tables))
        .map_err(|shortage| ExperimentError::Tables { hash_mb, shortage })?;
    let stop = context.stop;
    let make_player = |PlayerId(i): PlayerId| -> Box<dyn Player + '_> {
        let evaluator = players[i].evaluation.evaluator();
        Box::new(EnginePlayer::new(evaluator, hash_mb, Limits::nodes(config.nodes), stop))
    };
    let title = format!("match at {} nodes, seed {seed}", config.nodes);
    let games =
        tournament.identity.schedule.pairings(players.len()).len() * tournament.openings.len() * 2;
    let result = with_live_progress(context, &title, games as u64, "games", |progress| {
        let mut on_game = |at: arena::Progress<'_>| progress(at.finished as u64);
        play_pairings(&tournament, logs, &make_player, &mut on_game, stop)
    })?;
    if !result.is_complete() {
        return Ok(None);
    }
    context.observer.end(&format!("{games} games"));
    let duplicates: u64 = result.pairings.iter().map(|p| p.duplicates).sum();
    if duplicates > 0 {
        context
            .observer
            .warn(&format!("{duplicates} games of this match repeat another one move by move"));
    }
    Ok(Some(result))
}

/// Everything that decides the games but the openings.
fn identity(
    context: &Context<'_>,
    config: &MatchConfig,
    seed: u64,
    players: &[Contestant],
    reference: Option<PlayerId>,
) -> Identity {
    let schedule = match (config.pairings, reference) {
        (Pairings::Gauntlet, Some(reference)) => Schedule::Gauntlet(reference),
        _ => Schedule::RoundRobin,
    };
    let book =
        config.openings.as_deref().map_or("random".to_owned(), |p: &Path| p.display().to_string());
    let short = |player: &Contestant| player.evaluation.fingerprint().chars().take(16).collect();
    let nets = players.iter().map(|player| (Identity::key_of(&player.name), short(player)));
    let settings = [
        ("nodes", config.nodes.to_string()),
        ("seed", seed.to_string()),
        ("openings", book),
        ("random_plies", config.random_plies.to_string()),
        ("hash_mb", context.experiment.evaluation.hash_mb.to_string()),
        ("program", env!("CARGO_PKG_VERSION").to_owned()),
    ];
    Identity {
        players: players.iter().map(|player| player.name.clone()).collect(),
        schedule,
        rules: GameRules::default(),
        settings: settings.into_iter().map(|(k, v)| (k.to_owned(), v)).chain(nets).collect(),
    }
}

fn record_match(
    config: &MatchConfig,
    seed: u64,
    players: &[String],
    pairing: &PairingResult,
) -> MatchRecord {
    let name = |PlayerId(id): PlayerId| players[id].clone();
    let record = PairingRecord {
        first: 0,
        second: 1,
        pentanomial: pairing.pentanomial.counts,
        games: [pairing.games.wins, pairing.games.draws, pairing.games.losses],
        duplicates: pairing.duplicates,
        forfeits: pairing.forfeits.iter().map(Forfeits::total).sum(),
    };
    MatchRecord {
        nodes: config.nodes,
        seed,
        players: vec![name(pairing.pairing.first), name(pairing.pairing.second)],
        pairings: vec![record],
    }
}
