//! Who is asked, and what it costs.

use std::num::{NonZeroU32, NonZeroU64};
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use super::engine_session::EngineSession;
use super::own_search;
use super::workshop::{HandIn, Lessons};
use arena::EngineError;
use arena::contender::{self, ContenderError, Evaluation};
use arena::uci::{Answer, Engine, Program, Silence};
use chess::Position;
use data::Score;
use engine::bench::SIGNATURE;

/// How much a teacher thinks about a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effort {
    /// So many nodes: of our own search, after which no new iteration begins; of an engine,
    /// whatever it makes of `go nodes`.
    Nodes(NonZeroU64),
    /// So many plies.
    Depth(NonZeroU32),
    /// None: the evaluation of the position as it stands.
    Static,
}

/// Whoever judges positions.
pub enum Teacher {
    /// Our own search.
    Own {
        evaluation: Evaluation,
        /// Thinking so much.
        effort: Effort,
    },
    /// A UCI engine.
    Engine(EngineTeacher),
}

/// A UCI engine that has been tried out.
pub struct EngineTeacher {
    pub(super) program: Program,
    /// What it is told to find a move.
    pub(super) go: String,
    /// What it calls itself.
    name: String,
    /// Whether it takes questions before it has answered others.
    pub(super) takes_ahead: bool,
    /// What it searched when it was asked for so many nodes, if that is far more.
    oversteps: Option<u64>,
}

/// A teacher that cannot teach.
#[derive(Debug, thiserror::Error)]
pub enum TeacherError {
    #[error(transparent)]
    Player(#[from] ContenderError),
    #[error(transparent)]
    Engine(#[from] EngineError),
    /// An engine has no evaluation that one could ask for.
    #[error(
        "UCI engines cannot be asked for their evaluation alone: give --nodes or --depth (with \
         --nodes 1 most say little more)"
    )]
    Static,
    #[error("--option is for UCI engines; `{0}` is our own search")]
    Options(String),
    #[error(
        "engine `{command}` did not answer `{go}` within {seconds} s; if it does not know that \
         limit, give another (--nodes, --depth), else more --patience"
    )]
    NoAnswer { command: String, go: String, seconds: u64 },
    #[error("engine `{command}` tells no score with `{go}`; give it more nodes or depth")]
    NoScore { command: String, go: String },
    #[error(
        "engine `{command}` failed on {games} games or positions in a row, twice each (it ended, \
         or was silent for {seconds} s); everything judged until then is kept"
    )]
    KeepsFailing { command: String, games: u32, seconds: u64 },
}

impl Teacher {
    /// The teacher that a text names, as players of matches are named; an engine is started
    /// and tried out.
    ///
    /// # Errors
    /// A net that cannot be read; an engine that does not start, does not answer or tells no
    /// score; options or an effort that are not for it.
    pub fn new(
        text: &str,
        effort: Effort,
        options: Vec<(String, String)>,
        patience: Duration,
        stop: &AtomicBool,
    ) -> Result<Self, TeacherError> {
        match Evaluation::named(text).map_err(ContenderError::from)? {
            Some(_) if !options.is_empty() => Err(TeacherError::Options(text.to_owned())),
            Some(evaluation) => Ok(Self::Own { evaluation, effort }),
            None => {
                let program = contender::program(text, options, patience)?;
                EngineTeacher::try_out(program, effort, stop).map(Self::Engine)
            }
        }
    }

    /// All that decides what it says.
    pub(super) fn settings(&self) -> Vec<(&'static str, String)> {
        match self {
            Self::Own { evaluation, effort } => {
                let mut settings =
                    vec![("teacher", evaluation.fingerprint()), ("effort", effort.to_string())];
                if *effort != Effort::Static {
                    settings.push(("search", SIGNATURE.to_string()));
                }
                settings
            }
            Self::Engine(EngineTeacher { program, go, name, .. }) => {
                let options = program.options.iter().map(|(name, value)| format!("{name}={value}"));
                let options: Vec<String> = options.collect();
                vec![
                    ("teacher", format!("{name} ({})", program.command.join(" "))),
                    ("options", options.join(", ")),
                    ("effort", go.clone()),
                ]
            }
        }
    }

    /// What whoever asked for it should know.
    pub fn warnings(&self) -> Vec<String> {
        let Self::Engine(engine) = self else { return Vec::new() };
        let one_by_one = (!engine.takes_ahead).then(|| {
            format!(
                "{} does not answer the same when it is asked ahead of its answers (or uses \
                 several threads); it is asked one question at a time, which takes longer",
                engine.name
            )
        });
        let overstepped = engine.oversteps.map(|nodes| {
            format!("{} searched {nodes} nodes when told `{}`", engine.name, engine.go)
        });
        one_by_one.into_iter().chain(overstepped).collect()
    }

