//! What decides the outcome of a run, written down to be compared.
//!
//! Not in it: the number of epochs, since more can be added to a run, and the
//! number of threads, which changes nothing.

use super::checkpoint::Identity;
use super::trainer::TrainingJob;
use crate::data::Sample;

/// Samples that go into the fingerprint of a data set.
const FINGERPRINT_SAMPLES: usize = 1 << 16;

/// The identity of a job.
pub fn identity(job: &TrainingJob<'_>) -> Identity {
    let config = &job.config;
    [
        ("features", job.features.canonical().to_owned()),
        ("l1", job.l1.to_string()),
        ("l2", job.l2.to_string()),
        ("seed", job.seed.to_string()),
        ("training data", fingerprint(job.train)),
        ("validation data", fingerprint(job.validation)),
        ("training.device", format!("{:?}", config.device).to_lowercase()),
        ("training.method", format!("{:?}", config.method)),
        ("training.positions_per_epoch", config.positions_per_epoch.to_string()),
        ("training.batch", config.batch.to_string()),
        ("training.learning_rate", config.learning_rate.to_string()),
        ("training.decay", config.decay.to_string()),
        ("training.result_weight", config.result_weight.to_string()),
        ("training.loss_exponent", config.loss_exponent.to_string()),
        ("training.output_scale_cp", config.output_scale_cp.to_string()),
        ("training.target_scale_cp", config.target_scale_cp.to_string()),
    ]
    .into_iter()
    .map(|(what, text)| (what.to_owned(), text))
    .collect()
}

/// Number of samples and a hash over some spread evenly: enough to tell data
/// sets apart, and quick even for a hundred million positions.
fn fingerprint(samples: &[Sample]) -> String {
    let count = samples.len().min(FINGERPRINT_SAMPLES);
    let mut hasher = blake3::Hasher::new();
    for i in 0..count {
        // Below 2^16 × len, so no overflow in 64 bits.
        let place = (i as u64 * samples.len() as u64 / count as u64) as usize;
        hasher.update(bytemuck::bytes_of(&samples[place]));
    }
    format!("{} positions, {}", samples.len(), &hasher.finalize().to_hex()[..16])
}
