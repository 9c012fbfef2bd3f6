//! Rows left out as long as the loss bears it.

use std::num::NonZeroU64;
use std::path::PathBuf;

use base::{Estimate, write_atomically};
use discovery::jobs::{Rank, Ranked};
use discovery::{Candidate, Purpose};

use crate::discover::training::{Tried, expected, gains};
use crate::discover::workshop::{Model, Workshop};
use crate::discover::{DiscoverError, addition, proposal::unreadable};

/// Positions over which rows are ranked: a row that is active once in a thousand is seen often.
const RANKED: u64 = 200_000;

/// A candidate with fewer rows.
#[derive(Clone, Debug)]
pub(crate) struct Pruned {
    /// Rows that were kept.
    pub(crate) rows: usize,
    /// What they gain beside the base, in per cent of the loss.
    pub(crate) gain: Option<Estimate>,
    /// Whether that is enough.
    pub(crate) is_borne: bool,
    /// Time per node beside that of the base's net, of the last that was borne.
    pub(crate) cost: Option<Estimate>,
    pub(crate) model: Option<Model>,
}

/// Leaves rows out of a candidate, one share after another until the loss says stop; the candidate
/// goes on with the fewest that were borne. Each step is ranked anew by the net of the one before:
/// rows that are left have taken over what others said.
pub(crate) fn prune(
    shop: &mut Workshop<'_>,
    base: &Model,
    tried: &mut Tried,
    steps: &mut Vec<Pruned>,
) -> Result<(), DiscoverError> {
    let (Some(model), Some(whole)) = (tried.model.clone(), tried.gain) else { return Ok(()) };
    let all = tried.finding.features;
    if all < shop.search.prune_from {
        return Ok(());
    }
    let least = (1.0 - shop.search.lose) * whole.percent.value;
    let mut here = model;
    let mut kept: Vec<u32> = (0..all as u32).collect();
    for share in shop.search.keep.clone() {
        let wanted = (share * all as f64).ceil() as usize;
        // A share before may have left as few, for want of others that say anything.
        if wanted >= kept.len() {
            continue;
        }
        let ranked = ranked(shop, &here, kept.len(), &tried.finding.candidate)?;
        kept = best(&kept, &ranked, wanted);
        if kept.is_empty() {
            break;
        }
        let step = step(shop, base, tried, &kept, least)?;
        let (is_borne, model) = (step.is_borne, step.model.clone());
        steps.push(step);
        match model.filter(|_| is_borne) {
            Some(model) => here = model,
            None => break,
        }
    }
    match steps.iter_mut().rev().find(|step| step.is_borne) {
        Some(best) => take(shop, base, tried, best),
        None => Ok(()),
    }
}

/// The best of some rows, at most so many, as a net ranks them whose rows they are; in the order of
/// the set, so that features stay neighbours that were.
fn best(rows: &[u32], ranked: &Ranked, wanted: usize) -> Vec<u32> {
    let useful = ranked.rows.iter().take(ranked.useful.min(wanted));
    let mut best: Vec<u32> = useful.map(|&at| rows[at as usize]).collect();
    best.sort_unstable();
    best
}

/// The candidate goes on with fewer rows.
fn take(
    shop: &mut Workshop<'_>,
    base: &Model,
    tried: &mut Tried,
    best: &mut Pruned,
) -> Result<(), DiscoverError> {
    let Some(model) = &best.model else { return Ok(()) };
    best.cost = cost(shop, base, model)?;
    let ratio = best.cost.or(tried.cost).map_or(1.0, |cost| cost.value);
    tried.expected = expected(shop, best.gain, ratio);
    tried.model = Some(model.clone());
    tried.cost = best.cost;
    if let (Some(gain), Some(percent)) = (&mut tried.gain, best.gain) {
        gain.percent = percent;
    }
    Ok(())
}

/// So many rows of the candidate, which are the last of the net's.
fn ranked(
    shop: &mut Workshop<'_>,
    model: &Model,
    rows: usize,
    candidate: &str,
) -> Result<Ranked, DiscoverError> {
    let at_most = NonZeroU64::new(RANKED).unwrap_or(NonZeroU64::MIN);
    let games = shop.held_out(Purpose::Comparing, at_most);
    let (net, teaching) = (model.net.clone(), shop.teaching());
    let size = model.set.size();
    let title = format!("{rows} rows of {candidate}");
    let rank = Rank { net, teaching, games, rows: size - rows.min(size)..size };
    shop.ask_one(rank, &title)
}

fn step(
    shop: &mut Workshop<'_>,
    base: &Model,
    tried: &Tried,
    rows: &[u32],
    least: f64,
) -> Result<Pruned, DiscoverError> {
    let path = write_rows(shop, rows)?;
    let path = path.display();
    let set = format!("top({}, \"{path}\")", tried.finding.candidate);
    let kept = Candidate::parse(&set).map_err(unreadable)?;
    let set = addition::sum(&base.set, &kept, &shop.names());
    let models = shop.train(&[set], 1.0)?;
    let gain = gains(shop, base, &models)?.into_iter().next().flatten();
    let is_borne = gain.is_some_and(|gain| gain.value >= least);
    let model = models.into_iter().next().flatten();
    Ok(Pruned { rows: rows.len(), gain, is_borne, cost: None, model })
}

/// Named by what it holds.
fn write_rows(shop: &Workshop<'_>, rows: &[u32]) -> Result<PathBuf, DiscoverError> {
    let key = base::Key::of("rows", &rows).map_err(plan::PlanError::from)?;
    let folder = shop.place.folder.join("rows");
    let path = folder.join(format!("{key}.txt"));
    if path.exists() {
        return Ok(path);
    }
    if shop.is_looking() {
        return Err(DiscoverError::Unfinished);
    }
    std::fs::create_dir_all(&folder)
        .map_err(|source| DiscoverError::Io { path: folder.clone(), source })?;
    let text: String = rows.iter().map(|row| format!("{row}\n")).collect();
    write_atomically(&path, &[text.as_bytes()]).map_err(plan::PlanError::from)?;
    Ok(path)
}

fn cost(
    shop: &mut Workshop<'_>,
    base: &Model,
    model: &Model,
) -> Result<Option<Estimate>, DiscoverError> {
    Ok(match shop.paces(&[base, model])?.as_slice() {
        [Some(own), Some(pruned)] => Some(pruned.cost(own)),
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A net of the rows 2, 5 and 9 of a set counts them 0, 1 and 2.
    #[test]
    fn rows_of_a_step_are_rows_of_the_set() {
        let ranked = Ranked { rows: vec![2, 0, 1], useful: 3 };
        assert_eq!(best(&[2, 5, 9], &ranked, 2), [2, 9]);
        assert_eq!(best(&[2, 5, 9], &ranked, 1), [9]);
        assert!(best(&[2, 5, 9], &Ranked { useful: 0, ..ranked }, 2).is_empty());
    }
}
