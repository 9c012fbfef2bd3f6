//! The options: their declarations, and how they are set.

use super::command::CommandError;
use super::strength::RATINGS;
use crate::table::MOST_HASH_MB;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum SetOption {
    Hash(usize),
    ClearHash,
    Threads(usize),
    /// Lines to find.
    MultiPv(usize),
    ShowWdl(bool),
    /// Whether its strength is limited to the rating.
    LimitStrength(bool),
    /// That rating.
    Elo(u32),
    /// Whether the interface may let the engine ponder; it changes nothing.
    Ponder,
    /// Time kept back for delays outside the search, in milliseconds.
    MoveOverhead(u64),
    /// A net; `None` for the evaluation the program was started with.
    EvalFile(Option<String>),
    SyzygyPath(Option<String>),
    /// Whether castling is written king takes rook.
    Chess960(bool),
    OwnBook(bool),
    BookFile(Option<String>),
    /// Play the heaviest move of the book instead of drawing by weight.
    BestBookMove(bool),
    /// Search as experiments, comparisons and puzzles do, which judge evaluations.
    Judging(bool),
}

pub(super) const MOST_THREADS: usize = 256;
/// Largest number of legal moves in a position.
const MOST_LINES: usize = 218;
const MOST_OVERHEAD_MS: u64 = 5_000;
/// Default overhead, in milliseconds.
pub(super) const OVERHEAD_MS: u64 = 10;

/// The options as UCI declares them, each behind `option name `.
pub(super) fn declarations(hash_mb: usize) -> [String; 16] {
    let highest = RATINGS.end();
    [
        format!("Hash type spin default {hash_mb} min 1 max {MOST_HASH_MB}"),
        "Clear Hash type button".to_owned(),
        format!("Threads type spin default 1 min 1 max {MOST_THREADS}"),
        "Ponder type check default false".to_owned(),
        format!("MultiPV type spin default 1 min 1 max {MOST_LINES}"),
        "UCI_ShowWDL type check default false".to_owned(),
        "UCI_LimitStrength type check default false".to_owned(),
        format!("UCI_Elo type spin default {highest} min {} max {highest}", RATINGS.start()),
        format!("Move Overhead type spin default {OVERHEAD_MS} min 0 max {MOST_OVERHEAD_MS}"),
        "EvalFile type string default <empty>".to_owned(),
        "SyzygyPath type string default <empty>".to_owned(),
        "UCI_Chess960 type check default false".to_owned(),
        "OwnBook type check default false".to_owned(),
        "Book File type string default <empty>".to_owned(),
        "Best Book Move type check default false".to_owned(),
        "Judging type check default false".to_owned(),
    ]
}

pub(super) fn names() -> Vec<String> {
    let name = |text: String| text.split(" type ").next().unwrap_or_default().to_owned();
    declarations(1).into_iter().map(name).collect()
}

impl SetOption {
    /// Reads the words after `setoption`. Numbers beyond an option's range become the nearest
    /// within.
    pub(super) fn parse<'a>(words: impl Iterator<Item = &'a str>) -> Result<Self, CommandError> {
        let words: Vec<&str> = words.skip_while(|&word| word == "name").collect();
        let split = words.iter().position(|&word| word == "value").unwrap_or(words.len());
        let name = words[..split].join(" ");
        let value = words.get(split + 1..).unwrap_or_default().join(" ");
        Ok(match name.to_lowercase().as_str() {
            "hash" => Self::Hash(number(&name, &value)?.clamp(1, MOST_HASH_MB as u64) as usize),
            "clear hash" => Self::ClearHash,
            "threads" => {
                Self::Threads(number(&name, &value)?.clamp(1, MOST_THREADS as u64) as usize)
            }
            "multipv" => Self::MultiPv(number(&name, &value)?.clamp(1, MOST_LINES as u64) as usize),
            "uci_limitstrength" => Self::LimitStrength(switch(&name, &value)?),
            "uci_elo" => {
                Self::Elo(number(&name, &value)?.clamp(*RATINGS.start(), *RATINGS.end()) as u32)
            }
            "uci_showwdl" => Self::ShowWdl(switch(&name, &value)?),
            "ponder" => switch(&name, &value).map(|_| Self::Ponder)?,
            "move overhead" => Self::MoveOverhead(number(&name, &value)?.min(MOST_OVERHEAD_MS)),
            "evalfile" => Self::EvalFile(text(value)),
            "syzygypath" => Self::SyzygyPath(text(value)),
            "uci_chess960" => Self::Chess960(switch(&name, &value)?),
            "ownbook" => Self::OwnBook(switch(&name, &value)?),
            "book file" => Self::BookFile(text(value)),
            "best book move" => Self::BestBookMove(switch(&name, &value)?),
            "judging" => Self::Judging(switch(&name, &value)?),
            _ => return Err(CommandError::UnknownOption { name, known: names().join(", ") }),
        })
    }
}

fn text(value: String) -> Option<String> {
    (!value.is_empty() && value != "<empty>").then_some(value)
}

fn switch(name: &str, value: &str) -> Result<bool, CommandError> {
    let error = || CommandError::Switch { keyword: name.to_owned(), found: value.to_owned() };
    value.to_lowercase().parse().map_err(|_| error())
}

fn number(name: &str, value: &str) -> Result<u64, CommandError> {
    super::command::number(name, value)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(line: &str) -> Result<SetOption, CommandError> {
        SetOption::parse(line.split_whitespace())
    }

    #[test]
    fn option_names_ignore_case() {
        assert_eq!(set("name hash value 64"), Ok(SetOption::Hash(64)));
        let file = SetOption::EvalFile(Some("my nets/a.net".to_owned()));
        assert_eq!(set("name EvalFile value my nets/a.net"), Ok(file));
        assert_eq!(set("name EvalFile value <empty>"), Ok(SetOption::EvalFile(None)));
        assert_eq!(set("name UCI_Chess960 value True"), Ok(SetOption::Chess960(true)));
        assert_eq!(set("name Best Book Move value false"), Ok(SetOption::BestBookMove(false)));
    }

    #[test]
    fn numbers_beyond_the_range_are_the_nearest_within() {
        assert_eq!(set("name Hash value 0"), Ok(SetOption::Hash(1)));
        assert_eq!(set("name Hash value 18446744073709551615"), Ok(SetOption::Hash(MOST_HASH_MB)));
        assert_eq!(set("name Threads value 9999"), Ok(SetOption::Threads(MOST_THREADS)));
        assert_eq!(set("name Move Overhead value 99999"), Ok(SetOption::MoveOverhead(5_000)));
    }

    #[test]
    fn errors_name_the_unknown_option() {
        let error = |line| set(line).unwrap_err().to_string();
        assert!(
            error("name Contempt value 3").contains("no option `Contempt`; options are Hash, ")
        );
        assert!(error("").contains("no option ``"));
        assert!(error("name Threads value many").contains("`Threads` needs a number, not `many`"));
        assert!(error("name OwnBook value yes").contains("`OwnBook` is true or false, not `yes`"));
    }

    #[test]
    fn every_declared_option_is_known() {
        for declaration in declarations(16) {
            let (name, kind) = declaration.split_once(" type ").unwrap();
            let value = match kind.split(' ').next().unwrap() {
                "spin" => "1",
                "check" => "true",
                _ => "text",
            };
            assert!(set(&format!("name {name} value {value}")).is_ok(), "{declaration}");
        }
    }
}
