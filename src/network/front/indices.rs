//! Lists of active features in memory, as a device reads them.
//!
//! A row of a batch is a list of features, filled up to the length of the longest. Lists for a
//! graphics card are copied in every step, so those of a set with fewer than 65,536 features take half
//! a word an index. Padding has all bits set in either form.

use super::PADDING;

/// Form of the indices of lists.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum IndexForm {
    /// A word of 32 bits an index.
    #[default]
    Word,
    /// Half a word an index, the first of a pair in the lower bits; for graphics cards.
    Half,
}

/// All bits of half a word.
const HALF: u32 = 0xffff;

impl IndexForm {
    /// The smallest form for a set of that size.
    pub fn smallest(features: usize) -> Self {
        if features <= HALF as usize { Self::Half } else { Self::Word }
    }

    /// Indices in a word.
    pub const fn of_word(self) -> usize {
        match self {
            Self::Word => 1,
            Self::Half => 2,
        }
    }

    /// Writes a list into the words of a row that hold [`PADDING`].
    pub fn write(self, words: &mut [i32], list: impl Iterator<Item = u32>) {
        match self {
            Self::Word => {
                words.iter_mut().zip(list).for_each(|(word, feature)| *word = feature as i32);
            }
            Self::Half => {
                for (place, feature) in list.enumerate() {
                    words[place / 2] ^= ((feature ^ HALF) << (place % 2 * 16)) as i32;
                }
            }
        }
    }
}

/// Lists of a batch in memory, a row of `width` indices each.
#[derive(Clone, Copy, Debug)]
pub struct IndexRows<'a> {
    pub words: &'a [i32],
    /// A multiple of the indices in a word.
    pub width: usize,
    pub form: IndexForm,
}

impl<'a> IndexRows<'a> {
    /// Number of rows.
    pub(super) fn len(self) -> usize {
        self.words.len() * self.form.of_word() / self.width
    }

    /// The features of a row.
    pub fn row(self, row: usize) -> impl Iterator<Item = usize> + Clone + 'a {
        let places = row * self.width..(row + 1) * self.width;
        places.map_while(move |place| self.at(place))
    }

    #[inline(always)]
    fn at(self, place: usize) -> Option<usize> {
        match self.form {
            IndexForm::Word => {
                let index = self.words[place];
                (index != PADDING).then_some(index as usize)
            }
            IndexForm::Half => {
                let index = (self.words[place / 2] as u32 >> (place % 2 * 16)) & HALF;
                (index != HALF).then_some(index as usize)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn lists_are_read_as_they_were_written(
            lists in prop::collection::vec(prop::collection::vec(0..HALF, 0..7), 1..5),
        ) {
            for form in [IndexForm::Word, IndexForm::Half] {
                let width = 8;
                let of_row = width / form.of_word();
                let mut words = vec![PADDING; lists.len() * of_row];
                for (row, list) in words.chunks_mut(of_row).zip(&lists) {
                    form.write(row, list.iter().copied());
                }
                let rows = IndexRows { words: &words, width, form };
                prop_assert_eq!(rows.len(), lists.len());
                for (row, list) in lists.iter().enumerate() {
                    let read: Vec<u32> = rows.row(row).map(|feature| feature as u32).collect();
                    prop_assert_eq!(&read, list);
                }
            }
        }
    }

    #[test]
    fn half_a_word_holds_every_feature_and_padding() {
        assert_eq!(IndexForm::smallest(0xffff), IndexForm::Half);
        assert_eq!(IndexForm::smallest(0x1_0000), IndexForm::Word);
    }
}
