//! `each(x : CONCEPT, EXPR)`, a sum over elements, `any(x : CONCEPT, EXPR)`, its quotient, and
//! `shift(x, …)`, squares seen from them.

use std::cell::Cell;
use std::fmt;

use super::{JOIN, KEYWORDS, Parser, concepts, join};
use crate::catalogue::Names;
use crate::concept::{Axis, Concept, Spelling};
use crate::error::{ExpressionError, Result, Span};
use crate::expr::{Any, Each, Expr};
use crate::predicate::PredicateKind;
use crate::predicate::scalar::Scalar;
use crate::set::{MAX_BLOCKS, MAX_SIZE};
use crate::token::Token;

/// Meaning of a variable while its expression is parsed.
#[derive(Clone, Debug)]
pub(super) struct Variable {
    name: String,
    element: Concept,
    /// Whether the body uses it.
    used: Cell<bool>,
}

/// Steps along files and ranks, both ends included.
#[derive(Clone, Copy, Debug, Default)]
struct Steps {
    files: Option<(i32, i32)>,
    ranks: Option<(i32, i32)>,
}

/// Requested result of a sum over elements.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Wanted {
    /// The set for each element.
    Parts,
    /// The parts, and the set with the variable in its words.
    PartsAndWords,
}

/// Usage and an example.
fn usage(each: &str) -> String {
    format!(
        "`{each}` takes a variable, the concept whose elements it stands for, and a feature set: `{each}(x : FILES, piece(x * {{pawn}} * {{own}} * COUNTS(2)))`"
    )
}

const SHIFT_USAGE: &str =
    "`shift` takes a square, file or rank and steps from it: `shift(x, FILES -1..1, RANKS 1..7)`";

