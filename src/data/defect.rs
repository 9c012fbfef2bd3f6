//! Bad entries, and why they are bad.

use std::fmt;

use serde::{Deserialize, Serialize};

/// Why an entry is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Defect {
    /// Not chess or Chess960.
    Variant,
    /// A game's start position that is not legal.
    StartPosition,
    /// A listed position that is not legal.
    Position,
    /// A move that is not legal where it was played.
    IllegalMove,
    /// Text or bytes that are no entry.
    Malformed,
    /// The entry ends before its end: the file is cut there, or an end marker is missing.
    CutShort,
    /// Parts of the entry contradict each other.
    Contradiction,
}

impl fmt::Display for Defect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Defect::Variant => "other variant",
            Defect::StartPosition => "illegal start position",
            Defect::Position => "illegal position",
            Defect::IllegalMove => "illegal move",
            Defect::Malformed => "malformed",
            Defect::CutShort => "cut short",
            Defect::Contradiction => "contradicting itself",
        })
    }
}

/// An entry that is refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{place}: {detail}")]
pub struct BadEntry {
    pub defect: Defect,
    /// Line or byte in the uncompressed file.
    pub place: String,
    pub detail: String,
}

impl BadEntry {
    /// A bad line of a list.
    pub(super) fn on_line(number: u64, defect: Defect, detail: String) -> Self {
        Self { defect, place: format!("line {number}"), detail }
    }
}
