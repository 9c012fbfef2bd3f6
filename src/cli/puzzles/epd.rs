//! `oplus puzzles epd`: suites in EPD.

use std::path::PathBuf;
use std::sync::Mutex;

use serde_json::json;

use super::flags::{ModeFlags, on_threads, threads};
use super::players::{Player, players};
use super::tables::{counted, percent};
use super::{Progress, json, stop_flag, tell_skipped};
use crate::cli::Failure;
use crate::cli::threads::some;
use base::Observer;
use puzzles::epd::{EpdOutcome, EpdSuite, PointTotal, SuiteResult, read_epd, run_epd};
use puzzles::{Proportion, SolvingMode};
use report::terminal;

/// Solve suites in EPD: best moves, moves to avoid, mates, points
///
/// Right is a move of `bm`, none of `am`, or a mate announced in at most `dm` moves; a move that
/// mates is always right. Points are those of `c8` and `c9`, or of `c0`, as the Strategic Test
/// Suite gives them; they are summed by the part of the suite that the ids name. Lines that cannot
/// be used are skipped and counted.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  oplus puzzles epd wacnew.epd
  oplus puzzles epd STS1-STS15_LAN_v3.epd.zst --player bundled --player pesto
  oplus puzzles epd *.epd --player net.oplus --movetime 200
  oplus puzzles epd wacnew.epd --json | jq '.results[0].answers[] | select(.right | not) | .id'")]
pub(super) struct Args {
    /// Suites, plain or .zst
    #[arg(required = true)]
    files: Vec<PathBuf>,
    /// A net (FILE.oplus), bundled, pesto or material; repeatable [default: bundled]
    #[arg(long = "player", value_name = "PLAYER")]
    players: Vec<String>,
    /// Positions at once [default: half the cores with --movetime, else all]
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

pub(super) fn main(args: Args) -> Result<(), Failure> {
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
            print_right(&players, mode, &suites, &answered);
            for (suite, answered) in suites.iter().zip(&answered) {
                print_points(&players, suite, answered);
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
        progress.end(&format!("{} right", result.right));
    }
    Ok(Answered { outcomes, result })
}

/// Right answers of each suite, and of all together.
fn print_right(
    players: &[Player],
    mode: SolvingMode,
    suites: &[EpdSuite],
    answered: &[Vec<Answered>],
) {
    let names = players.iter().map(|player| player.name.clone());
    let header = [format!("right, {mode}"), "positions".to_owned()].into_iter().chain(names);
    let mut right = terminal::compact(header, 1);
    let mut all = vec![Proportion::default(); players.len()];
    for (suite, answered) in suites.iter().zip(answered) {
        let head = [suite.name(), suite.questions.len().to_string()];
        let shares = answered.iter().map(|answered| counted(answered.result.right));
        right.add_row(head.into_iter().chain(shares));
        for (sum, answered) in all.iter_mut().zip(answered) {
            sum.successes += answered.result.right.successes;
            sum.trials += answered.result.right.trials;
        }
    }
    if suites.len() > 1 {
        let questions: usize = suites.iter().map(|suite| suite.questions.len()).sum();
        let head = ["all".to_owned(), questions.to_string()];
        right.add_row(head.into_iter().chain(all.iter().map(|&sum| percent(sum))));
    }
    println!("{right}");
}

/// Points by part of a suite, if it gives any.
fn print_points(players: &[Player], suite: &EpdSuite, answered: &[Answered]) {
    let Some(first) = answered.first().filter(|answered| answered.result.points.is_some()) else {
        return;
    };
    let names = players.iter().map(|player| player.name.clone());
    let mut points = terminal::compact(
        [format!("points, {}", suite.name()), "most".to_owned()].into_iter().chain(names),
        1,
    );
    for (i, (title, total)) in first.result.by_group.iter().enumerate() {
        let title = if title.is_empty() { "(without an id)" } else { title };
        let head = [title.to_owned(), total.most.to_string()];
        let of_group =
            |answered: &Answered| answered.result.by_group.get(i).map(|(_, total)| told(total));
        let cells = answered.iter().map(|answered| of_group(answered).unwrap_or_default());
        points.add_row(head.into_iter().chain(cells));
    }
    let total = |answered: &Answered| answered.result.points;
    let most = total(first).map_or(0, |total| total.most);
    let cells =
        answered.iter().map(|answered| total(answered).as_ref().map_or(String::new(), told));
    points.add_row(["sum".to_owned(), most.to_string()].into_iter().chain(cells));
    println!("\n{points}");
}

/// `812 (761–863), 81.2 %`.
fn told(total: &PointTotal) -> String {
    let interval = total.interval();
    let share = 100.0 * total.points as f64 / total.most.max(1) as f64;
    format!("{} ({:.0}–{:.0}), {share:.1} %", total.points, interval.low, interval.high)
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
    json::print(&json!({ "program": program, "mode": mode.to_string(), "results": results }))
}
