//! `oplus uci`: the engine in any chess program.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::Failure;
use super::techniques::TechniqueFlags;
use base::memory;
use engine::table::{self, MOST_HASH_MB};
use engine::{
    Evaluator, EvaluatorLoader, EvaluatorSource, Material, NetEvaluator, Pesto, UciOptions, run_uci,
};
use nnue::{Net, NetError, bundled};

/// Play as a UCI engine, with the bundled net, a trained one, or PeSTO's tables
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  oplus uci
  oplus uci --net runs/quickstart/RUN/net.oplus
  oplus uci --eval material
  printf 'position startpos moves e2e4\\ngo nodes 10000\\n' | oplus uci
Then in the chess program: any UCI command, with the options that `uci` lists
(EvalFile for another net, Threads, Hash, SyzygyPath, Book File and OwnBook, …);
for people and scripts `d`, `eval`, `bench`, `go perft 5`.")]
pub(super) struct Args {
    /// The net; without one the net that comes with the program
    #[arg(long, value_name = "FILE")]
    net: Option<PathBuf>,
    /// What judges positions
    #[arg(long, value_enum, default_value_t = Evaluation::Net)]
    eval: Evaluation,
    /// Transposition table in MiB
    #[arg(long, default_value_t = 64)]
    hash: usize,
    #[command(flatten)]
    techniques: TechniqueFlags,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Evaluation {
    /// A trained net
    Net,
    /// PeSTO's tables
    Pesto,
    /// Counting pieces
    Material,
}

pub(super) fn main(args: Args) -> Result<(), Failure> {
    let megabytes = args.hash.clamp(1, MOST_HASH_MB);
    memory::ensure(table::bytes(megabytes)).map_err(|shortage| {
        let most = shortage.allowed() >> 20;
        Failure::message(format!("--hash {megabytes} MiB: {shortage}; give at most {most}"))
    })?;
    // A broken file should be told before an interface hides the message.
    let start = own_evaluation(&args)?;
    let load_evaluator: EvaluatorLoader = Arc::new(move |file: Option<&str>| match file {
        None => Ok(start.clone()),
        Some(file) => Ok(source(load(Some(Path::new(file)))?)),
    });
    let options = UciOptions {
        name: concat!("oplus ", env!("CARGO_PKG_VERSION")).to_owned(),
        load_evaluator,
        hash_mb: megabytes,
        techniques: args.techniques.techniques(),
    };
    let input = std::io::BufReader::new(std::io::stdin());
    run_uci(input, std::io::stdout(), options).map_err(|e| Failure::message(e.to_string()))
}

fn own_evaluation(args: &Args) -> Result<EvaluatorSource, Failure> {
    let net = load(args.net.as_deref()).map_err(Failure::from_error)?;
    match (args.eval, &net) {
        (Evaluation::Net, None) => Ok(source(Some(bundled()))),
        (Evaluation::Pesto | Evaluation::Material, Some(_)) => {
            Err(Failure::usage("--net FILE is an evaluation; leave it or the other --eval out"))
        }
        (Evaluation::Material, None) => Ok(Arc::new(|| Box::new(Material))),
        (Evaluation::Net | Evaluation::Pesto, _) => Ok(source(net)),
    }
}

fn source(net: Option<Arc<Net>>) -> EvaluatorSource {
    Arc::new(move || make(&net))
}

/// A net from a file, or none for PeSTO.
pub(super) fn load(file: Option<&Path>) -> Result<Option<Arc<Net>>, NetError> {
    file.map(|file| Net::load(file).map(Arc::new)).transpose()
}

/// The evaluation of a net, or PeSTO.
pub(super) fn make(net: &Option<Arc<Net>>) -> Box<dyn Evaluator> {
    match net {
        Some(net) => Box::new(NetEvaluator::new(net.clone())),
        None => Box::new(Pesto::new()),
    }
}
