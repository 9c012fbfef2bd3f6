//! Games in Portable Game Notation.
//!
//! Finding the games (`split`) is apart from reading one (`tags`, `movetext`, `game`): that
//! gives line numbers for messages, lets games be decoded in parallel, and keeps a broken
//! game from hurting its neighbours.
//!
//! Standard chess and Chess960 (also from a given position) are taken, other
//! variants refused. A game is taken whole or not at all: refused are games with an illegal
//! move or an unknown word (the moves before it may already be those of another game), without an end marker (the file may be cut there), those
//! whose move numbers do not follow from each other (moves may be missing), and those whose
//! tags and end marker name different results. The forms that the standard
//! allows to programs that read are read, and those that are often met.
//! Scores come from comments, see `comment`; variations are not read.

mod comment;
mod game;
mod mates;
mod movetext;
mod spelling;
mod split;
mod tags;
mod write;

use std::borrow::Cow;

pub(super) use game::decode;
pub(super) use split::PgnSplitter;
pub(crate) use write::result_text;
pub use write::{write_game, write_movetext};

use crate::defect::Defect;
use chess::{Color, GameResult};

/// An error in a game's text.
#[derive(Debug)]
struct ParseError {
    defect: Defect,
    /// Byte of the game's text.
    at: usize,
    detail: String,
}

impl ParseError {
    fn new(defect: Defect, at: usize, detail: impl Into<String>) -> Self {
        Self { defect, at, detail: detail.into() }
    }

    fn malformed(at: usize, detail: impl Into<String>) -> Self {
        Self::new(Defect::Malformed, at, detail)
    }
}

/// A result that is known, in a tag or as an end marker.
fn result(text: &str) -> Option<GameResult> {
    match text {
        "1-0" | "1:0" => Some(GameResult::Win(Color::White)),
        "0-1" | "0:1" => Some(GameResult::Win(Color::Black)),
        "1/2-1/2" | "1/2:1/2" | "1/2" | "½-½" | "½:½" | "½" => Some(GameResult::Draw),
        _ => None,
    }
}

/// Hyphens in the place of a word processor's dashes.
fn with_plain_dashes(text: &str) -> Cow<'_, str> {
    match text.is_ascii() {
        true => Cow::Borrowed(text),
        false => Cow::Owned(text.replace(['–', '—'], "-")),
    }
}

#[cfg(test)]
mod tests;
