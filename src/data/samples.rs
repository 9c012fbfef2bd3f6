//! Samples to train on, however many there are.

// For `Mmap::map`.
#![allow(unsafe_code)]

use std::fmt;
use std::fs::File;
use std::io;
use std::ops::{Deref, Range};
use std::sync::Arc;

use memmap2::Mmap;

use super::Sample;

/// Samples one behind the other, in memory or in a file.
///
/// A file is mapped: the system brings its pages when they are asked for and takes them back
/// when it needs their room, so that samples may be many more than the memory holds. Whoever
/// walks through them in leaps does well to say [which come next](will_be_read).
#[derive(Clone)]
pub struct Samples(Place);

#[derive(Clone)]
enum Place {
    Memory(Vec<Sample>),
    File { map: Arc<Mmap>, bytes: Range<usize> },
}

impl Samples {
    /// Stretches of a file, as many samples as are said, one behind the other from its
    /// beginning.
    ///
    /// The file must be one that nobody changes: prepared positions take their names when they
    /// are whole, and are never written to afterwards.
    ///
    /// # Errors
    /// A file that is shorter, or cannot be mapped.
    pub(crate) fn of_file<const N: usize>(
        file: &File,
        counts: [usize; N],
    ) -> io::Result<[Self; N]> {
        // SAFETY: the content of the mapping is plain bytes, of which any are a sample. What is
        // asked of the caller is that nobody else changes or shortens the file meanwhile.
        let map = Arc::new(unsafe { Mmap::map(file)? });
        let mut end = 0;
        let ranges = counts.map(|count| {
            let start = end;
            end = count.saturating_mul(size_of::<Sample>()).saturating_add(start);
            start..end
        });
        if end > map.len() {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        Ok(ranges.map(|bytes| Self(Place::File { map: map.clone(), bytes })))
    }
}

impl Deref for Samples {
    type Target = [Sample];

    fn deref(&self) -> &[Sample] {
        match &self.0 {
            Place::Memory(samples) => samples,
            Place::File { map, bytes } => bytemuck::cast_slice(&map[bytes.clone()]),
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
        Self(Place::Memory(samples))
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

/// Tells the system that these samples will be read soon: if they lie in a file, it begins to
/// fetch them. Of samples in memory nothing comes.
pub fn will_be_read(samples: &[Sample]) {
    #[cfg(unix)]
    advise(samples, rustix::mm::Advice::WillNeed);
    #[cfg(not(unix))]
    let _ = samples;
}

/// Waits until these samples are there to be read without waiting, if they lie in a file and
/// the system knows how.
pub fn read_now(samples: &[Sample]) {
    #[cfg(target_os = "linux")]
    advise(samples, rustix::mm::Advice::LinuxPopulateRead);
    #[cfg(not(target_os = "linux"))]
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
    // Whoever does not take advice reads the pages when they are needed.
    let _ = advised;
}

#[cfg(test)]
mod tests {
    use super::*;
    use bytemuck::Zeroable;
    use std::io::Write;

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
        for some in [&train[3..9], &samples, &[]] {
            read_now(some);
        }
        assert!(Samples::of_file(&file, [700, 301]).is_err());
        assert!(Samples::of_file(&file, [usize::MAX, 2]).is_err());
    }
}
