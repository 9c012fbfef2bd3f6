//! Games of two until it is decided which of two hypotheses holds.

use std::sync::atomic::Ordering;

use serde::{Deserialize, Serialize};

use crate::game::{Table, live};
use crate::{Desk, Match, MeasureError, Measurement, NetId, Played};
use arena::{Decision, Sprt, Watchdog, play_sprt};
use base::Estimate;
use base::format::ascii;
use report::Spoilt;

/// A sequential test of a match.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Sequential {
    /// Who meets under which terms, for so many games at most.
    pub game: Match,
    /// The hypotheses about the first of the two.
    pub sprt: Sprt,
}

/// How a test ended.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Tested {
    /// The games that decided it. Their Elo is biased towards the decision, since they ended when
    /// they looked most convincing.
    pub played: Played,
    /// Log-likelihood ratio of H1 over H0.
    pub llr: f64,
    /// [`Decision::Continue`] if all games were played and left it open.
    pub decision: Decision,
}

impl Tested {
    /// Too many of the games were lost otherwise than by chess for a verdict.
    pub fn spoilt(&self) -> Option<Spoilt> {
        self.played.spoilt()
    }

    /// What the games say; nothing if too many were forfeited.
    pub fn elo(&self) -> Option<Estimate> {
        self.played.elo()
    }
}

impl Measurement for Sequential {
    type Found = Tested;
    const KIND: &'static str = "sprt";
    const VERSION: u32 = 1;

    fn nets(&self) -> Vec<&NetId> {
        self.game.nets()
    }

    fn searches(&self) -> bool {
        true
    }

    fn is_timed(&self) -> bool {
        self.game.is_timed()
    }

    fn games(&self) -> Result<Option<String>, MeasureError> {
        self.game.games()
    }

    fn take(&self, desk: &mut Desk<'_>) -> Result<Tested, MeasureError> {
        let Table { config, evaluations } = self.game.table(desk)?;
        let player = self.game.player(&evaluations, desk.stop);
        let watchdog = self.is_timed().then(Watchdog::start);
        let log = desk.games.join(self.game.log()?);
        std::fs::create_dir_all(&desk.games)
            .map_err(|source| MeasureError::Io { path: desk.games.clone(), source })?;
        let (games, stop, title) = (config.games()?, desk.stop, desk.title);
        let tested = desk.watch().follow(title, games as u64, "games", |progress| {
            let mut told = |status: &arena::SprtStatus, _: &arena::GameRecord| {
                let elo = live(std::slice::from_ref(&status.pairs));
                let note = format!("LLR {}  {elo}", ascii(status.llr, 2));
                progress(2 * status.pairs.pairs(), note);
            };
            play_sprt(&config, &self.sprt, &player, Some(&log), &mut told, stop)
        })?;
        let standstills = watchdog.map(Watchdog::finish).unwrap_or_default();
        let (llr, decision) = (tested.status.llr, tested.status.decision);
        if decision == Decision::Continue && stop.load(Ordering::Relaxed) {
            return Err(MeasureError::Stopped);
        }
        let result = tested.result.pairings.into_iter().next().ok_or(MeasureError::Stopped)?;
        desk.observer.end(&live(std::slice::from_ref(&result.pentanomial)));
        Ok(Tested { played: Played { result, standstills }, llr, decision })
    }
}
