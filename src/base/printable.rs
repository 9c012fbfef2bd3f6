//! Text from outside, such as the name that an engine gives itself or a tag of a game.

use std::borrow::Cow;

/// The text as a terminal may show it: `�` in place of characters that move the cursor, set
/// colours or turn the direction of writing. Ends of lines and tabs stay.
pub fn printable(text: &str) -> Cow<'_, str> {
    match text.contains(commands_terminals) {
        true => text.replace(commands_terminals, "\u{fffd}").into(),
        false => text.into(),
    }
}

pub fn printable_line(text: &str) -> Cow<'_, str> {
    let is_bad = |c: char| commands_terminals(c) || matches!(c, '\n' | '\t');
    match text.contains(is_bad) {
        true => text.replace(is_bad, "\u{fffd}").into(),
        false => text.into(),
    }
}

/// Control characters (C0 with ESC, DEL, and C1, which begins sequences as ESC does), and marks
/// that reorder text.
fn commands_terminals(c: char) -> bool {
    let is_control = c.is_control() && !matches!(c, '\n' | '\t');
    let reorders =
        matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    is_control || reorders
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_commands_a_terminal() {
        let evil = "a\u{1b}[31mb\u{9b}2Jc\u{7}\rd\u{202e}e\u{7f}";
        assert_eq!(printable(evil), "a\u{fffd}[31mb\u{fffd}2Jc\u{fffd}\u{fffd}d\u{fffd}e\u{fffd}");
    }

    #[test]
    fn words_of_all_languages_stay() {
        for text in ["Stockfish 15.1", "Möck ♞ エンジン", "two\n\tlines"] {
            assert!(matches!(printable(text), Cow::Borrowed(same) if same == text));
        }
        assert_eq!(printable_line("two\n\tlines"), "two\u{fffd}\u{fffd}lines");
    }
}
