//! `oplus data split`: training and validation files.

use std::path::PathBuf;

use super::output::{LayoutFlags, complete, finish};
use crate::cli::Failure;
use crate::cli::inputs::{each, sources, tell_read};
use data::split::Split;

/// Split files into one to train on and one to validate with
///
/// A game's side depends on its moves alone, as in training: the same game in two files falls on
/// one side, and a smaller share is part of a larger one.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  oplus data split games.oarc --share 0.05 --train train.oarc --validation validation.oarc")]
pub(super) struct DataSplitArgs {
    /// Files to read
    #[arg(required = true, value_name = "FILE")]
    from: Vec<PathBuf>,
    /// Share for validation, 0 to below 1
    #[arg(long, default_value_t = 0.05)]
    share: f64,
    /// File to write: the training split
    #[arg(long, value_name = "OUT")]
    train: PathBuf,
    /// File to write: the validation split
    #[arg(long, value_name = "OUT")]
    validation: PathBuf,
    #[command(flatten)]
    layout: LayoutFlags,
}

pub(super) fn main(args: &DataSplitArgs) -> Result<(), Failure> {
    let from = sources(&args.from, &[&args.train, &args.validation])?;
    let split = Split::new(args.share)
        .ok_or_else(|| Failure::usage("--share is a number from 0 to below 1"))?;
    let mut train = args.layout.create(&args.train)?;
    let mut validation = args.layout.create(&args.validation)?;
    let read = each(&from, "splitting", &mut |entry| {
        if split.validates(&entry) { validation.write(&entry) } else { train.write(&entry) }
    })?;
    tell_read(&read);
    if train.written().is_empty() && validation.written().is_empty() {
        drop(validation);
        return finish(train, &args.train, &read);
    }
    for (writer, path) in [(train, &args.train), (validation, &args.validation)] {
        if writer.written().is_empty() {
            let path = path.display();
            eprintln!("warning: nothing fell to the side of `{path}`; --share decides how much");
        }
        complete(writer, path)?;
    }
    Ok(())
}
