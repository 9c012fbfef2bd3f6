//! Lines of UCI as commands.
//!
//! UCI asks engines to skip words they do not know and to go on with the rest
//! of the line; what is known but wrong is an error that says so.

use std::str::SplitWhitespace;
use std::time::Duration;

use crate::chess::{Color, MoveError, Position};

use super::super::limits::{Clock, Limits};

/// One line from the interface.
#[derive(Debug, PartialEq)]
pub enum Command {
    Uci,
    IsReady,
    NewGame,
    Position { fen: Option<String>, moves: Vec<String> },
    Go(Go),
    Stop,
    SetOption(SetOption),
    Bench { depth: Option<u32> },
    Eval,
    Display,
    Quit,
}

/// An option and its value.
#[derive(Debug, PartialEq)]
pub enum SetOption {
    Hash(usize),
    ClearHash,
    MoveOverhead(u64),
    EvalFile(Option<String>),
    Chess960,
}

/// What `go` asks for, in milliseconds, before the side to move is known.
#[derive(Debug, Default, PartialEq)]
pub struct Go {
    depth: Option<u32>,
    nodes: Option<u64>,
    movetime: Option<u64>,
    /// White's and Black's.
    time: [Option<u64>; 2],
    increment: [u64; 2],
    moves_to_go: Option<u32>,
    mate: Option<u32>,
    infinite: bool,
    search_moves: Vec<String>,
}

/// What is wrong with a line.
#[derive(Debug, PartialEq, thiserror::Error)]
pub enum CommandError {
    #[error("`{keyword}` needs a number, not `{found}`")]
    Number { keyword: String, found: String },
    #[error("`position` needs `startpos` or `fen <FEN>`, then `moves …` if any")]
    Position,
    #[error("no option `{0}`; there are Hash, Clear Hash, EvalFile, Move Overhead, UCI_Chess960")]
    UnknownOption(String),
}

impl Command {
    /// Reads a line; `None` if there is no command in it.
    pub fn parse(line: &str) -> Result<Option<Self>, CommandError> {
        let mut words = line.split_whitespace();
        while let Some(word) = words.next() {
            let command = match word {
                "uci" => Self::Uci,
                "isready" => Self::IsReady,
                "ucinewgame" => Self::NewGame,
                "stop" => Self::Stop,
                "quit" => Self::Quit,
                "eval" => Self::Eval,
                "d" => Self::Display,
                "position" => parse_position(words)?,
                "go" => Self::Go(Go::parse(words)?),
                "setoption" => Self::SetOption(parse_option(words)?),
                "bench" => {
                    let depth = words.next().map(|text| number("bench", text)).transpose()?;
                    Self::Bench { depth }
                }
                _ => continue,
            };
            return Ok(Some(command));
        }
        Ok(None)
    }
}

fn parse_position(mut words: SplitWhitespace<'_>) -> Result<Command, CommandError> {
    let kind = words.next().ok_or(CommandError::Position)?;
    let before_moves: Vec<&str> = words.by_ref().take_while(|&word| word != "moves").collect();
    let fen = match kind {
        "startpos" => None,
        "fen" => Some(before_moves.join(" ")),
        _ => return Err(CommandError::Position),
    };
    Ok(Command::Position { fen, moves: words.map(str::to_owned).collect() })
}

fn parse_option(words: SplitWhitespace<'_>) -> Result<SetOption, CommandError> {
    let words: Vec<&str> = words.skip_while(|&word| word == "name").collect();
    let split = words.iter().position(|&word| word == "value").unwrap_or(words.len());
    let name = words[..split].join(" ");
    let value = words.get(split + 1..).unwrap_or_default().join(" ");
    match name.to_lowercase().as_str() {
        "hash" => Ok(SetOption::Hash(number("Hash", &value)?)),
        "clear hash" => Ok(SetOption::ClearHash),
        "move overhead" => Ok(SetOption::MoveOverhead(number("Move Overhead", &value)?)),
        "evalfile" => {
            let none = value.is_empty() || value == "<empty>";
            Ok(SetOption::EvalFile((!none).then_some(value)))
        }
        "uci_chess960" => Ok(SetOption::Chess960),
        _ => Err(CommandError::UnknownOption(name)),
    }
}

