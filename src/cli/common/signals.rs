//! Stop requests, from a person (Ctrl-C) or from the scheduler of a machine.
//!
//! Work stops at the next place from which it can go on. A second Ctrl-C ends the program
//! at once. Other signals may come as often as they like: a cluster's scheduler sends the
//! same to all that belongs to a job, and repeats itself.

use std::sync::Once;
use std::sync::atomic::{AtomicBool, Ordering};

use super::failure::Failure;

static STOP: AtomicBool = AtomicBool::new(false);

/// The flag that Ctrl-C raises, SIGTERM, SIGHUP, SIGUSR1 and SIGUSR2.
pub(crate) fn stop_flag() -> &'static AtomicBool {
    static LISTENING: Once = Once::new();
    LISTENING.call_once(listen);
    &STOP
}

/// Sources of a stop.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Sender {
    Person,
    #[cfg_attr(not(unix), expect(dead_code, reason = "only Ctrl-C is handled there"))]
    Machine,
}

fn raise(sender: Sender, interrupted: &AtomicBool) {
    if sender == Sender::Person && interrupted.swap(true, Ordering::SeqCst) {
        // They are in groups of their own, which the terminal does not interrupt.
        arena::uci::end_all();
        std::process::exit(Failure::INTERRUPTED.into());
    }
    if !STOP.swap(true, Ordering::SeqCst) {
        let again = if sender == Sender::Person { " (Ctrl-C again to stop at once)" } else { "" };
        eprintln!("\nstopping at the next safe point{again}");
    }
}

#[cfg(unix)]
fn listen() {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM, SIGUSR1, SIGUSR2};
    use signal_hook::iterator::Signals;

    // Without a listener signals end the program, which is their default action.
    let Ok(mut signals) = Signals::new([SIGINT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2]) else { return };
    std::thread::spawn(move || {
        let interrupted = AtomicBool::new(false);
        for signal in signals.forever() {
            let sender = if signal == SIGINT { Sender::Person } else { Sender::Machine };
            raise(sender, &interrupted);
        }
    });
}

#[cfg(not(unix))]
fn listen() {
    let interrupted = AtomicBool::new(false);
    // Fails only if a handler stands already, which is as good.
    let _ = ctrlc::set_handler(move || raise(Sender::Person, &interrupted));
}
