//! Opening a graphics card.
//!
//! Burn opens its device when the first tensor is made, and panics if there is
//! none. Here it is opened before, once, so that what is wrong can be said.

use std::sync::OnceLock;

use burn::tensor::wgpu::WgpuInitError;
use burn::tensor::wgpu::wgpu::{AdapterInfo, Backends, Instance, InstanceDescriptor};
use burn::tensor::{Device, DeviceKind};
use cubecl::future::block_on;

use super::DeviceError;

/// An opened card.
#[derive(Clone, Debug)]
pub(super) struct Gpu {
    /// For Burn.
    pub device: Device,
    /// Its name and the interface it is reached through.
    pub adapter: String,
}

/// The best card there is, or the one that the environment variable
/// `CUBECL_WGPU_DEFAULT_DEVICE` names: `DiscreteGpu(1)`, `IntegratedGpu(0)`,
/// `Cpu` and so on.
pub(super) fn open() -> Result<Gpu, DeviceError> {
    static GPU: OnceLock<Result<Gpu, DeviceError>> = OnceLock::new();
    GPU.get_or_init(|| init(DeviceKind::DefaultDevice)).clone()
}

fn init(kind: DeviceKind) -> Result<Gpu, DeviceError> {
    match Device::wgpu_options().device_kind(kind).init_with_setup() {
        Ok((device, setup)) => Ok(Gpu { device, adapter: describe(&setup.adapter.get_info()) }),
        Err(error) => Err(DeviceError::NoAdapter { reason: reason(&error), found: adapters() }),
    }
}

fn reason(error: &WgpuInitError) -> String {
    match error {
        WgpuInitError::AdapterUnavailable { device, .. } => {
            format!("no graphics adapter serves as {:?}", device.kind)
        }
        // Says itself what is wrong.
        other => other.to_string(),
    }
}

/// All adapters of this machine, through whichever interface.
fn adapters() -> Vec<String> {
    let descriptor = InstanceDescriptor {
        backends: Backends::all(),
        ..InstanceDescriptor::new_without_display_handle()
    };
    let adapters = block_on(Instance::new(descriptor).enumerate_adapters(Backends::all()));
    adapters.iter().map(|adapter| describe(&adapter.get_info())).collect()
}

fn describe(adapter: &AdapterInfo) -> String {
    format!("{} ({:?}, {})", adapter.name, adapter.device_type, adapter.backend)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_card_that_is_not_there_is_refused_with_those_that_are() {
        let opened = open().unwrap_or_else(|error| panic!("{error}"));
        let Err(DeviceError::NoAdapter { reason, found }) = init(DeviceKind::DiscreteGpu(99))
        else {
            panic!("a hundred cards")
        };
        assert_eq!(reason, "no graphics adapter serves as DiscreteGpu(99)");
        assert!(found.contains(&opened.adapter), "{found:?} without {}", opened.adapter);
    }
}
