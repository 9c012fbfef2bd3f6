//! `oplus puzzles epd`: suites in EPD.

use std::path::PathBuf;
use std::sync::Mutex;

use serde_json::json;

use super::flags::{ModeFlags, on_threads, threads};
use super::players::{Player, players};
use super::{Progress, json, stop_flag, tell_skipped};
use crate::cli::threads::some;
use crate::cli::{Failure, output};
use base::{Estimate, Observer};
use measure::puzzle_page::share;
use measure::puzzles::epd::{EpdOutcome, EpdSuite, PointTotal, SuiteResult, read_epd, run_epd};
use measure::puzzles::{Proportion, SolvingMode};
use report::Format::{Count, Percent, Text};
use report::{Column, Table, TableOf};

/// Solve EPD suites: best moves, moves to avoid, mates, points
///
/// Correct are a move of `bm`, a move outside `am`, and a mate announced in at most `dm` moves; a
/// mating move is always correct. Points are those of `c8` and `c9`, or of `c0`, as in the Strategic
/// Test Suite, with a sum per part of the suite (from the ids). Unusable lines are skipped and
/// counted.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  oplus puzzles epd wacnew.epd
  oplus puzzles epd STS1-STS15_LAN_v3.epd.zst --player bundled --player pesto
  oplus puzzles epd *.epd --player net.oplus --movetime 200
  oplus puzzles epd wacnew.epd --json | jq '.results[0].answers[] | select(.right | not) | .id'")]
pub(super) struct PuzzlesEpdArgs {
    /// Suites, plain or .zst
    #[arg(required = true)]
    files: Vec<PathBuf>,
    /// A net (FILE.oplus), bundled, pesto or material; repeatable [default: bundled]
    #[arg(long = "player", value_name = "PLAYER")]
    players: Vec<String>,
    /// Simultaneous positions [default: half the cores with --movetime, else all]
    #[arg(long, value_name = "THREADS", value_parser = some())]
    threads: Option<usize>,
    /// Print results as JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    mode: ModeFlags,
}

/// Default nodes of each move: suites are harder than puzzles.
const NODES: u64 = 100_000;

/// A player's answers to a suite.
struct Answered {
    outcomes: Vec<EpdOutcome>,
    result: SuiteResult,
}

pub(super) fn main(args: PuzzlesEpdArgs) -> Result<(), Failure> {
    let players = players(&args.players)?;
    let mode = args.mode.mode(None, NODES);
    let suites: Vec<EpdSuite> =
        args.files.iter().map(|file| read_epd(file)).collect::<Result<_, _>>()?;
    suites.iter().for_each(|suite| tell_skipped(&suite.skipped));
    let threads = threads(args.threads, mode);
    // One line of answers per suite, one answer per player in it.
    let answered: Vec<Vec<Answered>> = on_threads(threads, || {
        let of_suite =
            |suite: &EpdSuite| players.iter().map(|player| ask(suite, player, mode)).collect();
        suites.iter().map(of_suite).collect::<Result<_, Failure>>()
    })??;
    match args.json {
        true => print_json(&players, mode, &suites, &answered),
        false => {
            println!("{}", right(&players, mode, &suites, &answered));
            let of_suite =
                |(suite, answered): (&EpdSuite, &Vec<Answered>)| points(&players, suite, answered);
            for points in suites.iter().zip(&answered).filter_map(of_suite) {
                println!("\n{points}");
            }
            if mode != SolvingMode::OnePly {
                println!("\n{}", measure::search_note());
            }
            Ok(())
        }
    }
}

fn ask(suite: &EpdSuite, player: &Player, mode: SolvingMode) -> Result<Answered, Failure> {
    let mut progress = Progress::default();
    let stage = format!("{}, {}, {mode}", suite.name(), player.name);
    progress.begin(&stage, suite.questions.len() as u64, "positions");
    let progress = Mutex::new(progress);
    let show = |done: u64| {
        // A solver thread that panicked is a bug of ours, not of the display.
        if let Ok(mut progress) = progress.lock() {
            progress.advance(done, "");
        }
    };
    let make_solver = || mode.solver(player.evaluation.evaluator(), stop_flag());
    let outcomes = run_epd(&suite.questions, &make_solver, &show, stop_flag())?;
    let result = SuiteResult::new(&suite.questions, &outcomes);
    if let Ok(mut progress) = progress.lock() {
        progress.end(&format!("{} correct", result.right));
    }
    Ok(Answered { outcomes, result })
}

