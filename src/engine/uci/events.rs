//! Events of a session: lines, and the ends of searches.

use std::io::{self, BufRead};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::{Duration, Instant};

use super::lines::{Line, Lines};

/// Longest line that is executed, in bytes: games of 200,000 moves.
pub(super) const LONGEST_LINE: usize = 1 << 20;
/// Input queue limit in bytes; reading pauses when it is full.
const MOST_WAITING: usize = 16 << 20;

#[derive(Debug)]
pub(super) enum Event {
    Line(InputLine),
    /// A line above the bound; its length in bytes.
    TooLong(usize),
    End,
    /// The end of a search.
    Done,
    /// Nothing happened in time.
    Nothing,
}

/// A line of input.
#[derive(Debug)]
pub(super) struct InputLine {
    pub text: String,
    /// Time of reading: the clock of a `go` runs from then on.
    pub at: Instant,
    /// Its share of the queue until it is executed.
    pub room: QueueRoom,
}

/// A line's share of the queue as long as it waits.
#[derive(Debug)]
pub(super) struct QueueRoom {
    bytes: usize,
    taken: Arc<AtomicUsize>,
}

impl QueueRoom {
    /// Waits until there is some.
    fn wait(bytes: usize, taken: &Arc<AtomicUsize>) -> Self {
        while taken.load(Ordering::Relaxed) >= MOST_WAITING {
            thread::sleep(Duration::from_millis(1));
        }
        taken.fetch_add(bytes, Ordering::Relaxed);
        Self { bytes, taken: Arc::clone(taken) }
    }
}

impl Drop for QueueRoom {
    fn drop(&mut self) {
        self.taken.fetch_sub(self.bytes, Ordering::Relaxed);
    }
}

pub(super) struct Events(Receiver<Event>);

/// Sender of the ends of searches.
#[derive(Clone, Debug)]
pub(super) struct Bell(Sender<Event>);

/// Sends the end of a search when it is dropped, even by a panic.
#[derive(Debug)]
pub(super) struct Alarm(Bell);

impl Bell {
    pub(super) fn alarm(&self) -> Alarm {
        Alarm(self.clone())
    }
}

impl Drop for Alarm {
    fn drop(&mut self) {
        let Bell(events) = &self.0;
        let _ = events.send(Event::Done);
    }
}

impl Events {
    /// Reads lines on a thread of their own, so that `stop` is read while other commands wait.
    pub(super) fn of(input: impl BufRead + Send + 'static) -> io::Result<(Self, Bell)> {
        let (sender, receiver) = channel();
        let lines = sender.clone();
        thread::Builder::new().name("uci input".to_owned()).spawn(move || read(input, &lines))?;
        Ok((Self(receiver), Bell(sender)))
    }

    /// The next event; [`Event::Nothing`] after `patience`.
    pub(super) fn next(&self, patience: Option<Duration>) -> Event {
        let event = match patience {
            Some(patience) => self.0.recv_timeout(patience),
            None => self.0.recv().map_err(|_| RecvTimeoutError::Disconnected),
        };
        event.unwrap_or_else(|error| match error {
            RecvTimeoutError::Timeout => Event::Nothing,
            RecvTimeoutError::Disconnected => Event::End,
        })
    }
}

fn read(input: impl BufRead, events: &Sender<Event>) {
    let mut lines = Lines::new(input, LONGEST_LINE);
    let taken = Arc::new(AtomicUsize::new(0));
    // Input that cannot be read any more has ended.
    while let Ok(Some(line)) = lines.read() {
        let event = match line {
            Line::Whole(text) => {
                let (text, at) = (text.into_owned(), Instant::now());
                let room = QueueRoom::wait(text.len(), &taken);
                Event::Line(InputLine { text, at, room })
            }
            Line::TooLong(bytes) => Event::TooLong(bytes),
        };
        if events.send(event).is_err() {
            return;
        }
    }
    let _ = events.send(Event::End);
}
