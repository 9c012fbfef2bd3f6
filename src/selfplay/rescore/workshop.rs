//! Lessons judged on several threads, handed over in order.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use super::RescoreError;
use super::lesson::Lesson;
use super::marks::Marks;
use super::teacher::{Teacher, TeacherError};
use crate::production::{self, Queue};
use data::DataError;

/// How often the stop flag is looked at while nothing is handed over.
const PATIENCE: Duration = Duration::from_millis(50);
/// Lessons that wait for each thread.
const WAITING: usize = 4;

/// Shows lessons to whoever wants them, while they want more.
pub(super) type Source<'a> =
    &'a mut (dyn FnMut(&mut dyn FnMut(Lesson) -> bool) -> Result<(), DataError> + Send);

/// Lessons that wait to be judged, each with its number in order.
#[derive(Clone)]
pub(super) struct Lessons(Arc<Mutex<Receiver<(u64, Lesson)>>>);

impl Lessons {
    /// The next; `None` if there are no more.
    pub(super) fn next(&self) -> Option<(u64, Lesson)> {
        // A panic elsewhere leaves a channel as it is.
        self.0.lock().unwrap_or_else(PoisonError::into_inner).recv().ok()
    }
}

/// Takes what is judged; whether more is wanted.
pub(super) type HandIn<'a> = &'a mut dyn FnMut(u64, Marks) -> bool;

/// Has a teacher judge lessons on `threads` threads (0: one a core), and hands what it says to
/// `accept`, in order, until there are no more or `stop` is set.
///
/// # Errors
/// The first of the source, of a teacher or of `accept`, which ends the work.
pub(super) fn judge(
    teacher: &Teacher,
    threads: usize,
    source: Source<'_>,
    accept: &mut dyn FnMut(Marks) -> Result<(), RescoreError>,
    stop: &AtomicBool,
) -> Result<(), RescoreError> {
    let threads = production::threads(threads);
    let over = AtomicBool::new(false);
    thread::scope(|scope| {
        let (hand_out, lessons) = sync_channel(threads * WAITING);
        let lessons = Lessons(Arc::new(Mutex::new(lessons)));
        let mut number = 0;
        let reader = scope.spawn(move || {
            source(&mut |lesson| {
                let sent = hand_out.send((number, lesson)).is_ok();
                number += 1;
                sent
            })
        });
        let (sender, judged) = mpsc::channel();
        for _ in 0..threads {
            let (lessons, sender, over) = (lessons.clone(), sender.clone(), &over);
            scope.spawn(move || work(teacher, &lessons, &sender, over));
        }
        drop((lessons, sender));
        let outcome = collect(&judged, accept, stop);
        over.store(true, Ordering::Relaxed);
        // The reader is waiting for room until the last who could make some has gone.
        outcome.and_then(|()| match reader.join() {
            Ok(read) => Ok(read?),
            Err(panic) => std::panic::resume_unwind(panic),
        })
    })
}

type Judged = Result<(u64, Marks), TeacherError>;

fn work(teacher: &Teacher, lessons: &Lessons, judged: &Sender<Judged>, over: &AtomicBool) {
    let mut hand_in = |number, marks| judged.send(Ok((number, marks))).is_ok();
    if let Err(error) = teacher.judge(lessons, &mut hand_in, over) {
        // Whoever does not listen any more has heard of another.
        let _ = judged.send(Err(error));
    }
}

fn collect(
    judged: &Receiver<Judged>,
    accept: &mut dyn FnMut(Marks) -> Result<(), RescoreError>,
    stop: &AtomicBool,
) -> Result<(), RescoreError> {
    let mut queue = Queue::default();
    while !stop.load(Ordering::Relaxed) {
        match judged.recv_timeout(PATIENCE) {
            Ok(judged) => {
                let (number, marks) = judged?;
                queue.insert(number, marks);
                while let Some(marks) = queue.next() {
                    accept(marks)?;
                }
            }
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => break,
        }
    }
    Ok(())
}
