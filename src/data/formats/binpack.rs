//! Stockfish's `.binpack`: chains of positions, as dense as training data gets elsewhere.
//!
//! A file is a row of chunks (`BINP`, size, content); a chunk is a row of chains, each a
//! packed position followed by moves and scores. Entries are games: a chain as long as
//! each position follows from the one before, which is from where the generator began to
//! record to where it stopped. How long a chain is shows only when all its moves are decoded,
//! so behind a move that is not legal the rest of the chunk is lost and counted. (The crate
//! `sfbinpack` panics on such bytes; it is the reference that the tests compare with.)
//!
//! Scores are the mover's, of the position before the move, in Stockfish's internal units,
//! with a pawn worth 208 or more: they are taken as they are. 32002 marks a position
//! without a score.

mod chain;
mod write;

pub(super) use write::ChunkWriter;

use std::io::{self, BufRead, Read};

use super::assembly::{Assembly, Recorded};
use super::batch::Batch;
use super::entry::Splitter;
use super::source::{Source, read_full};
use crate::defect::{BadEntry, Defect};
use crate::error::DataError;
use chain::{Fault, Movetext, STEM_BYTES, Stem};
use chess::{Color, Game, GameResult, Score};

/// Begins every chunk.
pub(crate) const MAGIC: [u8; 4] = *b"BINP";
const HEAD_BYTES: usize = 8;
/// No chunk is longer. Writers end one at 1 MiB; the format allows more, but a byte of a
/// chunk can become thirty in memory, and chunks are unpacked whole.
const MOST_BYTES: u32 = 16 << 20;

/// Invalid positions after which the rest of a chunk is skipped.
const MOST_FAULTS: usize = 1_000;

/// Cuts a stream of bytes into chunks.
#[derive(Default)]
pub(crate) struct ChunkSplitter {
    offset: u64,
}

impl Splitter for ChunkSplitter {
    /// The last chunk may be cut short.
    fn fill(&mut self, source: &mut Source, batch: &mut Batch) -> Result<(), DataError> {
        while !batch.is_full() {
            let start = batch.bytes.len();
            if !self.next_chunk(source, &mut batch.bytes)? {
                break;
            }
            batch.close_entry(start, self.offset);
            self.offset += (batch.bytes.len() - start) as u64;
        }
        Ok(())
    }
}

impl ChunkSplitter {
    /// Adds the next chunk, or the last bytes of the file if they are none; `false` at its end.
    fn next_chunk(&self, source: &mut Source, bytes: &mut Vec<u8>) -> Result<bool, DataError> {
        let mut head = [0; HEAD_BYTES];
        let read = read_full(source, &mut head).map_err(|e| source.error(e))?;
        let begun = &head[..read];
        bytes.extend_from_slice(begun);
        if begun.is_empty() {
            return Ok(false);
        }
        if self.offset > 0 {
            let is_padding =
                is_zero(begun) && pass_over_zeros(source).map_err(|e| source.error(e))?;
            if is_padding || is_cut_head(begun) {
                return Ok(true);
            }
        }
        let size = size(&head);
        if read < HEAD_BYTES || !head.starts_with(&MAGIC) || size > MOST_BYTES {
            return Err(DataError::Broken {
                path: source.path().to_owned(),
                offset: self.offset,
                expected: "a chunk: `BINP` and a size of at most 16 MiB",
                format: "binpack",
            });
        }
        let content = source.take(size.into()).read_to_end(bytes);
        content.map_err(|e| source.error(e))?;
        Ok(true)
    }
}

/// Whether the file ends inside the head of a chunk.
fn is_cut_head(begun: &[u8]) -> bool {
    begun.len() < HEAD_BYTES && begun.iter().zip(MAGIC).all(|(&byte, magic)| byte == magic)
}

fn is_zero(bytes: &[u8]) -> bool {
    bytes.iter().all(|&byte| byte == 0)
}

