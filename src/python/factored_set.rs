//! `oplus.FactoredSet`.

use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

use features::{FeatureSet, TrainedSet};
use numpy::{PyArrayDyn, PyReadonlyArray2, PyUntypedArrayMethods};
use pyo3::prelude::*;

use super::arrays::shaped;
use super::error::{guarded, mistake, refused};
use super::feature_set::{PyFeatureSet, names};

/// A feature set with factors for training, compiled from an expression such as `train KING-ALL + factors`.
///
/// A trainer reads the features of `input`, those of `set` and behind them those of the factors; a net
/// has rows for `set` alone, the result of `fold`. `define` has names of the caller's own.
#[pyclass(frozen, module = "oplus", name = "FactoredSet")]
pub(crate) struct PyFactoredSet {
    trained: Arc<TrainedSet>,
    /// The set with its factors as a plain sum.
    input: Arc<FeatureSet>,
    define: BTreeMap<String, String>,
}

#[pymethods]
impl PyFactoredSet {
    #[new]
    #[pyo3(signature = (expression, define = None))]
    fn new(expression: &str, define: Option<BTreeMap<String, String>>) -> PyResult<Self> {
        guarded(|| {
            let define = define.unwrap_or_default();
            let trained = TrainedSet::compile(expression, &names(&define)?);
            let trained = trained.map_err(|error| mistake(*error))?;
            let input = FeatureSet::parse(trained.canonical()).map_err(|error| mistake(*error))?;
            Ok(Self { trained, input, define })
        })
    }

    fn __getnewargs__(&self) -> (String, BTreeMap<String, String>) {
        (self.trained.expression().to_owned(), self.define.clone())
    }

    fn __repr__(&self) -> String {
        format!("FactoredSet({:?})", self.trained.expression())
    }

    fn __eq__(&self, other: &Bound<'_, PyAny>) -> bool {
        let other = other.cast::<Self>();
        other.is_ok_and(|other| other.get().trained.canonical() == self.trained.canonical())
    }

    fn __hash__(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        self.trained.canonical().hash(&mut hasher);
        hasher.finish()
    }

    /// The expression as written.
    #[getter]
    fn expression(&self) -> &str {
        self.trained.expression()
    }

    /// The features of the net.
    #[getter]
    fn set(&self) -> PyFeatureSet {
        PyFeatureSet::named(self.trained.set(), &self.define)
    }

    /// The features of training: those of `set`, then those of each factor.
    #[getter]
    fn input(&self) -> PyFeatureSet {
        PyFeatureSet::of(&self.input)
    }

    /// Rows of `set`, float32 [len(set), width], from those of `input`, float32 [len(input), width]: the
    /// row of each factor is added to all rows that share it. Other numbers of rows are an `OplusError`.
    fn fold<'py>(
        &self,
        py: Python<'py>,
        weight: PyReadonlyArray2<'py, f32>,
    ) -> PyResult<Bound<'py, PyArrayDyn<f32>>> {
        guarded(|| {
            let (rows, width) = (weight.shape()[0], weight.shape()[1]);
            if rows != self.input.size() {
                let expected = self.input.size();
                return Err(refused(format!(
                    "weight: expected {expected} rows, one per feature of `input`, found {rows}"
                )));
            }
            let values = weight.as_array().iter().copied().collect();
            shaped(py, self.trained.fold(values, width), &[self.trained.set().size(), width])
        })
    }
}
