//! A player of a match: our search with some evaluation, or any
//! UCI engine.
//!
//! A text names the player (`net.oplus`, `tables.csv`, `bundled`, `pesto`, `material`, or a command
//! line), settings add limits and options ([`PlayerSettings`]).

mod evaluation;
mod names;
mod settings;
mod words;

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use serde_json::json;

use super::engine_player::EnginePlayer;
use super::game::Player;
use super::jitter::Jitter;
use super::time_control::TimeControl;
use super::uci::{EngineError, Program};
use super::uci_player::{EngineSpec, UciPlayer};
use engine::table::{self, MOST_HASH_MB};
use engine::{Limits, Margins, Techniques};

pub use evaluation::{Evaluation, EvaluationError};
pub use settings::{PlayerSettings, SettingError, Spending};

/// Default table of our own search, in MiB. Small, for every game begins by clearing it.
const HASH_MB: usize = 8;

/// A player with its evaluation or engine loaded.
pub struct Contender {
    /// Its name in the results.
    pub name: String,
    /// Path of its file, if its name is another.
    pub file: Option<String>,
    spending: Spending,
    jitter: Option<Jitter>,
    kind: PlayerKind,
}

enum PlayerKind {
    /// Our search, in this process.
    Own { evaluation: Evaluation, techniques: Techniques, margins: Arc<Margins>, hash_mb: usize },
    /// A program that speaks UCI.
    External(EngineSpec),
}

/// A player that cannot play.
#[derive(Debug, thiserror::Error)]
pub enum ContenderError {
    #[error("player `{player}`: {error}")]
    Setting { player: String, error: SettingError },
    #[error(transparent)]
    Evaluation(#[from] EvaluationError),
    #[error(transparent)]
    Engine(#[from] EngineError),
    #[error(
        "player `{player}`: `option.{option}={value}` is for UCI engines; the bundled search has \
         option.Hash (1 to {MOST_HASH_MB} MiB); give a UCI engine by its command, \
         with the prefix `uci:` if ambiguous"
    )]
    Option { player: String, option: String, value: String },
    #[error(
        "player `{0}`: `with`, `without` and `margin.NAME` are for the bundled search; a UCI \
         engine has option.NAME=VALUE"
    )]
    Techniques(String),
    #[error("player `{0}`: unclosed quotation mark in the command")]
    Quote(String),
}

/// Terms that all players of a match share.
#[derive(Clone, Copy, Debug)]
pub struct MatchTerms {
    /// Limits of players without their own.
    pub spending: Spending,
    /// Longest silence of an engine without a clock.
    pub patience: Duration,
    /// Seed of node jitter.
    pub seed: u64,
    /// Techniques of our own search, if a player's settings switch nothing.
    techniques: Techniques,
}

impl MatchTerms {
    /// Terms of a match; our own search uses [`Techniques::JUDGING`].
    pub fn new(spending: Spending, patience: Duration, seed: u64) -> Self {
        Self { spending, patience, seed, techniques: Techniques::JUDGING }
    }
}

impl Contender {
    /// Prepares all players of a match, each from its text and its settings. Files get the shortest
    /// names that tell them apart, and players of the same name are numbered. A match among
    /// evaluations of our own search judges these, so the search leaves out correction history; a
    /// match with another program judges engines, and the search plays at full strength.
    pub fn all(
        players: &[(&str, PlayerSettings)],
        terms: MatchTerms,
        stop: &AtomicBool,
    ) -> Result<Vec<Self>, ContenderError> {
        let mut all = Vec::with_capacity(players.len());
        let meets_others = players.iter().any(|(text, _)| !Evaluation::is_named(text));
        let techniques = if meets_others { Techniques::PLAYING } else { Techniques::JUDGING };
        let texts: Vec<&str> = players.iter().map(|(text, _)| *text).collect();
        let named = players.iter().zip(names::short(&texts));
        for (((text, settings), name), seat) in named.zip(0u64..) {
            // Equal players need different jitter.
            let seed = terms.seed.wrapping_mul(1_000_003).wrapping_add(seat);
            let terms = MatchTerms { seed, techniques, ..terms };
            all.push(Self::new(text, &name, settings.clone(), terms, stop)?);
        }
        number_namesakes(&mut all);
        Ok(all)
    }

    /// Prepares a player: reads its net, or starts its engine once.
    ///
    /// `bundled`, `pesto` and `material` are our search with the bundled net and with these
    /// evaluations, a text that ends in `.oplus` or begins with `net:` is our search with that net,
    /// one that ends in `.csv` or begins with `tables:` with those piece-square tables, and any
    /// other text is the command line of a UCI engine, as is one after `uci:`.
    fn new(
        text: &str,
        short: &str,
        settings: PlayerSettings,
        terms: MatchTerms,
        stop: &AtomicBool,
    ) -> Result<Self, ContenderError> {
        let PlayerSettings { name, limits, techniques, margins, options } = settings;
        let spending = if limits.is_limited() { limits } else { terms.spending };
        let spending = spending
            .checked()
            .map_err(|error| ContenderError::Setting { player: text.to_owned(), error })?;
        let jitter = spending.jitter.and_then(|percent| Jitter::new(percent, terms.seed));
        let (kind, usual_name) = match Evaluation::named(text)? {
            Some(evaluation) => {
                let techniques = techniques.of(terms.techniques);
                (own(text, evaluation, techniques, margins, &options)?, short.to_owned())
            }
            None if techniques.is_empty() && margins.is_none() => {
                external(text, options, spending, jitter, terms.patience, stop)?
            }
            None => return Err(ContenderError::Techniques(text.to_owned())),
        };
        let name = name.unwrap_or(usual_name);
        let is_own = matches!(kind, PlayerKind::Own { .. });
        let file = (is_own && name != text).then(|| text.to_owned());
        Ok(Self { name, file, spending, jitter, kind })
    }

