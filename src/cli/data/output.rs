//! Writing files, as all of `oplus data` does it.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::cli::Failure;
use crate::cli::archive::model;
use crate::cli::inputs::Read;
use base::format::grouped;
use data::archive::format::MOST_GAMES;
use data::archive::{Access, Layout, Mode};
use data::{Clamped, DataWriter, LeftOut, Written};

/// How archives are written.
#[derive(Clone, Debug, clap::Args)]
#[command(next_help_heading = "Archives")]
pub(super) struct LayoutFlags {
    /// Model of the moves
    #[arg(long, value_enum, default_value = "best")]
    mode: Mode,
    /// Unit of random access
    #[arg(long, value_enum, default_value = "block")]
    access: Access,
    /// Games of a block
    #[arg(
        long,
        value_name = "GAMES",
        default_value_t = Layout::default().block as u32,
        value_parser = clap::value_parser!(u32).range(1..=i64::from(MOST_GAMES))
    )]
    block: u32,
    /// A model of `oplus archive fit`, which the archive then carries
    #[arg(long, value_name = "FILE")]
    model: Option<PathBuf>,
}

impl LayoutFlags {
    pub(super) fn create(&self, path: &Path) -> Result<DataWriter, Failure> {
        DataWriter::create(path, self.layout()?).map_err(Failure::from)
    }

    /// Whether no flag is given.
    pub(super) fn is_default(&self) -> bool {
        let Layout { mode, access, block, .. } = Layout::default();
        let given = (self.mode, self.access, self.block as usize, self.model.is_some());
        given == (mode, access, block, false)
    }

    /// How a file is laid out if it is an archive.
    pub(super) fn layout(&self) -> Result<Layout, Failure> {
        let Self { mode, access, block, .. } = *self;
        let model = self.model.as_ref().map(|path| model(path).map(Arc::new)).transpose()?;
        Ok(Layout { mode, access, block: block as usize, model })
    }
}

/// Completes a file, and prints its contents and omissions.
///
/// # Errors
/// An empty result: then there is no file.
pub(super) fn finish(writer: DataWriter, path: &Path, read: &Read) -> Result<(), Failure> {
    if !writer.written().is_empty() {
        return complete(writer, path);
    }
    tell_left_out(writer.written());
    drop(writer);
    Err(Failure::message(format!(
        "`{}` is not written: nothing is left to write of the input ({read})",
        path.display()
    )))
}

/// Completes a file, also an empty one.
pub(super) fn complete(writer: DataWriter, path: &Path) -> Result<(), Failure> {
    let written = writer.finish()?;
    tell_left_out(&written);
    let Written { games, positions, .. } = written;
    let bytes = std::fs::metadata(path).map_or(0, |file| file.len());
    let games = if games > 0 { format!("{} games, ", grouped(games)) } else { String::new() };
    println!(
        "{}: {games}{} positions, {} bytes",
        path.display(),
        grouped(positions),
        grouped(bytes)
    );
    Ok(())
}

/// Prints omitted and changed entries.
fn tell_left_out(written: &Written) {
    for (reason, count) in written.left_out.by_reason() {
        let what = match reason {
            LeftOut::Game => "games that the format cannot hold",
            LeftOut::Alone => "positions without their games",
            LeftOut::Score => "positions without a score",
            LeftOut::Result => "positions without a result",
            LeftOut::Move => "positions without a move",
            LeftOut::Board => "positions that the format cannot hold",
        };
        eprintln!("dropped, {what}: {}", grouped(count));
    }
    written.left_out.first().iter().for_each(|message| eprintln!("  {message}"));
    for (clamped, count) in written.clamped.by_reason() {
        let what = match clamped {
            Clamped::Centipawns => "scores larger than the format can hold",
            Clamped::Mate => "mates further away than the format can hold",
        };
        eprintln!("{what}, written as the nearest it can: {}", grouped(count));
    }
    written.clamped.first().iter().for_each(|message| eprintln!("  {message}"));
}
