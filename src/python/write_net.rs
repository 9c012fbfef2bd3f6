//! `oplus.write_net`.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use chess::PackedPosition;
use engine::reference_positions;
use features::FeatureSet;
use nnue::{Architecture, FloatWeights, Layers, Net, quantise};
use nnue_tools::check::NetCheck;
use nnue_tools::floats::{FloatArray, FloatTensor, from_state};
use nnue_tools::provenance;
use numpy::{PyArrayDyn, PyArrayMethods, PyUntypedArray, PyUntypedArrayMethods};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use super::arrays::shaped;
use super::error::{guarded, parsed_layers, raised, refused};
use super::feature_set::PyFeatureSet;
use super::waiting::interruptible;

/// Quantises, checks and writes a net; see `oplus.write_net`.
#[pyfunction]
pub(crate) fn write_net(
    py: Python<'_>,
    state: BTreeMap<String, Bound<'_, PyUntypedArray>>,
    features: &Bound<'_, PyFeatureSet>,
    layers: &str,
    path: PathBuf,
    output_unit: f64,
    provenance: &str,
) -> PyResult<()> {
    guarded(|| {
        check_unit(output_unit)?;
        let layers = parsed_layers(layers)?;
        let set = features.get().set.clone();
        let weights = weights(state, &set, layers)?.with_output_times(output_unit);
        let origin = provenance::now_with(serde_json::from_str(provenance).map_err(raised)?);
        let net = quantise(&weights, &set, origin).map_err(raised)?;
        let (net, wrong) = interruptible(py, move |stop| checked(net, stop))?;
        if let [_, ..] = &wrong[..] {
            return Err(refused(format!("{}; train it again", wrong.join("; "))));
        }
        net.save(&path).map_err(raised)
    })
}

/// The net with its neurons sorted, and its faults.
fn checked(net: Net, stop: &std::sync::atomic::AtomicBool) -> (Net, Vec<String>) {
    let positions = reference_positions();
    let packed: Vec<PackedPosition> = positions.iter().filter_map(PackedPosition::pack).collect();
    let net = net.sorted(&packed).map_or(net, |(sorted, _)| sorted);
    let net = Arc::new(net);
    let check = NetCheck::new(&net, positions, &mut |_| {}, stop);
    (Arc::unwrap_or_clone(net), check.map_or(Vec::new(), |check| check.wrong))
}

pub(crate) fn check_unit(output_unit: f64) -> PyResult<()> {
    match output_unit.is_finite() && output_unit > 0.0 {
        true => Ok(()),
        false => {
            Err(refused(format!("output_unit: {output_unit} centipawns are no unit of the output")))
        }
    }
}

/// The weights of a state, in units of activation and of the raw output.
fn weights(
    state: BTreeMap<String, Bound<'_, PyUntypedArray>>,
    set: &FeatureSet,
    layers: Layers,
) -> PyResult<FloatWeights> {
    let arrays =
        state.into_iter().map(|(name, tensor)| Ok((name.clone(), floats(&name, &tensor)?)));
    let mut arrays = arrays.collect::<PyResult<BTreeMap<String, FloatArray>>>()?;
    if layers.addition().is_some() {
        // One unit of the output, unless the state has another.
        let unit = FloatArray { shape: vec![1], values: vec![1.0] };
        arrays.entry(FloatTensor::Skip.name()).or_insert(unit);
    }
    let architecture = Architecture { features: set.size(), layers };
    from_state(architecture, arrays).map_err(|error| refused(format!("state: {error}")))
}

fn floats(name: &str, tensor: &Bound<'_, PyUntypedArray>) -> PyResult<FloatArray> {
    let Ok(floats) = tensor.cast::<PyArrayDyn<f32>>() else {
        let dtype = tensor.dtype();
        return Err(refused(format!("state: `{name}` is of {dtype}; float32 is needed")));
    };
    let values = floats.readonly().as_array().iter().copied().collect();
    Ok(FloatArray { shape: floats.shape().to_vec(), values })
}

/// The tensors of a net by name, in the shapes of PyTorch's modules.
pub(crate) fn state<'py>(py: Python<'py>, weights: &FloatWeights) -> PyResult<Bound<'py, PyDict>> {
    let state = PyDict::new(py);
    for tensor in FloatTensor::of(&weights.architecture.layers) {
        let shape = tensor.module_shape(&weights.architecture);
        let values = tensor.values(weights).to_vec();
        state.set_item(tensor.name(), shaped(py, values, &shape)?)?;
    }
    Ok(state)
}
