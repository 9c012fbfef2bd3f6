//! Numbered work on several threads, handed over in order.
//!
//! Results leave in the order of their numbers, independent of the number of
//! threads. Early results wait; jobs are of bounded length, so the queue is
//! bounded too.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::thread;
use std::time::Duration;

/// How often the stop flag is checked while nothing is handed over.
const PATIENCE: Duration = Duration::from_millis(50);

/// A job by its number; `None` if the flag was set, or if there is no job of that
/// number or beyond.
pub(crate) type Job<'a, W, T> = &'a (dyn Fn(&mut W, u64, &AtomicBool) -> Option<T> + Sync);

/// Takes a numbered result, or an error that ends the work; `false` to stop.
pub(crate) type HandIn<'a, T, E> = &'a mut dyn FnMut(Result<(u64, T), E>) -> bool;

/// Takes the results in order; [`ControlFlow::Break`] if there are enough.
pub(crate) type Accept<'a, T, E> = &'a mut dyn FnMut(T) -> Result<ControlFlow<()>, E>;

/// Does jobs 0, 1, 2… on `threads` threads (0: one a core), each with its own
/// worker, and hands the results to `accept` in order, until it has enough,
/// there are no more, or `stop` is set.
///
/// # Errors
/// The first of `accept`, which ends the work.
pub(crate) fn produce<W, T: Send, E: Send>(
    threads: usize,
    make_worker: &(dyn Fn() -> W + Sync),
    job: Job<'_, W, T>,
    accept: Accept<'_, T, E>,
    stop: &AtomicBool,
) -> Result<(), E> {
    let next = AtomicU64::new(0);
    let work = |over: &AtomicBool, hand_in: HandIn<'_, T, E>| {
        let mut worker = make_worker();
        while !over.load(Ordering::Relaxed) {
            let number = next.fetch_add(1, Ordering::Relaxed);
            let Some(result) = job(&mut worker, number, over) else { return };
            if !hand_in(Ok((number, result))) {
                return;
            }
        }
    };
    in_order(threads, &work, accept, stop)
}

/// Runs `work` on `threads` threads (0: one a core) and passes the numbered results of all to
/// `accept` in order. The flag of `work` is set at the end of the work.
///
/// # Errors
/// The first of `work` or `accept`, which ends the work.
pub(crate) fn in_order<T: Send, E: Send>(
    threads: usize,
    work: &(dyn Fn(&AtomicBool, HandIn<'_, T, E>) + Sync),
    accept: Accept<'_, T, E>,
    stop: &AtomicBool,
) -> Result<(), E> {
    let over = AtomicBool::new(false);
    thread::scope(|scope| {
        let (sender, receiver) = mpsc::channel();
        for _ in 0..self::threads(threads) {
            let (sender, over) = (sender.clone(), &over);
            scope.spawn(move || work(over, &mut |result| sender.send(result).is_ok()));
        }
        drop(sender);
        let outcome = collect(&receiver, accept, stop);
        over.store(true, Ordering::Relaxed);
        outcome
    })
}

fn collect<T, E>(
    results: &Receiver<Result<(u64, T), E>>,
    accept: Accept<'_, T, E>,
    stop: &AtomicBool,
) -> Result<(), E> {
    let (mut next, mut waiting) = (0, BTreeMap::new());
    while !stop.load(Ordering::Relaxed) {
        let (number, result) = match results.recv_timeout(PATIENCE) {
            Ok(result) => result?,
            Err(RecvTimeoutError::Timeout) => continue,
            Err(RecvTimeoutError::Disconnected) => break,
        };
        waiting.insert(number, result);
        while let Some(result) = waiting.remove(&next) {
            next += 1;
            if accept(result)?.is_break() {
                return Ok(());
            }
        }
    }
    Ok(())
}

/// Number of threads; 0 for one a core.
pub(crate) fn threads(wanted: usize) -> usize {
    match wanted {
        0 => base::cores(),
        wanted => wanted,
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
