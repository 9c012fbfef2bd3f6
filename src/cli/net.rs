//! `oplus net`: contents, checks and differences of net files, and exchange with other programs.

mod check;
mod diff;
mod export;
mod import;
mod info;
mod kings;
mod neuron;
mod positions;

use std::path::Path;

use super::Failure;
use super::inputs::is_same_file;
use nnue::Net;

/// Look into net files, check and compare them, export and import them
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  oplus net info net.oplus                         features, sizes, provenance
  oplus net check net.oplus                        is it sound? exit code 1 if not
  oplus net diff old.oplus new.oplus               weights and evaluations side by side
  oplus net export net.oplus --format raw,c        for an engine of one's own
  oplus net import all_ph_pv.nn                    a net of the thesis")]
pub(super) struct NetArgs {
    #[command(subcommand)]
    command: NetCommand,
}

#[derive(Debug, clap::Subcommand)]
enum NetCommand {
    Info(info::NetInfoArgs),
    Check(check::NetCheckArgs),
    Diff(diff::NetDiffArgs),
    Export(export::NetExportArgs),
    Import(import::NetImportArgs),
}

pub(super) fn main(args: NetArgs) -> Result<(), Failure> {
    match args.command {
        NetCommand::Info(args) => info::main(&args),
        NetCommand::Check(args) => check::main(&args),
        NetCommand::Diff(args) => diff::main(&args),
        NetCommand::Export(args) => export::main(&args),
        NetCommand::Import(args) => import::main(&args),
    }
}

fn load(file: &Path) -> Result<Net, Failure> {
    Net::load(file).map_err(Failure::from)
}

/// A line of a report: name and value.
fn line(name: &str, value: impl std::fmt::Display) {
    println!("{name:<13} {value}");
}
