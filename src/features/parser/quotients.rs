//! Quotients of a whole set: `EXPR / [0, 0, 1, …]`, and the numbers of those of concepts.

use super::Parser;
use super::names::scheme_help;
use crate::error::{ExpressionError, Result, Span, meant, nearest};
use crate::expr::Expr;
use crate::token::Token;

/// Largest number of a class of a concept, and of a set.
pub(super) const MOST_CLASSES: u32 = 64;
const MOST_CLASSES_OF_SET: u32 = 1 << 20;

impl Parser<'_> {
    /// Applies `/ […]` or `/ SCHEME` after a set that begins at `start`.
    pub(super) fn quotient_of_set(&mut self, set: Expr, start: usize) -> Result<Expr> {
        if !self.next_if(&Token::Slash) {
            return Ok(set);
        }
        if set.is_valued() {
            let span = start..self.end_of_last();
            let example = "`PHASE * (piece(FILES) / [0, 1, 2, 3, 3, 2, 1, 0])`";
            return Err(self.valued_classes(span, example));
        }
        let span = self.here();
        let scheme = match self.peek() {
            Some(Token::Word(word)) => self.names.scheme(word).map(|list| (word.clone(), list)),
            _ => None,
        };
        let numbers = self.numbers_or_scheme(MOST_CLASSES_OF_SET)?;
        let span = span.start..self.end_of_last();
        if numbers.len() as u64 != set.size() {
            let message =
                format!("this set has {} features, and this numbers {}", set.size(), numbers.len());
            let help = match scheme {
                Some((word, list)) => scheme_help(&word, list),
                None => "write one number for each feature in order, `-` to leave it out".into(),
            };
            return Err(self.error(span, message, "not one number for each", Some(help)));
        }
        let mut used: Vec<u32> = numbers.iter().flatten().copied().collect();
        used.sort_unstable();
        used.dedup();
        if used.is_empty() || !used.iter().copied().eq(0..used.len() as u32) {
            return Err(self.class_left_out(span));
        }
        Ok(Expr::Quotient(Box::new(set), numbers.into()))
    }

    pub(super) fn class_left_out(&self, span: Span) -> Box<ExpressionError> {
        let help = "use every number up to the largest at least once".to_owned();
        let message = "classes are numbered 0, 1, 2, … without a gap";
        self.error(span, message, "a number is missing", Some(help))
    }

    pub(super) fn valued_classes(&self, span: Span, example: &str) -> Box<ExpressionError> {
        let help = format!("leave `count` out, and multiply by numbers outside: {example}");
        self.error(span, "features with values cannot be one", "has values", Some(help))
    }

    /// `[0, 1, -]`, or the name of such a list, with at most `classes` classes.
    pub(super) fn numbers_or_scheme(&mut self, classes: u32) -> Result<Vec<Option<u32>>> {
        let span = self.here();
        let Some(Token::Word(word)) = self.peek().cloned() else { return self.numbers(classes) };
        let Some(scheme) = self.names.scheme(&word) else {
            let help = match nearest(&word, self.names.schemes()) {
                Some(name) => meant(name),
                None => "a list of numbers is also good, as in `FILES / [0, 1, 2, 3, 3, 2, 1, 0]`"
                    .into(),
            };
            return Err(self.error(
                span,
                format!("unknown scheme `{word}`"),
                "not a known name",
                Some(help),
            ));
        };
        self.at += 1;
        let title = format!("definition of {word}");
        let mut inner = Parser::new(&title, scheme, self.names, Vec::new(), self.predicates)?;
        let numbers = inner.numbers(classes)?;
        inner.expect_end()?;
        Ok(numbers)
    }

    fn numbers(&mut self, classes: u32) -> Result<Vec<Option<u32>>> {
        self.expect(Token::OpenList, "to open the numbers of a quotient")?;
        let mut numbers = Vec::new();
        loop {
            if self.next_if(&Token::Dash) {
                numbers.push(None);
            } else {
                numbers.push(Some(self.number(0, classes - 1)?));
            }
            if !self.next_if(&Token::Comma) {
                break;
            }
        }
        self.expect(Token::CloseList, "to close the numbers")?;
        Ok(numbers)
    }
}
