//! Sets in braces and their elements.

use super::Parser;
use crate::concept::{Axis, Concept};
use crate::error::{ExpressionError, Result, Span, meant, nearest};
use crate::token::Token;

/// Shorter words are elements by themselves, each one letter from many others.
const SHORTEST_MISSPELT: usize = 3;

impl Parser<'_> {
    /// `{ … }`; elements without words of their own, such as diagonals, are
    /// numbered after the name of their concept.
    pub(super) fn set(&mut self, axis: Option<Axis>) -> Result<Concept> {
        let open = self.here();
        self.expect(Token::OpenSet, "to open a set")?;
        let mut found: Option<Axis> = axis;
        let mut elements: Vec<u8> = Vec::new();
        loop {
            let span = self.here();
            let (element_axis, element) = self.element(axis)?;
            if *found.get_or_insert(element_axis) != element_axis {
                return Err(self.error(
                    span,
                    "a set holds elements of one kind",
                    format!("this is one of {element_axis}"),
                    Some("write a product of two sets: `{pawn} * {own}`".into()),
                ));
            }
            let last = self.last_of_range(element_axis, element)?;
            let span = span.start..self.end_of_last();
            for element in element..=last {
                if elements.contains(&element) {
                    return Err(self.error(span, "this element is written twice", "again", None));
                }
                elements.push(element);
            }
            if !self.next_if(&Token::Comma) {
                break;
            }
        }
        self.expect(Token::CloseSet, "to close the set")?;
        found
            .map(|axis| Concept::subset(axis, elements))
            .ok_or_else(|| self.error(open, "an empty set has no features", "nothing in it", None))
    }

    /// A set, if need be after the name of its concept. Of `axis`, if that is known.
    pub(super) fn named_set(&mut self, axis: Option<Axis>) -> Result<Concept> {
        let span = self.here();
        let Some(Token::Word(word)) = self.peek().cloned() else { return self.set(axis) };
        self.at += 1;
        match self.axis(&word)? {
            Some(named) => self.set(Some(named)),
            None => {
                let message = format!("expected a set in braces, found `{word}`");
                let help = Some("for example `ROLES without {king}`".to_owned());
                Err(self.error(span, message, "`{` expected here", help))
            }
        }
    }

    /// `..h7` after the first of several elements; otherwise the first is the last.
    fn last_of_range(&mut self, axis: Axis, first: u8) -> Result<u8> {
        if !self.next_if(&Token::Dots) {
            return Ok(first);
        }
        let span = self.here();
        let (_, last) = self.element(Some(axis))?;
        if first <= last {
            return Ok(last);
        }
        let (first, last) = (axis.word(first), axis.word(last));
        let help = format!("write `{last}..{first}`");
        let message = format!("`{last}` stands before `{first}` in {axis}");
        Err(self.error(span, message, "elements rise in a range", Some(help)))
    }

    fn element(&mut self, axis: Option<Axis>) -> Result<(Axis, u8)> {
        let span = self.here();
        let first = match self.peek() {
            Some(Token::Word(word) | Token::Number(word)) => word.clone(),
            Some(Token::CloseSet) => {
                return Err(self.error(
                    span,
                    "an empty set has no features",
                    "an element expected here",
                    Some("for example `{pawn, rook}`".into()),
                ));
            }
            _ => {
                let axis = axis.unwrap_or(Axis::Role);
                let help = Some(format!("{axis} has {}", axis.extent()));
                let message = "expected an element of a set";
                return Err(self.error(span, message, "not an element", help));
            }
        };
        self.at += 1;
        // `own rook`: the one kind of element with two words.
        let second = match self.peek() {
            Some(Token::Word(second)) => Some(second.clone()),
            _ => None,
        };
        self.at += usize::from(second.is_some());
        let word = second.as_ref().map_or(first.clone(), |second| format!("{first} {second}"));
        let parsed = match axis {
            Some(axis) => axis.parse_element(&word).map(|element| (axis, element)),
            None => Axis::parse_word(&word),
        };
        parsed.ok_or_else(|| {
            let span = span.start..self.end_of_last();
            self.unknown_element(&word, axis, span)
        })
    }

    fn unknown_element(&self, word: &str, axis: Option<Axis>, span: Span) -> Box<ExpressionError> {
        // A number is no rank where numbers are elements.
        let takes_numbers = axis.is_some_and(|axis| axis.parse_element("1").is_some());
        let is_beyond = takes_numbers && word.parse::<u32>().is_ok();
        let elsewhere = Axis::parse_word(word).map(|(axis, _)| axis).filter(|_| !is_beyond);
        let message = match (axis, elsewhere) {
            (Some(axis), Some(other)) => format!("`{word}` is one of {other}, not of {axis}"),
            (Some(axis), None) => format!("`{word}` is no element of {axis}"),
            (None, _) => format!("`{word}` is no element of a concept"),
        };
        // A word of another concept is no misspelling.
        let help = element_meant(word, axis).filter(|_| elsewhere.is_none());
        let help = help.map_or_else(|| elements_help(word, axis), |word| meant(&word));
        self.error(span, message, "unknown", Some(help))
    }
}

/// Suggestion for an unknown element.
fn element_meant(word: &str, axis: Option<Axis>) -> Option<String> {
    let is_known = |word: &str| match axis {
        Some(axis) => axis.parse_element(word).is_some(),
        None => Axis::parse_word(word).is_some(),
    };
    if let Some((first, second)) = word.split_once(' ') {
        let turned = format!("{second} {first}");
        let apart = format!("{first}, {second}");
        let axis_of = |word: &str| axis.or(Axis::parse_word(word).map(|(axis, _)| axis));
        if is_known(&turned) {
            return Some(turned);
        }
        if is_known(first) && is_known(second) && axis_of(first) == axis_of(second) {
            return (first != second).then_some(apart);
        }
    }
    let words = match axis {
        Some(axis) => axis.words(),
        None => Axis::all_words(),
    };
    let is_long = word.chars().count() >= SHORTEST_MISSPELT;
    let long = words.iter().map(String::as_str).filter(|known| known.len() >= SHORTEST_MISSPELT);
    nearest(word, long).filter(|_| is_long).map(str::to_owned)
}

/// Help text: the elements of the axis.
fn elements_help(word: &str, axis: Option<Axis>) -> String {
    if let Some(axis) = axis {
        return format!("{axis} has {}", axis.extent());
    }
    let is_number = word.parse::<i64>().is_ok();
    if is_number {
        let (ranks, diagonals) = (Axis::Rank.extent(), Axis::Diag1.extent());
        return format!(
            "ranks are {ranks}; diagonals, steps, numbers and bands stand after their concept: DIAGS1 has {diagonals}, as in `DIAGS1{{6, 7, 8}}`"
        );
    }
    let spoken = Axis::SPOKEN.map(|axis| format!("{axis} has {}", axis.extent()));
    spoken.join(", ")
}
