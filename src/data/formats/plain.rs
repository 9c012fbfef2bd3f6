//! `.plain`, the text form of Stockfish's training data: five lines a position, then `e`.
//!
//! ```text
//! fen rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1
//! move e2e4
//! score 31
//! ply 0
//! result 1
//! e
//! ```
//!
//! Stockfish's tools and those of nnue-pytorch convert it to `.binpack` and `.bin` and back; Lc0's
//! rescorer writes it. Score and result are the mover's, the score is that of the position before
//! the move, in the unit of the program that gave it: it is taken as it is. 32002 marks a position
//! without a score.
//!
//! Entries are games, as in a binpack: records as long as each follows from the one before. Lines
//! with other words are passed over.

mod split;
mod write;

pub(super) use split::PlainSplitter;
pub(super) use write::encode;

use super::assembly::{Assembly, Recorded};
use super::list::{has_content, score_of};
use crate::defect::{BadEntry, Defect};
use chess::{Game, GameResult, Move, Position, Score};

/// Ends a record.
const END: &str = "e";

/// Whether a line begins a record.
pub(super) fn is_plain(line: &[u8]) -> bool {
    line.starts_with(b"fen ")
}

/// The games of records that begin on that line of their file.
pub(super) fn decode(text: &[u8], line: u64) -> Vec<Result<Game, BadEntry>> {
    let mut games = Assembly::default();
    for record in Record::all(text, line) {
        match record.and_then(|record| record.recorded()) {
            Ok(recorded) => {
                games.add(recorded);
            }
            Err(bad) => games.refuse(bad),
        }
    }
    games.finish()
}

/// The value of a line, and the line's number.
#[derive(Clone, Copy)]
struct Value<'t> {
    text: &'t str,
    line: u64,
}

/// The values of a record.
struct Record<'t> {
    fen: Option<Value<'t>>,
    played: Option<Value<'t>>,
    score: Option<Value<'t>>,
    ply: Option<Value<'t>>,
    result: Option<Value<'t>>,
    /// The line of its end.
    end: u64,
}

impl<'t> Record<'t> {
    fn empty() -> Self {
        Self { fen: None, played: None, score: None, ply: None, result: None, end: 0 }
    }

    /// The records of a text that begins on that line of its file.
    fn all(text: &'t [u8], first: u64) -> Vec<Result<Self, BadEntry>> {
        let (mut records, mut record, mut fault) = (Vec::new(), None, None);
        let mut last = first;
        for (line, number) in text.split(|&byte| byte == b'\n').zip(first..) {
            if !has_content(line) {
                continue;
            }
            last = number;
            let open = record.get_or_insert_with(Self::empty);
            match std::str::from_utf8(line) {
                Ok(line) if line.trim() == END => {
                    open.end = number;
                    records
                        .extend(fault.take().map_or(record.take().map(Ok), |bad| Some(Err(bad))));
                    record = None;
                }
                Ok(line) => open.take(line.trim(), number),
                Err(_) => {
                    let detail = "not UTF-8 text".to_owned();
                    fault = Some(BadEntry::on_line(number, Defect::Malformed, detail));
                }
            }
        }
        if record.is_some() {
            let detail = "the record has no end (a line `e`)".to_owned();
            records.push(Err(BadEntry::on_line(last, Defect::CutShort, detail)));
        }
        records
    }

    /// Takes the value of a line; another word than the five is passed over.
    fn take(&mut self, line: &'t str, number: u64) {
        let (word, text) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        let place = match word {
            "fen" => &mut self.fen,
            "move" => &mut self.played,
            "score" => &mut self.score,
            "ply" => &mut self.ply,
            "result" => &mut self.result,
            _ => return,
        };
        *place = Some(Value { text: text.trim(), line: number });
    }

    fn recorded(&self) -> Result<Recorded, BadEntry> {
        let need = |value: Option<Value<'t>>, word: &str| {
            let detail = || format!("the record that ends here has no line `{word}`");
            value.ok_or_else(|| BadEntry::on_line(self.end, Defect::Malformed, detail()))
        };
        let position = need(self.fen, "fen")?.position()?;
        let played = need(self.played, "move")?.played(&position)?;
        let turn = position.turn();
        let white_score = need(self.score, "score")?.score()?.map(|score| score.seen_by(turn));
        let ply = self.ply.map_or(Ok(position.ply()), |value| value.ply())?;
        let result = match need(self.result, "result")?.text {
            "0" => GameResult::Draw,
            "1" => GameResult::Win(turn),
            "-1" => GameResult::Win(!turn),
            other => {
                let line = need(self.result, "result")?.line;
                let detail = format!("the result is `{other}`, expected 1 (won), 0 or -1");
                return Err(BadEntry::on_line(line, Defect::Malformed, detail));
            }
        };
        Ok(Recorded { position, played, white_score, ply, result: Some(result) })
    }
}

impl Value<'_> {
    fn bad(&self, defect: Defect, detail: String) -> BadEntry {
        BadEntry::on_line(self.line, defect, detail)
    }

    fn position(&self) -> Result<Position, BadEntry> {
        Position::from_fen(self.text).map_err(|error| self.bad(Defect::Position, error.to_string()))
    }

    fn played(&self, position: &Position) -> Result<Move, BadEntry> {
        let illegal = |error: chess::MoveError| self.bad(Defect::IllegalMove, error.to_string());
        position.parse_uci(self.text).map_err(illegal)
    }

    /// The mover's score; `None` for a mark of none.
    fn score(&self) -> Result<Option<Score>, BadEntry> {
        let number = self.text.parse().map(score_of);
        number.map_err(|_| {
            let detail = format!("the score is `{}`, expected a whole number", self.text);
            self.bad(Defect::Malformed, detail)
        })
    }

    fn ply(&self) -> Result<u32, BadEntry> {
        self.text.parse().map_err(|_| {
            let detail = format!("the ply is `{}`, expected a whole number from 0", self.text);
            self.bad(Defect::Malformed, detail)
        })
    }
}

#[cfg(test)]
mod tests;
