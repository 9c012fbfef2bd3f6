//! What a conversation waits for: lines, and the ends of searches.

use std::io::{self, BufRead};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::{Duration, Instant};

use super::lines::{Line, Lines};

/// Longest line that is obeyed, in bytes: games of 200,000 moves.
pub(super) const LONGEST_LINE: usize = 1 << 20;
/// Bytes that may wait to be obeyed; whoever says more is not heard until there is room.
const MOST_WAITING: usize = 16 << 20;

#[derive(Debug)]
pub(super) enum Event {
    /// A line.
    Line(Said),
    /// One of so many bytes, too long to be read.
    TooLong(usize),
    /// There will be no more lines.
    End,
    /// A search is over.
    Done,
    /// Nothing happened in time.
    Nothing,
}

/// A line as it was said.
#[derive(Debug)]
pub(super) struct Said {
    pub text: String,
    /// When it was read: the clock of a `go` runs from then on.
    pub at: Instant,
    /// The room it takes until it is obeyed.
    pub room: Room,
}

/// The room that a line takes as long as it waits.
#[derive(Debug)]
pub(super) struct Room {
    bytes: usize,
    taken: Arc<AtomicUsize>,
}

impl Room {
    /// Waits until there is some.
    fn wait(bytes: usize, taken: &Arc<AtomicUsize>) -> Self {
        while taken.load(Ordering::Relaxed) >= MOST_WAITING {
            thread::sleep(Duration::from_millis(1));
        }
        taken.fetch_add(bytes, Ordering::Relaxed);
        Self { bytes, taken: Arc::clone(taken) }
    }
}

impl Drop for Room {
    fn drop(&mut self) {
        self.taken.fetch_sub(self.bytes, Ordering::Relaxed);
    }
}

pub(super) struct Events(Receiver<Event>);

/// By what searches tell that they are over.
#[derive(Clone, Debug)]
pub(super) struct Bell(Sender<Event>);

/// Rings when it is dropped, however its search ends.
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
    /// Reads lines on a thread of their own, so that `stop` is heard while something else waits.
    pub(super) fn of(input: impl BufRead + Send + 'static) -> io::Result<(Self, Bell)> {
        let (sender, receiver) = channel();
        let lines = sender.clone();
        thread::Builder::new().name("uci input".to_owned()).spawn(move || read(input, &lines))?;
        Ok((Self(receiver), Bell(sender)))
    }

    /// The next event; [`Event::Nothing`] after so long.
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
                let room = Room::wait(text.len(), &taken);
                Event::Line(Said { text, at, room })
            }
            Line::TooLong(bytes) => Event::TooLong(bytes),
        };
        if events.send(event).is_err() {
            return;
        }
    }
    let _ = events.send(Event::End);
}
