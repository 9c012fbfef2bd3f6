//! Writing archives.

use std::io::{self, Write};
use std::sync::Arc;

use rayon::prelude::*;

use super::block::Codec;
use super::format::{
    Access, BlockHead, Head, IndexEntry, MOST_BYTES, MOST_GAMES, MOST_PLIES, index_to_bytes,
};
use super::game::{Encodable, Unencodable};
use super::model::Model;
use super::moves::Mode;
use chess::Game;

/// Settings of an archive.
#[derive(Clone, Debug)]
pub struct Layout {
    pub mode: Mode,
    pub access: Access,
    /// Games of a block.
    pub block: usize,
    /// A model for the archive to carry, instead of the program's.
    pub model: Option<Arc<Model>>,
}

impl Default for Layout {
    fn default() -> Self {
        Self { mode: Mode::Best, access: Access::Block, block: 256, model: None }
    }
}

/// Size of an archive.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ArchiveSize {
    pub games: u64,
    pub plies: u64,
    /// Bytes, once all is written.
    pub bytes: u64,
}

/// Games that wait for their blocks to be full, unless one block has more.
const MOST_WAITING: usize = 1 << 16;

/// Writes games. The bytes written are a valid archive after each block, and
/// has its index after [`Self::finish`].
pub struct ArchiveWriter<W> {
    out: W,
    codec: Codec,
    layout: Layout,
    waiting: Vec<Encodable>,
    index: Vec<IndexEntry>,
    written: ArchiveSize,
}

impl<W: Write> ArchiveWriter<W> {
    /// Begins an archive.
    ///
    /// # Errors
    /// The writer's.
    pub fn new(mut out: W, layout: Layout) -> io::Result<Self> {
        let Layout { mode, access, .. } = layout;
        let carried = layout.model.as_ref().map_or(Ok(Vec::new()), |model| model.to_bytes())?;
        let model = layout.model.clone().unwrap_or_else(Model::bundled);
        let model_bytes = carried.len() as u32;
        let head = Head { mode, access, model: model.hash(), model_bytes }.to_bytes();
        out.write_all(&head)?;
        out.write_all(&carried)?;
        let bytes = (head.len() + carried.len()) as u64;
        Ok(Self {
            out,
            codec: model.codec(mode, access),
            layout,
            waiting: Vec::new(),
            index: Vec::new(),
            written: ArchiveSize { bytes, ..ArchiveSize::default() },
        })
    }

    /// Adds a game.
    ///
    /// # Errors
    /// The outer error is the writer's; the inner one is that of a game that cannot be encoded and
    /// is left out.
    pub fn write(&mut self, game: &Game) -> io::Result<Result<(), Unencodable>> {
        let game = match Encodable::new(game) {
            Ok(game) => game,
            Err(error) => return Ok(Err(error)),
        };
        self.waiting.push(game);
        let at_once = (MOST_WAITING / self.block()).clamp(1, rayon::current_num_threads());
        if self.waiting.len() >= self.block() * at_once {
            self.write_blocks()?;
        }
        Ok(Ok(()))
    }

    /// Games of a block.
    fn block(&self) -> usize {
        self.layout.block.clamp(1, MOST_GAMES as usize)
    }

    pub fn written(&self) -> ArchiveSize {
        self.written
    }

    fn write_blocks(&mut self) -> io::Result<()> {
        let codec = &self.codec;
        let pack = |games: &[Encodable]| packed(codec, games, MOST_PLIES as usize);
        let blocks: Vec<_> = self.waiting.par_chunks(self.block()).flat_map_iter(pack).collect();
        self.waiting.clear();
        for (head, content) in blocks {
            self.index.push(IndexEntry { place: self.written.bytes, games: head.games });
            let bytes = head.to_bytes();
            self.out.write_all(&bytes)?;
            self.out.write_all(&content)?;
            self.written.bytes += (bytes.len() + content.len()) as u64;
            self.written.games += u64::from(head.games);
            self.written.plies += u64::from(head.plies);
        }
        Ok(())
    }

    /// Writes what waits, and the index.
    ///
    /// # Errors
    /// The writer's.
    pub fn finish(mut self) -> io::Result<(W, ArchiveSize)> {
        self.write_blocks()?;
        let index = index_to_bytes(&self.index, self.written.bytes);
        self.out.write_all(&index)?;
        self.written.bytes += index.len() as u64;
        self.out.flush()?;
        Ok((self.out, self.written))
    }
}

/// A block of these games, or several if they are more than one holds.
pub(super) fn packed(
    codec: &Codec,
    games: &[Encodable],
    most_plies: usize,
) -> Vec<(BlockHead, Vec<u8>)> {
    let halves = || {
        let halves: [_; 2] = games.split_at(games.len() / 2).into();
        halves.map(|half| packed(codec, half, most_plies)).concat()
    };
    let is_large = games.iter().map(Encodable::plies).sum::<usize>() > most_plies;
    if is_large && games.len() > 1 {
        return halves();
    }
    let (head, content) = codec.pack(games);
    match content.len() > MOST_BYTES as usize && games.len() > 1 {
        true => halves(),
        false => vec![(head, content)],
    }
}
