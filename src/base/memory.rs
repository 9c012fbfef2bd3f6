//! Free memory, checked before large allocations.
//!
//! An allocation that the machine cannot honour does not fail where it is made: the
//! system promises the pages and ends the program when they are written to. So every
//! size from outside (a hash table, a batch, a count in a file) is checked here first.

use std::fmt;

#[cfg(target_os = "linux")]
mod linux;

/// Bytes that can be allocated without swapping: the least of the machine's free memory, the room
/// in the program's control groups and its own limits. `None` where the system has no number.
#[cfg(target_os = "linux")]
pub fn available() -> Option<u64> {
    linux::available()
}

/// Bytes that can be allocated without swapping. `None` where the system has no number.
#[cfg(not(target_os = "linux"))]
pub fn available() -> Option<u64> {
    let mut system = sysinfo::System::new();
    system.refresh_memory();
    Some(system.available_memory()).filter(|&bytes| bytes > 0)
}

/// A request for more memory than there is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "it needs {} of memory; {} are free, and a tenth stays for other programs",
    Size(*.needed),
    Size(*.free)
)]
pub struct Shortage {
    /// Bytes requested.
    pub needed: u64,
    /// Bytes there are.
    pub free: u64,
}

impl Shortage {
    /// Bytes that may be taken.
    pub fn allowed(&self) -> u64 {
        allowed(self.free)
    }
}

/// Checks that `needed` bytes leave a tenth of the free memory. Passes where the free memory is
/// unknown.
///
/// # Errors
/// Too little memory, in numbers.
pub fn ensure(needed: u64) -> Result<(), Shortage> {
    match available() {
        Some(free) => ensure_within(needed, free),
        None => Ok(()),
    }
}

fn ensure_within(needed: u64, free: u64) -> Result<(), Shortage> {
    if needed <= allowed(free) { Ok(()) } else { Err(Shortage { needed, free }) }
}

fn allowed(free: u64) -> u64 {
    free - free / 10
}

/// Bytes as a person reads them: `21.4 GiB`, `512 MiB`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Size(pub u64);

impl fmt::Display for Size {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const MEBI: f64 = (1 << 20) as f64;
        let mebibytes = self.0 as f64 / MEBI;
        match mebibytes {
            0.0..10.0 => write!(f, "{mebibytes:.1} MiB"),
            10.0..1024.0 => write!(f, "{mebibytes:.0} MiB"),
            _ => write!(f, "{:.1} GiB", mebibytes / 1024.0),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tenth_is_spared() {
        assert_eq!(ensure_within(90, 100), Ok(()));
        let shortage = ensure_within(91, 100).unwrap_err();
        assert_eq!((shortage.needed, shortage.free, shortage.allowed()), (91, 100, 90));
        assert!(ensure(0).is_ok());
    }

    #[test]
    fn shortages_are_written_in_numbers() {
        let text = Shortage { needed: 100_000 << 20, free: 23_511 << 20 }.to_string();
        assert!(text.contains("97.7 GiB") && text.contains("23.0 GiB"), "{text}");
        assert_eq!(Size(512 << 20).to_string(), "512 MiB");
        assert_eq!(Size(3 << 19).to_string(), "1.5 MiB");
    }
}
