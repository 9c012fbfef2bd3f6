//! Where the arithmetic of training runs.
//!
//! Burn chooses its backend by value, so a choice in an experiment file is all
//! it takes; what is compiled in decides which choices can be met.

use burn::tensor::Device;
use serde::{Deserialize, Serialize};

/// A compute device as an experiment names it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Compute {
    /// The processor, through Burn's Flex backend.
    #[default]
    Cpu,
    /// The processor, through Burn's older NdArray backend.
    Ndarray,
    /// A graphics card.
    Gpu,
}

/// A device that this build does not have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DeviceError {
    /// No GPU backend is compiled in.
    #[error("this version of oplus has no GPU support; write `device = \"cpu\"`")]
    NoGpu,
    /// Upstream deprecated the NdArray backend in favour of Flex.
    #[error(
        "this version of oplus is built without the ndarray backend, which Burn has deprecated; \
         write `device = \"cpu\"` for its successor"
    )]
    NoNdarray,
}

impl Compute {
    /// The Burn device, without automatic differentiation.
    pub fn device(self) -> Result<Device, DeviceError> {
        match self {
            Compute::Cpu => Ok(Device::flex()),
            Compute::Ndarray => Err(DeviceError::NoNdarray),
            Compute::Gpu => Err(DeviceError::NoGpu),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_compiled_in_is_offered() {
        assert!(Compute::Cpu.device().is_ok());
        assert_eq!(Compute::Gpu.device().err(), Some(DeviceError::NoGpu));
        assert_eq!(Compute::Ndarray.device().err(), Some(DeviceError::NoNdarray));
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
