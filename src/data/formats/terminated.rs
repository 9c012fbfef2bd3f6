//! Games that end in four zero bytes: a head, then a move and a score in four bytes each.

use super::batch::Batch;
use super::entry::Splitter;
use super::source::{Source, read_full};
use crate::defect::{BadEntry, Defect};
use crate::error::DataError;
use chess::{GameMove, Move, Position, Score};

/// Bytes of a move with its score.
pub(super) const MOVE_BYTES: usize = 4;
/// Ends a game.
pub(super) const TERMINATOR: [u8; MOVE_BYTES] = [0; MOVE_BYTES];

/// No game is longer: with the 75-move rule the longest has 17,697 plies.
const MAX_PLIES: usize = 20_000;

/// Cuts a stream of bytes into games.
pub(crate) struct GameSplitter {
    head_bytes: usize,
    /// Name of the format.
    format: &'static str,
    offset: u64,
}

impl GameSplitter {
    pub(crate) fn new(head_bytes: usize, format: &'static str) -> Self {
        Self { head_bytes, format, offset: 0 }
    }

    fn copy_game(&self, source: &mut Source, bytes: &mut Vec<u8>) -> std::io::Result<Read> {
        let start = bytes.len();
        bytes.resize(start + self.head_bytes, 0);
        let read = read_full(source, &mut bytes[start..])?;
        bytes.truncate(start + read);
        if read < self.head_bytes {
            return Ok(Read::Game);
        }
        for _ in 0..MAX_PLIES {
            let mut entry = [0; MOVE_BYTES];
            let read = read_full(source, &mut entry)?;
            bytes.extend_from_slice(&entry[..read]);
            if read < MOVE_BYTES || entry == TERMINATOR {
                return Ok(Read::Game);
            }
        }
        Ok(Read::Endless)
    }
}

impl Splitter for GameSplitter {
    fn fill(&mut self, source: &mut Source, batch: &mut Batch) -> Result<(), DataError> {
        while !batch.is_full() {
            let start = batch.bytes.len();
            let read = self.copy_game(source, &mut batch.bytes).map_err(|e| source.error(e))?;
            if batch.bytes.len() == start {
                break;
            }
            if read == Read::Endless {
                return Err(DataError::Broken {
                    path: source.path().to_owned(),
                    offset: self.offset,
                    expected: "a game that ends, in four zero bytes, within 20000 plies",
                    format: self.format,
                });
            }
            batch.close_entry(start, self.offset);
            self.offset += (batch.bytes.len() - start) as u64;
        }
        Ok(())
    }
}

#[derive(PartialEq, Eq)]
enum Read {
    /// A game or, at the end of the file, part of one or nothing.
    Game,
    /// The end of the game does not come.
    Endless,
}

/// The bytes of a game.
pub(super) struct Parts<'g, const HEAD: usize> {
    pub head: &'g [u8; HEAD],
    moves: &'g [[u8; MOVE_BYTES]],
    /// Place of the game in its file.
    offset: u64,
}

impl<'g, const HEAD: usize> Parts<'g, HEAD> {
    /// The parts of a game that begins at that byte of its file.
    pub(super) fn of(bytes: &'g [u8], offset: u64) -> Result<Self, BadEntry> {
        let cut = || BadEntry {
            defect: Defect::CutShort,
            place: format!("byte {offset}"),
            detail: "the file ends inside this game (a writer was interrupted?)".to_owned(),
        };
        let (head, body) = bytes.split_first_chunk().ok_or_else(cut)?;
        // A last score may end in the zeros of a terminator that is cut short.
        let (entries, rest) = body.as_chunks();
        let moves = entries.strip_suffix(&[TERMINATOR]).filter(|_| rest.is_empty());
        Ok(Self { head, moves: moves.ok_or_else(cut)?, offset })
    }

    /// A defect at a byte of the game.
    pub(super) fn bad(&self, defect: Defect, at: usize, detail: String) -> BadEntry {
        BadEntry { defect, place: format!("byte {}", self.offset + at as u64), detail }
    }

    /// The moves of the game with White's scores; `decode` finds the legal move of some bits, and
    /// `describe` is for messages.
    pub(super) fn moves(
        &self,
        start: &Position,
        decode: fn(u16, &Position) -> Option<Move>,
        describe: fn(u16) -> String,
    ) -> Result<Vec<GameMove>, BadEntry> {
        let mut position = start.clone();
        let mut moves = Vec::with_capacity(self.moves.len());
        for (i, &[a, b, c, d]) in self.moves.iter().enumerate() {
            let bits = u16::from_le_bytes([a, b]);
            let Some(played) = decode(bits, &position) else {
                let detail = format!("{} is not legal in {position}", describe(bits));
                return Err(self.bad(Defect::IllegalMove, HEAD + i * MOVE_BYTES, detail));
            };
            let white_score = Score::from_i16(i16::from_le_bytes([c, d]));
            moves.push(GameMove { played, white_score });
            position.play(played);
        }
        Ok(moves)
    }
}
