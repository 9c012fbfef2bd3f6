//! Problems of a net file.

use std::io;

use super::VERSION;

/// A problem of a net file: byte, expectation and remedy.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Problem {
    #[error("cannot be read: {0}; check the path and its permissions")]
    Read(#[source] io::Error),
    #[error("cannot be written: {0}; make room or choose another place")]
    Write(#[source] io::Error),
    #[error(
        "not an oplus net (byte 0: expected the magic `OPLUSNET`, found `{found}`); \
         `oplus run` and `oplus train` make nets, `oplus net import FILE` reads those of bullet, \
         Stockfish 15.1, the thesis and PyTorch"
    )]
    Magic { found: String },
    #[error(
        "byte 8: net format version {found}, this program reads version {VERSION}; \
         use the program that made it, or train again"
    )]
    Version { found: u32 },
    /// Wrong length.
    #[error(
        "byte {found}: the file ends here, where {expected} bytes are needed; \
         it was cut off or damaged: copy it again, or train again"
    )]
    Length { expected: usize, found: usize },
    #[error(
        "checksum mismatch at byte {at}: the bytes before are not those that were written; \
         the file is damaged: copy it again, or train again"
    )]
    Checksum { at: usize },
    /// A header without a valid net, in an intact file.
    #[error(
        "byte {at}, header: {reason}; the program that wrote the file has other ideas of a net: \
         use that program, or train again"
    )]
    Header { at: usize, reason: String },
}
