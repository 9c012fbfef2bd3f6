//! Entries kept in a temporary file.
//!
//! Entries that are sorted into more buckets than the memory holds wait on disk, in records that
//! hold everything an [`Entry`] holds. They
//! live as long as the program, so their layout may change.

use std::fs::File;
use std::io::{self, BufReader, BufWriter, Read, Seek, Write};

use crate::formats::entry::Entry;
use crate::formats::list::ListedPosition;
use crate::formats::{marlinformat, viriformat};
use chess::{Game, GameMove, GameResult, PackedPosition, Position, Score};

/// A bucket of records.
pub(crate) struct Spool {
    file: BufWriter<File>,
    bytes: u64,
}

impl Spool {
    /// An empty one, which vanishes with the program.
    pub(crate) fn new() -> io::Result<Self> {
        Ok(Self { file: BufWriter::new(tempfile::tempfile()?), bytes: 0 })
    }

    pub(crate) fn push(&mut self, record: &[u8]) -> io::Result<()> {
        self.file.write_all(&(record.len() as u32).to_le_bytes())?;
        self.file.write_all(record)?;
        self.bytes += 4 + record.len() as u64;
        Ok(())
    }

    /// All records, in the order in which they were added.
    pub(crate) fn into_records(self) -> io::Result<Vec<Box<[u8]>>> {
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
const POSITION_BYTES: usize = size_of::<PackedPosition>();
const SCORE_BYTES: usize = 5;
/// A record begins with a position, its score, a result, whether moves follow, ply and depth.
const HEAD_BYTES: usize = POSITION_BYTES + SCORE_BYTES + 10;
/// A move and the score before it.
const MOVE_BYTES: usize = 2 + SCORE_BYTES;

/// The record of an entry; `None` for positions with more than 32 pieces or counters that no
/// game reaches.
pub(crate) fn pack(entry: &Entry) -> Option<Vec<u8>> {
    let (position, score, result, numbers) = match entry {
        Entry::Game(game) => (&game.start, None, game.result, [None; 2]),
        Entry::Position(listed) => {
            let numbers = [listed.ply, listed.depth];
            (&listed.position, listed.white_score, listed.result, numbers)
        }
    };
    let result = result.map_or(UNKNOWN, marlinformat::encode_result);
    let mut record = bytemuck::bytes_of(&packed(position)?).to_vec();
    record.extend_from_slice(&score_to_bytes(score));
    record.extend_from_slice(&[result, u8::from(matches!(entry, Entry::Game(_)))]);
    for number in numbers {
        record.extend_from_slice(&number.unwrap_or(u32::MAX).to_le_bytes());
    }
    let mut push = |m: GameMove| {
        record.extend_from_slice(&viriformat::encode_move(m.played).to_le_bytes());
        record.extend_from_slice(&score_to_bytes(m.white_score));
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

/// The position, if packing it loses nothing.
fn packed(position: &Position) -> Option<PackedPosition> {
    let fits = position.halfmoves() <= u8::MAX.into() && position.fullmoves() <= u16::MAX.into();
    PackedPosition::pack(position).filter(|_| fits)
}

/// The entry of a record; `None` for bytes that [`pack`] did not make.
pub(crate) fn unpack(record: &[u8]) -> Option<Entry> {
    let (head, body) = record.split_at_checked(HEAD_BYTES)?;
    let (position, rest) = head.split_at(POSITION_BYTES);
    let start = bytemuck::pod_read_unaligned::<PackedPosition>(position).unpack()?;
    let (score, rest) = rest.split_first_chunk::<SCORE_BYTES>()?;
    let [result, is_game, ref numbers @ ..] = *rest else { return None };
    let result: Option<GameResult> = marlinformat::decode_result(result);
    let mut position = start.clone();
    let mut next = |bytes: &[u8; MOVE_BYTES]| {
        let [a, b, ref score @ ..] = *bytes;
        let played = viriformat::decode_move(u16::from_le_bytes([a, b]), &position)?;
        position.play(played);
        Some(GameMove { played, white_score: score_of_bytes(*score) })
    };
    let moves: Option<Vec<GameMove>> = body.as_chunks().0.iter().map(&mut next).collect();
    let moves = moves?;
    if is_game == 1 {
        return Some(Entry::Game(Game { start, moves, result }));
    }
    let (ply, depth) = numbers.split_first_chunk()?;
    let number = |bytes| Some(u32::from_le_bytes(bytes)).filter(|&number| number != u32::MAX);
    Some(Entry::Position(ListedPosition {
        position: start,
        ply: number(*ply),
        played: moves.first().map(|m| m.played),
        white_score: score_of_bytes(*score),
        depth: number(depth.try_into().ok()?),
        result,
    }))
}

/// A score whole: its kind, then its number.
fn score_to_bytes(score: Option<Score>) -> [u8; SCORE_BYTES] {
    let (kind, number) = match score {
        None => (0, 0),
        Some(Score::Centipawns(cp)) => (1, cp),
        Some(Score::Mate(moves)) => (2, moves),
    };
    let [a, b, c, d] = number.to_le_bytes();
    [kind, a, b, c, d]
}

fn score_of_bytes([kind, number @ ..]: [u8; SCORE_BYTES]) -> Option<Score> {
    let number = i32::from_le_bytes(number);
    match kind {
        1 => Some(Score::Centipawns(number)),
        2 => Some(Score::Mate(number)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::samples::candidate::CandidatePosition;
    use chess::random_game::random_game;

    proptest! {
        #[test]
        fn records_say_what_entries_say(seed: u64, unknown: bool, beyond: i32) {
            let mut game = random_game(seed, 40);
            let scores = [Score::Centipawns, Score::Mate];
            for (m, score) in game.moves.iter_mut().zip(scores) {
                m.white_score = Some(score(beyond));
            }
            game.result = game.result.filter(|_| !unknown);
            let entry = Entry::Game(game.clone());
            let Some(Entry::Game(found)) = unpack(&pack(&entry).unwrap()) else { panic!("no game") };
            prop_assert_eq!(found.start.fen(), game.start.fen());
            prop_assert_eq!((found.moves, found.result), (game.moves.clone(), game.result));
            CandidatePosition::visit(&game, |candidate| {
                let listed = ListedPosition {
                    position: candidate.position.clone(),
                    ply: candidate.ply.filter(|ply| ply % 2 == 0),
                    played: candidate.played.filter(|_| !unknown),
                    white_score: candidate.white_score,
                    depth: candidate.ply.filter(|ply| ply % 3 == 0),
                    result: candidate.result,
                };
                let record = pack(&Entry::Position(listed.clone())).unwrap();
                let Some(Entry::Position(found)) = unpack(&record) else { panic!("no position") };
                assert_eq!(found.position.fen(), listed.position.fen());
                assert_eq!((found.ply, found.depth), (listed.ply, listed.depth));
                assert_eq!(found.played, listed.played);
                assert_eq!((found.white_score, found.result), (listed.white_score, listed.result));
            });
        }
    }

    #[test]
    fn counters_that_no_game_reaches_are_refused() {
        let listed = |fen: &str| {
            let position = Position::from_fen(fen).unwrap();
            let white_score = Some(Score::Centipawns(1));
            Entry::Position(ListedPosition {
                position,
                ply: None,
                played: None,
                white_score,
                depth: None,
                result: None,
            })
        };
        assert!(pack(&listed("4k3/8/8/8/8/8/8/4K2R w - - 255 300")).is_some());
        assert!(pack(&listed("4k3/8/8/8/8/8/8/4K2R w - - 256 300")).is_none());
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
