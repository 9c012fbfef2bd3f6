//! Waits without the interpreter lock that Ctrl-C ends.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use pyo3::prelude::*;

use super::error::of_panic;

/// Time between two looks for Ctrl-C.
const TICK: Duration = Duration::from_millis(50);

/// The next value of a channel; `None` at its end.
///
/// # Errors
/// `KeyboardInterrupt`.
pub(crate) fn next<T: Send>(py: Python<'_>, channel: &Mutex<Receiver<T>>) -> PyResult<Option<T>> {
    loop {
        // Threads of Python wait for the mutex without the interpreter lock, too.
        match py.detach(|| locked(channel).recv_timeout(TICK)) {
            Ok(value) => return Ok(Some(value)),
            Err(RecvTimeoutError::Disconnected) => return Ok(None),
            Err(RecvTimeoutError::Timeout) => py.check_signals()?,
        }
    }
}

/// The result of `work` on a thread of its own. Ctrl-C ends the wait at once, and sets the flag, by
/// which the work ends a little later.
///
/// # Errors
/// `KeyboardInterrupt`; a panic as a `RuntimeError`.
pub(crate) fn interruptible<T: Send + 'static>(
    py: Python<'_>,
    work: impl FnOnce(&AtomicBool) -> T + Send + 'static,
) -> PyResult<T> {
    let stop = Arc::new(AtomicBool::new(false));
    let (sender, receiver) = channel();
    let flag = stop.clone();
    std::thread::spawn(move || {
        // After Ctrl-C there is no receiver.
        let _ = sender.send(catch_unwind(AssertUnwindSafe(|| work(&flag))));
    });
    let done = next(py, &Mutex::new(receiver)).inspect_err(|_| stop.store(true, Ordering::Relaxed));
    let ended = || Err(Box::new("a thread ended without a result") as Box<dyn Any + Send>);
    done?.unwrap_or_else(ended).map_err(|panic| of_panic(&*panic))
}

/// Nothing is changed under these locks that a panic could leave half done.
pub(crate) fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
