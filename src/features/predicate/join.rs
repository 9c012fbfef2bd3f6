//! Placements, moves and attacks at places that depend on one element, joined:
//! `each(x : SQUARES, piece(x * {own pawn}) * piece(shift(x, RANKS 1..7) * … * COUNTS(1){0}))`.
//!
//! Written out, such a sum is a product of tables for every element. Here the marks of all elements
//! are computed once, and only elements with a changed square in their places are compared.

mod factor;
mod term;

use super::prelude::*;
use crate::expr::{Each, Expr};
use chess::View;
use factor::{Factor, Kings};
use term::Term;

/// Sums over elements of products of marks.
#[derive(Clone, Debug)]
pub(crate) struct JoinTable {
    /// Features per element; 0 if all elements share their features.
    stride: u32,
    /// Summands of each element.
    terms: Vec<Term>,
}

impl JoinTable {
    /// `None` of sums with other predicates than marks on places, and of more elements than bits.
    pub(crate) fn of(each: &Each) -> Option<Self> {
        let stride = each.parts.first()?.size() as u32;
        Self::joined(each, stride, Kings::Select)
    }

    /// The same for `any`, whose elements share their features.
    pub(crate) fn of_any(each: &Each) -> Option<Self> {
        Self::joined(each, 0, Kings::Stand)
    }

    fn joined(each: &Each, stride: u32, kings: Kings) -> Option<Self> {
        let first = each.parts.first().filter(|_| each.parts.len() <= 64)?;
        let mut terms = terms_of(first, kings)?;
        for (element, part) in each.parts.iter().enumerate().skip(1) {
            let others = terms_of(part, kings)?;
            for (term, other) in terms.iter_mut().zip(&others) {
                for (factor, other) in term.factors.iter_mut().zip(&other.factors) {
                    factor.is_like(other).then_some(())?;
                    factor.take_place(element, other.places[0]);
                }
            }
        }
        terms.iter_mut().for_each(|term| term.finish(each.parts.len()));
        Some(Self { stride, terms })
    }
}

/// Summands of the set for one element.
fn terms_of(part: &Expr, kings: Kings) -> Option<Vec<Term>> {
    let summands = match part {
        Expr::Sum(parts) => parts.as_slice(),
        one => std::slice::from_ref(one),
    };
    let mut offset = 0;
    let mut terms = Vec::new();
    for summand in summands {
        let factors = match summand {
            Expr::Product(parts) => parts.as_slice(),
            one => std::slice::from_ref(one),
        };
        let mut stride = 1;
        let mut found = Vec::new();
        for factor in factors.iter().rev() {
            let Expr::Predicate(predicate) = factor else { return None };
            found.push(Factor::of(predicate, stride, kings)?);
            stride *= predicate.size() as u32;
        }
        terms.push(Term::new(offset, found));
        offset += summand.size() as u32;
    }
    Some(terms)
}

impl Table for JoinTable {
    fn active<S: Sink>(&self, view: View<'_>, sink: &mut S) {
        self.terms.iter().for_each(|term| term.active(view, self.stride, sink));
    }

    fn delta<S: Sink>(&self, step: &ViewStep<'_>, removed: &mut S, added: &mut S) -> Update {
        self.terms.iter().for_each(|term| term.delta(step, self.stride, removed, added));
        Update::Rows
    }
}
