//! Checksums of a file, which make damage detectable.
//!
//! Only the archive format has checksums of its own. gzip and bzip2 always have them. A frame of
//! zstd may have one of its content (RFC 8878 §3.1.1); the tool `zstd` writes it, libraries only on
//! request. The heads of the frames have a flag for it; they are read without unpacking the frames.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Seek};
use std::path::Path;

use crate::error::DataError;
use crate::formats::format::FileFormat;
use crate::formats::source::read_full;
use base::compression::Compression;
use base::zst::{self, FRAME};

/// The checksum that detects a flipped bit.
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
    /// Protection of a file in that format.
    ///
    /// # Errors
    /// A file that cannot be read.
    pub fn of(path: &Path, format: FileFormat) -> Result<Self, DataError> {
        if format == FileFormat::Archive {
            return Ok(Self::Blocks);
        }
        let file =
            File::open(path).map_err(|source| DataError::Open { path: path.to_owned(), source })?;
        let mut file = BufReader::new(file);
        let head = file.fill_buf().unwrap_or_default();
        if matches!(Compression::of(head), Some(Compression::Gzip | Compression::Bzip2)) {
            return Ok(Self::Frames);
        }
        match Frames::count(&mut file) {
            Ok(frames) => Ok(frames.protection()),
            Err(source) => {
                let offset = file.stream_position().unwrap_or(0);
                Err(DataError::Read { path: path.to_owned(), offset, source })
            }
        }
    }
}

/// The frames of a file.
#[derive(Debug, Default)]
struct Frames {
    all: u64,
    unchecked: u64,
}

impl Frames {
    /// Counts frames up to the end of the file or to something else.
    fn count(file: &mut (impl Read + Seek)) -> io::Result<Self> {
        let mut frames = Self::default();
        while let Some(magic) = number(file, 4)? {
            if zst::is_skippable(magic) {
                let Some(length) = number(file, 4)? else { break };
                file.seek_relative(length.into())?;
            } else if magic == FRAME {
                let Some(is_checked) = pass_frame(file)? else { break };
                frames.all += 1;
                frames.unchecked += u64::from(!is_checked);
            } else {
                break;
            }
        }
        Ok(frames)
    }

    fn protection(&self) -> Protection {
        match (self.all, self.unchecked) {
            (0, _) => Protection::Nothing,
            (_, 0) => Protection::Frames,
            _ => Protection::UncheckedFrames,
        }
    }
}

/// Skips a frame behind its magic; whether it has a checksum, or `None` if the file ends inside it.
fn pass_frame(file: &mut (impl Read + Seek)) -> io::Result<Option<bool>> {
    let Some(descriptor) = number(file, 1)? else { return Ok(None) };
    let (is_single, is_checked) = (descriptor >> 5 & 1 == 1, descriptor >> 2 & 1 == 1);
    let dictionary = [0, 1, 2, 4][descriptor as usize & 3];
    let size = [i64::from(is_single), 2, 4, 8][descriptor as usize >> 6 & 3];
    file.seek_relative(i64::from(!is_single) + dictionary + size)?;
    while let Some(block) = number(file, 3)? {
        let is_repeated = block >> 1 & 3 == 1;
        file.seek_relative(if is_repeated { 1 } else { i64::from(block >> 3) })?;
        if block & 1 == 1 {
            file.seek_relative(if is_checked { 4 } else { 0 })?;
            return Ok(Some(is_checked));
        }
    }
    Ok(None)
}

/// The next bytes as a number; `None` if the file has fewer.
fn number(file: &mut impl Read, bytes: usize) -> io::Result<Option<u32>> {
    let mut number = [0; 4];
    let read = read_full(file, &mut number[..bytes])?;
    Ok((read == bytes).then(|| u32::from_le_bytes(number)))
}

#[cfg(test)]
mod tests {
    use std::io::{Cursor, Write};

    use proptest::prelude::*;

    use super::*;
    use base::zst::SKIPPABLE;

    fn packed(content: &[u8], is_checked: bool) -> Vec<u8> {
        let mut encoder = zstd::Encoder::new(Vec::new(), 1).unwrap();
        encoder.include_checksum(is_checked).unwrap();
        encoder.write_all(content).unwrap();
        encoder.finish().unwrap()
    }

    /// The frames, read through a buffer of `buffer` bytes, and the bytes behind them.
    fn counted(file: &[u8], buffer: usize) -> (Frames, u64) {
        let mut reader = BufReader::with_capacity(buffer, Cursor::new(file));
        let frames = Frames::count(&mut reader).unwrap();
        (frames, file.len() as u64 - reader.stream_position().unwrap().min(file.len() as u64))
    }

    proptest! {
        /// With any buffer every frame is counted, and no byte is left over.
        #[test]
        fn frames_are_walked_through(
            frames in prop::collection::vec((any::<bool>(), 0usize..300_000, any::<u8>()), 1..4),
            buffer in 1usize..70_000,
        ) {
            let mut file = [&SKIPPABLE.to_le_bytes()[..], &3u32.to_le_bytes(), b"any"].concat();
            for &(is_checked, length, byte) in &frames {
                let mixed = |i| byte.wrapping_mul((i % 251) as u8).wrapping_add(((i * i) >> 7) as u8);
                let content: Vec<u8> = (0..length).map(mixed).collect();
                file.extend(packed(&content, is_checked));
            }
            let (found, rest) = counted(&file, buffer);
            let unchecked = frames.iter().filter(|(is_checked, ..)| !is_checked).count() as u64;
            prop_assert_eq!((found.all, found.unchecked), (frames.len() as u64, unchecked));
            prop_assert_eq!(rest, 0);
        }

        #[test]
        fn any_bytes_can_be_walked_through(bytes: Vec<u8>, buffer in 1usize..9) {
            let file = [&FRAME.to_le_bytes()[..], &bytes].concat();
            counted(&file, buffer);
        }
    }

    #[test]
    fn what_is_not_compressed_has_no_frames() {
        assert_eq!(counted(b"[Event \"?\"]", 5).0.protection(), Protection::Nothing);
        assert_eq!(counted(b"", 5).0.protection(), Protection::Nothing);
    }
}
