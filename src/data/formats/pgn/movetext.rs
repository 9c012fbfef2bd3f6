//! The moves of a PGN game, word by word.
//!
//! An unknown word is an error: skipping it could lose a move. Read
//! are, besides the moves of the main line with their numbers, the comments behind them and
//! the end marker: annotations (`$5`, `!?`, `+/-`), variations, which are passed over whole,
//! comments to the end of the line and escaped lines. `spelling` knows the words.

use super::ParseError;
use super::spelling::{self, Meaning, Spelled, Word};
use super::tags::line_at;
use chess::GameResult;

/// A token of the movetext.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Token<'t> {
    /// A move of the main line.
    Move(Ply),
    /// `{what stands in braces}` in the main line.
    Comment(&'t [u8]),
    /// The end marker; without a result if it is `*`.
    End(Option<GameResult>),
}

/// A move and the number before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Ply {
    pub number: Option<u32>,
    pub spelled: Spelled,
}

pub(super) struct Movetext<'t> {
    text: &'t [u8],
    /// Place of the next token.
    at: usize,
    /// A move number that has come, and its move not yet.
    number: Option<u32>,
}

impl<'t> Movetext<'t> {
    /// The moves that begin at that byte.
    pub(super) fn new(text: &'t [u8], at: usize) -> Self {
        Self { text, at, number: None }
    }

    /// The next token with its place; `None` at the end.
    pub(super) fn next_token(&mut self) -> Result<Option<(usize, Token<'t>)>, ParseError> {
        while let Some(&c) = self.text.get(self.at) {
            let start = self.at;
            match c {
                c if c.is_ascii_whitespace() => self.at += 1,
                b';' => self.skip_line(),
                b'%' if self.begins_line() => self.skip_line(),
                b'(' => self.skip_variation()?,
                b'{' => return Ok(Some((start, Token::Comment(self.comment()?)))),
                b'!' | b'?' => self.at += 1,
                b'$' => self.skip_glyph()?,
                b'*' => {
                    self.at += 1;
                    return Ok(Some((start, Token::End(None))));
                }
                _ => {
                    if let Some(token) = self.word()? {
                        return Ok(Some((start, token)));
                    }
                }
            }
        }
        Ok(None)
    }

    fn begins_line(&self) -> bool {
        self.at == 0 || self.text[self.at - 1] == b'\n'
    }

    fn skip_line(&mut self) {
        self.at += line_at(self.text, self.at).len();
    }

    fn comment(&mut self) -> Result<&'t [u8], ParseError> {
        let start = self.at + 1;
        let Some(length) = self.text[start..].iter().position(|&c| c == b'}') else {
            let detail = "a comment is opened here and never closed".to_owned();
            return Err(ParseError::malformed(self.at, detail));
        };
        self.at = start + length + 1;
        Ok(&self.text[start..start + length])
    }

    fn skip_variation(&mut self) -> Result<(), ParseError> {
        let (start, mut depth) = (self.at, 0usize);
        while let Some(&c) = self.text.get(self.at) {
            match c {
                b'{' => drop(self.comment()?),
                b';' => self.skip_line(),
                b'%' if self.begins_line() => self.skip_line(),
                c => {
                    self.at += 1;
                    depth = match c {
                        b'(' => depth + 1,
                        b')' => depth - 1,
                        _ => depth,
                    };
                }
            }
            if depth == 0 {
                return Ok(());
            }
        }
        let detail = "a variation is opened here and never closed".to_owned();
        Err(ParseError::malformed(start, detail))
    }

    fn skip_glyph(&mut self) -> Result<(), ParseError> {
        let digits = self.text[self.at + 1..].iter().take_while(|c| c.is_ascii_digit()).count();
        if digits == 0 {
            return Err(self.nonsense(self.at, b"$"));
        }
        self.at += 1 + digits;
        Ok(())
    }

    /// Reads up to the next white space or sign.
    fn word(&mut self) -> Result<Option<Token<'t>>, ParseError> {
        let word = self.word_here();
        let read = spelling::read(word).ok_or_else(|| self.nonsense(self.at, word))?;
        self.at += word.len();
        let Word { number, meaning } = read;
        self.number = number.or(self.number);
        Ok(match meaning {
            Meaning::Nothing => None,
            Meaning::Move(spelled) => {
                Some(Token::Move(Ply { number: self.number.take(), spelled }))
            }
            Meaning::End(result) => Some(Token::End(Some(result))),
        })
    }

    fn word_here(&self) -> &'t [u8] {
        let rest = &self.text[self.at..];
        let ends = |c: &u8| c.is_ascii_whitespace() || b"{}()[]<>;$!?*\"".contains(c);
        let length = |rest: &[u8]| rest.iter().position(&ends).unwrap_or(rest.len());
        let end = length(rest);
        let promotion = promotion_in_brackets(&rest[end..]);
        // A sign that may not stand here is a word of its own.
        let end = if promotion > 0 && end > 0 {
            end + promotion + length(&rest[end + promotion..])
        } else {
            end.max(1)
        };
        &rest[..end]
    }

    fn nonsense(&self, at: usize, word: &[u8]) -> ParseError {
        ParseError::malformed(at, format!("`{}` is no move", excerpt(word)))
    }
}

/// Bytes of `(Q)`, which behind `a8` is no variation.
fn promotion_in_brackets(text: &[u8]) -> usize {
    match text {
        [b'(', piece, b')', ..] if spelling::is_promotion(char::from(*piece)) => 3,
        _ => 0,
    }
}

