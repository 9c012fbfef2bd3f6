//! A feature expression with all names expanded.

use std::fmt;
use std::sync::Arc;

use super::concept::Concept;
use super::predicate::Predicate;
use super::predicate::scalar::Scalar;
use chess::{Bitboard, Side};

/// Sum (concatenation) and product (both hold) of predicates over concepts.
#[derive(Clone, Debug, PartialEq)]
pub enum Expr {
    /// A predicate over a product of concepts.
    Predicate(Predicate),
    /// `count(P)`: how many times P holds.
    Count(Predicate),
    /// A number of the position.
    Scalar(Scalar),
    /// `A + B + …`: first A's features, then B's, …
    Sum(Vec<Expr>),
    /// `A * B * …`: one feature per tuple, A's index most significant.
    Product(Vec<Expr>),
    /// `mirror(A)`: A seen so that the own king stands on files a to d.
    Mirror(Box<Expr>),
    /// `rows(A, […])`: these features of A, in this order.
    Rows(Box<Expr>, Arc<[u32]>),
    /// `each(x : CONCEPT, A)`: A for the first x, then for the second, …
    Each(Each),
    /// `any(x : CONCEPT, A)`: A, where it holds for at least one x.
    Any(Any),
    /// `A / [0, 0, 1, -]`: classes of A's features, active if any member is.
    Quotient(Box<Expr>, Arc<[Option<u32>]>),
}

/// A sum over the elements of a concept.
#[derive(Clone, Debug, PartialEq)]
pub struct Each {
    /// Variable for an element.
    pub(crate) variable: String,
    /// Concept of the elements.
    pub(crate) over: Concept,
    /// The set for each element, in order.
    pub(crate) parts: Vec<Expr>,
}

/// The quotient of a sum over elements: features that differ in the element alone are one.
#[derive(Clone, Debug, PartialEq)]
pub struct Any {
    pub(crate) each: Each,
    /// The set with the variable in its words.
    pub(crate) template: Box<Expr>,
}

impl Any {
    /// The sets for each element, which have the same size.
    pub fn parts(&self) -> &[Expr] {
        &self.each.parts
    }

    /// `for some x of FILES: own pawn on x`.
    fn describe(&self, index: u64) -> String {
        let Each { variable, over, .. } = &self.each;
        format!("for some {variable} of {}: {}", over.as_written(), self.template.describe(index))
    }
}

/// Most features of all parts that can be active together: those of one part, if each is chosen
/// by another place of one king.
fn most_together(parts: &[Expr]) -> u64 {
    let most = parts.iter().map(Expr::max_active);
    match exclude_each_other(parts) {
        true => most.max().unwrap_or(0),
        false => most.fold(0, u64::saturating_add),
    }
}

/// Whether each part has a factor on the square of one king, and no two the same square.
fn exclude_each_other(parts: &[Expr]) -> bool {
    let squares = |part: &Expr, side: Side| {
        let factors = match part {
            Expr::Product(factors) => factors.as_slice(),
            one => std::slice::from_ref(one),
        };
        factors.iter().find_map(|factor| match factor {
            Expr::Predicate(predicate) => predicate.squares_of_king(side),
            _ => None,
        })
    };
    Side::ALL.into_iter().any(|side| {
        let mut taken = Bitboard::EMPTY;
        parts.iter().all(|part| {
            squares(part, side).is_some_and(|squares| {
                let is_free = (taken & squares).is_empty();
                taken |= squares;
                is_free
            })
        })
    })
}

/// The features of a class.
pub(crate) fn members(classes: &[Option<u32>], class: u64) -> impl Iterator<Item = u64> {
    (0..).zip(classes).filter(move |(_, its)| its.map(u64::from) == Some(class)).map(|(i, _)| i)
}

/// A class in words: its member, a few of them, or the first and the last.
fn describe_class(inner: &Expr, classes: &[Option<u32>], class: u64) -> String {
    const LISTED: usize = 3;
    let all: Vec<u64> = members(classes, class).collect();
    let words = |&index: &u64| inner.describe(index);
    match all.as_slice() {
        [] => format!("no feature {class}"),
        [one] => words(one),
        few if few.len() <= LISTED => few.iter().map(words).collect::<Vec<_>>().join(" or "),
        [first, .., last] => format!("class {class} ({} … {})", words(first), words(last)),
    }
}

