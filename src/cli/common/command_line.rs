//! The command line of this process.

/// The command line, words quoted where a shell needs it.
pub(crate) fn command_line() -> String {
    let is_plain = |c: char| c.is_alphanumeric() || "_-./:=,+@%".contains(c);
    let quoted = |word: String| match !word.is_empty() && word.chars().all(is_plain) {
        true => word,
        false => format!("'{}'", word.replace('\'', "'\\''")),
    };
    let words = std::env::args_os().skip(1).map(|word| quoted(word.to_string_lossy().into_owned()));
    ["oplus".to_owned()].into_iter().chain(words).collect::<Vec<_>>().join(" ")
}
