//! The memory a run takes, estimated before it begins.
//!
//! The system promises memory that it does not have and ends the program when that is
//! written to, perhaps at the first checkpoint, hours later. So the memory of a run is
//! computed from its sizes, and one that cannot fit is not begun.

mod card;

use std::fmt;

use super::batch::{Ahead, Listing};
use super::config::TrainingConfig;
use super::warning::Warning;
use base::memory::{self, Shortage, Size};
use network::front::IndexForm;
use network::front::cpu::backward::gradient_copies;
use nnue::{Architecture, Layers};

pub use card::{CardFootprint, CardTooSmall};

/// Features that positions have active, where the set would allow more.
const USUAL_ACTIVE: usize = 128;

/// Share of the free memory above which a run is warned.
const CLOSE: f64 = 0.7;

/// Peak memory of reading or writing a checkpoint, in multiples of its state: the state as
/// tensors, as a record, as bytes, and the allocator's freed blocks of other sizes. Measured with
/// KING * ALL, at 256 and 512 columns: at most 2.4 (Adam) and 2.3 (Ranger) of an uninterrupted
/// run, 3.4 and 4.1 of a resumed one, which any run may become.
const CHECKPOINT: f64 = 4.1;

/// The program itself, its threads, and the rest.
const BESIDES: u64 = 64 << 20;

/// Bytes that a run takes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Footprint {
    /// For messages.
    architecture: Architecture,
    /// Positions a step, for messages.
    batch: usize,
    /// Weights, optimiser state and snapshot; of a graphics card the snapshot alone.
    pub weights: u64,
    /// Gradients and the batches on their way, while it learns.
    pub learning: u64,
    /// A checkpoint, while it is written or read.
    pub saving: u64,
}

/// A run that does not fit.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "training {} does not fit: {shortage} ({footprint}); {}",
    footprint.architecture,
    footprint.advice()
)]
pub struct TooLarge {
    footprint: Box<Footprint>,
    shortage: Shortage,
}

impl Footprint {
    /// Footprint of training these layers on a set with at most `max_active` active features.
    pub fn of(architecture: Architecture, config: &TrainingConfig, max_active: usize) -> Self {
        let weights = 4 * architecture.parameters() as u64;
        let remembered = config.optimiser.tensors_per_parameter() as u64;
        let snapshot = if config.keep.has_snapshot() { weights } else { 0 };
        let (batch, on_host) = (config.batch, !config.device.is_gpu());
        let state = weights * (1 + remembered);
        let batches = batches(&architecture, config, max_active);
        let (held, learning) = match on_host {
            true => {
                let layers = &architecture.layers;
                let (features, activation) = (architecture.features, layers.activation());
                let width = columns(layers);
                let gradients =
                    weights * gradient_copies(features, width, activation, batch) as u64;
                (state + snapshot, gradients.saturating_add(batches))
            }
            false => (snapshot, batches),
        };
        let saving = (state as f64 * CHECKPOINT) as u64 + snapshot.saturating_mul(3) / 2;
        Self { architecture, batch, weights: held, learning, saving }
    }

    /// The most it takes at once.
    pub fn peak(&self) -> u64 {
        self.weights.saturating_add(self.learning.max(self.saving)).saturating_add(BESIDES)
    }

    /// Whether it fits into the free memory beside `more` bytes.
    ///
    /// # Errors
    /// The shortage, and advice.
    pub fn check(&self, more: u64) -> Result<(), TooLarge> {
        memory::ensure(self.peak().saturating_add(more))
            .map_err(|shortage| TooLarge { footprint: self.clone().into(), shortage })
    }

    /// A warning about a run that barely fits.
    pub fn warning(&self) -> Option<Warning> {
        let free = memory::available()?;
        let is_close = self.peak() as f64 > CLOSE * free as f64;
        is_close.then_some(Warning::NearlyFull { footprint: self.clone(), free })
    }

    fn advice(&self) -> String {
        let by_weights = self.weights.max(self.saving) > self.learning / 2;
        advice(&self.architecture, self.batch, by_weights)
    }
}

/// `weights and optimiser 1.2 GiB; learning 800 MiB; a checkpoint 1.6 GiB`.
impl fmt::Display for Footprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { weights, learning, saving, .. } = *self;
        write!(
            f,
            "weights and optimiser {}, and then gradient and batches {} or a checkpoint {}",
            Size(weights),
            Size(learning),
            Size(saving)
        )
    }
}

