//! Samples to train on, however many there are.

// For `Mmap::map`.
#![allow(unsafe_code)]

mod view;

use std::fmt;
use std::fs::File;
use std::io::{self, Write};
use std::ops::{Deref, Range};
use std::sync::Arc;

use memmap2::Mmap;

use crate::samples::sample::Sample;

pub use view::SampleView;

/// Samples one behind the other, in memory or in a file.
///
/// A file is mapped: the system loads its pages on access and evicts them under memory pressure,
/// so that samples may exceed the memory. Sequential access goes through the mapping, random
/// access reads [the file itself](SampleView).
#[derive(Clone)]
pub struct Samples(Storage);

#[derive(Clone)]
enum Storage {
    Memory(Vec<Sample>),
    File { mapped: Arc<Mapped>, bytes: Range<usize> },
}

/// A file and its mapping.
struct Mapped {
    file: File,
    map: Mmap,
}

impl Samples {
    /// Consecutive stretches of a file from its beginning, with `counts` samples.
    ///
    /// The file must never change: prepared positions take their names when they
    /// are whole, and are never written to afterwards.
    ///
    /// # Errors
    /// A file that is shorter, or cannot be mapped.
    pub(crate) fn of_file<const N: usize>(
        file: &File,
        counts: [usize; N],
    ) -> io::Result<[Self; N]> {
        // SAFETY: the content of the mapping is plain bytes, and any bytes are a sample. The
        // caller ensures that the file is not changed or shortened meanwhile.
        let map = unsafe { Mmap::map(file)? };
        let mapped = Arc::new(Mapped { file: file.try_clone()?, map });
        let mut end = 0;
        let ranges = counts.map(|count| {
            let start = end;
            end = count.saturating_mul(size_of::<Sample>()).saturating_add(start);
            start..end
        });
        if end > mapped.map.len() {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        Ok(ranges.map(|bytes| Self(Storage::File { mapped: mapped.clone(), bytes })))
    }
}

impl Samples {
    /// A copy in a temporary file, which goes with them.
    ///
    /// # Errors
    /// A disk that is full; no samples, which cannot be mapped.
    pub fn in_temporary_file(samples: &[Sample]) -> io::Result<Self> {
        let mut file = tempfile::tempfile()?;
        file.write_all(bytemuck::cast_slice(samples))?;
        let [samples] = Self::of_file(&file, [samples.len()])?;
        Ok(samples)
    }
}

impl Deref for Samples {
    type Target = [Sample];

    fn deref(&self) -> &[Sample] {
        match &self.0 {
            Storage::Memory(samples) => samples,
            Storage::File { mapped, bytes } => bytemuck::cast_slice(&mapped.map[bytes.clone()]),
        }
    }
}

impl<'a> From<&'a Samples> for SampleView<'a> {
    fn from(samples: &'a Samples) -> Self {
        match &samples.0 {
            Storage::Memory(held) => Self::in_memory(held),
            Storage::File { mapped, bytes } => Self::in_file(samples, &mapped.file, bytes.start),
        }
    }
}

impl<'s> IntoIterator for &'s Samples {
    type Item = &'s Sample;
    type IntoIter = std::slice::Iter<'s, Sample>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl Default for Samples {
    fn default() -> Self {
        Vec::new().into()
    }
}

impl From<Vec<Sample>> for Samples {
    fn from(samples: Vec<Sample>) -> Self {
        Self(Storage::Memory(samples))
    }
}

impl<S: AsRef<[Sample]> + ?Sized> PartialEq<S> for Samples {
    fn eq(&self, other: &S) -> bool {
        **self == *other.as_ref()
    }
}

impl AsRef<[Sample]> for Samples {
    fn as_ref(&self) -> &[Sample] {
        self
    }
}

impl fmt::Debug for Samples {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

/// Prefetches samples that will be read soon, in their order. No effect on samples in memory.
pub(crate) fn will_be_read(samples: &[Sample]) {
    #[cfg(unix)]
    advise(samples, rustix::mm::Advice::WillNeed);
    #[cfg(not(unix))]
    let _ = samples;
}

#[cfg(unix)]
fn advise(samples: &[Sample], advice: rustix::mm::Advice) {
    let page = rustix::param::page_size();
    let bytes: &[u8] = bytemuck::cast_slice(samples);
    let before = bytes.as_ptr().addr() % page;
    let start = bytes.as_ptr().wrapping_sub(before).cast_mut().cast();
    // SAFETY: these advices change nothing but when pages are fetched. Those around the
    // samples are at worst fetched too.
    let advised = unsafe { rustix::mm::madvise(start, bytes.len() + before, advice) };
    // Without advice the pages are read when they are needed.
    let _ = advised;
}

#[cfg(test)]
mod tests {
    use bytemuck::Zeroable;

    use super::*;

    fn numbered(count: usize) -> Vec<Sample> {
        (0..count).map(|n| Sample { score: n as i16, ..Sample::zeroed() }).collect()
    }

    #[test]
    fn samples_are_the_same_in_memory_and_in_a_file() {
        let samples = numbered(1_000);
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(bytemuck::cast_slice(&samples)).unwrap();
        let [train, validation] = Samples::of_file(&file, [700, 300]).unwrap();
        assert_eq!(train, samples[..700]);
        assert_eq!(validation, samples[700..]);
        assert_eq!(Samples::from(samples[..700].to_vec()), train);
        will_be_read(&train[3..9]);
        will_be_read(&samples);
        will_be_read(&[]);
        assert!(Samples::of_file(&file, [700, 301]).is_err());
        assert!(Samples::of_file(&file, [usize::MAX, 2]).is_err());
    }
}
