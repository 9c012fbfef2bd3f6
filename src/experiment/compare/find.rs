//! Sets by name: a net file, a run, or all nets of a feature set.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::error::CompareError;
use crate::{NetRecord, Runs};
use arena::NetId;
use arena::contender::Evaluation;
use base::identity;
use features::FeatureSet;
use measure::{HeldOutSplit, LossTarget, Variant, VariantNet};
use nnue::NET_FILE;
use nnue::Net;

/// The named sets.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct ResolvedSets {
    /// The reference first.
    pub variants: Vec<Variant>,
    /// Net files by fingerprint or by the key of the training job.
    pub nets: HashMap<String, PathBuf>,
    /// Folders of the experiments that trained some of the nets.
    pub runs: Vec<PathBuf>,
}

/// All variants, the reference first.
///
/// # Errors
/// A text that names no net, a net that cannot be read, or two variants of
/// the same name.
pub(crate) fn all(texts: &[String], runs: &Path) -> Result<ResolvedSets, CompareError> {
    let mut search = Search { folder: runs, nets: HashMap::new(), runs: Vec::new() };
    let mut variants: Vec<Variant> =
        texts.iter().map(|text| search.find(text)).collect::<Result<_, _>>()?;
    // Sets of the same features are labelled by the text of the request.
    let labels: Vec<String> = variants.iter().map(Variant::label).collect();
    for (variant, text) in variants.iter_mut().zip(texts) {
        if labels.iter().filter(|label| **label == variant.features).count() > 1 {
            variant.features.clone_from(text);
        }
    }
    for (i, variant) in variants.iter().enumerate() {
        let label = variant.label();
        if variants[..i].iter().any(|other| other.label() == label) {
            return Err(CompareError::Twice { label });
        }
    }
    Ok(ResolvedSets { variants, nets: search.nets, runs: search.runs })
}

/// The net of a name, the first if there are several; `bundled` is the net of the engine.
///
/// # Errors
/// A text that names no net, or one that cannot be read.
pub fn net(text: &str, runs: &Path) -> Result<Arc<Net>, CompareError> {
    if text == Evaluation::BUNDLED {
        return Ok(nnue::bundled());
    }
    let mut search = Search { folder: runs, nets: HashMap::new(), runs: Vec::new() };
    let variant = search.find(text)?;
    let file = variant.nets.first().and_then(|net| net.file.as_deref());
    let file = file.ok_or_else(|| CompareError::Unknown { text: text.to_owned() })?;
    Ok(Arc::new(Net::load(Path::new(file))?))
}

struct Search<'s> {
    folder: &'s Path,
    nets: HashMap<String, PathBuf>,
    runs: Vec<PathBuf>,
}

