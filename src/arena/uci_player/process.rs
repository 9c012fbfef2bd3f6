//! A program spoken to through pipes.
//!
//! A thread of its own reads what the program says, so that whoever waits for
//! an answer can wait with a deadline and for the match to be stopped. The
//! thread ends with the pipe; the program is ended with its [`Process`].

use std::io::{self, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::thread;
use std::time::{Duration, Instant};

use engine::uci::lines::{Line, Lines};

/// Longest line that is read; what is longer is no UCI.
const LONGEST_LINE: usize = 64 << 10;
/// Lines that may wait; a program that says more has to wait itself.
const LINES_WAITING: usize = 256;
/// How often a wait looks whether the match is stopped.
const STOP_POLL: Duration = Duration::from_millis(50);
/// Time to end after `quit` before the program is killed.
const TIME_TO_QUIT: Duration = Duration::from_millis(200);

/// A running program.
#[derive(Debug)]
pub(super) struct Process {
    child: Child,
    input: ChildStdin,
    lines: Receiver<String>,
}

/// Why there is no answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Silence {
    /// The program has ended or closed its output.
    Gone,
    /// Nothing came in time.
    TimedOut,
    /// The match is being stopped.
    Stopped,
}

impl Process {
    /// Starts a program. What it writes to standard error is dropped.
    pub(super) fn start(program: &str, arguments: &[String]) -> io::Result<Self> {
        let mut command = Command::new(program);
        command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        // Ctrl-C is for the match, which ends its engines itself.
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        let mut child = command.spawn()?;
        let (Some(input), Some(output)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(io::Error::other("the program has no pipes"));
        };
        let (sender, lines) = sync_channel(LINES_WAITING);
        let process = Self { child, input, lines };
        thread::Builder::new()
            .name("uci reader".to_owned())
            .spawn(move || read(output, &sender))?;
        Ok(process)
    }

    /// Says a line to the program.
    pub(super) fn say(&mut self, line: &str) -> Result<(), Silence> {
        let said = self.input.write_all(format!("{line}\n").as_bytes());
        said.and_then(|()| self.input.flush()).map_err(|_| Silence::Gone)
    }

    /// Its next line that `wanted` makes something of; others are dropped.
    pub(super) fn listen<T>(
        &mut self,
        until: Instant,
        stop: &AtomicBool,
        mut wanted: impl FnMut(&str) -> Option<T>,
    ) -> Result<T, Silence> {
        loop {
            if let Some(found) = wanted(&self.next_line(until, stop)?) {
                return Ok(found);
            }
        }
    }

    fn next_line(&mut self, until: Instant, stop: &AtomicBool) -> Result<String, Silence> {
        loop {
            if stop.load(Ordering::Relaxed) {
                return Err(Silence::Stopped);
            }
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Err(Silence::TimedOut);
            }
            match self.lines.recv_timeout(left.min(STOP_POLL)) {
                Ok(line) => return Ok(line),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return Err(Silence::Gone),
            }
        }
    }

    fn has_ended(&mut self) -> bool {
        !matches!(self.child.try_wait(), Ok(None))
    }
}

fn read(output: ChildStdout, lines: &SyncSender<String>) {
    for line in Lines::new(BufReader::new(output), LONGEST_LINE) {
        let heard = match line {
            Ok(Line::Whole(text)) => lines.send(text).is_ok(),
            Ok(Line::TooLong(_)) => true,
            Err(_) => false,
        };
        if !heard {
            return;
        }
    }
}

impl Drop for Process {
    /// Asks the program to quit, and kills it if it does not.
    fn drop(&mut self) {
        let _ = self.say("quit");
        let patience = Instant::now() + TIME_TO_QUIT;
        while !self.has_ended() && Instant::now() < patience {
            // A program with much to say must be able to say it before it reads.
            while self.lines.try_recv().is_ok() {}
            thread::sleep(Duration::from_millis(1));
        }
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
