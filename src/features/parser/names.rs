//! Names of sets: their definitions, and suggestions for unknown ones.

use super::{KEYWORDS, Parser, concepts, join};
use crate::concept::Axis;
use crate::error::{ExpressionError, Result, Span, meant, nearest};
use crate::expr::Expr;
use crate::predicate::PredicateKind;
use crate::predicate::scalar::Scalar;
use crate::token::Token;

impl Parser<'_> {
    /// Expression of a name, parsed after the name.
    pub(super) fn name(&mut self, word: &str, span: Span) -> Result<Expr> {
        if let Some(scheme) = self.names.scheme(word) {
            return Err(self.error(
                span,
                format!("`{word}` is a scheme for a quotient, not a feature set"),
                "needs a concept before it",
                Some(scheme_help(word, scheme)),
            ));
        }
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
        self.check_not_called(word, &span)?;
        let mut expanding = self.expanding.clone();
        expanding.push(word.to_owned());
        let title = format!("definition of {word}");
        let mut inner = Parser::new(&title, definition, self.names, expanding, self.predicates)?;
        self.enter(&span)?;
        inner.depth = self.depth;
        inner.repeated = self.repeated;
        let expr = join(inner.summands()?);
        inner.expect_end()?;
        self.depth -= 1;
        Ok(expr)
    }

    /// Refuses a parenthesis after the name of a set or scalar.
    pub(super) fn check_not_called(&self, word: &str, span: &Span) -> Result<()> {
        if self.peek() != Some(&Token::Open) {
            return Ok(());
        }
        let small = word.to_lowercase();
        let help = match PredicateKind::parse(&small) {
            Some(kind) => meant(kind.name()),
            None => format!("multiply with `*`, as in `{word} * (H + V)`"),
        };
        Err(self.error(
            span.clone(),
            format!("`{word}` is a set, and takes nothing in parentheses"),
            "a name, not a predicate",
            Some(help),
        ))
    }

    fn unknown_name(&self, word: &str, span: Span) -> Box<ExpressionError> {
        if let Some(element) = self.bound(word) {
            let example = match element.axis() {
                axis if axis.is_place() => format!("piece({word} * PIECES)"),
                Axis::Role => format!("piece(SQUARES * {word} * COLORS)"),
                Axis::Color => format!("piece(SQUARES * ROLES * {word})"),
                Axis::Piece => format!("piece(SQUARES * {word})"),
                Axis::Count(_) => format!("piece(FILES * PIECES * {word})"),
                Axis::Band(_) => format!("phase({word}) * ALL"),
                Axis::Wing => format!("castling(COLORS * {word})"),
                _ => format!("king_offset({word} * PIECES)"),
            };
            return self.error(
                span,
                format!("`{word}` stands for an element, not for a feature set"),
                "needs a predicate around it",
                Some(format!("write for example `{example}`")),
            );
        }
        if concepts::names().any(|name| name == word) {
            return self.error(
                span,
                format!("`{word}` is a concept, not a feature set"),
                "needs a predicate around it",
                Some(format!("write for example `{}`", concept_example(word))),
            );
        }
        if let Some((axis, _)) = Axis::parse_word(word) {
            return self.error(
                span,
                format!("`{word}` is an element of {axis}, not a feature set"),
                "needs a predicate around it",
                Some(format!("write for example `{}`", element_example(axis, word))),
            );
        }
        let help = match word {
            "train" => "`train` comes first: `train KING-ALL + factors`".to_owned(),
            "factors" => {
                "`factors` come last, outside of parentheses: `train KING-ALL + factors`".to_owned()
            }
            _ => self.name_meant(word),
        };
        self.error(span, format!("unknown feature set `{word}`"), "not a known name", Some(help))
    }

    /// Suggestion for an unknown name: a predicate before a parenthesis, else a set.
    fn name_meant(&self, word: &str) -> String {
        let predicates: Vec<&str> = PredicateKind::ALL.iter().map(|kind| kind.name()).collect();
        if self.peek() == Some(&Token::Open) {
            let known = predicates.iter().copied().chain(KEYWORDS);
            return match nearest(word, known) {
                Some(name) => meant(name),
                None => format!("predicates are {}", predicates.join(", ")),
            };
        }
        let scalars = Scalar::ALL.map(Scalar::name);
        let known = self.names.all().chain(scalars).chain(predicates);
        match nearest(word, known) {
            Some(name) => match PredicateKind::parse(name) {
                Some(kind) => meant(kind.entry().example),
                None => meant(name),
            },
            None => {
                "`oplus features --list` shows all named sets; add your own under [define]".into()
            }
        }
    }
}

/// A set made of a concept.
fn concept_example(word: &str) -> &'static str {
    match word {
        "FILES" => "piece(FILES * PIECES)",
        "RANKS" => "piece(RANKS * PIECES)",
        "DIAGS1" => "piece(DIAGS1 * PIECES)",
        "DIAGS2" => "piece(DIAGS2 * PIECES)",
        "FILE_STEPS" | "RANK_STEPS" => "king_offset(FILE_STEPS * RANK_STEPS * PIECES)",
        "WINGS" => "castling(COLORS * WINGS)",
        "COUNTS" => "piece(FILES * PIECES * COUNTS(2))",
        "BANDS" => "phase(BANDS(4)) * ALL",
        _ => "piece(SQUARES * PIECES)",
    }
}

/// A set made of an element.
fn element_example(axis: Axis, word: &str) -> String {
    match axis {
        Axis::Role => format!("piece(SQUARES * {{{word}}} * COLORS)"),
        Axis::Color => format!("piece(SQUARES * ROLES * {{{word}}})"),
        Axis::Wing => format!("castling(COLORS * {{{word}}})"),
        Axis::Piece => format!("piece(SQUARES * {{{word}}})"),
        _ => format!("piece({{{word}}} * PIECES)"),
    }
}

/// Places where a scheme of `numbers` fits.
pub(super) fn scheme_help(word: &str, numbers: &str) -> String {
    let example = match numbers.split(',').count() {
        64 => format!("king(SQUARES / {word}) * ALL"),
        32 => format!("mirror(king(SQUARES / {word}) * ALL)"),
        15 => format!("piece((DIAGS1 / {word}) * PIECES)"),
        12 => format!("piece(SQUARES * (PIECES / {word}))"),
        8 => format!("king(FILES / {word}) * ALL"),
        6 => format!("piece(SQUARES * (ROLES / {word}) * COLORS)"),
        count => return format!("it numbers {count} elements, and stands after a concept and `/`"),
    };
    format!("write for example `{example}`")
}
