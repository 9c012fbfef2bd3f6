//! Identity of a run: everything that decides its outcome, as text.
//!
//! Every key of the `[training]` table is in it but two: the number of
//! threads, which changes nothing, and the number of epochs, since more can be
//! added to a run; unless a schedule or average depends on their number.

use super::checkpoint::Identity;
use super::config::TrainingConfig;
use super::job::TrainingJob;
use data::{Stretch, Weight};

/// The identity of a job. Hashes every sample.
pub(crate) fn identity(job: &TrainingJob<'_>) -> Identity {
    let (train, validation) = (job.train.len(), job.validation.len());
    let hash = job.inventory().hash(&[]).to_hex();
    let data = format!("{train} + {validation} positions, {}", &hash[..16]);
    let mut identity: Identity = [
        ("features", job.features.canonical().into()),
        ("layers", job.layers.to_string().into()),
        ("seed", job.seed.into()),
        ("data", data.into()),
    ]
    .into_iter()
    .map(|(what, value)| (what.to_owned(), text(&value)))
    .collect();
    if job.stretches.iter().any(|stretch| stretch.weight != Weight::ONE) {
        identity.insert("weights".to_owned(), weights(job.stretches));
    }
    if let Some(start) = &job.start {
        identity.insert("start".to_owned(), start.hash());
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
    let depends_on_length = config.depends_on_length();
    table
        .expect("the configuration is a table of numbers and names, which JSON can hold")
        .into_iter()
        .filter(move |(key, _)| key != "threads" && (key != "epochs" || depends_on_length))
        .map(|(key, value)| (format!("training.{key}"), text(&value)))
}

fn text(value: &serde_json::Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::keep::Keep;
    use crate::loss::Pqr;
    use crate::method::Method;
    use crate::optimiser::{Optimiser, WeightDecay};
    use crate::schedule::{Schedule, WdlWeight};
    use network::RowPrecision;

    fn keys(config: &TrainingConfig) -> Identity {
        training(config).collect()
    }

    #[test]
    fn each_key_that_decides_the_outcome_changes_the_identity() {
        let base = TrainingConfig::default;
        let own = keys(&base());
        for other in [
            TrainingConfig { method: Method::Pqr(Pqr::default()), ..base() },
            TrainingConfig { optimiser: Optimiser::Ranger, ..base() },
            TrainingConfig { weight_decay: WeightDecay::even(0.1), ..base() },
            TrainingConfig { weight_decay: WeightDecay { transformer: 0.0, upper: 0.1 }, ..base() },
            TrainingConfig { schedule: Schedule::Cosine { last: 0.0 }, ..base() },
            TrainingConfig { warmup: 1, ..base() },
            TrainingConfig { clip_gradients: 1.0, ..base() },
            TrainingConfig { feature_dropout: 0.1, ..base() },
            TrainingConfig { wdl: WdlWeight::Constant(0.1), ..base() },
            TrainingConfig { keep: Keep::Last, ..base() },
            TrainingConfig { row_precision: RowPrecision::Bf16, ..base() },
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
        let line = WdlWeight::Line { from: 0.0, to: 0.5 };
        for base in [
            TrainingConfig { schedule: Schedule::Linear { last: 0.0 }, ..Default::default() },
            TrainingConfig { wdl: line, ..Default::default() },
            TrainingConfig { keep: Keep::Swa { epochs: 3 }, ..Default::default() },
        ] {
            let more = TrainingConfig { epochs: base.epochs + 1, ..base.clone() };
            assert_ne!(keys(&base), keys(&more));
        }
    }
}