fn number<T: std::str::FromStr>(keyword: &str, text: &str) -> Result<T, CommandError> {
    text.parse()
        .map_err(|_| CommandError::Number { keyword: keyword.to_owned(), found: text.to_owned() })
}

const GO_WORDS: [&str; 13] = [
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
    fn parse(words: SplitWhitespace<'_>) -> Result<Self, CommandError> {
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
                "infinite" => go.infinite = true,
                "searchmoves" => {
                    while let Some(text) = words.next_if(|next| !GO_WORDS.contains(next)) {
                        go.search_moves.push(text.to_owned());
                    }
                }
                _ => {}
            }
        }
        Ok(go)
    }

    /// The limits for the side to move of `position`; without any, as for
    /// `go infinite`.
    pub fn limits(&self, position: &Position, overhead_ms: u64) -> Result<Limits, MoveError> {
        let side = usize::from(position.turn() == Color::Black);
        let duration = Duration::from_millis;
        let clock = self.time[side].map(|time| Clock {
            remaining: duration(time),
            increment: duration(self.increment[side]),
            moves_to_go: self.moves_to_go.filter(|&moves| moves > 0),
        });
        let root_moves: Result<Vec<_>, _> =
            self.search_moves.iter().map(|text| position.parse_uci(text)).collect();
        let limited = clock.is_some()
            || self.movetime.is_some()
            || self.nodes.is_some()
            || self.depth.is_some()
            || self.mate.is_some();
        Ok(Limits {
            depth: self.depth,
            nodes: self.nodes,
            movetime: self.movetime.map(duration),
            clock,
            mate: self.mate,
            infinite: self.infinite || !limited,
            root_moves: root_moves?,
            overhead: duration(overhead_ms),
            ..Limits::default()
        })
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
        match Command::parse(line) {
            Ok(Some(Command::Go(go))) => go,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn clocks_belong_to_the_side_to_move() {
        let go = go("go wtime 1000 btime 2000 winc 10 binc 20 movestogo 7");
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
        assert_eq!(go("go wtime -250").time[0], Some(0));
        let limits = go("go wtime 9223372036854775807 winc 9223372036854775807");
        assert!(limits.limits(&Position::default(), 0).is_ok());
    }

    #[test]
    fn search_moves_end_at_the_next_keyword() {
        let go = go("go searchmoves e2e4 d2d4 depth 3");
        assert_eq!(go.search_moves, ["e2e4", "d2d4"]);
        assert_eq!(go.depth, Some(3));
    }

    #[test]
    fn unknown_words_are_skipped_and_bad_numbers_named() {
        assert_eq!(Command::parse("joho isready").unwrap(), Some(Command::IsReady));
        assert_eq!(Command::parse("").unwrap(), None);
        assert_eq!(Command::parse("\u{0}\u{fffd}").unwrap(), None);
        let error = Command::parse("go depth x").unwrap_err();
        assert_eq!(error.to_string(), "`depth` needs a number, not `x`");
        assert!(Command::parse("go depth").is_err());
        assert!(Command::parse("setoption name Contempt value 3").is_err());
        assert!(Command::parse("setoption").is_err());
        assert!(Command::parse("position").is_err());
    }

    #[test]
    fn options_are_read_whatever_their_case() {
        let parse = |line| Command::parse(line).unwrap();
        let hash = Some(Command::SetOption(SetOption::Hash(64)));
        assert_eq!(parse("setoption name hash value 64"), hash);
        let file = SetOption::EvalFile(Some("my nets/a.net".to_owned()));
        let line = "setoption name EvalFile value my nets/a.net";
        assert_eq!(parse(line), Some(Command::SetOption(file)));
    }
}
