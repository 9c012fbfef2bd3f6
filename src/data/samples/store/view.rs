//! Samples that are borrowed, and read from their file without a mapping.
//!
//! A mapping leaves it to the system which pages stay. Where samples are more than the memory
//! holds and are read in leaps, it keeps the pages that were read, takes those back that were
//! fetched ahead, and brings each of them again with all that its disk reads ahead (megabytes for
//! one sample). Reads of the file itself, with advice, avoid that.

use std::fs::File;
use std::io;
use std::ops::{Deref, Range};

use bytemuck::Zeroable;

use crate::samples::sample::Sample;

/// Samples that are borrowed, in memory or in a file.
#[derive(Clone, Copy, Debug)]
pub struct SampleView<'a> {
    samples: &'a [Sample],
    file: Option<Stretch<'a>>,
}

/// Where in a file samples lie.
#[derive(Clone, Copy, Debug)]
struct Stretch<'a> {
    file: &'a File,
    /// Byte of the first sample.
    start: u64,
}

impl<'a> SampleView<'a> {
    pub(super) fn in_memory(samples: &'a [Sample]) -> Self {
        Self { samples, file: None }
    }

    /// A view of samples that are mapped from a byte of a file on.
    pub(super) fn in_file(samples: &'a [Sample], file: &'a File, start: usize) -> Self {
        Self { samples, file: Some(Stretch { file, start: start as u64 }) }
    }

    /// All of them, through the mapping where they lie in a file.
    pub fn as_slice(self) -> &'a [Sample] {
        self.samples
    }

    /// Whether they lie in a file.
    pub fn is_in_file(self) -> bool {
        self.file.is_some()
    }

    /// Copies samples from the `first` on, without the mapping where the system can.
    ///
    /// # Errors
    /// A disk that fails.
    ///
    /// # Panics
    /// If there are too few samples.
    pub fn read(self, first: usize, into: &mut [Sample]) -> io::Result<()> {
        let mapped = &self.samples[first..first + into.len()];
        match self.file {
            Some(stretch) => stretch.read(first, mapped, into),
            None => {
                into.copy_from_slice(mapped);
                Ok(())
            }
        }
    }

    /// `count` samples, evenly spread over all; all of them where there are no more.
    ///
    /// # Errors
    /// A disk that fails.
    pub fn spread(self, count: usize) -> io::Result<Vec<Sample>> {
        let count = count.min(self.len());
        let mut spread = vec![Sample::zeroed(); count];
        for (number, sample) in spread.iter_mut().enumerate() {
            self.read(number * self.len() / count, std::slice::from_mut(sample))?;
        }
        Ok(spread)
    }

    /// Has the system begin to fetch samples that are read soon.
    pub fn fetch(self, samples: Range<usize>) {
        #[cfg(target_os = "linux")]
        self.advise(samples, rustix::fs::Advice::WillNeed);
        #[cfg(not(target_os = "linux"))]
        let _ = samples;
    }

    /// Has the system keep no pages of samples that have been read.
    pub fn let_go(self, samples: Range<usize>) {
        #[cfg(target_os = "linux")]
        self.advise(samples, rustix::fs::Advice::DontNeed);
        #[cfg(not(target_os = "linux"))]
        let _ = samples;
    }

    #[cfg(target_os = "linux")]
    fn advise(self, samples: Range<usize>, advice: rustix::fs::Advice) {
        let Some(stretch) = self.file else { return };
        let length = std::num::NonZeroU64::new((samples.len() * size_of::<Sample>()) as u64);
        if length.is_some() {
            // A file system that takes no advice serves the same samples, later.
            let _ = rustix::fs::fadvise(stretch.file, stretch.byte(samples.start), length, advice);
        }
    }
}

impl Stretch<'_> {
    fn byte(self, sample: usize) -> u64 {
        self.start + (sample * size_of::<Sample>()) as u64
    }

    #[cfg(unix)]
    fn read(self, first: usize, _: &[Sample], into: &mut [Sample]) -> io::Result<()> {
        use std::os::unix::fs::FileExt;
        self.file.read_exact_at(bytemuck::cast_slice_mut(into), self.byte(first))
    }

    #[cfg(not(unix))]
    fn read(self, _: usize, mapped: &[Sample], into: &mut [Sample]) -> io::Result<()> {
        into.copy_from_slice(mapped);
        Ok(())
    }
}

impl Deref for SampleView<'_> {
    type Target = [Sample];

    fn deref(&self) -> &[Sample] {
        self.samples
    }
}

impl<'a> From<&'a [Sample]> for SampleView<'a> {
    fn from(samples: &'a [Sample]) -> Self {
        Self::in_memory(samples)
    }
}

impl<'a> From<&'a Vec<Sample>> for SampleView<'a> {
    fn from(samples: &'a Vec<Sample>) -> Self {
        Self::in_memory(samples)
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;
    use crate::samples::store::Samples;

    fn numbered(count: usize) -> Vec<Sample> {
        (0..count).map(|n| Sample { score: n as i16, ..Sample::zeroed() }).collect()
    }

    #[test]
    fn what_is_read_is_what_lies_there() {
        let samples = numbered(5_000);
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(bytemuck::cast_slice(&samples)).unwrap();
        let [_, filed] = Samples::of_file(&file, [700, 4_300]).unwrap();
        let samples = &samples[700..];
        for view in [SampleView::from(&filed), samples.into()] {
            for range in [0..4_300, 3..9, 4_299..4_300, 5..5] {
                view.fetch(range.clone());
                let mut read = vec![Sample::zeroed(); range.len()];
                view.read(range.start, &mut read).unwrap();
                view.let_go(range.clone());
                assert_eq!(read, samples[range]);
            }
            let spread: Vec<Sample> = (0..1_000).map(|n| samples[n * 4_300 / 1_000]).collect();
            assert_eq!(view.spread(1_000).unwrap(), spread);
            assert_eq!(view.spread(9_000).unwrap(), samples);
        }
        assert!(SampleView::from(&numbered(0)).spread(3).unwrap().is_empty());
        assert!(SampleView::from(&filed).is_in_file() && !SampleView::from(samples).is_in_file());
    }

    #[test]
    #[cfg(unix)]
    fn a_file_that_was_cut_is_an_error() {
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(bytemuck::cast_slice(&numbered(1_000))).unwrap();
        let [filed] = Samples::of_file(&file, [1_000]).unwrap();
        file.set_len(900 * size_of::<Sample>() as u64).unwrap();
        let mut read = numbered(200);
        assert!(SampleView::from(&filed).read(700, &mut read).is_ok());
        assert!(SampleView::from(&filed).read(701, &mut read).is_err());
    }
}
