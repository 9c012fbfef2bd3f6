//! Finds where one PGN game ends and the next begins.
//!
//! A game is tag lines, then moves up to the next tag line, or to a blank line behind the
//! end marker; neither counts inside a `{comment}`. Other blank lines stand inside the game:
//! behind a remark at its beginning, between its moves, before its result. A game that lacks
//! its end marker ends where another begins with move 1 behind a blank line. A comment that
//! is never closed would swallow the rest of the file, so a tag line after a blank line
//! ends it.

use std::io::{BufRead, Read};

use super::spelling::is_end_marker;
use crate::error::DataError;
use crate::formats::batch::Batch;
use crate::formats::entry::Splitter;
use crate::formats::source::Source;

/// Lines are taken in pieces of at most this size.
const LINE_BYTES: u64 = 1 << 20;

/// Largest game; longer text is cut here and read as malformed.
const GAME_BYTES: usize = 8 << 20;

const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// Cuts a stream of lines into games.
#[derive(Default)]
pub(crate) struct PgnSplitter {
    /// A line that was read but not yet given to a game.
    line: Vec<u8>,
    /// Number of that line, from 1.
    number: u64,
    /// The piece continues the line before it.
    continues: bool,
    /// The next piece continues the line.
    unfinished: bool,
}

impl Splitter for PgnSplitter {
    fn fill(&mut self, source: &mut Source, batch: &mut Batch) -> Result<(), DataError> {
        while !batch.is_full() && self.next_game(source, batch)? {}
        Ok(())
    }
}

impl PgnSplitter {
    fn next_game(&mut self, source: &mut Source, batch: &mut Batch) -> Result<bool, DataError> {
        let start = batch.bytes.len();
        let mut first_line = 0;
        let mut shape = Shape::default();
        while batch.bytes.len() - start < GAME_BYTES {
            if self.line.is_empty() && !self.read_line(source)? {
                break;
            }
            let role = shape.role(&self.line, self.continues);
            if role == LineRole::NextGame {
                break;
            }
            if role != LineRole::Nowhere {
                if batch.bytes.len() == start {
                    first_line = self.number;
                }
                batch.bytes.extend_from_slice(&self.line);
            }
            self.line.clear();
            if role == LineRole::EndOfGame {
                break;
            }
        }
        let found = batch.bytes.len() > start;
        if found {
            batch.close_entry(start, first_line);
        }
        Ok(found)
    }

    fn read_line(&mut self, source: &mut Source) -> Result<bool, DataError> {
        let read = source.take(LINE_BYTES).read_until(b'\n', &mut self.line);
        if let Err(e) = read {
            return Err(source.error(e));
        }
        self.continues = self.unfinished;
        self.number += u64::from(!self.continues);
        self.unfinished = !self.line.is_empty() && self.line.last() != Some(&b'\n');
        if self.number == 1 && self.line.starts_with(BYTE_ORDER_MARK) {
            self.line.drain(..BYTE_ORDER_MARK.len());
        }
        Ok(!self.line.is_empty())
    }
}

/// The game that a line belongs to.
#[derive(Clone, Copy, PartialEq, Eq)]
enum LineRole {
    ThisGame,
    /// To this game, as its last line.
    EndOfGame,
    /// To the game after it.
    NextGame,
    /// To none: a blank or escaped line between games.
    Nowhere,
}

#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum Phase {
    #[default]
    Before,
    Tags,
    BlankAfterTags,
    Moves,
}

/// State of the game that is being read.
#[derive(Default)]
struct Shape {
    phase: Phase,
    in_comment: bool,
    after_blank: bool,
    /// Words outside comments have come.
    has_words: bool,
    /// The last of them is an end marker.
    ended: bool,
}

impl Shape {
    fn role(&mut self, line: &[u8], continues: bool) -> LineRole {
        let blank = matches!(line, b"\n" | b"\r\n");
        let after_blank = std::mem::replace(&mut self.after_blank, blank);
        if continues || self.in_comment {
            if self.in_comment && after_blank && is_tag_pair(line) {
                return LineRole::NextGame;
            }
            self.read_moves(line);
            return LineRole::ThisGame;
        }
        match (self.phase, line) {
            (Phase::Moves, _) if blank && self.ended => LineRole::EndOfGame,
            (Phase::Moves, [b'[', ..]) => LineRole::NextGame,
            (Phase::Moves, _) if after_blank && self.has_words && begins_game(line) => {
                LineRole::NextGame
            }
            (Phase::Before, [b'%', ..]) => LineRole::Nowhere,
            (Phase::Before, _) if line.trim_ascii().is_empty() => LineRole::Nowhere,
            (Phase::Tags | Phase::BlankAfterTags, _) if line.trim_ascii().is_empty() => {
                self.phase = Phase::BlankAfterTags;
                LineRole::ThisGame
            }
            // Tags alone are a game too; another `Event` begins the next.
            (Phase::BlankAfterTags, _) if line.starts_with(b"[Event ") => LineRole::NextGame,
            (_, [b'[', ..]) => {
                self.phase = Phase::Tags;
                LineRole::ThisGame
            }
            (_, [b'%', ..]) => LineRole::ThisGame,
            _ => {
                self.phase = Phase::Moves;
                self.read_moves(line);
                LineRole::ThisGame
            }
        }
    }

    /// Notes how words outside comments end.
    fn read_words(&mut self, words: &[u8]) {
        let words = words.trim_ascii();
        if let Some(last) = words.rsplit(u8::is_ascii_whitespace).next().filter(|w| !w.is_empty()) {
            self.has_words = true;
            self.ended = is_end_marker(last);
        }
    }

