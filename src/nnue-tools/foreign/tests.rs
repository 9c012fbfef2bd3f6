//! Tools of the tests of all formats.

use serde_json::Value;

use nnue::Net;

/// The same net with another mix of its sums.
pub(super) fn with_mix(net: &Net, mix: nnue::Mix) -> Net {
    let (layers, weights) = (net.architecture().layers.clone(), net.weights().clone());
    let scales = nnue::Scales { mix, ..net.scales().clone() };
    Net::from_integers(net.features().clone(), layers, scales, weights, Value::Null)
}
