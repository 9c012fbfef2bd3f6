//! Before any net is trained: the data, and a note of what is being done.

use serde_json::json;

use super::Context;
use crate::data;
use crate::error::ExperimentError;
use ::data::{DataError, Dataset, Ingredient};
use report::machine::processor;

/// Loads the positions of files as the experiment wants them; `None` if stopped.
pub fn load_data(
    context: &mut Context<'_>,
    files: &[Ingredient],
) -> Result<Option<Dataset>, ExperimentError> {
    let spec = context.experiment.data_spec(files);
    match data::load(&spec, Some(&context.cache), context.observer, context.stop) {
        Err(DataError::Stopped) => Ok(None),
        other => Ok(Some(other?)),
    }
}

/// Writes the experiment, as resolved, and its setting into the registry.
pub fn note_experiment(context: &Context<'_>, data: &Dataset) -> Result<(), ExperimentError> {
    let experiment = context.experiment;
    let config = toml::to_string_pretty(experiment).unwrap_or_default();
    let files: Vec<_> = data
        .sources
        .iter()
        .map(|source| json!({ "path": source.path, "bytes": source.bytes, "blake3": source.blake3.to_string() }))
        .collect();
    let setting = json!({
        "program": env!("CARGO_PKG_VERSION"),
        "command": context.command,
        "cores": std::thread::available_parallelism().map_or(0, usize::from),
        "processor": processor(),
        "data": {
            "files": files,
            "games": data.games.read,
            "validation_games": data.games.validating,
            "listed": data.listed.read,
            "positions": data.positions_read,
            "train": data.train.len(),
            "validation": data.validation.len(),
            "hash": data.hash().to_string(),
            "skipped": data.games.skipped.total(),
            "skipped_lines": data.listed.skipped.total(),
        },
    });
    context.registry.put_experiment(&experiment.name, &experiment.question, &config, &setting)
}
