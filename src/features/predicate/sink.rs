//! Receivers of active tuples.

use smallvec::SmallVec;

/// Takes tuples of one predicate. Values are 1 except in valued sets; sinks that ignore them pay
/// nothing.
pub trait Sink {
    /// Takes one tuple.
    fn push(&mut self, tuple: u32, value: f32);

    /// Takes a tuple of value 1 if it is `wanted`; without a branch where that is hard to predict.
    #[inline(always)]
    fn push_if(&mut self, wanted: bool, tuple: u32) {
        if wanted {
            self.push(tuple, 1.0);
        }
    }

    /// Takes many tuples of value 1 at once.
    #[inline(always)]
    fn push_all(&mut self, tuples: impl ExactSizeIterator<Item = u32>)
    where
        Self: Sized,
    {
        tuples.for_each(|tuple| self.push(tuple, 1.0));
    }
}

pub(crate) type Tuples = SmallVec<[(u32, f32); 64]>;

impl Sink for Tuples {
    #[inline]
    fn push(&mut self, tuple: u32, value: f32) {
        SmallVec::push(self, (tuple, value));
    }
}

/// Sorts, and merges equal tuples to one of value 1.
pub(crate) fn distinct(tuples: &mut Tuples) {
    tuples.sort_unstable_by_key(|&(tuple, _)| tuple);
    tuples.dedup_by_key(|&mut (tuple, _)| tuple);
}

/// Sorts, and adds up the values of equal tuples.
pub(crate) fn counted(tuples: &mut Tuples) {
    tuples.sort_unstable_by_key(|&(tuple, _)| tuple);
    tuples.dedup_by(|next, kept| {
        let equal = next.0 == kept.0;
        if equal {
            kept.1 += next.1;
        }
        equal
    });
}

/// Sends the entries of each of two sorted lists that the other lacks, or has with another value.
pub(crate) fn difference<S: Sink>(
    before: &[(u32, f32)],
    after: &[(u32, f32)],
    removed: &mut S,
    added: &mut S,
) {
    let (mut b, mut a) = (before.iter().peekable(), after.iter().peekable());
    loop {
        match (b.peek(), a.peek()) {
            (Some(old), Some(new)) if old == new => {
                b.next();
                a.next();
            }
            (Some(&&(old, value)), new) if new.is_none_or(|new| old <= new.0) => {
                removed.push(old, value);
                b.next();
            }
            (_, Some(&&(new, value))) => {
                added.push(new, value);
                a.next();
            }
            (_, None) => return,
        }
    }
}
