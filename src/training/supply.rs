//! Whether the samples have what is to be taught: scores, results, or both.

use super::config::TrainingConfig;
use super::schedule::ResultWeight;
use super::warning::Warning;
use data::Census;
use nnue::Architecture;

/// Why the samples lack what the configuration trains on.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum NothingToTeach {
    #[error(
        "training.result_weight is {0} but no training position has the result of its game; \
         set it to 0, or add data with results"
    )]
    NoResults(ResultWeight),
    #[error(
        "training.result_weight is {0} but no training position has a score; \
         set it to 1 to train on results alone, or add data with scores"
    )]
    NoScores(ResultWeight),
    #[error(
        "{0} training positions have neither a score nor the result of their game; \
         drop `unscored` from data.filter (--filter of `oplus train`), or add data with results"
    )]
    Neither(u64),
}

/// Whether every sample can be taught something, and some what is wanted.
pub(crate) fn check(census: &Census, config: &TrainingConfig) -> Result<(), NothingToTeach> {
    let weight = config.result_weight;
    match census {
        Census { decided: 0, .. } if weight.wants_results() => {
            Err(NothingToTeach::NoResults(weight))
        }
        Census { scored: 0, .. } if weight.wants_scores() => Err(NothingToTeach::NoScores(weight)),
        Census { neither: 1.., .. } => Err(NothingToTeach::Neither(census.neither)),
        _ => Ok(()),
    }
}

/// What a person should know of samples that are taught only one of the two where both are
/// wanted.
pub(crate) fn warnings(census: &Census, config: &TrainingConfig) -> Vec<Warning> {
    let missing = |there: u64| (census.samples - there) as f64 / census.samples.max(1) as f64;
    let weight = config.result_weight;
    let mut warnings = Vec::new();
    if weight.wants_results() && census.decided < census.samples {
        warnings.push(Warning::WithoutResult { share: missing(census.decided), weight });
    }
    if weight.wants_scores() && census.scored < census.samples {
        warnings.push(Warning::WithoutScore { share: missing(census.scored), weight });
    }
    warnings
}

/// Whether a linear net has more weights than positions to learn them from. Of other nets nobody
/// can say how many are too few.
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
        let told = warned(768, "1, buckets 8", 6_143).unwrap();
        assert!(told.starts_with("6,143 training positions for the 6,144 weights"), "{told}");
    }

    /// Samples of which the first `score` have a score and the last `result` a
    /// result.
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
    ) -> Result<Vec<Warning>, NothingToTeach> {
        let result_weight = ResultWeight::Constant(weight);
        let config = TrainingConfig { result_weight, ..Default::default() };
        let census = Inventory::of(&samples(10, scored, decided), &[]).census;
        check(&census, &config).map(|()| warnings(&census, &config))
    }

    #[test]
    fn what_is_wanted_must_be_there() {
        let weight = ResultWeight::Constant;
        assert!(
            matches!(judge(0.5, (10, 0)), Err(NothingToTeach::NoResults(w)) if w == weight(0.5))
        );
        assert!(matches!(judge(0.5, (0, 10)), Err(NothingToTeach::NoScores(_))));
        assert!(matches!(judge(0.5, (4, 3)), Err(NothingToTeach::Neither(3))));
        assert!(judge(0.0, (10, 0)).unwrap().is_empty());
        assert!(judge(1.0, (0, 10)).unwrap().is_empty());
        assert!(judge(0.5, (10, 10)).unwrap().is_empty());
    }

    #[test]
    fn what_is_partly_there_is_said() {
        let text = |weight, counts| {
            let warnings = judge(weight, counts).unwrap();
            warnings.iter().map(Warning::to_string).collect::<Vec<_>>().join("; ")
        };
        let told = text(0.5, (10, 4));
        assert!(told.starts_with("60.0 % of the training positions have no result"), "{told}");
        let told = text(0.5, (7, 10));
        assert!(told.starts_with("30.0 % of the training positions have no score"), "{told}");
        assert_eq!(text(0.0, (10, 4)), "");
    }
}
