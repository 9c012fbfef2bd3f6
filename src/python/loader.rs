//! `oplus.Loader`.

use std::ffi::CString;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::Receiver;
use std::sync::{Arc, Mutex};

use base::Silent;
use data::{Cache, DataError, DataSpec, Dataset, Ingredient};
use pyo3::exceptions::PyUserWarning;
use pyo3::prelude::*;
use rayon::ThreadPoolBuilder;
use training::batch::FlatBatch;
use training::{BatchLoader, TrainingError};

use super::arguments::{Count, FilterArgument, one_or_several};
use super::batch::Batch;
use super::error::{guarded, parsed_layers, raised, refused};
use super::feature_set::PyFeatureSet;
use super::waiting::{interruptible, next};

/// Batches of flat lists on their way from a thread.
type Batches = Mutex<Receiver<std::io::Result<FlatBatch>>>;

/// Files of games or positions, one or several.
fn ingredients(data: &Bound<'_, PyAny>) -> PyResult<Vec<Ingredient>> {
    let paths: Vec<PathBuf> = one_or_several("data", "a path", data)?;
    let parsed = |path: PathBuf| match path.to_str() {
        Some(text) => text.parse().map_err(raised),
        None => Ok(Ingredient::new(path)),
    };
    paths.into_iter().map(parsed).collect()
}

/// Training batches in the order of `oplus train`, made by threads ahead of the loop.
///
/// `data` is a file or folder of games or positions in any format, or several; `FILE@0.5` shows
/// half of its positions in each pass. `filter` and `validation`, the share of the games held
/// out, are those of `oplus train`; a filter may be a dict with the keys of its table. `layers`
/// decides the output bucket. `positions` limits the training positions, `cache` is a folder of
/// prepared positions, `threads` is 0 for one per core. The same data, filter, seed and batch
/// make the same batches to the bit on any number of threads.
///
/// The order is endless. A `for` loop takes `len(loader)` batches: `batches`, or one pass over the
/// data; the next loop begins at the next batch, `number`. `first` is the number of the first batch.
/// Ctrl-C ends loading and waiting.
#[pyclass(frozen, module = "oplus")]
pub(crate) struct Loader {
    loader: BatchLoader,
    /// Batches of a `for` loop.
    batches: u64,
    /// Batches left in the current one.
    left: AtomicU64,
    number: AtomicU64,
    stream: Batches,
}

#[pymethods]
impl Loader {
    #[new]
    #[pyo3(
        signature = (
            data, features, *, batch = Count::new(16_384),
            filter = FilterArgument::Text("quiet".into()), seed = Count::new(1), layers = "1",
            validation = 0.05, positions = None, batches = None, first = Count::new(0),
            threads = Count::new(0), cache = None,
        ),
        // As `help` shows it: defaults of other types than literals would be `...`.
        text_signature = "(data, features, *, batch=16384, filter='quiet', seed=1, layers='1', \
                          validation=0.05, positions=None, batches=None, first=0, threads=0, \
                          cache=None)"
    )]
    #[allow(clippy::too_many_arguments, reason = "keywords of Python")]
    fn new(
        py: Python<'_>,
        data: &Bound<'_, PyAny>,
        features: &Bound<'_, PyFeatureSet>,
        batch: Count,
        filter: FilterArgument<'_>,
        seed: Count,
        layers: &str,
        validation: f64,
        positions: Option<Count>,
        batches: Option<Count>,
        first: Count,
        threads: Count,
        cache: Option<PathBuf>,
    ) -> PyResult<Self> {
        guarded(|| {
            let batch: usize = batch.of("batch")?;
            let first = first.of("first")?;
            let batches = batches.map(|batches| batches.of("batches")).transpose()?;
            let spec = DataSpec {
                train: ingredients(data)?,
                validation,
                filter: filter.parsed()?,
                limit: positions.map(|positions| positions.of("positions")).transpose()?,
                choices: false,
            };
            let layers = parsed_layers(layers)?;
            let loader = BatchLoader {
                dataset: Arc::default(),
                features: features.get().set.clone(),
                buckets: layers.buckets().clone(),
                batch,
                seed: seed.of("seed")?,
                pool: Arc::new(pool(threads.of("threads")?)?),
            };
            check_batch(&loader)?;
            let dataset = interruptible(py, {
                let loader = loader.clone();
                move |stop| loader.pool.install(|| load(&spec, cache, &loader, stop))
            });
            let dataset = dataset?.map_err(raised)?;
            check_size(batch, &dataset)?;
            warn(py, &dataset)?;
            let batches = batches.unwrap_or(dataset.train.len() as u64 / batch as u64);
            let loader = BatchLoader { dataset: Arc::new(dataset), ..loader };
            Ok(Self {
                stream: Mutex::new(loader.train(first)),
                loader,
                batches,
                left: AtomicU64::new(batches),
                number: AtomicU64::new(first),
            })
        })
    }

    fn __len__(&self) -> usize {
        self.batches as usize
    }

    fn __repr__(&self) -> String {
        format!("Loader({})", self.loader.dataset)
    }

    fn __iter__(slf: PyRef<'_, Self>) -> PyRef<'_, Self> {
        slf.left.store(slf.batches, Ordering::Relaxed);
        slf
    }

    fn __next__(&self, py: Python<'_>) -> PyResult<Option<Batch>> {
        // Reserved first: several threads may take the last batches.
        let order = Ordering::Relaxed;
        if self.left.fetch_update(order, order, |left| left.checked_sub(1)).is_err() {
            return Ok(None);
        }
        let batch = received(py, &self.stream)
            .and_then(|batch| batch.ok_or_else(|| refused("the threads of the loader have ended")))
            .inspect_err(|_| {
                self.left.fetch_add(1, order);
            })?;
        self.number.fetch_add(1, Ordering::Relaxed);
        Ok(Some(batch))
    }

    /// Batches of the held-out positions, once and in file order; the last may be shorter.
    fn validation(&self) -> Validation {
        Validation { stream: Mutex::new(self.loader.validation()) }
    }

    /// Number of the next batch.
    #[getter]
    fn number(&self) -> u64 {
        self.number.load(Ordering::Relaxed)
    }

    /// Positions to train on.
    #[getter]
    fn train_positions(&self) -> usize {
        self.loader.dataset.train.len()
    }

    /// Held-out positions.
    #[getter]
    fn validation_positions(&self) -> usize {
        self.loader.dataset.validation.len()
    }
}

