//! `oplus.write_net`.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use base::format::counted;
use chess::PackedPosition;
use engine::reference_positions;
use features::FeatureSet;
use nnue::{Architecture, DenseWeights, FloatWeights, Layers, LayersError, Net, quantise};
use nnue_tools::check::NetCheck;
use nnue_tools::provenance;
use numpy::{PyArrayDyn, PyArrayMethods, PyUntypedArray, PyUntypedArrayMethods};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use super::arrays::shaped;
use super::error::{guarded, mistake, raised, refused};
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
    scale: f64,
    provenance: &str,
) -> PyResult<()> {
    guarded(|| {
        check_scale(scale)?;
        let layers: Layers =
            layers.parse().map_err(|error: LayersError| mistake(error.mistake().clone()))?;
        let set = features.get().set.clone();
        let weights = weights(state, &set, layers)?.with_output_times(scale);
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

pub(crate) fn check_scale(scale: f64) -> PyResult<()> {
    match scale.is_finite() && scale > 0.0 {
        true => Ok(()),
        false => Err(refused(format!("scale: {scale} centipawns are no unit of the output"))),
    }
}

/// The tensors of a state by name, as they are taken out.
struct State<'py>(BTreeMap<String, Bound<'py, PyUntypedArray>>);

impl State<'_> {
    /// Removes a tensor of one of several shapes that hold the same numbers in the same order.
    fn take(&mut self, name: &str, shapes: &[Vec<usize>]) -> PyResult<Vec<f32>> {
        let Some(tensor) = self.0.remove(name) else {
            let known: Vec<&str> = self.0.keys().map(String::as_str).collect();
            return Err(refused(format!(
                "state: no tensor `{name}`, float32 {}; the others are {}",
                written(&shapes[0]),
                known.join(", ")
            )));
        };
        let Ok(floats) = tensor.cast::<PyArrayDyn<f32>>() else {
            let dtype = tensor.dtype();
            return Err(refused(format!("state: `{name}` is of {dtype}; float32 is needed")));
        };
        if !shapes.iter().any(|shape| shape == floats.shape()) {
            let expected: Vec<String> = shapes.iter().map(|shape| written(shape)).collect();
            return Err(refused(format!(
                "state: `{name}` is {}; the set and the layers need {}",
                written(floats.shape()),
                expected.join(" or ")
            )));
        }
        Ok(floats.readonly().as_array().iter().copied().collect())
    }

    /// Checks that nothing is left.
    fn finish(self) -> PyResult<()> {
        let left: Vec<&str> = self.0.keys().map(String::as_str).collect();
        match left.as_slice() {
            [] => Ok(()),
            _ => Err(refused(format!(
                "state: {} that the layers do not have: {}",
                counted(left.len() as u64, "tensor"),
                left.join(", ")
            ))),
        }
    }
}

fn written(shape: &[usize]) -> String {
    let sizes: Vec<String> = shape.iter().map(usize::to_string).collect();
    format!("[{}]", sizes.join(", "))
}

/// The weights of a state, in units of activation and of the raw output.
fn weights(
    state: BTreeMap<String, Bound<'_, PyUntypedArray>>,
    set: &FeatureSet,
    layers: Layers,
) -> PyResult<FloatWeights> {
    let mut state = State(state);
    let (size, width, buckets) = (set.size(), layers.width(), layers.buckets().count());
    let mut weights = FloatWeights {
        ft_weights: Vec::new(),
        ft_bias: Vec::new(),
        psqt: Vec::new(),
        dense: Vec::new(),
        skip: if layers.addition().is_some() { 1.0 } else { 0.0 },
        architecture: Architecture { features: size, layers },
    };
    let layers = &weights.architecture.layers;
    if !layers.is_linear() {
        weights.ft_weights = state.take(FT, &[vec![size, width]])?;
        weights.ft_bias = state.take(FT_BIAS, &[vec![width]])?;
    }
    if layers.has_psqt() {
        weights.psqt = state.take(PSQT, &[vec![size, buckets]])?;
    }
    for (place, shape) in layers.dense().iter().enumerate() {
        let (inputs, sums) = (shape.inputs, shape.sums);
        let [weight, bias] = dense_names(place);
        weights.dense.push(DenseWeights {
            weights: state
                .take(&weight, &[vec![buckets * sums, inputs], vec![buckets, sums, inputs]])?,
            bias: state.take(&bias, &[vec![buckets * sums], vec![buckets, sums]])?,
        });
    }
    state.finish()?;
    Ok(weights)
}

const FT: &str = "ft.weight";
const FT_BIAS: &str = "ft_bias";
const PSQT: &str = "psqt.weight";

fn dense_names(place: usize) -> [String; 2] {
    ["weight", "bias"].map(|part| format!("dense.{place}.{part}"))
}

/// The tensors of a net under the names and in the shapes of a state.
///
/// # Errors
/// A skip whose weight is not one unit of the output: a state has no place for it.
pub(crate) fn state(py: Python<'_>, weights: FloatWeights) -> PyResult<Bound<'_, PyDict>> {
    let FloatWeights { architecture, ft_weights, ft_bias, psqt, dense, skip } = weights;
    let Architecture { features, layers } = architecture;
    if layers.addition().is_some() && (skip - 1.0).abs() > 1e-6 {
        return Err(refused(format!("the skip of this net counts {skip} units of the output")));
    }
    let (width, buckets) = (layers.width(), layers.buckets().count());
    let state = PyDict::new(py);
    if !layers.is_linear() {
        state.set_item(FT, shaped(py, ft_weights, &[features, width])?)?;
        state.set_item(FT_BIAS, shaped(py, ft_bias, &[width])?)?;
    }
    if layers.has_psqt() {
        state.set_item(PSQT, shaped(py, psqt, &[features, buckets])?)?;
    }
    for (place, (shape, values)) in layers.dense().iter().zip(dense).enumerate() {
        let [weight, bias] = dense_names(place);
        let rows = buckets * shape.sums;
        state.set_item(weight, shaped(py, values.weights, &[rows, shape.inputs])?)?;
        state.set_item(bias, shaped(py, values.bias, &[rows])?)?;
    }
    Ok(state)
}
