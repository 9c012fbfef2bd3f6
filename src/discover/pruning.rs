//! Rows left out as long as the loss bears it.

use std::num::NonZeroU64;
use std::path::PathBuf;

use base::{Estimate, write_atomically};
use discovery::{Candidate, Purpose};
use plan::Job;
use plan::discovery::{Discovery, Rank, Ranked};

use crate::training::{Tried, expected, gains};
use crate::workshop::{Model, Workshop};
use crate::{DiscoverError, addition, proposal::unreadable};

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
    model: Option<Model>,
}

/// What comes of leaving rows out of a candidate, one share after another until the loss says
/// stop; and the candidate as it goes on. Each step is ranked anew by the net of the one before:
/// rows that are left have taken over what others said.
pub(crate) fn pruned(
    shop: &mut Workshop<'_>,
    base: &Model,
    tried: Tried,
) -> Result<(Vec<Pruned>, Tried), DiscoverError> {
    let nothing = |tried| Ok((Vec::new(), tried));
    let (Some(model), Some(whole)) = (tried.model.clone(), tried.gain) else {
        return nothing(tried);
    };
    if tried.finding.features < shop.search.prune_from || shop.search.keep.is_empty() {
        return nothing(tried);
    }
    let least = (1.0 - shop.search.lose) * whole.percent.value;
    let mut steps: Vec<Pruned> = Vec::new();
    let mut here = model;
    let mut kept: Vec<u32> = (0..tried.finding.features as u32).collect();
    for share in shop.search.keep.clone() {
        let ranked = ranked(shop, &here, kept.len(), &tried.finding.candidate)?;
        let count = (share * tried.finding.features as f64).ceil() as usize;
        let count = count.min(ranked.useful);
        if count == 0 || count >= kept.len() {
            continue;
        }
        kept = ranked.rows[..count].iter().map(|&at| kept[at as usize]).collect();
        // In the order of the set, so that features stay neighbours that were.
        kept.sort_unstable();
        let step = step(shop, base, &tried, &kept, least)?;
        let (is_borne, model) = (step.is_borne, step.model.clone());
        steps.push(step);
        match model.filter(|_| is_borne) {
            Some(model) => here = model,
            None => break,
        }
    }
    let Some(best) = steps.iter_mut().rev().find(|step| step.is_borne) else {
        return Ok((steps, tried));
    };
    let mut goes_on = tried;
    if let Some(model) = &best.model {
        best.cost = cost(shop, base, model)?;
        let ratio = best.cost.or(goes_on.cost).map_or(1.0, |cost| cost.value);
        goes_on.expected = expected(shop, best.gain, ratio);
        goes_on.model = Some(model.clone());
        goes_on.cost = best.cost;
        if let (Some(gain), Some(percent)) = (&mut goes_on.gain, best.gain) {
            gain.percent = percent;
        }
    }
    Ok((steps, goes_on))
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
    shop.ask_one(Job::Discovery(Discovery::Rank(rank)), &title)
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
    std::fs::create_dir_all(&folder)
        .map_err(|source| DiscoverError::Io { path: folder.clone(), source })?;
    let path = folder.join(format!("{key}.txt"));
    if path.exists() {
        return Ok(path);
    }
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