    /// Follows comments through a line of moves.
    fn read_moves(&mut self, mut line: &[u8]) {
        if line.starts_with(b"%") && !self.in_comment {
            return;
        }
        loop {
            let stop = if self.in_comment {
                line.iter().position(|&c| c == b'}')
            } else {
                line.iter().position(|&c| c == b'{' || c == b';')
            };
            if !self.in_comment {
                self.read_words(&line[..stop.unwrap_or(line.len())]);
            }
            let Some(stop) = stop else { return };
            match line[stop] {
                b'{' => self.in_comment = true,
                b'}' => self.in_comment = false,
                _ => return,
            }
            line = &line[stop + 1..];
        }
    }
}

/// Whether a line begins with White's first move: `1. e4`, and not `1... e5`.
fn begins_game(line: &[u8]) -> bool {
    line.strip_prefix(b"1.").is_some_and(|rest| !rest.starts_with(b"."))
}

/// Whether a line looks like `[Name "…`.
fn is_tag_pair(line: &[u8]) -> bool {
    let Some(rest) = line.strip_prefix(b"[") else { return false };
    let name = rest.iter().take_while(|c| c.is_ascii_alphanumeric() || **c == b'_').count();
    name > 0 && rest[name..].starts_with(b" \"")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Text of each game with the line it starts on.
    fn games(text: &str) -> Vec<(u64, String)> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.pgn");
        std::fs::write(&path, text).unwrap();
        let mut source = Source::open(&path).unwrap();
        let mut splitter = PgnSplitter::default();
        let mut games = Vec::new();
        loop {
            let mut batch = Batch::default();
            splitter.fill(&mut source, &mut batch).unwrap();
            if batch.entries.is_empty() {
                return games;
            }
            let text = |range| String::from_utf8_lossy(&batch.bytes[range]).trim().to_owned();
            games.extend(batch.entries.iter().map(|game| (game.place, text(game.range.clone()))));
        }
    }

    #[test]
    fn blank_lines_and_tags_separate_games() {
        let text = "\n[Event \"1\"]\n[White \"a\"]\n\n1. e4 e5\n2. Nf3 *\n\n\n[Event \"2\"]\n1. d4 *\n[Event \"3\"]\n\n*\n";
        let found = games(text);
        assert_eq!(found.len(), 3);
        assert_eq!(found[0], (2, "[Event \"1\"]\n[White \"a\"]\n\n1. e4 e5\n2. Nf3 *".into()));
        assert_eq!(found[1], (9, "[Event \"2\"]\n1. d4 *".into()));
        assert_eq!(found[2], (11, "[Event \"3\"]\n\n*".into()));
        let windows = games(&text.replace('\n', "\r\n"));
        assert_eq!(windows.iter().map(|g| g.0).collect::<Vec<_>>(), [2, 9, 11]);
    }

    #[test]
    fn comments_hide_blank_lines_and_brackets() {
        let found = games(
            "[Event \"1\"]\n\n1. e4 { a\n\n[%eval 0.3]\n} e5 ; { not open\n2. d4 *\n\n[Event \"2\"]\n\n*",
        );
        assert_eq!(found.len(), 2);
        assert!(found[0].1.ends_with("2. d4 *"));
    }

    #[test]
    fn blank_lines_before_the_end_marker_stand_inside_the_game() {
        let tags = "[Event \"1\"]\n\n";
        for moves in [
            "{A remark.}\n\n1. d4 d5 1-0",
            "1. d4 d5\n\n2. c4 e6\n\n\n2... 1-0",
            "1. d4 {1-0}\n\n1... d5 1-0 {White wins}",
            "1. d4 d5 2. c4 e6\n\n1/2-1/2 ; agreed",
            "1. d4 (1. e4 1-0)\n\n1... d5*",
        ] {
            let text = format!("{tags}{moves}\n\n{tags}1. e4 *\n");
            let found = games(&text);
            assert_eq!(found.len(), 2, "{moves}");
            assert_eq!(found[0].1, format!("{tags}{moves}"));
        }
    }

    #[test]
    fn a_game_without_an_end_marker_ends_where_another_begins() {
        let found = games("1. e4 e5\n\n1. d4 d5 *\n\n1. c4 *\n");
        assert_eq!(found.iter().map(|g| g.0).collect::<Vec<_>>(), [1, 3, 5]);
    }

    #[test]
    fn a_comment_never_closed_costs_one_game() {
        let found =
            games("[Event \"1\"]\n\n1. e4 { a\n\n[Event \"2\"]\n\n1. d4 *\n\n[Event \"3\"]\n\n*");
        assert_eq!(found.iter().map(|g| g.0).collect::<Vec<_>>(), [1, 5, 9]);
    }

    #[test]
    fn tags_without_moves_are_a_game() {
        let found = games("[Event \"1\"]\n[White \"a\"]\n\n[Event \"2\"]\n\n1. e4 *\n");
        assert_eq!(found.len(), 2);
    }

    #[test]
    fn a_line_longer_than_a_piece_stays_one_line() {
        let long = format!(
            "[Event \"1\"]\n\n1. e4 {{{}}} e5 *\n\n[Event \"2\"]\n\n*\n",
            "[".repeat(3 << 20)
        );
        let found = games(&long);
        assert_eq!(found.iter().map(|g| g.0).collect::<Vec<_>>(), [1, 5]);
    }
}
