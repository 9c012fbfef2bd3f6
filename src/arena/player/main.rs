//! The engine alone, with a net built in.
//!
//! This is what testing frameworks such as [OpenBench](https://github.com/AndyGrant/OpenBench)
//! build (`make EXE=NAME EVALFILE=net.oplus`) and play: it speaks UCI, and each of its arguments is
//! a line of UCI too, so that `NAME bench` prints nodes and speed, and `NAME "genfens 100 seed 1
//! book None" quit` openings for self-play. The program with everything else is `oplus`.

mod openings;

use std::io::{BufReader, Cursor, Write, stdin, stdout};
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;

use engine::{EvaluatorLoader, EvaluatorSource, NetEvaluator, Techniques, UciOptions, run_uci};
use nnue::{Net, bundled};

/// The file of `EVALFILE`; `None` for the bundled net.
#[cfg(evalfile)]
static NET: Option<&[u8]> = Some(include_bytes!(env!("EVALFILE")));
#[cfg(not(evalfile))]
static NET: Option<&[u8]> = None;

/// OpenBench's default.
const HASH_MB: usize = 16;

type Failure = Box<dyn std::error::Error + Send + Sync>;

fn main() -> ExitCode {
    let lines: Vec<String> = std::env::args().skip(1).collect();
    match execute(&lines) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("error: {failure}");
            ExitCode::FAILURE
        }
    }
}

/// Executes the arguments as lines of UCI; without any, reads them from standard input.
fn execute(lines: &[String]) -> Result<(), Failure> {
    if lines.is_empty() {
        return run_uci(BufReader::new(stdin()), stdout(), options()?);
    }
    let (wishes, lines): (Vec<&String>, Vec<&String>) =
        lines.iter().partition(|line| line.trim_start().starts_with(openings::COMMAND));
    for wish in &wishes {
        let mut out = stdout().lock();
        for fen in openings::generate(wish)? {
            writeln!(out, "info string genfens {fen}")?;
        }
    }
    // The session obeys `quit` at once and would cut the lines before it short; the script ends
    // with them anyway.
    let script: String =
        lines.iter().filter(|line| line.trim() != "quit").map(|line| format!("{line}\n")).collect();
    match script.is_empty() {
        true => Ok(()),
        false => run_uci(Cursor::new(script), stdout(), options()?),
    }
}

fn options() -> Result<UciOptions, Failure> {
    let own = match NET {
        None => bundled(),
        Some(net) => Arc::new(Net::from_bytes(net, Path::new("the net that is built in"))?),
    };
    let load_evaluator: EvaluatorLoader = Arc::new(move |file: Option<&str>| match file {
        None => Ok(source(own.clone())),
        Some(file) => Ok(source(Arc::new(Net::load(Path::new(file))?))),
    });
    Ok(UciOptions {
        name: concat!("oplus ", env!("CARGO_PKG_VERSION")).to_owned(),
        load_evaluator,
        hash_mb: HASH_MB,
        techniques: Techniques::PLAYING,
    })
}

fn source(net: Arc<Net>) -> EvaluatorSource {
    Arc::new(move || Box::new(NetEvaluator::new(net.clone())))
}
