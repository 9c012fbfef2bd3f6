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
    let caption = match report.paired_puzzles.iter().all(|pair| pair.lead.speaks_for_sets()) {
        true => {
            "Nets are compared seed by seed, with seeds and puzzles as random factors: interval (95 %, \
             percentage points) and two-sided p (Student's t) hold for the sets, not only for \
             these nets. Counts are attempts over all seeds."
        }
        false => {
            "One net each: the interval (95 %, percentage points) and McNemar's test, two-sided, \
             compare these nets. They exclude the unknown spread between seeds, so they are no \
             verdict on the sets."
        }
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
        .caption(caption)
        .table();
    (!table.rows.is_empty()).then(|| table.into())
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
