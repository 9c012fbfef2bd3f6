//! `oplus net import`: nets of the thesis.

use std::path::PathBuf;

use super::is_same_file;
use super::{info, line};
use crate::cli::Failure;
use nnue::thesis;

/// Make a net file from a .nn file of Lombardo's thesis (UBA 2024)
///
/// Feature set, sizes and weights stay what they are; evaluations differ by
/// about half a centipawn, because that program rounds down and this one
/// to nearest.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  oplus net import all_ph_pv.nn                    writes all_ph_pv.oplus beside it
  oplus net import all_ph_pv.nn --output pairs.oplus
  oplus uci --net pairs.oplus                      plays it")]
pub(super) struct Args {
    /// The .nn file
    file: PathBuf,
    /// Net file to write, replaced if it exists; without it FILE with the ending .oplus
    #[arg(long, value_name = "NET")]
    output: Option<PathBuf>,
}

pub(super) fn main(args: &Args) -> Result<(), Failure> {
    let output = args.output.clone().unwrap_or_else(|| args.file.with_extension("oplus"));
    if is_same_file(&args.file, &output) {
        return Err(Failure::usage(format!(
            "{}: this would replace the file that is imported; choose another --output",
            output.display()
        )));
    }
    let net = thesis::import(&args.file).map_err(Failure::from_error)?;
    net.save(&output).map_err(Failure::from_error)?;
    info::print_shape(&net);
    line("written", output.display());
    Ok(())
}
