//! Random access: single games out of an archive in a file that can be searched.

use std::io::{self, Read, Seek, SeekFrom};
use std::ops::Range;

use super::block::Codec;
use super::format::{BLOCK_HEAD_BYTES, BlockHead, IndexEntry, MOST_BYTES, index_from_bytes};
use super::game::InvalidGame;
use super::reader::{ArchiveEnding, ArchiveError, ArchivePart, Block, Blocks, Preamble};
use chess::Game;

/// Random access to the games of an archive, or of several one behind the other.
#[derive(Debug)]
pub struct Archive<F> {
    file: F,
    sections: Vec<ArchiveSection>,
    damaged: u64,
}

#[derive(Debug)]
pub struct ArchiveSection {
    pub preamble: Preamble,
    pub ending: ArchiveEnding,
    blocks: Vec<IndexEntry>,
}

impl ArchiveSection {
    pub fn games(&self) -> u64 {
        self.blocks.iter().map(|entry| u64::from(entry.games)).sum()
    }

    pub fn blocks(&self) -> usize {
        self.blocks.len()
    }
}

/// Why a game cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum LookupError {
    #[error(transparent)]
    Archive(#[from] ArchiveError),
    #[error("there is no game {number}: the archive has {games}")]
    Beyond {
        /// The requested number, from 1.
        number: u64,
        games: u64,
    },
    #[error("the block at byte {place} is damaged")]
    Damaged { place: u64 },
}

impl From<io::Error> for LookupError {
    fn from(error: io::Error) -> Self {
        Self::Archive(error.into())
    }
}

impl<F: Read + Seek> Archive<F> {
    /// Opens an archive; one without an index is read through once.
    ///
    /// # Errors
    /// As [`Preamble::read`].
    pub fn open(mut file: F) -> Result<Self, ArchiveError> {
        file.seek(SeekFrom::Start(0))?;
        let preamble = Preamble::read(&mut file)?;
        let (sections, damaged) = match read_index(&mut file, preamble.bytes)? {
            Some(blocks) => {
                (vec![ArchiveSection { preamble, ending: ArchiveEnding::Whole, blocks }], 0)
            }
            None => scan(&mut file, preamble)?,
        };
        Ok(Self { file, sections, damaged })
    }

    /// The archives of the file; hardly ever more than one.
    pub fn sections(&self) -> &[ArchiveSection] {
        &self.sections
    }

    pub fn games(&self) -> u64 {
        self.sections.iter().map(ArchiveSection::games).sum()
    }

    pub fn blocks(&self) -> usize {
        self.sections.iter().map(ArchiveSection::blocks).sum()
    }

    /// All games of a block by its number, from 0; none of a number that it has not. No other
    /// block is read.
    ///
    /// # Errors
    /// A damaged block, a file that cannot be read.
    pub fn games_of_block(&mut self, number: usize) -> Result<Vec<Game>, LookupError> {
        let Some((codec, IndexEntry { place, .. })) = all_blocks(&self.sections).nth(number) else {
            return Ok(Vec::new());
        };
        let Block { head, content } = read_block(&mut self.file, place)?;
        codec.unpack(&head, &content).map_err(|_: InvalidGame| LookupError::Damaged { place })
    }

    /// Faults found in the file; contents of blocks are not checked where heads and index agree.
    pub fn faults(&self) -> Vec<String> {
        let endings = self.sections.iter().map(|section| section.ending);
        let endings = endings.filter(|ending| *ending != ArchiveEnding::Whole);
        let damaged = (self.damaged > 0).then(|| format!("damaged in {} places", self.damaged));
        damaged.into_iter().chain(endings.map(|ending| ending.to_string())).collect()
    }

    /// A game by its number, from 0. No block but its own is read.
    ///
    /// # Errors
    /// No such game, a damaged block, a file that cannot be read.
    pub fn game(&mut self, number: u64) -> Result<Game, LookupError> {
        let beyond = LookupError::Beyond { number: number + 1, games: self.games() };
        let mut left = number;
        let found = all_blocks(&self.sections).find(|(_, entry)| {
            let rest = left.checked_sub(entry.games.into());
            left = rest.unwrap_or(left);
            rest.is_none()
        });
        let (codec, IndexEntry { place, .. }) = found.ok_or(beyond)?;
        let Block { head, content } = read_block(&mut self.file, place)?;
        let damaged = |_: InvalidGame| LookupError::Damaged { place };
        codec.unpack_one(&head, &content, left as usize).map_err(damaged)
    }
}

fn all_blocks(sections: &[ArchiveSection]) -> impl Iterator<Item = (&Codec, IndexEntry)> {
    sections
        .iter()
        .flat_map(|section| section.blocks.iter().map(|entry| (&section.preamble.codec, *entry)))
}

/// The block that begins at a byte.
fn read_block<F: Read + Seek>(file: &mut F, place: u64) -> Result<Block, LookupError> {
    file.seek(SeekFrom::Start(place))?;
    match Blocks::behind(place).next_part(file)? {
        ArchivePart::Block(block) => Ok(block),
        _ => Err(LookupError::Damaged { place }),
    }
}

/// The index at the end of an archive, if it is whole and lists the blocks from that byte on.
fn read_index<F: Read + Seek>(file: &mut F, blocks: u64) -> io::Result<Option<Vec<IndexEntry>>> {
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
    (&mut *file).take(last - place).read_to_end(&mut index)?;
    let Some(entries) = index_from_bytes(&index) else { return Ok(None) };
    Ok(lists_blocks(file, &entries, blocks..place)?.then_some(entries))
}

/// Whether blocks of as many games as are listed stand one behind the other in that range.
fn lists_blocks<F: Read + Seek>(
    file: &mut F,
    entries: &[IndexEntry],
    range: Range<u64>,
) -> io::Result<bool> {
    let mut next = range.start;
    for entry in entries {
        if entry.place != next || next + BLOCK_HEAD_BYTES as u64 > range.end {
            return Ok(false);
        }
        let mut head = [0; BLOCK_HEAD_BYTES];
        file.seek(SeekFrom::Start(next))?;
        file.read_exact(&mut head)?;
        let head = BlockHead::from_bytes(&head).filter(|head| head.games == entry.games);
        let Some(head) = head else { return Ok(false) };
        next += BLOCK_HEAD_BYTES as u64 + u64::from(head.bytes);
    }
    Ok(next == range.end)
}

/// Finds the blocks of archives without index, or of several in one file, and counts damaged
/// places.
fn scan<F: Read + Seek>(
    file: &mut F,
    preamble: Preamble,
) -> Result<(Vec<ArchiveSection>, u64), ArchiveError> {
    file.seek(SeekFrom::Start(preamble.bytes))?;
    let (mut blocks, mut damaged) = (Blocks::behind(preamble.bytes), 0);
    let mut sections = Vec::new();
    let mut section = ArchiveSection { preamble, ending: ArchiveEnding::Cut, blocks: Vec::new() };
    loop {
        let place = blocks.place();
        match blocks.next_part(file)? {
            ArchivePart::Block(Block { head, .. }) => {
                section.blocks.push(IndexEntry { place, games: head.games });
            }
            ArchivePart::Damage { .. } => damaged += 1,
            ArchivePart::Ending(ending) => section.ending = ending,
            ArchivePart::Preamble(preamble) => {
                let next = ArchiveSection {
                    preamble: *preamble,
                    ending: ArchiveEnding::Cut,
                    blocks: Vec::new(),
                };
                sections.push(std::mem::replace(&mut section, next));
            }
            ArchivePart::End => {
                sections.push(section);
                return Ok((sections, damaged));
            }
        }
    }
}
