//! `oplus net info`: description of a net file.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::{Value, json};

use super::{kings, line, load, neuron};
use crate::cli::Failure;
use crate::cli::output::print_json;
use base::atomic::write_atomically;
use base::format::{counted, grouped};
use chess::{Position, Scene};
use engine::NetEvaluator;
use nnue::{Addition, Architecture, Net};
use nnue_tools::check::{TensorRange, tensor_ranges};
use nnue_tools::provenance::flattened;
use report::Format::{Count, Fixed, Percent, Text};
use report::network::{LayerShape, NetworkShape};
use report::{Column, Table};

/// Features, architecture, sizes, scales and provenance of a net
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  oplus net info net.oplus
  oplus net info net.oplus --fen \"4k3/8/8/8/8/8/8/R3K3 w - - 0 1\"
  oplus net info net.oplus --picture net.svg
  oplus net info net.oplus --neuron 7 --picture neuron.svg    its weights, on boards
  oplus net info linear.oplus --kings kings.svg    values of pieces by the squares of the kings
  oplus net info net.oplus --json | jq .provenance.data.files")]
pub(super) struct NetInfoArgs {
    /// The net file
    file: PathBuf,
    /// Evaluate this position too
    #[arg(long, value_name = "FEN")]
    fen: Option<String>,
    /// Draw the layers into this file, as SVG
    #[arg(long, value_name = "SVG")]
    picture: Option<PathBuf>,
    /// Draw the weights of this neuron of the first layer instead, a board for each kind of piece
    #[arg(long, value_name = "NUMBER", requires = "picture")]
    neuron: Option<usize>,
    /// Draw the worth of pieces by square as the kings move, for a linear net, as SVG
    #[arg(long, value_name = "SVG")]
    kings: Option<PathBuf>,
    /// Print it as JSON
    #[arg(long)]
    json: bool,
}

/// A position and its evaluation.
struct Evaluated {
    fen: String,
    centipawns: i32,
}

pub(super) fn main(args: &NetInfoArgs) -> Result<(), Failure> {
    let net = Arc::new(load(&args.file)?);
    let evaluated = args.fen.as_deref().map(|fen| evaluate(&net, fen)).transpose()?;
    if let Some(path) = &args.picture {
        match args.neuron {
            Some(number) => neuron::draw(&net, number, path)?,
            None => draw(&net, path)?,
        }
    }
    if let Some(path) = &args.kings {
        kings::draw(&net, path)?;
    }
    match args.json {
        true => print_json(&as_json(&args.file, &net, evaluated.as_ref())),
        false => {
            print(&args.file, &net, evaluated.as_ref());
            Ok(())
        }
    }
}

fn draw(net: &Net, path: &Path) -> Result<(), Failure> {
    let picture = shape(net).draw()?;
    write_atomically(path, &[picture.standalone().as_bytes()]).map_err(Failure::from)
}

/// The layers of a net as the report draws them.
fn shape(net: &Net) -> NetworkShape {
    let Architecture { features, layers } = net.architecture();
    let transformer = layers.transformer().map(|it| LayerShape {
        neurons: it.width,
        activation: it.activation.word().to_owned(),
        outputs: it.activation.outputs(it.width),
        addition: None,
    });
    let hidden = layers.hidden().iter().map(|it| LayerShape {
        neurons: it.neurons,
        activation: it.activation.word().to_owned(),
        outputs: it.outputs(),
        addition: it.addition.map(Addition::word),
    });
    NetworkShape {
        line: layers.to_string(),
        features: *features,
        transformer,
        hidden: hidden.collect(),
        buckets: layers.buckets().count(),
        psqt: layers.has_psqt(),
    }
}

fn evaluate(net: &Net, fen: &str) -> Result<Evaluated, Failure> {
    let position = Position::named(fen)?;
    let centipawns = net.evaluate(&Scene::from(&position), position.turn());
    Ok(Evaluated { fen: position.fen(), centipawns })
}

