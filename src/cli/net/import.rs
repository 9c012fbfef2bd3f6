//! `oplus net import`: nets made elsewhere.

use std::path::PathBuf;

use super::is_same_file;
use super::{info, line};
use crate::cli::Failure;
use features::FeatureSet;
use nnue::Layers;
use nnue_tools::floats::FloatsDescription;
use nnue_tools::foreign::bullet::BulletLayout;
use nnue_tools::import::{self, Description};

/// Make a net file from a net of another program, or from float weights
///
/// Files that Stockfish 15.1 writes (`export_net FILE`) and the .nn files of Lombardo's thesis (UBA
/// 2024) are recognised. Files of the trainer bullet have no header; --layout describes them.
/// Integers and their sums stay unchanged. Float weights in a safetensors file, of `oplus train` or
/// of PyTorch, are quantised as a trained net is (docs/importing.md).
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  echo \"export_net sf15.nnue\" | stockfish
  oplus net import sf15.nnue                       writes sf15.oplus beside it
  oplus net import all_ph_pv.nn --out pairs.oplus
  oplus net import quantised.bin --layout \"bullet 1024 screlu -> 1, buckets 8, qa 255, qb 64, scale 400\"
  oplus net import my-net/weights.safetensors --out again.oplus
  oplus net import torch.safetensors --features ALL --layers \"256 screlu -> 1\" --output-unit 400
  oplus uci --net sf15.oplus                       plays it")]
pub(super) struct NetImportArgs {
    /// The file
    file: PathBuf,
    /// Contents of a file of bullet: `bullet WIDTH [crelu|screlu] -> 1`, and where they differ from
    /// bullet's examples, `buckets N`, `qa 255`, `qb 64`, `scale 400`, `features EXPRESSION` (its
    /// index order is the file's)
    #[arg(long, value_name = "LAYOUT", conflicts_with_all = ["features", "layers", "output_unit"])]
    layout: Option<BulletLayout>,
    /// Features of float weights whose metadata have none; rows in the order of the expression
    #[arg(long, value_name = "EXPRESSION")]
    features: Option<String>,
    /// Layers of float weights whose metadata have none (docs/layers.md)
    #[arg(long, value_name = "LINE")]
    layers: Option<String>,
    /// Centipawns of one unit of the output of float weights [default: 1]
    #[arg(long, value_name = "CENTIPAWNS", value_parser = positive)]
    output_unit: Option<f64>,
    /// Net file to write, replaced if it exists; without it FILE with the ending .oplus
    #[arg(long, value_name = "NET")]
    out: Option<PathBuf>,
}

impl NetImportArgs {
    fn description(&self) -> Result<Description, Failure> {
        if let Some(layout) = &self.layout {
            return Ok(Description::Bullet(layout.clone()));
        }
        Ok(Description::Floats(FloatsDescription {
            features: self.features.as_deref().map(FeatureSet::parse).transpose()?,
            layers: self.layers.as_deref().map(str::parse::<Layers>).transpose()?,
            output_unit: self.output_unit,
        }))
    }
}

fn positive(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(number) if number > 0.0 && f64::is_finite(number) => Ok(number),
        _ => Err("expected a number above 0".to_owned()),
    }
}

pub(super) fn main(args: &NetImportArgs) -> Result<(), Failure> {
    let output = args.out.clone().unwrap_or_else(|| args.file.with_extension("oplus"));
    if is_same_file(&args.file, &output) {
        return Err(Failure::usage(format!(
            "{}: this would replace the file that is imported; choose another --out",
            output.display()
        )));
    }
    let net = import::net(&args.file, &args.description()?)?;
    if let Some(excess) = net.excess() {
        eprintln!("note: no bound shows that sums cannot overflow: {excess}; they wrap, as there");
    }
    net.save(&output)?;
    info::print_shape(&net);
    line("written", output.display());
    Ok(())
}
