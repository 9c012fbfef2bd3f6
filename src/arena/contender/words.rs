//! A command line in one string, as shells split it.

/// Splits at white space, except between quotes (single or double), which are
/// taken off. A backslash is itself, as Windows wants it. `None` if a quote is
/// not closed.
pub(super) fn split(text: &str) -> Option<Vec<String>> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote = None;
    for symbol in text.chars() {
        match quote {
            Some(open) if symbol == open => quote = None,
            None if symbol == '"' || symbol == '\'' => {
                quote = Some(symbol);
                word.get_or_insert_default();
            }
            None if symbol.is_whitespace() => words.extend(word.take()),
            _ => word.get_or_insert_default().push(symbol),
        }
    }
    words.extend(word);
    quote.is_none().then_some(words)
}

#[cfg(test)]
mod tests {
    use super::split;

    #[test]
    fn words_are_those_of_a_shell() {
        let words = |text| split(text).unwrap();
        assert_eq!(words("  oplus  uci\t--net a.oplus "), ["oplus", "uci", "--net", "a.oplus"]);
        assert_eq!(words("\"my engines/a b\" x='1 2'"), ["my engines/a b", "x=1 2"]);
        assert_eq!(words("say '\"' \"\""), ["say", "\"", ""]);
        assert_eq!(words(r"C:\engines\fish.exe"), [r"C:\engines\fish.exe"]);
        assert!(words(" ").is_empty());
        assert_eq!(split("\"open"), None);
    }
}
