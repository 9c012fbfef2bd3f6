//! Numbered work on several threads, handed over in order.
//!
//! Results leave in the order of their numbers, so what is made does not
//! depend on how many threads make it. What comes early waits; jobs are of
//! bounded length, so what waits is bounded too.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::Duration;

/// How often the stop flag is checked while nothing is handed over.
const PATIENCE: Duration = Duration::from_millis(50);

/// A job by its number; `None` if the flag was set, or if there is no job of that
/// number or beyond.
pub(crate) type Job<'a, W, T> = &'a (dyn Fn(&mut W, u64, &AtomicBool) -> Option<T> + Sync);

/// Does jobs 0, 1, 2… on `threads` threads (0: one a core), each with its own
/// worker, and hands the results to `accept` in order, until it has enough,
/// there are no more, or `stop` is set.
///
/// # Errors
/// The first of `accept`, which ends the work.
pub(crate) fn produce<W, T: Send, E>(
    threads: usize,
    make_worker: &(dyn Fn() -> W + Sync),
    job: Job<'_, W, T>,
    accept: &mut dyn FnMut(T) -> Result<ControlFlow<()>, E>,
    stop: &AtomicBool,
) -> Result<(), E> {
    let next = AtomicU64::new(0);
    let over = AtomicBool::new(false);
    let threads = self::threads(threads);
    thread::scope(|scope| {
        let (sender, receiver) = mpsc::channel();
        for _ in 0..threads {
            let (sender, next, over) = (sender.clone(), &next, &over);
            scope.spawn(move || {
                let mut worker = make_worker();
                while !over.load(Ordering::Relaxed) {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    let Some(result) = job(&mut worker, number, over) else { return };
                    if sender.send((number, result)).is_err() {
                        return;
                    }
                }
            });
        }
        drop(sender);
        let mut queue = Queue::default();
        let outcome = loop {
            if stop.load(Ordering::Relaxed) {
                break Ok(());
            }
            match receiver.recv_timeout(PATIENCE) {
                Ok((number, result)) => queue.insert(number, result),
                Err(RecvTimeoutError::Timeout) => continue,
                Err(RecvTimeoutError::Disconnected) => break Ok(()),
            }
            match queue.drain(accept) {
                Ok(ControlFlow::Continue(())) => {}
                Ok(ControlFlow::Break(())) => break Ok(()),
                Err(error) => break Err(error),
            }
        };
        over.store(true, Ordering::Relaxed);
        outcome
    })
}

/// So many threads; 0 for one a core.
pub(crate) fn threads(wanted: usize) -> usize {
    match wanted {
        0 => base::cores(),
        wanted => wanted,
    }
}

/// Results that wait for their turn.
pub(crate) struct Queue<T> {
    next: u64,
    waiting: BTreeMap<u64, T>,
}

impl<T> Default for Queue<T> {
    fn default() -> Self {
        Self { next: 0, waiting: BTreeMap::new() }
    }
}

impl<T> Queue<T> {
    pub(crate) fn insert(&mut self, number: u64, result: T) {
        self.waiting.insert(number, result);
    }

    /// The result whose turn it is, if it is there.
    pub(crate) fn next(&mut self) -> Option<T> {
        let result = self.waiting.remove(&self.next)?;
        self.next += 1;
        Some(result)
    }

    /// Hands over everything whose turn has come.
    fn drain<E>(
        &mut self,
        accept: &mut dyn FnMut(T) -> Result<ControlFlow<()>, E>,
    ) -> Result<ControlFlow<()>, E> {
        while let Some(result) = self.next() {
            if accept(result)?.is_break() {
                return Ok(ControlFlow::Break(()));
            }
        }
        Ok(ControlFlow::Continue(()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Jobs of uneven length; `count` of them.
    fn uneven(count: u64) -> impl Fn(&mut (), u64, &AtomicBool) -> Option<u64> + Sync {
        move |(), number, _| {
            thread::sleep(Duration::from_micros(number * 7_919 % 500));
            (number < count).then_some(number)
        }
    }

    #[test]
    fn results_come_in_order_and_all_of_them() {
        for threads in [1, 3, 8] {
            let mut seen = Vec::new();
            let mut accept = |number| {
                seen.push(number);
                Ok::<_, ()>(ControlFlow::Continue(()))
            };
            let stop = AtomicBool::new(false);
            produce(threads, &|| (), &uneven(40), &mut accept, &stop).unwrap();
            assert_eq!(seen, (0..40).collect::<Vec<_>>());
        }
    }

    #[test]
    fn enough_errors_and_stop_all_end_it() {
        let stop = AtomicBool::new(false);
        let mut taken = 0;
        let mut until_five = |_| {
            taken += 1;
            let enough = taken == 5;
            Ok::<_, ()>(if enough { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
        };
        produce(2, &|| (), &uneven(u64::MAX), &mut until_five, &stop).unwrap();
        assert_eq!(taken, 5);
        let mut full = |number| Err(number);
        assert_eq!(produce(2, &|| (), &uneven(u64::MAX), &mut full, &stop), Err(0));
        let mut stopping = |_| {
            stop.store(true, Ordering::Relaxed);
            Ok::<_, ()>(ControlFlow::Continue(()))
        };
        produce(2, &|| (), &uneven(u64::MAX), &mut stopping, &stop).unwrap();
    }
}
