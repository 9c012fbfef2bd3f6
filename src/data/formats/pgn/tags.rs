//! The tags of a PGN game: `[White "Ann"]`.

use std::borrow::Cow;

use super::ParseError;
use super::movetext::excerpt;
use super::spelling::decoded;

/// Shows the tags that `text` begins with to `take`, each with its name and value; where
/// they end.
///
/// Quotes that should have been escaped (`[Event "the "Open""]`) belong to the value: it
/// ends at a quote that a bracket follows.
pub(super) fn read(
    text: &[u8],
    mut take: impl FnMut(&[u8], Cow<'_, str>, usize) -> Result<(), ParseError>,
) -> Result<usize, ParseError> {
    let mut at = skip_space(text, 0);
    while text.get(at) == Some(&b'[') {
        let line = line_at(text, at);
        let Some((name, value, bytes)) = tag(line) else {
            let found = excerpt(line);
            let detail = format!("`{found}` is no tag; expected `[Name \"value\"]`");
            return Err(ParseError::malformed(at, detail));
        };
        take(name, unescaped(value), at)?;
        at = skip_space(text, at + bytes);
    }
    Ok(at)
}

/// Name, value and length of the tag that a line begins with.
fn tag(line: &[u8]) -> Option<(&[u8], &[u8], usize)> {
    let (name, from) = name(line)?;
    let end = closing_quotes(line, from).or_else(|| last_quote(line, from))?;
    let bracket = end + 1 + line[end + 1..].iter().position(|&c| c == b']')?;
    Some((name, &line[from..end], bracket + 1))
}

/// The name of a tag and where its value begins, behind the quote.
fn name(line: &[u8]) -> Option<(&[u8], usize)> {
    let start = 1 + line.get(1..)?.iter().position(|c| !c.is_ascii_whitespace())?;
    let is_name = |c: &u8| c.is_ascii_alphanumeric() || matches!(c, b'_' | b'-' | b'+' | b'#');
    let length = line[start..].iter().take_while(|c| is_name(c)).count();
    let rest = line[start + length..].trim_ascii_start();
    let quote = line.len() - rest.len();
    (length > 0 && rest.starts_with(b"\"")).then(|| (&line[start..start + length], quote + 1))
}

/// The first quote that is not escaped and that a bracket follows.
fn closing_quotes(line: &[u8], from: usize) -> Option<usize> {
    let mut at = from;
    while let Some(c) = line.get(at) {
        match c {
            b'\\' => at += 1,
            b'"' if line[at + 1..].trim_ascii_start().starts_with(b"]") => return Some(at),
            _ => {}
        }
        at += 1;
    }
    None
}

/// The quote before a bracket that ends the line, escaped or not: `[Folder "C:\games\"]`.
fn last_quote(line: &[u8], from: usize) -> Option<usize> {
    let value = line.trim_ascii_end().strip_suffix(b"]")?.trim_ascii_end().strip_suffix(b"\"")?;
    (value.len() >= from).then_some(value.len())
}

fn unescaped(value: &[u8]) -> Cow<'_, str> {
    let text = decoded(value);
    match text.contains('\\') {
        true => Cow::Owned(text.replace("\\\"", "\"").replace("\\\\", "\\")),
        false => text,
    }
}

/// Passes over white space and escaped lines.
fn skip_space(text: &[u8], mut at: usize) -> usize {
    while let Some(c) = text.get(at) {
        match c {
            b'%' if at == 0 || text[at - 1] == b'\n' => at += line_at(text, at).len(),
            c if c.is_ascii_whitespace() => at += 1,
            _ => break,
        }
    }
    at
}

/// The rest of the line, without its end.
pub(super) fn line_at(text: &[u8], at: usize) -> &[u8] {
    let rest = &text[at..];
    &rest[..rest.iter().position(|&c| c == b'\n').unwrap_or(rest.len())]
}

#[cfg(test)]
mod tests {
    use super::*;

    type Found = Vec<(String, String)>;

    /// Names and values, and what follows them.
    fn tags(text: &str) -> Result<(Found, &str), String> {
        let mut found = Vec::new();
        let end = read(text.as_bytes(), |name, value, _| {
            found.push((String::from_utf8_lossy(name).into_owned(), value.into_owned()));
            Ok(())
        });
        end.map(|end| (found, &text[end..])).map_err(|error| error.detail)
    }

    fn value(line: &str) -> Option<String> {
        tags(line).ok().and_then(|(found, _)| Some(found.first()?.1.clone()))
    }

    #[test]
    fn tags_end_where_the_moves_begin() {
        let text = "[Event \"a\"]\r\n[White \"b\"] [Black \"\"]\n% escaped ]\n\n1. e4 *";
        let (found, rest) = tags(text).unwrap();
        let found: Vec<(&str, &str)> = found.iter().map(|(n, v)| (&**n, &**v)).collect();
        assert_eq!(found, [("Event", "a"), ("White", "b"), ("Black", "")]);
        assert_eq!(rest, "1. e4 *");
    }

    #[test]
    fn values_are_read_however_they_are_quoted() {
        for (line, expected) in [
            ("[Event \"a \\\"b\\\" \\\\c\"]", "a \"b\" \\c"),
            ("[Event \"a \"b\" c\"]", "a \"b\" c"),
            ("[ Event  \"a]b\" ]", "a]b"),
            ("[Folder \"C:\\games\\\"]", "C:\\games\\"),
        ] {
            assert_eq!(value(line).as_deref(), Some(expected), "{line}");
        }
    }

    #[test]
    fn what_is_no_tag_is_shown() {
        for line in ["[Event \"cut", "[Event \"a\"", "[Event a]", "[\"a\"]", "[", "[Event \""] {
            let error = tags(&format!("[White \"x\"]\n{line}\n1. e4 *")).unwrap_err();
            assert!(error.starts_with(&format!("`{line}` is no tag; expected")), "{error}");
        }
    }
}
