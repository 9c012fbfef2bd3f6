//! EPD (four fields of a FEN, then operations) and bare FENs.

use super::{ListedPosition, cut_short, has_no_end, may_be_cut, position, result, text};
use crate::defect::BadEntry;

/// The operation that holds the result of the game (Zurichess's habit).
const RESULT: &str = "c9";

/// The position of a line. Counters are read where a FEN has them, but are no ply
/// to rely on: an EPD has none.
pub(crate) fn decode(line: &[u8], number: u64) -> Result<ListedPosition, BadEntry> {
    let (fen, operations) = fen_and_operations(text(line, number)?);
    let position = position(&fen, number)?;
    let operand = operand(operations, RESULT);
    if let Some(operand) = operand
        && has_no_end(line)
        && is_cut(operand)
    {
        return Err(cut_short(number, operand));
    }
    let result = operand.map(|operand| operand.trim_matches('"')).and_then(result);
    Ok(ListedPosition { position, ply: None, played: None, white_score: None, depth: None, result })
}

/// Whether the end of a line may have cut this operand: its quotes are not closed, or there
/// are none.
fn is_cut(operand: &str) -> bool {
    match operand.strip_prefix('"') {
        Some(quoted) => !quoted.ends_with('"'),
        None => may_be_cut(operand),
    }
}

/// The operations for the two counters of a FEN: plies since the last capture or pawn move, and
/// the move number.
const COUNTERS: [(&str, &str); 2] = [("hmvc", "0"), ("fmvn", "1")];

/// The FEN of a line, its fields apart by a space, and the operations that follow it. The
/// counters are those behind the fields, or those of the operations `hmvc` and `fmvn`.
pub fn fen_and_operations(line: &str) -> (String, &str) {
    let (fields, operations) = fields_and_operations(line);
    let mut fields: Vec<&str> = fields.split_ascii_whitespace().collect();
    let counters = COUNTERS.map(|(code, _)| {
        operand(operations, code)?.trim_matches('"').split_ascii_whitespace().next()
    });
    if fields.len() == 4 && counters.iter().any(Option::is_some) {
        let usual = COUNTERS.map(|(_, usual)| usual);
        fields.extend(counters.iter().zip(usual).map(|(counter, usual)| counter.unwrap_or(usual)));
    }
    (fields.join(" "), operations)
}

/// Four fields and the two counters if they are there, and what follows them.
fn fields_and_operations(line: &str) -> (&str, &str) {
    let (_, rest) = split_words(line, 4);
    let (counters, after) = split_words(rest, 2);
    let mut words = counters.split_ascii_whitespace();
    let is_number = |word: Option<&str>| word.is_some_and(|word| word.parse::<u32>().is_ok());
    let operations = if is_number(words.next()) && is_number(words.next()) { after } else { rest };
    (&line[..line.len() - operations.len()], operations)
}

/// The first `count` words, and what follows them.
fn split_words(text: &str, count: usize) -> (&str, &str) {
    let mut rest = text;
    for _ in 0..count {
        rest = rest.trim_ascii_start();
        let end = rest.find(|c: char| c.is_ascii_whitespace()).unwrap_or(rest.len());
        rest = &rest[end..];
    }
    text.split_at(text.len() - rest.len())
}

/// The operand of an operation: `"1-0"` for `c9` in `bm e4; c9 "1-0";`.
fn operand<'a>(operations: &'a str, code: &str) -> Option<&'a str> {
    let mut quoted = false;
    let ends = move |c: char| {
        quoted ^= c == '"';
        c == ';' && !quoted
    };
    operations.split(ends).find_map(|operation| {
        let (name, operand) = operation.trim().split_once(|c: char| c.is_ascii_whitespace())?;
        (name == code).then(|| operand.trim())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operations_end_at_semicolons_outside_quotes() {
        let text = " bm Qh7#; c0 \"a; c9 \"; c9 \"1-0\" ;id \"x\";";
        assert_eq!(operand(text, "c9"), Some("\"1-0\""));
        assert_eq!(operand(text, "bm"), Some("Qh7#"));
        assert_eq!(operand(text, "c1"), None);
        assert_eq!(operand("c9 1-0", "c9"), Some("1-0"));
    }

    #[test]
    fn counters_belong_to_the_fen_if_they_are_numbers() {
        let board = "8/8/8/8/8/8/8/8 w - -";
        let split = |rest: &str| {
            let line = format!("{board}{rest}");
            let (fen, operations) = fields_and_operations(&line);
            (fen[board.len()..].to_owned(), operations.to_owned())
        };
        assert_eq!(split(" 3 40 bm e4;"), (" 3 40".into(), " bm e4;".into()));
        assert_eq!(split(" bm e4;"), (String::new(), " bm e4;".into()));
        assert_eq!(split(" 0 1; startpos"), (String::new(), " 0 1; startpos".into()));
        assert_eq!(split(" 3"), (String::new(), " 3".into()));
        assert_eq!(split(""), (String::new(), String::new()));
    }
    #[test]
    fn counters_may_be_operations() {
        let board = "8/8/8/8/8/8/8/8 w - -";
        for (rest, counters) in [
            (" hmvc 3; fmvn 20; c9 \"1-0\";", " 3 20"),
            ("  fmvn 20;id \"hmvc 9;\";hmvc \"3\";", " 3 20"),
            (" hmvc 96;", " 96 1"),
            (" fmvn 20; bm e4;", " 0 20"),
            (" 5 40 hmvc 3; fmvn 20;", " 5 40"),
            (" hmvc many;", " many 1"),
            (" hmvc ;", ""),
            (" bm e4;", ""),
        ] {
            let line = format!("{board}{rest}");
            let (fen, _) = fen_and_operations(&line);
            assert_eq!(fen[board.len()..], *counters, "{rest}");
        }
    }
}
