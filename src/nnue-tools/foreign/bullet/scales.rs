//! Scales of a file of bullet: `qa 255, qb 64, scale 400`.

use std::fmt;
use std::str::FromStr;

use super::LayoutError;
use super::numbers::{QA, QB, SCALE, numbers};

/// Integers per unit, and the unit of the output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BulletScales {
    /// Integers per unit of the feature transformer.
    pub(super) qa: i32,
    /// Integers per unit of the output weights.
    pub(super) qb: i32,
    /// Centipawns per unit of the output.
    pub(super) scale: i32,
}

impl BulletScales {
    /// Of numbers within their ranges, all far below 2³¹.
    pub(super) fn of(numbers: [usize; 3]) -> Self {
        let [qa, qb, scale] = numbers.map(|number| number as i32);
        Self { qa, qb, scale }
    }
}

/// Those of bullet's examples.
impl Default for BulletScales {
    fn default() -> Self {
        Self { qa: 255, qb: 64, scale: 400 }
    }
}

/// Parts in any order, missing ones as in bullet's examples.
impl FromStr for BulletScales {
    type Err = LayoutError;

    fn from_str(text: &str) -> Result<Self, LayoutError> {
        Ok(Self::of(numbers(text.split(','), [QA, QB, SCALE], &[])?))
    }
}

impl fmt::Display for BulletScales {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { qa, qb, scale } = self;
        write!(f, "qa {qa}, qb {qb}, scale {scale}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scales_parse_in_any_order_and_print_whole() {
        for (text, all) in [
            ("qa 255", "qa 255, qb 64, scale 400"),
            ("scale 200, qb 32", "qa 255, qb 32, scale 200"),
        ] {
            assert_eq!(text.parse::<BulletScales>().unwrap().to_string(), all);
        }
        assert_eq!("qa 255".parse::<BulletScales>().unwrap(), BulletScales::default());
    }

    #[test]
    fn other_keys_and_numbers_are_refused() {
        for (text, message) in [
            ("buckets 8", "`buckets` says nothing of a file of bullet; there are qa, qb, scale"),
            ("qa 0", "qa is `0`; it has to be a number from 1 to 1024"),
            ("qb 40000", "qb is `40000`"),
            ("qa 1, qa 1", "qa is there twice"),
            ("", "`` says nothing"),
        ] {
            let error = text.parse::<BulletScales>().unwrap_err().to_string();
            assert!(error.starts_with(message), "{error}");
        }
    }
}
