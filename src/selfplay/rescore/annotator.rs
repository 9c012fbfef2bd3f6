//! Annotators of positions: our own search, or a UCI engine.

use std::num::{NonZeroU32, NonZeroU64};
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use super::engine_session::EngineSession;
use super::own_search;
use super::pool::{TakeLabels, TaskQueue};
use arena::EngineError;
use arena::contender::{self, ContenderError, Evaluation};
use arena::uci::{Engine, EngineAnswer, Program, Silence};
use chess::Position;
use data::Score;
use engine::bench::SIGNATURE;

/// Search limit of a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum LabelEffort {
    /// Nodes: of our own search, after which no new iteration begins; of an engine, `go nodes`.
    Nodes(NonZeroU64),
    /// Plies.
    Depth(NonZeroU32),
    /// None: the evaluation of the position as it stands.
    Static,
}

pub enum Annotator {
    /// Our own search.
    Own { evaluation: Evaluation, effort: LabelEffort },
    /// A UCI engine.
    Engine(EngineAnnotator),
}

/// A UCI engine that has passed its trial.
pub struct EngineAnnotator {
    pub(super) program: Program,
    /// The command that begins a search.
    pub(super) go: String,
    /// Its `id name`.
    name: String,
    /// Whether it queues questions while it answers others.
    pub(super) takes_ahead: bool,
    /// Nodes that it searched, if they are far more than its limit.
    oversteps: Option<u64>,
}

#[derive(Debug, thiserror::Error)]
pub enum AnnotatorError {
    #[error(transparent)]
    Player(#[from] ContenderError),
    #[error(transparent)]
    Engine(#[from] EngineError),
    #[error(
        "UCI has no request for the static evaluation: give --nodes or --depth (--nodes 1 is close \
         to it in most engines)"
    )]
    Static,
    #[error("--option is for UCI engines; `{0}` is the bundled search")]
    Options(String),
    #[error(
        "timeout: engine `{command}` did not finish `{go}` within {seconds} s; give another limit \
         (--nodes, --depth) if it does not support this one, else more --patience"
    )]
    NoAnswer { command: String, go: String, seconds: u64 },
    #[error("engine `{command}` returns no score for `{go}`; give more nodes or depth")]
    NoScore { command: String, go: String },
    #[error(
        "engine `{command}` failed on {games} games or positions in a row, twice each (crash, \
         or timeout of {seconds} s); earlier labels are kept"
    )]
    KeepsFailing { command: String, games: u32, seconds: u64 },
}

/// Settings that determine the labels of an annotator.
#[derive(Serialize, Deserialize)]
pub(super) struct AnnotatorIdentity {
    player: String,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    options: Vec<(String, String)>,
    effort: String,
    /// Signature of our own search.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    search: Option<u64>,
}

impl Annotator {
    /// The annotator of a name, as players of matches are named; an engine is started and tried
    /// out.
    ///
    /// # Errors
    /// A net that cannot be read; an engine that does not start, does not answer or gives no
    /// score; options or an effort that are not for it.
    pub fn new(
        text: &str,
        effort: LabelEffort,
        options: Vec<(String, String)>,
        patience: Duration,
        stop: &AtomicBool,
    ) -> Result<Self, AnnotatorError> {
        match Evaluation::named(text).map_err(ContenderError::from)? {
            Some(_) if !options.is_empty() => Err(AnnotatorError::Options(text.to_owned())),
            Some(evaluation) => Ok(Self::Own { evaluation, effort }),
            None => {
                let program = contender::program(text, options, patience)?;
                EngineAnnotator::try_out(program, effort, stop).map(Self::Engine)
            }
        }
    }

    /// Settings that decide the labels.
    pub(super) fn identity(&self) -> AnnotatorIdentity {
        match self {
            Self::Own { evaluation, effort } => AnnotatorIdentity {
                player: evaluation.fingerprint(),
                options: Vec::new(),
                effort: effort.to_string(),
                search: (*effort != LabelEffort::Static).then_some(SIGNATURE),
            },
            Self::Engine(EngineAnnotator { program, go, name, .. }) => AnnotatorIdentity {
                player: format!("{name} ({})", program.command.join(" ")),
                options: program.options.clone(),
                effort: go.clone(),
                search: None,
            },
        }
    }

    pub fn warnings(&self) -> Vec<String> {
        let Self::Engine(engine) = self else { return Vec::new() };
        let one_by_one = (!engine.takes_ahead).then(|| {
            format!(
                "{} gives other scores when positions are queued (or uses \
                 several threads); it gets one position at a time, which is slower",
                engine.name
            )
        });
        let overstepped = engine
            .oversteps
            .map(|nodes| format!("{} searched {nodes} nodes for `{}`", engine.name, engine.go));
        one_by_one.into_iter().chain(overstepped).collect()
    }

