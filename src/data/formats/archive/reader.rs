//! Reading archives from end to end.

use std::io::{self, Read};
use std::sync::Arc;

use super::block::Codec;
use super::format::{
    BLOCK, BLOCK_HEAD_BYTES, BadHead, BlockHead, HEAD_BYTES, Head, INDEX, MAGIC, MOST_BYTES,
    index_bytes, index_from_bytes,
};
use super::model::Model;

/// Why an archive cannot be read at all.
#[derive(Debug, thiserror::Error)]
pub enum ArchiveError {
    #[error(transparent)]
    Io(#[from] io::Error),
    #[error(transparent)]
    Head(#[from] BadHead),
    /// The model is neither known nor inside.
    #[error(
        "its model is not the one this program knows (it was made by another version), nor does \
         it carry one"
    )]
    UnknownModel,
    #[error("the model it carries is damaged")]
    DamagedModel,
    /// An archive behind the first cannot be read.
    #[error("another archive begins at byte {place}, and cannot be read: {error}")]
    Another { place: u64, error: Box<ArchiveError> },
}

/// Beginning of an archive, with the codec of its blocks.
#[derive(Clone, Debug)]
pub struct Preamble {
    pub head: Head,
    pub codec: Codec,
    /// Bytes of head and model.
    pub bytes: u64,
}

impl Preamble {
    /// Reads head and model.
    ///
    /// # Errors
    /// A file that is no archive, or whose model is not known.
    pub fn read(file: &mut impl Read) -> Result<Self, ArchiveError> {
        let mut bytes = Vec::with_capacity(HEAD_BYTES);
        file.take(HEAD_BYTES as u64).read_to_end(&mut bytes)?;
        let head = Head::from_bytes(bytes.first_chunk().ok_or(BadHead::Foreign)?)?;
        if head.model_bytes > MOST_BYTES {
            return Err(ArchiveError::DamagedModel);
        }
        let mut carried = Vec::new();
        file.take(head.model_bytes.into()).read_to_end(&mut carried)?;
        if carried.len() < head.model_bytes as usize {
            return Err(ArchiveError::DamagedModel);
        }
        let model = match carried.is_empty() {
            true => Model::bundled(),
            false => {
                Model::from_bytes(&carried).map(Arc::new).map_err(|_| ArchiveError::DamagedModel)?
            }
        };
        match (model.hash() == head.model, carried.is_empty()) {
            (true, _) => {}
            (false, true) => return Err(ArchiveError::UnknownModel),
            (false, false) => return Err(ArchiveError::DamagedModel),
        }
        let bytes = (HEAD_BYTES + carried.len()) as u64;
        Ok(Self { head, codec: model.codec(head.mode, head.access), bytes })
    }
}

/// A block as it stands in the file.
#[derive(Clone, Debug)]
pub struct Block {
    pub head: BlockHead,
    pub content: Vec<u8>,
}

/// A part of an archive.
#[derive(Clone, Debug)]
pub enum ArchivePart {
    Block(Block),
    /// Bytes that are neither block nor index were passed over.
    Damage {
        /// Games that are lost with them, where a block's head still gives their number.
        games: Option<u32>,
    },
    /// An archive comes to its end.
    Ending(ArchiveEnding),
    /// Behind an archive another one begins: files put one behind the other.
    Preamble(Box<Preamble>),
    End,
}

/// State of an archive's end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ArchiveEnding {
    /// With an index of the blocks that were read.
    #[error("the archive is whole")]
    Whole,
    /// With an index of more blocks than were there.
    #[error(
        "the index of the archive lists {blocks} blocks more than there are: {games} games are missing"
    )]
    Missing { blocks: u64, games: u64 },
    #[error(
        "the index at the end of the archive is damaged: whether blocks are missing cannot be said"
    )]
    Damaged,
    #[error(
        "the archive ends without its index: it was cut, or writing it was interrupted; what \
         followed is missing"
    )]
    Cut,
}

/// Reads the blocks of an archive one after the other.
#[derive(Debug)]
pub struct Blocks {
    /// Bytes read from the file and not yet consumed.
    ahead: Vec<u8>,
    /// Byte of the file at which the archive begins.
    start: u64,
    /// Byte of the file at which the next part begins.
    place: u64,
    /// Blocks found, whole and damaged.
    blocks: u64,
    /// Games of the whole ones.
    games: u64,
    ended: bool,
}

impl Blocks {
    /// The parts behind a [`Preamble`] that ends at that byte of the file.
    pub fn behind(place: u64) -> Self {
        Self { ahead: Vec::new(), start: 0, place, blocks: 0, games: 0, ended: false }
    }

    /// Byte of the file at which the next part begins.
    pub fn place(&self) -> u64 {
        self.place
    }

