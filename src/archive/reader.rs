//! Reading archives, from end to end or a game here and there.

use std::io::{self, Read, Seek, SeekFrom};
use std::sync::Arc;

use super::block::Codec;
use super::format::{
    BLOCK, BLOCK_HEAD_BYTES, BadHead, BlockHead, Entry, HEAD_BYTES, Head, INDEX, MOST_BYTES,
    index_from_bytes,
};
use super::game::NoGame;
use super::model::Model;
use crate::chess::Game;

/// What keeps an archive from being read at all.
#[derive(Debug, thiserror::Error)]
pub enum ArchiveError {
    /// The file cannot be read.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// The head says no.
    #[error(transparent)]
    Head(#[from] BadHead),
    /// The model is neither known nor inside.
    #[error(
        "its model is not the one this program knows (it was made by another version), nor does \
         it carry one"
    )]
    UnknownModel,
    /// The model it carries is damaged.
    #[error("the model it carries is damaged")]
    DamagedModel,
}

/// What an archive begins with: all that is needed to unpack its blocks.
#[derive(Clone, Debug)]
pub struct Preamble {
    /// The head.
    pub head: Head,
    /// Unpacks blocks.
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
        let mut bytes = [0; HEAD_BYTES];
        if read_up_to(file, &mut bytes)? < HEAD_BYTES {
            return Err(BadHead::Foreign.into());
        }
        let head = Head::from_bytes(&bytes)?;
        if head.model_bytes > MOST_BYTES {
            return Err(ArchiveError::DamagedModel);
        }
        let mut carried = vec![0; head.model_bytes as usize];
        if read_up_to(file, &mut carried)? < carried.len() {
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
    /// Its head.
    pub head: BlockHead,
    /// Its content.
    pub content: Vec<u8>,
}

/// What comes next in an archive.
#[derive(Clone, Debug)]
pub enum Part {
    /// A whole block.
    Block(Block),
    /// Bytes that are neither block nor index were passed over.
    Damage {
        /// How many.
        bytes: u64,
        /// Games that are lost with them, where a block's head still says so.
        games: Option<u32>,
    },
    /// The index: nothing follows.
    Index,
    /// The file ends without an index: its writing was interrupted.
    End,
}

/// Reads the blocks of an archive one after the other.
#[derive(Debug, Default)]
pub struct Blocks {
    /// Bytes taken from the file that have not been passed on.
    ahead: Vec<u8>,
}

impl Blocks {
    /// The next part of a file that is read from behind its [`Preamble`].
    ///
    /// # Errors
    /// The file's.
    pub fn next_part(&mut self, file: &mut impl Read) -> io::Result<Part> {
        self.fill(file, BLOCK_HEAD_BYTES)?;
        if self.ahead.starts_with(&INDEX) {
            return Ok(Part::Index);
        }
        if self.ahead.is_empty() {
            return Ok(Part::End);
        }
        let head = self.ahead.first_chunk().and_then(BlockHead::from_bytes);
        let Some(head) = head else { return self.skip(file, 1, None) };
        let bytes = BLOCK_HEAD_BYTES + head.bytes as usize;
        self.fill(file, bytes)?;
        match self.ahead.get(BLOCK_HEAD_BYTES..bytes) {
            Some(content) if head.is_of(content) => {
                let content = content.to_vec();
                self.ahead.drain(..bytes);
                Ok(Part::Block(Block { head, content }))
            }
            _ => self.skip(file, BLOCK.len(), Some(head.games)),
        }
    }

    /// Passes over at least `least` bytes, up to what may be a block or the index.
    fn skip(&mut self, file: &mut impl Read, least: usize, games: Option<u32>) -> io::Result<Part> {
        let mut bytes = 0;
        let mut from = least;
        loop {
            self.fill(file, 1 << 16)?;
            let is_mark = |window: &[u8]| window == BLOCK || window == INDEX;
            let found = self.ahead.get(from..).and_then(|rest| rest.windows(4).position(is_mark));
            let is_end = self.ahead.len() < 1 << 16;
            let skipped = match found {
                Some(at) => from + at,
                None if is_end => self.ahead.len(),
                None => self.ahead.len() - 3,
            };
            self.ahead.drain(..skipped);
            bytes += skipped as u64;
            from = 0;
            if found.is_some() || is_end {
                return Ok(Part::Damage { bytes, games });
            }
        }
    }

