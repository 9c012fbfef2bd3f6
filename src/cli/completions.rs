//! `oplus completions`: shell completions, manual pages, and the chapter of commands.

use std::fmt::Write;
use std::io;
use std::path::PathBuf;

use clap::{Command, CommandFactory};
use clap_complete::{Shell, generate};

use super::{Cli, Failure};

/// Print shell completions, or write manual pages
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  oplus completions bash > ~/.local/share/bash-completion/completions/oplus
  oplus completions zsh > ~/.zfunc/_oplus
  oplus completions fish > ~/.config/fish/completions/oplus.fish
  oplus completions --man ~/.local/share/man/man1      then: man oplus-run
  oplus completions --markdown > docs/reference/commands.md")]
pub(super) struct CompletionsArgs {
    /// The shell
    #[arg(required_unless_present_any = ["man", "markdown"])]
    shell: Option<Shell>,
    /// Write a manual page for each command into this folder instead
    #[arg(long, value_name = "FOLDER", conflicts_with = "shell")]
    man: Option<PathBuf>,
    /// Print a chapter with the help of every command instead
    #[arg(long, conflicts_with_all = ["shell", "man"])]
    markdown: bool,
}

pub(super) fn main(args: CompletionsArgs) -> Result<(), Failure> {
    let mut command = Cli::command();
    if let Some(shell) = args.shell {
        generate(shell, &mut command, "oplus", &mut io::stdout());
    }
    if args.markdown {
        print!("{}", chapter(command));
        return Ok(());
    }
    if let Some(folder) = args.man {
        std::fs::create_dir_all(&folder)
            .and_then(|()| clap_mangen::generate_to(command, &folder))
            .map_err(|error| Failure::message(format!("{}: {error}", folder.display())))?;
        println!("manual pages in {}", folder.display());
    }
    Ok(())
}

/// Characters of a line of help in the book.
const WIDTH: usize = 100;

/// A section for each command, with its help as a terminal shows it.
fn chapter(command: Command) -> String {
    // A version with the commit would change the chapter with every commit.
    let mut command = command.version(env!("CARGO_PKG_VERSION")).term_width(WIDTH);
    command.build();
    let mut text = "\
# Every command

Made by `oplus completions --markdown` from the program itself.
"
    .to_owned();
    section(&mut text, &mut command, "oplus", 2);
    text
}

fn section(text: &mut String, command: &mut Command, name: &str, level: usize) {
    let help = command.render_long_help().to_string();
    let help: Vec<&str> = help.lines().map(str::trim_end).collect();
    let heading = "#".repeat(level);
    // Writing into a string cannot fail.
    let _ = write!(text, "\n{heading} `{name}`\n\n```text\n{}\n```\n", help.join("\n").trim_end());
    let shown =
        command.get_subcommands_mut().filter(|it| it.get_name() != "help" && !it.is_hide_set());
    for inner in shown {
        let name = format!("{name} {}", inner.get_name());
        section(text, inner, &name, (level + 1).min(4));
    }
}
