//! The memory of a graphics card that a run takes, at least.
//!
//! Counted are the tensors that every step needs at the same time. The memory pool and the kernels'
//! own buffers come on top, so a run that is refused cannot fit, and one that is not may still fail.

use std::fmt;

use super::{advice, columns};
use crate::config::TrainingConfig;
use crate::warning::Warning;
use base::memory::Size;
use network::Adapter;
use network::front::IndexForm;
use nnue::Architecture;

/// Features of a perspective that a list has room for, at least, if the set allows as many.
const LISTED: usize = 32;

/// Share of the card's memory above which a run is warned.
const CLOSE: f64 = 0.7;

/// Bytes of a graphics card.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CardFootprint {
    architecture: Architecture,
    batch: usize,
    /// Weights and optimiser state.
    pub state: u64,
    /// Gradients, rounded weights of quantisation-aware training, and rows in half precision.
    pub gradients: u64,
    /// Activations of a batch, their gradient and its lists.
    pub activations: u64,
    pub tensor: u64,
}

/// A run that does not fit a graphics card.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CardTooSmall {
    #[error(
        "training {} does not fit {adapter}: it needs {} of its memory at least, and there are {} \
         ({footprint}); {}",
        footprint.architecture,
        Size(footprint.bytes()),
        Size(*total),
        footprint.advice()
    )]
    Memory { footprint: Box<CardFootprint>, adapter: String, total: u64 },
    #[error(
        "training {} does not fit {adapter}: its largest tensor takes {}, and a buffer holds {}; {}",
        footprint.architecture,
        Size(footprint.tensor),
        Size(*buffer),
        footprint.advice()
    )]
    Buffer { footprint: Box<CardFootprint>, adapter: String, buffer: u64 },
}

impl CardFootprint {
    /// `None` for a training on the processor.
    pub fn of(
        architecture: Architecture,
        config: &TrainingConfig,
        max_active: usize,
    ) -> Option<Self> {
        if !config.device.is_gpu() {
            return None;
        }
        let width = columns(&architecture.layers) as u64;
        let weights = 4 * architecture.parameters() as u64;
        let rounded = if config.quantisation_aware { weights } else { 0 };
        let copied = config.row_precision.bytes_of_copy() * architecture.layers.width();
        let copied = (copied * architecture.features) as u64;
        let positions = config.batch.saturating_mul(config.method.positions_per_example());
        let rows = 2 * positions as u64;
        let tensor = |columns: u64| rows.saturating_mul(4 * columns);
        let sums = tensor(width);
        let listed = max_active.min(LISTED) / IndexForm::smallest(architecture.features).of_word();
        let lists = tensor(listed as u64);
        let rows_of_features = 4 * architecture.features as u64 * width;
        Some(Self {
            batch: config.batch,
            state: weights * (1 + config.optimiser.tensors_per_parameter() as u64),
            gradients: weights + rounded + copied,
            activations: sums.saturating_mul(2).saturating_add(lists),
            tensor: rows_of_features.max(sums).max(lists),
            architecture,
        })
    }

    pub fn bytes(&self) -> u64 {
        self.state.saturating_add(self.gradients).saturating_add(self.activations)
    }

    /// Whether it fits an adapter.
    ///
    /// # Errors
    /// The shortage, and advice.
    pub fn check(&self, adapter: &Adapter) -> Result<(), CardTooSmall> {
        let footprint = || Box::new(self.clone());
        let (name, capacity) = (adapter.name.clone(), adapter.capacity);
        if self.tensor > capacity.buffer {
            let buffer = capacity.buffer;
            return Err(CardTooSmall::Buffer { footprint: footprint(), adapter: name, buffer });
        }
        match capacity.total {
            Some(total) if self.bytes() > total => {
                Err(CardTooSmall::Memory { footprint: footprint(), adapter: name, total })
            }
            _ => Ok(()),
        }
    }

    /// A warning about a run that barely fits.
    pub fn warning(&self, adapter: &Adapter) -> Option<Warning> {
        let total = adapter.capacity.total?;
        let is_close = self.bytes() as f64 > CLOSE * total as f64;
        let (footprint, adapter) = (self.clone(), adapter.name.clone());
        is_close.then_some(Warning::CardNearlyFull { footprint, adapter, total })
    }

