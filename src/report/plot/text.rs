//! How wide text will be, without the font at hand.

/// How much wider bold letters are: multiplies their size.
pub const BOLD: f64 = 1.12;

/// Estimated width in units of the font size, a little on the wide side. The
/// classes are those of DejaVu Sans and Verdana, the widest of the fonts that
/// systems write their own text in.
fn width_in_em(c: char) -> f64 {
    match c {
        'i' | 'j' | 'l' | 'I' | '\'' => 0.30,
        ' ' | '.' | ',' | ':' | ';' | '|' | '/' | 'J' | '·' => 0.34,
        'f' | 't' | 'r' | '(' | ')' | '[' | ']' | '-' | '!' | '²' => 0.41,
        'm' | 'M' | 'W' | 'w' | '@' | '%' | '…' | '—' | '½' => 1.00,
        '+' | '−' | '±' | '×' | '<' | '>' | '=' | '≤' | '&' | '#' | '~' => 0.84,
        'A'..='Z' => 0.74,
        ' '..='~' => 0.64,
        '\u{1100}'.. => 1.05,
        _ => 0.68,
    }
}

/// Estimated width of `text` set in `size` pixels.
pub fn width(text: &str, size: f64) -> f64 {
    text.chars().map(width_in_em).sum::<f64>() * size
}

/// `text`, or if it is wider than `room`, its beginning and end around an `…`:
/// long expressions tend to differ at the end.
pub fn fit(text: &str, size: f64, room: f64) -> String {
    if width(text, size) <= room {
        return text.to_owned();
    }
    let characters: Vec<char> = text.chars().collect();
    (1..characters.len())
        .rev()
        .map(|kept| {
            let tail = kept / 2;
            let head = characters[..kept - tail].iter().collect::<String>();
            let tail = characters[characters.len() - tail..].iter().collect::<String>();
            format!("{}…{}", head.trim_end(), tail.trim_start())
        })
        .find(|shortened| width(shortened, size) <= room)
        .unwrap_or_else(|| "…".to_owned())
}

/// `text` on one line or two, broken at a space; longer text is shortened.
pub fn wrap(text: &str, size: f64, room: f64) -> Vec<String> {
    if width(text, size) <= room {
        return vec![text.to_owned()];
    }
    let spaces = text.char_indices().filter(|&(_, c)| c == ' ').map(|(at, _)| at);
    match spaces.rev().find(|&at| width(&text[..at], size) <= room) {
        Some(at) => vec![text[..at].to_owned(), fit(text[at..].trim_start(), size, room)],
        None => vec![fit(text, size, room)],
    }
}

/// `text` on as many lines as it takes, broken at spaces.
pub fn broken(text: &str, size: f64, room: f64) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        match lines.last_mut() {
            Some(line) if width(&format!("{line} {word}"), size) <= room => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}

/// Without characters that XML forbids, so that any name can be drawn.
pub fn clean(text: &str) -> String {
    text.chars()
        .map(|c| match c {
            '\t' | '\n' | '\r' => ' ',
            c if c.is_control() || matches!(c, '\u{FFFE}' | '\u{FFFF}') => '\u{FFFD}',
            c => c,
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_text_stays_and_long_text_keeps_both_ends() {
        assert_eq!(fit("ALL", 12.0, 100.0), "ALL");
        let long = "ALL + pair(FILES * PIECES * PIECES) + mirror(KING * ALL)";
        let fitted = fit(long, 12.0, 200.0);
        assert!(width(&fitted, 12.0) <= 200.0);
        assert!(fitted.starts_with("ALL + pair") && fitted.ends_with("ALL)"), "{fitted}");
        assert_eq!(fit("ALL", 12.0, 3.0), "…");
    }

    #[test]
    fn two_lines_hold_twice_as_much() {
        let long = "ALL + pair(FILES * PIECES * PIECES) + mirror(KING * ALL)";
        let lines = wrap(long, 12.0, 240.0);
        assert_eq!(lines.join(" "), long);
        assert_eq!(lines.len(), 2);
        let longer = wrap(&long.repeat(4), 12.0, 240.0);
        assert!(
            longer.len() == 2 && longer.iter().all(|line| width(line, 12.0) <= 240.0),
            "{longer:?}"
        );
        assert_eq!(wrap("ALL", 12.0, 240.0), ["ALL"]);
    }

    #[test]
    fn broken_text_is_whole() {
        let long = "Do neighbours on a rank or a file help on top of squares?";
        let lines = broken(long, 12.0, 120.0);
        assert!(lines.len() > 2 && lines.iter().all(|line| width(line, 12.0) <= 120.0));
        assert_eq!(lines.join(" "), long);
    }

    #[test]
    fn forbidden_characters_are_replaced() {
        assert_eq!(clean("a\u{7}b\nc"), "a\u{FFFD}b c");
    }
}
