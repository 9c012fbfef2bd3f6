//! Selected rows of a set, from a file or written out.

use std::path::Path;

use super::Parser;
use crate::error::{Result, Span};
use crate::expr::Expr;
use crate::token::Token;
use base::files;

impl Parser<'_> {
    /// `top( sum , "file" )`, after the word.
    pub(super) fn top(&mut self) -> Result<Expr> {
        let inner = self.opened_sum()?;
        self.expect(Token::Comma, "between the set and the file of its rows")?;
        let span = self.here();
        let Some(Token::Text(name)) = self.peek().cloned() else {
            return Err(self.error(
                span,
                "expected the name of a file in quotes",
                "such as \"rows.txt\"",
                Some("one index a line, as `oplus features EXPR --stats DATA --top 100 --rows rows.txt` writes them".into()),
            ));
        };
        self.at += 1;
        self.expect(Token::Close, "to close `top(`")?;
        self.depth -= 1;
        let path = Path::new(&name);
        let read = files::check(path, files::MOST_TEXT).and_then(|()| files::read_text(path));
        let text = read.map_err(|error| {
            let message = format!("cannot read {}: {error}", path.display());
            self.error(span.clone(), message, "this file", None)
        })?;
        let mut rows = Vec::new();
        for (number, line) in (1..).zip(text.lines()) {
            let Some(word) = line.split('#').next().unwrap_or_default().split_whitespace().next()
            else {
                continue;
            };
            let row = word.parse::<u32>().map_err(|_| {
                let message = format!("{} line {number}: `{word}` is no index", path.display());
                self.error(
                    span.clone(),
                    message,
                    "in this file",
                    Some("one index a line; `#` starts a comment".into()),
                )
            })?;
            self.keep(&inner, &mut rows, row, &span)?;
        }
        self.selected(inner, rows, &span)
    }

    /// `rows( sum , [ … ] )`, after the word.
    pub(super) fn rows(&mut self) -> Result<Expr> {
        let inner = self.opened_sum()?;
        self.expect(Token::Comma, "between the set and its rows")?;
        let list = self.here();
        self.expect(Token::OpenList, "to open the rows")?;
        let mut rows = Vec::new();
        loop {
            let span = self.here();
            let first = self.row(&inner)?;
            let last = if self.next_if(&Token::Dots) { self.row(&inner)? } else { first };
            let span = span.start..self.end_of_last();
            // The bound is checked before the loop, which could be long.
            self.check_row(&inner, last, &span)?;
            if last < first {
                let help = Some(format!("write `{last}..{first}`"));
                let message = "a range runs from the lower row to the higher one";
                return Err(self.error(span, message, "backwards", help));
            }
            for row in first..=last {
                self.keep(&inner, &mut rows, row, &span)?;
            }
            if !self.next_if(&Token::Comma) {
                break;
            }
        }
        self.expect(Token::CloseList, "to close the rows")?;
        self.expect(Token::Close, "to close `rows(`")?;
        self.depth -= 1;
        self.selected(inner, rows, &list)
    }

    /// One number of the list.
    fn row(&mut self, inner: &Expr) -> Result<u32> {
        match self.peek() {
            Some(Token::Number(_)) => self.number(0, u32::MAX - 1),
            found => {
                let message = match found {
                    Some(Token::CloseList) => "no row is listed".to_owned(),
                    Some(token) => format!("expected a row, found {}", token.name()),
                    None => "expected a row, found the end".to_owned(),
                };
                let last = inner.size().saturating_sub(1);
                let label = format!("a number from 0 to {last} expected here");
                let help = Some("for example `rows(PV, [0..99, 127])`".to_owned());
                Err(self.error(self.here(), message, label, help))
            }
        }
    }

    fn check_row(&self, inner: &Expr, row: u32, span: &Span) -> Result<()> {
        if u64::from(row) < inner.size() && inner.size() <= MOST_ROWS {
            return Ok(());
        }
        let message = match inner.size() {
            size if size > MOST_ROWS => {
                format!("rows can be selected of at most {MOST_ROWS} features; this set has {size}")
            }
            size => format!(
                "row {row} of a set that has {size} features, 0 to {}",
                size.saturating_sub(1)
            ),
        };
        Err(self.error(span.clone(), message, "not a row of it", None))
    }

    fn keep(&self, inner: &Expr, rows: &mut Rows, row: u32, span: &Span) -> Result<()> {
        self.check_row(inner, row, span)?;
        rows.push(row);
        Ok(())
    }

    fn selected(&self, inner: Expr, rows: Rows, span: &Span) -> Result<Expr> {
        let mut sorted = rows.clone();
        sorted.sort_unstable();
        if let Some(twice) = sorted.windows(2).find(|pair| pair[0] == pair[1]) {
            let message = format!("row {} is listed twice", twice[0]);
            return Err(self.error(span.clone(), message, "in this list", None));
        }
        if rows.is_empty() {
            return Err(self.error(span.clone(), "no row is listed", "an empty set", None));
        }
        Ok(Expr::Rows(Box::new(inner), rows.into()))
    }
}

type Rows = Vec<u32>;

/// Most features of a set with selected rows: its table must fit memory.
const MOST_ROWS: u64 = 1 << 24;
