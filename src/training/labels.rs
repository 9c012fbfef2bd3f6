//! Availability of labels (scores, results, or both) and of half-move clocks.

use super::config::TrainingConfig;
use super::schedule::WdlWeight;
use super::warning::Warning;
use data::Census;
use nnue::Architecture;

/// Labels and clocks that the job needs and the samples lack.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum MissingLabels {
    #[error(
        "training.wdl is {0} but no training position has the result of its game; \
         set it to 0, or add data with results"
    )]
    NoResults(WdlWeight),
    #[error(
        "training.wdl is {0} but no training position has a score; \
         set it to 1 to train on results alone, or add data with scores"
    )]
    NoScores(WdlWeight),
    #[error(
        "{0} training positions have neither a score nor the result of their game; \
         drop `unscored` from data.filter (--filter of `oplus train`), or add data with results"
    )]
    Neither(u64),
    #[error(
        "the net reads the half-move clock (`halfmoves`), and it is 0 in all {0} training \
         positions; add data with half-move clocks (games, or lines with both counters of a FEN), \
         or leave `halfmoves` out"
    )]
    NoHalfmoves(u64),
}

/// Checks that every sample has a label, and some have the labels that the configuration uses.
pub(crate) fn check(census: &Census, config: &TrainingConfig) -> Result<(), MissingLabels> {
    let weight = config.wdl;
    match census {
        Census { decided: 0, .. } if weight.wants_results() => {
            Err(MissingLabels::NoResults(weight))
        }
        Census { scored: 0, .. } if weight.wants_scores() => Err(MissingLabels::NoScores(weight)),
        Census { neither: 1.., .. } => Err(MissingLabels::Neither(census.neither)),
        _ => Ok(()),
    }
}

/// Checks that half-move clocks are known: they are 0 in data without them.
pub(crate) fn check_halfmoves(census: &Census) -> Result<(), MissingLabels> {
    match census {
        Census { clocked: 0, samples, .. } => Err(MissingLabels::NoHalfmoves(*samples)),
        _ => Ok(()),
    }
}

/// Share of positions with a clock of 0 from which on data without clocks is suspected: in games it
/// is a third to a half.
const MOST_WITHOUT_CLOCK: f64 = 0.75;

/// Warns where few positions have a half-move clock, for a net that reads it.
pub(crate) fn few_halfmoves(census: &Census) -> Option<Warning> {
    let share = 1.0 - census.clocked as f64 / census.samples.max(1) as f64;
    (share > MOST_WITHOUT_CLOCK).then_some(Warning::FewHalfmoves { share })
}

/// Warnings about samples with one label where the configuration blends two.
pub(crate) fn warnings(census: &Census, config: &TrainingConfig) -> Vec<Warning> {
    let missing = |there: u64| (census.samples - there) as f64 / census.samples.max(1) as f64;
    let weight = config.wdl;
    let mut warnings = Vec::new();
    if weight.wants_results() && census.decided < census.samples {
        warnings.push(Warning::WithoutResult { share: missing(census.decided), weight });
    }
    if weight.wants_scores() && census.scored < census.samples {
        warnings.push(Warning::WithoutScore { share: missing(census.scored), weight });
    }
    warnings
}

/// Warns of a linear net with more weights than positions. Other nets have no such bound.
pub(crate) fn few_positions(positions: u64, architecture: &Architecture) -> Option<Warning> {
    let Architecture { features, layers } = architecture;
    let weights = (features * layers.psqt_columns()) as u64;
    (layers.is_linear() && positions < weights)
        .then_some(Warning::FewPositions { positions, weights })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::random_samples;
    use data::{Inventory, Sample};

    #[test]
    fn a_linear_net_wants_a_position_for_each_weight() {
        let warned = |features, line: &str, positions| {
            let architecture = Architecture { features, layers: line.parse().unwrap() };
            few_positions(positions, &architecture).map(|warning| warning.to_string())
        };
        assert_eq!(warned(768, "1", 768), None);
        assert_eq!(warned(768, "32 -> 1", 10), None);
        let text = warned(768, "1, buckets 8", 6_143).unwrap();
        assert!(text.starts_with("6,143 training positions for the 6,144 weights"), "{text}");
    }

    /// Samples: the first `scored` have a score, the last `decided` a result.
    fn samples(count: usize, scored: usize, decided: usize) -> Vec<Sample> {
        let mut samples = random_samples(count, 1);
        samples[scored..].iter_mut().for_each(|sample| sample.score = Sample::NO_SCORE);
        let unknown = &mut samples[..count - decided];
        unknown.iter_mut().for_each(|sample| sample.result = Sample::UNKNOWN_RESULT);
        samples
    }

    fn judge(
        weight: f64,
        (scored, decided): (usize, usize),
    ) -> Result<Vec<Warning>, MissingLabels> {
        let wdl = WdlWeight::Constant(weight);
        let config = TrainingConfig { wdl, ..Default::default() };
        let census = Inventory::of(&samples(10, scored, decided), &[]).census;
        check(&census, &config).map(|()| warnings(&census, &config))
    }

    #[test]
    fn what_is_wanted_must_be_there() {
        let weight = WdlWeight::Constant;
        assert!(
            matches!(judge(0.5, (10, 0)), Err(MissingLabels::NoResults(w)) if w == weight(0.5))
        );
        assert!(matches!(judge(0.5, (0, 10)), Err(MissingLabels::NoScores(_))));
        assert!(matches!(judge(0.5, (4, 3)), Err(MissingLabels::Neither(3))));
        assert!(judge(0.0, (10, 0)).unwrap().is_empty());
        assert!(judge(1.0, (0, 10)).unwrap().is_empty());
        assert!(judge(0.5, (10, 10)).unwrap().is_empty());
    }

    #[test]
    fn few_half_move_clocks_are_warned_of() {
        let warned =
            |clocked| few_halfmoves(&Census { samples: 1_000, clocked, ..Census::default() });
        assert!(warned(600).is_none());
        let text = warned(100).unwrap().to_string();
        assert!(text.contains("0 in 90.0 % of the training positions"), "{text}");
    }

    #[test]
    fn partly_missing_labels_are_warned_of() {
        let warnings_of = |weight, counts| {
            let warnings = judge(weight, counts).unwrap();
            warnings.iter().map(Warning::to_string).collect::<Vec<_>>().join("; ")
        };
        for (counts, start) in [
            ((10, 4), "60.0 % of the training positions have no result"),
            ((7, 10), "30.0 % of the training positions have no score"),
        ] {
            let warnings = warnings_of(0.5, counts);
            assert!(warnings.starts_with(start), "{warnings}");
        }
        assert_eq!(warnings_of(0.0, (10, 4)), "");
    }
}
