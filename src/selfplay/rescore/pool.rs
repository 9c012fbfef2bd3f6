//! Entries labelled on several threads, handed over in order.

use std::ops::ControlFlow;
use std::sync::atomic::AtomicBool;
use std::sync::mpsc::{Receiver, sync_channel};
use std::sync::{Mutex, PoisonError};
use std::thread;

use super::RescoreError;
use super::annotator::Annotator;
use super::labels::Labels;
use super::task::LabelTask;
use crate::production::{HandIn, in_order, threads};
use data::DataError;

/// Tasks that wait for each thread.
const WAITING: usize = 4;

/// Takes the labels of a task by its number; `false` to stop.
pub(super) type TakeLabels<'a> = &'a mut dyn FnMut(u64, Labels) -> bool;

/// Passes tasks to a taker until it returns `false`.
pub(super) type TaskSource<'a> =
    &'a mut (dyn FnMut(&mut dyn FnMut(LabelTask) -> bool) -> Result<(), DataError> + Send);

/// Tasks that wait for a thread, each with its number in order.
pub(super) struct TaskQueue(Mutex<Receiver<(u64, LabelTask)>>);

impl TaskQueue {
    /// The next; `None` if there are no more.
    pub(super) fn next(&self) -> Option<(u64, LabelTask)> {
        // A panic elsewhere leaves a channel as it is.
        self.0.lock().unwrap_or_else(PoisonError::into_inner).recv().ok()
    }
}

/// Labels tasks on `threads` threads (0: one a core), and hands the labels to `accept`, in order,
/// until there are no more or `stop` is set.
///
/// # Errors
/// The first of the source, of an annotator or of `accept`, which ends the work.
pub(super) fn label(
    annotator: &Annotator,
    threads: usize,
    source: TaskSource<'_>,
    accept: &mut dyn FnMut(Labels) -> Result<(), RescoreError>,
    stop: &AtomicBool,
) -> Result<(), RescoreError> {
    let threads = self::threads(threads);
    thread::scope(|scope| {
        let (hand_out, tasks) = sync_channel(threads * WAITING);
        let tasks = TaskQueue(Mutex::new(tasks));
        let mut number = 0;
        let reader = scope.spawn(move || {
            source(&mut |task| {
                let sent = hand_out.send((number, task)).is_ok();
                number += 1;
                sent
            })
        });
        let work = |over: &AtomicBool, hand_in: HandIn<'_, Labels, RescoreError>| {
            let labelled =
                annotator.label(&tasks, &mut |number, labels| hand_in(Ok((number, labels))), over);
            if let Err(error) = labelled {
                hand_in(Err(error.into()));
            }
        };
        let mut accept = |labels| accept(labels).map(ControlFlow::Continue);
        let outcome = in_order(threads, &work, &mut accept, stop);
        // The reader waits for room until the queue is gone.
        drop(tasks);
        outcome.and_then(|()| match reader.join() {
            Ok(read) => Ok(read?),
            Err(panic) => std::panic::resume_unwind(panic),
        })
    })
}
