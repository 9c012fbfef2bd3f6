//! Opening a graphics adapter.
//!
//! Burn opens its device when the first tensor is made, and panics if there is
//! none. Here it is opened before, once, so that an error names the cause.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use burn::tensor::wgpu::wgpu::{self, Backend, Backends, DeviceType, Instance, InstanceDescriptor};
use burn::tensor::wgpu::{WgpuBackend, WgpuInitError, WgpuOptions, WgpuSetup};
use burn::tensor::{Device, DeviceKind};
use cubecl::future::block_on;

use super::{Adapter, Capacity, DeviceError};

type Opened = Result<(Device, Adapter), DeviceError>;

/// The adapter of a number in the list of [`adapters`]. Without a number the best there is, or the
/// one that the environment variable `CUBECL_WGPU_DEFAULT_DEVICE` names: `DiscreteGpu(1)`,
/// `IntegratedGpu(0)`, `Cpu` and so on.
pub(super) fn open(number: Option<u8>) -> Opened {
    static OPENED: Mutex<Option<HashMap<Option<u8>, Opened>>> = Mutex::new(None);
    let mut opened = OPENED.lock().unwrap_or_else(PoisonError::into_inner);
    let opened = opened.get_or_insert_default();
    opened.entry(number).or_insert_with(|| init(number)).clone()
}

fn init(number: Option<u8>) -> Opened {
    let Some(number) = number else { return init_with(Device::wgpu_options()) };
    let found = adapters();
    match options_of(&found, number.into()) {
        Some(options) => init_with(options),
        None => {
            let reason = format!("there is no graphics adapter `gpu:{number}` to train on");
            Err(DeviceError::NoAdapter { reason, found: listed(&found) })
        }
    }
}

fn init_with(options: WgpuOptions) -> Opened {
    match options.init_with_setup() {
        Ok((device, setup)) => Ok((device, described(&setup))),
        Err(error) => {
            Err(DeviceError::NoAdapter { reason: reason(&error), found: listed(&adapters()) })
        }
    }
}

fn described(setup: &WgpuSetup) -> Adapter {
    let limits = setup.device.limits();
    let buffer = limits.max_buffer_size.min(limits.max_storage_buffer_binding_size);
    let total = memory::device_local(&setup.adapter);
    Adapter { name: name(&setup.adapter), capacity: Capacity { total, buffer } }
}

fn reason(error: &WgpuInitError) -> String {
    match error {
        WgpuInitError::AdapterUnavailable { device, .. } => {
            format!("no graphics adapter serves as {:?}", device.kind)
        }
        // Its text names the reason.
        other => other.to_string(),
    }
}

/// All adapters of this machine, through every graphics API.
fn adapters() -> Vec<wgpu::Adapter> {
    let descriptor = InstanceDescriptor {
        backends: Backends::all(),
        ..InstanceDescriptor::new_without_display_handle()
    };
    block_on(Instance::new(descriptor).enumerate_adapters(Backends::all()))
}

/// `gpu:0 llvmpipe (Cpu, Vulkan)`.
fn listed(adapters: &[wgpu::Adapter]) -> Vec<String> {
    let line = |(number, adapter)| format!("gpu:{number} {}", name(adapter));
    adapters.iter().enumerate().map(line).collect()
}

fn name(adapter: &wgpu::Adapter) -> String {
    let info = adapter.get_info();
    format!("{} ({:?}, {})", info.name, info.device_type, info.backend)
}

/// The options that select an adapter: Burn counts those of one graphics API and one type.
fn options_of(adapters: &[wgpu::Adapter], number: usize) -> Option<WgpuOptions> {
    let kind = |adapter: &wgpu::Adapter| {
        let info = adapter.get_info();
        (info.backend, info.device_type)
    };
    let (backend, device_type) = kind(adapters.get(number)?);
    let before = &adapters[..number];
    let place = before.iter().filter(|it| kind(it) == (backend, device_type)).count();
    let kind = match device_type {
        DeviceType::DiscreteGpu => DeviceKind::DiscreteGpu(place),
        DeviceType::IntegratedGpu => DeviceKind::IntegratedGpu(place),
        DeviceType::VirtualGpu => DeviceKind::VirtualGpu(place),
        DeviceType::Cpu => DeviceKind::Cpu,
        DeviceType::Other => return None,
    };
    let api = match backend {
        Backend::Vulkan => WgpuBackend::Vulkan,
        Backend::Metal => WgpuBackend::Metal,
        Backend::Dx12 => WgpuBackend::Dx12,
        Backend::Gl => WgpuBackend::Gl,
        Backend::BrowserWebGpu | Backend::Noop => return None,
    };
    Some(Device::wgpu_options().device_kind(kind).graphics_api(api))
}

/// WebGPU has no figure for the memory of an adapter, Vulkan has.
#[cfg(not(target_vendor = "apple"))]
mod memory {
    #![allow(unsafe_code, reason = "reads memory properties of a Vulkan device")]

    use burn::tensor::wgpu::wgpu::{self, hal};

    /// `VK_MEMORY_HEAP_DEVICE_LOCAL_BIT`.
    const DEVICE_LOCAL: u32 = 1;

    /// Bytes of the largest heap of device-local memory; `None` outside Vulkan.
    pub(super) fn device_local(adapter: &wgpu::Adapter) -> Option<u64> {
        // SAFETY: only properties of the raw device are read, and it outlives the guard.
        let properties = unsafe {
            let vulkan = adapter.as_hal::<hal::api::Vulkan>()?;
            let instance = vulkan.shared_instance().raw_instance();
            instance.get_physical_device_memory_properties(vulkan.raw_physical_device())
        };
        let heaps = &properties.memory_heaps[..properties.memory_heap_count as usize];
        let own = heaps.iter().filter(|heap| heap.flags.as_raw() & DEVICE_LOCAL != 0);
        own.map(|heap| heap.size).max()
    }
}

/// Metal adapters share the system's memory.
#[cfg(target_vendor = "apple")]
mod memory {
    use burn::tensor::wgpu::wgpu;

    pub(super) fn device_local(_adapter: &wgpu::Adapter) -> Option<u64> {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_adapter_is_refused_with_the_list_of_those_there_are() {
        let (_, adapter) = open(None).unwrap_or_else(|error| panic!("{error}"));
        let options = Device::wgpu_options().device_kind(DeviceKind::DiscreteGpu(99));
        let by_kind = (init_with(options), "no graphics adapter serves as DiscreteGpu(99)");
        let by_number = (open(Some(99)), "there is no graphics adapter `gpu:99` to train on");
        for (opened, expected) in [by_kind, by_number] {
            let Err(DeviceError::NoAdapter { reason, found }) = opened else {
                panic!("a hundred cards")
            };
            assert_eq!(reason, expected);
            assert!(found.iter().any(|it| it.ends_with(&adapter.name)), "{found:?} {adapter}");
        }
    }

    #[test]
    fn an_adapter_is_chosen_by_its_number() {
        let (_, best) = open(None).unwrap();
        let found = adapters();
        let number = found.iter().position(|it| name(it) == best.name).unwrap();
        let (_, same) = open(Some(number as u8)).unwrap();
        assert_eq!(same, best);
    }

    #[test]
    fn capacities_are_those_of_a_device_that_computes() {
        let (_, Adapter { capacity, .. }) = open(None).unwrap();
        assert!(capacity.buffer >= 1 << 27, "{capacity:?}");
        assert!(capacity.total.is_none_or(|total| total >= 1 << 27), "{capacity:?}");
    }
}
