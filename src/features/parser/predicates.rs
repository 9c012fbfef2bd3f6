//! Predicates over their concepts, and `count` of them.

use super::Parser;
use crate::error::{Result, Span};
use crate::expr::Expr;
use crate::predicate::{AfterComma, Clauses, Entry, Near, Predicate, PredicateKind};
use crate::token::Token;

impl Parser<'_> {
    /// `PREDICATE ( … )`, after the word.
    pub(super) fn predicate(&mut self, kind: PredicateKind, name_span: Span) -> Result<Predicate> {
        let Entry { name, usage, after_comma, .. } = kind.entry();
        let usage = || Some(usage.to_owned());
        self.spend(name_span.clone())?;
        if !self.next_if(&Token::Open) {
            let found = self.peek().map_or("the end".to_owned(), Token::name);
            let message = format!("expected `(` after `{name}`, found {found}");
            return Err(self.error(self.here(), message, "`(` expected here", usage()));
        }
        let mut concepts = self.concepts()?;
        let mut clauses = Clauses::default();
        match after_comma {
            AfterComma::Nothing => {}
            AfterComma::Near => clauses.near = self.near()?,
            AfterComma::Concepts => {
                if self.peek() == Some(&Token::Comma) && !self.once() {
                    self.at += 1;
                    clauses.comma = Some(concepts.len());
                    concepts.extend(self.concepts()?);
                }
                if self.once() {
                    self.at += 2;
                    clauses.once = true;
                }
            }
        }
        let end = self.here().end;
        if self.peek() == Some(&Token::Comma) {
            let message = format!("`{name}` takes nothing after these concepts");
            return Err(self.error(self.here(), message, "expected `*` or `)`", usage()));
        }
        let join = format!("concepts are joined with `*`, as in `{}`", kind.entry().example);
        self.close(&format!("to close `{name}(`"), &join)?;
        let plain = concepts.iter().map(|(concept, _)| concept.clone()).collect();
        let predicate = Predicate::new(kind, plain, clauses).map_err(|misuse| {
            let span = misuse
                .culprit
                .and_then(|i| concepts.get(i))
                .map_or(name_span.start..end, |(_, span)| span.clone());
            let help = misuse.help.or_else(usage);
            self.error(span, misuse.message, misuse.label, help)
        })?;
        if predicate.size() == 0 {
            return Err(self.error(
                name_span.start..end,
                "no position can show any of these features",
                "an empty set",
                usage(),
            ));
        }
        Ok(predicate)
    }

    /// Whether `, once` stands here.
    fn once(&self) -> bool {
        let next = |ahead: usize| self.tokens.get(self.at + ahead).map(|(token, _)| token);
        next(0) == Some(&Token::Comma) && next(1) == Some(&Token::Word("once".into()))
    }

    /// `, files <= 1, ranks <= 2` after the concepts of `both`.
    fn near(&mut self) -> Result<Near> {
        let (mut files, mut ranks) = (None, None);
        while self.next_if(&Token::Comma) {
            let span = self.here();
            let limit = match self.peek() {
                Some(Token::Word(word)) if word == "files" => &mut files,
                Some(Token::Word(word)) if word == "ranks" => &mut ranks,
                _ => {
                    return Err(self.error(
                        span,
                        "pieces can be near by files or by ranks",
                        "`files` or `ranks` expected here",
                        Some("for example `files <= 1`".into()),
                    ));
                }
            };
            self.at += 1;
            self.expect(Token::AtMost, "between the compared quantity and the number")?;
            let number = self.number(0, 7)? as u8;
            if limit.replace(number).is_some() {
                let span = span.start..self.end_of_last();
                let help = Some("keep the one that is meant".to_owned());
                return Err(self.error(span, "this is limited twice", "a second time", help));
            }
        }
        let any = Near::default();
        Ok(Near { files: files.unwrap_or(any.files), ranks: ranks.unwrap_or(any.ranks) })
    }

    /// `count( predicate )`, after the word.
    pub(super) fn count(&mut self) -> Result<Expr> {
        self.expect(Token::Open, "after `count`")?;
        let span = self.here();
        self.enter(&span)?;
        let inner = self.factor()?;
        let inner_span = span.start..self.end_of_last();
        self.expect(Token::Close, "to close `count(`")?;
        self.depth -= 1;
        match inner {
            Expr::Predicate(predicate) if predicate.is_countable() => Ok(Expr::Count(predicate)),
            _ => {
                let countable = PredicateKind::ALL.iter().filter(|kind| kind.entry().is_countable);
                let taken: Vec<String> =
                    countable.map(|kind| format!("`{}(…)`", kind.name())).collect();
                Err(self.error(
                    inner_span,
                    format!("`count` takes one {}, or a name for one", taken.join(" or ")),
                    "cannot be counted",
                    Some("for example `count(piece(FILES * PIECES))`".to_owned()),
                ))
            }
        }
    }
}
