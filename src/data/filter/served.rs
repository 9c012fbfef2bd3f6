//! What a filter asks and a format cannot answer.

use super::Filter;
use crate::Format;

impl Filter {
    /// Why it cannot be applied to files of that format, and what to write
    /// instead; `None` if it can.
    pub fn unserved(&self, format: Format) -> Option<String> {
        let reasons = [
            (self.asks_for_moves(format)).then(|| {
                "it has no moves, so captures and promotions cannot be dropped (`tactical = false`)"
                    .to_owned()
            }),
            (self.asks_for_plies(format)).then(|| {
                let asked = match self.min_ply {
                    0 => format!("full_ply = {}", self.full_ply),
                    first => format!("min_ply = {first}"),
                };
                format!("it has no move numbers, so early plies cannot be dropped (`{asked}`)")
            }),
            (self.asks_for_scores(format)).then(|| {
                "it has no scores, only results: they can be trained on with `wdl = 1`".to_owned()
            }),
            (self.compares_scores(format)).then(|| {
                "it has no scores to hold against results (`upset`) or static evaluations \
                 (`static_gap`)"
                    .to_owned()
            }),
        ];
        let reasons: Vec<String> =
            reasons.into_iter().flatten().map(|reason| format!("\n  - {reason}")).collect();
        if reasons.is_empty() {
            return None;
        }
        Some(format!("{}\n{}", reasons.concat(), self.instead(format)))
    }

    /// The filters that come nearest and can be applied.
    fn instead(&self, format: Format) -> String {
        let asks_for_plies = self.asks_for_plies(format);
        let mut served = Self {
            min_ply: if asks_for_plies { 0 } else { self.min_ply },
            full_ply: if asks_for_plies { 0 } else { self.full_ply },
            unscored: self.unscored || self.asks_for_scores(format),
            ..self.clone()
        };
        if self.compares_scores(format) {
            (served.upset, served.static_gap) = (None, None);
        }
        if !self.asks_for_moves(format) {
            return format!("write\n  filter = {served}");
        }
        let vouched = Self { quiet_lists: true, ..served.clone() };
        let kept = Self { tactical: true, ..served };
        let exchanged = Self { winning_captures: false, ..kept.clone() };
        format!(
            "if it was made of quiet positions, say so with\n  filter = {vouched}\nto drop, whatever was played, positions in which a capture wins by exchange, write\n  filter = {exchanged}\nto keep captures and promotions everywhere, write\n  filter = {kept}"
        )
    }

    fn asks_for_moves(&self, format: Format) -> bool {
        !self.tactical && !self.quiet_lists && !format.has_moves()
    }

    fn asks_for_plies(&self, format: Format) -> bool {
        (self.min_ply > 0 || self.full_ply > 0) && !format.has_plies()
    }

    fn asks_for_scores(&self, format: Format) -> bool {
        !self.unscored && !format.has_scores()
    }

    fn compares_scores(&self, format: Format) -> bool {
        (self.upset.is_some() || self.static_gap.is_some()) && !format.has_scores()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::filter::Upset;

    #[test]
    fn games_serve_every_filter() {
        let demanding = Filter { min_ply: 16, ..Filter::QUIET };
        for format in [Format::Pgn, Format::Viriformat] {
            assert_eq!(demanding.unserved(format), None);
        }
    }

    #[test]
    fn what_is_advised_is_served() {
        let upset = Some(Upset { max: 0.8, scale_cp: 361.0 });
        let demanding =
            Filter { min_ply: 16, full_ply: 20, max_score: Some(900), upset, ..Filter::QUIET };
        for format in Format::ALL {
            let Some(told) = demanding.unserved(format) else { continue };
            let advised: Vec<Filter> = told
                .lines()
                .filter_map(|line| line.trim().strip_prefix("filter = "))
                .map(|filter| filter.parse().unwrap())
                .collect();
            assert_eq!(advised.len(), 3, "{told}");
            for filter in advised {
                assert_eq!(filter.unserved(format), None, "{filter}");
                assert_eq!((filter.max_score, filter.checks), (Some(900), false));
            }
        }
    }

    #[test]
    fn every_reason_is_named() {
        let told = Filter { min_ply: 16, ..Filter::QUIET }.unserved(Format::Epd).unwrap();
        for part in ["no moves", "`tactical = false`", "`min_ply = 16`", "`wdl = 1`"] {
            assert!(told.contains(part), "{part}: {told}");
        }
        let told = Filter::NONE.unserved(Format::Epd).unwrap();
        assert!(!told.contains("no moves"), "{told}");
        assert!(told.ends_with("write\n  filter = { base = \"none\", unscored = true }"), "{told}");
        assert_eq!(Filter { min_ply: 16, ..Filter::NONE }.unserved(Format::ScoredText), None);
    }
}