impl Expr {
    /// Summands of a sum, written out or by `each`; none for other expressions.
    pub fn terms(&self) -> &[Expr] {
        match self {
            Expr::Sum(parts) | Expr::Each(Each { parts, .. }) => parts,
            _ => &[],
        }
    }

    /// Number of features. Saturates; [`FeatureSet`](super::FeatureSet) refuses sets that large.
    pub fn size(&self) -> u64 {
        match self {
            Expr::Predicate(predicate) | Expr::Count(predicate) => predicate.size(),
            Expr::Scalar(_) => 1,
            Expr::Sum(parts) | Expr::Each(Each { parts, .. }) => {
                parts.iter().map(Expr::size).fold(0, u64::saturating_add)
            }
            Expr::Product(parts) => parts.iter().map(Expr::size).fold(1, u64::saturating_mul),
            Expr::Mirror(inner) => inner.size(),
            Expr::Rows(_, rows) => rows.len() as u64,
            Expr::Any(any) => any.template.size(),
            Expr::Quotient(_, classes) => {
                classes.iter().flatten().max().map_or(0, |&last| u64::from(last) + 1)
            }
        }
    }

    /// Most features that can be active together, an upper bound.
    pub(crate) fn max_active(&self) -> u64 {
        match self {
            Expr::Predicate(predicate) | Expr::Count(predicate) => predicate.max_active(),
            Expr::Scalar(_) => 1,
            Expr::Sum(parts) | Expr::Each(Each { parts, .. }) => most_together(parts),
            Expr::Product(parts) => parts.iter().map(Expr::max_active).fold(1, u64::saturating_mul),
            Expr::Mirror(inner) => inner.max_active(),
            Expr::Rows(inner, _) | Expr::Quotient(inner, _) => inner.max_active().min(self.size()),
            Expr::Any(any) => most_together(any.parts()).min(self.size()),
        }
    }

    /// Decimal logarithm of the number of features, also of one that no integer holds.
    pub(crate) fn magnitude(&self) -> f64 {
        match self {
            Expr::Sum(parts) | Expr::Each(Each { parts, .. }) => {
                let sizes: Vec<f64> = parts.iter().map(Expr::magnitude).collect();
                let most = sizes.iter().copied().fold(0.0, f64::max);
                most + sizes.iter().map(|size| 10f64.powf(size - most)).sum::<f64>().log10()
            }
            Expr::Product(parts) => parts.iter().map(Expr::magnitude).sum(),
            Expr::Mirror(inner) => inner.magnitude(),
            exact => (exact.size() as f64).log10(),
        }
    }

    /// Number of blocks that the expression compiles to, saturating.
    pub(crate) fn blocks(&self) -> u64 {
        match self {
            Expr::Predicate(_) | Expr::Count(_) | Expr::Scalar(_) => 1,
            Expr::Sum(parts) | Expr::Each(Each { parts, .. }) => {
                parts.iter().map(Expr::blocks).fold(0, u64::saturating_add)
            }
            Expr::Product(parts) => parts.iter().map(Expr::blocks).fold(1, u64::saturating_mul),
            Expr::Mirror(inner) => inner.blocks(),
            Expr::Rows(inner, _) | Expr::Quotient(inner, _) => inner.blocks().saturating_add(1),
            Expr::Any(any) => any.parts().iter().map(Expr::blocks).fold(1, u64::saturating_add),
        }
    }

    /// Whether features carry numbers other than 1.
    pub(crate) fn is_valued(&self) -> bool {
        match self {
            Expr::Predicate(_) => false,
            Expr::Count(_) => true,
            Expr::Scalar(scalar) => *scalar != Scalar::One,
            Expr::Sum(parts) | Expr::Product(parts) | Expr::Each(Each { parts, .. }) => {
                parts.iter().any(Expr::is_valued)
            }
            Expr::Any(any) => any.template.is_valued(),
            Expr::Mirror(inner) | Expr::Rows(inner, _) | Expr::Quotient(inner, _) => {
                inner.is_valued()
            }
        }
    }

