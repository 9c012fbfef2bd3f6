//! Who is compared: a net file, a run, or all nets of a feature set.

use std::path::Path;
use std::sync::Arc;

use super::error::CompareError;
use crate::experiment::Registry;
use crate::experiment::measure::{Trained, kind};
use crate::experiment::registry::RunRecord;
use crate::experiment::runner::REGISTRY_FILE;
use crate::features::FeatureSet;
use crate::nnue::Net;

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
            Some((label, rest)) => {
                Ok(Self { label: label.trim().to_owned(), ..Self::of_text(rest.trim(), runs)? })
            }
            None => Self::of_text(text, runs),
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
        let features = FeatureSet::parse(expression).map_err(|_| unknown())?;
        let same = |run: &&RunRecord| {
            run.canonical == features.canonical()
                && experiment.is_none_or(|name| run.experiment == name)
        };
        let nets: Vec<&RunRecord> = all.iter().filter(same).collect();
        let first = nets.first().ok_or_else(unknown)?;
        if nets.iter().any(|run| run.experiment != first.experiment || run.layers != first.layers) {
            let mut names: Vec<&str> = nets.iter().map(|run| run.experiment.as_str()).collect();
            names.dedup();
            return Err(CompareError::Ambiguous {
                text: expression.to_owned(),
                experiments: names.join(", "),
                first: first.experiment.clone(),
            });
        }
        let seed_twice =
            |(i, run): (usize, &&RunRecord)| nets[..i].iter().any(|o| o.seed == run.seed);
        if nets.iter().enumerate().any(seed_twice) {
            let ids: Vec<&str> = nets.iter().map(|run| run.id.as_str()).collect();
            return Err(CompareError::Variants { text: text.to_owned(), runs: ids.join(", ") });
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

    /// The net that a net of another contestant meets: that of the same seed,
    /// else the one in its place.
    pub fn opponent_of(&self, net: &SeededNet, place: usize) -> usize {
        let same_seed = |own: &SeededNet| own.seed.is_some() && own.seed == net.seed;
        self.nets.iter().position(same_seed).unwrap_or(place % self.nets.len())
    }
}

/// All contestants, the reference first.
///
/// # Errors
/// A text that names no net, a net that cannot be read, or two contestants of
/// the same name.
pub fn find_all(texts: &[String], runs: &Path) -> Result<Vec<Contestant>, CompareError> {
    let all: Vec<Contestant> =
        texts.iter().map(|text| Contestant::find(text, runs)).collect::<Result<_, _>>()?;
    for (i, contestant) in all.iter().enumerate() {
        if all[..i].iter().any(|other| other.label == contestant.label) {
            return Err(CompareError::Twice { label: contestant.label.clone() });
        }
    }
    Ok(all)
}
