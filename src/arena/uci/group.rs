//! Programs with all their child processes.
//!
//! An engine may be a script that starts the engine proper, and ending the script would not end the
//! engine. So each program leads a process group of its own, out of reach of Ctrl-C in a terminal,
//! and the whole group is ended.

use std::io;
use std::process::{Child, Command};

/// A program that leads a group.
#[derive(Debug)]
pub(super) struct ProcessGroup {
    leader: Child,
}

impl ProcessGroup {
    /// Starts a program as the leader of its group.
    pub(super) fn start(command: &mut Command) -> io::Result<Self> {
        system::lead(command);
        let leader = command.spawn()?;
        system::note(leader.id());
        Ok(Self { leader })
    }

    /// The program that was started.
    pub(super) fn leader(&mut self) -> &mut Child {
        &mut self.leader
    }

    /// The leader's process id.
    pub(super) fn id(&self) -> u32 {
        self.leader.id()
    }

    /// Whether the leader has ended; others of the group may live.
    pub(super) fn has_ended(&mut self) -> bool {
        !matches!(self.leader.try_wait(), Ok(None))
    }
}

impl Drop for ProcessGroup {
    fn drop(&mut self) {
        system::kill(&mut self.leader);
        let _ = self.leader.wait();
    }
}

/// Ends all programs before an immediate exit of the process.
pub fn end_all() {
    system::end_all();
}

#[cfg(unix)]
mod system {
    use std::collections::BTreeSet;
    use std::os::unix::process::CommandExt;
    use std::process::{Child, Command};
    use std::sync::{Mutex, PoisonError};

    use nix::sys::signal::{Signal, killpg};
    use nix::unistd::Pid;

    /// Leaders of groups that were not ended.
    static LEADERS: Mutex<BTreeSet<i32>> = Mutex::new(BTreeSet::new());

    fn with_leaders<T>(work: impl FnOnce(&mut BTreeSet<i32>) -> T) -> T {
        work(&mut LEADERS.lock().unwrap_or_else(PoisonError::into_inner))
    }

    pub(super) fn lead(command: &mut Command) {
        command.process_group(0);
    }

    pub(super) fn note(leader: u32) {
        with_leaders(|leaders| leaders.insert(leader as i32));
    }

    /// Ends the group even if the leader has exited: the system assigns numbers in turn, so this
    /// one is not reused so soon.
    pub(super) fn kill(leader: &mut Child) {
        let id = leader.id() as i32;
        with_leaders(|leaders| {
            // A group that has exited needs no signal.
            let _ = killpg(Pid::from_raw(id), Signal::SIGKILL);
            leaders.remove(&id);
        });
    }

    pub(super) fn end_all() {
        with_leaders(|leaders| {
            for &leader in leaders.iter() {
                let _ = killpg(Pid::from_raw(leader), Signal::SIGKILL);
            }
        });
    }
}

#[cfg(not(unix))]
mod system {
    use std::process::{Child, Command};

    pub(super) fn lead(_: &mut Command) {}

    pub(super) fn note(_: u32) {}

    pub(super) fn kill(leader: &mut Child) {
        let _ = leader.kill();
    }

    pub(super) fn end_all() {}
}
