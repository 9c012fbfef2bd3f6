//! One-hot predicates: selection of a copy of the other factors of a product.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::Compiled;
use super::coding::NONE;
use crate::refresh::{RefreshCause, STATES};
use chess::View;

/// A table over the states of one refresh cause, such as the own king's square: another state may
/// select another tuple.
#[derive(Clone, Debug)]
pub(crate) struct Selector {
    cause: RefreshCause,
    /// By [`RefreshCause::state`].
    tuple: [u32; STATES],
}

impl Selector {
    /// The selector of the tuple that belongs to each state, or `NONE`.
    pub(super) fn compiled(cause: RefreshCause, tuple: impl Fn(usize) -> u32) -> Compiled {
        Compiled::OneHot(Arc::new(Self { cause, tuple: std::array::from_fn(tuple) }))
    }

    #[inline]
    pub(crate) fn refresh_cause(&self) -> RefreshCause {
        self.cause
    }

    #[inline(always)]
    pub(crate) fn value(&self, view: View<'_>) -> Option<u32> {
        self.at(self.cause.state(view))
    }

    /// The tuple of a state, if there is one.
    #[inline(always)]
    pub(crate) fn at(&self, state: usize) -> Option<u32> {
        let tuple = self.tuple[state];
        (tuple != NONE).then_some(tuple)
    }

    /// Whether every state in positions of a game has a tuple.
    pub(crate) fn always_selects(&self) -> bool {
        self.cause.states_of_games().all(|state| self.at(state).is_some())
    }

    pub(crate) fn tuples(&self) -> BTreeSet<u32> {
        self.tuple.iter().copied().filter(|&tuple| tuple != NONE).collect()
    }
}
