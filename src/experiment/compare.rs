//! Comparison of given nets: Elo at fixed nodes, cost, Elo at fixed time.
//!
//! Nets are found by name among files and runs. Measurements, verdicts and page are those of an
//! experiment, with the same keys: results of `oplus run` count here.

mod error;
mod find;

use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use crate::summary;
use arena::{Limit, RandomPlies};
use base::{Observer, content_of};
use measure::{
    EvaluationPlan, HASH_MB, MatchQuestion, OpeningsOf, Pairings, PuzzleQuestion, Report,
    SPEED_DEPTH, SpeedQuestion, judge, page,
};
use plan::{Control, Ending, Plan, RunDir};
use report::{Page, Provenance};

pub use error::CompareError;
use find::ResolvedSets;
pub use find::net;

/// Nets to compare, and the measurements.
#[derive(Clone, Debug)]
pub struct Request {
    /// Nets, runs or expressions, the reference first.
    pub sets: Vec<String>,
    /// Folder of runs.
    pub runs: PathBuf,
    /// Limits and games of each set, over all its nets.
    pub matches: Vec<(Limit, u64)>,
    /// Games of the reference against itself with half the time; 0 for none.
    pub price_games: u64,
    /// Book of openings; 8 random plies by default.
    pub openings: Option<PathBuf>,
    /// Seed of the openings.
    pub seed: u64,
    /// Rounds of timing a node.
    pub rounds: u32,
    /// Puzzles, and nodes per move.
    pub puzzles: Option<(PathBuf, u64)>,
    /// Games at once where clocks run; half the cores by default.
    pub timed_games: Option<usize>,
}

/// Runs all open measurements in `folder` and judges them; a stopped comparison goes on there.
/// `command` is the command line.
///
/// # Errors
/// Errors of jobs; [`CompareError::Stopped`] once the stop flag is set.
pub fn compare(
    request: &Request,
    command: &str,
    folder: &Path,
    observer: &mut dyn Observer,
    stop: &AtomicBool,
) -> Result<Page, CompareError> {
    let (plan, evaluation_plan, runs) = plan_of(request)?;
    let dir = RunDir::new(folder.to_owned(), request.timed_games).or(runs);
    match plan::run_all(&plan, &dir, &mut Control { observer, stop })? {
        Ending::Stopped => return Err(CompareError::Stopped),
        Ending::Finished(_) => {}
    }
    // The run folders have the losses of their nets, and the measurements of `oplus run`.
    let results = dir.results();
    let report = judge(&evaluation_plan, &results)?;
    let provenance = summary::provenance(&plan, &results, command)?;
    Ok(page::of(&Report {
        name: format!("{} and what more features bring", report.reference),
        question: format!(
            "What do these features bring over {}, what do they cost, and do they pay?",
            report.reference
        ),
        provenance: Provenance { conditions: conditions(request), ..provenance },
        ..report
    })?)
}

fn plan_of(request: &Request) -> Result<(Plan, EvaluationPlan, Vec<PathBuf>), CompareError> {
    let ResolvedSets { variants, nets, runs } = find::all(&request.sets, &request.runs)?;
    let mut plan = Plan::default();
    plan.inputs.nets = nets;
    let content = |plan: &mut Plan, path: &Path| {
        let failed = |source| CompareError::Io { path: path.to_owned(), source };
        let content = content_of(path, &mut |_| {}).map_err(failed)?;
        plan.inputs.files.insert(content, path.to_owned());
        Ok::<_, CompareError>(content)
    };
    let openings = match &request.openings {
        Some(book) => OpeningsOf::Book(content(&mut plan, book)?),
        None => OpeningsOf::RandomPlies(RandomPlies::USUAL),
    };
    let puzzles = match &request.puzzles {
        None => None,
        Some((file, nodes)) => {
            // A file without puzzles is an error before any measurement.
            measure::puzzles::read_puzzles(file, None)?;
            let (name, suite) = (file.display().to_string(), content(&mut plan, file)?);
            Some(PuzzleQuestion { name, suite, limit: 0, nodes: *nodes })
        }
    };
    // Rounded up, so that no set plays fewer games than requested.
    let most = variants.iter().map(|one| one.nets.len()).max().unwrap_or(1).max(1) as u64;
    let matches = request.matches.iter().filter(|(_, games)| *games > 0);
    let question = |&(limit, games): &(Limit, u64)| MatchQuestion {
        limit,
        games: games.div_ceil(most),
        openings: openings.clone(),
        seed: Some(request.seed),
        pairings: Pairings::Gauntlet,
    };
    let evaluation_plan = EvaluationPlan {
        variants,
        reference: 0,
        speed: Some(SpeedQuestion { depth: SPEED_DEPTH, rounds: request.rounds.max(1) }),
        puzzles,
        matches: matches.map(question).collect(),
        price_games: request.price_games,
        hash_mb: HASH_MB,
    };
    for (title, measure) in evaluation_plan.measurements() {
        plan.add(measure, title)?;
    }
    Ok((plan, evaluation_plan, runs))
}

fn conditions(request: &Request) -> Vec<(String, String)> {
    let name = |path: &Path| path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let openings =
        request.openings.as_deref().map_or(format!("{} random plies", RandomPlies::USUAL), name);
    let mut named = vec![
        ("openings", format!("{openings}, seed {}", request.seed)),
        (
            "speed",
            format!(
                "{} rounds to depth {SPEED_DEPTH}, one thread, all nets on the tree of PeSTO",
                request.rounds
            ),
        ),
    ];
    if let Some((file, nodes)) = &request.puzzles {
        named.push(("puzzles", format!("{}, {nodes} nodes a move", name(file))));
    }
    named.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
}
