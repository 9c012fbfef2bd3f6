//! What `go` asks for.

use std::time::Duration;

use super::command::{CommandError, number};
use crate::limits::{Clock, Limits};
use chess::{Color, MoveError, Position};

/// A `go`, in milliseconds, before the side to move is known.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Go {
    depth: Option<u32>,
    nodes: Option<u64>,
    movetime: Option<u64>,
    /// White's and Black's.
    time: [Option<u64>; 2],
    increment: [u64; 2],
    moves_to_go: Option<u32>,
    mate: Option<u32>,
    infinite: bool,
    /// The position is the one after the move expected of the opponent.
    pub ponder: bool,
    /// Count move sequences of so many plies instead of searching.
    pub perft: Option<u32>,
    search_moves: Vec<String>,
}

/// Words that end a list of moves.
const WORDS: [&str; 13] = [
    "depth",
    "nodes",
    "movetime",
    "wtime",
    "btime",
    "winc",
    "binc",
    "movestogo",
    "mate",
    "infinite",
    "ponder",
    "searchmoves",
    "perft",
];

impl Go {
    /// Reads what follows `go`; words that are not known are skipped.
    pub(super) fn parse<'a>(words: impl Iterator<Item = &'a str>) -> Result<Self, CommandError> {
        let mut go = Self::default();
        let mut words = words.peekable();
        while let Some(word) = words.next() {
            let mut value = || words.next().unwrap_or("nothing");
            match word {
                "depth" => go.depth = Some(number(word, value())?),
                "nodes" => go.nodes = Some(number(word, value())?),
                "mate" => go.mate = Some(number(word, value())?),
                "movestogo" => go.moves_to_go = Some(number(word, value())?),
                "movetime" => go.movetime = Some(milliseconds(word, value())?),
                "wtime" => go.time[0] = Some(milliseconds(word, value())?),
                "btime" => go.time[1] = Some(milliseconds(word, value())?),
                "winc" => go.increment[0] = milliseconds(word, value())?,
                "binc" => go.increment[1] = milliseconds(word, value())?,
                "perft" => go.perft = Some(number(word, value())?),
                "infinite" => go.infinite = true,
                "ponder" => go.ponder = true,
                "searchmoves" => {
                    while let Some(text) = words.next_if(|next| !WORDS.contains(next)) {
                        go.search_moves.push(text.to_owned());
                    }
                }
                _ => {}
            }
        }
        Ok(go)
    }

    /// Whether a move is wanted as in a game, so that a book may answer.
    pub(super) fn is_plain(&self) -> bool {
        let special = self.infinite || self.ponder || self.is_hunt();
        !special && self.search_moves.is_empty() && self.is_limited()
    }

    pub(super) fn is_hunt(&self) -> bool {
        self.mate.is_some()
    }

    fn is_limited(&self) -> bool {
        let Self { depth, nodes, movetime, time, mate, .. } = self;
        let timed = movetime.is_some() || time.iter().any(Option::is_some);
        timed || depth.is_some() || nodes.is_some() || mate.is_some()
    }

    /// The limits for the side to move of `position`; without any, as for
    /// `go infinite`.
    pub(super) fn limits(
        &self,
        position: &Position,
        overhead_ms: u64,
    ) -> Result<Limits, MoveError> {
        let side = usize::from(position.turn() == Color::Black);
        let duration = Duration::from_millis;
        let clock = self.time[side].map(|time| Clock {
            remaining: duration(time),
            increment: duration(self.increment[side]),
            moves_to_go: self.moves_to_go.filter(|&moves| moves > 0),
        });
        let root_moves: Result<Vec<_>, _> =
            self.search_moves.iter().map(|text| position.parse_uci(text)).collect();
        // A short time for each move leaves little to keep back.
        let overhead_ms = self.movetime.map_or(overhead_ms, |time| overhead_ms.min(time / 10));
        let limits = Limits {
            depth: self.depth,
            nodes: self.nodes,
            movetime: self.movetime.map(duration),
            clock,
            mate: self.mate,
            root_moves: root_moves?,
            overhead: duration(overhead_ms),
            ..Limits::default()
        };
        let limited = Limits { root_moves: Vec::new(), overhead: Duration::ZERO, ..limits.clone() }
            != Limits::default();
        Ok(Limits { infinite: self.infinite || !limited, ..limits })
    }
}

/// Times may be negative when a clock has run out. A year is as good as for ever.
fn milliseconds(keyword: &str, text: &str) -> Result<u64, CommandError> {
    const YEAR: i64 = 366 * 24 * 3_600 * 1_000;
    let value: i64 = number(keyword, text)?;
    Ok(value.clamp(0, YEAR).unsigned_abs())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn go(line: &str) -> Go {
        Go::parse(line.split_whitespace()).unwrap()
    }

    fn limits(line: &str) -> Limits {
        go(line).limits(&Position::default(), 10).unwrap()
    }

    #[test]
    fn clocks_belong_to_the_side_to_move() {
        let go = go("wtime 1000 btime 2000 winc 10 binc 20 movestogo 7");
        let white = Position::default();
        let black = white.after(white.legal_moves()[0]);
        let clock = |position| go.limits(position, 0).unwrap().clock.unwrap();
        assert_eq!(clock(&white).remaining, Duration::from_millis(1000));
        assert_eq!(clock(&black).remaining, Duration::from_millis(2000));
        assert_eq!(clock(&black).increment, Duration::from_millis(20));
        assert_eq!(clock(&black).moves_to_go, Some(7));
    }

    #[test]
    fn negative_and_absurd_times_are_tamed() {
        assert_eq!(go("wtime -250").time[0], Some(0));
        let limits = go("wtime 9223372036854775807 winc 9223372036854775807");
        assert!(limits.limits(&Position::default(), 0).is_ok());
    }

    #[test]
    fn without_a_limit_it_is_infinite() {
        for line in ["", "infinite", "ponder", "searchmoves e2e4", "btime 1000", "infinite depth 3"]
        {
            assert!(limits(line).infinite, "{line}");
        }
        for line in ["depth 1", "nodes 1", "movetime 1", "wtime 1", "mate 1", "ponder wtime 1"] {
            assert!(!limits(line).infinite, "{line}");
        }
    }

    #[test]
    fn a_short_time_is_not_all_kept_back() {
        assert_eq!(limits("movetime 10").overhead, Duration::from_millis(1));
        assert_eq!(limits("movetime 1000").overhead, Duration::from_millis(10));
        assert_eq!(limits("wtime 10").overhead, Duration::from_millis(10));
    }

    #[test]
    fn a_book_answers_in_games_only() {
        assert!(go("wtime 1000 btime 1000").is_plain() && go("nodes 5").is_plain());
        for line in ["", "infinite", "ponder wtime 9", "mate 3", "depth 3 searchmoves e2e4"] {
            assert!(!go(line).is_plain(), "{line}");
        }
    }

    #[test]
    fn search_moves_end_at_the_next_keyword() {
        let go = go("searchmoves e2e4 d2d4 depth 3");
        assert_eq!(go.search_moves, ["e2e4", "d2d4"]);
        assert_eq!(go.depth, Some(3));
    }
}
