//! Counts in words.

use base::format::{counted, grouped};

/// `400 games`, or `300 to 400 games`.
pub(crate) fn range(counts: impl IntoIterator<Item = u64>, noun: &str) -> String {
    let (mut least, mut most) = (u64::MAX, 0);
    for count in counts {
        (least, most) = (least.min(count), most.max(count));
    }
    match least < most {
        true => format!("{} to {}", grouped(least), counted(most, noun)),
        false => counted(most, noun),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_single_count_is_no_range() {
        assert_eq!(range([60], "puzzle"), "60 puzzles");
        assert_eq!(range([1, 1], "seed"), "1 seed");
        assert_eq!(range([1_200, 60], "puzzle"), "60 to 1,200 puzzles");
        assert_eq!(range([], "game"), "0 games");
    }
}
