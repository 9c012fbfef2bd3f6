//! The best few candidates trained, half of them further than the other half.

use base::Estimate;
use discovery::{Candidate, Finding, Purpose};

use crate::discover::workshop::{Model, Workshop};
use crate::discover::{DiscoverError, addition, proposal::unreadable};

/// A candidate that was trained beside the base.
#[derive(Clone, Debug)]
pub(crate) struct Tried {
    /// What screening said.
    pub(crate) finding: Finding,
    /// What the last training that it took part in said.
    pub(crate) gain: Option<Gained>,
    /// Its net after the whole training, if it came so far.
    pub(crate) model: Option<Model>,
    /// Time per node beside that of the base's net, once it was measured.
    pub(crate) cost: Option<Estimate>,
    /// The Elo that loss and cost let expect at fixed time.
    pub(crate) expected: f64,
}

/// By how much a net is wrong less than the base's after as much training.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Gained {
    /// Share of the training.
    pub(crate) share: f64,
    /// Per cent of the loss.
    pub(crate) percent: Estimate,
}

impl Tried {
    /// One that is to be trained.
    pub(crate) fn of(finding: Finding) -> Self {
        Self { finding, gain: None, model: None, cost: None, expected: f64::NEG_INFINITY }
    }
}

/// Trains candidates beside a base, by stages; puts those first that came furthest and promise
/// most.
pub(crate) fn train_by_stages(
    shop: &mut Workshop<'_>,
    base: &Model,
    node_ns: f64,
    tried: &mut [Tried],
) -> Result<(), DiscoverError> {
    let stages = shop.search.stages.clone();
    let mut going_on = tried.len();
    for (at, share) in stages.into_iter().enumerate() {
        if at > 0 {
            going_on = going_on.div_ceil(2);
        }
        stage(shop, base, share, node_ns, &mut tried[..going_on])?;
        tried[..going_on].sort_by(|a, b| b.expected.total_cmp(&a.expected));
    }
    Ok(())
}

/// Trains some of them for a share of the training, beside the base.
fn stage(
    shop: &mut Workshop<'_>,
    base: &Model,
    share: f64,
    node_ns: f64,
    tried: &mut [Tried],
) -> Result<(), DiscoverError> {
    let names = shop.names();
    let mut sets = vec![base.expression.clone()];
    for one in tried.iter() {
        let candidate = Candidate::parse(&one.finding.candidate).map_err(unreadable)?;
        sets.push(addition::sum(&base.set, &candidate, &names));
    }
    let mut models = shop.train(&sets, share)?.into_iter();
    let Some(own) = models.next().flatten() else {
        let title = format!("training {}", base.expression);
        return Err(DiscoverError::Failed { title, reason: "it came to no net".to_owned() });
    };
    let models: Vec<Option<Model>> = models.collect();
    let gains = gains(shop, &own, &models)?;
    for ((one, model), gain) in tried.iter_mut().zip(models).zip(gains) {
        one.gain = gain.map(|percent| Gained { share, percent });
        one.model = model.filter(|_| share == 1.0);
        let of_node = 1.0 + one.finding.ns_per_move / node_ns;
        one.expected = expected(shop, gain, of_node);
    }
    if share == 1.0 {
        measure_costs(shop, &own, tried)?;
    }
    Ok(())
}

/// The fall of the loss with each of some nets instead of another, in per cent.
pub(crate) fn gains(
    shop: &mut Workshop<'_>,
    base: &Model,
    models: &[Option<Model>],
) -> Result<Vec<Option<Estimate>>, DiscoverError> {
    let pair = |model: &Model| {
        let title = format!("{} beside {}", model.expression, base.expression);
        ([base.net.clone(), model.net.clone()], title)
    };
    let pairs = models.iter().flatten().map(pair).collect();
    let mut found = shop.compared(Purpose::Comparing, pairs)?.into_iter();
    let percent = |model: &Option<Model>| model.as_ref().and_then(|_| found.next().flatten());
    Ok(models.iter().map(percent).collect())
}

/// Replaces what candidates were thought to cost by what their nets cost.
fn measure_costs(
    shop: &mut Workshop<'_>,
    base: &Model,
    tried: &mut [Tried],
) -> Result<(), DiscoverError> {
    let mut models = vec![base];
    models.extend(tried.iter().filter_map(|one| one.model.as_ref()));
    let mut paces = shop.paces(&models)?.into_iter();
    let Some(own) = paces.next().flatten() else { return Ok(()) };
    for one in tried.iter_mut().filter(|one| one.model.is_some()) {
        let Some(pace) = paces.next().flatten() else { continue };
        let cost = pace.cost(&own);
        one.cost = Some(cost);
        one.expected = expected(shop, one.gain.map(|gain| gain.percent), cost.value);
    }
    Ok(())
}

/// The Elo at fixed time that so much less loss brings and so many times the time per node
/// takes, as the file says.
pub(crate) fn expected(shop: &Workshop<'_>, gain: Option<Estimate>, cost: f64) -> f64 {
    let Some(gain) = gain else { return f64::NEG_INFINITY };
    shop.search.elo_per_percent * gain.value - shop.search.elo_per_doubling * cost.log2()
}
