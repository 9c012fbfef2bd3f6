//! The job that plays a match of a search's answer.

use std::num::NonZeroU64;

use serde::{Deserialize, Serialize};

use crate::search_job::{Evolve, evaluation};
use crate::{Colours, EvolutionError, GenomePlayer};
use arena::{
    ByColour, GameRules, Openings, PairingResult, Player, PlayerId, TournamentConfig,
    TournamentIdentity, TournamentSchedule,
};
use base::{Key, KeyError};
use engine::Limits;
use engine::bench::SIGNATURE;
use measure::meet;
use plan::{Context, JobError, Work};

/// Table of each player, in MiB.
const HASH_MB: usize = 1;

/// The opponent of an answer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Against {
    /// The start of the search.
    Start,
    /// The engine in play, with an evaluation by fingerprint.
    Evaluation(String),
}

/// Plays a match of an answer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Trial {
    pub search: Key,
    /// Index of the answer; 0 is the start.
    pub answer: usize,
    pub against: Against,
    /// Nodes a move.
    pub nodes: NonZeroU64,
    /// Games, rounded up to whole pairs where both colours are played.
    pub games: u64,
    pub colours: ByColour,
    /// Seed of the openings.
    pub seed: u64,
}

/// The match of an answer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Tried {
    /// The games from the answer's side.
    pub result: PairingResult,
    /// All games by colour: with White alone no pair is ever finished.
    pub colours: Colours,
}

impl Work for Trial {
    const KIND: &'static str = "trial";
    const STAGE: &'static str = "matches of answers";
    const VERSION: u32 = 1;
    type Output = Tried;

    fn signature(&self) -> Option<u64> {
        Some(SIGNATURE)
    }

    fn needs(&self) -> Vec<Key> {
        vec![self.search]
    }

    fn games(&self) -> Result<Option<String>, KeyError> {
        Ok(Some(format!("{}.jsonl", self.key()?)))
    }

    fn run(&self, context: &mut Context<'_>) -> Result<Tried, JobError> {
        let players = self.players(context)?;
        let config = table(self, &players)?;
        let (stop, limits) = (context.stop, Limits::nodes(self.nodes.get()));
        let make_player = |PlayerId(place): PlayerId| -> Box<dyn Player + '_> {
            Box::new(players[place].player(HASH_MB, limits.clone(), stop))
        };
        let log = context.games().join(format!("{}.jsonl", context.planned().key));
        let result = meet(context.title(), &config, &make_player, &log, &mut context.control())?;
        let colours = Colours::of(&result);
        Ok(Tried { result, colours })
    }
}

impl Trial {
    /// The answer and its opponent.
    fn players(&self, context: &Context<'_>) -> Result<[GenomePlayer; 2], JobError> {
        let (_, search) = context.job::<Evolve>(self.search)?;
        let answers = context.output::<Evolve>(self.search)?.answers;
        let missing =
            || JobError::message(format!("{} has no answer {}", self.search, self.answer));
        let answer = answers.get(self.answer).ok_or_else(missing)?;
        let genome = search.genome.load(context)?;
        let opponent = match &self.against {
            Against::Start => genome.candidate(&genome.space().start()),
            Against::Evaluation(id) => GenomePlayer::usual(evaluation(context, id)?),
        };
        Ok([genome.candidate(&answer.point), opponent])
    }
}

fn table(trial: &Trial, players: &[GenomePlayer; 2]) -> Result<TournamentConfig, JobError> {
    let named = ["answer", "opponent"].into_iter().zip(players).map(|(name, player)| {
        (name.to_owned(), format!("{}, {} nodes", player.fingerprint(), trial.nodes))
    });
    let openings = Openings::usual_summary(trial.seed);
    let identity = TournamentIdentity::new(
        named,
        TournamentSchedule::RoundRobin,
        GameRules::default(),
        openings,
    );
    let count = trial.games.div_ceil(trial.colours.games().len() as u64).max(1) as usize;
    Ok(TournamentConfig {
        identity: identity.by_colour(trial.colours),
        openings: Openings::usual(trial.seed, count).map_err(EvolutionError::from)?,
        threads: base::cores(),
        tables: None,
    })
}
