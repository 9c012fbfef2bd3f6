//! `oplus completions`: what shells know of this program.

use std::io;
use std::path::PathBuf;

use clap::CommandFactory;
use clap_complete::{Shell, generate};

use super::{Cli, Failure};

/// Print what a shell needs to complete commands and options, or write manual pages
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  oplus completions bash > ~/.local/share/bash-completion/completions/oplus
  oplus completions zsh > ~/.zfunc/_oplus
  oplus completions fish > ~/.config/fish/completions/oplus.fish
  oplus completions --man ~/.local/share/man/man1      then: man oplus-run")]
pub(super) struct Args {
    /// The shell
    #[arg(required_unless_present = "man")]
    shell: Option<Shell>,
    /// Write a manual page for each command into this folder instead
    #[arg(long, value_name = "FOLDER", conflicts_with = "shell")]
    man: Option<PathBuf>,
}

pub(super) fn main(args: Args) -> Result<(), Failure> {
    let mut command = Cli::command();
    if let Some(shell) = args.shell {
        generate(shell, &mut command, "oplus", &mut io::stdout());
    }
    if let Some(folder) = args.man {
        std::fs::create_dir_all(&folder)
            .and_then(|()| clap_mangen::generate_to(command, &folder))
            .map_err(|error| Failure::message(format!("{}: {error}", folder.display())))?;
        println!("manual pages in {}", folder.display());
    }
    Ok(())
}
