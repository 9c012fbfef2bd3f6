//! Writing archives.

use std::io::{self, Write};
use std::sync::Arc;

use rayon::prelude::*;

use super::block::{Access, Codec};
use super::format::{BlockHead, Entry, Head, index_to_bytes};
use super::game::{Told, Unsayable};
use super::model::Model;
use super::moves::Mode;
use crate::chess::Game;

/// How an archive is written.
#[derive(Clone, Debug)]
pub struct Layout {
    /// How moves are told.
    pub mode: Mode,
    /// What can be read alone.
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

/// What has been written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Written {
    /// Games.
    pub games: u64,
    /// Plies of all games.
    pub plies: u64,
    /// Bytes, once all is written.
    pub bytes: u64,
}

/// Writes games. What has been written is a valid archive after each block, and
/// has its index after [`Self::finish`].
pub struct ArchiveWriter<W> {
    out: W,
    codec: Codec,
    layout: Layout,
    waiting: Vec<Told>,
    index: Vec<Entry>,
    written: Written,
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
            written: Written { bytes, ..Written::default() },
        })
    }

    /// Adds a game.
    ///
    /// # Errors
    /// Of the outer result the writer's; of the inner one, a game that cannot be told, which
    /// is left out.
    pub fn write(&mut self, game: &Game) -> io::Result<Result<(), Unsayable>> {
        let told = match Told::new(game) {
            Ok(told) => told,
            Err(error) => return Ok(Err(error)),
        };
        self.waiting.push(told);
        if self.waiting.len() >= self.layout.block.max(1) * rayon::current_num_threads() {
            self.write_blocks()?;
        }
        Ok(Ok(()))
    }

    /// What has been written so far.
    pub fn written(&self) -> Written {
        self.written
    }

    fn write_blocks(&mut self) -> io::Result<()> {
        let codec = &self.codec;
        let pack = |games: &[Told]| {
            let content = codec.pack(games);
            let plies = games.iter().map(Told::plies).sum::<usize>();
            (BlockHead::of(&content, games.len() as u32, plies as u32), content)
        };
        let blocks: Vec<_> = self.waiting.par_chunks(self.layout.block.max(1)).map(pack).collect();
        self.waiting.clear();
        for (head, content) in blocks {
            self.index.push(Entry { place: self.written.bytes, games: head.games });
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
    pub fn finish(mut self) -> io::Result<(W, Written)> {
        self.write_blocks()?;
        let index = index_to_bytes(&self.index, self.written.bytes);
        self.out.write_all(&index)?;
        self.written.bytes += index.len() as u64;
        self.out.flush()?;
        Ok((self.out, self.written))
    }
}
