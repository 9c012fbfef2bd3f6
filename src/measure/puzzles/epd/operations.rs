//! The operations of a line of EPD, and the moves in them.
//!
//! Suites are written by people: operations lack their semicolon (`bm Rb5 dm
//! 14`), moves stand in every notation there is (`Bxh7 +`, `a8 = B`, `Ke8xd7+`,
//! `c4c5`), strings lack their quotation marks.

use chess::{Move, Position};

/// An opcode with its operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Operation<'a> {
    /// `bm`, `id`, `c0`, …
    pub code: &'a str,
    /// As written, without quotation marks around it.
    pub operand: &'a str,
}

/// Opcodes that end the operation before them even without a semicolon.
const QUESTIONS: [&str; 3] = ["bm", "am", "dm"];

pub(super) fn operations(text: &str) -> Vec<Operation<'_>> {
    let mut is_quoted = false;
    let ends = move |c: char| {
        is_quoted ^= c == '"';
        c == ';' && !is_quoted
    };
    text.split(ends).flat_map(parts).filter_map(operation).collect()
}

/// Cuts `bm Rb5 dm 14` in two.
fn parts(text: &str) -> Vec<&str> {
    let cuts = text.char_indices().filter(|&(at, c)| {
        let word = text[at + c.len_utf8()..].split_whitespace().next();
        let starts_here = text[at + c.len_utf8()..].starts_with(|c: char| !c.is_whitespace());
        c.is_whitespace() && starts_here && word.is_some_and(|word| QUESTIONS.contains(&word))
    });
    let mut parts = Vec::new();
    let mut from = 0;
    if !text.contains('"') {
        for (at, _) in cuts {
            parts.push(&text[from..at]);
            from = at;
        }
    }
    parts.push(&text[from..]);
    parts
}

fn operation(text: &str) -> Option<Operation<'_>> {
    let text = text.trim();
    let (code, operand) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
    let operand = operand.trim().trim_matches('"');
    (!code.is_empty()).then_some(Operation { code, operand })
}

/// The words of an operand that are moves, signs that stand apart joined to them.
pub(crate) fn move_words(operand: &str) -> Vec<String> {
    let joined = operand.replace(" = ", "=").replace(['?', '!'], "");
    let words = joined.split(|c: char| c.is_whitespace() || c == ',');
    let is_move = |word: &&str| word.chars().any(char::is_alphanumeric);
    words.filter(is_move).map(str::to_owned).collect()
}

/// A move in standard, long algebraic or UCI notation.
pub(crate) fn parse_move(position: &Position, word: &str) -> Option<Move> {
    let word = word.trim_end_matches(['+', '#', '!', '?']);
    let castling = word.replace('0', "O");
    let spellings = [word, &castling, &with_equals_sign(word)];
    let san = || spellings.iter().find_map(|spelling| position.parse_san(spelling).ok());
    let uci = || position.parse_uci(word).ok();
    san().or_else(uci).or_else(|| long_algebraic(position, word))
}

/// `e8=N` for `e8N`.
fn with_equals_sign(word: &str) -> String {
    let role = word.chars().next_back().filter(|role| "NBRQ".contains(*role));
    match role.and_then(|role| word.strip_suffix(role).map(|square| (square, role))) {
        Some((square, role)) if square.ends_with(['1', '8']) => format!("{square}={role}"),
        _ => word.to_owned(),
    }
}

/// `Bh8-f6`, `Ke8xd7`, `e7xf8N`: UCI with signs.
fn long_algebraic(position: &Position, word: &str) -> Option<Move> {
    let squares = word.trim_start_matches(['N', 'B', 'R', 'Q', 'K']);
    let uci = squares.replace(['-', 'x', '='], "").to_lowercase();
    position.parse_uci(&uci).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pairs(text: &str) -> Vec<(&str, &str)> {
        operations(text).iter().map(|o| (o.code, o.operand)).collect()
    }

    #[test]
    fn operations_are_found_however_they_are_written() {
        assert_eq!(
            pairs(" bm Qg6; id \"WAC.001\"; c0 \"a; b\";"),
            [("bm", "Qg6"), ("id", "WAC.001"), ("c0", "a; b")]
        );
        assert_eq!(pairs("; am Nxb6 + ? ; c1 diff=10"), [("am", "Nxb6 + ?"), ("c1", "diff=10")]);
        assert_eq!(pairs("bm h5  dm 25"), [("bm", "h5"), ("dm", "25")]);
        assert_eq!(pairs("Be2 dm 21"), [("Be2", ""), ("dm", "21")]);
        assert_eq!(pairs("id \"a bm b\"; draw"), [("id", "a bm b"), ("draw", "")]);
        assert_eq!(pairs("id BK.01; c0 \"open"), [("id", "BK.01"), ("c0", "open")]);
        assert!(pairs(" ; ;").is_empty());
    }

    #[test]
    fn moves_are_read_in_any_notation() {
        let fen = "r3k2r/1P3pp1/8/3pP3/8/5N2/5PPP/R3K2R w KQkq d6 0 1";
        let position = Position::from_fen(fen).unwrap();
        for (word, uci) in [
            ("Nd4", "f3d4"),
            ("Nf3-d4", "f3d4"),
            ("f3d4", "f3d4"),
            ("exd6", "e5d6"),
            ("e5xd6", "e5d6"),
            ("O-O", "e1g1"),
            ("0-0-0", "e1c1"),
            ("e1g1", "e1g1"),
            ("bxa8=N", "b7a8n"),
            ("b7xa8N", "b7a8n"),
            ("b8=Q+", "b7b8q"),
            ("b8Q", "b7b8q"),
            ("Rxa8+", "a1a8"),
        ] {
            let read = parse_move(&position, word).map(|m| position.uci(m));
            assert_eq!(read.as_deref(), Some(uci), "{word}");
        }
        for word in ["Nd5", "", "#", "é4", "K", "e5-e7"] {
            assert_eq!(parse_move(&position, word), None, "{word}");
        }
    }

    #[test]
    fn signs_that_stand_apart_belong_to_their_move() {
        assert_eq!(move_words("Bxh7 + "), ["Bxh7"]);
        assert_eq!(move_words("a8 = B"), ["a8=B"]);
        assert_eq!(move_words("d6 Ba2, Nxb6 + ?"), ["d6", "Ba2", "Nxb6"]);
    }
}
