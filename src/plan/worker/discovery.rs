//! Asking nets, to find sets.

use std::sync::atomic::Ordering;
use std::sync::{Arc, PoisonError};

use super::{Worker, written};
use crate::discovery::{Compare, Costs, Discovery, HeldOut, Rank, Ranked, Screen, Screened};
use crate::{Job, Plan, PlanError, Planned, Workplace};
use ::discovery::{
    Candidate, Contrast, Outlook, Parts, RowRank, Screening, ScreeningError, ns_of_a_move, rank,
};
use arena::contender::Evaluation;
use base::Key;
use data::{DataError, SamplesByGame};
use features::FeatureSet;
use measure::{NetId, Watch};
use nnue::Net;
use serde_json::Value;

/// Share of the screened games that tells gains.
const TOLD: f64 = 0.3;

impl Worker<'_> {
    /// Answers a question; what was found, as JSON.
    pub(super) fn discover(
        &mut self,
        planned: &Planned,
        asked: &Discovery,
        watch: &mut Watch<'_>,
    ) -> Result<Value, PlanError> {
        let job = &planned.job;
        match asked {
            Discovery::Screen(screen) => written(job, &self.screen(screen, watch)?),
            Discovery::Costs(costs) => written(job, &self.costs(planned, costs, watch)?),
            Discovery::Compare(compare) => written(job, &self.compare(compare, watch)?),
            Discovery::Rank(rank) => written(job, &self.rank(rank, watch)?),
        }
    }

    fn screen(&mut self, screen: &Screen, watch: &mut Watch<'_>) -> Result<Screened, PlanError> {
        let net = self.net_of(&screen.net)?;
        let candidates: Vec<Candidate> =
            screen.candidates.iter().map(|text| candidate(text)).collect::<Result<_, _>>()?;
        let games = Parts::of(self.held_out(&screen.games, watch)?, TOLD);
        let said = games.as_ref().map(|games| Outlook::of(&net, games, &screen.teaching));
        let prior = screen.teaching.logits(screen.prior_cp);
        let screening = Screening::new(net.features(), said, prior, watch.observer)
            .map_err(screening_failed)?;
        let stop = watch.stop;
        let found = watch.follow("screening", candidates.len() as u64, "candidates", |progress| {
            let told = |done, name: &str| progress(done, name.to_owned());
            screening.screen(&candidates, &told, stop)
        });
        let candidates = found.map_err(screening_failed)?;
        Ok(Screened { loss: screening.loss(), own_gain: screening.own_gain, candidates })
    }

    fn costs(
        &self,
        planned: &Planned,
        costs: &Costs,
        watch: &mut Watch<'_>,
    ) -> Result<Vec<f64>, PlanError> {
        let mut found = Vec::new();
        watch.observer.begin(&planned.title, costs.sets.len() as u64, "sets");
        for text in &costs.sets {
            if watch.stop.load(Ordering::Relaxed) {
                return Err(PlanError::Stopped);
            }
            watch.observer.advance(found.len() as u64, text);
            found.push(ns_of_a_move(&candidate(text)?.set, costs.width));
        }
        watch.observer.end("");
        Ok(found)
    }

    fn compare(&mut self, compare: &Compare, watch: &mut Watch<'_>) -> Result<Contrast, PlanError> {
        let [first, second] = &compare.nets;
        let nets = [self.net_of(first)?, self.net_of(second)?];
        let games = self.held_out(&compare.games, watch)?;
        Ok(Contrast::of(nets.each_ref().map(Arc::as_ref), &games, &compare.teaching))
    }

    fn rank(&mut self, asked: &Rank, watch: &mut Watch<'_>) -> Result<Ranked, PlanError> {
        let net = self.net_of(&asked.net)?;
        let set: &FeatureSet = net.features();
        let games = self.held_out(&asked.games, watch)?;
        let ranking = rank(&net.to_floats(), set, &games, &asked.teaching, watch.observer);
        let missing = || PlanError::Missing(format!("{} has fewer rows", asked.net));
        let wanted = ranking.rows.get(asked.rows.clone()).ok_or_else(missing)?;
        let mut rows: Vec<&RowRank> = wanted.iter().collect();
        // By how the loss rises without them most rows of a large set would be ordered by chance.
        rows.sort_by(|a, b| b.saliency.total_cmp(&a.saliency));
        let useful = rows.iter().take_while(|row| row.saliency > 0.0).count();
        let rows = rows.iter().map(|row| row.feature - asked.rows.start as u32).collect();
        Ok(Ranked { rows, useful })
    }

    fn net_of(&mut self, id: &NetId) -> Result<Arc<Net>, PlanError> {
        match self.evaluation_of(id)? {
            Evaluation::Net(net) => Ok(net),
            _ => Err(PlanError::Missing(format!("{id} is no net"))),
        }
    }

    /// The games of a purpose.
    fn held_out(
        &mut self,
        wanted: &HeldOut,
        watch: &mut Watch<'_>,
    ) -> Result<SamplesByGame, PlanError> {
        let all = self.all_held_out(wanted.positions, watch)?;
        let games = wanted.purpose.part_of((*all).clone());
        Ok(games.first(wanted.at_most.get() as usize))
    }

    /// All that validates of some positions, read once.
    fn all_held_out(
        &mut self,
        key: Key,
        watch: &mut Watch<'_>,
    ) -> Result<Arc<SamplesByGame>, PlanError> {
        let mut kept = self.place.held_out.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, games)) = kept.as_ref().filter(|(known, _)| *known == key) {
            return Ok(games.clone());
        }
        let planned = self.plan.find(key).map(|planned| &planned.job);
        let Some(Job::Positions(positions)) = planned else {
            return Err(PlanError::Missing(format!("nothing prepares the positions {key}")));
        };
        let spec = self.data_spec(positions)?;
        let read = SamplesByGame::validating(&spec, usize::MAX, watch.observer, watch.stop);
        let games = match read {
            Err(DataError::Stopped) => return Err(PlanError::Stopped),
            other => Arc::new(other?),
        };
        *kept = Some((key, games.clone()));
        Ok(games)
    }
}

/// Whether the games that candidates are to be screened on are enough, before there is a net.
///
/// # Errors
/// Too few games; data that cannot be read; [`PlanError::Stopped`].
pub fn check(
    plan: &Plan,
    place: &Workplace,
    screened: &HeldOut,
    watch: &mut Watch<'_>,
) -> Result<(), PlanError> {
    let games = Worker::new(plan, place).held_out(screened, watch)?;
    Parts::of(games, TOLD).check().map_err(screening_failed)
}

fn candidate(text: &str) -> Result<Candidate, PlanError> {
    Candidate::parse(text).map_err(|error| PlanError::Missing(error.to_string()))
}

fn screening_failed(error: ScreeningError) -> PlanError {
    match error {
        ScreeningError::Stopped => PlanError::Stopped,
        ScreeningError::TooFewGames { .. } => PlanError::Screening(error),
    }
}
