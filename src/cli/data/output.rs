//! Writing files, as all of `oplus data` does it.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::archive::format::MOST_GAMES;
use crate::archive::{Access, Layout, Mode};
use crate::cli::Failure;
use crate::cli::archive::model;
use crate::data::{DataWriter, Unsaid, Written};
use crate::report::format::grouped;

/// How archives are written.
#[derive(Clone, Debug, clap::Args)]
#[command(next_help_heading = "Archives")]
pub struct LayoutFlags {
    /// How closely moves are looked at
    #[arg(long, value_enum, default_value = "best")]
    mode: Mode,
    /// What can be read alone
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
    /// Begins a file.
    pub fn create(&self, path: &Path) -> Result<DataWriter, Failure> {
        let Self { mode, access, block, .. } = *self;
        let model = self.model.as_ref().map(|path| model(path).map(Arc::new)).transpose()?;
        let layout = Layout { mode, access, block: block as usize, model };
        DataWriter::create(path, layout).map_err(Failure::from_error)
    }
}

/// Completes a file, and says what is in it and what is not.
pub fn finish(writer: DataWriter, path: &Path) -> Result<(), Failure> {
    let Written { games, positions, left_out } = writer.finish().map_err(Failure::from_error)?;
    for (unsaid, count) in left_out.by_reason() {
        let what = match unsaid {
            Unsaid::Game => "games that the format cannot say",
            Unsaid::Alone => "positions without their games",
            Unsaid::Score => "positions without a score",
            Unsaid::Result => "positions without a result",
        };
        eprintln!("left out, {what}: {}", grouped(count));
    }
    left_out.first().iter().for_each(|message| eprintln!("  {message}"));
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
