//! `oplus uci`: the engine in any chess program.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::Failure;
use super::techniques::TechniqueFlags;
use arena::contender::Evaluation;
use base::memory;
use engine::table::{self, MOST_HASH_MB};
use engine::{
    Evaluator, EvaluatorLoader, EvaluatorSource, NetEvaluator, Tapered, UciOptions, run_uci,
};
use nnue::{Net, NetError, bundled};

/// Play as a UCI engine, with the bundled net, a trained one, or PeSTO's tables
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  oplus uci
  oplus uci --net runs/quickstart/RUN/net.oplus
  oplus uci --eval material
  oplus uci --eval tables.csv
  printf 'position startpos moves e2e4\\ngo nodes 10000\\n' | oplus uci
Commands: UCI, with the options listed by `uci` (EvalFile for another net, Threads, Hash,
SyzygyPath, Book File and OwnBook, Judging for the search used in experiments, …);
beyond UCI: `d`, `eval`, `bench`, `go perft 5`.")]
pub(super) struct UciArgs {
    /// Net [default: the bundled net]
    #[arg(long, value_name = "FILE")]
    net: Option<PathBuf>,
    /// Evaluation: `net`, `pesto`, `material`, or a table file of piece-square tables (FILE.csv)
    #[arg(long, value_name = "EVAL", default_value = NET)]
    eval: String,
    /// Transposition table in MiB
    #[arg(long, default_value_t = 64)]
    hash: usize,
    #[command(flatten)]
    techniques: TechniqueFlags,
}

/// The evaluation of `--net`, or of the net that comes with the program.
const NET: &str = "net";

pub(super) fn main(args: UciArgs) -> Result<(), Failure> {
    let megabytes = args.hash.clamp(1, MOST_HASH_MB);
    memory::ensure(table::bytes(megabytes)).map_err(|shortage| {
        let most = shortage.allowed() >> 20;
        Failure::message(format!("--hash {megabytes} MiB: {shortage}; give at most {most}"))
    })?;
    // A broken file fails here, before an interface hides the message.
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

fn own_evaluation(args: &UciArgs) -> Result<EvaluatorSource, Failure> {
    let net = load(args.net.as_deref())?;
    match (args.eval.as_str(), &net) {
        (NET, None) => Ok(source(Some(bundled()))),
        (NET, Some(_)) => Ok(source(net)),
        (_, Some(_)) => {
            Err(Failure::usage("--net FILE and --eval exclude each other, except for --eval net"))
        }
        (named, None) => {
            let evaluation = Evaluation::named(named)?;
            let evaluation = evaluation.ok_or_else(|| unknown(named))?;
            Ok(Arc::new(move || evaluation.evaluator()))
        }
    }
}

fn unknown(named: &str) -> Failure {
    Failure::usage(format!(
        "--eval {named}: no such evaluation; expected `net`, `pesto`, `material`, or a table file of \
         piece-square tables (FILE.csv)"
    ))
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
        None => Box::new(Tapered::pesto()),
    }
}
