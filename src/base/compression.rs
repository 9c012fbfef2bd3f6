//! Compressed files: zstd, gzip and bzip2, detected from their first bytes under any name.
//!
//! A file of several parts, one behind the other, is read as one: frames of zstd, members of gzip,
//! streams of bzip2.

use std::io::{self, BufRead, BufReader, Read};

use bzip2::bufread::MultiBzDecoder;
use flate2::bufread::MultiGzDecoder;

use crate::zst;

/// Bytes in which a stream is unpacked.
pub(crate) const BUFFER_BYTES: usize = 256 * 1024;

/// Bytes that the first look at a stream has at least, if there are as many: formats show
/// themselves in them.
const LOOK_BYTES: usize = 512;

/// The compression of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Compression {
    Zstd,
    /// RFC 1952: members with a checksum each.
    Gzip,
    /// Streams of blocks with a checksum each.
    Bzip2,
}

impl Compression {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Zstd, Self::Gzip, Self::Bzip2];

    /// The ending of file names.
    pub fn ending(self) -> &'static str {
        match self {
            Self::Zstd => ".zst",
            Self::Gzip => ".gz",
            Self::Bzip2 => ".bz2",
        }
    }

    /// The compression of a file that begins like this.
    pub fn of(head: &[u8]) -> Option<Self> {
        if zst::is_packed(head) {
            Some(Self::Zstd)
        } else if is_gzip(head) {
            Some(Self::Gzip)
        } else if is_bzip2(head) {
            Some(Self::Bzip2)
        } else {
            None
        }
    }
}

/// Whether a member of gzip begins: magic, method, flags, time, level. The level is checked since
/// three bytes are few: a record of pieces may begin with them.
fn is_gzip(head: &[u8]) -> bool {
    match head {
        [0x1f, 0x8b, 8, flags, _, _, _, _, level, ..] => *flags < 32 && matches!(level, 0 | 2 | 4),
        _ => false,
    }
}

/// Whether a stream of bzip2 begins: its size of blocks, then a block or the end.
fn is_bzip2(head: &[u8]) -> bool {
    const BLOCK: [u8; 6] = [0x31, 0x41, 0x59, 0x26, 0x53, 0x59];
    const END: [u8; 6] = [0x17, 0x72, 0x45, 0x38, 0x50, 0x90];
    match head {
        [b'B', b'Z', b'h', b'1'..=b'9', rest @ ..] => {
            rest.starts_with(&BLOCK) || rest.starts_with(&END)
        }
        _ => false,
    }
}

/// A file name without the ending of a compression.
pub fn unpacked_name(name: &str) -> &str {
    let without = |it: Compression| name.strip_suffix(it.ending());
    Compression::ALL.into_iter().find_map(without).unwrap_or(name)
}

/// The content of a stream, unpacked if its first bytes show that it is compressed.
///
/// The first [`fill_buf`](BufRead::fill_buf) has some hundred bytes, even from a pipe that gives
/// few at a time.
///
/// # Errors
/// Errors of reading.
pub fn unpacked<'r>(file: impl Read + Send + 'r) -> io::Result<Box<dyn BufRead + Send + 'r>> {
    let mut packed = BufReader::with_capacity(BUFFER_BYTES, FullHead::new(file));
    let content: Box<dyn Read + Send + 'r> = match Compression::of(packed.fill_buf()?) {
        None => return Ok(Box::new(packed)),
        Some(Compression::Zstd) => Box::new(zst::Content::of(packed)?),
        Some(Compression::Gzip) => Box::new(MultiGzDecoder::new(packed)),
        Some(Compression::Bzip2) => Box::new(MultiBzDecoder::new(packed)),
    };
    Ok(Box::new(BufReader::with_capacity(BUFFER_BYTES, FullHead::new(content))))
}

/// A stream whose first piece is long enough to detect its format.
struct FullHead<R> {
    stream: R,
    begun: bool,
}

impl<R> FullHead<R> {
    fn new(stream: R) -> Self {
        Self { stream, begun: false }
    }
}

