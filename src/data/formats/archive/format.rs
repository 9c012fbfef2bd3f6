//! The bytes of an archive: a head, blocks of games that stand alone, an index.
//!
//! The head:
//!
//! | bytes | what |
//! |---|---|
//! | 8 | `OPLUSARC` |
//! | 1 | version, 1 |
//! | 1 | how moves are coded: 0 best, 1 fast |
//! | 1 | what can be read alone: 0 a block, 1 every game |
//! | 1 | 0 |
//! | 16 | the model's hash |
//! | 4 | bytes of a model that follows the head; 0 for the one that comes with the program |
//! | 8 | checksum of all before |
//!
//! A block:
//!
//! | bytes | what |
//! |---|---|
//! | 4 | `BLOK` |
//! | 4 | bytes of its content |
//! | 4 | games |
//! | 4 | plies |
//! | 8 | checksum of all before, and of the content |
//!
//! Behind the last block stands the index: `INDX`, the number of blocks in 4 bytes,
//! of each its place in 8 and its games in 4, a checksum in 8; and last the place of
//! the index in 8. An archive whose writing was interrupted has none; its blocks are
//! found one by one, with an error at the end. Behind the index another archive may
//! begin: concatenated files are read one after the other. All numbers are
//! little-endian; checksums are the first bytes of a BLAKE3 hash.

use std::fmt;

use super::moves::Mode;
use chess::{Game, GameMove};

/// First bytes of every archive.
pub const MAGIC: [u8; 8] = *b"OPLUSARC";
/// First bytes of a block.
pub(crate) const BLOCK: [u8; 4] = *b"BLOK";
/// First bytes of the index.
pub(crate) const INDEX: [u8; 4] = *b"INDX";

const VERSION: u8 = 1;

pub(crate) const HEAD_BYTES: usize = 40;
/// Bytes of a block's head.
pub const BLOCK_HEAD_BYTES: usize = 24;
/// No block or model has more: a length beyond it is damage.
pub(crate) const MOST_BYTES: u32 = 1 << 26;
/// No block holds more games. A few bytes can stand for any number of games that are
/// all alike, so that only a limit bounds what unpacking takes.
pub const MOST_GAMES: u32 = 1 << 20;
/// No block holds more plies.
pub const MOST_PLIES: u32 = 1 << 25;

/// Unit that can be read alone.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "clap", derive(clap::ValueEnum))]
pub enum Access {
    /// A block: what its games have in common is learnt once.
    #[default]
    Block,
    /// Every game.
    Game,
}

/// BLAKE3 of a model, its first 16 bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ModelHash(pub [u8; 16]);

impl fmt::Display for ModelHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

pub(crate) type Checksum = [u8; 8];

/// The checksum of bytes in several parts.
pub(crate) fn checksum(parts: &[&[u8]]) -> Checksum {
    let mut hasher = blake3::Hasher::new();
    parts.iter().for_each(|part| {
        hasher.update(part);
    });
    let hash = hasher.finalize();
    std::array::from_fn(|i| hash.as_bytes()[i])
}

/// Head of an archive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Head {
    pub mode: Mode,
    pub access: Access,
    pub model: ModelHash,
    /// Bytes of a model that follows.
    pub model_bytes: u32,
}

/// A head that cannot be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadHead {
    #[error("it is no archive")]
    Foreign,
    /// A version or a mode of later days.
    #[error("it was made by a later version of this program")]
    Later,
    #[error("its first 40 bytes are damaged")]
    Damaged,
}

impl Head {
    pub fn to_bytes(self) -> [u8; HEAD_BYTES] {
        let mut bytes = [0; HEAD_BYTES];
        bytes[..8].copy_from_slice(&MAGIC);
        bytes[8..12].copy_from_slice(&[VERSION, self.mode as u8, self.access as u8, 0]);
        bytes[12..28].copy_from_slice(&self.model.0);
        bytes[28..32].copy_from_slice(&self.model_bytes.to_le_bytes());
        let sum = checksum(&[&bytes[..32]]);
        bytes[32..].copy_from_slice(&sum);
        bytes
    }

    /// Reads a head.
    ///
    /// # Errors
    /// Bytes that are none.
    pub fn from_bytes(bytes: &[u8; HEAD_BYTES]) -> Result<Self, BadHead> {
        if bytes[..8] != MAGIC {
            return Err(BadHead::Foreign);
        }
        if bytes[32..] != checksum(&[&bytes[..32]]) {
            return Err(BadHead::Damaged);
        }
        let accesses = [Access::Block, Access::Game];
        let [version, mode, access, 0] = bytes[8..12] else { return Err(BadHead::Later) };
        let mode = Mode::ALL.get(usize::from(mode)).filter(|_| version == VERSION);
        let access = accesses.get(usize::from(access));
        Ok(Self {
            mode: *mode.ok_or(BadHead::Later)?,
            access: *access.ok_or(BadHead::Later)?,
            model: ModelHash(std::array::from_fn(|i| bytes[12 + i])),
            model_bytes: number(&bytes[28..]),
        })
    }
}

