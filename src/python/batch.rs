//! `oplus.Batch`.

use pyo3::prelude::*;
use training::batch::FlatBatch;

use super::arrays::{Array, array};

/// Positions as arrays, which share no memory with anything else.
///
/// `torch.nn.EmbeddingBag(len(fs), width, mode="sum")` takes `indices` and `offsets` as they are:
/// row 2 i of its output is the side to move of position i, row 2 i + 1 the other side.
#[pyclass(frozen, get_all, module = "oplus")]
pub(crate) struct Batch {
    /// int32 [active]: active features of the side to move, then of the other side, of each position.
    indices: Array<i32>,
    /// int32 [2 * positions]: start of each list in `indices`.
    offsets: Array<i32>,
    /// float32 [active]: value of each feature; None in binary sets.
    values: Option<Array<f32>>,
    /// float32 [positions]: score of the file for the side to move, in centipawns except in four
    /// formats (docs/data.md); NaN without a score, which the filter key `unscored` keeps.
    score: Array<f32>,
    /// float32 [positions]: points of the side to move, 0, 0.5 or 1; NaN without a result.
    result: Array<f32>,
    /// int64 [positions]: output bucket.
    bucket: Array<i64>,
}

impl Batch {
    /// The arrays take the memory of the lists over.
    pub(crate) fn new(py: Python<'_>, batch: FlatBatch) -> Self {
        let FlatBatch { indices, offsets, values, scores, results, buckets } = batch;
        Self {
            indices: array(py, indices),
            offsets: array(py, offsets),
            values: values.map(|values| array(py, values)),
            score: array(py, scores),
            result: array(py, results),
            bucket: array(py, buckets),
        }
    }
}

#[pymethods]
impl Batch {
    fn __len__(&self, py: Python<'_>) -> PyResult<usize> {
        self.score.bind(py).len()
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let (positions, features) = (self.score.bind(py).len()?, self.indices.bind(py).len()?);
        Ok(format!("Batch({positions} positions, {features} active features)"))
    }
}
