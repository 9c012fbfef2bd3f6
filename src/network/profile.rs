//! Where a graphics card's time goes, by its own timestamps.
//!
//! Every launch is bracketed by two timestamps that are read once all of the work is done, so the
//! kernels run one behind the other as they do otherwise.

use std::time::Duration;

/// Time of a kernel, all of its launches together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KernelTime {
    pub kernel: String,
    pub launches: usize,
    /// Time between its timestamps.
    pub busy: Duration,
}

/// Result of `work`, which waits for the device at its end, and the time of each kernel that it
/// launched, the longest first. A processor launches none.
#[cfg(not(feature = "wgpu"))]
pub fn profiled<T>(work: impl FnOnce() -> T) -> (T, Vec<KernelTime>) {
    (work(), Vec::new())
}

/// Result of `work`, which waits for the device at its end, and the time of each kernel that it
/// launched, the longest first. A processor launches none.
#[cfg(feature = "wgpu")]
pub fn profiled<T>(work: impl FnOnce() -> T) -> (T, Vec<KernelTime>) {
    launches::profiled(work)
}

#[cfg(feature = "wgpu")]
mod launches {
    use std::cmp::Reverse;
    use std::collections::BTreeMap;
    use std::sync::{Arc, Mutex, PoisonError};

    use cubecl::config::{TypeNameFormatLevel, type_name_format};
    use cubecl::future::block_on;
    use cubecl::logging::{LaunchObservation, LaunchObserver, ProfileDuration, TimingRequest};

    use super::KernelTime;

    pub(super) fn profiled<T>(work: impl FnOnce() -> T) -> (T, Vec<KernelTime>) {
        let launches = Arc::new(Launches::default());
        let observation = LaunchObservation::new(launches.clone());
        let out = work();
        drop(observation);
        (out, launches.times())
    }

    /// Launches not yet read.
    #[derive(Default)]
    struct Launches(Mutex<Vec<(&'static str, ProfileDuration)>>);

    impl LaunchObserver for Launches {
        fn launched(&self, _kernel: &'static str) {}

        fn timing(&self) -> TimingRequest {
            TimingRequest::Deferred
        }

        fn profiled(&self, kernel: &'static str, profile: ProfileDuration) {
            self.0.lock().unwrap_or_else(PoisonError::into_inner).push((kernel, profile));
        }
    }

    impl Launches {
        fn times(&self) -> Vec<KernelTime> {
            let launches =
                std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner));
            let mut times = BTreeMap::<String, KernelTime>::new();
            for (name, profile) in launches {
                let Some(ticks) = block_on(profile.into_future()) else { continue };
                let kernel = type_name_format(name, TypeNameFormatLevel::Balanced);
                let new = || KernelTime { kernel, launches: 0, busy: Default::default() };
                let time = times.entry(name.to_owned()).or_insert_with(new);
                time.launches += 1;
                time.busy += ticks.duration();
            }
            let mut times: Vec<KernelTime> = times.into_values().collect();
            times.sort_by_key(|time| Reverse(time.busy));
            times
        }
    }
}