    /// Holds so many bytes ahead, or all that are left.
    fn fill(&mut self, file: &mut impl Read, bytes: usize) -> io::Result<()> {
        let missing = bytes.saturating_sub(self.ahead.len());
        file.take(missing as u64).read_to_end(&mut self.ahead)?;
        Ok(())
    }
}

fn read_up_to(file: &mut impl Read, bytes: &mut [u8]) -> io::Result<usize> {
    let mut read = Vec::with_capacity(bytes.len());
    file.take(bytes.len() as u64).read_to_end(&mut read)?;
    bytes[..read.len()].copy_from_slice(&read);
    Ok(read.len())
}

/// An archive of which any game can be had.
#[derive(Debug)]
pub struct Archive<F> {
    file: F,
    preamble: Preamble,
    index: Vec<Entry>,
}

/// Why a game cannot be had.
#[derive(Debug, thiserror::Error)]
pub enum LookupError {
    /// The file cannot be read.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// There is none of that number.
    #[error("there is no game {number}: the archive has {games}")]
    Beyond {
        /// The number asked for, from 1.
        number: u64,
        /// How many there are.
        games: u64,
    },
    /// Its block is damaged.
    #[error("the block at byte {place} is damaged")]
    Damaged {
        /// Where it begins.
        place: u64,
    },
}

impl<F: Read + Seek> Archive<F> {
    /// Opens an archive; one without an index is read through once.
    ///
    /// # Errors
    /// As [`Preamble::read`].
    pub fn open(mut file: F) -> Result<Self, ArchiveError> {
        file.seek(SeekFrom::Start(0))?;
        let preamble = Preamble::read(&mut file)?;
        let index = match read_index(&mut file)? {
            Some(index) => index,
            None => scan(&mut file, preamble.bytes)?,
        };
        Ok(Self { file, preamble, index })
    }

    /// What it begins with.
    pub fn preamble(&self) -> &Preamble {
        &self.preamble
    }

    /// How many games it has.
    pub fn games(&self) -> u64 {
        self.index.iter().map(|entry| u64::from(entry.games)).sum()
    }

    /// How many blocks it has.
    pub fn blocks(&self) -> usize {
        self.index.len()
    }

    /// A game by its number, from 0. No block but its own is read.
    ///
    /// # Errors
    /// No such game, a damaged block, a file that cannot be read.
    pub fn game(&mut self, number: u64) -> Result<Game, LookupError> {
        let beyond = LookupError::Beyond { number: number + 1, games: self.games() };
        let mut left = number;
        let entry = self.index.iter().find(|entry| match left.checked_sub(entry.games.into()) {
            Some(rest) => {
                left = rest;
                false
            }
            None => true,
        });
        let place = entry.ok_or(beyond)?.place;
        let damaged = |_: NoGame| LookupError::Damaged { place };
        self.file.seek(SeekFrom::Start(place))?;
        let part = Blocks::default().next_part(&mut self.file)?;
        let Part::Block(Block { head, content }) = part else {
            return Err(LookupError::Damaged { place });
        };
        let codec = &self.preamble.codec;
        codec.unpack_one(&content, head.games as usize, left as usize).map_err(damaged)
    }
}

/// The index at the end of an archive, if it is whole.
fn read_index<F: Read + Seek>(file: &mut F) -> io::Result<Option<Vec<Entry>>> {
    let bytes = file.seek(SeekFrom::End(0))?;
    let Some(last) = bytes.checked_sub(8) else { return Ok(None) };
    file.seek(SeekFrom::Start(last))?;
    let mut place = [0; 8];
    file.read_exact(&mut place)?;
    let place = u64::from_le_bytes(place);
    if place >= last || last - place > u64::from(MOST_BYTES) {
        return Ok(None);
    }
    file.seek(SeekFrom::Start(place))?;
    let mut index = Vec::new();
    file.take(last - place).read_to_end(&mut index)?;
    Ok(index_from_bytes(&index))
}

/// Looks for the blocks of an archive without index.
fn scan<F: Read + Seek>(file: &mut F, from: u64) -> io::Result<Vec<Entry>> {
    file.seek(SeekFrom::Start(from))?;
    let (mut blocks, mut place, mut index) = (Blocks::default(), from, Vec::new());
    loop {
        match blocks.next_part(file)? {
            Part::Block(Block { head, .. }) => {
                index.push(Entry { place, games: head.games });
                place += BLOCK_HEAD_BYTES as u64 + u64::from(head.bytes);
            }
            Part::Damage { bytes, .. } => place += bytes,
            Part::Index | Part::End => return Ok(index),
        }
    }
}
