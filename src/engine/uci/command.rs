//! Lines of UCI as commands.
//!
//! UCI requires engines to skip unknown words and to go on with the rest of the line; known words
//! with wrong values are errors.

use super::go::Go;
use super::option::SetOption;

/// A command of the interface.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Command {
    Uci,
    IsReady,
    Quit,
    Signal(Signal),
    Queued(QueuedCommand),
}

/// A signal to the running search, executed at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Signal {
    Stop,
    PonderHit,
}

/// A command that is executed in turn.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum QueuedCommand {
    NewGame,
    Position { fen: Option<String>, moves: Vec<String> },
    Go(Go),
    SetOption(SetOption),
    Bench { depth: Option<u32> },
    Eval,
    Display,
}

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum CommandError {
    #[error("`{keyword}` needs a number, not `{found}`")]
    Number { keyword: String, found: String },
    #[error("`{keyword}` is true or false, not `{found}`")]
    Switch { keyword: String, found: String },
    #[error("`position` needs `startpos` or `fen <FEN>`, then `moves …` if any")]
    Position,
    #[error("no option `{name}`; options are {known}")]
    UnknownOption { name: String, known: String },
    #[error("unknown command `{0}`; try uci, position, go, stop, setoption, eval, d, bench, quit")]
    Unknown(String),
}

impl QueuedCommand {
    /// Whether it cannot be executed while a search runs.
    pub(super) fn needs_searcher(&self) -> bool {
        !matches!(self, Self::Position { .. } | Self::Display)
    }
}

impl Command {
    /// Reads a line; `None` if it is empty or has no command of this engine.
    pub(super) fn parse(line: &str) -> Result<Option<Self>, CommandError> {
        let mut words = line.split_whitespace();
        while let Some(word) = words.next() {
            let command = match word {
                "uci" => Self::Uci,
                "isready" => Self::IsReady,
                "ucinewgame" => Self::Queued(QueuedCommand::NewGame),
                "ponderhit" => Self::Signal(Signal::PonderHit),
                "stop" => Self::Signal(Signal::Stop),
                "quit" => Self::Quit,
                "eval" => Self::Queued(QueuedCommand::Eval),
                "d" => Self::Queued(QueuedCommand::Display),
                "position" => Self::Queued(parse_position(words)?),
                "go" => Self::Queued(QueuedCommand::Go(Go::parse(words))),
                "setoption" => Self::Queued(QueuedCommand::SetOption(SetOption::parse(words)?)),
                "bench" => {
                    let depth = words.next().map(|text| number("bench", text)).transpose()?;
                    Self::Queued(QueuedCommand::Bench { depth })
                }
                // Commands of UCI without an effect on this engine.
                "debug" | "register" => return Ok(None),
                _ => continue,
            };
            return Ok(Some(command));
        }
        match line.trim() {
            "" => Ok(None),
            unknown => Err(CommandError::Unknown(unknown.to_owned())),
        }
    }
}

fn parse_position<'a>(
    mut words: impl Iterator<Item = &'a str>,
) -> Result<QueuedCommand, CommandError> {
    let kind = words.next().ok_or(CommandError::Position)?;
    let before_moves: Vec<&str> = words.by_ref().take_while(|&word| word != "moves").collect();
    let fen = match kind {
        "startpos" => None,
        "fen" => Some(before_moves.join(" ")),
        _ => return Err(CommandError::Position),
    };
    Ok(QueuedCommand::Position { fen, moves: words.map(str::to_owned).collect() })
}

/// A number behind a word that needs one.
pub(super) fn number<T: std::str::FromStr>(keyword: &str, text: &str) -> Result<T, CommandError> {
    text.parse()
        .map_err(|_| CommandError::Number { keyword: keyword.to_owned(), found: text.to_owned() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unknown_words_are_skipped_and_bad_numbers_named() {
        assert_eq!(Command::parse("joho isready").unwrap(), Some(Command::IsReady));
        assert_eq!(Command::parse(" \t").unwrap(), None);
        assert_eq!(Command::parse("debug on").unwrap(), None);
        let error = Command::parse("bench x").unwrap_err();
        assert_eq!(error.to_string(), "`bench` needs a number, not `x`");
        for line in ["setoption", "position", "position e2e4", "\u{0}\u{fffd}", "hello"] {
            assert!(Command::parse(line).is_err(), "{line}");
        }
    }

    #[test]
    fn positions_have_moves() {
        let moves = vec!["e2e4".to_owned(), "e7e5".to_owned()];
        let position = QueuedCommand::Position { fen: None, moves: moves.clone() };
        assert_eq!(
            Command::parse("position startpos moves e2e4 e7e5").unwrap(),
            Some(Command::Queued(position))
        );
        let fen = Some("8/8/8/8/8/8/8/8 w - - 0 1".to_owned());
        let line = "position fen  8/8/8/8/8/8/8/8 w - - 0 1 moves e2e4 e7e5";
        let position = QueuedCommand::Position { fen, moves };
        assert_eq!(Command::parse(line).unwrap(), Some(Command::Queued(position)));
    }
}
