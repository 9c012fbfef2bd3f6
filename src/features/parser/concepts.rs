//! Concepts in an expression: named ones, sets, quotients and differences.

use super::Parser;
use super::quotients::MOST_CLASSES;
use crate::concept::{Axis, Concept, MOST_BANDS};
use crate::error::{ExpressionError, Result, Span, meant, nearest};
use crate::token::Token;

/// A concept and where it stands.
type Spanned = (Concept, Span);

/// Largest number that `COUNTS` takes.
const MOST_COUNT: u32 = 64;

/// Files a to d of each rank, for quotients of squares written for half a board.
const HALF_BOARD: usize = 32;

pub(crate) fn names() -> impl Iterator<Item = &'static str> {
    Axis::NAMED.iter().map(|axis| axis.name()).chain(["PIECES", "COUNTS", "BANDS"])
}

fn concept_help() -> String {
    format!(
        "concepts are {} and sets such as `{{pawn, rook}}`",
        names().collect::<Vec<_>>().join(", ")
    )
}

impl Parser<'_> {
    pub(super) fn concepts(&mut self) -> Result<Vec<Spanned>> {
        let mut concepts = self.concept()?;
        while self.next_if(&Token::Star) {
            concepts.extend(self.concept()?);
        }
        Ok(concepts)
    }

    /// One concept, or several for `PIECES` and parentheses.
    fn concept(&mut self) -> Result<Vec<Spanned>> {
        let span = self.here();
        let concepts = match self.peek().cloned() {
            Some(Token::Open) => {
                self.enter(&span)?;
                self.at += 1;
                let inner = self.concepts()?;
                let join = "concepts are joined with `*`, as in `piece(SQUARES * PIECES)`";
                self.close("to close the parenthesis", join)?;
                self.depth -= 1;
                inner
            }
            Some(Token::OpenSet) => {
                let set = self.set(None)?;
                vec![(set, span.start..self.end_of_last())]
            }
            Some(Token::Word(word)) => {
                self.at += 1;
                if let Some(spelled) = self.spelled_concept(&word, &span)? {
                    return Ok(vec![(spelled, span.start..self.end_of_last())]);
                }
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
        let concepts = self.quotient(concepts, span.start)?;
        self.difference(concepts, span.start)
    }

    /// A variable, or squares seen from one; neither takes a quotient or a difference.
    fn spelled_concept(&mut self, word: &str, span: &Span) -> Result<Option<Concept>> {
        let Some(concept) = (match word {
            "shift" => Some(self.shift(span.start)?),
            word => self.bound(word),
        }) else {
            return Ok(None);
        };
        match self.peek() {
            Some(Token::Slash) => {}
            Some(Token::Word(word)) if word == "without" => {}
            _ => return Ok(Some(concept)),
        }
        let message = format!("`{}` has one value for each element", concept.as_written());
        let help = "divide or lessen the concept that the variable stands for".to_owned();
        Err(self.error(self.here(), message, "neither divided nor lessened", Some(help)))
    }

    fn named_concept(&mut self, word: &str, span: Span) -> Result<Vec<Spanned>> {
        if word == "PIECES" {
            let both = [Axis::Role, Axis::Color].map(|axis| (Concept::full(axis), span.clone()));
            return Ok(both.to_vec());
        }
        let axis = match self.axis(word)? {
            Some(axis) => axis,
            None => return Err(self.unknown_concept(word, span)),
        };
        let concept = match self.peek() {
            Some(Token::OpenSet) => self.set(Some(axis))?,
            _ => Concept::full(axis),
        };
        Ok(vec![(concept, span.start..self.end_of_last())])
    }

    /// Axis of a word, with the number of `COUNTS` and `BANDS`.
    pub(super) fn axis(&mut self, word: &str) -> Result<Option<Axis>> {
        Ok(match word {
            "COUNTS" => Some(Axis::Count(self.parameter(word, 1, MOST_COUNT)?)),
            "BANDS" => Some(Axis::Band(self.parameter(word, 2, MOST_BANDS.into())?)),
            word => Axis::NAMED.into_iter().find(|axis| axis.name() == word),
        })
    }

    /// `(n)` after `COUNTS` or `BANDS`.
    fn parameter(&mut self, word: &str, least: u32, most: u32) -> Result<u8> {
        self.expect(Token::Open, &format!("after `{word}`: `{word}(8)`"))?;
        let number = self.number(least, most)?;
        self.expect(Token::Close, &format!("to close `{word}(`"))?;
        Ok(number as u8)
    }

    fn unknown_concept(&self, word: &str, span: Span) -> Box<ExpressionError> {
        let what = if let Some((axis, _)) = Axis::parse_word(word) {
            format!("`{word}` is an element of {axis}, not a concept")
        } else if self.names.scheme(word).is_some() {
            format!(
                "`{word}` is a scheme for a quotient, not a concept: it stands after one and `/`"
            )
        } else if self.names.lookup(word).is_some() {
            format!("`{word}` is a feature set, not a concept")
        } else {
            format!("unknown concept `{word}`")
        };
        let help = self.concept_meant(word).map_or_else(concept_help, |word| meant(&word));
        self.error(span, what, "not a concept", Some(help))
    }

    /// Correction of an unknown concept, by the sign behind it.
    fn concept_meant(&self, word: &str) -> Option<String> {
        const NUMBERED: [&str; 2] = ["COUNTS", "BANDS"];
        let meant = match self.peek() {
            Some(Token::Open) => nearest(word, NUMBERED)?,
            Some(Token::OpenSet) => nearest(word, Axis::NAMED.map(Axis::name))?,
            _ if Axis::parse_word(word).is_some() => return Some(format!("{{{word}}}")),
            _ => nearest(word, names())?,
        };
        let is_short = NUMBERED.contains(&meant) && self.peek() != Some(&Token::Open);
        Some(if is_short { format!("{meant}(8)") } else { meant.to_owned() })
    }

    /// Applies a following `/ […]` or `/ SCHEME`.
    fn quotient(&mut self, concepts: Vec<Spanned>, start: usize) -> Result<Vec<Spanned>> {
        let slash = self.here();
        if !self.next_if(&Token::Slash) {
            return Ok(concepts);
        }
        let plain: Vec<&Concept> = concepts.iter().map(|(concept, _)| concept).collect();
        let axis = match plain.as_slice() {
            [one] if **one == Concept::full(one.axis()) => one.axis(),
            // PIECES, whose elements are then numbered as kinds of pieces.
            [role, color]
                if **role == Concept::full(Axis::Role) && **color == Concept::full(Axis::Color) =>
            {
                Axis::Piece
            }
            _ => {
                return Err(self.error(
                    slash,
                    "`/` divides one whole concept into classes",
                    "after a product or a part",
                    Some("leave elements out with `-`: `FILES / [0, 1, 1, -, -, 1, 1, 0]`".into()),
                ));
            }
        };
        let span = self.here();
        let numbers = self.numbers_or_scheme(MOST_CLASSES)?;
        let span = span.start..self.end_of_last();
        let numbers = whole_board(axis, numbers);
        if numbers.len() != usize::from(axis.size()) {
            let half = if axis == Axis::Square { " (or 32, for files a to d)" } else { "" };
            return Err(self.error(
                span,
                format!(
                    "{axis} has {} elements{half}, and this numbers {}",
                    axis.size(),
                    numbers.len()
                ),
                "not one number for each",
                Some("write one number for each element in order, `-` to leave it out".into()),
            ));
        }
        let Some(concept) = Concept::quotient(axis, &numbers) else {
            return Err(self.class_left_out(span));
        };
        Ok(vec![(concept, start..span.end)])
    }

    /// Applies a following `without {…}`.
    fn difference(&mut self, concepts: Vec<Spanned>, start: usize) -> Result<Vec<Spanned>> {
        let word_span = self.here();
        if !self.next_if(&Token::Word("without".into())) {
            return Ok(concepts);
        }
        let set_span = self.here();
        // Elements of a single concept are known, also those without words.
        let axis = match concepts.as_slice() {
            [(concept, _)] => Some(concept.axis()),
            _ => None,
        };
        let removed = self.named_set(axis)?;
        let span = start..self.end_of_last();
        let mut concepts = concepts;
        if removed.axis() == Axis::Piece
            && let [(role, _), (color, _)] = concepts.as_slice()
            && *role == Concept::full(Axis::Role)
            && *color == Concept::full(Axis::Color)
        {
            concepts = vec![(Concept::full(Axis::Piece), span.clone())];
        }
        let fits: Vec<usize> =
            (0..concepts.len()).filter(|&i| concepts[i].0.axis() == removed.axis()).collect();
        let at = match (fits.as_slice(), concepts.as_slice()) {
            ([at], _) => *at,
            ([], [(concept, _)]) => {
                return Err(self.error(
                    set_span,
                    format!("{} has no such elements", concept.axis()),
                    format!("these are {}", removed.axis()),
                    None,
                ));
            }
            _ => {
                return Err(self.error(
                    word_span,
                    format!(
                        "`without` takes elements from one concept, and here {} of these are {}",
                        fits.len(),
                        removed.axis()
                    ),
                    "after a product",
                    Some("write `(ROLES without {king}) * COLORS`".into()),
                ));
            }
        };
        let rest = concepts[at].0.without(&removed);
        if rest.is_empty() {
            return Err(self.error(span, "nothing is left of this concept", "empty set", None));
        }
        concepts[at] = (rest, span);
        Ok(concepts)
    }
}

/// Completes numbers for files a to d. The right half of the board stays out: no own king stands
/// there in a mirrored view.
fn whole_board(axis: Axis, numbers: Vec<Option<u32>>) -> Vec<Option<u32>> {
    if axis != Axis::Square || numbers.len() != HALF_BOARD {
        return numbers;
    }
    numbers.chunks(4).flat_map(|rank| rank.iter().copied().chain([None; 4])).collect()
}