impl<R: Read> Read for FullHead<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if std::mem::replace(&mut self.begun, true) {
            return self.stream.read(buffer);
        }
        let mut filled = 0;
        while filled < LOOK_BYTES.min(buffer.len()) {
            match self.stream.read(&mut buffer[filled..]) {
                Ok(0) => break,
                Ok(count) => filled += count,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(filled)
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    fn text() -> Vec<u8> {
        (0..100_000u32).flat_map(|i| (i / 7).to_le_bytes()).collect()
    }

    fn packed(compression: Compression, content: &[u8]) -> Vec<u8> {
        match compression {
            Compression::Zstd => zstd::encode_all(content, 1).unwrap(),
            Compression::Gzip => {
                let mut out =
                    flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
                out.write_all(content).unwrap();
                out.finish().unwrap()
            }
            Compression::Bzip2 => {
                let mut out = bzip2::write::BzEncoder::new(Vec::new(), bzip2::Compression::fast());
                out.write_all(content).unwrap();
                out.finish().unwrap()
            }
        }
    }

    fn read(file: impl Read + Send) -> io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        unpacked(file)?.read_to_end(&mut bytes)?;
        Ok(bytes)
    }

    #[test]
    fn parts_one_behind_the_other_are_read_as_one() {
        let text = text();
        for it in Compression::ALL {
            let (whole, empty) = (packed(it, &text), packed(it, b""));
            assert_eq!((Compression::of(&whole), Compression::of(&empty)), (Some(it), Some(it)));
            let file = [&whole[..], &empty, &packed(it, b"and more")].concat();
            assert!(read(&file[..]).unwrap() == [&text[..], b"and more"].concat(), "{it:?}");
            assert_eq!(read(&empty[..]).unwrap(), b"");
        }
    }

    #[test]
    fn cut_files_are_errors_and_damage_never_panics() {
        for it in Compression::ALL {
            let whole = packed(it, &text());
            for cut in [whole.len() / 2, whole.len() - 3, whole.len() - 1] {
                assert!(read(&whole[..cut]).is_err(), "{it:?} cut at {cut}");
            }
            let small = packed(it, b"some text, some text, and some text");
            for place in 0..small.len() {
                let mut damaged = small.clone();
                damaged[place] ^= 1 << (place % 8);
                let _ = read(&damaged[..]);
            }
        }
    }

    #[test]
    fn checksums_of_gzip_and_bzip2_are_held() {
        for it in [Compression::Gzip, Compression::Bzip2] {
            let mut file = packed(it, b"text");
            // The checksum of gzip stands before the length; that of bzip2's block behind its magic.
            let place = if it == Compression::Gzip { file.len() - 8 } else { 10 };
            file[place] ^= 1;
            assert!(read(&file[..]).is_err(), "{it:?}");
        }
    }

    /// A stream that gives a byte at a time.
    struct Trickle<'b>(&'b [u8]);

    impl Read for Trickle<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            let count = buffer.len().min(1);
            self.0.read(&mut buffer[..count])
        }
    }

    #[test]
    fn the_head_is_seen_however_few_bytes_come_at_a_time() {
        let text = text();
        let whole = Compression::ALL.map(|it| packed(it, &text));
        let small = |it| text[..9_000].chunks(3).flat_map(|piece| packed(it, piece)).collect();
        let pieces: [Vec<u8>; 3] = Compression::ALL.map(small);
        for stored in whole.iter().chain(&pieces).chain([&text]) {
            let mut stream = unpacked(Trickle(stored)).unwrap();
            assert!(stream.fill_buf().unwrap().starts_with(&text[..LOOK_BYTES]));
        }
    }

    #[test]
    fn records_and_texts_are_not_compressed() {
        // Pieces on the squares that the magic of gzip stands for, a queen on a1 beside a rook.
        let board = [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0x34, 0x12];
        for head in [&board[..], b"BZh9 is a name", b"BZ", b"", &[0x1f, 0x8b, 8]] {
            assert_eq!(Compression::of(head), None, "{head:?}");
        }
    }

    #[test]
    fn names_lose_one_ending() {
        for (name, inside) in [
            ("a.pgn.bz2", "a.pgn"),
            ("a.pgn.gz", "a.pgn"),
            ("a.pgn.zst", "a.pgn"),
            ("a.pgn", "a.pgn"),
        ] {
            assert_eq!(unpacked_name(name), inside);
        }
    }
}
