//! Entries as they are read from a file, before they are decoded.

use std::ops::Range;

/// Text or bytes read before a batch is decoded. Large enough to keep all
/// cores busy, small enough to show progress and to stop soon.
const BATCH_BYTES: usize = 2 << 20;

/// Where an entry lies in its batch, and where in the file (line or byte).
pub(crate) struct Extent {
    pub range: Range<usize>,
    pub place: u64,
}

/// Entries still in their own notation.
pub(crate) struct Batch {
    pub bytes: Vec<u8>,
    pub entries: Vec<Extent>,
    /// No more entries are put into it.
    most: usize,
}

impl Default for Batch {
    fn default() -> Self {
        Self::limited(usize::MAX)
    }
}

impl Batch {
    /// A batch of at most `most` entries.
    pub(crate) fn limited(most: usize) -> Self {
        Self { bytes: Vec::new(), entries: Vec::new(), most }
    }

    pub(crate) fn is_full(&self) -> bool {
        self.bytes.len() >= BATCH_BYTES || self.entries.len() >= self.most
    }

    /// Closes the entry that begins at `start`.
    pub(crate) fn close_entry(&mut self, start: usize, place: u64) {
        self.entries.push(Extent { range: start..self.bytes.len(), place });
    }
}
