//! Progress for people: a bar on a terminal, plain lines otherwise. Also
//! Ctrl-C, which asks the running work to stop where it can go on later.

use std::io::IsTerminal;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};

use crate::experiment::Observer;

/// A stage shorter than this is not announced on a plain log.
const PLAIN_INTERVAL: Duration = Duration::from_secs(10);

/// Shows stages on standard error.
#[derive(Debug)]
pub struct Progress {
    terminal: bool,
    stage: String,
    unit: &'static str,
    total: u64,
    bar: Option<ProgressBar>,
    started: Instant,
    said: Instant,
}

impl Default for Progress {
    fn default() -> Self {
        let now = Instant::now();
        Self {
            terminal: std::io::stderr().is_terminal(),
            stage: String::new(),
            unit: "",
            total: 0,
            bar: None,
            started: now,
            said: now,
        }
    }
}

impl Observer for Progress {
    fn begin(&mut self, stage: &str, total: u64, unit: &'static str) {
        self.stage = stage.to_owned();
        self.unit = unit;
        self.total = total;
        self.started = Instant::now();
        self.said = self.started;
        if self.terminal {
            self.bar = Some(bar(stage, total, unit));
        }
    }

    fn advance(&mut self, done: u64, note: &str) {
        if let Some(bar) = &self.bar {
            bar.set_position(done);
            bar.set_message(note.to_owned());
        } else if self.said.elapsed() >= PLAIN_INTERVAL {
            self.said = Instant::now();
            let left = self.time_left(done);
            eprintln!("{}: {done}/{} {}, {left} left  {note}", self.stage, self.total, self.unit);
        }
    }

    fn end(&mut self, result: &str) {
        if let Some(bar) = self.bar.take() {
            bar.finish_and_clear();
        }
        let seconds = self.started.elapsed().as_secs_f64();
        eprintln!("{:<48} {result}  ({})", self.stage, duration(seconds));
    }

    fn warn(&mut self, message: &str) {
        match &self.bar {
            Some(bar) => bar.println(format!("warning: {message}")),
            None => eprintln!("warning: {message}"),
        }
    }
}

impl Progress {
    fn time_left(&self, done: u64) -> String {
        if done == 0 || self.total <= done {
            return "?".to_owned();
        }
        let spent = self.started.elapsed().as_secs_f64();
        duration(spent * (self.total - done) as f64 / done as f64)
    }
}

fn bar(stage: &str, total: u64, unit: &str) -> ProgressBar {
    let template = if total > 0 {
        format!(
            "{stage}\n  {{bar:40}} {{human_pos}}/{{human_len}} {unit}  {{per_sec}}  {{eta}} left  {{msg}}"
        )
    } else {
        format!("{stage}\n  {{spinner}} {{human_pos}} {unit}  {{per_sec}}  {{msg}}")
    };
    let bar = if total > 0 { ProgressBar::new(total) } else { ProgressBar::new_spinner() };
    if let Ok(style) = ProgressStyle::with_template(&template.replace("{stage}", stage)) {
        bar.set_style(style);
    }
    bar.enable_steady_tick(Duration::from_millis(250));
    bar
}

/// Seconds as people say them: `48 s`, `3 min 20 s`, `2 h 5 min`.
pub fn duration(seconds: f64) -> String {
    let whole = seconds.round() as u64;
    match whole {
        0..60 => format!("{seconds:.1} s"),
        60..3600 => format!("{} min {} s", whole / 60, whole % 60),
        _ => format!("{} h {} min", whole / 3600, whole % 3600 / 60),
    }
}

static STOP: AtomicBool = AtomicBool::new(false);

/// The flag that Ctrl-C raises. A second Ctrl-C ends the program at once.
pub fn stop_flag() -> &'static AtomicBool {
    let handler = || {
        if STOP.swap(true, Ordering::SeqCst) {
            std::process::exit(1);
        }
        eprintln!("\nstopping at the next safe point (Ctrl-C again to stop at once)");
    };
    // Fails only if a handler stands already, which is as good.
    let _ = ctrlc::set_handler(handler);
    &STOP
}
