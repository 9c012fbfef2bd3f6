//! What a file of games or positions holds: what a person asks first.

mod curve;

use std::collections::HashSet;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use serde::Serialize;

use super::{
    Candidate, DataError, DataFile, Defect, Game, ListedPosition, LoadProgress, Reader, SkipReport,
};
use chess::{Color, Score};

use curve::Curve;
pub use curve::{Agreement, Observed};

/// So many positions are looked at for duplicates; each takes some 16 bytes of memory.
const REMEMBERED: usize = 50_000_000;

/// Upper ends of the classes of |score|, in centipawns.
pub const SCORE_CLASSES: [u32; 9] = [10, 25, 50, 100, 200, 400, 800, 1_600, 30_000];

/// What a file holds.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Inspection {
    pub format: &'static str,
    /// Bytes on disk.
    pub bytes: u64,
    /// Games; `None` for lists.
    pub games: Option<u64>,
    /// Positions in which a move was played, or listed positions.
    pub positions: u64,
    /// Entries that could not be read.
    pub skipped: u64,
    /// Results of the positions' games, as White sees them: lost, drawn, won, unknown.
    pub results: [u64; 4],
    pub unscored: u64,
    /// Positions with a mate as their score.
    pub mates: u64,
    /// Other scores, in the classes of [`SCORE_CLASSES`]: those in which Black is ahead
    /// (or nobody), and those in which White is.
    pub scores: [[u64; 9]; 2],
    /// Positions by the number of pieces, 0 to 32.
    pub pieces: Vec<u64>,
    /// Positions with Black to move.
    pub black_to_move: u64,
    pub checks: u64,
    /// Positions in which the move played takes something or promotes.
    pub tactical: u64,
    /// Positions that have been there before, of those that were remembered.
    pub duplicates: u64,
    /// Positions that were remembered.
    pub remembered: u64,
    /// How scores and results agree.
    pub agreement: Option<Agreement>,
    /// The first entries that could not be read.
    pub first_skipped: Vec<String>,
}

/// What is noted of a position.
struct Note {
    key: u64,
    white_score: Option<Score>,
    /// 0 lost, 1 drawn, 2 won by White, 3 unknown.
    result: u8,
    pieces: u8,
    black_to_move: bool,
    check: bool,
    tactical: bool,
}

impl Note {
    fn of(candidate: &Candidate<'_>) -> Self {
        let position = candidate.position;
        Self {
            key: position.key(),
            white_score: candidate.white_score,
            result: candidate.result.map_or(3, |result| result.seen_by(Color::White)),
            pieces: position.board().occupied().count().min(32) as u8,
            black_to_move: position.turn() == Color::Black,
            check: position.is_check(),
            tactical: candidate.played.is_some_and(|m| m.is_capture() || m.is_promotion()),
        }
    }
}

/// Looks into a file.
///
/// # Errors
/// A file that is missing, damaged or of no known format; the stop flag.
pub fn inspect(
    path: &Path,
    progress: &mut dyn FnMut(LoadProgress),
    stop: &AtomicBool,
) -> Result<Inspection, DataError> {
    let mut inspector = Inspector::new(path, progress, stop);
    let file = DataFile::open(path)?;
    inspector.found.format = file.format().name();
    match file {
        DataFile::Games(games) => {
            let notes = |game: Game| {
                let mut notes = Vec::with_capacity(game.moves.len());
                Candidate::visit(&game, |candidate| notes.push(Note::of(candidate)));
                notes
            };
            let read = inspector.read(games, notes)?;
            inspector.found.games = Some(read);
        }
        DataFile::List(list) => {
            inspector.read(list, |listed: ListedPosition| vec![Note::of(&listed.candidate())])?;
        }
    }
    Ok(inspector.finish())
}

struct Inspector<'a> {
    found: Inspection,
    seen: HashSet<u64>,
    /// Scores that results are held against, with White's half points.
    judged: Curve,
    skipped: SkipReport<Defect>,
    progress: &'a mut dyn FnMut(LoadProgress),
    stop: &'a AtomicBool,
}