    /// A feature in words: `own rook on d4`.
    pub(crate) fn describe(&self, index: u64) -> String {
        match self {
            Expr::Predicate(predicate) => predicate.describe(index),
            Expr::Count(predicate) => format!("number of: {}", predicate.describe(index)),
            Expr::Scalar(scalar) => scalar.name().to_owned(),
            Expr::Sum(parts) | Expr::Each(Each { parts, .. }) => match locate(parts, index) {
                Some((part, rest)) => part.describe(rest),
                None => format!("no feature {index}"),
            },
            Expr::Product(parts) => {
                let mut rest = index;
                let mut words: Vec<String> = Vec::with_capacity(parts.len());
                for part in parts.iter().rev() {
                    words.push(part.describe(rest % part.size()));
                    rest /= part.size();
                }
                words.reverse();
                words.join(" and ")
            }
            Expr::Mirror(inner) => format!("{} (mirrored)", inner.describe(index)),
            Expr::Rows(inner, rows) => match rows.get(index as usize) {
                Some(&row) => inner.describe(u64::from(row)),
                None => format!("no feature {index}"),
            },
            Expr::Any(any) => any.describe(index),
            Expr::Quotient(inner, classes) => describe_class(inner, classes, index),
        }
    }
}

/// The part of a sum that an index lies in, and the index within it.
pub(super) fn locate(parts: &[Expr], index: u64) -> Option<(&Expr, u64)> {
    let mut rest = index;
    for part in parts {
        if rest < part.size() {
            return Some((part, rest));
        }
        rest -= part.size();
    }
    None
}

impl Expr {
    /// As it was written, with its variables.
    fn as_written(&self) -> String {
        self.text(&Predicate::as_written)
    }

    fn text(&self, of_predicate: &dyn Fn(&Predicate) -> String) -> String {
        let inner = |inner: &Expr| inner.text(of_predicate);
        match self {
            Expr::Predicate(predicate) => of_predicate(predicate),
            Expr::Count(predicate) => format!("count({})", of_predicate(predicate)),
            Expr::Scalar(scalar) => scalar.name().to_owned(),
            // `*` binds tighter than `+`, so products in a sum need no parentheses.
            Expr::Sum(parts) => joined(parts, " + ", |part| matches!(part, Expr::Sum(_)), inner),
            Expr::Product(parts) => {
                let needs = |part: &Expr| matches!(part, Expr::Sum(_) | Expr::Product(_));
                joined(parts, " * ", needs, inner)
            }
            Expr::Mirror(mirrored) => format!("mirror({})", inner(mirrored)),
            Expr::Rows(all, rows) => format!("rows({}, [{}])", inner(all), ranges(rows)),
            Expr::Each(each) => format!("each({})", each.as_written()),
            Expr::Any(any) => format!("any({})", any.each.as_written()),
            Expr::Quotient(all, classes) => {
                let is_one = !matches!(**all, Expr::Sum(_) | Expr::Product(_) | Expr::Quotient(..));
                let all = if is_one { inner(all) } else { format!("({})", inner(all)) };
                format!("{all} / [{}]", numbers(classes))
            }
        }
    }
}

impl fmt::Display for Expr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text(&Predicate::to_string))
    }
}

impl Each {
    /// `x : FILES, piece(x * {pawn})`
    fn as_written(&self) -> String {
        // All elements have the same text.
        let body = self.parts.first().map(Expr::as_written).unwrap_or_default();
        format!("{} : {}, {body}", self.variable, self.over.as_written())
    }
}

/// `0, 0, 1, -`
fn numbers(classes: &[Option<u32>]) -> String {
    let word = |class: &Option<u32>| class.map_or("-".to_owned(), |class| class.to_string());
    classes.iter().map(word).collect::<Vec<_>>().join(", ")
}

fn joined(
    parts: &[Expr],
    sign: &str,
    needs_parentheses: impl Fn(&Expr) -> bool,
    text: impl Fn(&Expr) -> String,
) -> String {
    let of_part = |part| match needs_parentheses(part) {
        true => format!("({})", text(part)),
        false => text(part),
    };
    parts.iter().map(of_part).collect::<Vec<_>>().join(sign)
}

/// `3, 7..12, 5`: runs of rising rows as ranges, both ends included.
fn ranges(rows: &[u32]) -> String {
    rows.chunk_by(|a, b| a + 1 == *b)
        .map(|run| match run {
            [one] => one.to_string(),
            run => format!("{}..{}", run[0], run[run.len() - 1]),
        })
        .collect::<Vec<_>>()
        .join(", ")
}
