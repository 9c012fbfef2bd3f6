//! The rows of a batch in the order of their groups.
//!
//! Rows of two groups have no feature in common, so the rows of a feature are among those of its
//! group. Each group begins with a new word of 32 rows; its words are taken in segments, which
//! are summed side by side and then added up in order.

/// Rows of a word of marks.
pub(crate) const WORD: usize = 32;

/// Words of a segment.
pub(crate) const SEGMENT: usize = 64;

/// Numbers that describe a group: its first word, how many words it has, its first segment.
pub(crate) const OF_GROUP: usize = 3;

/// The rows of a batch by group, as one list for a device:
///
/// ```text
/// [rows]             the place of each row
/// [places]           the row of each place, the first one where there is none
/// [groups + 1][3]    first word, words, first segment
/// [segments][2]      group, first word
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct RowOrder {
    pub(crate) list: Vec<i32>,
    pub(crate) layout: Layout,
}

/// Numbers of the entries of a [`RowOrder`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Layout {
    pub(crate) rows: usize,
    pub(crate) places: usize,
    pub(crate) groups: usize,
    pub(crate) segments: usize,
}

impl Layout {
    /// Words of marks for a feature of every group.
    #[cfg(any(feature = "wgpu", test))]
    pub(crate) fn words(&self) -> usize {
        self.places / WORD
    }

    /// Start of the rows of the places in the list.
    pub(crate) fn rows_at(&self) -> usize {
        self.rows
    }

    pub(crate) fn groups_at(&self) -> usize {
        self.rows_at() + self.places
    }

    pub(crate) fn segments_at(&self) -> usize {
        self.groups_at() + OF_GROUP * (self.groups + 1)
    }
}

impl RowOrder {
    /// The order of rows with the groups `of_rows`, each below `groups`.
    ///
    /// # Panics
    /// If a group is not below their number.
    pub fn new(of_rows: &[u8], groups: usize) -> Self {
        let mut counts = vec![0; groups];
        of_rows.iter().for_each(|&group| counts[usize::from(group)] += 1);
        let (mut of_groups, mut segments) = (Vec::new(), Vec::new());
        let mut next = Vec::with_capacity(groups);
        let mut word = 0;
        for (group, count) in counts.into_iter().enumerate() {
            let words = usize::div_ceil(count, WORD);
            of_groups.extend([word, words, segments.len() / 2]);
            segments.extend((word..word + words).step_by(SEGMENT).flat_map(|at| [group, at]));
            next.push(word * WORD);
            word += words;
        }
        of_groups.extend([word, 0, segments.len() / 2]);
        let layout = Layout {
            rows: of_rows.len(),
            places: word * WORD,
            groups,
            segments: segments.len() / 2,
        };
        let mut list = vec![0; layout.segments_at()];
        for (row, &group) in of_rows.iter().enumerate() {
            let place = &mut next[usize::from(group)];
            list[row] = *place as i32;
            list[layout.rows_at() + *place] = row as i32;
            *place += 1;
        }
        let numbers = of_groups.into_iter().map(|number| number as i32);
        list[layout.groups_at()..].iter_mut().zip(numbers).for_each(|(slot, of)| *slot = of);
        list.extend(segments.into_iter().map(|number| number as i32));
        Self { list, layout }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn rows_of_a_group_follow_each_other(of_rows in prop::collection::vec(0u8..7, 1..5_000)) {
            let RowOrder { list, layout } = RowOrder::new(&of_rows, 8);
            prop_assert_eq!(list.len(), layout.segments_at() + 2 * layout.segments);
            let number = |at: usize| list[at] as usize;
            let of_group = |group: usize| {
                [0, 1, 2].map(|at| number(layout.groups_at() + OF_GROUP * group + at))
            };
            let mut last = [None; 8];
            for (row, &group) in of_rows.iter().enumerate() {
                let place = number(row);
                prop_assert_eq!(number(layout.rows_at() + place), row);
                let [first, words, _] = of_group(group.into());
                prop_assert!((first * WORD..(first + words) * WORD).contains(&place));
                prop_assert!(last[usize::from(group)].replace(place) < Some(place));
            }
            let mut segment = 0;
            for group in 0..8 {
                let [first, words, first_segment] = of_group(group);
                prop_assert_eq!(first_segment, segment);
                for at in (first..first + words).step_by(SEGMENT) {
                    let found = [0, 1].map(|i| number(layout.segments_at() + 2 * segment + i));
                    prop_assert_eq!(found, [group, at]);
                    segment += 1;
                }
            }
            prop_assert_eq!(of_group(8), [layout.words(), 0, segment]);
            prop_assert_eq!(segment, layout.segments);
        }
    }
}