impl Parser<'_> {
    /// `each( WORD : concept , sum )`, after the word.
    pub(super) fn each(&mut self) -> Result<Each> {
        self.over_elements("each", Wanted::Parts).map(|(each, _)| each)
    }

    /// `any( WORD : concept , sum )`, after the word, which is at `span`.
    pub(super) fn any(&mut self, span: Span) -> Result<Any> {
        let (each, template) = self.over_elements("any", Wanted::PartsAndWords)?;
        let template = template.unwrap_or(Expr::Sum(Vec::new()));
        let span = span.start..self.end_of_last();
        if template.is_valued() {
            return Err(self.valued_classes(span, "`PHASE * any(x : FILES, piece(x * PIECES))`"));
        }
        if template.size().saturating_mul(each.parts.len() as u64) > MAX_SIZE {
            let message = "the sets of all elements together are too large";
            let help = "fewer elements, or smaller concepts".to_owned();
            return Err(self.error(span, message, "too large", Some(help)));
        }
        if let Some(other) = each.parts.iter().find(|part| part.size() != template.size()) {
            let (one, other) = (template.size(), other.size());
            let message = format!("this has {one} or {other} features, by the element");
            let help = "`any` needs the same features for every element; `each` does not";
            return Err(self.error(span, message, "not the same", Some(help.to_owned())));
        }
        Ok(Any { each, template: Box::new(template) })
    }

    /// A sum over elements, and its set in words of the variable.
    fn over_elements(&mut self, word: &str, wanted: Wanted) -> Result<(Each, Option<Expr>)> {
        let span = self.here();
        self.enter(&span)?;
        self.expect(Token::Open, &format!("after `{word}`"))?;
        let variable = self.variable(word)?;
        self.expect(Token::Colon, "between a variable and its concept")?;
        let over = self.elements_of(&variable, word)?;
        self.expect(Token::Comma, "between a concept and the set for each of its elements")?;
        let (parts, template) = self.set_for_each(&variable, &over, wanted)?;
        self.close(&format!("to close `{word}(`"), JOIN)?;
        self.depth -= 1;
        Ok((Each { variable, over, parts }, template))
    }

    /// A word without another meaning.
    fn variable(&mut self, each: &str) -> Result<String> {
        let span = self.here();
        let Some(Token::Word(word)) = self.peek().cloned() else {
            let found = self.peek().map_or("the end".to_owned(), Token::name);
            let message = format!("expected a variable, found {found}");
            return Err(self.error(span, message, "a word expected here", Some(usage(each))));
        };
        self.at += 1;
        let catalogue = Names::catalogue();
        let taken = if self.variables.iter().any(|variable| variable.name == word) {
            Some("a variable around this one")
        } else if Axis::parse_word(&word).is_some() {
            Some("an element of a concept")
        } else if self.axis_is_named(&word) || word == "shift" {
            Some("a concept")
        } else if catalogue.lookup(&word).is_some() || catalogue.scheme(&word).is_some() {
            // The user's names may be variables: names of the catalogue use some.
            Some("a name")
        } else if PredicateKind::parse(&word).is_some()
            || Scalar::parse(&word).is_some()
            || KEYWORDS.contains(&word.as_str())
            || ["once", "without", "train", "factors"].contains(&word.as_str())
        {
            Some("a word of the language")
        } else {
            None
        };
        match taken {
            None => Ok(word),
            Some(what) => Err(self.error(
                span,
                format!("`{word}` is {what} and can be no variable"),
                "has a meaning already",
                Some("any other word will do, such as x or here".into()),
            )),
        }
    }

    fn axis_is_named(&self, word: &str) -> bool {
        concepts::names().any(|name| name == word)
    }

    /// The concept whose elements the variable takes.
    fn elements_of(&mut self, variable: &str, each: &str) -> Result<Concept> {
        let span = self.here();
        let mut concepts = self.concepts()?;
        match concepts.len() {
            1 => Ok(concepts.remove(0).0),
            several => Err(self.error(
                span.start..self.end_of_last(),
                format!(
                    "`{variable}` stands for the elements of one concept, and these are {several}"
                ),
                "a product",
                Some(format!(
                    "write one in another: `{each}(x : FILES, {each}(y : RANKS, piece(x * y)))`"
                )),
            )),
        }
    }

    /// Parses the set once for each element.
    fn set_for_each(
        &mut self,
        variable: &str,
        over: &Concept,
        wanted: Wanted,
    ) -> Result<(Vec<Expr>, Option<Expr>)> {
        let around = self.repeated;
        let readings = over.len() + usize::from(wanted == Wanted::PartsAndWords);
        self.repeated = self.bounded(around * readings)?;
        let parts = self.read_for_each(variable, over, wanted);
        self.repeated = around;
        parts
    }

    /// The number of readings, bounded by the most products of a set.
    fn bounded(&self, readings: usize) -> Result<usize> {
        if readings as u64 <= MAX_BLOCKS {
            return Ok(readings);
        }
        Err(self.error(
            self.here(),
            format!(
                "written out, this is {readings} sets, and a set has {MAX_BLOCKS} products at most"
            ),
            "too many elements in one another",
            Some("fewer elements, such as `{c3..f6}` instead of SQUARES".into()),
        ))
    }

    fn read_for_each(
        &mut self,
        variable: &str,
        over: &Concept,
        wanted: Wanted,
    ) -> Result<(Vec<Expr>, Option<Expr>)> {
        let start = self.at;
        let spent = self.predicates.get();
        let mut spent_once = spent;
        let around = std::mem::take(&mut self.shifts);
        let mut parts = Vec::with_capacity(over.len());
        for class in 0..over.len() {
            self.at = start;
            self.predicates.set(spent);
            parts.push(self.read_with(variable, over.bound(class, variable))?);
            spent_once = spent_once.max(self.predicates.get());
        }
        self.predicates.set(spent_once);
        let shifts = std::mem::take(&mut self.shifts);
        // Another element of a sum around this one may lead to the board.
        if self.variables.is_empty() {
            self.check_shifts(&shifts)?;
        }
        let template = match wanted {
            Wanted::Parts => None,
            Wanted::PartsAndWords => {
                self.at = start;
                self.predicates.set(spent);
                Some(self.read_with(variable, over.bound_to_any(variable))?)
            }
        };
        self.predicates.set(spent_once);
        self.shifts = around;
        self.shifts.extend(shifts);
        Ok((parts, template))
    }

    /// Reads a set in which a variable stands for an element.
    fn read_with(&mut self, variable: &str, element: Concept) -> Result<Expr> {
        let start = self.here().start;
        let (name, used) = (variable.to_owned(), Cell::new(false));
        self.variables.push(Variable { name, element, used });
        let set = self.summands().map(join);
        let is_used = self.variables.pop().is_some_and(|variable| variable.used.get());
        let set = set?;
        if is_used {
            return Ok(set);
        }
        Err(self.error(
            start..self.end_of_last(),
            format!("`{variable}` stands for nothing here"),
            "the same for every element",
            Some(format!(
                "say something of it, such as `piece({variable} * PIECES)`, or leave it out"
            )),
        ))
    }

    /// Refuses steps that lead off the board from every element.
    fn check_shifts(&self, shifts: &[(Span, bool)]) -> Result<()> {
        let reaches = |span: &Span| shifts.iter().any(|(at, reaches)| at == span && *reaches);
        match shifts.iter().find(|(span, _)| !reaches(span)) {
            None => Ok(()),
            Some((span, _)) => Err(self.off_board(span.clone())),
        }
    }

    fn off_board(&self, span: Span) -> Box<ExpressionError> {
        self.error(
            span,
            "these steps lead off the board",
            "nothing is there",
            Some(
                "squares off the board are empty, and these are off the board for every element; take fewer steps"
                    .into(),
            ),
        )
    }

    /// The element of a variable.
    pub(super) fn bound(&self, word: &str) -> Option<Concept> {
        let variable = self.variables.iter().rev().find(|variable| variable.name == word);
        variable.map(|variable| {
            variable.used.set(true);
            variable.element.clone()
        })
    }

    /// `shift( concept , FILES a..b , RANKS c..d )`, after the word.
    pub(super) fn shift(&mut self, start: usize) -> Result<Concept> {
        self.expect(Token::Open, "after `shift`")?;
        let from_span = self.here();
        let mut from = self.concepts()?;
        let from = match from.len() {
            1 => from.remove(0).0,
            _ => return Err(self.no_place(from_span.start..self.end_of_last())),
        };
        if !matches!(from.axis(), Axis::Square | Axis::File | Axis::Rank) {
            return Err(self.no_place(from_span.start..self.end_of_last()));
        }
        let steps = self.steps(from.axis())?;
        self.expect(Token::Close, "to close `shift(`")?;
        let span = start..self.end_of_last();
        let shifted = steps.of(&from);
        if overlaps(&shifted) {
            let message = "several elements reach the same place by these steps";
            let help =
                "say them one by one: `each(x : {d1, e1}, piece(shift(x, FILES 0..1) * PIECES))`"
                    .to_owned();
            return Err(self.error(span, message, "not one place for each", Some(help)));
        }
        if !self.variables.is_empty() {
            self.shifts.push((span, shifted.elements().next().is_some()));
            return Ok(shifted);
        }
        match (0..shifted.len()).any(|class| shifted.class(class).is_empty()) {
            true => Err(self.off_board(span)),
            false => Ok(shifted.plain()),
        }
    }

    fn no_place(&self, span: Span) -> Box<ExpressionError> {
        let message = "`shift` starts from one concept of squares, files or ranks";
        self.error(span, message, "no such concept", Some(SHIFT_USAGE.into()))
    }

    /// `, FILES a..b , RANKS c..d`, in any order, at least one.
    fn steps(&mut self, axis: Axis) -> Result<Steps> {
        let mut steps = Steps::default();
        while self.next_if(&Token::Comma) {
            let span = self.here();
            let along = self.along(axis)?;
            let range = self.step_range()?;
            let known = if along == Axis::File { &mut steps.files } else { &mut steps.ranks };
            if known.replace(range).is_some() {
                let span = span.start..self.end_of_last();
                let help = Some("keep the one that is meant".to_owned());
                return Err(self.error(span, "these steps are given twice", "a second time", help));
            }
        }
        if steps.files.is_none() && steps.ranks.is_none() {
            let message = "`shift` needs to know how far";
            let help = Some(SHIFT_USAGE.to_owned());
            return Err(self.error(self.here(), message, "`,` and steps expected here", help));
        }
        Ok(steps)
    }

    /// `FILES` or `RANKS`, along which elements of this axis can be left.
    fn along(&mut self, axis: Axis) -> Result<Axis> {
        let span = self.here();
        let found = match self.peek() {
            Some(Token::Word(word)) => {
                [Axis::File, Axis::Rank].into_iter().find(|along| along.name() == word)
            }
            _ => None,
        };
        let help = Some(SHIFT_USAGE.to_owned());
        let Some(along) = found else {
            let message = "steps are along `FILES` or `RANKS`";
            return Err(self.error(span, message, "`FILES` or `RANKS` expected here", help));
        };
        if axis != Axis::Square && axis != along {
            let message = format!("from {axis} there are no steps along {along}");
            return Err(self.error(span, message, "not from here", help));
        }
        self.at += 1;
        Ok(along)
    }

    /// `-1..1`, or one number.
    fn step_range(&mut self) -> Result<(i32, i32)> {
        let span = self.here();
        let first = self.step()?;
        let last = if self.next_if(&Token::Dots) { self.step()? } else { first };
        if first <= last {
            return Ok((first, last));
        }
        let span = span.start..self.end_of_last();
        let help = format!("write `{last}..{first}`");
        Err(self.error(span, "steps rise from the first to the last", "these fall", Some(help)))
    }

    fn step(&mut self) -> Result<i32> {
        let found = match self.peek() {
            Some(Token::Number(text)) => text.parse().ok().filter(|n| (-7..=7).contains(n)),
            _ => None,
        };
        self.at += usize::from(found.is_some());
        found.ok_or_else(|| {
            let message = "expected a number of steps from -7 to 7";
            self.error(self.here(), message, "a number expected here", None)
        })
    }
}

