//! The `go` command.

use std::ops::RangeInclusive;
use std::time::Duration;

use crate::limits::{Clock, Limits};
use chess::{Color, Move, Position};

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
    /// Whether the position is the one after the expected move of the opponent.
    pub ponder: bool,
    /// Depth of a count of move sequences (perft) instead of a search.
    pub perft: Option<u32>,
    search_moves: Vec<String>,
    /// Numbers out of range.
    problems: Vec<String>,
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
    /// Reads the words after `go`; unknown words are skipped. Every `go` needs an answer, so
    /// numbers out of range are reported and replaced by the nearest valid one.
    pub(super) fn parse<'a>(words: impl Iterator<Item = &'a str>) -> Self {
        let mut go = Self::default();
        let mut problems = Vec::new();
        let mut words = words.peekable();
        while let Some(word) = words.next() {
            let mut number =
                |range| number(word, words.next().unwrap_or("nothing"), range, &mut problems);
            match word {
                "depth" => go.depth = Some(number(1..=u32::MAX.into()) as u32),
                "nodes" => go.nodes = Some(number(1..=u64::MAX)),
                "mate" => go.mate = Some(number(1..=u32::MAX.into()) as u32),
                "perft" => go.perft = Some(number(0..=u32::MAX.into()) as u32),
                "movestogo" => go.moves_to_go = Some(number(0..=u32::MAX.into()) as u32),
                "movetime" => go.movetime = Some(milliseconds(word, words.next(), &mut problems)),
                "wtime" => go.time[0] = Some(milliseconds(word, words.next(), &mut problems)),
                "btime" => go.time[1] = Some(milliseconds(word, words.next(), &mut problems)),
                "winc" => go.increment[0] = milliseconds(word, words.next(), &mut problems),
                "binc" => go.increment[1] = milliseconds(word, words.next(), &mut problems),
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
        Self { problems, ..go }
    }

    /// Whether it is a `go` of a game, so that a book may answer.
    pub(super) fn is_plain(&self) -> bool {
        let special = self.infinite || self.ponder || self.is_mate_search();
        !special && self.search_moves.is_empty() && self.is_limited()
    }

    pub(super) fn is_mate_search(&self) -> bool {
        self.mate.is_some()
    }

    fn is_limited(&self) -> bool {
        let Self { depth, nodes, movetime, time, mate, .. } = self;
        let timed = movetime.is_some() || time.iter().any(Option::is_some);
        timed || depth.is_some() || nodes.is_some() || mate.is_some()
    }

    /// Complaints to the user before the search.
    pub(super) fn complaints(&self, position: &Position) -> Vec<String> {
        let illegal = |text: &&String| position.parse_uci(text).is_err();
        let illegal: Vec<&str> =
            self.search_moves.iter().filter(illegal).map(String::as_str).collect();
        let mut complaints = self.problems.clone();
        if !illegal.is_empty() {
            let all =
                if illegal.len() == self.search_moves.len() { "; searching all moves" } else { "" };
            complaints.push(format!("searchmoves: not legal here: {}{all}", illegal.join(" ")));
        }
        complaints
    }

    /// The limits for the side to move of `position`; without any, as for
    /// `go infinite`.
    pub(super) fn limits(&self, position: &Position, overhead_ms: u64) -> Limits {
        let side = usize::from(position.turn() == Color::Black);
        let duration = Duration::from_millis;
        let clock = self.time[side].map(|time| Clock {
            remaining: duration(time),
            increment: duration(self.increment[side]),
            moves_to_go: self.moves_to_go.filter(|&moves| moves > 0),
        });
        let root_moves: Vec<Move> =
            self.search_moves.iter().filter_map(|text| position.parse_uci(text).ok()).collect();
        // A short time for each move leaves little to keep back.
        let overhead_ms = self.movetime.map_or(overhead_ms, |time| overhead_ms.min(time / 10));
        let limits = Limits {
            depth: self.depth,
            nodes: self.nodes,
            movetime: self.movetime.map(duration),
            clock,
            mate: self.mate,
            root_moves,
            overhead: duration(overhead_ms),
            ..Limits::default()
        };
        let limited = Limits { root_moves: Vec::new(), overhead: Duration::ZERO, ..limits.clone() }
            != Limits::default();
        Limits { infinite: self.infinite || !limited, ..limits }
    }
}

/// A whole number within bounds, or the nearest to it; other text counts as the lower bound.
fn number(
    keyword: &str,
    text: &str,
    range: RangeInclusive<u64>,
    problems: &mut Vec<String>,
) -> u64 {
    let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
    let is_number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    let nearest = match text.parse::<u64>() {
        Ok(value) => value.clamp(*range.start(), *range.end()),
        Err(_) if is_number && !text.starts_with('-') => *range.end(),
        Err(_) => *range.start(),
    };
    if text.parse() != Ok(nearest) {
        problems.push(match is_number {
            true => format!("`{keyword} {text}` is out of range; using {nearest}"),
            false => format!("`{keyword}` needs a number, not `{text}`; using {nearest}"),
        });
    }
    nearest
}

/// Times may be negative when a clock has run out. They are capped at a year.
fn milliseconds(keyword: &str, text: Option<&str>, problems: &mut Vec<String>) -> u64 {
    const YEAR: u64 = 366 * 24 * 3_600 * 1_000;
    let text = text.unwrap_or("nothing");
    match text.parse::<i64>() {
        Ok(value) => value.clamp(0, YEAR as i64).unsigned_abs(),
        Err(_) => number(keyword, text, 0..=YEAR, problems),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn go(line: &str) -> Go {
        Go::parse(line.split_whitespace())
    }

    fn limits(line: &str) -> Limits {
        go(line).limits(&Position::default(), 10)
    }

    #[test]
    fn clocks_belong_to_the_side_to_move() {
        let go = go("wtime 1000 btime 2000 winc 10 binc 20 movestogo 7");
        let white = Position::default();
        let black = white.after(white.legal_moves()[0]);
        let clock = |position| go.limits(position, 0).clock.unwrap();
        assert_eq!(clock(&white).remaining, Duration::from_millis(1000));
        assert_eq!(clock(&black).remaining, Duration::from_millis(2000));
        assert_eq!(clock(&black).increment, Duration::from_millis(20));
        assert_eq!(clock(&black).moves_to_go, Some(7));
    }

    #[test]
    fn negative_and_absurd_times_are_tamed() {
        assert_eq!(go("wtime -250").time[0], Some(0));
        let go = go("wtime 9223372036854775807 winc 99999999999999999999");
        let clock = go.limits(&Position::default(), 0).clock.unwrap();
        assert_eq!(clock.remaining, clock.increment);
    }

    #[test]
    fn numbers_out_of_range_are_reported_and_replaced() {
        for (line, depth, complaint) in [
            ("depth -1", 1, "`depth -1` is out of range; using 1"),
            ("depth 5000000000", u32::MAX, "out of range; using 4294967295"),
            ("depth 99999999999999999999999", u32::MAX, "out of range; using 4294967295"),
            ("depth x", 1, "`depth` needs a number, not `x`; using 1"),
            ("depth", 1, "not `nothing`"),
        ] {
            let go = go(line);
            assert_eq!(go.depth, Some(depth), "{line}");
            let complaints = go.complaints(&Position::default());
            assert!(complaints.len() == 1 && complaints[0].contains(complaint), "{complaints:?}");
        }
        assert!(go("depth 3 wtime -5 nodes 7").complaints(&Position::default()).is_empty());
    }

    #[test]
    fn moves_that_are_not_legal_are_left_out() {
        let position = Position::default();
        let some = go("searchmoves e2e4 a8a1 depth 1");
        assert_eq!(some.complaints(&position), ["searchmoves: not legal here: a8a1"]);
        assert_eq!(some.limits(&position, 0).root_moves.len(), 1);
        let none = go("searchmoves a8a1 depth 1");
        assert!(none.complaints(&position)[0].ends_with("a8a1; searching all moves"));
        assert!(none.limits(&position, 0).root_moves.is_empty());
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
