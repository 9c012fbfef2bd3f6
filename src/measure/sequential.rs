//! Games of two until a sequential test decides between two hypotheses.

use std::sync::atomic::Ordering;

use serde::{Deserialize, Serialize};

use crate::game::{live, make_folder_of};
use crate::{Match, Played};
use arena::{Decision, Sprt, TooManyForfeits, Watchdog, play_sprt};
use base::format::ascii;
use base::{Estimate, Key, KeyError};
use plan::{Context, JobError, Traits, Work};

/// A sequential test of a match.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Sequential {
    /// The match, with its games at most.
    pub game: Match,
    /// The hypotheses about the first of the two.
    pub sprt: Sprt,
}

/// Result of a test.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Tested {
    /// The games that decided it. Their Elo overstates the difference, since they ended when they
    /// looked most convincing.
    pub played: Played,
    /// Log-likelihood ratio of H1 over H0.
    pub llr: f64,
    /// [`Decision::Continue`] if all games were played and left it open.
    pub decision: Decision,
}

impl Tested {
    /// Forfeits, if they are too many for a verdict.
    pub fn too_many_forfeits(&self) -> Option<TooManyForfeits> {
        self.played.too_many_forfeits()
    }

    /// Elo of the first player; `None` with too many forfeits.
    pub fn elo(&self) -> Option<Estimate> {
        self.played.elo()
    }
}

impl Work for Sequential {
    const KIND: &'static str = "sprt";
    const STAGE: &'static str = "tests";
    const VERSION: u32 = 1;
    type Output = Tested;

    fn signature(&self) -> Option<u64> {
        self.game.signature()
    }

    fn needs(&self) -> Vec<Key> {
        self.game.needs()
    }

    fn traits(&self) -> Traits {
        Traits { shards: 1, ..self.game.traits() }
    }

    fn games(&self) -> Result<Option<String>, KeyError> {
        self.game.games()
    }

    fn run(&self, context: &mut Context<'_>) -> Result<Tested, JobError> {
        let prepared = self.game.prepare(context)?;
        let (config, player) = (&prepared.config, prepared.player(context.stop));
        let watchdog = self.game.is_timed().then(Watchdog::start);
        let log = context.games().join(&prepared.log);
        make_folder_of(&log)?;
        let (games, stop) = (config.games()?, context.stop);
        let tested = context.follow(games as u64, "games", |progress| {
            let mut progress = |status: &arena::SprtStatus, _: &arena::GameRecord| {
                let elo = live(std::slice::from_ref(&status.pairs));
                let note = format!("LLR {}  {elo}", ascii(status.llr, 2));
                progress(2 * status.pairs.pairs(), note);
            };
            play_sprt(config, &self.sprt, &player, Some(&log), &mut progress, stop)
        })?;
        let standstills = watchdog.map(Watchdog::finish).unwrap_or_default();
        let (llr, decision) = (tested.status.llr, tested.status.decision);
        if decision == Decision::Continue && stop.load(Ordering::Relaxed) {
            return Err(JobError::Stopped);
        }
        let result = tested.result.pairings.into_iter().next().ok_or(JobError::Stopped)?;
        context.observer.end(&live(std::slice::from_ref(&result.pentanomial)));
        Ok(Tested { played: Played { result, standstills }, llr, decision })
    }
}
