//! `oplus net import`: nets made elsewhere.

use std::path::PathBuf;

use super::is_same_file;
use super::{info, line};
use crate::cli::Failure;
use nnue_tools::import::{self, bullet::BulletLayout};

/// Make a net file from a net of another program
///
/// Files that Stockfish 15.1 writes (`export_net FILE`) and the .nn files of Lombardo's thesis (UBA
/// 2024) are recognised. Files of the trainer bullet have no header; --layout describes them.
/// Integers and their sums stay unchanged (docs/importing.md).
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  echo \"export_net sf15.nnue\" | stockfish
  oplus net import sf15.nnue                       writes sf15.oplus beside it
  oplus net import all_ph_pv.nn --out pairs.oplus
  oplus net import quantised.bin --layout \"bullet 1024 screlu -> 1, buckets 8, qa 255, qb 64, scale 400\"
  oplus uci --net sf15.oplus                       plays it")]
pub(super) struct NetImportArgs {
    /// The file of the other program
    file: PathBuf,
    /// Contents of a file of bullet: `bullet WIDTH [crelu|screlu] -> 1`, and where they differ from
    /// bullet's examples, `buckets N`, `qa 255`, `qb 64`, `scale 400`, `features EXPRESSION` (its
    /// index order is the file's)
    #[arg(long, value_name = "LAYOUT")]
    layout: Option<BulletLayout>,
    /// Net file to write, replaced if it exists; without it FILE with the ending .oplus
    #[arg(long, value_name = "NET")]
    out: Option<PathBuf>,
}

pub(super) fn main(args: &NetImportArgs) -> Result<(), Failure> {
    let output = args.out.clone().unwrap_or_else(|| args.file.with_extension("oplus"));
    if is_same_file(&args.file, &output) {
        return Err(Failure::usage(format!(
            "{}: this would replace the file that is imported; choose another --out",
            output.display()
        )));
    }
    let net = import::net(&args.file, args.layout.as_ref())?;
    if let Some(excess) = net.excess() {
        eprintln!("note: no bound shows that sums cannot overflow: {excess}; they wrap, as there");
    }
    net.save(&output)?;
    info::print_shape(&net);
    line("written", output.display());
    Ok(())
}