    pub fn player<'s>(&self, stop: &'s AtomicBool) -> Box<dyn Player + 's> {
        match &self.kind {
            PlayerKind::External(spec) => Box::new(UciPlayer::new(spec.clone(), stop)),
            PlayerKind::Own { evaluation, techniques, margins, hash_mb } => {
                let Spending { nodes, depth, .. } = self.spending;
                let limits = Limits { nodes, depth, ..Limits::default() };
                let player = EnginePlayer::new(evaluation.evaluator(), *hash_mb, limits, stop);
                let player = player.timed(self.time_control()).varying(self.jitter);
                Box::new(player.with_techniques(*techniques).with_margins(margins.clone()))
            }
        }
    }

    /// Bytes of the table that this process allocates.
    pub fn hash_bytes(&self) -> u64 {
        match self.kind {
            PlayerKind::Own { hash_mb, .. } => table::bytes(hash_mb),
            PlayerKind::External(_) => 0,
        }
    }

    pub fn time_control(&self) -> TimeControl {
        self.spending.time_control.unwrap_or_default()
    }

    /// Everything that decides its play, so that a log of other players is refused.
    pub fn fingerprint(&self) -> String {
        let Spending { nodes, depth, .. } = self.spending;
        let kind = match &self.kind {
            PlayerKind::External(spec) => json!({
                "command": spec.program.command, "options": spec.program.options
            }),
            PlayerKind::Own { evaluation, techniques, margins, hash_mb } => {
                let mut own = json!({
                    "evaluation": evaluation.fingerprint(),
                    "techniques": techniques.to_string(),
                    "hash_mb": hash_mb,
                });
                if **margins != Margins::default() {
                    own["margins"] = margins.to_text().into();
                }
                own
            }
        };
        let limits = json!({
            "nodes": nodes,
            "jitter": self.jitter,
            "depth": depth,
            "tc": self.time_control().to_string(),
        });
        json!([kind, limits]).to_string()
    }
}

fn own(
    text: &str,
    evaluation: Evaluation,
    techniques: Techniques,
    margins: Option<Margins>,
    options: &[(String, String)],
) -> Result<PlayerKind, ContenderError> {
    let mut hash_mb = HASH_MB;
    for (option, value) in options {
        let hash = value.parse().ok().filter(|megabytes| (1..=MOST_HASH_MB).contains(megabytes));
        hash_mb = hash.filter(|_| option.eq_ignore_ascii_case("hash")).ok_or_else(|| {
            let [player, option, value] = [text, option, value].map(str::to_owned);
            ContenderError::Option { player, option, value }
        })?;
    }
    let margins = Arc::new(margins.unwrap_or_default());
    Ok(PlayerKind::Own { evaluation, techniques, margins, hash_mb })
}

/// A UCI engine after a trial start, and its own name.
fn external(
    text: &str,
    options: Vec<(String, String)>,
    spending: Spending,
    jitter: Option<Jitter>,
    patience: Duration,
    stop: &AtomicBool,
) -> Result<(PlayerKind, String), ContenderError> {
    let program = program(text, options, patience)?;
    let Spending { nodes, depth, time_control, .. } = spending;
    let time_control = time_control.unwrap_or_default();
    let spec = EngineSpec { program, nodes, jitter, depth, time_control };
    let name = spec.probe(stop)?;
    let command = || text.strip_prefix("uci:").unwrap_or(text).to_owned();
    Ok((PlayerKind::External(spec), name.unwrap_or_else(command)))
}

/// The engine of a command line, with or without `uci:` before it.
///
/// # Errors
/// A quote that is not closed.
pub fn program(
    text: &str,
    options: Vec<(String, String)>,
    patience: Duration,
) -> Result<Program, ContenderError> {
    let command = text.strip_prefix("uci:").unwrap_or(text);
    let command = words::split(command).ok_or_else(|| ContenderError::Quote(text.to_owned()))?;
    Ok(Program { command, options, patience })
}

/// `oplus` twice becomes `oplus (1)` and `oplus (2)`.
fn number_namesakes(players: &mut [Contender]) {
    let names: Vec<String> = players.iter().map(|player| player.name.clone()).collect();
    for (i, player) in players.iter_mut().enumerate() {
        if names.iter().filter(|name| **name == names[i]).count() > 1 {
            let before = names[..i].iter().filter(|name| **name == names[i]).count();
            player.name = format!("{} ({})", player.name, before + 1);
        }
    }
}
