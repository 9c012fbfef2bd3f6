//! `oplus uci`: the engine in any chess program.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::Failure;
use crate::engine::{Evaluator, EvaluatorFactory, NetEvaluator, Pesto, UciOptions, run_uci};
use crate::nnue::{Net, NetError};

/// Play as a UCI engine, with a trained net or with PeSTO tables
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Example:
  oplus uci --net runs/quickstart/RUN/net.oplus
Then in the chess program: any UCI command, `setoption name EvalFile value FILE`
to change the net, `bench`, `eval`.")]
pub struct Args {
    /// The net; without one the engine evaluates with PeSTO's tables
    #[arg(long, value_name = "FILE")]
    net: Option<PathBuf>,
    /// Transposition table in MiB
    #[arg(long, default_value_t = 64)]
    hash: usize,
}

pub fn main(args: Args) -> Result<(), Failure> {
    // A broken file should be told before an interface hides the message.
    let start = load(args.net.as_deref()).map_err(Failure::from_error)?;
    let make_evaluator: EvaluatorFactory = Arc::new(move |file: Option<&str>| match file {
        None => Ok(make(&start)),
        Some(file) => Ok(make(&load(Some(Path::new(file)))?)),
    });
    let options = UciOptions {
        name: concat!("oplus ", env!("CARGO_PKG_VERSION")).to_owned(),
        make_evaluator,
        hash_mb: args.hash,
    };
    let input = std::io::BufReader::new(std::io::stdin());
    run_uci(input, std::io::stdout(), options).map_err(|e| Failure::message(e.to_string()))
}

/// A net from a file, or none for PeSTO.
pub fn load(file: Option<&Path>) -> Result<Option<Arc<Net>>, NetError> {
    file.map(|file| Net::load(file).map(Arc::new)).transpose()
}

/// The evaluation of a net, or PeSTO.
pub fn make(net: &Option<Arc<Net>>) -> Box<dyn Evaluator> {
    match net {
        Some(net) => Box::new(NetEvaluator::new(net.clone())),
        None => Box::new(Pesto::new()),
    }
}