/// The beginning of something, for a message.
pub(super) fn excerpt(text: &[u8]) -> String {
    const CHARACTERS: usize = 40;
    let text = String::from_utf8_lossy(text);
    let start: String = text.trim_end().chars().take(CHARACTERS).collect();
    let more = if start.len() < text.trim_end().len() { "…" } else { "" };
    let shown = |c: char| if c.is_control() { c.escape_default().to_string() } else { c.into() };
    start.chars().map(shown).chain([more.to_owned()]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use chess::Color;

    fn shown(Ply { spelled, .. }: Ply) -> String {
        match spelled {
            Spelled::San(san) => san.to_string(),
            Spelled::Squares(squares) => squares.to_string(),
        }
    }

    /// The tokens in words; the last one is the error.
    fn tokens(text: &str) -> Vec<String> {
        let (mut movetext, mut found) = (Movetext::new(text.as_bytes(), 0), Vec::new());
        loop {
            found.push(match movetext.next_token() {
                Ok(None) => return found,
                Ok(Some((_, Token::Move(ply)))) => shown(ply),
                Ok(Some((_, Token::Comment(text)))) => {
                    format!("{{{}}}", String::from_utf8_lossy(text))
                }
                Ok(Some((_, Token::End(result)))) => format!("{result:?}"),
                Err(error) => {
                    found.push(format!("{}: {}", error.at, error.detail));
                    return found;
                }
            });
        }
    }

    #[test]
    fn moves_are_found_however_they_are_written() {
        for text in [
            "1. e4 e5 2. Nf3",
            "1.e4 e5 2.Nf3",
            "1e4 1... e5 2 . Nf3",
            "1. e4! 1... e5!? $14 2... Nf3$1?",
            "1.e4 1…e5 2. … Nf3",
            "\te4\r\ne5\r\nNf3\r\n",
            "1. e4 ; e4 Zf6 {\n% e4 Zf6 {\n1... e5 Nf3",
            "1. e4 (1. d4 d5 {)} (1... Zf6 ; )\n) ) e5 +/- 2. Nf3 ± =",
        ] {
            assert_eq!(tokens(text), ["e4", "e5", "Nf3"], "{text}");
        }
        let castling = tokens("O-O 0-0-0+ 12.0-0 O–O-O#");
        assert_eq!(castling, ["O-O", "O-O-O", "O-O", "O-O-O"]);
        let promotions = tokens("a8(Q)+ a1(n)(a1=Q) a8=Q(a8=R)");
        assert_eq!(promotions, ["a8=Q", "a1=N", "a8=Q"]);
        let suffixes = tokens("exd6 e.p. exd6e.p. Qh7++ e8=Q#! bxa1=N+ --");
        assert_eq!(suffixes, ["exd6", "exd6", "Qh7", "e8=Q", "bxa1=N", "--"]);
    }

    #[test]
    fn moves_have_the_number_before_them() {
        let mut movetext = Movetext::new(b"1. e4 {a} 1... e5 2 . (2. d4) Nf3 Nc6 3.Bb5 3. 1-0", 0);
        let mut numbers = Vec::new();
        while let Some((_, token)) = movetext.next_token().unwrap() {
            if let Token::Move(ply) = token {
                numbers.push(ply.number);
            }
        }
        assert_eq!(numbers, [Some(1), Some(1), Some(2), None, Some(3)]);
    }

    #[test]
    fn end_markers_in_every_notation() {
        let won = |color| format!("{:?}", Some(GameResult::Win(color)));
        let [white, black] = [Color::White, Color::Black].map(won);
        let draw = format!("{:?}", Some(GameResult::Draw));
        for (text, expected) in [
            ("1-0", &white),
            ("0–1", &black),
            ("1/2-1/2", &draw),
            ("1/2", &draw),
            ("½-½", &draw),
            ("½–½", &draw),
            ("1:0", &white),
            ("½:½", &draw),
            ("*", &"None".to_owned()),
        ] {
            assert_eq!(tokens(text).concat(), *expected, "{text}");
            assert_eq!(tokens(&format!("Nf3{{x}}{text}"))[2..].concat(), *expected, "{text}");
        }
    }

    #[test]
    fn words_that_mean_nothing_are_named() {
        for (text, expected) in [
            ("e4 Zf6 1-0", "3: `Zf6` is no move"),
            ("e4 e4e", "3: `e4e` is no move"),
            ("Sf3", "0: `Sf3` is no move"),
            ("1.e4.e5", "0: `1.e4.e5` is no move"),
            ("e4 } e5", "3: `}` is no move"),
            ("e4 ) e5", "3: `)` is no move"),
            ("e4 \"", "3: `\"` is no move"),
            ("e4 $ 5", "3: `$` is no move"),
            ("e4 1-", "3: `1-` is no move"),
            ("e4 1/2-", "3: `1/2-` is no move"),
            ("e4 \u{1}\u{2}", "3: `\\u{1}\\u{2}` is no move"),
            ("e4 {never", "3: a comment is opened here and never closed"),
            ("e4 (e5 (e5)", "3: a variation is opened here and never closed"),
            ("e4 (e5 {)", "7: a comment is opened here and never closed"),
        ] {
            assert_eq!(tokens(text).last().map(String::as_str), Some(expected), "{text}");
        }
        let (mut noise, long) = (Movetext::new(b"\xff\xfe", 0), "x".repeat(100));
        assert!(noise.next_token().is_err());
        assert_eq!(excerpt(long.as_bytes()), format!("{}…", "x".repeat(40)));
    }
}
