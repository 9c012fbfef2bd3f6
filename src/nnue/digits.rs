//! Numbers of the feature transformer in two digits.
//!
//! The sums of some nets do not fit 16 bits: those of a linear model, which are centipawns of all
//! pieces together, and those of rows too large for a useful and safe scale. There every number is
//! a high and a low digit, each a column of the accumulator, all high digits before all low ones;
//! so rows are added as in other nets. The layer above joins the digits of its inputs.

use serde::{Deserialize, Serialize};

/// Value of one in the high digit: 2 to 32 767.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "i32", into = "i32")]
pub struct Base(i32);

/// A base that no digits have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("base = {base}: digits of 16 bits have a base of 2 to {}", i16::MAX)]
pub struct BaseError {
    /// The rejected base.
    pub base: i32,
}

impl TryFrom<i32> for Base {
    type Error = BaseError;

    fn try_from(base: i32) -> Result<Self, BaseError> {
        (2..=i32::from(i16::MAX)).contains(&base).then_some(Self(base)).ok_or(BaseError { base })
    }
}

impl From<Base> for i32 {
    fn from(Base(base): Base) -> i32 {
        base
    }
}

impl Base {
    /// The largest power of two with which the low digits of `rows` rows, at most half the base
    /// each, add up within 16 bits.
    pub fn of_rows(rows: usize) -> Self {
        let most = i16::MAX as usize;
        let twice_a_digit = 2 * (most / rows.max(1)).clamp(1, most / 2);
        Self(1 << twice_a_digit.ilog2())
    }

    /// The high and the low digit. The low one is at most half the base; a high one beyond i16
    /// wraps, as sums do.
    fn split(self, whole: i32) -> [i16; 2] {
        let Self(base) = self;
        let high = (whole + base / 2).div_euclid(base);
        [high as i16, (whole - high * base) as i16]
    }

    /// The number with these digits.
    #[inline(always)]
    pub(super) fn join(self, high: i16, low: i16) -> i32 {
        i32::from(high) * self.0 + i32::from(low)
    }

    /// Rows of `width` numbers as rows of twice as many digits.
    pub(super) fn split_rows(self, wholes: &[i32], width: usize) -> Vec<i16> {
        let digit = |row: &[i32], place: usize| -> Vec<i16> {
            row.iter().map(|&whole| self.split(whole)[place]).collect()
        };
        wholes.chunks_exact(width).flat_map(|row| [digit(row, 0), digit(row, 1)].concat()).collect()
    }

    /// The numbers of rows of digits, `width` of them in a row.
    pub(super) fn join_rows(self, digits: &[i16], width: usize) -> Vec<i32> {
        let rows = digits.chunks_exact(2 * width).map(|row| row.split_at(width));
        rows.flat_map(|(high, low)| high.iter().zip(low).map(|(&h, &l)| self.join(h, l))).collect()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn bases() -> impl Strategy<Value = Base> {
        (2..=i32::from(i16::MAX)).prop_map(|base| Base::try_from(base).unwrap())
    }

    proptest! {
        #[test]
        fn digits_are_those_of_the_number(base in bases(), share in -1.0..1.0f64) {
            let whole = (share * f64::from(i16::MAX) * f64::from(base.0)) as i32;
            let [high, low] = base.split(whole);
            prop_assert_eq!(base.join(high, low), whole);
            prop_assert!(2 * i32::from(low).abs() <= base.0, "{low}");
        }

        #[test]
        fn high_digits_stand_before_low_ones(
            base in bases(),
            wholes in prop::collection::vec(any::<i16>().prop_map(i32::from), 12)
        ) {
            let digits = base.split_rows(&wholes, 4);
            prop_assert_eq!(base.join_rows(&digits, 4), &wholes[..]);
            for (row, wholes) in digits.chunks_exact(8).zip(wholes.chunks_exact(4)) {
                let high: Vec<i16> = wholes.iter().map(|&whole| base.split(whole)[0]).collect();
                prop_assert_eq!(&row[..4], &high);
            }
        }

        #[test]
        fn low_digits_of_all_rows_stay_in_16_bits(rows in 1usize..32_768) {
            let half = Base::of_rows(rows).0 as usize / 2;
            prop_assert!(rows * half <= i16::MAX as usize);
            // Twice the base would be too large, for the sum or for a digit.
            prop_assert!(2 * rows * half > i16::MAX as usize || 4 * half > i16::MAX as usize);
        }
    }

    #[test]
    fn bases_that_digits_cannot_have_are_refused() {
        for base in [i32::MIN, -1, 0, 1, 32_768, i32::MAX] {
            assert_eq!(Base::try_from(base), Err(BaseError { base }));
        }
    }
}
