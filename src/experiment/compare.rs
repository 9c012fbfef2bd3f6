//! Nets that somebody has, compared: what feature sets bring, what they cost, whether they
//! pay.
//!
//! Contestants are found by name among files and runs; what is asked about them, how it is
//! measured, judged and shown is the same as in an experiment.

mod error;
mod find;

use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use crate::summary;
use arena::{Limit, RandomPlies};
use base::{Observer, content_of};
use measure::{
    Inquiry, MatchQuestion, OpeningsOf, Pairings, PuzzleQuestion, Report, SpeedQuestion, judge,
    page,
};
use plan::{Control, Ending, Plan, Results, RunDir};
use report::{Page, Provenance};

pub use error::CompareError;
use find::Found;
pub use find::net;

/// Plies of the searches whose nodes are timed.
const SPEED_DEPTH: u32 = 9;

/// Table of each player, in MiB.
const HASH_MB: usize = 8;

/// Who is compared, and how thoroughly.
#[derive(Clone, Debug)]
pub struct Request {
    /// Nets, runs or expressions, the reference first.
    pub sets: Vec<String>,
    /// Where runs lie.
    pub runs: PathBuf,
    /// Limits of games, and how many each set plays over all its nets.
    pub matches: Vec<(Limit, u64)>,
    /// Games of the reference against itself with half the time; 0 for none.
    pub price_games: u64,
    /// A book of openings; 8 random plies without one.
    pub openings: Option<PathBuf>,
    /// Seed of the openings.
    pub seed: u64,
    /// Rounds in which the cost of a node is measured.
    pub rounds: u32,
    /// Puzzles, and nodes per move.
    pub puzzles: Option<(PathBuf, u64)>,
    /// Games at once where clocks run; half the cores if nothing is said.
    pub timed_games: Option<usize>,
}

/// Measures all that is not measured yet, with results and games in `folder`, from which a
/// comparison that was stopped goes on. `command` is what was typed.
///
/// # Errors
/// Whatever keeps it from being made; [`CompareError::Stopped`] if it was stopped.
pub fn compare(
    request: &Request,
    command: &str,
    folder: &Path,
    observer: &mut dyn Observer,
    stop: &AtomicBool,
) -> Result<Page, CompareError> {
    let (plan, inquiry, runs) = plan_of(request)?;
    let place = RunDir::new(folder.to_owned(), request.timed_games);
    match plan::run_all(&plan, &place, &mut Control { observer, stop })? {
        Ending::Stopped => return Err(CompareError::Stopped),
        Ending::Finished(_) => {}
    }
    // The results of the runs have the training of their nets.
    let results = Results::of(folder).or(runs);
    let report = judge(&inquiry, &results)?;
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

fn plan_of(request: &Request) -> Result<(Plan, Inquiry, Vec<Results>), CompareError> {
    let Found { contestants, nets, runs } = find::all(&request.sets, &request.runs)?;
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
            // What is no file of puzzles is told before anything is measured.
            puzzles::read_puzzles(file, None)?;
            let (name, suite) = (file.display().to_string(), content(&mut plan, file)?);
            Some(PuzzleQuestion { name, suite, limit: 0, nodes: *nodes })
        }
    };
    // Nobody plays fewer games than were asked for.
    let most = contestants.iter().map(|one| one.nets.len()).max().unwrap_or(1).max(1) as u64;
    let matches = request.matches.iter().filter(|(_, games)| *games > 0);
    let question = |&(limit, games): &(Limit, u64)| MatchQuestion {
        limit,
        games: games.div_ceil(most),
        openings: openings.clone(),
        seed: Some(request.seed),
        pairings: Pairings::Gauntlet,
    };
    let inquiry = Inquiry {
        contestants,
        reference: 0,
        speed: Some(SpeedQuestion { depth: SPEED_DEPTH, rounds: request.rounds.max(1) }),
        puzzles,
        matches: matches.map(question).collect(),
        price_games: request.price_games,
        hash_mb: HASH_MB,
    };
    for (title, measure) in inquiry.measurements() {
        plan.add(measure, title)?;
    }
    Ok((plan, inquiry, runs))
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
