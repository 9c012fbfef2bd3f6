//! A program with pipes for input and output.
//!
//! A thread reads the program's output, so that a match can wait for an answer with a deadline and
//! react to the stop flag. The thread ends with the pipe, the program with its [`Process`].
//!
//! A client that queues questions may [let lines gather](Process::let_gather): then an engine that
//! writes fifty thousand lines a second wakes no thread for each, and its output during a search
//! arrives as one answer.

use std::io::{self, BufReader, Read, Write};
use std::process::{ChildStdin, ChildStdout, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, TryRecvError, sync_channel};
use std::thread;
use std::time::{Duration, Instant};

use super::answers::{Thoughts, best_move};
use super::group::ProcessGroup;
use engine::uci::lines::{Line, Lines};

/// Longest line of UCI.
const LONGEST_LINE: usize = 64 << 10;
/// Queue length in lines or answers; the program waits while it is full.
const WAITING: usize = 256;
/// Interval at which a wait polls the stop flag.
const STOP_POLL: Duration = Duration::from_millis(50);
/// Bytes of a read: the size of a pipe.
const READ_AT_ONCE: usize = 64 << 10;
/// Time to end after `quit` before the program is killed.
const TIME_TO_QUIT: Duration = Duration::from_millis(200);

#[derive(Debug)]
pub(super) struct Process {
    group: ProcessGroup,
    input: ChildStdin,
    events: Receiver<ProcessEvent>,
    /// Microseconds for which output gathers before it is read; 0 for none.
    gathers: Arc<AtomicU64>,
}

/// An event of the program's output.
#[derive(Debug)]
pub(super) enum ProcessEvent {
    /// A line, and when it was read.
    Line(String, Instant),
    /// A move, where answers gather.
    Answer(EngineAnswer),
}

/// A `bestmove` of an engine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EngineAnswer {
    /// The move, as the engine writes it.
    pub text: String,
    /// The infos before it.
    pub thoughts: Thoughts,
    /// Time of reading, which is before the waiting thread wakes up.
    pub at: Instant,
}

/// Reason for a missing answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Silence {
    /// The program has ended or closed its output.
    Gone,
    TimedOut,
    /// The stop flag is set.
    Stopped,
}

impl Process {
    /// Starts a program; its standard error is dropped.
    pub(super) fn start(program: &str, arguments: &[String]) -> io::Result<Self> {
        let mut command = Command::new(program);
        command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut group = ProcessGroup::start(&mut command)?;
        let leader = group.leader();
        let (Some(input), Some(output)) = (leader.stdin.take(), leader.stdout.take()) else {
            return Err(io::Error::other("the program has no pipes"));
        };
        let (sender, events) = sync_channel(WAITING);
        let gathers = Arc::new(AtomicU64::new(0));
        let reader = OutputReader { gathers: gathers.clone(), sender };
        let process = Self { group, input, events, gathers };
        thread::Builder::new().name("uci reader".to_owned()).spawn(move || reader.read(output))?;
        Ok(process)
    }

    /// See [`Engine::let_gather`](super::Engine::let_gather).
    pub(super) fn let_gather(&mut self, time: Duration) {
        let microseconds = u64::try_from(time.as_micros()).unwrap_or(u64::MAX);
        self.gathers.store(microseconds.max(1), Ordering::Relaxed);
    }

    /// Sends a line to the program.
    pub(super) fn say(&mut self, line: &str) -> Result<(), Silence> {
        let written = self.input.write_all(format!("{line}\n").as_bytes());
        written.and_then(|()| self.input.flush()).map_err(|_| Silence::Gone)
    }

    /// The next line that `wanted` accepts; others are dropped.
    pub(super) fn listen<T>(
        &mut self,
        until: Instant,
        stop: &AtomicBool,
        mut wanted: impl FnMut(&str) -> Option<T>,
    ) -> Result<T, Silence> {
        loop {
            if let ProcessEvent::Line(line, _) = self.next_event(until, stop)?
                && let Some(found) = wanted(&line)
            {
                return Ok(found);
            }
        }
    }

