//! How the jobs of a plan stand, counted; and what is under way of them.

use std::collections::{BTreeMap, BTreeSet};

use crate::WatchError;
use plan::{Job, Plan, Results, State, Telling, UnderWay, Workplace};
use report::now::{Doing, Now, Stage};
use training::EpochMetrics;

/// Jobs counted by kind: changes with results only.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tally {
    stages: Vec<Stage>,
    failed: Vec<(String, String)>,
    /// Seconds that those of a kind took which are done.
    took: BTreeMap<&'static str, Vec<f64>>,
    /// How many of a kind are left.
    left: BTreeMap<&'static str, usize>,
}

impl Tally {
    pub(crate) fn of(plan: &Plan, place: &Workplace) -> Result<Self, WatchError> {
        let (mut tally, results) = (Self::default(), Results::of(&place.folder));
        let states = plan::states(plan, place)?;
        for of_kind in plan::by_kind(plan, &states) {
            let stage = tally.stage(told(of_kind.kind));
            stage.jobs += of_kind.jobs;
            stage.done += of_kind.done + of_kind.failed;
            if of_kind.left() > 0 {
                tally.left.insert(of_kind.kind, of_kind.left());
            }
        }
        for (planned, state) in plan.jobs().iter().zip(states) {
            if !state.is_over() {
                continue;
            }
            match state {
                State::Failed(reason) => tally.failed.push((planned.title.clone(), reason)),
                State::Impossible => {
                    tally.failed.push((planned.title.clone(), "what it needs failed".to_owned()));
                }
                _ => {}
            }
            if let Some(done) = results.get(planned.key)? {
                tally.took.entry(planned.job.kind()).or_default().push(done.made.seconds);
            }
        }
        Ok(tally)
    }

    fn stage(&mut self, name: &str) -> &mut Stage {
        let known = self.stages.iter().position(|stage| stage.name == name);
        let at = known.unwrap_or_else(|| {
            self.stages.push(Stage { name: name.to_owned(), done: 0, jobs: 0 });
            self.stages.len() - 1
        });
        &mut self.stages[at]
    }

    /// With what is under way.
    pub(crate) fn now(&self, plan: &Plan, place: &Workplace) -> Result<Now, WatchError> {
        let under_way = plan::under_way(plan, place)?;
        let doing = under_way.iter().map(|one| doing(one, place)).collect::<Result<_, _>>()?;
        Ok(Now {
            stages: self.stages.clone(),
            doing,
            seconds_left: self.seconds_left(&under_way),
            failed: self.failed.clone(),
            grows: false,
        })
    }

    /// What is left takes as long as what is done did on average, and is shared by all who are
    /// at it now; nothing while there is a kind of which none is done.
    fn seconds_left(&self, under_way: &[UnderWay<'_>]) -> Option<f64> {
        let mut seconds = 0.0;
        for (kind, left) in &self.left {
            let took = self.took.get(kind)?;
            let done_of_these: f64 = under_way
                .iter()
                .filter(|one| one.planned.job.kind() == *kind)
                .filter_map(|one| one.telling.as_ref().filter(|telling| telling.total > 0))
                .map(|telling| telling.done as f64 / telling.total as f64)
                .sum();
            let mean = took.iter().sum::<f64>() / took.len() as f64;
            seconds += mean * (*left as f64 - done_of_these).max(0.0);
        }
        let holders: BTreeSet<&str> = under_way.iter().map(|one| one.holder.as_str()).collect();
        Some(seconds / holders.len().max(1) as f64)
    }
}

/// What jobs of a kind do, as people say it.
fn told(kind: &'static str) -> &'static str {
    match kind {
        "games" => "self-play",
        "screen" | "breed" | "costs" => "screening candidates",
        "compare" => "comparing nets",
        "rank" => "ranking rows",
        "sprt" => "tests",
        "positions" => "preparing positions",
        "train" => "training",
        "match" => "matches",
        "puzzles" => "puzzles",
        "speed" => "timing",
        "loss" | "quantisation" => "judging nets",
        "price" | "price-of-time" => "price of time",
        other => other,
    }
}

fn doing(one: &UnderWay<'_>, place: &Workplace) -> Result<Doing, WatchError> {
    let UnderWay { planned, holder, telling, .. } = one;
    let mut doing =
        Doing { title: planned.title.clone(), holder: holder.clone(), ..Doing::default() };
    if let Some(telling) = telling {
        let Telling { stage, done, total, unit, per_second, note } = telling.clone();
        let seconds_left = telling.seconds_left();
        let figures = [note].into_iter().filter(|note| !note.is_empty()).collect();
        doing =
            Doing { title: stage, done, total, unit, per_second, seconds_left, figures, ..doing };
    }
    if let Job::Train(_) = planned.job {
        let folder = place.folder.join(&planned.folder);
        doing.figures.extend(epochs(&folder)?.last().map(figures));
    }
    Ok(doing)
}

/// The epochs that a training has finished.
pub(crate) fn epochs(folder: &std::path::Path) -> Result<Vec<EpochMetrics>, WatchError> {
    let unreadable = |source| WatchError::Metrics { folder: folder.to_owned(), source };
    EpochMetrics::read(folder).map_err(unreadable)
}

/// Of its last epoch: `learning rate 0.00098, 246k positions/s in epoch 3`.
pub(crate) fn figures(last: &EpochMetrics) -> String {
    let EpochMetrics { epoch, learning_rate, positions_per_second, .. } = last;
    let rate = base::format::compact(*positions_per_second);
    format!("learning rate {learning_rate:.2e} · {rate} positions/s in epoch {epoch}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_left_is_known_when_one_of_each_kind_is_done() {
        let mut tally = Tally::default();
        tally.left.insert("train", 3);
        assert_eq!(tally.seconds_left(&[]), None);
        tally.took.insert("train", vec![10.0, 20.0]);
        assert_eq!(tally.seconds_left(&[]), Some(45.0));
        tally.left.insert("match", 1);
        assert_eq!(tally.seconds_left(&[]), None);
    }
}
