//! Puzzles: two sets on the same ones, and the accuracy of each by rating.

use super::model::{PairedPuzzles, Report};
use report::Format::{Count, Id, PValue, Percent, Points, Text};
use report::{Cell, Column, Section, Table};

/// Paired tests against the reference; `None` if there is none.
pub(super) fn paired(report: &Report) -> Option<Section> {
    let difference = |it: &PairedPuzzles| match it.lead.speaks_for_sets() {
        true => Cell::judged(it.difference()),
        false => it.difference().into(),
    };
    let title = "The same puzzles, two sets";
    let table = Table::of("paired_puzzles", title, &report.paired_puzzles)
        .column(Column::new("first", "first", Text), |it| &it.first)
        .column(Column::new("second", "second", Text), |it| &it.second)
        .column(Column::new("condition", "limit", Text), |it| &it.condition)
        .column(Column::estimate("difference", "difference", Points), difference)
        .column(Column::new("nets", "nets each", Count), |it| it.lead.seeds)
        .column(Column::new("first_only", "only first", Count), |it| it.lead.counts.first_only)
        .column(Column::new("second_only", "only second", Count), |it| it.lead.counts.second_only)
        .column(Column::new("both", "both", Count), |it| it.lead.counts.both)
        .column(Column::new("neither", "neither", Count), |it| it.lead.counts.neither)
        .column(Column::new("p", "p", PValue), |it| it.lead.p_value)
        .caption(caption(&report.paired_puzzles))
        .table();
    (!table.rows.is_empty()).then(|| table.into())
}

/// Meaning of intervals and p-values, by the numbers of nets.
fn caption(pairs: &[PairedPuzzles]) -> &'static str {
    let of_sets = pairs.iter().filter(|pair| pair.lead.speaks_for_sets()).count();
    match (of_sets, pairs.len() - of_sets) {
        (_, 0) => {
            "Nets are compared seed by seed, with seeds and puzzles as random factors: interval (95 %, \
             percentage points) and two-sided p (Student's t) hold for the sets, not only for \
             these nets. Counts are attempts over all seeds."
        }
        (0, _) => {
            "One net each: the interval (95 %, percentage points) and McNemar's test, two-sided, \
             compare these nets. They exclude the unknown spread between seeds, so they are no \
             verdict on the sets."
        }
        _ => {
            "Several nets each: nets are compared seed by seed, with seeds and puzzles as random \
             factors; interval (95 %, percentage points) and two-sided p (Student's t) hold for \
             the sets, and counts are attempts over all seeds. One net each: the interval and \
             McNemar's test, two-sided, compare these nets. They exclude the unknown spread \
             between seeds, so they are no verdict on the sets."
        }
    }
}

/// A row for each set and range of ratings.
pub(super) fn by_rating(report: &Report) -> Table {
    let buckets = report
        .sets
        .iter()
        .flat_map(|set| set.puzzle_buckets.iter().map(move |bucket| (set, bucket)));
    Table::of("puzzles", "Puzzles by rating", buckets)
        .column(Column::new("set", "feature set", Text), |(set, _)| set.label())
        .column(Column::new("rating_from", "from", Id), |(_, bucket)| bucket.from)
        .column(Column::new("rating_to", "to", Id), |(_, bucket)| bucket.to)
        .column(Column::new("puzzles", "puzzles", Count), |(_, bucket)| bucket.puzzles)
        .column(Column::estimate("accuracy", "solved", Percent(1)), |(_, bucket)| bucket.accuracy)
        .table()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page::tests::demo;

    #[test]
    fn a_caption_names_the_test_of_every_row() {
        let mut pairs = demo::report().paired_puzzles;
        assert!(!caption(&pairs).contains("One net each"));
        pairs[0].lead.seeds = 1;
        assert!(caption(&pairs).contains("Student's t") && caption(&pairs).contains("McNemar"));
        pairs.truncate(1);
        assert!(!caption(&pairs).contains("Student's t"));
    }
}