impl Search<'_> {
    /// Finds a file (`.oplus`), a run by a prefix of its name, or the nets of a feature expression,
    /// optionally after `EXPERIMENT:`. A prefix `LABEL=` names the set.
    fn find(&mut self, text: &str) -> Result<Variant, CompareError> {
        match text.split_once('=') {
            // A path may contain `=`.
            Some((label, rest)) if !Path::new(text).exists() => {
                Ok(Variant { features: label.trim().to_owned(), ..self.of_text(rest.trim())? })
            }
            _ => self.of_text(text),
        }
    }

    fn of_text(&mut self, text: &str) -> Result<Variant, CompareError> {
        if text.ends_with(".oplus") {
            return self.of_file(Path::new(text));
        }
        let unknown = || CompareError::Unknown { text: text.to_owned() };
        let all = Runs::of(self.folder).nets(None)?;
        let all: Vec<NetRecord> = all.into_iter().filter(|net| net.failed.is_none()).collect();
        if all.is_empty() {
            return Err(unknown());
        }
        let named: Vec<&NetRecord> = all.iter().filter(|net| net.run.starts_with(text)).collect();
        if let [only] = named.as_slice() {
            return self.of_runs(&[only]);
        }
        let (experiment, expression) = match text.split_once(':') {
            Some((experiment, expression)) => (Some(experiment), expression),
            None => (None, text),
        };
        let features = match FeatureSet::parse(expression) {
            Ok(features) => features,
            // A prefix of several runs is ambiguous.
            Err(_) if named.len() > 1 => return Err(variants(text, &named)),
            Err(error) if expression.contains(['+', '*', '(']) => return Err(error.into()),
            Err(_) => return Err(unknown()),
        };
        let same = |net: &&NetRecord| {
            net.train.features == features.canonical()
                && experiment.is_none_or(|name| net.experiment == name)
        };
        let nets: Vec<&NetRecord> = all.iter().filter(same).collect();
        let first = nets.first().ok_or_else(unknown)?;
        if nets.iter().any(|net| net.experiment != first.experiment) {
            let mut names: Vec<&str> = nets.iter().map(|net| net.experiment.as_str()).collect();
            names.dedup();
            return Err(CompareError::Ambiguous {
                text: expression.to_owned(),
                experiments: names.join(", "),
                first: first.experiment.clone(),
            });
        }
        if nets.iter().any(|net| other_training(first, net).is_some()) {
            return Err(variants(text, &nets));
        }
        self.of_runs(&nets)
    }

    fn of_file(&mut self, path: &Path) -> Result<Variant, CompareError> {
        let net = Net::load(path)?;
        let fingerprint = net.fingerprint().to_string();
        self.nets.insert(fingerprint.clone(), path.to_owned());
        let file = Some(path.display().to_string());
        let (size, features) = (net.features().size(), as_written(&net));
        let net = VariantNet { file, ..VariantNet::new(NetId::File(fingerprint)) };
        Ok(Variant::new(features, size, vec![net]))
    }

    /// Nets of one set with different seeds.
    fn of_runs(&mut self, records: &[&NetRecord]) -> Result<Variant, CompareError> {
        let mut all: Option<Variant> = None;
        for NetRecord { experiment, run, key, train, .. } in records {
            let folder = self.folder.join(experiment);
            let mut one = self.of_file(&folder.join(run).join(NET_FILE))?;
            let (held_out, loss_target) = (train.positions, LossTarget::of(&train.training));
            one.held_out_split = Some(HeldOutSplit { held_out, loss_target });
            for net in &mut one.nets {
                (net.seed, net.trained) = (Some(train.seed), Some(*key));
                // The key of the training job, so that measurements have the keys of `oplus run`.
                net.net = NetId::Trained(*key);
            }
            self.nets.insert(key.to_string(), folder.join(run).join(NET_FILE));
            if !self.runs.contains(&folder) {
                self.runs.push(folder);
            }
            match &mut all {
                Some(all) => all.nets.extend(one.nets),
                None => all = Some(one),
            }
        }
        all.ok_or_else(|| CompareError::Unknown { text: String::new() })
    }
}

/// The expression as written by the user, where the net records it.
fn as_written(net: &Net) -> String {
    let written = net.provenance()["expression"].as_str();
    written.unwrap_or(net.features().expression()).to_owned()
}

/// Settings of `net` that differ from those of `first`, in words; `None` for seeds of one training.
fn other_training(first: &NetRecord, net: &NetRecord) -> Option<String> {
    let mut differences = identity::differences(&first.train, &net.train);
    differences.retain(|difference| {
        let key = difference.key.as_str();
        // Every seed starts from its own net of the stage before.
        !matches!(key, "features" | "seed" | "training.threads" | "start.trained")
    });
    let parts = differences.iter().map(|difference| match difference.key.as_str() {
        "positions" => "other positions".to_owned(),
        _ => difference.current(),
    });
    let parts: Vec<String> = parts.collect();
    (!parts.is_empty()).then(|| parts.join(", "))
}

fn variants(text: &str, nets: &[&NetRecord]) -> CompareError {
    let runs = nets.iter().map(|net| match other_training(nets[0], net) {
        Some(settings) => format!("{} ({settings})", net.run),
        None => net.run.clone(),
    });
    let runs: Vec<String> = runs.collect();
    CompareError::Variants { text: text.to_owned(), runs: runs.join(", ") }
}