    /// The next part of the file.
    ///
    /// # Errors
    /// The file's, and the preamble's of an archive behind the first.
    pub fn next_part(&mut self, file: &mut impl Read) -> Result<ArchivePart, ArchiveError> {
        self.fill(file, BLOCK_HEAD_BYTES)?;
        let begins_anew = self.ahead.starts_with(&MAGIC);
        if (self.ahead.is_empty() || begins_anew) && !self.ended {
            self.ended = true;
            return Ok(ArchivePart::Ending(ArchiveEnding::Cut));
        }
        if self.ahead.is_empty() {
            return Ok(ArchivePart::End);
        }
        if begins_anew {
            return self.begin_anew(file);
        }
        if self.ahead.starts_with(&INDEX) {
            return Ok(self.end(file)?);
        }
        self.ended = false;
        let head = self.ahead.first_chunk().and_then(BlockHead::from_bytes);
        let Some(head) = head else {
            self.skip(file, 1)?;
            return Ok(ArchivePart::Damage { games: None });
        };
        let bytes = BLOCK_HEAD_BYTES + head.bytes as usize;
        self.fill(file, bytes)?;
        self.blocks += 1;
        match self.ahead.get(BLOCK_HEAD_BYTES..bytes) {
            Some(content) if head.is_of(content) => {
                let content = content.to_vec();
                self.pass(bytes);
                self.games += u64::from(head.games);
                Ok(ArchivePart::Block(Block { head, content }))
            }
            _ => {
                self.skip(file, BLOCK.len())?;
                Ok(ArchivePart::Damage { games: Some(head.games) })
            }
        }
    }

    fn begin_anew(&mut self, file: &mut impl Read) -> Result<ArchivePart, ArchiveError> {
        let ahead = std::mem::take(&mut self.ahead);
        let (mut rest, place) = (&ahead[..], self.place);
        let preamble = Preamble::read(&mut Read::chain(&mut rest, file))
            .map_err(|error| ArchiveError::Another { place, error: Box::new(error) })?;
        let place = place + preamble.bytes;
        *self = Self { ahead: rest.to_vec(), start: self.place, ..Self::behind(place) };
        Ok(ArchivePart::Preamble(Box::new(preamble)))
    }

    /// Reads the index, and compares it with the blocks read.
    fn end(&mut self, file: &mut impl Read) -> io::Result<ArchivePart> {
        self.ended = true;
        let count = self.ahead[INDEX.len()..].first_chunk().map_or(0, |n| u32::from_le_bytes(*n));
        let bytes = index_bytes(count);
        if bytes <= MOST_BYTES as usize {
            self.fill(file, bytes)?;
        }
        let whole = self.ahead.get(..bytes).and_then(|index| index.split_last_chunk::<8>());
        let read = |(index, place): (&[u8], &[u8; 8])| {
            Some((index_from_bytes(index)?, u64::from_le_bytes(*place)))
        };
        let Some((entries, place)) = whole.and_then(read) else {
            self.skip(file, INDEX.len())?;
            return Ok(ArchivePart::Ending(ArchiveEnding::Damaged));
        };
        let is_here = place == self.place - self.start;
        self.pass(bytes);
        let listed: u64 = entries.iter().map(|entry| u64::from(entry.games)).sum();
        let ending = match (entries.len() as u64).saturating_sub(self.blocks) {
            0 if is_here => ArchiveEnding::Whole,
            0 => ArchiveEnding::Damaged,
            blocks => ArchiveEnding::Missing { blocks, games: listed.saturating_sub(self.games) },
        };
        Ok(ArchivePart::Ending(ending))
    }

    /// Bytes that have been dealt with.
    fn pass(&mut self, bytes: usize) {
        self.ahead.drain(..bytes);
        self.place += bytes as u64;
    }

    /// Passes over at least `least` bytes, up to what may be a block, an index or an archive.
    fn skip(&mut self, file: &mut impl Read, least: usize) -> io::Result<()> {
        let mut from = least;
        loop {
            self.fill(file, 1 << 16)?;
            let is_mark =
                |window: &[u8]| window == BLOCK || window == INDEX || MAGIC.starts_with(window);
            let found = self.ahead.get(from..).and_then(|rest| rest.windows(4).position(is_mark));
            let is_end = self.ahead.len() < 1 << 16;
            let skipped = match found {
                Some(at) => from + at,
                None if is_end => self.ahead.len(),
                None => self.ahead.len() - 3,
            };
            self.pass(skipped);
            from = 0;
            if found.is_some() || is_end {
                return Ok(());
            }
        }
    }

    /// Reads until `bytes` bytes are ahead, or the file ends.
    fn fill(&mut self, file: &mut impl Read, bytes: usize) -> io::Result<()> {
        let missing = bytes.saturating_sub(self.ahead.len());
        file.take(missing as u64).read_to_end(&mut self.ahead)?;
        Ok(())
    }
}
