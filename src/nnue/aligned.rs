//! 16-bit numbers aligned to cache lines, for vector loads.

use std::ops::{Deref, DerefMut};

use bytemuck::{Pod, Zeroable};

/// 16-bit numbers in a cache line of 64 bytes.
pub(crate) const LANES: usize = 32;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Pod, Zeroable)]
#[repr(C, align(64))]
struct CacheLine([i16; LANES]);

/// A vector of 16-bit numbers that begins on a cache line; rows of a width that is a multiple of 32
/// then all do.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Aligned {
    lines: Vec<CacheLine>,
    len: usize,
}

impl Aligned {
    /// Zeros.
    pub fn zeroed(len: usize) -> Self {
        Self { lines: vec![CacheLine([0; LANES]); len.div_ceil(LANES)], len }
    }

    /// Makes room for `len` numbers in all; new ones are zero.
    pub(crate) fn grow(&mut self, len: usize) {
        if len > self.len {
            self.lines.resize(len.div_ceil(LANES), CacheLine([0; LANES]));
            self.len = len;
        }
    }
}

impl From<Vec<i16>> for Aligned {
    fn from(values: Vec<i16>) -> Self {
        let mut aligned = Self::zeroed(values.len());
        aligned.copy_from_slice(&values);
        aligned
    }
}

impl Deref for Aligned {
    type Target = [i16];

    #[inline]
    fn deref(&self) -> &[i16] {
        &bytemuck::cast_slice(&self.lines)[..self.len]
    }
}

impl DerefMut for Aligned {
    #[inline]
    fn deref_mut(&mut self) -> &mut [i16] {
        &mut bytemuck::cast_slice_mut(&mut self.lines)[..self.len]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_aligned_and_unchanged() {
        for len in [0, 1, 31, 32, 33, 1000] {
            let values: Vec<i16> = (0..len).collect();
            let mut aligned = Aligned::from(values.clone());
            assert_eq!(&*aligned, &*values);
            assert_eq!(aligned.as_ptr().align_offset(64), 0);
            aligned.grow(values.len() + 40);
            assert_eq!(&aligned[..values.len()], &*values);
            assert!(aligned[values.len()..].iter().all(|&v| v == 0));
            assert_eq!(aligned.len(), values.len() + 40);
        }
    }
}
