//! Reads an expression. Names are expanded on the way, so what comes out
//! holds predicates, sums and products only.
//!
//! ```text
//! sum       = product { ("+" | "⊕") product }
//! product   = factor { ("*" | "×") factor }
//! factor    = "(" sum ")" | predicate "(" concepts ")" | NAME
//! concepts  = concept { ("*" | "×") concept }
//! concept   = ( CONCEPT | set | "(" concepts ")" ) [ "without" set ]
//! set       = [ CONCEPT ] "{" element { "," element } "}"
//! ```

use super::catalogue::Names;
use super::concept::{Axis, Concept};
use super::error::{ExpressionError, Result, Span, nearest};
use super::expr::Expr;
use super::predicate::{Predicate, PredicateKind};
use super::token::{Token, tokenize};

/// Deepest nesting of parentheses; a bound so that no text overflows the stack.
const MAX_DEPTH: usize = 64;

/// A top-level summand: its text and what it means.
#[derive(Clone, Debug)]
pub struct ParsedSummand {
    /// As written.
    pub text: String,
    /// With names expanded.
    pub expr: Expr,
}

/// Reads a whole expression into its top-level summands.
pub fn parse(text: &str, names: &Names) -> Result<Vec<ParsedSummand>> {
    let mut parser = Parser::new("expression", text, names, Vec::new())?;
    let summands = parser.summands()?;
    parser.expect_end()?;
    Ok(summands)
}

/// Joins summands to one expression.
pub fn join(mut summands: Vec<ParsedSummand>) -> Expr {
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

struct Parser<'a> {
    title: String,
    text: &'a str,
    tokens: Vec<(Token, Span)>,
    at: usize,
    names: &'a Names,
    /// Names being expanded, outermost first.
    expanding: Vec<String>,
    depth: usize,
}

