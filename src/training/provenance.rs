//! Provenance of a trained net: everything needed to train it again, and to check that the
//! data are the same.

use serde_json::{Value, json};

use super::{Kept, TrainingConfig};
use base::Content;
use data::{Dataset, Filter, SourceInfo};
use nnue_tools::provenance;

/// Inputs of a training.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Origin<'a> {
    /// The feature expression as written, factors included.
    pub expression: &'a str,
    /// Seed of the first weights and of the order of the samples.
    pub seed: u64,
    pub kept: &'a Kept,
    pub config: &'a TrainingConfig,
    pub data: &'a Dataset,
    pub filter: &'a Filter<Content>,
    /// Share of the data held out.
    pub validation: f64,
    /// Licence of the data; empty if unknown.
    pub licence: &'a str,
}

impl Origin<'_> {
    pub(crate) fn provenance(&self) -> Value {
        let mut provenance = provenance::now_with(json!({
            "expression": self.expression,
            "seed": self.seed,
            "epoch": self.kept.epoch,
            "training": self.config.of_any_threads(),
            "data": {
                "hash": self.data.hash().to_string(),
                "positions": self.data.kept(),
                "filter": self.filter,
                "validation": self.validation,
                "files": self.data.sources.iter().map(file).collect::<Vec<_>>(),
            },
        }));
        if !self.licence.is_empty() {
            provenance["data"]["licence"] = self.licence.into();
        }
        provenance
    }
}

/// A file by its name and content, without the folders of this machine.
fn file(source: &SourceInfo) -> Value {
    json!({
        "file": source.path.file_name().unwrap_or_default().to_string_lossy(),
        "bytes": source.bytes,
        "blake3": source.blake3,
    })
}