    fn advice(&self) -> String {
        let by_weights = self.state + self.gradients > self.activations;
        advice(&self.architecture, self.batch, by_weights)
    }
}

/// `weights and optimiser 1.2 GiB, gradients 400 MiB, activations of a batch 800 MiB`.
impl fmt::Display for CardFootprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "weights and optimiser {}, gradients {}, activations of a batch {}",
            Size(self.state),
            Size(self.gradients),
            Size(self.activations)
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Optimiser;
    use network::{Capacity, Compute, RowPrecision};

    fn footprint(features: usize, config: &TrainingConfig) -> CardFootprint {
        let layers = "512 -> 32 -> 1".parse().unwrap();
        CardFootprint::of(Architecture { features, layers }, config, 32).unwrap()
    }

    fn on_card() -> TrainingConfig {
        TrainingConfig { device: Compute::GPU, batch: 16_384, ..TrainingConfig::default() }
    }

    fn adapter(total: Option<u64>, buffer: u64) -> Adapter {
        Adapter { name: "card (DiscreteGpu, Vulkan)".into(), capacity: Capacity { total, buffer } }
    }

    /// KING * ALL: 49,152 rows of 512 floats are 96 MiB.
    #[test]
    fn tensors_are_counted() {
        let of_king_all = footprint(49_152, &on_card());
        assert_eq!(of_king_all.tensor, 96 << 20);
        assert_eq!(of_king_all.state >> 20, 3 * 96);
        assert_eq!(of_king_all.gradients >> 20, 96);
        // 32,768 rows of 512 sums and as many gradients, and lists of 32 halves of a word.
        assert_eq!(of_king_all.activations, (64 << 20) * 2 + (2 << 20));
        let ranger = TrainingConfig { optimiser: Optimiser::Ranger, ..on_card() };
        assert_eq!(footprint(49_152, &ranger).state >> 20, 4 * 96);
        let aware = TrainingConfig { quantisation_aware: true, ..on_card() };
        assert_eq!(footprint(49_152, &aware).gradients >> 20, 2 * 96);
        let halves = TrainingConfig { row_precision: RowPrecision::Bf16, ..on_card() };
        assert_eq!(footprint(49_152, &halves).gradients >> 20, 96 + 48);
        let host = TrainingConfig::default();
        let architecture = of_king_all.architecture;
        assert_eq!(CardFootprint::of(architecture, &host, 32), None);
    }

    #[test]
    fn a_card_that_is_too_small_is_refused_with_numbers_and_advice() {
        let of_king_all = footprint(49_152, &on_card());
        assert_eq!(of_king_all.check(&adapter(None, 1 << 30)), Ok(()));
        assert_eq!(of_king_all.check(&adapter(Some(1 << 30), 1 << 30)), Ok(()));
        let text = of_king_all.check(&adapter(Some(256 << 20), 1 << 30)).unwrap_err().to_string();
        for part in ["card (DiscreteGpu", "515 MiB", "256 MiB", "49152 rows of 512", "narrower"] {
            assert!(text.contains(part), "{part}: {text}");
        }
        let text = of_king_all.check(&adapter(None, 64 << 20)).unwrap_err().to_string();
        for part in ["largest tensor", "96 MiB", "64 MiB"] {
            assert!(text.contains(part), "{part}: {text}");
        }
        let large = TrainingConfig { batch: 1_000_000, ..on_card() };
        let text = footprint(768, &large).check(&adapter(Some(1 << 30), u64::MAX));
        assert!(text.unwrap_err().to_string().contains("lower training.batch"));
    }

    #[test]
    fn a_close_fit_is_warned_of() {
        let of_king_all = footprint(49_152, &on_card());
        let warned = |total| of_king_all.warning(&adapter(total, u64::MAX)).is_some();
        assert!(warned(Some(600 << 20)) && !warned(Some(8 << 30)) && !warned(None));
    }

    #[test]
    fn nothing_overflows() {
        let huge = TrainingConfig { batch: usize::MAX >> 2, ..on_card() };
        assert!(footprint(1 << 31, &huge).check(&adapter(Some(1 << 30), u64::MAX)).is_err());
    }
}
