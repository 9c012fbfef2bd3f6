//! A feature expression with all names expanded.

use std::fmt;

use super::predicate::Predicate;

/// Sum (concatenation) and product (both hold) of predicates over concepts.
#[derive(Clone, Debug, PartialEq)]
pub enum Expr {
    /// A predicate over a product of concepts.
    Predicate(Predicate),
    /// `A + B + …`: first A's features, then B's, …
    Sum(Vec<Expr>),
    /// `A * B * …`: one feature per tuple, A's index most significant.
    Product(Vec<Expr>),
}

impl Expr {
    /// Number of features. Saturates; [`FeatureSet`](super::FeatureSet) refuses sets that large.
    pub fn size(&self) -> u64 {
        match self {
            Expr::Predicate(predicate) => predicate.size(),
            Expr::Sum(parts) => parts.iter().map(Expr::size).fold(0, u64::saturating_add),
            Expr::Product(parts) => parts.iter().map(Expr::size).fold(1, u64::saturating_mul),
        }
    }

    /// Most features that can be active together, an upper bound.
    pub fn max_active(&self) -> u64 {
        match self {
            Expr::Predicate(predicate) => predicate.max_active(),
            Expr::Sum(parts) => parts.iter().map(Expr::max_active).fold(0, u64::saturating_add),
            Expr::Product(parts) => parts.iter().map(Expr::max_active).fold(1, u64::saturating_mul),
        }
    }

    /// What a feature says in words: `own rook on d4`.
    pub fn describe(&self, index: u64) -> String {
        match self {
            Expr::Predicate(predicate) => predicate.describe(index),
            Expr::Sum(parts) => {
                let mut rest = index;
                for part in parts {
                    if rest < part.size() {
                        return part.describe(rest);
                    }
                    rest -= part.size();
                }
                format!("no feature {index}")
            }
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
        }
    }
}

impl fmt::Display for Expr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let joined = |f: &mut fmt::Formatter<'_>, parts: &[Expr], sign: &str| {
            for (i, part) in parts.iter().enumerate() {
                if i > 0 {
                    write!(f, " {sign} ")?;
                }
                match part {
                    Expr::Predicate(_) => write!(f, "{part}")?,
                    _ => write!(f, "({part})")?,
                }
            }
            Ok(())
        };
        match self {
            Expr::Predicate(predicate) => write!(f, "{predicate}"),
            Expr::Sum(parts) => {
                // `*` binds tighter than `+`, so products need no parentheses here.
                for (i, part) in parts.iter().enumerate() {
                    if i > 0 {
                        f.write_str(" + ")?;
                    }
                    match part {
                        Expr::Sum(_) => write!(f, "({part})")?,
                        _ => write!(f, "{part}")?,
                    }
                }
                Ok(())
            }
            Expr::Product(parts) => joined(f, parts, "*"),
        }
    }
}
