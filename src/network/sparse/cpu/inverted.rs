//! Which rows a feature is active in: the index list turned round.

use super::Rows;

/// For each feature the rows it is active in, ascending.
#[derive(Debug)]
pub struct Inverted {
    /// `starts[f]..starts[f + 1]` is the part of `rows` that belongs to `f`.
    starts: Vec<u32>,
    rows: Vec<u32>,
}

impl Inverted {
    /// Counting sort of the (row, feature) pairs by feature.
    pub fn new(of: Rows<'_>, features: usize) -> Self {
        let mut starts = vec![0u32; features + 1];
        for_each_pair(of, |_, feature| starts[feature + 1] += 1);
        for feature in 0..features {
            starts[feature + 1] += starts[feature];
        }
        let mut next = starts.clone();
        let mut rows = vec![0u32; starts[features] as usize];
        for_each_pair(of, |row, feature| {
            rows[next[feature] as usize] = row as u32;
            next[feature] += 1;
        });
        Self { starts, rows }
    }

    /// The rows in which `feature` is active.
    #[inline]
    pub fn rows_of(&self, feature: usize) -> &[u32] {
        &self.rows[self.starts[feature] as usize..self.starts[feature + 1] as usize]
    }
}

#[inline]
fn for_each_pair(of: Rows<'_>, mut visit: impl FnMut(usize, usize)) {
    for (row, features) in of.indices.chunks_exact(of.width).enumerate() {
        for &feature in features.iter().take_while(|&&feature| feature >= 0) {
            visit(row, feature as usize);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_every_pair_once_by_feature() {
        let indices = [2, 0, -1, /**/ -1, -1, -1, /**/ 1, 2, 4];
        let inverted = Inverted::new(Rows { indices: &indices, width: 3 }, 5);
        let lists: Vec<&[u32]> = (0..5).map(|feature| inverted.rows_of(feature)).collect();
        assert_eq!(lists, [&[0][..], &[2], &[0, 2], &[], &[2]]);
    }
}