/// Bytes of the tensors of a net.
fn tensor_bytes(tensors: &[TensorRange]) -> usize {
    tensors.iter().map(|tensor| tensor.bytes).sum()
}

fn print(file: &Path, net: &Arc<Net>, evaluated: Option<&Evaluated>) {
    let tensors = tensor_ranges(net);
    let bytes = grouped(tensor_bytes(&tensors) as u64);
    line("file", format_args!("{} ({bytes} bytes of numbers; checksum good)", file.display()));
    print_shape(net);
    let scale = f64::from(search_scale(net)) / 1_024.0;
    line("in searches", format_args!("centipawns times {scale:.4}, which is PeSTO's scale"));
    if let Some(Evaluated { fen, centipawns }) = evaluated {
        line(
            "evaluation",
            format_args!("{centipawns} cp for the side to move, scale of the data, of {fen}"),
        );
    }
    println!("\n{}\n", summands(net));
    println!("{}\n", ranges(&tensors));
    println!("provenance");
    let entries = flattened(net.provenance());
    let width = entries.iter().map(|(key, _)| key.chars().count()).max().unwrap_or(0);
    for (key, value) in entries {
        println!("  {key:<width$}  {value}");
    }
}

/// 1,024ths by which the search multiplies centipawns of the net.
fn search_scale(net: &Arc<Net>) -> i32 {
    NetEvaluator::new(Arc::clone(net)).scale()
}

/// Features, layers and scales.
pub(super) fn print_shape(net: &Net) {
    let features = net.features();
    line(
        "features",
        format_args!(
            "{} ({}, hash {})",
            features.canonical(),
            counted(features.size() as u64, "feature"),
            features.hash()
        ),
    );
    let parameters = counted(net.architecture().parameters() as u64, "parameter");
    line("architecture", format_args!("{} ({parameters})", net.architecture()));
    line("scales", net.scales());
    line("fingerprint", net.fingerprint());
}

fn summands(net: &Net) -> Table {
    let set = net.features();
    Table::of("blocks", "Blocks", set.summands())
        .column(Column::new("block", "block", Text), |it| &it.text)
        .column(Column::new("from", "from", Count), |it| it.offset)
        .column(Column::new("size", "size", Count), |it| it.size)
        .column(Column::new("max_active", "max active", Count), |it| it.max_active)
        .column(Column::new("share", "share of the rows", Percent(1)), |it| {
            it.size as f64 / set.size() as f64
        })
        .table()
}

fn ranges(tensors: &[TensorRange]) -> Table {
    let shape =
        |it: &TensorRange| it.shape.iter().map(ToString::to_string).collect::<Vec<_>>().join(" × ");
    Table::of("tensors", "Tensors", tensors)
        .column(Column::new("tensor", "tensor", Text), |it| it.name)
        .column(Column::new("type", "type", Text), |it| it.dtype)
        .column(Column::new("shape", "shape", Text), shape)
        .column(Column::new("bytes", "bytes", Count), |it| it.bytes)
        .column(Column::new("smallest", "smallest", Fixed(0)), |it| it.smallest as f64)
        .column(Column::new("largest", "largest", Fixed(0)), |it| it.largest as f64)
        .table()
}

fn as_json(file: &Path, net: &Arc<Net>, evaluated: Option<&Evaluated>) -> Value {
    let (features, tensors) = (net.features(), tensor_ranges(net));
    json!({
        "file": file,
        "features": features.canonical(),
        "features_hash": features.hash(),
        "size": features.size(),
        "max_active": features.max_active(),
        "architecture": net.architecture(),
        "architecture_text": net.architecture().to_string(),
        "parameters": net.architecture().parameters(),
        "scales": net.scales(),
        "search_scale": search_scale(net),
        "fingerprint": net.fingerprint().to_string(),
        "bytes": tensor_bytes(&tensors),
        "tensors": tensors,
        "provenance": net.provenance(),
        "evaluation": evaluated.map(|e| json!({ "fen": e.fen, "centipawns": e.centipawns })),
    })
}
