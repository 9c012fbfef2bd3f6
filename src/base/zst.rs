//! Files compressed with zstd: how they begin, and the bytes inside them.
//!
//! A file is a row of frames (RFC 8878 §3.1). Some are to be skipped: `pzstd`, with which
//! the Lichess database is packed, writes such a frame before every other, the first one
//! included. Zero bytes behind the last frame are padding, as they are behind gzip's.

use std::io::{self, BufRead, Read};

use zstd::stream::raw::{DParameter, Decoder, Operation};

use crate::memory;

/// Begins a frame with content, little endian.
pub const FRAME: u32 = 0xfd2f_b528;

/// Begins a frame to skip: the first of sixteen numbers.
pub const SKIPPABLE: u32 = 0x184d_2a50;

/// Windows that every decoder accepts (RFC 8878 recommends 8 MiB, the tool `zstd` takes 128),
/// and the largest there is: files made with `zstd --long=31`.
const WINDOW_LOGS: std::ops::RangeInclusive<u32> = 27..=31;

/// Whether a frame of either kind begins with this number.
pub fn is_skippable(magic: u32) -> bool {
    magic & !15 == SKIPPABLE
}

/// Whether a file that begins like this is compressed.
pub fn is_packed(head: &[u8]) -> bool {
    head.first_chunk().is_some_and(|magic| {
        let magic = u32::from_le_bytes(*magic);
        magic == FRAME || is_skippable(magic)
    })
}

/// The content of frames.
pub(crate) struct Content<R> {
    packed: R,
    decoder: Decoder<'static>,
    /// The last frame has ended, and no byte of another has been read.
    between_frames: bool,
}

impl<R: BufRead> Content<R> {
    pub(crate) fn of(packed: R) -> io::Result<Self> {
        let mut decoder = Decoder::new()?;
        decoder.set_parameter(DParameter::WindowLogMax(window_log()))?;
        Ok(Self { packed, decoder, between_frames: true })
    }

    /// Passes over zero bytes, up to the end of the file.
    fn pass_over_padding(&mut self) -> io::Result<()> {
        loop {
            let bytes = self.packed.fill_buf()?;
            if bytes.iter().any(|&byte| byte != 0) {
                let message = "zero bytes stand between frames of zstd";
                return Err(io::Error::new(io::ErrorKind::InvalidData, message));
            }
            let count = bytes.len();
            if count == 0 {
                return Ok(());
            }
            self.packed.consume(count);
        }
    }
}

impl<R: BufRead> Read for Content<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if buffer.is_empty() {
            return Ok(0);
        }
        loop {
            let packed = self.packed.fill_buf()?;
            match packed.first() {
                None if self.between_frames => return Ok(0),
                Some(0) if self.between_frames => {
                    self.pass_over_padding()?;
                    return Ok(0);
                }
                _ => {}
            }
            let ends = packed.is_empty();
            let done = self.decoder.run_on_buffers(packed, buffer)?;
            self.packed.consume(done.bytes_read);
            self.between_frames = done.remaining == 0;
            if done.bytes_written > 0 {
                return Ok(done.bytes_written);
            }
            if ends && !self.between_frames {
                return Err(io::Error::new(io::ErrorKind::UnexpectedEof, "incomplete frame"));
            }
        }
    }
}

/// The largest window that there is memory for, with as much again for everything else.
fn window_log() -> u32 {
    let fits = |&log: &u32| memory::ensure(2 << log).is_ok();
    WINDOW_LOGS.rev().find(fits).unwrap_or(*WINDOW_LOGS.start())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compression::{BUFFER_BYTES, unpacked};

    /// A frame to skip, of either of the sixteen kinds.
    fn skippable(kind: u32, content: &[u8]) -> Vec<u8> {
        let length = content.len() as u32;
        [&(SKIPPABLE + kind).to_le_bytes()[..], &length.to_le_bytes(), content].concat()
    }

    fn read(file: impl Read + Send) -> io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        unpacked(file)?.read_to_end(&mut bytes)?;
        Ok(bytes)
    }

    fn text() -> Vec<u8> {
        (0..100_000u32).flat_map(|i| (i / 7).to_le_bytes()).collect()
    }

    #[test]
    fn frames_to_skip_are_skipped_wherever_they_stand() {
        let (text, empty) = (text(), zstd::encode_all(&[][..], 1).unwrap());
        let packed = zstd::encode_all(&text[..], 1).unwrap();
        for kind in 0..16 {
            let skip = skippable(kind, b"\x04\x00\x00\x00");
            let file = [&skip[..], &empty, &skip, &packed, &skip, &skip, &packed, &skip].concat();
            assert!(read(&file[..]).unwrap() == text.repeat(2), "{kind}");
        }
        assert_eq!(read(&skippable(0, b"all")[..]).unwrap(), b"");
    }

    #[test]
    fn zero_bytes_behind_the_last_frame_are_padding() {
        let packed = zstd::encode_all(&b"text"[..], 1).unwrap();
        let padding = vec![0; 3 * BUFFER_BYTES];
        assert_eq!(read(&[&packed[..], &padding].concat()[..]).unwrap(), b"text");
        for behind in [&b"\0\0\0\0x"[..], &[&padding[..], &packed].concat(), b"more"] {
            assert!(read(&[&packed[..], behind].concat()[..]).is_err());
        }
    }

    #[test]
    fn a_cut_frame_is_an_error() {
        let packed = zstd::encode_all(&text()[..], 1).unwrap();
        for cut in [5, 9, packed.len() / 2, packed.len() - 1] {
            let error = read(&packed[..cut]).unwrap_err();
            assert_eq!(error.kind(), io::ErrorKind::UnexpectedEof, "{cut}");
        }
        assert!(read(&skippable(3, b"text")[..10]).is_err());
    }
}
