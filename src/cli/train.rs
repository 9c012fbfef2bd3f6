//! `oplus train`: one net, without an experiment around it.

use std::path::PathBuf;

use super::Failure;
use super::features::names;
use super::progress::{Progress, stop_flag};
use crate::data::filter::UnscoredTargets;
use crate::data::{DataError, DataSpec, Filter};
use crate::experiment::{Observer, data};
use crate::features::TrainedSet;
use crate::nnue::quantise;
use crate::training::{self, TrainedNet, TrainingConfig, TrainingJob, TrainingOutcome};

/// Train one net and write it, quantised, as net.oplus into a folder
///
/// Called again with the same folder it goes on from the last epoch.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  oplus train \"ALL + PV\" --data datasets/bootstrap.viri.zst --out my-net --epochs 10 \\
      --positions-per-epoch 500000 --batch 4096 --learning-rate 2e-3
  oplus train \"train KING-ALL + factors\" --data games.pgn.zst --out my-net
  oplus train ALL --data quiet.txt.zst --filter '{ quiet_lists = true }' --out my-net
  oplus train ALL --data quiet.epd --filter '{ quiet_lists = true, unscored = true }' \\
      --result-weight 1 --out my-net")]
pub struct Args {
    /// Feature expression, such as "ALL + PV" or "train KING-ALL + factors"
    expression: String,
    /// Data files: PGN, viriformat, `FEN | score | result` or EPD, plain or .zst (repeatable)
    #[arg(long, value_name = "FILE", required = true)]
    data: Vec<PathBuf>,
    /// Positions to keep: quiet, none, or a table such as '{ base = "quiet", min_ply = 16 }'
    /// (docs/experiment.md)
    #[arg(long, value_name = "FILTER", default_value = "quiet")]
    filter: Filter,
    /// Folder for checkpoints, metrics and the net
    #[arg(long, value_name = "FOLDER")]
    out: PathBuf,
    /// Define a name for use in the expression (repeatable)
    #[arg(long, value_name = "NAME=EXPRESSION")]
    define: Vec<String>,
    /// Feature transformer outputs per perspective
    #[arg(long, default_value_t = 128)]
    l1: usize,
    /// Second hidden layer
    #[arg(long, default_value_t = 16)]
    l2: usize,
    /// Seed of initial weights and order of the data
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Epochs
    #[arg(long, default_value_t = 20)]
    epochs: u32,
    /// Share of the game's result in the target: 0 for the score alone, 1 for the result alone
    #[arg(long, default_value_t = 0.0)]
    result_weight: f64,
    /// Positions per epoch
    #[arg(long, default_value_t = 1_000_000)]
    positions_per_epoch: u64,
    /// Positions per step
    #[arg(long, default_value_t = 8_192)]
    batch: usize,
    /// Learning rate of the first epoch
    #[arg(long, default_value_t = 1e-3)]
    learning_rate: f64,
    /// Factor of the learning rate from epoch to epoch
    #[arg(long, default_value_t = 0.9)]
    decay: f64,
}

pub fn main(args: Args) -> Result<(), Failure> {
    let features = TrainedSet::compile(&args.expression, &names(&args.define)?)?;
    let config = TrainingConfig {
        epochs: args.epochs,
        positions_per_epoch: args.positions_per_epoch,
        batch: args.batch,
        learning_rate: args.learning_rate,
        decay: args.decay,
        result_weight: args.result_weight,
        ..TrainingConfig::default()
    };
    config.validate().map_err(|e| Failure::usage(e.to_string()))?;
    args.filter
        .check_targets(args.result_weight)
        .map_err(|e| Failure::usage(format!("{e}: {}", UnscoredTargets::HELP)))?;
    let stop = stop_flag();
    let mut progress = Progress::default();
    let spec = DataSpec { train: args.data, filter: args.filter, ..DataSpec::default() };
    let dataset = data::load(&spec, &mut progress, stop).map_err(|error| match error {
        DataError::Stopped => Failure::Stopped("nothing was written"),
        other => Failure::from_error(other),
    })?;
    for factor in features.factors() {
        let (name, size) = (factor.expression(), factor.size());
        eprintln!("trained with the factor {name}: {size} shared rows, folded into the net");
    }
    std::fs::create_dir_all(&args.out).map_err(Failure::from_error)?;

    let per_epoch = config.batches_per_epoch() * config.batch as u64;
    progress.begin(
        &format!("training {}", args.expression),
        per_epoch * u64::from(config.epochs),
        "positions",
    );
    let job = TrainingJob {
        features: features.input().clone(),
        l1: args.l1,
        l2: args.l2,
        seed: args.seed,
        config: config.clone(),
        train: &dataset.train,
        validation: &dataset.validation,
        dir: &args.out,
    };
    let mut watch = |at: &training::Progress<'_>| match at {
        training::Progress::Batch(batch) => {
            let done = u64::from(batch.epoch - 1) * per_epoch + batch.positions;
            progress.advance(done, &format!("loss {:.5}", batch.loss));
        }
        training::Progress::Epoch(epoch) => {
            let validation = epoch.validation_loss.unwrap_or(f64::NAN);
            eprintln!(
                "epoch {}: loss {:.5}, validation {validation:.5}",
                epoch.epoch, epoch.train_loss
            );
        }
        _ => {}
    };
    let outcome = training::train(&job, &mut watch, stop).map_err(Failure::from_error)?;
    let TrainingOutcome::Finished(TrainedNet { weights, .. }) = outcome else {
        return Err(Failure::Stopped("call again with the same folder to go on"));
    };
    let provenance = serde_json::json!({
        "program": concat!("oplus ", env!("CARGO_PKG_VERSION")),
        "seed": args.seed,
        "expression": args.expression,
        "data": dataset.hash().to_string(),
        "training": config,
    });
    let weights = weights.folded(&features);
    let net = quantise(&weights, features.set(), provenance).map_err(|error| {
        eprintln!("the trained weights are kept in {}", args.out.display());
        Failure::from_error(error)
    })?;
    let file = args.out.join("net.oplus");
    net.save(&file).map_err(Failure::from_error)?;
    progress.end("");
    println!("{}", file.display());
    Ok(())
}
