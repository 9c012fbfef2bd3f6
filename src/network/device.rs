//! The compute device of a training.
//!
//! Burn chooses its backend by value, so an experiment file names the device;
//! the features of the build decide which devices there are.

mod adapter;
mod compute;
#[cfg(feature = "wgpu")]
mod gpu;

use burn::tensor::{Device, Int, Tensor, TensorData};

pub use adapter::{Adapter, Capacity};
#[cfg(feature = "wgpu")]
pub(crate) use compute::is_card;
pub use compute::{Compute, WrongCompute};

/// Whole numbers on a device.
pub(crate) fn list(numbers: Vec<i32>, device: &Device) -> Tensor<1, Int> {
    let len = numbers.len();
    Tensor::from_data(TensorData::new(numbers, [len]), device)
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
        "{reason}; graphics adapters found: {}; choose one by its number, such as \
         `device = \"gpu:0\"`, install a Vulkan driver for the card, or write `device = \"cpu\"`",
        if found.is_empty() { "none".to_owned() } else { found.join(", ") }
    )]
    NoAdapter { reason: String, found: Vec<String> },
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_name_the_way_out() {
        let text = DeviceError::NoGpu.to_string();
        assert!(text.contains("cargo build --release --features wgpu"), "{text}");
        let reason = "no adapter serves".to_owned();
        let text = DeviceError::NoAdapter { reason, found: Vec::new() }.to_string();
        assert!(text.starts_with("no adapter serves; graphics adapters found: none;"), "{text}");
    }
}
