//! Where the arithmetic of training runs.
//!
//! Burn chooses its backend by value, so a choice in an experiment file is all
//! it takes; what is compiled in decides which choices can be met.

#[cfg(feature = "wgpu")]
mod gpu;

use burn::tensor::Device;
use serde::{Deserialize, Serialize};

use crate::front::MOST_MARKED;

/// A compute device as an experiment names it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Compute {
    /// The processor, through Burn's Flex backend.
    #[default]
    Cpu,
    /// The processor, through Burn's older NdArray backend (feature
    /// `ndarray`).
    Ndarray,
    /// A graphics card, through WebGPU (feature `wgpu`).
    Gpu,
}

/// A device that this build or this machine does not have.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DeviceError {
    #[error(
        "this oplus is built without GPU support; build it with \
         `cargo build --release --features wgpu`, or write `device = \"cpu\"`"
    )]
    NoGpu,
    #[error(
        "this oplus is built without the ndarray backend, which Burn has deprecated; write \
         `device = \"cpu\"` for its successor, or build with \
         `cargo build --release --features ndarray`"
    )]
    NoNdarray,
    #[error(
        "{reason}; graphics adapters found: {}; install a Vulkan driver for the card, or write \
         `device = \"cpu\"`",
        if found.is_empty() { "none".to_owned() } else { found.join(", ") }
    )]
    NoAdapter { reason: String, found: Vec<String> },
}

impl Compute {
    /// The Burn device, without automatic differentiation.
    pub fn device(self) -> Result<Device, DeviceError> {
        match self {
            Compute::Cpu => Ok(Device::flex()),
            Compute::Ndarray => ndarray(),
            Compute::Gpu => gpu(),
        }
    }

    /// The device in words.
    pub fn describe(self) -> Result<String, DeviceError> {
        match self {
            Compute::Cpu => Ok("processor, Burn Flex".to_owned()),
            Compute::Ndarray => ndarray().map(|_| "processor, Burn NdArray".to_owned()),
            Compute::Gpu => adapter(),
        }
    }

    /// Whether a batch brings the [inverse](super::front::Inverse) of its index lists for a set
    /// of so many features, with values or without: to a graphics card, unless the set is binary
    /// and so small that the card finds the rows of each feature.
    pub fn wants_inverse(self, features: usize, valued: bool) -> bool {
        self == Compute::Gpu && (valued || features > MOST_MARKED)
    }
}

/// Whether a device is a graphics card.
#[cfg(feature = "wgpu")]
pub(crate) fn is_card(device: &Device) -> bool {
    device.identity().is_some()
}

#[cfg(feature = "ndarray")]
#[expect(deprecated, reason = "the backend is, and stays on offer as long as Burn has it")]
fn ndarray() -> Result<Device, DeviceError> {
    Ok(Device::ndarray())
}

#[cfg(not(feature = "ndarray"))]
fn ndarray() -> Result<Device, DeviceError> {
    Err(DeviceError::NoNdarray)
}

#[cfg(feature = "wgpu")]
fn gpu() -> Result<Device, DeviceError> {
    gpu::open().map(|gpu| gpu.device)
}

#[cfg(not(feature = "wgpu"))]
fn gpu() -> Result<Device, DeviceError> {
    Err(DeviceError::NoGpu)
}

#[cfg(feature = "wgpu")]
fn adapter() -> Result<String, DeviceError> {
    gpu::open().map(|gpu| gpu.adapter)
}

#[cfg(not(feature = "wgpu"))]
fn adapter() -> Result<String, DeviceError> {
    Err(DeviceError::NoGpu)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::every_compute;

    #[test]
    fn only_what_is_compiled_in_is_offered() {
        for compute in [Compute::Cpu, Compute::Ndarray, Compute::Gpu] {
            let error = compute.device().err();
            assert_eq!(error.is_none(), every_compute().contains(&compute), "{error:?}");
            assert_eq!(error, compute.describe().err());
        }
    }

    #[test]
    fn what_is_missing_says_how_to_get_it() {
        let text = DeviceError::NoGpu.to_string();
        assert!(text.contains("cargo build --release --features wgpu"), "{text}");
        let reason = "no adapter serves".to_owned();
        let text = DeviceError::NoAdapter { reason, found: Vec::new() }.to_string();
        assert!(text.starts_with("no adapter serves; graphics adapters found: none;"), "{text}");
    }

    #[test]
    fn names_are_those_of_the_experiment_file() {
        for (name, compute) in [
            ("\"cpu\"", Compute::Cpu),
            ("\"ndarray\"", Compute::Ndarray),
            ("\"gpu\"", Compute::Gpu),
        ] {
            assert_eq!(serde_json::from_str::<Compute>(name).unwrap(), compute);
        }
        assert!(serde_json::from_str::<Compute>("\"tpu\"").is_err());
    }
}
