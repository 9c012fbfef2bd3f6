//! Checksums of a file: whether damage to it would show.
//!
//! Of all formats only the archive has checksums of its own. A frame of zstd may have one of
//! its content (RFC 8878 §3.1.1); the tool `zstd` writes it, libraries only on request. The heads
//! of frames show which; they are walked through without unpacking the frames.

use std::fs::File;
use std::path::Path;

use crate::error::DataError;
use crate::formats::format::Format;
use crate::formats::source::read_full;
use base::zst::{self, FRAME};

/// What shows a flipped bit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Protection {
    /// Checksums of the archive.
    Blocks,
    /// Checksums of the compression.
    Frames,
    /// Nothing: the compression has no checksums.
    UncheckedFrames,
    /// Nothing: it is not compressed.
    Nothing,
}

impl Protection {
    /// Of a file in that format.
    ///
    /// # Errors
    /// A file that cannot be read.
    pub fn of(path: &Path, format: Format) -> Result<Self, DataError> {
        if format == Format::Archive {
            return Ok(Self::Blocks);
        }
        let mut file =
            File::open(path).map_err(|source| DataError::Open { path: path.to_owned(), source })?;
        let (mut frames, mut buffer, mut offset) = (Frames::default(), vec![0; 1 << 18], 0);
        loop {
            let read = read_full(&mut file, &mut buffer);
            let read =
                read.map_err(|source| DataError::Read { path: path.to_owned(), offset, source })?;
            frames.feed(&buffer[..read]);
            offset += read as u64;
            if read == 0 || frames.is_foreign {
                return Ok(frames.protection());
            }
        }
    }
}

/// Walks through frames, a piece of the file at a time.
#[derive(Debug)]
struct Frames {
    next: Part,
    /// Bytes of that part that have come.
    held: Vec<u8>,
    /// Bytes to pass over before it.
    skip: u64,
    frames: u64,
    unchecked: u64,
    /// Something that is no frame has come.
    is_foreign: bool,
}

impl Default for Frames {
    fn default() -> Self {
        let next = Part::Magic;
        Self { next, held: Vec::new(), skip: 0, frames: 0, unchecked: 0, is_foreign: false }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    Magic,
    /// Of a frame that is to be passed over.
    Length,
    Descriptor,
    Block {
        is_checked: bool,
    },
}

impl Part {
    fn bytes(self) -> usize {
        match self {
            Part::Magic | Part::Length => 4,
            Part::Descriptor => 1,
            Part::Block { .. } => 3,
        }
    }
}

impl Frames {
    fn feed(&mut self, mut bytes: &[u8]) {
        while !bytes.is_empty() && !self.is_foreign {
            let skipped = usize::try_from(self.skip).unwrap_or(usize::MAX).min(bytes.len());
            self.skip -= skipped as u64;
            bytes = &bytes[skipped..];
            let taken = (self.next.bytes() - self.held.len()).min(bytes.len());
            self.held.extend_from_slice(&bytes[..taken]);
            bytes = &bytes[taken..];
            if self.held.len() == self.next.bytes() {
                self.step();
                self.held.clear();
            }
        }
    }

    fn step(&mut self) {
        let number =
            self.held.iter().rev().fold(0u32, |number, &byte| number << 8 | u32::from(byte));
        match self.next {
            Part::Magic if number == FRAME => self.next = Part::Descriptor,
            Part::Magic if zst::is_skippable(number) => self.next = Part::Length,
            Part::Magic => self.is_foreign = true,
            Part::Length => {
                self.skip = number.into();
                self.next = Part::Magic;
            }
            Part::Descriptor => {
                let (is_single, is_checked) = (number >> 5 & 1 == 1, number >> 2 & 1 == 1);
                let window = u64::from(!is_single);
                let dictionary = [0, 1, 2, 4][number as usize & 3];
                let size = [u64::from(is_single), 2, 4, 8][number as usize >> 6 & 3];
                self.skip = window + dictionary + size;
                self.next = Part::Block { is_checked };
            }
            Part::Block { is_checked } => {
                let is_repeated = number >> 1 & 3 == 1;
                self.skip = if is_repeated { 1 } else { u64::from(number >> 3) };
                if number & 1 == 1 {
                    self.skip += if is_checked { 4 } else { 0 };
                    self.frames += 1;
                    self.unchecked += u64::from(!is_checked);
                    self.next = Part::Magic;
                }
            }
        }
    }

    fn protection(&self) -> Protection {
        match (self.frames, self.unchecked) {
            (0, _) => Protection::Nothing,
            (_, 0) => Protection::Frames,
            _ => Protection::UncheckedFrames,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use proptest::prelude::*;

    use super::*;
    use base::zst::SKIPPABLE;

    fn packed(content: &[u8], is_checked: bool) -> Vec<u8> {
        let mut encoder = zstd::Encoder::new(Vec::new(), 1).unwrap();
        encoder.include_checksum(is_checked).unwrap();
        encoder.write_all(content).unwrap();
        encoder.finish().unwrap()
    }

    fn walked(file: &[u8], piece: usize) -> Frames {
        let mut frames = Frames::default();
        file.chunks(piece).for_each(|piece| frames.feed(piece));
        frames
    }

    proptest! {
        /// Whatever the pieces, every frame is counted, and no byte is left over.
        #[test]
        fn frames_are_walked_through(
            frames in prop::collection::vec((any::<bool>(), 0usize..300_000, any::<u8>()), 1..4),
            piece in 1usize..70_000,
        ) {
            let mut file = [&SKIPPABLE.to_le_bytes()[..], &3u32.to_le_bytes(), b"any"].concat();
            for &(is_checked, length, byte) in &frames {
                let mixed = |i| byte.wrapping_mul((i % 251) as u8).wrapping_add(((i * i) >> 7) as u8);
                let content: Vec<u8> = (0..length).map(mixed).collect();
                file.extend(packed(&content, is_checked));
            }
            let found = walked(&file, piece);
            let unchecked = frames.iter().filter(|(is_checked, ..)| !is_checked).count() as u64;
            prop_assert_eq!((found.frames, found.unchecked), (frames.len() as u64, unchecked));
            prop_assert!(!found.is_foreign && found.skip == 0 && found.held.is_empty());
        }

        #[test]
        fn any_bytes_can_be_walked_through(bytes: Vec<u8>, piece in 1usize..9) {
            let file = [&FRAME.to_le_bytes()[..], &bytes].concat();
            walked(&file, piece);
        }
    }

    #[test]
    fn what_is_not_compressed_has_no_frames() {
        assert_eq!(walked(b"[Event \"?\"]", 5).protection(), Protection::Nothing);
        assert_eq!(walked(b"", 5).protection(), Protection::Nothing);
    }
}
