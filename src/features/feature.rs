//! A feature, its value, and the change of the active ones in a move.

use chess::{BoardChange, Scene};

use super::predicate::sink::Sink;

/// Index of a feature in its set; the row of the first layer it selects.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, bytemuck::Pod, bytemuck::Zeroable,
)]
#[repr(transparent)]
pub struct Feature(pub u32);

/// An active feature of a valued set: its row is added `value` times.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
pub struct Weighted {
    /// The feature.
    pub feature: Feature,
    /// Its value; 1 in binary sets.
    pub value: f32,
}

impl Sink for Vec<Feature> {
    #[inline]
    fn push(&mut self, index: u32, _value: f32) {
        Vec::push(self, Feature(index));
    }

    #[inline(always)]
    fn push_if(&mut self, wanted: bool, index: u32) {
        Vec::push(self, Feature(index));
        self.truncate(self.len() - usize::from(!wanted));
    }

    #[inline(always)]
    fn push_all(&mut self, indices: impl ExactSizeIterator<Item = u32>) {
        self.extend(indices.map(Feature));
    }
}

impl Sink for Vec<Weighted> {
    #[inline]
    fn push(&mut self, index: u32, value: f32) {
        Vec::push(self, Weighted { feature: Feature(index), value });
    }
}

/// A move as features see it.
#[derive(Clone, Copy, Debug)]
pub struct Step<'a> {
    /// The position before the move.
    pub before: &'a Scene,
    /// The position after the move.
    pub after: &'a Scene,
    /// Pieces that the move takes off and puts on.
    pub change: &'a BoardChange,
}

/// Rows to subtract and add for one move and one perspective: of [`Feature`]s
/// for binary sets, of [`Weighted`] ones for any.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Delta<E = Feature> {
    /// Features that were active and are not any more.
    pub removed: Vec<E>,
    /// Features that became active.
    pub added: Vec<E>,
}

impl<E> Default for Delta<E> {
    fn default() -> Self {
        Self { removed: Vec::new(), added: Vec::new() }
    }
}

impl<E> Delta<E> {
    /// Empties both lists, keeping their memory.
    pub fn clear(&mut self) {
        self.removed.clear();
        self.added.clear();
    }
}

/// How an accumulator follows a move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Update {
    /// Apply the rows in the [`Delta`].
    Rows,
    /// Start again from the active features.
    Refresh,
}
