//! Formats of games and positions.
//!
//! A format splits a file into entries (its *splitter*), decodes an entry, and may write one.
//! [`EntryReader`](crate::EntryReader) and [`DataWriter`](crate::DataWriter) do the rest for
//! all of them: detection, decompression, batches, threads, messages with their places.

pub mod archive;
mod batch;
mod binpack;
mod bulletformat;
#[cfg(test)]
mod damage;
pub(crate) mod entry;
pub(crate) mod format;
pub(crate) mod frames;
pub mod list;
pub mod pgn;
pub mod place;
mod records;
mod sfen;
pub(crate) mod source;
pub(crate) mod viriformat;
pub(crate) mod writer;
