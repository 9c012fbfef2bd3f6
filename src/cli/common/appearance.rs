//! Colours and progress, the same for all commands.

use clap::ColorChoice;

use super::progress;

#[derive(Clone, Copy, Debug, clap::Args)]
#[command(next_help_heading = "Output")]
pub(crate) struct AppearanceFlags {
    /// Colours of verdicts and errors; `auto`: on a terminal, unless NO_COLOR is set
    #[arg(long, global = true, value_name = "WHEN", default_value = "auto")]
    color: ColorChoice,
    /// No progress; results, warnings and errors only
    #[arg(long, short, global = true)]
    quiet: bool,
}

impl AppearanceFlags {
    /// Decides for the whole process.
    pub(crate) fn apply(self) {
        let choice = match self.color {
            // `anstream` takes every terminal of a CI for one with colours.
            ColorChoice::Auto if is_dumb() => anstream::ColorChoice::Never,
            ColorChoice::Auto => anstream::ColorChoice::Auto,
            ColorChoice::Always => anstream::ColorChoice::Always,
            ColorChoice::Never => anstream::ColorChoice::Never,
        };
        choice.write_global();
        if self.quiet {
            progress::silence();
        }
    }
}

/// The terminal declares itself without colours.
fn is_dumb() -> bool {
    std::env::var_os("TERM").is_some_and(|name| name == "dumb")
}
