//! `oplus archive info`: contents of an archive.

use std::fs::File;
use std::io::BufReader;
use std::path::{Path, PathBuf};

use clap::ValueEnum;
use clap::builder::PossibleValue;

use crate::cli::Failure;
use data::archive::{Archive, ArchiveSection};

/// Summarise an archive without unpacking it
#[derive(Debug, clap::Args)]
pub(super) struct ArchiveInfoArgs {
    /// The archive
    file: PathBuf,
}

pub(super) fn main(args: &ArchiveInfoArgs) -> Result<(), Failure> {
    let archive = open(&args.file)?;
    for section in archive.sections() {
        show(section);
    }
    let faults = archive.faults();
    match faults.is_empty() {
        true => Ok(()),
        false => Err(Failure::message(format!(
            "`{}` is incomplete: {}; its games up to there are readable, and `oplus data convert` makes a \
             complete archive of them",
            args.file.display(),
            faults.join("; ")
        ))),
    }
}

fn show(section: &ArchiveSection) {
    let name = |value: Option<PossibleValue>| {
        value.map_or(String::new(), |value| value.get_name().to_owned())
    };
    let head = &section.preamble.head;
    println!("games   {} in {} blocks", section.games(), section.blocks());
    println!("mode    {}", name(head.mode.to_possible_value()));
    println!("access  by {}", name(head.access.to_possible_value()));
    let origin = if head.model_bytes > 0 { "inside the archive" } else { "the program's" };
    println!("model   {} ({origin})", head.model);
}

pub(super) fn open(path: &Path) -> Result<Archive<BufReader<File>>, Failure> {
    let failure = |error: &dyn std::fmt::Display| {
        Failure::message(format!("cannot read `{}`: {error}", path.display()))
    };
    let file = File::open(path).map_err(|error| failure(&error))?;
    Archive::open(BufReader::new(file)).map_err(|error| failure(&error))
}
