//! Formats of games and positions.
//!
//! A format splits a file into entries (its *splitter*), decodes an entry, and may write one.
//! [`EntryReader`](crate::EntryReader) and [`DataWriter`](crate::DataWriter) do the rest for
//! all of them: detection, decompression, batches, threads, messages with their places.

pub mod archive;
mod assembly;
mod batch;
mod binpack;
mod bulletformat;
pub(crate) mod entry;
pub(crate) mod format;
pub(crate) mod frames;
mod jsonl;
pub mod list;
pub(crate) mod marlinformat;
mod montyformat;
pub mod pgn;
pub mod place;
mod plain;
mod records;
mod sfen;
pub(crate) mod source;
mod terminated;
pub(crate) mod viriformat;
pub(crate) mod writer;

#[cfg(test)]
mod tests;