/// Bytes of the batches that wait, are made or are trained on.
fn batches(architecture: &Architecture, config: &TrainingConfig, max_active: usize) -> u64 {
    let Architecture { features, layers } = architecture;
    let of_example = config.method.positions_per_example() as u64;
    let positions = (config.batch as u64).saturating_mul(of_example);
    let active = max_active.min(USUAL_ACTIVE) as u64;
    let inverse = config.device.wants_inverse(*features, false);
    let listing = match inverse {
        true => Listing::RowsAndInverse(IndexForm::Word),
        false => Listing::Rows(IndexForm::Word),
    };
    let Ahead { made, waiting } = Ahead::of(listing);
    // Indices and values of both sides, in the batches that wait, are made or are trained on, and
    // once during assembly. Their inverse takes the same again: once where the device inverts the
    // lists of its batch, or else in each batch and once during assembly.
    let whole = waiting as u64 + made + 1;
    let turned = if inverse { whole + made } else { 1 };
    let lists = 2 * active * 8 * (whole + made + turned);
    let upper: usize = layers.dense().iter().map(|shape| shape.sums).sum();
    let sums = 4 * (2 * columns(layers) as u64 + 6 * upper.max(1) as u64);
    // Lists turned round are counted per feature in each thread.
    let counts = 8 * *features as u64 * threads(config);
    positions.saturating_mul(lists + sums).saturating_add(counts)
}

/// The way to less memory, where most of it are weights or batches.
fn advice(architecture: &Architecture, batch: usize, by_weights: bool) -> String {
    let Architecture { features, layers } = architecture;
    match by_weights {
        true => format!(
            "most of it is {features} rows of {}: make the first layer narrower, or take a \
             smaller feature set",
            columns(layers)
        ),
        false => format!("most of it are batches of {batch}: lower training.batch"),
    }
}

/// Weights of a feature.
fn columns(layers: &Layers) -> usize {
    layers.width() + layers.psqt_columns()
}

fn threads(config: &TrainingConfig) -> u64 {
    if config.threads == 0 { base::cores() as u64 } else { config.threads as u64 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Keep, Optimiser};
    use network::Compute;

    fn footprint(features: usize, l1: usize, config: &TrainingConfig) -> Footprint {
        let layers = format!("{l1} -> 32 -> 1").parse().unwrap();
        Footprint::of(Architecture { features, layers }, config, 32)
    }

    #[test]
    fn what_grows_with_what() {
        let base = TrainingConfig { threads: 2, ..TrainingConfig::default() };
        let peak = |config: &TrainingConfig| footprint(49_152, 512, config).peak();
        let ranger = TrainingConfig { optimiser: Optimiser::Ranger, ..base.clone() };
        let forgetful = TrainingConfig { keep: Keep::Last, ..base.clone() };
        let large = TrainingConfig { batch: 1_000_000, ..base.clone() };
        for more in [ranger, large] {
            assert!(peak(&more) > peak(&base), "{more:?}");
        }
        assert!(peak(&forgetful) < peak(&base));
        // Lists wait on this machine with their inverses, and more of them at once.
        let learning = |config: &TrainingConfig| footprint(49_152, 8, config).learning;
        let host = TrainingConfig { batch: 65_536, ..base.clone() };
        let card = TrainingConfig { device: Compute::GPU, ..host.clone() };
        assert!(learning(&card) > 2 * learning(&host));
        assert!(footprint(768, 512, &base).peak() < peak(&base) / 3);
    }

    #[test]
    fn nothing_overflows() {
        let config = TrainingConfig { batch: usize::MAX, ..TrainingConfig::default() };
        let text = footprint(1 << 31, 1 << 15, &config).check(u64::MAX).unwrap_err().to_string();
        assert!(text.contains("training.batch"), "{text}");
    }

    #[test]
    fn what_does_not_fit_is_refused_with_numbers_and_advice() {
        let config = TrainingConfig::default();
        let text = footprint(201_326_592, 4_096, &config).check(0).unwrap_err().to_string();
        for part in ["201326592 rows of 4096", "make the first layer narrower", "GiB", "are free"] {
            assert!(text.contains(part), "{part}: {text}");
        }
        assert!(footprint(768, 64, &config).check(0).is_ok());
    }
}
