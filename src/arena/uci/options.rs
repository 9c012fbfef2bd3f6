//! Options that an engine declares, and their values.

use std::ops::RangeInclusive;

/// An option as an engine declares it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Declared {
    /// Its name, as the engine spells it.
    pub name: String,
    kind: OptionKind,
}

/// Values of an option.
#[derive(Clone, Debug, PartialEq, Eq)]
enum OptionKind {
    Check,
    Spin(RangeInclusive<i128>),
    /// One of these; anything if the engine names none.
    Combo(Vec<String>),
    Button,
    Text,
}

/// The kinds of the protocol.
const KINDS: [&str; 5] = ["check", "spin", "combo", "button", "string"];

impl Declared {
    /// Reads the words after `option name`. The name ends at the first `type` with a kind after it,
    /// so it may contain that word.
    pub(super) fn parse(text: &str) -> Self {
        let words: Vec<&str> = text.split_whitespace().collect();
        let is_kind = |pair: &[&str]| pair[0] == "type" && KINDS.contains(&pair[1]);
        let end = words.windows(2).position(is_kind);
        let name = &words[..end.unwrap_or_else(|| without_type(&words))];
        let rest = words.get(end.map_or(words.len(), |end| end + 1)..).unwrap_or_default();
        Self { name: name.join(" "), kind: OptionKind::parse(rest) }
    }

    /// The value as the engine spells it.
    ///
    /// # Errors
    /// The values that it takes, in words.
    pub(super) fn accepts(&self, value: &str) -> Result<String, String> {
        let value = value.trim();
        match &self.kind {
            OptionKind::Text => Ok(value.to_owned()),
            OptionKind::Button if value.is_empty() => Ok(String::new()),
            OptionKind::Button => Err("is a button and takes no value".to_owned()),
            OptionKind::Check => {
                let spelt = value.to_lowercase();
                let is_one = ["true", "false"].contains(&spelt.as_str());
                is_one.then_some(spelt).ok_or_else(|| "takes `true` or `false`".to_owned())
            }
            OptionKind::Spin(range) => match value.parse::<i128>() {
                Ok(number) if range.contains(&number) => Ok(number.to_string()),
                _ => Err(format!("takes whole numbers {}", range_text(range))),
            },
            OptionKind::Combo(known) if known.is_empty() => Ok(value.to_owned()),
            OptionKind::Combo(known) => {
                let found = known.iter().find(|known| known.eq_ignore_ascii_case(value));
                found.cloned().ok_or_else(|| format!("takes one of {}", known.join(", ")))
            }
        }
    }
}

/// End of a name without a known kind: an engine may have one of its own.
fn without_type(words: &[&str]) -> usize {
    words.iter().position(|&word| word == "type").unwrap_or(words.len())
}

/// `from 1 to 128`, as far as there are bounds.
fn range_text(range: &RangeInclusive<i128>) -> String {
    match (*range.start(), *range.end()) {
        (i128::MIN, i128::MAX) => "only".to_owned(),
        (least, i128::MAX) => format!("from {least} on"),
        (i128::MIN, most) => format!("up to {most}"),
        (least, most) => format!("from {least} to {most}"),
    }
}

impl OptionKind {
    /// Reads the kind and the words after it.
    fn parse(words: &[&str]) -> Self {
        match words.first() {
            Some(&"check") => Self::Check,
            Some(&"spin") => {
                let bound = |name| word_after(words, name).and_then(|word| word.parse().ok());
                let (least, most) = (bound("min"), bound("max"));
                Self::Spin(least.unwrap_or(i128::MIN)..=most.unwrap_or(i128::MAX))
            }
            Some(&"combo") => Self::Combo(choices(words)),
            Some(&"button") => Self::Button,
            _ => Self::Text,
        }
    }
}

fn word_after<'w>(words: &[&'w str], name: &str) -> Option<&'w str> {
    let at = words.iter().position(|&word| word == name)?;
    words.get(at + 1).copied()
}

/// The words after each `var`.
fn choices(words: &[&str]) -> Vec<String> {
    let behind = words.split(|&word| word == "var").skip(1);
    behind
        .map(|choice| choice.split(|&word| word == "default").next().unwrap_or_default().join(" "))
        .filter(|choice| !choice.is_empty())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn accepts(declaration: &str, value: &str) -> Result<String, String> {
        Declared::parse(declaration).accepts(value)
    }

    #[test]
    fn names_may_have_several_words_and_the_word_type() {
        for (declaration, name) in [
            ("Hash type spin default 16 min 1 max 128", "Hash"),
            ("Skill Level type spin default 20", "Skill Level"),
            ("Strange type type spin default 1 min 1 max 3", "Strange type"),
            ("Odd type number default 1", "Odd"),
            ("Bare", "Bare"),
            ("", ""),
        ] {
            assert_eq!(Declared::parse(declaration).name, name);
        }
    }

    #[test]
    fn values_are_checked_against_the_declaration() {
        let spin = "Hash type spin default 16 min 1 max 128";
        assert_eq!(accepts(spin, " 8"), Ok("8".to_owned()));
        for value in ["0", "129", "abc", "8.5", ""] {
            assert_eq!(accepts(spin, value).unwrap_err(), "takes whole numbers from 1 to 128");
        }
        assert_eq!(accepts("A type spin", "-7"), Ok("-7".to_owned()));
        assert_eq!(accepts("A type spin min 3", "2").unwrap_err(), "takes whole numbers from 3 on");
        assert_eq!(accepts("OwnBook type check default true", "False"), Ok("false".to_owned()));
        assert!(accepts("OwnBook type check", "yes").is_err());
        assert_eq!(accepts("Clear Hash type button", ""), Ok(String::new()));
        assert!(accepts("Clear Hash type button", "1").unwrap_err().contains("button"));
        assert_eq!(accepts("File type string default <empty>", "a b"), Ok("a b".to_owned()));
    }

    #[test]
    fn choices_are_sent_as_the_engine_spells_them() {
        let style = "Style type combo default Normal var Normal var Very Risky";
        assert_eq!(accepts(style, "very risky"), Ok("Very Risky".to_owned()));
        assert_eq!(accepts(style, "Nope").unwrap_err(), "takes one of Normal, Very Risky");
        let late = "Style type combo var Normal var Very Risky default Normal";
        assert_eq!(accepts(late, "Very Risky"), Ok("Very Risky".to_owned()));
        assert_eq!(accepts("Style type combo", "any"), Ok("any".to_owned()));
    }
}
