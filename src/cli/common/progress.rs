//! Progress for people: a bar on a terminal, plain lines otherwise.

use std::io::IsTerminal;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};

use base::format::{compact, duration};
use base::{Observer, Stopwatch, WorkRate};

/// Whether progress is off for the whole process.
static IS_SILENT: AtomicBool = AtomicBool::new(false);

/// Switches progress off; warnings stay.
pub(crate) fn silence() {
    IS_SILENT.store(true, Ordering::Relaxed);
}

fn is_silent() -> bool {
    IS_SILENT.load(Ordering::Relaxed)
}

/// A stage shorter than this is not announced on a plain log.
const PLAIN_INTERVAL: Duration = Duration::from_secs(10);

/// Shows stages on standard error.
#[derive(Debug)]
pub(crate) struct Progress {
    terminal: bool,
    stage: String,
    unit: &'static str,
    total: u64,
    bar: Option<ProgressBar>,
    started: Instant,
    printed: Instant,
    stopwatch: Stopwatch,
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
            printed: now,
            stopwatch: Stopwatch::default(),
        }
    }
}

impl Observer for Progress {
    fn begin(&mut self, stage: &str, total: u64, unit: &'static str) {
        self.stage = stage.to_owned();
        self.unit = unit;
        self.total = total;
        self.started = Instant::now();
        self.printed = self.started;
        self.stopwatch = Stopwatch::default();
        if let Some(bar) = self.bar.take() {
            bar.finish_and_clear();
        }
        if self.terminal && !is_silent() {
            self.bar = Some(bar(stage, total, unit));
        }
    }

    fn advance(&mut self, done: u64, note: &str) {
        let (now, pace) = (Instant::now(), self.stopwatch.pace(done));
        if let Some(bar) = &self.bar {
            bar.set_position(done);
            bar.set_message(self.figures(done, pace, note));
        } else if now - self.printed >= PLAIN_INTERVAL && !is_silent() {
            self.printed = now;
            eprintln!("{}", self.plain(done, pace, note));
        }
    }

    fn end(&mut self, result: &str) {
        if let Some(bar) = self.bar.take() {
            bar.finish_and_clear();
        }
        if is_silent() {
            return;
        }
        let seconds = self.started.elapsed().as_secs_f64();
        eprintln!("{:<48} {result}  ({})", self.stage, duration(seconds));
    }

    fn warn(&mut self, message: &str) {
        self.print(&format!("warning: {message}"));
    }

    fn say(&mut self, line: &str) {
        if !is_silent() {
            self.print(line);
        }
    }
}

impl Progress {
    /// Prints a line, above the bar if there is one.
    fn print(&self, line: &str) {
        match &self.bar {
            Some(bar) => bar.println(line),
            None => eprintln!("{line}"),
        }
    }

    /// A line of a plain log.
    fn plain(&self, done: u64, pace: WorkRate, note: &str) -> String {
        let total = if self.total > 0 { format!("/{}", self.total) } else { String::new() };
        let figures = self.figures(done, pace, note);
        format!("{}: {done}{total} {}  {figures}", self.stage, self.unit)
    }

    /// Speed, time left and the stage's own note.
    fn figures(&self, done: u64, pace: WorkRate, note: &str) -> String {
        let mut figures = String::new();
        if let Some(rate) = pace.rate() {
            figures += &format!("{} {}/s  ", compact(rate), self.unit);
            if self.total > done {
                let left = (self.total - done) as f64 / rate;
                figures += &format!("{} left  ", duration(left));
            }
        }
        figures + note
    }
}

fn bar(stage: &str, total: u64, unit: &str) -> ProgressBar {
    let (bar, template) = if total > 0 {
        let template =
            format!("{{prefix}}\n  {{bar:30}} {{human_pos}}/{{human_len}} {unit}  {{msg}}");
        (ProgressBar::new(total), template)
    } else {
        let template = format!("{{prefix}}\n  {{spinner}} {{human_pos}} {unit}  {{msg}}");
        (ProgressBar::new_spinner(), template)
    };
    if let Ok(style) = ProgressStyle::with_template(&template) {
        bar.set_style(style);
    }
    bar.set_prefix(stage.to_owned());
    bar.enable_steady_tick(Duration::from_millis(250));
    bar
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(total: u64, done: u64, pace: (u64, u64)) -> String {
        let stage = "training".to_owned();
        let progress = Progress { stage, unit: "positions", total, ..Progress::default() };
        let pace = WorkRate { done: pace.0, time: Duration::from_secs(pace.1) };
        progress.plain(done, pace, "loss 0.1")
    }

    #[test]
    fn a_line_tells_speed_and_time_left() {
        assert_eq!(
            line(10_000_000, 4_000_000, (2_500_000, 2)),
            "training: 4000000/10000000 positions  1.25M positions/s  4.8 s left  loss 0.1"
        );
        // Without an estimate yet; at the end; with an unknown total.
        assert_eq!(line(10, 4, (0, 0)), "training: 4/10 positions  loss 0.1");
        assert_eq!(line(10, 10, (6, 2)), "training: 10/10 positions  3 positions/s  loss 0.1");
        assert_eq!(line(0, 10, (6, 2)), "training: 10 positions  3 positions/s  loss 0.1");
    }
}
