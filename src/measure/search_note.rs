//! The search by which nets are judged, for the readers of a page.

use engine::Techniques;

/// Its difference from play, its reason, and the way to repeat it with another program.
pub fn search_note() -> String {
    format!(
        "Search: {}, which would correct the errors of the evaluations; \
         `setoption name Judging value true` selects this search in `oplus uci`.",
        Techniques::JUDGING
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_note_names_the_part_that_is_left_out() {
        assert!(search_note().starts_with("Search: as in play, without correction-history, which"));
    }
}
