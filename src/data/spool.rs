//! Entries on their way through a temporary file.
//!
//! What is sorted into more heaps than the memory holds waits on disk, in records that
//! say everything an [`Entry`] says and nothing about whose file it came from. They
//! live as long as the program, so their layout is nobody else's business.

use std::fs::File;
use std::io::{self, BufReader, BufWriter, Read, Seek, Write};

use super::{Entry, Game, GameMove, ListedPosition, Score, viriformat};
use crate::chess::game::NO_SCORE;
use crate::chess::{GameResult, PackedPosition};

/// A heap of records.
pub struct Spool {
    file: BufWriter<File>,
    /// Bytes written.
    bytes: u64,
}

impl Spool {
    /// An empty one, which vanishes with the program.
    pub fn new() -> io::Result<Self> {
        Ok(Self { file: BufWriter::new(tempfile::tempfile()?), bytes: 0 })
    }

    /// Adds a record.
    pub fn push(&mut self, record: &[u8]) -> io::Result<()> {
        self.file.write_all(&(record.len() as u32).to_le_bytes())?;
        self.file.write_all(record)?;
        self.bytes += 4 + record.len() as u64;
        Ok(())
    }

    /// All records, in the order in which they were added.
    pub fn into_records(self) -> io::Result<Vec<Box<[u8]>>> {
        let mut file = self.file.into_inner().map_err(io::IntoInnerError::into_error)?;
        file.rewind()?;
        let (mut file, mut left, mut records) = (BufReader::new(file), self.bytes, Vec::new());
        while left > 0 {
            let mut length = [0; 4];
            file.read_exact(&mut length)?;
            let mut record = vec![0; u32::from_le_bytes(length) as usize];
            file.read_exact(&mut record)?;
            left -= 4 + record.len() as u64;
            records.push(record.into_boxed_slice());
        }
        Ok(records)
    }
}

const UNKNOWN: u8 = 3;
/// A record begins with a position, its score, a result, and whether moves follow.
const HEAD_BYTES: usize = size_of::<PackedPosition>() + 8;

/// The record of an entry; `None` for positions with more than 32 pieces.
pub fn pack(entry: &Entry) -> Option<Vec<u8>> {
    let (position, score, result, ply) = match entry {
        Entry::Game(game) => (&game.start, None, game.result, None),
        Entry::Position(listed) => {
            (&listed.position, listed.white_score, listed.result, listed.ply)
        }
    };
    let result = result.map_or(UNKNOWN, viriformat::encode_result);
    let mut record = bytemuck::bytes_of(&PackedPosition::pack(position)?).to_vec();
    record.extend_from_slice(&score.map_or(NO_SCORE, Score::to_i16).to_le_bytes());
    record.extend_from_slice(&[result, u8::from(matches!(entry, Entry::Game(_)))]);
    record.extend_from_slice(&ply.map_or(u32::MAX, |ply| ply).to_le_bytes());
    let mut push = |m: GameMove| {
        let bits = viriformat::encode_move(m.played)?;
        let score = m.white_score.map_or(NO_SCORE, Score::to_i16);
        record.extend_from_slice(&bits.to_le_bytes());
        record.extend_from_slice(&score.to_le_bytes());
        Some(())
    };
    match entry {
        Entry::Game(game) => game.moves.iter().try_for_each(|&m| push(m))?,
        Entry::Position(ListedPosition { played, .. }) => {
            played.map_or(Some(()), |played| push(GameMove { played, white_score: None }))?;
        }
    }
    Some(record)
}

/// The entry of a record; `None` for bytes that [`pack`] did not make.
pub fn unpack(record: &[u8]) -> Option<Entry> {
    let (head, body) = record.split_at_checked(HEAD_BYTES)?;
    let (position, rest) = head.split_at(size_of::<PackedPosition>());
    let start = bytemuck::pod_read_unaligned::<PackedPosition>(position).unpack()?;
    let [score_low, score_high, result, is_game, ref ply @ ..] = *rest else { return None };
    let result: Option<GameResult> = viriformat::decode_result(result);
    let mut position = start.clone();
    let mut next = |bytes: &[u8; 4]| {
        let [a, b, c, d] = *bytes;
        let played = viriformat::decode_move(u16::from_le_bytes([a, b]), &position)?;
        position.play(played);
        Some(GameMove { played, white_score: Score::from_i16(i16::from_le_bytes([c, d])) })
    };
    let moves: Option<Vec<GameMove>> = body.as_chunks().0.iter().map(&mut next).collect();
    let moves = moves?;
    if is_game == 1 {
        return Some(Entry::Game(Game { start, moves, result }));
    }
    let ply = u32::from_le_bytes(ply.try_into().ok()?);
    Some(Entry::Position(ListedPosition {
        position: start,
        ply: (ply != u32::MAX).then_some(ply),
        played: moves.first().map(|m| m.played),
        white_score: Score::from_i16(i16::from_le_bytes([score_low, score_high])),
        result,
    }))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::chess::random_game::random_game;

    proptest! {
        #[test]
        fn records_say_what_entries_say(seed: u64, unknown: bool) {
            let mut game = random_game(seed, 40);
            game.result = game.result.filter(|_| !unknown);
            let entry = Entry::Game(game.clone());
            let Some(Entry::Game(found)) = unpack(&pack(&entry).unwrap()) else { panic!("no game") };
            prop_assert_eq!(found.start.fen(), game.start.fen());
            prop_assert_eq!((found.moves, found.result), (game.moves.clone(), game.result));
            game.visit(|candidate| {
                let listed = ListedPosition {
                    position: candidate.position.clone(),
                    ply: candidate.ply.filter(|ply| ply % 2 == 0),
                    played: candidate.played.filter(|_| !unknown),
                    white_score: candidate.white_score,
                    result: candidate.result,
                };
                let record = pack(&Entry::Position(listed.clone())).unwrap();
                let Some(Entry::Position(found)) = unpack(&record) else { panic!("no position") };
                assert_eq!(found.position.fen(), listed.position.fen());
                assert_eq!((found.ply, found.played), (listed.ply, listed.played));
                assert_eq!((found.white_score, found.result), (listed.white_score, listed.result));
            });
        }
    }

    #[test]
    fn a_spool_gives_back_what_it_was_given() {
        let mut spool = Spool::new().unwrap();
        let records: Vec<Vec<u8>> = (0..500).map(|i| vec![i as u8; i]).collect();
        records.iter().for_each(|record| spool.push(record).unwrap());
        let found = spool.into_records().unwrap();
        assert!(found.iter().map(|record| record.to_vec()).eq(records));
    }
}
