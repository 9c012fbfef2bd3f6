//! `oplus data dedup`: nothing twice.

use std::path::PathBuf;

use super::output::{LayoutFlags, finish};
use crate::cli::Failure;
use crate::cli::inputs::{bytes, each, sources, tell_read};
use base::format::grouped;
use data::dedup::{Deduplicator, hash};
use data::place;

/// Write games or positions once each, however many there are
///
/// Games are equal if their start and moves are, with any scores and results; positions if all
/// pieces and the side to move are. The first one stays.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  oplus data dedup a.pgn b.pgn all.oarc
  oplus data dedup positions.data distinct.data --memory 256")]
pub(super) struct DataDedupArgs {
    /// Files to read
    #[arg(required = true, value_name = "FILE")]
    from: Vec<PathBuf>,
    /// File to write
    #[arg(value_name = "OUT")]
    to: PathBuf,
    /// MiB of memory; the rest waits in temporary files
    #[arg(long, value_name = "MIB", default_value_t = 1024)]
    memory: u64,
    #[command(flatten)]
    layout: LayoutFlags,
}

/// As many entries as a file has at most, for each of its bytes, if it holds positions in
/// compressed records.
const ENTRIES_PER_BYTE: u64 = 1;

pub(super) fn main(args: &DataDedupArgs) -> Result<(), Failure> {
    let from = sources(&args.from, &[&args.to])?;
    if from.iter().any(|path| place::is_read_once(path)) {
        let error = "dedup reads its files twice; a pipe or standard input can be read once: write \
                    it into a file";
        return Err(Failure::usage(error));
    }
    let mut writer = args.layout.create(&args.to)?;
    let expected = bytes(&from).saturating_mul(ENTRIES_PER_BYTE);
    let memory = args.memory.saturating_mul(1 << 20);
    let mut dedup = Deduplicator::new(expected, memory)?;
    let read = each(&from, "looking", &mut |entry| dedup.push(hash(&entry)))?;
    let duplicates = dedup.finish()?;
    let mut number = 0;
    each(&from, "writing", &mut |entry| {
        let again = duplicates.contains(number);
        number += 1;
        if again { Ok(()) } else { writer.write(&entry) }
    })?;
    tell_read(&read);
    let what = if read.games > 0 { "games" } else { "positions" };
    println!("there before: {} {what}", grouped(duplicates.count()));
    finish(writer, &args.to, &read)
}
