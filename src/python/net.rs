//! `oplus.Net`.

use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use chess::{Position, Scene};
use engine::{Evaluator, NetEvaluator};
use nnue::tensors::{TensorName, Values};
use nnue::{FloatWeights, Net, bundled};
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedStr;
use pyo3::types::PyDict;

use super::arguments::one_or_several;
use super::arrays::{Array, array, shaped};
use super::error::{guarded, raised, refused};
use super::feature_set::PyFeatureSet;
use super::waiting::locked;
use super::write_net;

/// Positions between two looks for Ctrl-C.
const STRETCH: usize = 4_096;

/// A quantised net.
///
/// `Net(path)` reads a file such as `net.oplus`; `Net.bundled()` is the net of the engine.
#[pyclass(frozen, module = "oplus", name = "Net")]
pub(crate) struct PyNet {
    net: Arc<Net>,
    /// On the scale of the search, and in the centipawns of the data.
    evaluators: [Mutex<NetEvaluator>; 2],
}

#[pymethods]
impl PyNet {
    #[new]
    fn new(py: Python<'_>, path: PathBuf) -> PyResult<Self> {
        guarded(|| {
            let net = py.detach(|| Net::load(&path)).map_err(raised)?;
            Ok(Self::of(Arc::new(net)))
        })
    }

    /// The net that the engine plays by default.
    #[staticmethod]
    fn bundled() -> PyResult<Self> {
        guarded(|| Ok(Self::of(bundled())))
    }

    fn __repr__(&self) -> String {
        format!("Net({:?}, {:?})", self.net.features().canonical(), self.layers())
    }

    /// Its feature set.
    #[getter]
    fn features(&self) -> PyFeatureSet {
        PyFeatureSet::of(self.net.features())
    }

    /// Its line of layers: `256 screlu -> 1, buckets 8`.
    #[getter]
    fn layers(&self) -> String {
        self.net.architecture().layers.to_string()
    }

    /// Hash of everything that decides evaluations, as hexadecimal digits.
    #[getter]
    fn fingerprint(&self) -> String {
        self.net.fingerprint().to_string()
    }

    /// Factor from centipawns of the data to those of the search.
    #[getter]
    fn search_scale(&self) -> f64 {
        f64::from(locked(&self.evaluators[0]).scale()) / 1_024.0
    }

    /// Program, date, data and settings of its training.
    #[getter]
    fn provenance<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        of_json(py, self.net.provenance())
    }

    /// Integers per unit, layer by layer: the `scales` of the net file.
    #[getter]
    fn scales<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let scales = serde_json::to_value(self.net.scales());
        of_json(py, &scales.map_err(raised)?)
    }

    /// Centipawns for the side to move: an int32 array [positions].
    ///
    /// `fens` are FENs (or `startpos`), or a single one. `unit` is `search`, for what UCI `eval`
    /// prints, or `data`, for centipawns of the training data.
    #[pyo3(signature = (fens, unit = "search"))]
    fn evaluate(
        &self,
        py: Python<'_>,
        fens: &Bound<'_, PyAny>,
        unit: &str,
    ) -> PyResult<Array<i32>> {
        guarded(|| {
            let evaluator = match unit {
                "search" => &self.evaluators[0],
                "data" => &self.evaluators[1],
                _ => {
                    let message = format!("unit: expected `search` or `data`, found `{unit}`");
                    return Err(refused(message));
                }
            };
            let fens: Vec<PyBackedStr> = one_or_several("fens", "a FEN", fens)?;
            Ok(array(py, evaluated(py, evaluator, &fens)?))
        })
    }

    /// Sums of the feature transformer: (own, other), int32 arrays [width] in integers of the net.
    ///
    /// Own is the side to move. One unit of activation is `scales["transformer"]["one"]`.
    fn accumulators(&self, py: Python<'_>, fen: &str) -> PyResult<(Array<i32>, Array<i32>)> {
        guarded(|| {
            let position = Position::named(fen).map_err(raised)?;
            let scene = Scene::from(&position);
            let [own, other] = [position.turn(), !position.turn()]
                .map(|side| array(py, self.net.transformer_sums(&scene, side)));
            Ok((own, other))
        })
    }

    /// Integer tensors by their names in the net file: int16, int32 or int64 arrays.
    ///
    /// `ft_weights` [features, width], `ft_bias` [width], `psqt` [features, buckets],
    /// `dense_weights` [buckets, sums, inputs], `dense_bias` [buckets, sums], and so on up to
    /// `out_weights` [buckets, inputs] and `out_bias` [buckets]; sums in two digits have an axis
    /// more.
    fn weights<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        guarded(|| {
            let weights = PyDict::new(py);
            for (name, values) in self.net.tensors() {
                weights.set_item(name.as_str(), self.tensor(py, name, values)?)?;
            }
            Ok(weights)
        })
    }

    /// Weights as float32 arrays, under the names and in the shapes of `write_net`.
    ///
    /// One unit of the output is `output_unit` centipawns.
    #[pyo3(signature = (output_unit = 600.0))]
    fn state<'py>(&self, py: Python<'py>, output_unit: f64) -> PyResult<Bound<'py, PyDict>> {
        guarded(|| {
            write_net::check_unit(output_unit)?;
            let floats: FloatWeights = self.net.to_floats().with_output_times(1.0 / output_unit);
            write_net::state(py, &floats)
        })
    }
}

impl PyNet {
    fn of(net: Arc<Net>) -> Self {
        let evaluators =
            [NetEvaluator::new(net.clone()), NetEvaluator::unscaled(net.clone())].map(Mutex::new);
        Self { net, evaluators }
    }

    fn tensor<'py>(
        &self,
        py: Python<'py>,
        name: TensorName,
        values: Values<'_>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let axes = name.axes(self.net.architecture(), self.net.scales());
        let shape: Vec<usize> = axes.iter().map(|axis| axis.size).collect();
        Ok(match values {
            Values::I16(values) => shaped(py, values.into_owned(), &shape)?.into_any(),
            Values::I32(values) => shaped(py, values.into_owned(), &shape)?.into_any(),
            Values::I64(values) => shaped(py, values.into_owned(), &shape)?.into_any(),
        })
    }
}

/// Centipawns for the side to move of each position.
fn evaluated(
    py: Python<'_>,
    evaluator: &Mutex<NetEvaluator>,
    fens: &[PyBackedStr],
) -> PyResult<Vec<i32>> {
    let mut centipawns = Vec::with_capacity(fens.len());
    for some in fens.chunks(STRETCH) {
        let more = py.detach(|| {
            let mut evaluator = locked(evaluator);
            let mut of = |fen: &PyBackedStr| {
                let position = Position::named(fen)?;
                evaluator.reset(&position);
                Ok(evaluator.evaluate(&position))
            };
            let numbered = some.iter().enumerate();
            numbered.map(|(i, fen)| of(fen).map_err(|error| (i, error))).collect()
        });
        let more: Result<Vec<i32>, (usize, chess::FenError)> = more;
        match more {
            Ok(more) => centipawns.extend(more),
            Err((_, error)) if fens.len() == 1 => return Err(raised(error)),
            Err((i, error)) => {
                return Err(refused(format!("fens[{}]: {error}", centipawns.len() + i)));
            }
        }
        py.check_signals()?;
    }
    Ok(centipawns)
}

/// A JSON value as Python's own types.
fn of_json<'py>(py: Python<'py>, value: &serde_json::Value) -> PyResult<Bound<'py, PyAny>> {
    py.import("json")?.call_method1("loads", (value.to_string(),))
}
