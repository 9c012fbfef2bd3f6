//! Training of candidates by successive halving.

use base::Estimate;
use discovery::{Candidate, CandidateGain, Purpose};

use crate::discover::planner::{Model, SearchPlanner};
use crate::discover::{DiscoverError, addition, proposal::unreadable};

/// A candidate that is trained beside the base.
#[derive(Clone, Debug)]
pub(crate) struct TrainedCandidate {
    /// Its result of screening.
    pub(crate) finding: CandidateGain,
    /// Loss reduction after its last stage.
    pub(crate) gain: Option<Gain>,
    /// Its net after the whole training.
    pub(crate) model: Option<Model>,
    /// Time per node relative to the base, once measured.
    pub(crate) cost: Option<Estimate>,
    /// Expected Elo at fixed time, from loss and cost.
    pub(crate) expected: f64,
}

/// Loss reduction relative to the base after the same training.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Gain {
    /// Share of the training.
    pub(crate) share: f64,
    /// Per cent of the loss.
    pub(crate) percent: Estimate,
}

impl TrainedCandidate {
    /// Before any training.
    pub(crate) fn of(finding: CandidateGain) -> Self {
        Self { finding, gain: None, model: None, cost: None, expected: f64::NEG_INFINITY }
    }
}

/// Trains candidates beside a base in stages; sorts them by stage reached and expected Elo.
pub(crate) fn train_by_stages(
    planner: &mut SearchPlanner<'_>,
    base: &Model,
    node_ns: f64,
    tried: &mut [TrainedCandidate],
) -> Result<(), DiscoverError> {
    let stages = planner.search.stages.clone();
    let mut remaining = tried.len();
    for (at, share) in stages.into_iter().enumerate() {
        if at > 0 {
            remaining = remaining.div_ceil(2);
        }
        stage(planner, base, share, node_ns, &mut tried[..remaining])?;
        tried[..remaining].sort_by(|a, b| b.expected.total_cmp(&a.expected));
    }
    Ok(())
}

/// Trains candidates and base for a share of the training.
fn stage(
    planner: &mut SearchPlanner<'_>,
    base: &Model,
    share: f64,
    node_ns: f64,
    tried: &mut [TrainedCandidate],
) -> Result<(), DiscoverError> {
    let names = planner.names();
    let mut sets = vec![base.expression.clone()];
    for one in tried.iter() {
        let candidate = Candidate::parse(&one.finding.candidate).map_err(unreadable)?;
        sets.push(addition::sum(&base.set, &candidate, &names));
    }
    let mut models = planner.train(&sets, share)?.into_iter();
    let Some(own) = models.next().flatten() else {
        let title = format!("training {}", base.expression);
        return Err(DiscoverError::Failed { title, reason: "the training failed".to_owned() });
    };
    let models: Vec<Option<Model>> = models.collect();
    let gains = gains(planner, &own, &models)?;
    for ((one, model), gain) in tried.iter_mut().zip(models).zip(gains) {
        one.gain = gain.map(|percent| Gain { share, percent });
        one.model = model.filter(|_| share == 1.0);
        let of_node = 1.0 + one.finding.ns_per_move / node_ns;
        one.expected = expected(planner, gain, of_node);
    }
    if share == 1.0 {
        measure_costs(planner, &own, tried)?;
    }
    Ok(())
}

/// Loss reduction of each net relative to a base, in per cent.
pub(crate) fn gains(
    planner: &mut SearchPlanner<'_>,
    base: &Model,
    models: &[Option<Model>],
) -> Result<Vec<Option<Estimate>>, DiscoverError> {
    let pair = |model: &Model| {
        let title = format!("{} beside {}", model.expression, base.expression);
        ([base.net.clone(), model.net.clone()], title)
    };
    let pairs = models.iter().flatten().map(pair).collect();
    let mut found = planner.compared(Purpose::Comparing, pairs)?.into_iter();
    let percent = |model: &Option<Model>| model.as_ref().and_then(|_| found.next().flatten());
    Ok(models.iter().map(percent).collect())
}

/// Replaces estimated costs by measured ones.
fn measure_costs(
    planner: &mut SearchPlanner<'_>,
    base: &Model,
    tried: &mut [TrainedCandidate],
) -> Result<(), DiscoverError> {
    let mut models = vec![base];
    models.extend(tried.iter().filter_map(|one| one.model.as_ref()));
    let mut paces = planner.paces(&models)?.into_iter();
    let Some(own) = paces.next().flatten() else { return Ok(()) };
    for one in tried.iter_mut().filter(|one| one.model.is_some()) {
        let Some(pace) = paces.next().flatten() else { continue };
        let cost = pace.cost(&own);
        one.cost = Some(cost);
        one.expected = expected(planner, one.gain.map(|gain| gain.percent), cost.value);
    }
    Ok(())
}

/// Expected Elo at fixed time: loss reduction and time ratio by the priors of the file.
pub(crate) fn expected(planner: &SearchPlanner<'_>, gain: Option<Estimate>, cost: f64) -> f64 {
    let Some(gain) = gain else { return f64::NEG_INFINITY };
    planner.search.slopes().expected(gain.value, cost)
}
