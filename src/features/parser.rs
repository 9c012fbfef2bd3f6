//! Parses an expression. The result has all names expanded.
//!
//! ```text
//! training  = [ "train" ] sum
//! sum       = product { ("+" | "⊕") product }
//! product   = factor { ("*" | "×") factor }
//! factor    = set [ "/" numbers ]
//! set       = "(" sum ")" | predicate | SCALAR | NAME
//!           | "count" "(" predicate ")" | "mirror" "(" sum ")"
//!           | "top" "(" sum "," TEXT ")" | "rows" "(" sum "," "[" rows "]" ")"
//!           | ( "each" | "any" ) "(" VARIABLE ":" concept "," sum ")"
//!           | "factors" [ "(" sum ")" ]                 (in training only)
//! predicate = PREDICATE "(" concepts { "," ("files" | "ranks") "<=" NUMBER } ")"
//!           | "threat" "(" concepts [ "," concepts ] [ "," "once" ] ")"
//! concepts  = concept { ("*" | "×") concept }
//! concept   = ( CONCEPT | braces | "(" concepts ")" ) [ "/" numbers ] [ "without" braces ]
//!           | VARIABLE | "shift" "(" concept { "," steps } ")"
//! steps     = ("FILES" | "RANKS") NUMBER [ ".." NUMBER ]
//! braces    = [ CONCEPT ] "{" elements { "," elements } "}"
//! elements  = element [ ".." element ]
//! numbers   = "[" ( NUMBER | "-" ) { "," ( NUMBER | "-" ) } "]" | NAME
//! rows      = NUMBER [ ".." NUMBER ] { "," NUMBER [ ".." NUMBER ] }
//! ```
//!
//! Predicates are parsed in `predicates`, their concepts in `concepts` and sets in braces in
//! `elements`, sums over elements in `each`, quotients in `quotients`, names in `names`, selections
//! of rows in `rows`, factors in `training`. The parser accepts every word and expression that its
//! advice names, in that place (`tests/advice.rs`).

mod concepts;
mod each;
mod elements;
mod names;
mod predicates;
mod quotients;
mod rows;
mod training;

#[cfg(test)]
pub(crate) use concepts::names as concept_names;
pub(crate) use training::{FactorRequest, parse_training};

use std::cell::Cell;

use super::catalogue::Names;
use super::error::{ExpressionError, Result, Span};
use super::expr::Expr;
use super::predicate::PredicateKind;
use super::predicate::scalar::Scalar;
use super::token::{Token, tokenize};
use each::Variable;

/// Deepest nesting of parentheses and names; a bound so that no text overflows the stack.
const MAX_DEPTH: usize = 64;

/// Most predicates of an expression with its names expanded: names that double each other grow
/// exponentially.
const MAX_PREDICATES: usize = 256;

/// Words that start a factor and are neither predicates nor names.
pub(crate) const KEYWORDS: [&str; 6] = ["count", "mirror", "top", "rows", "each", "any"];

/// A top-level summand: its text and its meaning.
#[derive(Clone, Debug)]
pub(crate) struct ParsedSummand {
    /// As written.
    pub text: String,
    /// With names expanded.
    pub expr: Expr,
}

/// Reads a whole expression into its top-level summands.
pub(crate) fn parse(text: &str, names: &Names) -> Result<Vec<ParsedSummand>> {
    let predicates = Cell::new(0);
    let mut parser = Parser::new("expression", text, names, Vec::new(), &predicates)?;
    if parser.peek() == Some(&Token::Word("train".into())) {
        return Err(parser.error(
            parser.here(),
            "`train` describes the training of a set, not the set",
            "only where a net is trained",
            Some("use it in `oplus train` or in the features of an experiment".into()),
        ));
    }
    let summands = parser.summands()?;
    parser.expect_end()?;
    Ok(summands)
}

pub(crate) fn join(mut summands: Vec<ParsedSummand>) -> Expr {
    if summands.len() == 1 {
        summands.remove(0).expr
    } else {
        sum_of(summands.into_iter().map(|s| s.expr))
    }
}

/// A flat sum: concatenation is associative, so nested sums are spliced in.
fn sum_of(parts: impl IntoIterator<Item = Expr>) -> Expr {
    let mut flat = Vec::new();
    for part in parts {
        match part {
            Expr::Sum(inner) => flat.extend(inner),
            other => flat.push(other),
        }
    }
    Expr::Sum(flat)
}

/// A flat product; nested products keep their index order when spliced in.
fn product_of(parts: Vec<Expr>) -> Expr {
    let mut flat = Vec::new();
    for part in parts {
        match part {
            Expr::Product(inner) => flat.extend(inner),
            other => flat.push(other),
        }
    }
    Expr::Product(flat)
}