/// Passes over zero bytes; whether they go on to the end of the file.
fn pass_over_zeros(source: &mut Source) -> io::Result<bool> {
    loop {
        let bytes = source.fill_buf()?;
        let count = bytes.len();
        if count == 0 {
            return Ok(true);
        }
        if !is_zero(bytes) {
            return Ok(false);
        }
        source.consume(count);
    }
}

/// Bytes of a chunk behind its head.
fn size(head: &[u8; HEAD_BYTES]) -> u32 {
    let [.., a, b, c, d] = *head;
    u32::from_le_bytes([a, b, c, d])
}

/// The games of a chunk that begins at that byte of its file. If the file ends inside it, those
/// before the last, whose missing part is unknown. Zero bytes in its place may be padding or the
/// remains of a crash.
pub(crate) fn decode(chunk: &[u8], offset: u64) -> Vec<Result<Game, BadEntry>> {
    let mut games = Chains { offset, games: Assembly::default(), positions: 0, faults: 0 };
    if is_zero(chunk) {
        let detail = "zero bytes stand in the place of a chunk, up to the end of the file";
        games.refuse(Defect::CutShort, detail.to_owned());
        return games.games.finish();
    }
    let Some((head, content)) = chunk.split_first_chunk() else {
        games.refuse(Defect::CutShort, "the file ends inside the head of this chunk".to_owned());
        return games.games.finish();
    };
    let is_whole = games.add_chains(content).is_some();
    let size = size(head) as usize;
    if content.len() < size {
        games.games.drop_open();
        let have = content.len();
        let detail = format!("the file ends inside this chunk, after {have} of its {size} bytes");
        games.refuse(Defect::CutShort, detail);
    } else if !is_whole {
        let detail = format!("the chunk makes no sense after {} positions", games.positions);
        games.refuse(Defect::Malformed, detail);
    }
    games.games.finish()
}

/// Games as they are put together out of chains.
struct Chains {
    offset: u64,
    games: Assembly,
    positions: usize,
    faults: usize,
}

impl Chains {
    /// Adds all chains of a chunk; `None` if its rest cannot be decoded.
    fn add_chains(&mut self, mut content: &[u8]) -> Option<()> {
        while let Some((stem, rest)) = content.split_first_chunk() {
            let bytes = match self.add_chain(stem, rest) {
                Ok(bytes) => bytes,
                Err(Fault::Cut) => return None,
                Err(Fault::Bad(defect, detail)) => {
                    self.refuse(defect, detail);
                    self.faults += 1;
                    let continues = chain::plies(stem) == 0 && self.faults < MOST_FAULTS;
                    continues.then_some(0)?
                }
            };
            content = &rest[bytes..];
        }
        Some(())
    }

    /// Adds a chain; the bytes that its moves take.
    fn add_chain(&mut self, stem: &[u8; STEM_BYTES], rest: &[u8]) -> Result<usize, Fault> {
        let plies = chain::plies(stem);
        let stem = Stem::decode(stem)?;
        let (mut movetext, mut score) = (Movetext::new(rest), stem.score);
        let open = self.games.add(stem.recorded());
        self.positions += 1;
        for _ in 0..plies {
            let turn = open.position().turn();
            let played = movetext.played(open.position())?;
            score = movetext.score(score)?;
            open.play(played, seen_by_white(score, turn));
            self.positions += 1;
        }
        Ok(movetext.len())
    }

    fn refuse(&mut self, defect: Defect, detail: String) {
        let place = format!("chunk at byte {}", self.offset);
        self.games.refuse(BadEntry { defect, place, detail });
    }
}

impl Stem {
    fn recorded(self) -> Recorded {
        let Self { position, played, score, ply, result } = self;
        let turn = position.turn();
        let result = match result {
            0 => Some(GameResult::Draw),
            1 => Some(GameResult::Win(turn)),
            -1 => Some(GameResult::Win(!turn)),
            _ => None,
        };
        let white_score = seen_by_white(score, turn);
        Recorded { position, played, white_score, ply: ply.into(), result }
    }
}

fn seen_by_white(score: i16, turn: Color) -> Option<Score> {
    Score::from_i16(score).map(|score| score.seen_by(turn))
}

#[cfg(test)]
pub(super) mod tests;