    /// Labels tasks until there are no more or `over` is set.
    ///
    /// # Errors
    /// An engine that fails again and again.
    pub(super) fn label(
        &self,
        tasks: &TaskQueue,
        hand_in: TakeLabels<'_>,
        over: &AtomicBool,
    ) -> Result<(), AnnotatorError> {
        match self {
            Self::Own { evaluation, effort } => {
                own_search::label(evaluation, *effort, tasks, hand_in, over);
                Ok(())
            }
            Self::Engine(engine) => EngineSession::new(engine, over).label(tasks, hand_in),
        }
    }
}

/// Multiple of its limit that an engine may search without a warning.
const TOO_MANY: u64 = 10;
/// Nodes up to which an engine never gets a warning.
const FEW: u64 = 10_000;

/// Moves of a game that engines are tried out with.
const TRIAL: [&str; 6] = ["e2e4", "e7e5", "g1f3", "b8c6", "f1b5", "a7a6"];

/// An engine's answer.
#[derive(Debug, PartialEq, Eq)]
struct TrialAnswer {
    best: String,
    score: Option<Score>,
    nodes: u64,
}

impl EngineAnnotator {
    fn try_out(
        program: Program,
        effort: LabelEffort,
        stop: &AtomicBool,
    ) -> Result<Self, AnnotatorError> {
        let go = go(effort)?;
        let mut engine = program.start(stop)?;
        let command = || program.command.join(" ");
        let began = Instant::now();
        let singly = trial(&mut engine, &go, false, program.patience, stop).map_err(|_| {
            AnnotatorError::NoAnswer {
                command: command(),
                go: go.clone(),
                seconds: program.patience.as_secs(),
            }
        })?;
        if singly.iter().any(|answer| answer.score.is_none()) {
            return Err(AnnotatorError::NoScore { command: command(), go });
        }
        // A short patience: an engine that drops questions never answers.
        let patience = program.patience.min(began.elapsed() * 10 + Duration::from_secs(1));
        let ahead = trial(&mut engine, &go, true, patience, stop);
        let searched = singly.iter().map(|answer| answer.nodes).max().unwrap_or_default();
        Ok(Self {
            name: engine.name().map_or_else(command, str::to_owned),
            takes_ahead: ahead.is_ok_and(|ahead| ahead == singly),
            oversteps: oversteps(effort, searched),
            program,
            go,
        })
    }

    /// The error of an engine that has failed on `games` games in a row.
    pub(super) fn keeps_failing(&self, games: u32) -> AnnotatorError {
        let (command, seconds) = (self.program.command.join(" "), self.program.patience.as_secs());
        AnnotatorError::KeepsFailing { command, games, seconds }
    }
}

/// The UCI command that begins a search.
///
/// # Errors
/// No engine evaluates without a search.
pub(super) fn go(effort: LabelEffort) -> Result<String, AnnotatorError> {
    match effort {
        LabelEffort::Nodes(nodes) => Ok(format!("go nodes {nodes}")),
        LabelEffort::Depth(depth) => Ok(format!("go depth {depth}")),
        LabelEffort::Static => Err(AnnotatorError::Static),
    }
}

/// Answers to the positions of a short game, sent all at once or one by one.
fn trial(
    engine: &mut Engine,
    go: &str,
    ahead: bool,
    patience: Duration,
    stop: &AtomicBool,
) -> Result<Vec<TrialAnswer>, Silence> {
    let start = Position::default();
    engine.forget(&start)?;
    engine.synchronise(Instant::now() + patience, stop)?;
    let ask = |engine: &mut Engine, played: usize| {
        let moves = TRIAL[..played].join(" ");
        engine.say(&format!("position startpos moves {moves}\n{go}"))
    };
    let answer = |engine: &mut Engine| {
        let EngineAnswer { text: best, thoughts, .. } =
            engine.answer(Instant::now() + patience, stop)?;
        Ok(TrialAnswer { best, score: thoughts.score, nodes: thoughts.effort.nodes })
    };
    let numbers = 1..=TRIAL.len();
    if ahead {
        numbers.clone().try_for_each(|played| ask(engine, played))?;
        return numbers.map(|_| answer(engine)).collect();
    }
    let one = |played| ask(engine, played).and_then(|()| answer(engine));
    numbers.map(one).collect()
}

fn oversteps(effort: LabelEffort, searched: u64) -> Option<u64> {
    match effort {
        LabelEffort::Nodes(nodes) => {
            let many = nodes.get().saturating_mul(TOO_MANY).max(FEW);
            (searched > many).then_some(searched)
        }
        LabelEffort::Depth(_) | LabelEffort::Static => None,
    }
}

impl std::fmt::Display for LabelEffort {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Nodes(nodes) => write!(f, "{nodes} nodes"),
            Self::Depth(depth) => write!(f, "depth {depth}"),
            Self::Static => f.write_str("static"),
        }
    }
}
