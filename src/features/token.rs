//! Cuts an expression into words and signs.

use super::error::{ExpressionError, Result, Span};

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Token {
    /// A name, or an element such as `pawn` or `d4`.
    Word(String),
    /// A number, such as a rank; with a sign, such as a step.
    Number(String),
    /// `"text"`, a file name.
    Text(String),
    /// `-`, which leaves an element of a quotient out.
    Dash,
    Slash,
    AtMost,
    Dots,
    OpenList,
    CloseList,
    Plus,
    Star,
    Open,
    Close,
    OpenSet,
    CloseSet,
    Comma,
    Colon,
}

impl Token {
    /// How the token is named in an error.
    pub(crate) fn name(&self) -> String {
        match self {
            Token::Word(word) | Token::Number(word) => format!("`{word}`"),
            Token::Text(text) => format!("\"{text}\""),
            Token::Dash => "`-`".into(),
            Token::Slash => "`/`".into(),
            Token::AtMost => "`<=`".into(),
            Token::Dots => "`..`".into(),
            Token::OpenList => "`[`".into(),
            Token::CloseList => "`]`".into(),
            Token::Plus => "`+`".into(),
            Token::Star => "`*`".into(),
            Token::Open => "`(`".into(),
            Token::Close => "`)`".into(),
            Token::OpenSet => "`{`".into(),
            Token::CloseSet => "`}`".into(),
            Token::Comma => "`,`".into(),
            Token::Colon => "`:`".into(),
        }
    }
}

/// All tokens of `text` with their places.
pub(crate) fn tokenize(title: &str, text: &str) -> Result<Vec<(Token, Span)>> {
    let mut tokens = Vec::new();
    let mut start = 0;
    while let Some(c) = text[start..].chars().next() {
        if c.is_whitespace() {
            start += c.len_utf8();
            continue;
        }
        let (token, length) = next_token(&text[start..]).map_err(|(message, help)| {
            let span = start..start + c.len_utf8();
            ExpressionError::new(title, text, span, message, "not part of the language", Some(help))
        })?;
        tokens.push((token, start..start + length));
        start += length;
    }
    Ok(tokens)
}

/// The first token of a text and its length, or message and advice.
fn next_token(rest: &str) -> std::result::Result<(Token, usize), (String, String)> {
    const SIGNS: [(&str, Token); 17] = [
        ("<=", Token::AtMost),
        ("≤", Token::AtMost),
        ("..", Token::Dots),
        ("+", Token::Plus),
        ("⊕", Token::Plus),
        ("*", Token::Star),
        ("×", Token::Star),
        ("(", Token::Open),
        (")", Token::Close),
        ("{", Token::OpenSet),
        ("}", Token::CloseSet),
        ("[", Token::OpenList),
        ("]", Token::CloseList),
        (",", Token::Comma),
        (":", Token::Colon),
        ("/", Token::Slash),
        ("-", Token::Dash),
    ];
    let digits = |text: &str| text.bytes().take_while(u8::is_ascii_digit).count();
    if let Some(after) = rest.strip_prefix('-')
        && digits(after) > 0
    {
        let length = 1 + digits(after);
        return Ok((Token::Number(rest[..length].to_owned()), length));
    }
    if let Some((sign, token)) = SIGNS.iter().find(|(sign, _)| rest.starts_with(sign)) {
        return Ok((token.clone(), sign.len()));
    }
    if let Some(after) = rest.strip_prefix('"') {
        let Some(length) = after.find('"') else {
            return Err(("this text has no end".into(), "close it with `\"`".into()));
        };
        return Ok((Token::Text(after[..length].to_owned()), length + 2));
    }
    let length = word_length(rest);
    let word = &rest[..length];
    match word.chars().next() {
        None => {
            let other = rest.chars().next().unwrap_or_default();
            Err((
                format!("`{other}` has no meaning in a feature expression"),
                "use names, `+`, `*`, parentheses and sets in braces: `ALL + pair(FILES * PIECES * PIECES)`".into(),
            ))
        }
        Some(_) if digits(word) == length => Ok((Token::Number(word.to_owned()), length)),
        Some(_) => Ok((Token::Word(word.to_owned()), length)),
    }
}

/// Length of the word at the start: letters, digits, `_`, inner `-`, and `.`
/// before a letter (`own_king.file`, but not the dots of `3..7`).
fn word_length(text: &str) -> usize {
    let bytes = text.as_bytes();
    let is_letter = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_alphabetic);
    let is_part = |at: usize| match bytes[at] {
        b'_' | b'-' => at > 0,
        b'.' => at > 0 && is_letter(at + 1),
        byte => byte.is_ascii_alphanumeric(),
    };
    (0..bytes.len()).take_while(|&at| is_part(at)).count()
}
