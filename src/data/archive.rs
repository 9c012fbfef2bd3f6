//! Games in this program's own archive: [`crate::archive`].

use std::sync::Arc;

use super::reader::{BadEntry, Batch, Defect};
use super::{DataError, Game, Source};
use crate::archive::{ArchiveError, BLOCK_HEAD_BYTES, BlockHead, Blocks, Codec, Part, Preamble};

/// Cuts an archive into its blocks.
pub struct Splitter {
    blocks: Blocks,
    offset: u64,
}

/// The first bytes of an archive; what then follows can be cut and unpacked.
pub fn begin(source: &mut Source) -> Result<(Splitter, Arc<Codec>), DataError> {
    let preamble = Preamble::read(source).map_err(|error| match error {
        ArchiveError::Io(error) => source.error(error),
        error => DataError::Archive { path: source.path().to_owned(), error },
    })?;
    let splitter = Splitter { blocks: Blocks::default(), offset: preamble.bytes };
    Ok((splitter, Arc::new(preamble.codec)))
}

impl Splitter {
    /// Adds blocks until the batch is full or the archive ends. Bytes that are no block
    /// make an empty entry.
    pub fn fill(&mut self, source: &mut Source, batch: &mut Batch) -> Result<(), DataError> {
        while !batch.is_full() {
            let start = batch.bytes.len();
            let part = self.blocks.next_part(source).map_err(|error| source.error(error))?;
            let bytes = match part {
                Part::Block(block) => {
                    batch.bytes.extend_from_slice(&block.head.to_bytes());
                    batch.bytes.extend_from_slice(&block.content);
                    (batch.bytes.len() - start) as u64
                }
                Part::Damage { bytes, .. } => bytes,
                Part::Index | Part::End => break,
            };
            batch.close_entry(start, self.offset);
            self.offset += bytes;
        }
        Ok(())
    }
}

/// The games of a block that begins at that byte of its file.
pub fn decode(codec: &Codec, bytes: &[u8], offset: u64) -> Vec<Result<Game, BadEntry>> {
    let bad = |detail: &str| {
        let place = format!("byte {offset}");
        vec![Err(BadEntry { defect: Defect::Malformed, place, detail: detail.to_owned() })]
    };
    let Some((head, content)) = bytes.split_first_chunk::<BLOCK_HEAD_BYTES>() else {
        return bad("the archive is damaged here; what follows up to the next block is lost");
    };
    let games = BlockHead::from_bytes(head).map_or(0, |head| head.games as usize);
    match codec.unpack(content, games) {
        Ok(games) => games.into_iter().map(Ok).collect(),
        Err(_) => bad("the block is whole, but what it holds makes no sense"),
    }
}