impl<'a> Inspector<'a> {
    fn new(path: &Path, progress: &'a mut dyn FnMut(LoadProgress), stop: &'a AtomicBool) -> Self {
        let bytes = std::fs::metadata(path).map_or(0, |file| file.len());
        let found = Inspection { bytes, pieces: vec![0; 33], ..Inspection::default() };
        let (seen, judged, skipped) = (HashSet::new(), Curve::default(), SkipReport::default());
        Self { found, seen, judged, skipped, progress, stop }
    }

    /// Takes all entries; how many there were.
    fn read<E>(
        &mut self,
        mut reader: Reader<E>,
        notes: impl Fn(E) -> Vec<Note> + Sync,
    ) -> Result<u64, DataError> {
        let (mut number, mut read) = (0, 0);
        while let Some(batch) = reader.next_batch(&notes)? {
            for entry in batch {
                number += 1;
                match entry {
                    Ok(notes) => {
                        read += 1;
                        notes.iter().for_each(|note| self.take(note));
                    }
                    Err(bad) => self.skipped.add(bad.defect, || reader.message(number, &bad)),
                }
            }
            (self.progress)(LoadProgress {
                bytes_read: reader.bytes_read(),
                bytes_total: self.found.bytes,
                positions: self.found.positions,
                kept: self.found.positions,
            });
            if self.stop.load(Ordering::Relaxed) {
                return Err(DataError::Stopped);
            }
        }
        // Standard input has no size until it has been read.
        self.found.bytes = self.found.bytes.max(reader.bytes_read());
        Ok(read)
    }

    fn take(&mut self, note: &Note) {
        let found = &mut self.found;
        found.positions += 1;
        found.results[usize::from(note.result)] += 1;
        found.pieces[usize::from(note.pieces)] += 1;
        found.black_to_move += u64::from(note.black_to_move);
        found.checks += u64::from(note.check);
        found.tactical += u64::from(note.tactical);
        if self.seen.len() < REMEMBERED {
            found.remembered += 1;
            found.duplicates += u64::from(!self.seen.insert(note.key));
        }
        match note.white_score {
            None => found.unscored += 1,
            Some(Score::Mate(_)) => found.mates += 1,
            Some(Score::Centipawns(cp)) => {
                let class = SCORE_CLASSES.iter().position(|&end| cp.unsigned_abs() < end);
                found.scores[usize::from(cp > 0)][class.unwrap_or(SCORE_CLASSES.len() - 1)] += 1;
                if note.result < 3 {
                    self.judged.add(cp, note.result);
                }
            }
        }
    }

    fn finish(mut self) -> Inspection {
        self.found.agreement = self.judged.fit();
        self.found.skipped = self.skipped.total();
        self.found.first_skipped = self.skipped.first().to_vec();
        self.found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn inspected(name: &str, content: &str) -> Inspection {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(name);
        std::fs::write(&path, content).unwrap();
        inspect(&path, &mut |_| {}, &AtomicBool::new(false)).unwrap()
    }

    #[test]
    fn everything_is_counted() {
        let pgn = "[Result \"1-0\"]\n\n1. e4 {wv=0.30} d5 {wv=0.60} 2. exd5 {wv=M7} Qxd5 1-0\n\n\
                   [Result \"*\"]\n\n1. e4 e5 *\n\n[Result \"*\"]\n\n1. e5 *\n";
        let found = inspected("some.pgn", pgn);
        assert_eq!((found.games, found.positions, found.skipped), (Some(2), 6, 1));
        assert_eq!(found.results, [0, 0, 4, 2]);
        assert_eq!((found.unscored, found.mates, found.scores[1].iter().sum()), (3, 1, 2u64));
        assert_eq!((found.scores[1][2], found.scores[1][3]), (1, 1));
        assert_eq!((found.tactical, found.checks, found.black_to_move), (2, 0, 3));
        assert_eq!((found.duplicates, found.remembered), (2, 6));
        assert_eq!((found.pieces[32], found.pieces[31]), (5, 1));
        assert!(found.first_skipped[0].contains("some.pgn: game 3"), "{:?}", found.first_skipped);
    }
}
