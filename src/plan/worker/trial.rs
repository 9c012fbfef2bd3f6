//! What an answer of a search is worth over the board.

use super::Worker;
use crate::evolution::{Against, Evolved, Trial, Tried};
use crate::{Job, PlanError, Planned, Results};
use ::evolution::{Candidate, Colours, EvolutionError};
use arena::{GameRules, Identity, Openings, Player, PlayerId, Schedule, TournamentConfig};
use engine::Limits;
use measure::{Watch, meet};

/// Table of each player, in MiB.
const HASH_MB: usize = 1;

impl Worker<'_> {
    /// Plays a match of an answer.
    pub(super) fn trial(
        &self,
        planned: &Planned,
        trial: &Trial,
        watch: &mut Watch<'_>,
    ) -> Result<Tried, PlanError> {
        let players = self.players(trial)?;
        let config = table(trial, &players)?;
        let (stop, limits) = (watch.stop, Limits::nodes(trial.nodes.get()));
        let make_player = |PlayerId(place): PlayerId| -> Box<dyn Player + '_> {
            Box::new(players[place].player(HASH_MB, limits.clone(), stop))
        };
        let log = self.place.folder.join("games").join(format!("{}.jsonl", planned.key));
        let result = meet(&planned.title, &config, &make_player, &log, watch)?;
        let colours = Colours::of(&result);
        Ok(Tried { result, colours })
    }

    /// An answer, and whom it meets.
    fn players(&self, trial: &Trial) -> Result<[Candidate; 2], PlanError> {
        let missing = || PlanError::Missing(format!("answer {} of {}", trial.answer, trial.search));
        let planned = self.plan.find(trial.search).map(|planned| &planned.job);
        let Some(Job::Evolve(evolve)) = planned else { return Err(missing()) };
        let found: Option<Evolved> = Results::of(&self.place.folder).found(trial.search)?;
        let answers = found.ok_or_else(missing)?.answers;
        let answer = answers.get(trial.answer).ok_or_else(missing)?;
        let genome = self.genome(&evolve.genome)?;
        let opponent = match &trial.against {
            Against::Start => genome.candidate(&genome.space().start()),
            Against::Evaluation(fingerprint) => Candidate::usual(self.judge_of(fingerprint)?),
        };
        Ok([genome.candidate(&answer.point), opponent])
    }
}

fn table(trial: &Trial, players: &[Candidate; 2]) -> Result<TournamentConfig, PlanError> {
    let named = ["answer", "opponent"].into_iter().zip(players).map(|(name, player)| {
        (name.to_owned(), format!("{}, {} nodes", player.fingerprint(), trial.nodes))
    });
    let told = Openings::usual_told(trial.seed);
    let identity = Identity::new(named, Schedule::RoundRobin, GameRules::default(), told);
    let count = trial.games.div_ceil(trial.colours.games().len() as u64).max(1) as usize;
    Ok(TournamentConfig {
        identity: identity.by_colour(trial.colours),
        openings: Openings::usual(trial.seed, count).map_err(EvolutionError::from)?,
        threads: base::cores(),
        tables: None,
    })
}