/// Whether an element is in two classes.
fn overlaps(concept: &Concept) -> bool {
    let mut all: Vec<u8> = concept.elements().collect();
    all.sort_unstable();
    all.windows(2).any(|pair| pair[0] == pair[1])
}

impl Steps {
    /// The element at each of these steps from one of an axis.
    fn from(self, axis: Axis, element: u8) -> Vec<u8> {
        let along = |steps: Option<(i32, i32)>, at: i32| {
            let (first, last) = steps.unwrap_or_default();
            (at + first..=at + last).filter(|to| (0..8).contains(to))
        };
        let element = i32::from(element);
        match axis {
            Axis::File => along(self.files, element).map(|to| to as u8).collect(),
            Axis::Rank => along(self.ranks, element).map(|to| to as u8).collect(),
            _ => along(self.ranks, element / 8)
                .flat_map(|rank| {
                    along(self.files, element % 8).map(move |file| (8 * rank + file) as u8)
                })
                .collect(),
        }
    }

    /// The elements at these steps from any of a class; none where all lead off the board.
    fn of(self, from: &Concept) -> Concept {
        let axis = from.axis();
        let classes: Vec<Vec<u8>> = (0..from.len())
            .map(|class| {
                let mut all: Vec<u8> =
                    from.class(class).iter().flat_map(|&one| self.from(axis, one)).collect();
                all.sort_unstable();
                all.dedup();
                all
            })
            .collect();
        let words = classes.iter().enumerate().map(|(class, elements)| match elements.as_slice() {
            [one] if !from.is_of_any() => Concept::subset(axis, vec![*one]).words(0),
            _ => format!("{self} from {}", from.words(class)),
        });
        let words = Some(words.collect());
        let text = format!("shift({}, {self})", from.as_written());
        Concept::spelled(axis, classes, Spelling { text, words, of_any: from.is_of_any() })
    }
}

/// `FILES -1..1, RANKS 1..7`
impl fmt::Display for Steps {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let along = |axis: Axis, steps: Option<(i32, i32)>| {
            steps.map(|(first, last)| match first == last {
                true => format!("{axis} {first}"),
                false => format!("{axis} {first}..{last}"),
            })
        };
        let both = [along(Axis::File, self.files), along(Axis::Rank, self.ranks)];
        f.write_str(&both.into_iter().flatten().collect::<Vec<_>>().join(", "))
    }
}
