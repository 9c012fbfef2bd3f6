//! Comparison of given nets: Elo at fixed nodes, cost, Elo at fixed time.
//!
//! Nets are found by name among files and runs. Measurements, verdicts and page are those of an
//! experiment, with the same keys: results of `oplus run` count here.

mod error;
mod find;

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::planning::FileContents;
use crate::study::{Chapter, Files, Note, Study, StudyKind, StudyPlan};
use crate::{Workspace, preflight, summary};
use arena::{Limit, RandomPlies};
use base::{Content, Observer, Silent};
use measure::{
    EvaluationPlan, HASH_MB, MatchQuestion, OpeningsOf, Pairings, PuzzleQuestion, Report,
    SPEED_DEPTH, SpeedQuestion, judge, page,
};
use plan::{JobError, Plan, RunDir};
use report::Provenance;

pub use error::CompareError;
use find::ResolvedSets;
pub use find::net;

/// The measurements of a comparison.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Request {
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
    /// Rounds, at most, of the timing at equal time.
    pub timing_rounds: u32,
    /// Puzzles, and nodes per move.
    pub puzzles: Option<(PathBuf, u64)>,
}

/// Nets to compare, and the measurements.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Comparison {
    name: String,
    sets: ResolvedSets,
    request: Request,
}

/// `oplus compare`.
pub static COMPARISON: StudyKind = StudyKind {
    name: "comparison",
    read: |note| Ok(Box::new(serde_json::from_str::<Comparison>(&note.config)?)),
};

impl Comparison {
    /// Of sets by name, the reference first: nets, runs below a folder, or expressions.
    ///
    /// # Errors
    /// A text that names no net, a net that cannot be read, or two sets of the same name.
    pub fn new(
        name: String,
        sets: &[String],
        runs: &Path,
        request: Request,
    ) -> Result<Self, CompareError> {
        Ok(Self { name, sets: find::all(sets, runs)?, request })
    }

    fn planned(
        &self,
        mut contents: FileContents,
        observer: &mut dyn Observer,
    ) -> Result<(Plan, EvaluationPlan, FileContents), JobError> {
        let Self { sets, request, .. } = self;
        let mut plan = Plan::default();
        plan.inputs.nets = sets.nets.clone();
        let mut content = |path: &Path| -> Result<Content, JobError> {
            let found = contents.of(path, observer)?.into_iter().next();
            let (path, content) = found
                .ok_or_else(|| JobError::message(format!("{}: no such file", path.display())))?;
            plan.inputs.files.insert(content, path);
            Ok(content)
        };
        let openings = match &request.openings {
            Some(book) => OpeningsOf::Book(content(book)?),
            None => OpeningsOf::RandomPlies(RandomPlies::USUAL),
        };
        let puzzles = match &request.puzzles {
            None => None,
            Some((file, nodes)) => {
                let (name, suite) = (file.display().to_string(), content(file)?);
                let equal_time = *nodes > 0;
                Some(PuzzleQuestion { name, suite, limit: 0, nodes: *nodes, equal_time })
            }
        };
        let evaluation_plan = self.evaluation_plan(openings, puzzles);
        for (title, measure) in evaluation_plan.measurements() {
            plan.add(measure, title)?;
        }
        Ok((plan, evaluation_plan, contents))
    }

    fn evaluation_plan(
        &self,
        openings: OpeningsOf,
        puzzles: Option<PuzzleQuestion>,
    ) -> EvaluationPlan {
        let (variants, request) = (self.sets.variants.clone(), &self.request);
        // Matches of the set with fewest, and rounded up, so that no set plays fewer games than
        // requested.
        let meetings = variants.iter().skip(1).map(|one| one.meetings(&variants[0]).len());
        let fewest = meetings.filter(|count| *count > 0).min().unwrap_or(1) as u64;
        let matches = request.matches.iter().filter(|(_, games)| *games > 0);
        let question = |&(limit, games): &(Limit, u64)| MatchQuestion {
            limit,
            games: games.div_ceil(fewest),
            planned_games: None,
            openings: openings.clone(),
            book: None,
            seed: Some(request.seed),
            pairings: Pairings::Gauntlet,
        };
        EvaluationPlan {
            variants,
            reference: 0,
            speed: Some(SpeedQuestion {
                rounds: request.rounds.max(1),
                ..SpeedQuestion::default()
            }),
            puzzles,
            matches: matches.map(question).collect(),
            price_games: request.price_games,
            null: false,
            timing_rounds: request.timing_rounds,
            hash_mb: HASH_MB,
        }
    }
}

impl Study for Comparison {
    fn kind(&self) -> &'static StudyKind {
        &COMPARISON
    }

    fn command(&self) -> &'static str {
        "compare"
    }

    fn name(&self) -> &str {
        &self.name
    }

    fn definition(&self) -> Result<String, JobError> {
        Ok(serde_json::to_string(self)?)
    }

    fn plan(
        &self,
        files: Files,
        _: &RunDir,
        observer: &mut dyn Observer,
    ) -> Result<StudyPlan, JobError> {
        let (plan, _, contents) = self.planned(files.known(), observer)?;
        Ok(StudyPlan::fixed(plan, contents))
    }

    fn pages(&self, note: &Note, dir: &RunDir) -> Result<Vec<Chapter>, JobError> {
        let (plan, evaluation_plan, _) = self.planned(note.contents.clone(), &mut Silent)?;
        let results = dir.results();
        let report = judge(&evaluation_plan, &results)?;
        let provenance = summary::provenance(&plan, &results, &note.command)?;
        let page = page::of(&Report {
            name: format!("{} and further features", report.reference),
            question: format!(
                "How many Elo do these features gain over {}, what do they cost, and do they pay?",
                report.reference
            ),
            provenance: Provenance { conditions: conditions(&self.request), ..provenance },
            ..report
        })?;
        Ok(vec![page.into()])
    }

    /// Of runs, their results: losses of nets, and the measurements of `oplus run`.
    fn others(&self) -> Vec<PathBuf> {
        self.sets.runs.clone()
    }

    fn check(&self, workspace: &Workspace) -> Result<(), JobError> {
        preflight::folders(self, workspace)?;
        if let Some((file, _)) = &self.request.puzzles {
            measure::puzzles::read_puzzles(file, None)?;
        }
        Ok(())
    }
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
        named.push(("puzzles", format!("{}, {nodes} nodes per move", name(file))));
    }
    named.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
}
