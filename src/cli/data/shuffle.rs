//! `oplus data shuffle`: another order.

use std::path::PathBuf;

use super::output::{LayoutFlags, finish};
use crate::cli::Failure;
use crate::cli::inputs::{bytes, each, sources, tell_read};
use crate::cli::progress::Progress;
use crate::cli::signals::stop_flag;
use base::Observer;
use base::format::grouped;
use data::place;
use data::shuffle::Shuffler;

/// Write games or positions in random order, however many there are
///
/// The same seed gives the same order of the same files, with any amount of memory.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  oplus data shuffle a.oarc b.oarc shuffled.oarc --seed 7
  oplus data shuffle positions.data shuffled.data --memory 4096")]
pub(super) struct DataShuffleArgs {
    /// Files to read
    #[arg(required = true, value_name = "FILE")]
    from: Vec<PathBuf>,
    /// File to write
    #[arg(value_name = "OUT")]
    to: PathBuf,
    /// Seed of the order
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// MiB of memory; the rest waits in temporary files
    #[arg(long, value_name = "MIB", default_value_t = 1024)]
    memory: u64,
    #[command(flatten)]
    layout: LayoutFlags,
}

/// Bytes of records that a byte of the smallest form becomes.
const EXPANSION: u64 = 8;

pub(super) fn main(args: &DataShuffleArgs) -> Result<(), Failure> {
    let from = sources(&args.from, &[&args.to])?;
    let mut writer = args.layout.create(&args.to)?;
    // A pipe may have any number of bytes.
    let expected = match from.iter().any(|path| place::is_read_once(path)) {
        true => u64::MAX,
        false => bytes(&from).saturating_mul(EXPANSION),
    };
    let memory = args.memory.saturating_mul(1 << 20);
    let mut shuffler = Shuffler::new(args.seed, expected, memory)?;
    let read = each(&from, "reading", &mut |entry| shuffler.push(&entry))?;
    tell_read(&read);
    if shuffler.refused() > 0 {
        let count = grouped(shuffler.refused());
        eprintln!("dropped, move counters larger than in any game: {count}");
    }
    let mut progress = Progress::default();
    progress.begin("shuffling", shuffler.entries(), "entries");
    shuffler.write(&mut writer, &mut |done| progress.advance(done, ""), stop_flag())?;
    progress.end("");
    finish(writer, &args.to, &read)
}
