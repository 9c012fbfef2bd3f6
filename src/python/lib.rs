//! The Python package `oplus`: feature sets, batches, nets and results as numpy arrays.
//!
//! This crate converts types and raises errors; each class is a file. Rooms do the work:
//! [`features`] compiles sets, [`training`] makes the batches of `oplus train`, [`nnue`] evaluates
//! and quantises, [`experiment`] reads runs. `oplus/_oplus.pyi` has the types and the documentation
//! for Python.

mod arguments;
mod arrays;
mod batch;
mod error;
mod factored_set;
mod feature_set;
mod loader;
mod net;
mod results;
mod waiting;
mod write_net;

use pyo3::prelude::*;

// Batches are megabytes, and the system's allocator returns them to the kernel one by one.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

#[pymodule]
mod _oplus {
    use pyo3::prelude::*;

    #[pymodule_export]
    use super::batch::Batch;
    #[pymodule_export]
    use super::error::OplusError;
    #[pymodule_export]
    use super::factored_set::PyFactoredSet;
    #[pymodule_export]
    use super::feature_set::{Block, PyFeatureSet};
    #[pymodule_export]
    use super::loader::{Loader, Validation};
    #[pymodule_export]
    use super::net::PyNet;
    #[pymodule_export]
    use super::results::results;
    #[pymodule_export]
    use super::write_net::write_net;

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}