/// Head of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BlockHead {
    pub bytes: u32,
    pub games: u32,
    pub plies: u32,
    /// Checksum of the head and the content.
    pub(crate) checksum: Checksum,
}

impl BlockHead {
    pub fn new(content: &[u8], games: u32, plies: u32) -> Self {
        let bytes = content.len() as u32;
        let head = Self { bytes, games, plies, checksum: Checksum::default() };
        Self { checksum: head.checksum_with(content), ..head }
    }

    /// Whether this is the content it was made of.
    pub(crate) fn is_of(&self, content: &[u8]) -> bool {
        self.checksum == self.checksum_with(content)
    }

    fn checksum_with(&self, content: &[u8]) -> Checksum {
        checksum(&[&self.to_bytes()[..16], content])
    }

    /// About how many bytes its games take in memory.
    pub fn unpacked_bytes(&self) -> u64 {
        let bytes = |count: u32, each: usize| u64::from(count) * each as u64;
        bytes(self.games, size_of::<Game>()) + bytes(self.plies, size_of::<GameMove>())
    }

    pub fn to_bytes(self) -> [u8; BLOCK_HEAD_BYTES] {
        let mut bytes = [0; BLOCK_HEAD_BYTES];
        bytes[..4].copy_from_slice(&BLOCK);
        bytes[4..8].copy_from_slice(&self.bytes.to_le_bytes());
        bytes[8..12].copy_from_slice(&self.games.to_le_bytes());
        bytes[12..16].copy_from_slice(&self.plies.to_le_bytes());
        bytes[16..].copy_from_slice(&self.checksum);
        bytes
    }

    /// Reads a head; `None` for bytes that are none.
    pub fn from_bytes(bytes: &[u8; BLOCK_HEAD_BYTES]) -> Option<Self> {
        let head = Self {
            bytes: number(&bytes[4..]),
            games: number(&bytes[8..]),
            plies: number(&bytes[12..]),
            checksum: std::array::from_fn(|i| bytes[16 + i]),
        };
        (bytes[..4] == BLOCK && head.bytes <= MOST_BYTES).then_some(head)
    }
}

/// Where a block begins, and how many games it has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct IndexEntry {
    /// Byte of the archive.
    pub(crate) place: u64,
    pub games: u32,
}

const ENTRY_BYTES: usize = 12;

/// Bytes of an index of `blocks` blocks.
pub(crate) fn index_bytes(blocks: u32) -> usize {
    INDEX.len() + 4 + blocks as usize * ENTRY_BYTES + 8 + 8
}

/// The index as bytes, for an archive in which it begins at `place`.
pub(crate) fn index_to_bytes(entries: &[IndexEntry], place: u64) -> Vec<u8> {
    let mut bytes = INDEX.to_vec();
    bytes.extend_from_slice(&(entries.len() as u32).to_le_bytes());
    for entry in entries {
        bytes.extend_from_slice(&entry.place.to_le_bytes());
        bytes.extend_from_slice(&entry.games.to_le_bytes());
    }
    let sum = checksum(&[&bytes]);
    bytes.extend_from_slice(&sum);
    bytes.extend_from_slice(&place.to_le_bytes());
    bytes
}

/// Reads the index from its bytes without the last 8; `None` if it is damaged, or lists more
/// games than blocks hold.
pub(crate) fn index_from_bytes(bytes: &[u8]) -> Option<Vec<IndexEntry>> {
    let (body, sum) = bytes.split_last_chunk::<8>()?;
    let (count, entries) = body.strip_prefix(&INDEX)?.split_first_chunk()?;
    let entries = entries.as_chunks::<ENTRY_BYTES>();
    let is_whole = u32::from_le_bytes(*count) as usize == entries.0.len()
        && entries.1.is_empty()
        && *sum == checksum(&[body]);
    let entry = |bytes: &[u8; ENTRY_BYTES]| IndexEntry {
        place: u64::from_le_bytes(std::array::from_fn(|i| bytes[i])),
        games: number(&bytes[8..]),
    };
    let entries: Vec<IndexEntry> = entries.0.iter().map(entry).collect();
    (is_whole && entries.iter().all(|entry| entry.games <= MOST_GAMES)).then_some(entries)
}

/// The first four bytes as a number; missing ones are 0.
fn number(bytes: &[u8]) -> u32 {
    u32::from_le_bytes(std::array::from_fn(|i| bytes.get(i).copied().unwrap_or(0)))
}
