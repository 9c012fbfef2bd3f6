//! Lists of positions, one a line: no games, and so no moves.
//!
//! Two notations are read, both plain or compressed:
//!
//! | notation | example | labels |
//! |---|---|---|
//! | scored text, as bullet reads and writes it | `FEN \| 237 \| 1.0` | score, result, ply if the FEN has counters |
//! | EPD, or bare FENs | `FEN4 c9 "1-0";` | result, if the operation `c9` gives one |
//!
//! Scores are centipawns from White's side, results are
//! White's (`1.0`, `0.5`, `0.0`, or as in PGN). Scores of 31,000 and more are
//! mates, those beyond 32,000 no score, as [`Score::from_i16`] has it. An EPD may have its move
//! counters in the operations `hmvc` and `fmvn`. Other operations are passed over; so is a `c9` that holds something else, which
//! in test suites it may. Empty lines and lines that begin with `#` are none.

mod epd;
mod scored_text;
mod split;

pub(super) use split::{BYTE_ORDER_MARK, LineSplitter, read_line};

use crate::defect::{BadEntry, Defect};
use chess::{Color, GameResult, Move, Position, Score};

pub(super) use epd::decode as decode_epd;
pub use epd::fen_and_operations;
pub(super) use scored_text::{decode as decode_scored_text, score_of};

/// A position with the labels of its line.
#[derive(Clone, Debug)]
pub struct ListedPosition {
    pub position: Position,
    /// Plies since the start of its game, if the line has move counters.
    pub ply: Option<u32>,
    /// The move played in it, if given.
    pub played: Option<Move>,
    /// Its score from White's side, if given.
    pub white_score: Option<Score>,
    /// Depth in plies of the search that gave the score, if the format has it.
    pub depth: Option<u32>,
    /// The result of its game, if given.
    pub result: Option<GameResult>,
}

/// Whether a line looks like scored text.
pub(super) fn is_scored_text(line: &[u8]) -> bool {
    line.iter().filter(|&&c| c == b'|').count() == 2
}

/// Whether a line begins with a position.
pub(super) fn is_epd(line: &[u8]) -> bool {
    decode_epd(line, 0).is_ok()
}

/// Whether a line is neither empty nor a comment.
pub(super) fn has_content(line: &[u8]) -> bool {
    !matches!(line.trim_ascii(), [] | [b'#', ..])
}

/// A result, from White's side.
fn result(text: &str) -> Option<GameResult> {
    match text {
        "1.0" | "1" | "1-0" => Some(GameResult::Win(Color::White)),
        "0.0" | "0" | "0-1" => Some(GameResult::Win(Color::Black)),
        "0.5" | "1/2" | "1/2-1/2" => Some(GameResult::Draw),
        _ => None,
    }
}

fn text(line: &[u8], number: u64) -> Result<&str, BadEntry> {
    let not_text = |_| malformed(number, format!("not UTF-8: `{}`", String::from_utf8_lossy(line)));
    Ok(std::str::from_utf8(line).map_err(not_text)?.trim())
}

/// The position of a line. Board, side to move, castling rights and en passant have to be
/// there: a line that was cut would do with less.
pub(super) fn position(fen: &str, number: u64) -> Result<Position, BadEntry> {
    if fen.split_ascii_whitespace().count() < 4 {
        let detail = format!(
            "not a whole position: `{fen}`; expected board, side to move, castling rights and en \
             passant, such as `4k3/8/8/8/8/8/8/4K2R w K -`"
        );
        return Err(BadEntry::on_line(number, Defect::Position, detail));
    }
    Position::from_fen(fen)
        .map_err(|error| BadEntry::on_line(number, Defect::Position, error.to_string()))
}

/// Whether the file ends before the line does. Many a sound file does, so this alone is no
/// defect.
fn has_no_end(line: &[u8]) -> bool {
    !line.ends_with(b"\n")
}

/// A line whose last word may be the beginning of another one: `1` of `1/2-1/2`.
fn cut_short(number: u64, word: &str) -> BadEntry {
    let detail = format!(
        "the file ends in `{word}`, which may be the beginning of another result; end the line \
         if it is not"
    );
    BadEntry::on_line(number, Defect::CutShort, detail)
}

/// Whether more may have followed this result.
fn may_be_cut(text: &str) -> bool {
    matches!(text, "0" | "1")
}

fn malformed(number: u64, detail: String) -> BadEntry {
    BadEntry::on_line(number, Defect::Malformed, detail)
}

#[cfg(test)]
mod tests;