/// Right answers of each suite, and of all together.
fn right(
    players: &[Player],
    mode: SolvingMode,
    suites: &[EpdSuite],
    answered: &[Vec<Answered>],
) -> Table {
    let shares = |answered: &Vec<Answered>| answered.iter().map(|it| it.result.right).collect();
    let mut rows: Vec<(String, usize, Vec<Proportion>)> = suites
        .iter()
        .zip(answered)
        .map(|(suite, answered)| (suite.name(), suite.questions.len(), shares(answered)))
        .collect();
    if suites.len() > 1 {
        let sum = |player: usize| {
            rows.iter().map(|(.., shares)| shares[player]).fold(Proportion::default(), |a, b| {
                Proportion { successes: a.successes + b.successes, trials: a.trials + b.trials }
            })
        };
        let sums = (0..players.len()).map(sum).collect();
        rows.push(("all".to_owned(), rows.iter().map(|row| row.1).sum(), sums));
    }
    let table = Table::of("right", "Correct answers", &rows)
        .column(Column::new("suite", format!("correct, {mode}"), Text), |(name, ..)| name)
        .column(Column::new("positions", "positions", Count), |(_, positions, _)| *positions);
    by_player(
        table,
        players,
        |(.., of), at| format!("{} of {}", of[at].successes, of[at].trials),
        |(.., of), at| share(of[at]),
    )
}

/// With two columns for each player: a count, and a share with its interval.
fn by_player<R: Copy>(
    table: TableOf<R>,
    players: &[Player],
    count: impl Fn(R, usize) -> String,
    share: impl Fn(R, usize) -> Option<Estimate>,
) -> Table {
    let with = |table: TableOf<R>, (at, player): (usize, &Player)| {
        let name = &player.name;
        table
            .column(Column::new("", name, Text), |row| count(row, at))
            .column(Column::estimate(name, "", Percent(1)), |row| share(row, at))
    };
    players.iter().enumerate().fold(table, with).table()
}

/// Points by part of a suite, if it gives any.
fn points(players: &[Player], suite: &EpdSuite, answered: &[Answered]) -> Option<Table> {
    let sums: Vec<PointTotal> = answered.iter().filter_map(|it| it.result.points).collect();
    let parts = &answered.first()?.result.by_group;
    let totals = |at: usize| {
        let of = |it: &Answered| Some(it.result.by_group.get(at)?.1);
        answered.iter().filter_map(of).collect::<Vec<_>>()
    };
    let name = |title: &String| match title.as_str() {
        "" => "(without an id)".to_owned(),
        title => title.to_owned(),
    };
    let mut rows: Vec<(String, u64, Vec<PointTotal>)> = parts
        .iter()
        .enumerate()
        .map(|(at, (title, total))| (name(title), total.most, totals(at)))
        .collect();
    rows.push(("sum".to_owned(), sums.first()?.most, sums));
    let table = Table::of("points", "Points", &rows)
        .column(Column::new("part", format!("points, {}", suite.name()), Text), |(part, ..)| part)
        .column(Column::new("most", "most", Count), |(_, most, _)| *most);
    let share = |total: &PointTotal| {
        let (most, interval) = (total.most.max(1) as f64, total.interval());
        Estimate::new(total.points as f64, interval.low, interval.high).scaled(1.0 / most)
    };
    Some(by_player(
        table,
        players,
        |(.., of), at| of.get(at).map_or(String::new(), |total| total.points.to_string()),
        |(.., of), at| of.get(at).map(share),
    ))
}

fn print_json(
    players: &[Player],
    mode: SolvingMode,
    suites: &[EpdSuite],
    answered: &[Vec<Answered>],
) -> Result<(), Failure> {
    let results = suites.iter().zip(answered).flat_map(|(suite, answered)| {
        players.iter().zip(answered).map(move |(player, answered)| {
            json::of_epd(&player.name, suite, &answered.result, &answered.outcomes)
        })
    });
    let program = format!("oplus {}", base::version());
    let results: Vec<_> = results.collect();
    output::print_json(&json!({ "program": program, "mode": mode.to_string(), "results": results }))
}
