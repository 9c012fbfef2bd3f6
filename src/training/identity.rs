//! What decides the outcome of a run, written down to be compared.
//!
//! Every key of the `[training]` table is in it but two: the number of
//! threads, which changes nothing, and the number of epochs, since more can be
//! added to a run; unless a schedule looks at the end, where more epochs would
//! have made the first ones different.

use super::checkpoint::Identity;
use super::config::TrainingConfig;
use super::job::TrainingJob;
use data::dataset::hash_of;
use data::{Sample, Stretch, Weight};

/// Samples that earlier versions hashed of a data set.
pub(crate) const SAMPLED: usize = 1 << 16;

/// What earlier versions called the samples to train on.
const SAMPLED_TRAINING: &str = "training data";

/// The identity of a job. Hashes every sample.
pub(crate) fn identity(job: &TrainingJob<'_>) -> Identity {
    let (train, validation) = (job.train.len(), job.validation.len());
    let hash = hash_of(job.train, job.validation, &[]).to_hex();
    let data = format!("{train} + {validation} positions, {}", &hash[..16]);
    with_data(job, [("data", data)])
}

/// The same as earlier versions wrote it down, who looked at some of the samples only.
pub(crate) fn sampled_identity(job: &TrainingJob<'_>) -> Identity {
    let data = [
        (SAMPLED_TRAINING, sampled_hash(job.train)),
        ("validation data", sampled_hash(job.validation)),
    ];
    with_data(job, data)
}

/// Whether an earlier version wrote it.
pub(crate) fn is_sampled(identity: &Identity) -> bool {
    identity.contains_key(SAMPLED_TRAINING)
}

fn with_data<const N: usize>(job: &TrainingJob<'_>, data: [(&str, String); N]) -> Identity {
    let mut identity: Identity = [
        ("features", job.features.canonical().into()),
        ("l1", job.layers.l1().into()),
        ("l2", job.layers.l2().into()),
        ("activation", job.layers.activation().recorded().into()),
        ("buckets", job.layers.buckets().count().into()),
        ("seed", job.seed.into()),
    ]
    .into_iter()
    .map(|(what, value)| (what.to_owned(), text(&value)))
    .collect();
    identity.extend(data.map(|(what, value)| (what.to_owned(), value)));
    if job.stretches.iter().any(|stretch| stretch.weight != Weight::ONE) {
        identity.insert("weights".to_owned(), weights(job.stretches));
    }
    identity.extend(training(&job.config));
    identity
}

/// `1000 × 0.5 + 2000 × 1`.
fn weights(stretches: &[Stretch]) -> String {
    let text = |stretch: &Stretch| format!("{} × {}", stretch.samples, f64::from(stretch.weight));
    stretches.iter().map(text).collect::<Vec<_>>().join(" + ")
}

/// The keys of the configuration that decide the outcome.
fn training(config: &TrainingConfig) -> impl Iterator<Item = (String, String)> {
    let table = serde_json::to_value(config).ok().and_then(|value| value.as_object().cloned());
    let knows_the_end = config.knows_the_end();
    table
        .expect("the configuration is a table of numbers and names, which JSON can hold")
        .into_iter()
        .filter(move |(key, _)| key != "threads" && (key != "epochs" || knows_the_end))
        .map(|(key, value)| (format!("training.{key}"), text(&value)))
}

fn text(value: &serde_json::Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// Number of samples and a hash over some spread evenly.
fn sampled_hash(samples: &[Sample]) -> String {
    let count = samples.len().min(SAMPLED);
    let mut hasher = blake3::Hasher::new();
    for i in 0..count {
        // Below 2^16 × len, so no overflow in 64 bits.
        let place = (i as u64 * samples.len() as u64 / count as u64) as usize;
        hasher.update(bytemuck::bytes_of(&samples[place]));
    }
    format!("{} positions, {}", samples.len(), &hasher.finalize().to_hex()[..16])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::loss::Pqr;
    use crate::method::Method;
    use crate::optimiser::Optimiser;
    use crate::schedule::{ResultWeight, Schedule};

    fn keys(config: &TrainingConfig) -> Identity {
        training(config).collect()
    }

    #[test]
    fn whatever_decides_the_outcome_changes_it() {
        let base = TrainingConfig::default;
        let own = keys(&base());
        for other in [
            TrainingConfig { method: Method::Pqr(Pqr::default()), ..base() },
            TrainingConfig { optimiser: Optimiser::Ranger, ..base() },
            TrainingConfig { weight_decay: 0.1, ..base() },
            TrainingConfig { schedule: Schedule::Cosine { last: 0.0 }, ..base() },
            TrainingConfig { warmup: 1, ..base() },
            TrainingConfig { result_weight: ResultWeight::Constant(0.1), ..base() },
            TrainingConfig { patience: 1, ..base() },
            TrainingConfig { learning_rate: f64::from_bits(5e-4_f64.to_bits() + 1), ..base() },
        ] {
            assert_ne!(keys(&other), own, "{other:?}");
        }
        for same in
            [TrainingConfig { threads: 3, ..base() }, TrainingConfig { epochs: 3, ..base() }]
        {
            assert_eq!(keys(&same), own);
        }
    }

    #[test]
    fn epochs_count_where_a_schedule_looks_at_the_end() {
        let line = ResultWeight::Line { from: 0.0, to: 0.5 };
        for base in [
            TrainingConfig { schedule: Schedule::Linear { last: 0.0 }, ..Default::default() },
            TrainingConfig { result_weight: line, ..Default::default() },
        ] {
            let more = TrainingConfig { epochs: base.epochs + 1, ..base.clone() };
            assert_ne!(keys(&base), keys(&more));
        }
    }
}
