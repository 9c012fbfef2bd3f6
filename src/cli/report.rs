//! `oplus report`: the page again, from the registry.

use std::path::{Path, PathBuf};

use super::Failure;
use crate::experiment::Registry;
use crate::experiment::read::{self, Overrides};
use crate::experiment::runner::{self, REGISTRY_FILE};

/// Write the report of an experiment again from what the registry holds
#[derive(Debug, clap::Args)]
#[command(after_help = "Example: oplus report experiments/quickstart.toml --to reports")]
pub struct Args {
    /// The experiment file
    file: PathBuf,
    /// Folder of the reports
    #[arg(long, default_value = "reports", value_name = "FOLDER")]
    to: PathBuf,
    /// Change a key, as given to `oplus run` (repeatable)
    #[arg(long, value_name = "KEY=VALUE")]
    set: Vec<String>,
    /// The scale given to `oplus run`
    #[arg(long, value_name = "FACTOR")]
    scale: Option<f64>,
}

pub fn main(args: Args) -> Result<(), Failure> {
    let experiment = read::read(&args.file, &Overrides { set: args.set, scale: args.scale })?;
    let registry = Registry::open(&Path::new("runs").join(REGISTRY_FILE))?;
    if registry.experiment(&experiment.name)?.is_none() {
        let message = format!("nothing was measured yet: run `oplus run {}`", args.file.display());
        return Err(Failure::message(message));
    }
    let finished = runner::write_report(&registry, &experiment, &args.to)?;
    println!("{}\nreport: {}", finished.table, finished.report.display());
    Ok(())
}
