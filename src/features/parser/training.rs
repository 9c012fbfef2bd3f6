//! `train EXPR + factors`.

use std::cell::Cell;

use super::{ParsedSummand, Parser};
use crate::catalogue::Names;
use crate::error::{Result, Span};
use crate::expr::Expr;
use crate::token::Token;

/// Factors requested by `train …`.
#[derive(Clone, Debug)]
pub(crate) enum FactorRequest {
    /// `factors`: those that the algebra finds.
    Automatic(Span),
    /// `factors(EXPR)`
    Explicit(Expr, Span),
}

#[derive(Clone, Debug)]
pub(crate) struct ParsedTraining {
    /// The set itself.
    pub summands: Vec<ParsedSummand>,
    /// Factors to train with it.
    pub factors: Vec<FactorRequest>,
}

/// Reads `train EXPR + factors`, or a plain expression.
pub(crate) fn parse_training(text: &str, names: &Names) -> Result<ParsedTraining> {
    let predicates = Cell::new(0);
    let mut parser = Parser::new("expression", text, names, Vec::new(), &predicates)?;
    if parser.next_if(&Token::Word("train".into())) {
        parser.factors = Some(Vec::new());
    }
    let summands = parser.summands()?;
    parser.expect_end()?;
    Ok(ParsedTraining { summands, factors: parser.factors.unwrap_or_default() })
}

impl Parser<'_> {
    /// `factors` or `factors(EXPR)` after `train`.
    pub(super) fn factor_request(&mut self, first: bool) -> Result<()> {
        let span = self.here();
        let help = || {
            Some(
                "write `train KING-ALL + factors`, or name them: `train KING-ALL + factors(ALL)`"
                    .to_owned(),
            )
        };
        if self.factors.is_none() {
            let message = "`factors` belongs to a training expression";
            return Err(self.error(span, message, "without `train` in front", help()));
        }
        if first {
            let message = "`factors` are trained with a set, which comes first";
            return Err(self.error(span, message, "no set before it", help()));
        }
        self.at += 1;
        let request = if self.peek() == Some(&Token::Open) {
            let inner = self.parenthesised()?;
            FactorRequest::Explicit(inner, span.start..self.end_of_last())
        } else {
            FactorRequest::Automatic(span)
        };
        self.factors.get_or_insert_default().push(request);
        Ok(())
    }
}
