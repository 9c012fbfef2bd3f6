//! Cuts an expression into words and signs.

use super::error::{ExpressionError, Result, Span};

/// A word or sign of the language.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Token {
    /// A name, or an element such as `pawn` or `d4`.
    Word(String),
    /// A number, such as a rank.
    Number(String),
    /// `+` or `⊕`.
    Plus,
    /// `*` or `×`.
    Star,
    /// `(`
    Open,
    /// `)`
    Close,
    /// `{`
    OpenSet,
    /// `}`
    CloseSet,
    /// `,`
    Comma,
}

impl Token {
    /// How the token is named in an error.
    pub fn name(&self) -> String {
        match self {
            Token::Word(word) | Token::Number(word) => format!("`{word}`"),
            Token::Plus => "`+`".into(),
            Token::Star => "`*`".into(),
            Token::Open => "`(`".into(),
            Token::Close => "`)`".into(),
            Token::OpenSet => "`{`".into(),
            Token::CloseSet => "`}`".into(),
            Token::Comma => "`,`".into(),
        }
    }
}

/// All tokens of `text` with their places.
pub fn tokenize(title: &str, text: &str) -> Result<Vec<(Token, Span)>> {
    let mut tokens = Vec::new();
    let mut chars = text.char_indices().peekable();
    while let Some((start, c)) = chars.next() {
        let token = match c {
            c if c.is_whitespace() => continue,
            '+' | '⊕' => Token::Plus,
            '*' | '×' => Token::Star,
            '(' => Token::Open,
            ')' => Token::Close,
            '{' => Token::OpenSet,
            '}' => Token::CloseSet,
            ',' => Token::Comma,
            c if c.is_ascii_alphanumeric() => {
                let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
                while chars.next_if(|&(_, c)| is_part(c)).is_some() {}
                let end = chars.peek().map_or(text.len(), |&(i, _)| i);
                let word = &text[start..end];
                if word.bytes().all(|b| b.is_ascii_digit()) {
                    Token::Number(word.to_owned())
                } else {
                    Token::Word(word.to_owned())
                }
            }
            other => {
                return Err(ExpressionError::new(
                    title,
                    text,
                    start..start + other.len_utf8(),
                    format!("`{other}` has no meaning in a feature expression"),
                    "not part of the language",
                    Some("use names, `+`, `*`, parentheses and sets in braces: `ALL + pair(FILES * PIECES * PIECES)`".into()),
                ));
            }
        };
        let end = chars.peek().map_or(text.len(), |&(i, _)| i);
        tokens.push((token, start..end));
    }
    Ok(tokens)
}
