//! `oplus archive info`: what an archive holds.

use std::fs::File;
use std::io::BufReader;
use std::path::{Path, PathBuf};

use clap::ValueEnum;

use crate::archive::Archive;
use crate::cli::Failure;

/// Say what an archive holds, without unpacking it
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The archive
    file: PathBuf,
}

pub fn main(args: &Args) -> Result<(), Failure> {
    let archive = open(&args.file)?;
    let name = |value: &dyn Fn() -> Option<clap::builder::PossibleValue>| {
        value().map_or(String::new(), |value| value.get_name().to_owned())
    };
    let head = &archive.preamble().head;
    let (games, blocks) = (archive.games(), archive.blocks());
    println!("games   {games} in {blocks} blocks");
    println!("mode    {}", name(&|| head.mode.to_possible_value()));
    println!("access  by {}", name(&|| head.access.to_possible_value()));
    let origin = if head.model_bytes > 0 { "inside the archive" } else { "the program's" };
    println!("model   {} ({origin})", head.model);
    Ok(())
}

/// Opens an archive.
pub fn open(path: &Path) -> Result<Archive<BufReader<File>>, Failure> {
    let failure = |error: &dyn std::fmt::Display| {
        Failure::message(format!("cannot read `{}`: {error}", path.display()))
    };
    let file = File::open(path).map_err(|error| failure(&error))?;
    Archive::open(BufReader::new(file)).map_err(|error| failure(&error))
}