impl<'a> Parser<'a> {
    fn new(title: &str, text: &'a str, names: &'a Names, expanding: Vec<String>) -> Result<Self> {
        let tokens = tokenize(title, text)?;
        Ok(Self { title: title.to_owned(), text, tokens, at: 0, names, expanding, depth: 0 })
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
            Token::Close => "there is one `)` too many".to_owned(),
            _ => "join two sets with `+` (concatenation) or `*` (both hold)".to_owned(),
        };
        Err(self.error(
            self.here(),
            format!("the expression should end before {}", token.name()),
            "unexpected",
            Some(help),
        ))
    }

    fn summands(&mut self) -> Result<Vec<ParsedSummand>> {
        let mut summands = Vec::new();
        loop {
            let start = self.here().start;
            let expr = self.product()?;
            let end = self.tokens[self.at - 1].1.end;
            summands.push(ParsedSummand { text: self.text[start..end].trim().to_owned(), expr });
            if !self.next_if(&Token::Plus) {
                return Ok(summands);
            }
        }
    }

    fn product(&mut self) -> Result<Expr> {
        let mut factors = vec![self.factor()?];
        while self.next_if(&Token::Star) {
            factors.push(self.factor()?);
        }
        Ok(if factors.len() == 1 { factors.remove(0) } else { product_of(factors) })
    }

    fn factor(&mut self) -> Result<Expr> {
        let span = self.here();
        match self.peek().cloned() {
            Some(Token::Open) => {
                self.enter(&span)?;
                self.at += 1;
                let inner = join(self.summands()?);
                self.expect(Token::Close, "to close the parenthesis")?;
                self.depth -= 1;
                Ok(inner)
            }
            Some(Token::Word(word)) => {
                self.at += 1;
                if let Some(kind) = PredicateKind::parse(&word) {
                    self.predicate(kind, span)
                } else {
                    self.name(&word, span)
                }
            }
            found => {
                let found = found.map_or("the end".to_owned(), |token| token.name());
                Err(self.error(
                    span,
                    format!("expected a feature set, found {found}"),
                    "a name, a predicate or `(` expected here",
                    Some("for example `ALL`, or `piece(FILES * PIECES)`".into()),
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
            format!("parentheses nested deeper than {MAX_DEPTH}"),
            "too deep",
            Some("name the inner parts under [define]".into()),
        ))
    }

    fn predicate(&mut self, kind: PredicateKind, name_span: Span) -> Result<Expr> {
        self.expect(Token::Open, &format!("after `{}`", kind.name()))?;
        let concepts = self.concepts()?;
        let end = self.here().end;
        self.expect(Token::Close, &format!("to close `{}(`", kind.name()))?;
        let plain = concepts.iter().map(|(concept, _)| concept.clone()).collect();
        Predicate::new(kind, plain).map(Expr::Predicate).map_err(|misuse| {
            let span = misuse
                .culprit
                .and_then(|i| concepts.get(i))
                .map_or(name_span.start..end, |(_, span)| span.clone());
            self.error(span, misuse.message, misuse.label, Some(kind.usage().to_owned()))
        })
    }

    fn name(&mut self, word: &str, span: Span) -> Result<Expr> {
        if self.expanding.iter().any(|name| name == word) {
            let circle = format!("{} → {word}", self.expanding.join(" → "));
            return Err(self.error(
                span,
                format!("`{word}` is defined by itself"),
                circle,
                Some("break the circle: a definition may only use other names".into()),
            ));
        }
        let Some(definition) = self.names.lookup(word) else {
            return Err(self.unknown_name(word, span));
        };
        let mut expanding = self.expanding.clone();
        expanding.push(word.to_owned());
        let title = format!("definition of {word}");
        let mut inner = Parser::new(&title, definition, self.names, expanding)?;
        let expr = join(inner.summands()?);
        inner.expect_end()?;
        Ok(expr)
    }

    fn unknown_name(&self, word: &str, span: Span) -> Box<ExpressionError> {
        if Axis::ALL.iter().any(|axis| axis.name() == word) || word == "PIECES" {
            return self.error(
                span,
                format!("`{word}` is a concept, not a feature set"),
                "needs a predicate around it",
                Some(format!("write for example `piece({word} * …)`")),
            );
        }
        let known = self.names.all().chain(PredicateKind::ALL.iter().map(|kind| kind.name()));
        let help = match nearest(word, known) {
            Some(name) => format!("did you mean `{name}`?"),
            None => {
                "`oplus features --list` shows all named sets; add your own under [define]".into()
            }
        };
        self.error(span, format!("unknown feature set `{word}`"), "not a known name", Some(help))
    }

    fn concepts(&mut self) -> Result<Vec<(Concept, Span)>> {
        let mut concepts = self.concept()?;
        while self.next_if(&Token::Star) {
            concepts.extend(self.concept()?);
        }
        Ok(concepts)
    }

    /// One concept, or several for `PIECES` and parentheses.
    fn concept(&mut self) -> Result<Vec<(Concept, Span)>> {
        let span = self.here();
        let concepts = match self.peek().cloned() {
            Some(Token::Open) => {
                self.enter(&span)?;
                self.at += 1;
                let inner = self.concepts()?;
                self.expect(Token::Close, "to close the parenthesis")?;
                self.depth -= 1;
                inner
            }
            Some(Token::OpenSet) => {
                let set = self.set(None)?;
                vec![(set, span.start..self.tokens[self.at - 1].1.end)]
            }
            Some(Token::Word(word)) => {
                self.at += 1;
                self.named_concept(&word, span.clone())?
            }
            found => {
                let found = found.map_or("the end".to_owned(), |token| token.name());
                return Err(self.error(
                    span,
                    format!("expected a concept, found {found}"),
                    "a concept expected here",
                    Some(concept_help()),
                ));
            }
        };
        self.difference(concepts, span.start)
    }

    fn named_concept(&mut self, word: &str, span: Span) -> Result<Vec<(Concept, Span)>> {
        if word == "PIECES" {
            return Ok([Axis::Role, Axis::Color]
                .map(|axis| (Concept::full(axis), span.clone()))
                .to_vec());
        }
        if let Some(axis) = Axis::ALL.into_iter().find(|axis| axis.name() == word) {
            if self.peek() == Some(&Token::OpenSet) {
                let set = self.set(Some(axis))?;
                return Ok(vec![(set, span.start..self.tokens[self.at - 1].1.end)]);
            }
            return Ok(vec![(Concept::full(axis), span)]);
        }
        let known = Axis::ALL.iter().map(|axis| axis.name()).chain(["PIECES"]);
        let help = match nearest(word, known) {
            Some(name) => format!("did you mean `{name}`?"),
            None => concept_help(),
        };
        Err(self.error(span, format!("unknown concept `{word}`"), "not a concept", Some(help)))
    }

    /// Applies a following `without {…}`.
    fn difference(
        &mut self,
        concepts: Vec<(Concept, Span)>,
        start: usize,
    ) -> Result<Vec<(Concept, Span)>> {
        if self.peek() != Some(&Token::Word("without".into())) {
            return Ok(concepts);
        }
        let word_span = self.here();
        self.at += 1;
        let set_span = self.here();
        let removed = self.set(None)?;
        let span = start..self.tokens[self.at - 1].1.end;
        let [(concept, _)] = concepts.as_slice() else {
            return Err(self.error(
                word_span,
                "`without` takes elements from one concept, not from a product",
                "after a product",
                Some("write `(ROLES without {king}) * COLORS`".into()),
            ));
        };
        if concept.axis() != removed.axis() {
            return Err(self.error(
                set_span,
                format!("{} has no such elements", concept.axis().name()),
                format!("these are {}", removed.axis().name()),
                None,
            ));
        }
        let rest = concept.without(&removed);
        if rest.is_empty() {
            return Err(self.error(span, "nothing is left of this concept", "empty set", None));
        }
        Ok(vec![(rest, span)])
    }

    /// `{ … }`; diagonals, which have no words, are numbered after their name.
    fn set(&mut self, axis: Option<Axis>) -> Result<Concept> {
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
                    format!("this is one of {}", element_axis.name()),
                    Some("write a product of two sets: `{pawn} * {own}`".into()),
                ));
            }
            if elements.contains(&element) {
                return Err(self.error(span, "this element is written twice", "again", None));
            }
            elements.push(element);
            if !self.next_if(&Token::Comma) {
                break;
            }
        }
        self.expect(Token::CloseSet, "to close the set")?;
        found
            .map(|axis| Concept::subset(axis, elements))
            .ok_or_else(|| self.error(open, "an empty set has no features", "nothing in it", None))
    }

    fn element(&mut self, axis: Option<Axis>) -> Result<(Axis, u8)> {
        let span = self.here();
        let word = match self.peek() {
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
                return Err(self.error(
                    span,
                    "expected an element of a set",
                    "such as `pawn`, `own`, `d4`, `a` or `7`",
                    None,
                ));
            }
        };
        self.at += 1;
        let parsed = match axis {
            Some(axis) => (0..axis.size()).find(|&e| axis.word(e) == word).map(|e| (axis, e)),
            None => Axis::parse_word(&word),
        };
        parsed.ok_or_else(|| {
            let words = Axis::words();
            let help = nearest(&word, words.iter().map(String::as_str))
                .map(|word| format!("did you mean `{word}`?"));
            self.error(span, format!("`{word}` is no element of a concept"), "unknown", help)
        })
    }
}

fn concept_help() -> String {
    let names: Vec<&str> = Axis::ALL.iter().map(|axis| axis.name()).collect();
    format!(
        "concepts are {}, PIECES (= ROLES * COLORS) and sets such as `{{pawn, rook}}`",
        names.join(", ")
    )
}
