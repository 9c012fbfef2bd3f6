//! Statistics of a file of games or positions.

mod curve;
mod legal_moves;
mod placeholders;

use std::collections::HashSet;
use std::path::Path;
use std::sync::atomic::AtomicBool;

use serde::Serialize;

use crate::error::DataError;
use crate::formats::entry::{Entry, EntryReader};
use crate::samples::candidate::CandidatePosition;
use crate::samples::dataset::LoadProgress;
use crate::skip::SkipReport;
use chess::{Color, Score};
use curve::Curve;
pub use curve::{Agreement, Observed};
pub use legal_moves::LegalMoves;
pub use placeholders::{ZeroScores, Zeros};

/// Positions remembered to find duplicates; each takes some 16 bytes of memory.
const REMEMBERED: usize = 50_000_000;

/// Upper ends of the classes of |score|, in centipawns.
pub const SCORE_CLASSES: [u32; 9] = [10, 25, 50, 100, 200, 400, 800, 1_600, 30_000];

/// Counts over a file.
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
    /// (or the score is 0), and those in which White is.
    pub scores: [[u64; 9]; 2],
    /// Scores of exactly 0.
    pub zeros: ZeroScores,
    /// Scores of 0 that probably stand for none: [`ZeroScores::placeholders`].
    pub placeholders: u64,
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
    /// Agreement of scores and results.
    pub agreement: Option<Agreement>,
    #[serde(skip)]
    pub legal_moves: LegalMoves,
    /// The first entries that could not be read.
    pub first_skipped: Vec<String>,
}

/// Facts about a position.
struct PositionFacts {
    key: u64,
    white_score: Option<Score>,
    /// 0 lost, 1 drawn, 2 won by White, 3 unknown.
    result: u8,
    pieces: u8,
    turn: Color,
    fullmove: u32,
    legal_moves: usize,
    check: bool,
    tactical: bool,
}

impl PositionFacts {
    fn of(candidate: &CandidatePosition<'_>) -> Self {
        let position = candidate.position;
        Self {
            key: position.key(),
            white_score: candidate.white_score,
            result: candidate.result.map_or(3, |result| result.seen_by(Color::White)),
            pieces: position.board().occupied().count().min(32) as u8,
            turn: position.turn(),
            fullmove: position.fullmoves(),
            legal_moves: position.legal_moves().len(),
            check: position.is_check(),
            tactical: candidate.played.is_some_and(|m| m.is_capture() || m.is_promotion()),
        }
    }
}

/// Inspects a file.
///
/// # Errors
/// A file that is missing, damaged or of no known format; the stop flag.
pub fn inspect(
    path: &Path,
    progress: &mut dyn FnMut(LoadProgress),
    stop: &AtomicBool,
) -> Result<Inspection, DataError> {
    let bytes_total = std::fs::metadata(path).map_or(0, |file| file.len());
    let mut inspector = Inspector::default();
    inspector.found.pieces = vec![0; 33];
    let mut reader = EntryReader::open(path)?;
    let notes = |entry: Entry| {
        let mut notes = Vec::new();
        entry.visit(|candidate| notes.push(PositionFacts::of(candidate)));
        notes
    };
    let (mut games, mut skipped) = (0, SkipReport::default());
    while let Some(batch) = reader.next_good(notes, &mut skipped)? {
        games += batch.len() as u64;
        batch.iter().flatten().for_each(|note| inspector.take(note));
        let positions = inspector.found.positions;
        progress(LoadProgress {
            bytes_read: reader.bytes_read(),
            bytes_total,
            positions,
            kept: positions,
        });
        DataError::if_stopped(stop)?;
    }
    let Inspector { mut found, curve, .. } = inspector;
    let format = reader.format();
    found.format = format.name();
    found.games = format.has_games().then_some(games);
    // Standard input has no size until it has been read.
    found.bytes = bytes_total.max(reader.bytes_read());
    found.agreement = curve.fit();
    found.placeholders = found.zeros.placeholders();
    found.skipped = skipped.total();
    found.first_skipped = skipped.first().to_vec();
    Ok(found)
}

#[derive(Default)]
struct Inspector {
    found: Inspection,
    seen: HashSet<u64>,
    /// Scores beside results, with White's half points.
    curve: Curve,
}

impl Inspector {
    fn take(&mut self, note: &PositionFacts) {
        let found = &mut self.found;
        found.positions += 1;
        found.results[usize::from(note.result)] += 1;
        found.pieces[usize::from(note.pieces)] += 1;
        found.black_to_move += u64::from(note.turn == Color::Black);
        found.legal_moves.add(note.turn, note.fullmove, note.legal_moves);
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
                found.zeros.add(note.check || note.tactical, cp == 0);
                let class = SCORE_CLASSES.iter().position(|&end| cp.unsigned_abs() < end);
                found.scores[usize::from(cp > 0)][class.unwrap_or(SCORE_CLASSES.len() - 1)] += 1;
                if note.result < 3 {
                    self.curve.add(cp, note.result);
                }
            }
        }
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
        assert_eq!((found.zeros.quiet.scores, found.zeros.loud.scores), (2, 0));
        // Move 1: 20 legal moves for both; after 1. e4 d5 White has 31.
        let white = found.legal_moves.by_move(Color::White);
        assert_eq!((white.len(), white[0][20], white[1][31]), (2, 2, 1));
        assert_eq!(found.legal_moves.by_move(Color::Black)[0][20], 2);
        assert!(found.first_skipped[0].contains("some.pgn: game 3"), "{:?}", found.first_skipped);
    }

    #[test]
    fn zeros_of_captures_and_checks_are_placeholders() {
        let record = |fen: &str, played: &str, score: i32| {
            format!("fen {fen} 0 20\nmove {played}\nscore {score}\nply 38\nresult 0\ne\n")
        };
        let capture = record("4k3/8/8/3p4/4P3/8/8/4K3 w - -", "e4d5", 0);
        let check = record("4k3/8/8/8/8/8/4r3/4K3 w - -", "e1d1", 0);
        let quiet = record("4k3/8/8/3p4/4P3/8/8/4K3 w - -", "e1e2", 40);
        let found = inspected("min.plain", &[capture, check, quiet].concat());
        assert_eq!((found.zeros.loud.zeros, found.zeros.quiet.zeros), (2, 0));
        assert_eq!(found.placeholders, 2);
    }
}
