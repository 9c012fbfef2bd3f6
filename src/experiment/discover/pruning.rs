//! Pruning: rows are removed until the loss exceeds a tolerance.

use std::io::ErrorKind;
use std::num::NonZeroU64;
use std::path::PathBuf;

use base::{Estimate, write_atomically};
use discovery::jobs::{Rank, Ranked};
use discovery::{Candidate, Purpose};
use plan::PlanError;

use crate::discover::planner::{Model, SearchPlanner};
use crate::discover::training::{TrainedCandidate, expected, gains};
use crate::discover::{DiscoverError, addition, proposal::unreadable};

/// Positions over which rows are ranked: a row active once in a thousand is seen 200 times.
const RANKED: u64 = 200_000;

/// A candidate with fewer rows.
#[derive(Clone, Debug)]
pub(crate) struct Pruned {
    /// Rows kept.
    pub(crate) rows: usize,
    /// Loss reduction relative to the base, in per cent.
    pub(crate) gain: Option<Estimate>,
    /// Whether the loss of gain is within tolerance.
    pub(crate) is_borne: bool,
    /// Time per node relative to the base, of the smallest set within tolerance.
    pub(crate) cost: Option<Estimate>,
    pub(crate) model: Option<Model>,
}

/// Prunes rows in steps until the loss exceeds the tolerance; keeps the smallest set that passed.
/// Each step ranks rows by the net of the step before: the remaining rows have taken over the work
/// of the pruned ones.
pub(crate) fn prune(
    planner: &mut SearchPlanner<'_>,
    base: &Model,
    tried: &mut TrainedCandidate,
    steps: &mut Vec<Pruned>,
) -> Result<(), DiscoverError> {
    let (Some(model), Some(whole)) = (tried.model.clone(), tried.gain) else { return Ok(()) };
    let all = tried.finding.features;
    if all < planner.search.prune_from {
        return Ok(());
    }
    let least = (1.0 - planner.search.lose) * whole.percent.value;
    let mut current = model;
    let mut kept: Vec<u32> = (0..all as u32).collect();
    for share in planner.search.keep.clone() {
        let wanted = (share * all as f64).ceil() as usize;
        // An earlier step may have kept as few, since no other row was useful.
        if wanted >= kept.len() {
            continue;
        }
        let ranked = ranked(planner, &current, kept.len(), &tried.finding.candidate)?;
        kept = best(&kept, &ranked, wanted);
        if kept.is_empty() {
            break;
        }
        let step = step(planner, base, tried, &kept, least)?;
        let (is_borne, model) = (step.is_borne, step.model.clone());
        steps.push(step);
        match model.filter(|_| is_borne) {
            Some(model) => current = model,
            None => break,
        }
    }
    match steps.iter_mut().rev().find(|step| step.is_borne) {
        Some(best) => adopt(planner, base, tried, best),
        None => Ok(()),
    }
}

/// The best rows by the ranking of a net, `wanted` at most; in the order of the set, so that
/// neighbouring features stay neighbours.
fn best(rows: &[u32], ranked: &Ranked, wanted: usize) -> Vec<u32> {
    let useful = ranked.rows.iter().take(ranked.useful.min(wanted));
    let mut best: Vec<u32> = useful.map(|&at| rows[at as usize]).collect();
    best.sort_unstable();
    best
}

/// Replaces the candidate by a pruned one.
fn adopt(
    planner: &mut SearchPlanner<'_>,
    base: &Model,
    tried: &mut TrainedCandidate,
    best: &mut Pruned,
) -> Result<(), DiscoverError> {
    let Some(model) = &best.model else { return Ok(()) };
    best.cost = cost(planner, base, model)?;
    let ratio = best.cost.or(tried.cost).map_or(1.0, |cost| cost.value);
    tried.expected = expected(planner, best.gain, ratio);
    tried.model = Some(model.clone());
    tried.cost = best.cost;
    if let (Some(gain), Some(percent)) = (&mut tried.gain, best.gain) {
        gain.percent = percent;
    }
    Ok(())
}

/// Ranks the candidate's rows, the last of the net's.
fn ranked(
    planner: &mut SearchPlanner<'_>,
    model: &Model,
    rows: usize,
    candidate: &str,
) -> Result<Ranked, DiscoverError> {
    let at_most = NonZeroU64::new(RANKED).unwrap_or(NonZeroU64::MIN);
    let games = planner.held_out(Purpose::Comparing, at_most);
    let (net, loss_target) = (model.net.clone(), planner.loss_target());
    let size = model.set.size();
    let title = format!("{rows} rows of {candidate}");
    let rank = Rank { net, loss_target, games, rows: size - rows.min(size)..size };
    planner.output(rank, &title)
}

fn step(
    planner: &mut SearchPlanner<'_>,
    base: &Model,
    tried: &TrainedCandidate,
    rows: &[u32],
    least: f64,
) -> Result<Pruned, DiscoverError> {
    let path = write_rows(planner, rows)?;
    let path = path.display();
    let set = format!("top({}, \"{path}\")", tried.finding.candidate);
    let kept = Candidate::parse(&set).map_err(unreadable)?;
    let set = addition::sum(&base.set, &kept, &planner.names());
    let models = planner.train(&[set], 1.0)?;
    let gain = gains(planner, base, &models)?.into_iter().next().flatten();
    let is_borne = gain.is_some_and(|gain| gain.value >= least);
    let model = models.into_iter().next().flatten();
    Ok(Pruned { rows: rows.len(), gain, is_borne, cost: None, model })
}

/// Writes rows into a file named by its content.
fn write_rows(planner: &SearchPlanner<'_>, rows: &[u32]) -> Result<PathBuf, DiscoverError> {
    let key = base::Key::of("rows", &rows).map_err(PlanError::from)?;
    let folder = planner.dir.folder.join("rows");
    let path = folder.join(format!("{key}.txt"));
    if path.exists() {
        return Ok(path);
    }
    let text: String = rows.iter().map(|row| format!("{row}\n")).collect();
    let written = std::fs::create_dir_all(&folder)
        .map_err(|source| PlanError::Io { path: folder, source })
        .and_then(|()| Ok(write_atomically(&path, &[text.as_bytes()])?));
    match written {
        Ok(()) => Ok(path),
        // A reader of another user's folder sees the search up to here.
        Err(error) if is_read_only(&error) => Err(DiscoverError::Unfinished),
        Err(error) => Err(error.into()),
    }
}

fn is_read_only(error: &PlanError) -> bool {
    let source = match error {
        PlanError::Io { source, .. } => source,
        PlanError::Write(error) => &error.source,
        _ => return false,
    };
    matches!(source.kind(), ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem)
}

fn cost(
    planner: &mut SearchPlanner<'_>,
    base: &Model,
    model: &Model,
) -> Result<Option<Estimate>, DiscoverError> {
    Ok(match planner.paces(&[base, model])?.as_slice() {
        [Some(own), Some(pruned)] => Some(pruned.cost(own)),
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A net with rows 2, 5 and 9 of a set numbers them 0, 1 and 2.
    #[test]
    fn rows_of_a_step_are_rows_of_the_set() {
        let ranked = Ranked { rows: vec![2, 0, 1], useful: 3 };
        assert_eq!(best(&[2, 5, 9], &ranked, 2), [2, 9]);
        assert_eq!(best(&[2, 5, 9], &ranked, 1), [9]);
        assert!(best(&[2, 5, 9], &Ranked { useful: 0, ..ranked }, 2).is_empty());
    }
}
