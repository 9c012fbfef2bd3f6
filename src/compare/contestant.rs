//! Who is compared: a net file, a run, or all nets of a feature set.

use std::path::Path;
use std::sync::Arc;

use super::error::CompareError;
use experiment::Registry;
use experiment::measure::{Trained, kind};
use experiment::registry::RunRecord;
use experiment::runner::REGISTRY_FILE;
use features::FeatureSet;
use nnue::Net;

/// Nets that differ by their seed only.
#[derive(Clone, Debug)]
pub struct Contestant {
    /// What it is called.
    pub label: String,
    /// At least one.
    pub nets: Vec<SeededNet>,
}

/// A net, and what its training left.
#[derive(Clone, Debug)]
pub struct SeededNet {
    /// Seed of its training, where known.
    pub seed: Option<u64>,
    /// The net.
    pub net: Arc<Net>,
    /// Its validation loss, where known.
    pub validation_loss: Option<f64>,
}

impl Contestant {
    /// From a text: a file (`.oplus`), a run of the registry in `runs` (the
    /// beginning of its name), or a feature expression of which the registry has
    /// nets, if need be after `EXPERIMENT:`. `LABEL=…` in front gives it a name.
    pub fn find(text: &str, runs: &Path) -> Result<Self, CompareError> {
        match text.split_once('=') {
            // A path may hold such a sign too.
            Some((label, rest)) if !Path::new(text).exists() => {
                Ok(Self { label: label.trim().to_owned(), ..Self::of_text(rest.trim(), runs)? })
            }
            _ => Self::of_text(text, runs),
        }
    }

    fn of_text(text: &str, runs: &Path) -> Result<Self, CompareError> {
        if text.ends_with(".oplus") {
            let net = Arc::new(Net::load(Path::new(text))?);
            let label = net.features().expression().to_owned();
            let nets = vec![SeededNet { seed: None, net, validation_loss: None }];
            return Ok(Self { label, nets });
        }
        let unknown = || CompareError::Unknown { text: text.to_owned() };
        let file = runs.join(REGISTRY_FILE);
        if !file.exists() {
            return Err(unknown());
        }
        let registry = Registry::open(&file)?;
        let all = registry.runs(None)?;
        let named: Vec<&RunRecord> = all.iter().filter(|run| run.id.starts_with(text)).collect();
        if let [only] = named.as_slice() {
            return Self::of_runs(&only.features, &[only], &registry, runs);
        }
        let (experiment, expression) = match text.split_once(':') {
            Some((experiment, expression)) => (Some(experiment), expression),
            None => (None, text),
        };
        let features = match FeatureSet::parse(expression) {
            Ok(features) => features,
            // What begins several runs is no expression either.
            Err(_) if named.len() > 1 => return Err(variants(text, &named)),
            Err(error) if expression.contains(['+', '*', '(']) => return Err(error.into()),
            Err(_) => return Err(unknown()),
        };
        let same = |run: &&RunRecord| {
            run.canonical == features.canonical()
                && experiment.is_none_or(|name| run.experiment == name)
        };
        let nets: Vec<&RunRecord> = all.iter().filter(same).collect();
        let first = nets.first().ok_or_else(unknown)?;
        if nets.iter().any(|run| run.experiment != first.experiment) {
            let mut names: Vec<&str> = nets.iter().map(|run| run.experiment.as_str()).collect();
            names.dedup();
            return Err(CompareError::Ambiguous {
                text: expression.to_owned(),
                experiments: names.join(", "),
                first: first.experiment.clone(),
            });
        }
        let other = |(i, run): (usize, &&RunRecord)| {
            run.layers != first.layers || nets[..i].iter().any(|other| other.seed == run.seed)
        };
        if nets.iter().enumerate().any(other) {
            return Err(variants(text, &nets));
        }
        Self::of_runs(&first.features, &nets, &registry, runs)
    }

    fn of_runs(
        label: &str,
        records: &[&RunRecord],
        registry: &Registry,
        runs: &Path,
    ) -> Result<Self, CompareError> {
        let net = |run: &&RunRecord| {
            let file = runs.join(&run.experiment).join(&run.id).join("net.oplus");
            let trained: Option<Trained> = registry.get(&run.experiment, &run.id, kind::TRAINED)?;
            Ok(SeededNet {
                seed: Some(run.seed),
                net: Arc::new(Net::load(&file)?),
                validation_loss: trained.and_then(|trained| trained.validation_loss()),
            })
        };
        let nets = records.iter().map(net).collect::<Result<_, CompareError>>()?;
        Ok(Self { label: label.to_owned(), nets })
    }

    /// Which of its nets meets which of another contestant's: those of the same
    /// seed if each has one, else all of both in turn, so that no net's luck
    /// stands for its set.
    pub fn meetings(&self, other: &Self) -> Vec<(usize, usize)> {
        let twin = |net: &SeededNet| {
            other.nets.iter().position(|twin| twin.seed.is_some() && twin.seed == net.seed)
        };
        let twins: Option<Vec<usize>> = self.nets.iter().map(twin).collect();
        match twins.filter(|twins| twins.len() == other.nets.len()) {
            Some(twins) => twins.into_iter().enumerate().collect(),
            None => {
                let (own, others) = (self.nets.len(), other.nets.len());
                (0..own.max(others)).map(|turn| (turn % own, turn % others)).collect()
            }
        }
    }
}

fn variants(text: &str, runs: &[&RunRecord]) -> CompareError {
    let ids: Vec<&str> = runs.iter().map(|run| run.id.as_str()).collect();
    CompareError::Variants { text: text.to_owned(), runs: ids.join(", ") }
}

/// All contestants, the reference first.
///
/// # Errors
/// A text that names no net, a net that cannot be read, or two contestants of
/// the same name.
pub fn find_all(texts: &[String], runs: &Path) -> Result<Vec<Contestant>, CompareError> {
    let mut all: Vec<Contestant> =
        texts.iter().map(|text| Contestant::find(text, runs)).collect::<Result<_, _>>()?;
    // Nets of the same features are told apart by what they were called by.
    let labels: Vec<String> = all.iter().map(|contestant| contestant.label.clone()).collect();
    for (contestant, text) in all.iter_mut().zip(texts) {
        if labels.iter().filter(|label| **label == contestant.label).count() > 1 {
            contestant.label = text.clone();
        }
    }
    for (i, contestant) in all.iter().enumerate() {
        if all[..i].iter().any(|other| other.label == contestant.label) {
            return Err(CompareError::Twice { label: contestant.label.clone() });
        }
    }
    Ok(all)
}

#[cfg(test)]
mod tests {
    use super::*;
    use nnue::bundled;

    fn contestant(seeds: &[Option<u64>]) -> Contestant {
        let net = |&seed: &Option<u64>| SeededNet { seed, net: bundled(), validation_loss: None };
        Contestant { label: "nets".to_owned(), nets: seeds.iter().map(net).collect() }
    }

    #[test]
    fn nets_of_one_seed_meet_and_others_take_turns() {
        let (three, shuffled) =
            (contestant(&[Some(1), Some(2), Some(3)]), contestant(&[Some(3), Some(1), Some(2)]));
        assert_eq!(three.meetings(&shuffled), [(0, 1), (1, 2), (2, 0)]);
        let file = contestant(&[None]);
        assert_eq!(file.meetings(&three), [(0, 0), (0, 1), (0, 2)]);
        assert_eq!(three.meetings(&file), [(0, 0), (1, 0), (2, 0)]);
        assert_eq!(file.meetings(&file), [(0, 0)]);
    }
}