/// Batches of held-out positions.
#[pyclass(frozen, module = "oplus")]
pub(crate) struct Validation {
    stream: Batches,
}

#[pymethods]
impl Validation {
    fn __iter__(slf: PyRef<'_, Self>) -> PyRef<'_, Self> {
        slf
    }

    fn __next__(&self, py: Python<'_>) -> PyResult<Option<Batch>> {
        received(py, &self.stream)
    }
}

fn received(py: Python<'_>, stream: &Batches) -> PyResult<Option<Batch>> {
    let batch = next(py, stream)?.transpose();
    Ok(batch.map_err(|error| raised(TrainingError::Samples(error)))?.map(|it| Batch::new(py, it)))
}

fn load(
    spec: &DataSpec,
    cache: Option<PathBuf>,
    loader: &BatchLoader,
    stop: &AtomicBool,
) -> Result<Dataset, DataError> {
    if loader.features.reads_halfmoves() || loader.buckets.reads_halfmoves() {
        data::check_halfmoves(&spec.train)?;
    }
    let cache = cache.map(Cache::new);
    data::job::load(spec, cache.as_ref(), &|_| None, &mut Silent, stop)
}

fn pool(threads: usize) -> PyResult<rayon::ThreadPool> {
    let threads = if threads == 0 { base::cores() } else { threads };
    if threads > training::MOST_THREADS {
        let most = training::MOST_THREADS;
        return Err(refused(format!("threads: {threads} is more than {most}")));
    }
    ThreadPoolBuilder::new().num_threads(threads).build().map_err(raised)
}

fn check_batch(loader: &BatchLoader) -> PyResult<()> {
    match loader.batch {
        0 => Err(refused("batch: at least one position is needed")),
        batch if loader.is_too_large() => Err(refused(format!(
            "batch: {batch} positions of {} active features each are more than 31 bits can index",
            loader.features.max_active()
        ))),
        _ => Ok(()),
    }
}

fn check_size(batch: usize, dataset: &Dataset) -> PyResult<()> {
    match dataset.train.len() {
        0 => Err(refused("the data has no positions to train on: lower `validation`")),
        positions if batch > positions => Err(refused(format!(
            "batch: the data has {positions} positions to train on, fewer than {batch}"
        ))),
        _ => Ok(()),
    }
}

fn warn(py: Python<'_>, dataset: &Dataset) -> PyResult<()> {
    for warning in dataset.warnings() {
        let text = CString::new(warning).unwrap_or_default();
        PyErr::warn(py, &py.get_type::<PyUserWarning>(), &text, 1)?;
    }
    Ok(())
}