/// A mirrored set, mirrored once.
fn mirrored(inner: Expr) -> Expr {
    match inner {
        Expr::Mirror(_) => inner,
        other => Expr::Mirror(Box::new(other)),
    }
}

struct Parser<'a> {
    title: String,
    text: &'a str,
    tokens: Vec<(Token, Span)>,
    at: usize,
    names: &'a Names,
    /// Names being expanded, outermost first.
    expanding: Vec<String>,
    depth: usize,
    /// Predicates read so far, those of names included.
    predicates: &'a Cell<usize>,
    /// Factors to train with the set; `None` outside of `train`.
    factors: Option<Vec<FactorRequest>>,
    /// Variables in scope, outermost first.
    variables: Vec<Variable>,
    /// Readings of the current text: the product of the elements of every `each` around it.
    repeated: usize,
    /// Shifts in the body of an `each`, and whether they reached the board.
    shifts: Vec<(Span, bool)>,
}

impl<'a> Parser<'a> {
    fn new(
        title: &str,
        text: &'a str,
        names: &'a Names,
        expanding: Vec<String>,
        predicates: &'a Cell<usize>,
    ) -> Result<Self> {
        Ok(Self {
            title: title.to_owned(),
            text,
            tokens: tokenize(title, text)?,
            at: 0,
            names,
            expanding,
            depth: 0,
            predicates,
            factors: None,
            variables: Vec::new(),
            repeated: 1,
            shifts: Vec::new(),
        })
    }

    fn error(
        &self,
        span: Span,
        message: impl Into<String>,
        label: impl Into<String>,
        help: Option<String>,
    ) -> Box<ExpressionError> {
        ExpressionError::new(&self.title, self.text, span, message, label, help)
    }

    fn peek(&self) -> Option<&Token> {
        self.tokens.get(self.at).map(|(token, _)| token)
    }

    /// Place of the next token, or of the end of the text.
    fn here(&self) -> Span {
        let end = self.text.trim_end().len();
        self.tokens.get(self.at).map_or(end..end, |(_, span)| span.clone())
    }

    fn next_if(&mut self, token: &Token) -> bool {
        let found = self.peek() == Some(token);
        self.at += usize::from(found);
        found
    }

    fn expect(&mut self, token: Token, after: &str) -> Result<()> {
        if self.next_if(&token) {
            return Ok(());
        }
        let found = self.peek().map_or("the end".to_owned(), Token::name);
        Err(self.error(
            self.here(),
            format!("expected {} {after}, found {found}", token.name()),
            format!("{} expected here", token.name()),
            None,
        ))
    }

    fn expect_end(&self) -> Result<()> {
        let Some(token) = self.peek() else { return Ok(()) };
        let help = match token {
            Token::Close => "there is one `)` too many",
            Token::Open => JOIN,
            Token::Word(word) if word != "without" => JOIN,
            token => misplaced(token).unwrap_or(JOIN),
        };
        Err(self.error(
            self.here(),
            format!("the expression should end before {}", token.name()),
            "unexpected",
            Some(help.to_owned()),
        ))
    }

    fn summands(&mut self) -> Result<Vec<ParsedSummand>> {
        let mut summands = Vec::new();
        loop {
            let start = self.here().start;
            if self.depth == 0 && self.peek() == Some(&Token::Word("factors".into())) {
                self.factor_request(summands.is_empty())?;
            } else {
                let expr = self.product()?;
                let text = self.text[start..self.end_of_last()].trim().to_owned();
                summands.push(ParsedSummand { text, expr });
            }
            if !self.next_if(&Token::Plus) {
                return Ok(summands);
            }
        }
    }

    /// End of the last token.
    fn end_of_last(&self) -> usize {
        self.at.checked_sub(1).map_or(0, |last| self.tokens[last].1.end)
    }

    /// `)`; a set that stands before it needs an operator.
    fn close(&mut self, after: &str, join: &str) -> Result<()> {
        let is_joined =
            |token: &Token| !matches!(token, Token::Word(_) | Token::Open | Token::OpenSet);
        if self.peek().is_none_or(is_joined) {
            return self.expect(Token::Close, after);
        }
        let found = self.peek().map_or("the end".to_owned(), Token::name);
        let message = format!("expected an operator or `)` {after}, found {found}");
        Err(self.error(self.here(), message, "nothing joins this", Some(join.to_owned())))
    }

    /// `( sum )`
    fn parenthesised(&mut self) -> Result<Expr> {
        let inner = self.opened_sum()?;
        self.close("to close the parenthesis", JOIN)?;
        self.depth -= 1;
        Ok(inner)
    }

