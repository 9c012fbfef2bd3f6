//! Reading viriformat: finding the games, then decoding one.

use super::bits::{decode_move, describe_move};
use super::marlinformat::{RESULT_OFFSET, Record};
use super::{HEADER_BYTES, MOVE_BYTES, TERMINATOR};
use crate::defect::{BadEntry, Defect};
use crate::error::DataError;
use crate::formats::batch::Batch;
use crate::formats::entry::Splitter;
use crate::formats::source::{Source, read_full};
use chess::{Game, GameMove, Score};

/// No game is longer: with the 75-move rule the longest has 17,697 plies.
const MAX_PLIES: usize = 20_000;

/// Cuts a stream of bytes into games.
#[derive(Default)]
pub(crate) struct ViriformatSplitter {
    offset: u64,
}

impl Splitter for ViriformatSplitter {
    fn fill(&mut self, source: &mut Source, batch: &mut Batch) -> Result<(), DataError> {
        while !batch.is_full() {
            let start = batch.bytes.len();
            let read = copy_game(source, &mut batch.bytes).map_err(|e| source.error(e))?;
            if batch.bytes.len() == start {
                break;
            }
            if read == Read::Endless {
                return Err(DataError::Broken {
                    path: source.path().to_owned(),
                    offset: self.offset,
                    expected: "a game that ends, in four zero bytes, within 20000 plies",
                    format: "viriformat",
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

fn copy_game(source: &mut Source, bytes: &mut Vec<u8>) -> std::io::Result<Read> {
    let mut header = [0; HEADER_BYTES];
    let n = read_full(source, &mut header)?;
    bytes.extend_from_slice(&header[..n]);
    if n < HEADER_BYTES {
        return Ok(Read::Game);
    }
    for _ in 0..MAX_PLIES {
        let mut entry = [0; MOVE_BYTES];
        let n = read_full(source, &mut entry)?;
        bytes.extend_from_slice(&entry[..n]);
        if n < MOVE_BYTES || entry == TERMINATOR {
            return Ok(Read::Game);
        }
    }
    Ok(Read::Endless)
}

/// Decodes the game in `bytes`, which begins at that byte of its file.
pub(crate) fn decode(bytes: &[u8], offset: u64) -> Result<Game, BadEntry> {
    let bad = |defect, at: usize, detail: String| BadEntry {
        defect,
        place: format!("byte {}", offset + at as u64),
        detail,
    };
    let cut = || {
        let detail = "the file ends inside this game (a writer was interrupted?)".to_owned();
        bad(Defect::CutShort, 0, detail)
    };
    let (header, body) = bytes.split_first_chunk::<HEADER_BYTES>().ok_or_else(cut)?;
    // A last score may end in the zeros of a terminator that is cut short.
    let is_whole = body.len().is_multiple_of(MOVE_BYTES);
    let entries = body.strip_suffix(&TERMINATOR).filter(|_| is_whole).ok_or_else(cut)?;
    let Record { position, result, .. } = Record::of(header);
    let Some(start) = position else {
        let detail = format!("no legal start position: {:02x?}", &header[..HEADER_BYTES]);
        return Err(bad(Defect::StartPosition, 0, detail));
    };
    let Some(result) = result else {
        let detail = format!("the result is {}, expected 0, 1 or 2", header[RESULT_OFFSET]);
        return Err(bad(Defect::Malformed, RESULT_OFFSET, detail));
    };

    let mut position = start.clone();
    let mut moves = Vec::with_capacity(entries.len() / MOVE_BYTES);
    for (i, entry) in entries.chunks_exact(MOVE_BYTES).enumerate() {
        let bits = u16::from_le_bytes([entry[0], entry[1]]);
        let Some(played) = decode_move(bits, &position) else {
            let detail = format!("{} is not legal in {position}", describe_move(bits));
            return Err(bad(Defect::IllegalMove, HEADER_BYTES + i * MOVE_BYTES, detail));
        };
        let white_score = Score::from_i16(i16::from_le_bytes([entry[2], entry[3]]));
        moves.push(GameMove { played, white_score });
        position.play(played);
    }
    Ok(Game { start, moves, result: Some(result) })
}