    /// The next `bestmove`, with the infos before it.
    pub(super) fn answer(
        &mut self,
        until: Instant,
        stop: &AtomicBool,
    ) -> Result<EngineAnswer, Silence> {
        let mut thoughts = Thoughts::default();
        loop {
            match self.next_event(until, stop)? {
                ProcessEvent::Answer(answer) => return Ok(answer),
                ProcessEvent::Line(line, at) => {
                    thoughts.take(&line);
                    if let Some(text) = best_move(&line) {
                        return Ok(EngineAnswer { text: text.to_owned(), thoughts, at });
                    }
                }
            }
        }
    }

    fn next_event(&mut self, until: Instant, stop: &AtomicBool) -> Result<ProcessEvent, Silence> {
        loop {
            if stop.load(Ordering::Relaxed) {
                return Err(Silence::Stopped);
            }
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Err(Silence::TimedOut);
            }
            match self.receive(left.min(STOP_POLL)) {
                Ok(event) => return Ok(event),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return Err(Silence::Gone),
            }
        }
    }

    /// The output at hand or within `patience`. Where answers gather, no thread wakes up for the
    /// first of many.
    fn receive(&mut self, patience: Duration) -> Result<ProcessEvent, RecvTimeoutError> {
        let Some(time) = time_to_gather(&self.gathers) else {
            return self.events.recv_timeout(patience);
        };
        self.events.try_recv().map_err(|error| match error {
            TryRecvError::Empty => {
                thread::sleep(time);
                RecvTimeoutError::Timeout
            }
            TryRecvError::Disconnected => RecvTimeoutError::Disconnected,
        })
    }

    /// Its process id.
    pub(super) fn id(&self) -> u32 {
        self.group.id()
    }
}

fn time_to_gather(gathers: &AtomicU64) -> Option<Duration> {
    match gathers.load(Ordering::Relaxed) {
        0 => None,
        microseconds => Some(Duration::from_micros(microseconds)),
    }
}

/// Reads a program's output.
struct OutputReader {
    gathers: Arc<AtomicU64>,
    sender: SyncSender<ProcessEvent>,
}

impl OutputReader {
    fn read(self, output: ChildStdout) {
        let output = Gathered { output, gathers: self.gathers.clone() };
        let output = BufReader::with_capacity(READ_AT_ONCE, output);
        let mut lines = Lines::new(output, LONGEST_LINE);
        let mut thoughts = Thoughts::default();
        loop {
            let goes_on = match lines.read() {
                Ok(Some(Line::Whole(text))) => self.pass_on(&text, &mut thoughts),
                Ok(Some(Line::TooLong(_))) => true,
                Ok(None) | Err(_) => false,
            };
            if !goes_on {
                return;
            }
        }
    }

    /// Sends a line, or keeps it for the answer; `false` if the receiver is gone.
    fn pass_on(&self, line: &str, thoughts: &mut Thoughts) -> bool {
        let at = Instant::now();
        if time_to_gather(&self.gathers).is_none() {
            return self.sender.send(ProcessEvent::Line(line.to_owned(), at)).is_ok();
        }
        match best_move(line) {
            Some(text) => {
                let (text, thoughts) = (text.to_owned(), std::mem::take(thoughts));
                self.sender.send(ProcessEvent::Answer(EngineAnswer { text, thoughts, at })).is_ok()
            }
            None if line.starts_with("info") => {
                thoughts.take(line);
                true
            }
            None => self.sender.send(ProcessEvent::Line(line.to_owned(), at)).is_ok(),
        }
    }
}

/// A program's output, with a pause before each read while lines gather.
struct Gathered {
    output: ChildStdout,
    gathers: Arc<AtomicU64>,
}

impl Read for Gathered {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if let Some(time) = time_to_gather(&self.gathers) {
            thread::sleep(time);
        }
        self.output.read(buffer)
    }
}

impl Drop for Process {
    /// Sends `quit`; after `TIME_TO_QUIT` ends the program with its group.
    fn drop(&mut self) {
        let _ = self.say("quit");
        let patience = Instant::now() + TIME_TO_QUIT;
        while !self.group.has_ended() && Instant::now() < patience {
            // A program with a full pipe has to write before it reads.
            while self.events.try_recv().is_ok() {}
            thread::sleep(Duration::from_millis(1));
        }
    }
}
