//! From trained weights to the net that is played.

use serde_json::Value;

use super::health::sample_positions;
use data::Dataset;
use features::TrainedSet;
use nnue::{BlocksRead, FloatWeights, Net, QuantiseError, quantise};

/// Key of [`BlocksRead`] in a net's provenance.
pub const BLOCKS_READ: &str = "blocks_read";

/// The net of weights that were trained with `features`, quantised, and its neurons in an
/// order in which positions such as those of the data leave many blocks of the lowest dense
/// layer unread; and how many those are, where it reads blocks.
///
/// # Errors
/// Those of [`quantise()`].
pub(crate) fn played(
    weights: &FloatWeights,
    features: &TrainedSet,
    mut provenance: Value,
    data: &Dataset,
) -> Result<(Net, Option<BlocksRead>), QuantiseError> {
    let net = quantise(weights, features.set(), Value::Null)?;
    let positions = sample_positions(&data.train, &data.validation);
    let (net, read) = match net.sorted(&positions) {
        Some((sorted, read)) => (sorted, Some(read)),
        None => (net, None),
    };
    if let Some(read) = read {
        provenance[BLOCKS_READ] = serde_json::json!({ "before": read.before, "after": read.after });
    }
    Ok((net.with_provenance(provenance), read))
}
