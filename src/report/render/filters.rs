//! Filters of the templates.

use std::fmt::Display;

use askama::Values;
use askama::filters::{Html, escape};

/// Escaped text whose arrows and margins stay on one line with the words beside them: `256 screlu -> 1`
/// breaks after 256 only, `× 1.28 ± 0.06` nowhere.
pub(crate) fn unbroken(text: impl Display, _: &dyn Values) -> askama::Result<String> {
    let text = text.to_string();
    let words: Vec<&str> = text.split(' ').collect();
    let runs = words.chunk_by(|left, right| is_unbroken(left, right));
    let html = runs.map(|run| {
        let Ok(words) = escape(run.join(" "), Html);
        match run.len() {
            1 => words.to_string(),
            _ => format!("<span class=\"keep\">{words}</span>"),
        }
    });
    Ok(html.collect::<Vec<_>>().join(" "))
}

fn is_unbroken(left: &str, right: &str) -> bool {
    left == "×" || ["->", "±"].iter().any(|sign| [left, right].contains(sign))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arrows_stay_with_their_words() {
        let of = |text: &str| unbroken(text, askama::NO_VALUES).unwrap();
        assert_eq!(of("A < B"), "A &#60; B");
        assert_eq!(
            of("ALL · 64 screlu -> 1"),
            "ALL · 64 <span class=\"keep\">screlu -&#62; 1</span>"
        );
        let chain = "<span class=\"keep\">16 -&#62; 8 -&#62; 1,</span> and 2";
        assert_eq!(of("16 -> 8 -> 1, and 2"), chain);
    }

    #[test]
    fn margins_stay_with_their_values() {
        let text = unbroken("by 77 ± 29 Elo, node × 1.28 ± 0.06.", askama::NO_VALUES).unwrap();
        let keep = |words: &str| format!("<span class=\"keep\">{words}</span>");
        let (elo, factor) = (keep("77 ± 29"), keep("× 1.28 ± 0.06."));
        assert_eq!(text, format!("by {elo} Elo, node {factor}"));
    }
}