    /// Judges lessons until there are no more or `over` is set.
    ///
    /// # Errors
    /// An engine that fails again and again.
    pub(super) fn judge(
        &self,
        lessons: &Lessons,
        hand_in: HandIn<'_>,
        over: &AtomicBool,
    ) -> Result<(), TeacherError> {
        match self {
            Self::Own { evaluation, effort } => {
                own_search::judge(evaluation, *effort, lessons, hand_in, over);
                Ok(())
            }
            Self::Engine(engine) => EngineSession::new(engine, over).judge(lessons, hand_in),
        }
    }
}

/// How far beyond the nodes asked for an engine may go before somebody should know.
const TOO_MANY: u64 = 10;
/// Nodes that are few whatever was asked for.
const FEW: u64 = 10_000;

/// Moves of a game that engines are tried out with.
const TRIAL: [&str; 6] = ["e2e4", "e7e5", "g1f3", "b8c6", "f1b5", "a7a6"];

/// What an engine said of a position.
#[derive(Debug, PartialEq, Eq)]
struct Said {
    best: String,
    score: Option<Score>,
    nodes: u64,
}

impl EngineTeacher {
    fn try_out(program: Program, effort: Effort, stop: &AtomicBool) -> Result<Self, TeacherError> {
        let go = go(effort)?;
        let mut engine = program.start(stop)?;
        let command = || program.command.join(" ");
        let began = Instant::now();
        let singly = trial(&mut engine, &go, false, program.patience, stop).map_err(|_| {
            TeacherError::NoAnswer {
                command: command(),
                go: go.clone(),
                seconds: program.patience.as_secs(),
            }
        })?;
        if singly.iter().any(|said| said.score.is_none()) {
            return Err(TeacherError::NoScore { command: command(), go });
        }
        // One that passes questions over would be waited for in vain.
        let patience = program.patience.min(began.elapsed() * 10 + Duration::from_secs(1));
        let ahead = trial(&mut engine, &go, true, patience, stop);
        let searched = singly.iter().map(|said| said.nodes).max().unwrap_or_default();
        Ok(Self {
            name: engine.name().map_or_else(command, str::to_owned),
            takes_ahead: ahead.is_ok_and(|ahead| ahead == singly),
            oversteps: oversteps(effort, searched),
            program,
            go,
        })
    }

    /// The error of an engine that has failed on so many games in a row.
    pub(super) fn keeps_failing(&self, games: u32) -> TeacherError {
        let (command, seconds) = (self.program.command.join(" "), self.program.patience.as_secs());
        TeacherError::KeepsFailing { command, games, seconds }
    }
}

/// What an engine is told to find a move.
///
/// # Errors
/// It cannot be told not to search.
pub(super) fn go(effort: Effort) -> Result<String, TeacherError> {
    match effort {
        Effort::Nodes(nodes) => Ok(format!("go nodes {nodes}")),
        Effort::Depth(depth) => Ok(format!("go depth {depth}")),
        Effort::Static => Err(TeacherError::Static),
    }
}

/// Asks about the positions of a short game, all before the first answer or one by one.
fn trial(
    engine: &mut Engine,
    go: &str,
    ahead: bool,
    patience: Duration,
    stop: &AtomicBool,
) -> Result<Vec<Said>, Silence> {
    let start = Position::default();
    engine.forget(&start)?;
    engine.synchronise(Instant::now() + patience, stop)?;
    let ask = |engine: &mut Engine, played: usize| {
        let moves = TRIAL[..played].join(" ");
        engine.say(&format!("position startpos moves {moves}\n{go}"))
    };
    let answer = |engine: &mut Engine| {
        let Answer { text: best, thoughts, .. } = engine.answer(Instant::now() + patience, stop)?;
        Ok(Said { best, score: thoughts.score, nodes: thoughts.effort.nodes })
    };
    let numbers = 1..=TRIAL.len();
    if ahead {
        numbers.clone().try_for_each(|played| ask(engine, played))?;
        return numbers.map(|_| answer(engine)).collect();
    }
    let one = |played| ask(engine, played).and_then(|()| answer(engine));
    numbers.map(one).collect()
}

fn oversteps(effort: Effort, searched: u64) -> Option<u64> {
    match effort {
        Effort::Nodes(nodes) => {
            let many = nodes.get().saturating_mul(TOO_MANY).max(FEW);
            (searched > many).then_some(searched)
        }
        Effort::Depth(_) | Effort::Static => None,
    }
}

/// As settings are kept.
impl std::fmt::Display for Effort {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Nodes(nodes) => write!(f, "{nodes} nodes"),
            Self::Depth(depth) => write!(f, "depth {depth}"),
            Self::Static => f.write_str("static"),
        }
    }
}
