//! A graphics adapter and its memory.

use std::fmt;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Adapter {
    /// Name, type and graphics API: `NVIDIA H200 (DiscreteGpu, Vulkan)`.
    pub name: String,
    pub capacity: Capacity,
}

/// Memory that an adapter offers, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Capacity {
    /// Its own memory, or its share of the system's; `None` where the graphics API has no figure.
    pub total: Option<u64>,
    /// The largest buffer that a kernel can address.
    pub buffer: u64,
}

impl fmt::Display for Adapter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)
    }
}
