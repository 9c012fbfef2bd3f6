//! Devices by name.

use std::fmt;
use std::str::FromStr;

use burn::tensor::Device;

use super::{Adapter, DeviceError};
use crate::front::{IndexForm, MOST_MARKED};

/// A compute device. In TOML and on the command line `cpu`, `ndarray`, `gpu` or `gpu:1`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Compute {
    /// The processor, through Burn's Flex backend.
    #[default]
    Cpu,
    /// The processor, through Burn's older NdArray backend (feature
    /// `ndarray`).
    Ndarray,
    /// A graphics card, through WebGPU (feature `wgpu`): the best adapter, or the one of that
    /// number in the list of adapters.
    Gpu(Option<u8>),
}

impl Compute {
    pub const GPU: Self = Self::Gpu(None);

    pub fn is_gpu(self) -> bool {
        matches!(self, Self::Gpu(_))
    }

    /// The Burn device, without automatic differentiation.
    pub fn device(self) -> Result<Device, DeviceError> {
        match self {
            Self::Cpu => Ok(Device::flex()),
            Self::Ndarray => ndarray(),
            Self::Gpu(number) => gpu(number).map(|(device, _)| device),
        }
    }

    /// The adapter of a graphics card; `None` for the processor.
    pub fn adapter(self) -> Result<Option<Adapter>, DeviceError> {
        match self {
            Self::Cpu => Ok(None),
            Self::Ndarray => ndarray().map(|_| None),
            Self::Gpu(number) => gpu(number).map(|(_, adapter)| Some(adapter)),
        }
    }

    /// Name of the processor's backend or of the graphics adapter.
    pub fn describe(self) -> Result<String, DeviceError> {
        Ok(match self.adapter()? {
            Some(adapter) => adapter.to_string(),
            None if self == Self::Ndarray => "processor, Burn NdArray".to_owned(),
            None => "processor, Burn Flex".to_owned(),
        })
    }

    /// Whether a batch of a set with `features` features brings the
    /// [inverse](crate::front::Inverse) of its index lists: to a graphics card, unless the set is
    /// binary and so small that the card finds the rows of each feature.
    pub fn wants_inverse(self, features: usize, valued: bool) -> bool {
        self.is_gpu() && (valued || features > MOST_MARKED)
    }

    /// Form of the index lists of a set with `features` features: the smallest that it fits where
    /// they are copied to a graphics card.
    pub fn index_form(self, features: usize) -> IndexForm {
        if self.is_gpu() { IndexForm::smallest(features) } else { IndexForm::Word }
    }
}

/// A text that names no device; in serde's words, from which readers of TOML take the nearest name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "unknown variant `{0}`, expected one of `cpu`, `ndarray`, `gpu`, or a graphics adapter by its \
     number such as `gpu:1`"
)]
pub struct WrongCompute(String);

impl FromStr for Compute {
    type Err = WrongCompute;

    fn from_str(text: &str) -> Result<Self, WrongCompute> {
        let wrong = || WrongCompute(text.to_owned());
        match text {
            "cpu" => Ok(Self::Cpu),
            "ndarray" => Ok(Self::Ndarray),
            "gpu" => Ok(Self::GPU),
            _ => {
                let number = text.strip_prefix("gpu:").ok_or_else(wrong)?;
                number.parse().map(|number| Self::Gpu(Some(number))).map_err(|_| wrong())
            }
        }
    }
}

base::serde_as_text!(Compute);

impl fmt::Display for Compute {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Cpu => f.write_str("cpu"),
            Self::Ndarray => f.write_str("ndarray"),
            Self::Gpu(None) => f.write_str("gpu"),
            Self::Gpu(Some(number)) => write!(f, "gpu:{number}"),
        }
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
fn gpu(number: Option<u8>) -> Result<(Device, Adapter), DeviceError> {
    super::gpu::open(number)
}

#[cfg(not(feature = "wgpu"))]
fn gpu(_number: Option<u8>) -> Result<(Device, Adapter), DeviceError> {
    Err(DeviceError::NoGpu)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::every_compute;

    #[test]
    fn only_compiled_devices_open() {
        for compute in [Compute::Cpu, Compute::Ndarray, Compute::GPU] {
            let error = compute.device().err();
            assert_eq!(error.is_none(), every_compute().contains(&compute), "{error:?}");
            assert_eq!(error, compute.describe().err());
        }
    }

    #[test]
    fn names_are_those_of_the_experiment_file() {
        for (name, compute) in [
            ("\"cpu\"", Compute::Cpu),
            ("\"ndarray\"", Compute::Ndarray),
            ("\"gpu\"", Compute::GPU),
            ("\"gpu:1\"", Compute::Gpu(Some(1))),
        ] {
            assert_eq!(serde_json::from_str::<Compute>(name).unwrap(), compute);
            assert_eq!(serde_json::to_string(&compute).unwrap(), name);
        }
        for wrong in ["tpu", "gpu:", "gpu:-1", "gpu:many", "gpu:256", "GPU", ""] {
            let error = wrong.parse::<Compute>().unwrap_err().to_string();
            assert!(error.contains("expected one of `cpu`, `ndarray`, `gpu`"), "{error}");
        }
    }
}
