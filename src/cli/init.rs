//! `oplus init`: an experiment for one's own data.

use std::path::{Path, PathBuf};

use super::Failure;
use super::inputs::{check_not_empty, inspected};
use base::atomic::write_atomically;
use data::inspect::Inspection;
use data::place;
use experiment::draft::{Draft, draft};
use experiment::{forecast, preflight};

/// Where the program's own puzzles are.
const PUZZLES: &str = "datasets/puzzles.csv";

/// Write an experiment file for your own data
///
/// Reads all files and writes a complete experiment: two feature sets, the fitted eval scale of the
/// data, a filter for the positions, and a training length for their number. Comments in the file
/// have the statistics.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  oplus init games.pgn.zst                          writes experiments/games.toml
  oplus init selfplay.viri tcec.pgn --out mine.toml
  oplus init games/                                 all files of a folder")]
pub(super) struct InitArgs {
    /// Files and folders of games or positions
    #[arg(required = true, value_name = "FILE")]
    data: Vec<PathBuf>,
    /// Output file [default: experiments/NAME.toml, after the first data file]
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
}

pub(super) fn main(args: &InitArgs) -> Result<(), Failure> {
    let out = args.out.clone().unwrap_or_else(|| after(&args.data[0]));
    if out.exists() {
        let (out, taken) = (out.display(), "exists");
        return Err(Failure::usage(format!("{out} {taken}: choose another name with --out")));
    }
    let folder = out.parent().unwrap_or(Path::new(""));
    preflight::folder("--out", folder)?;
    let mut data = Vec::new();
    for path in place::expand(&args.data)? {
        let found = inspected(&path)?;
        data.push((path, found));
    }
    let is_empty =
        |(path, found): &(PathBuf, Inspection)| (found.positions == 0).then(|| path.clone());
    check_not_empty(&data.iter().filter_map(is_empty).collect::<Vec<_>>())?;
    let name = stem(&out);
    let puzzles = Some(Path::new(PUZZLES)).filter(|path| path.exists());
    let sketch = Draft { name: &name, data: &data, puzzles, seconds: forecast::total_seconds };
    let text = draft(&sketch)?;
    std::fs::create_dir_all(folder)?;
    let text = text.replace("oplus run FILE", &format!("oplus run {}", out.display()));
    write_atomically(&out, &[text.as_bytes()])?;
    println!("{0}\noplus run {0} --dry-run", out.display());
    Ok(())
}

/// `experiments/games.toml` after `some/games.pgn.zst`.
fn after(data: &Path) -> PathBuf {
    Path::new("experiments").join(stem(data)).with_added_extension("toml")
}

/// Name of a file without its endings, in characters allowed in names of experiments.
fn stem(path: &Path) -> String {
    let name = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy();
    let stem = name.split('.').find(|part| !part.is_empty()).unwrap_or("mine");
    let plain = |letter: char| if letter.is_alphanumeric() { letter } else { '-' };
    stem.chars().map(plain).collect()
}