    /// `( sum`, one level deeper until its closing.
    fn opened_sum(&mut self) -> Result<Expr> {
        let span = self.here();
        self.enter(&span)?;
        self.expect(Token::Open, "before a feature set")?;
        Ok(join(self.summands()?))
    }

    fn product(&mut self) -> Result<Expr> {
        let mut factors = vec![self.factor()?];
        while self.next_if(&Token::Star) {
            factors.push(self.factor()?);
        }
        Ok(if factors.len() == 1 { factors.remove(0) } else { product_of(factors) })
    }

    fn factor(&mut self) -> Result<Expr> {
        let start = self.here().start;
        let set = self.whole_set()?;
        self.quotient_of_set(set, start)
    }

    fn whole_set(&mut self) -> Result<Expr> {
        let span = self.here();
        match self.peek().cloned() {
            Some(Token::Open) => self.parenthesised(),
            Some(Token::Word(word)) => {
                self.at += 1;
                if let Some(kind) = PredicateKind::parse(&word) {
                    return self.predicate(kind, span).map(Expr::Predicate);
                }
                if let Some(scalar) = Scalar::parse(&word) {
                    self.check_not_called(&word, &span)?;
                    self.spend(span)?;
                    return Ok(Expr::Scalar(scalar));
                }
                match word.as_str() {
                    "count" => self.count(),
                    "mirror" => self.parenthesised().map(mirrored),
                    "top" => self.top(),
                    "rows" => self.rows(),
                    "each" => self.each().map(Expr::Each),
                    "any" => self.any(span).map(Expr::Any),
                    name => self.name(name, span),
                }
            }
            found => {
                let help = found.as_ref().and_then(misplaced);
                let help = help.unwrap_or("for example `ALL`, or `piece(FILES * PIECES)`");
                let found = found.map_or("the end".to_owned(), |token| token.name());
                Err(self.error(
                    span,
                    format!("expected a feature set, found {found}"),
                    "a name, a predicate or `(` expected here",
                    Some(help.into()),
                ))
            }
        }
    }

    fn enter(&mut self, span: &Span) -> Result<()> {
        self.depth += 1;
        if self.depth <= MAX_DEPTH {
            return Ok(());
        }
        Err(self.error(
            span.clone(),
            format!("parentheses and names nested deeper than {MAX_DEPTH}"),
            "too deep",
            Some("write sums and products flat: they need no parentheses".into()),
        ))
    }

    /// Counts a predicate against the bound of the whole expression.
    fn spend(&self, span: Span) -> Result<()> {
        self.predicates.set(self.predicates.get() + 1);
        if self.predicates.get() <= MAX_PREDICATES {
            return Ok(());
        }
        Err(self.error(
            span,
            format!(
                "with its names expanded, this expression has more than {MAX_PREDICATES} predicates"
            ),
            "one too many",
            Some("use a product such as `(A + B) * C` instead of writing it out".into()),
        ))
    }

    /// A number within bounds.
    fn number(&mut self, least: u32, most: u32) -> Result<u32> {
        let span = self.here();
        let found = match self.peek() {
            Some(Token::Number(text)) => text.parse().ok().filter(|n| (least..=most).contains(n)),
            _ => None,
        };
        self.at += usize::from(found.is_some());
        found.ok_or_else(|| {
            let label = format!("a number from {least} to {most} expected here");
            self.error(span, format!("expected a number from {least} to {most}"), label, None)
        })
    }
}

/// Help for two sets side by side.
const JOIN: &str = "join two sets with `+` (concatenation) or `*` (both hold)";

/// The name of a token that belongs inside a predicate and stands outside of one.
fn misplaced(token: &Token) -> Option<&'static str> {
    match token {
        Token::Number(_) => Some(
            "numbers stand inside of predicates and lists, and weights are trained; `ONE` is always active, as in `(ONE + PHASE) * ALL`",
        ),
        Token::Dash => Some(
            "elements are left out inside a predicate: `piece(SQUARES * (ROLES without {king}) * COLORS)`",
        ),
        Token::Word(word) if word == "without" => misplaced(&Token::Dash),
        Token::Slash => Some(
            "`/` divides a set or a concept into classes: `piece(FILES) / [0, 1, 2, 3, 3, 2, 1, 0]`, `mirror(king(SQUARES / BUCKETS-9) * ALL)`",
        ),
        Token::OpenSet => Some(
            "a set in braces is a part of a concept, inside a predicate: `piece(SQUARES * {pawn, rook} * COLORS)`",
        ),
        Token::OpenList | Token::Dots => {
            Some("rows of a set are selected with `rows`: `rows(PV, [0..99, 127])`")
        }
        _ => None,
    }
}
