//! `oplus train`: one net, without an experiment around it.

use std::path::PathBuf;

use super::Failure;
use super::features::{names, warn};
use super::progress::Progress;
use super::signals::stop_flag;
use super::training_flags::TrainingFlags;
use ::data::filter::UnscoredTargets;
use ::data::{Cache, DataError, DataSpec, Dataset, Filter, Ingredient};
use base::Observer;
use experiment::preflight;
use features::TrainedSet;
use nnue::{Architecture, HiddenActivation, Layers, QuantiseError, quantise};
use plan::positions;
use training::{
    self, Footprint, Method, Origin, TrainedNet, TrainingConfig, TrainingError, TrainingJob,
    TrainingOutcome,
};

/// The net in its folder.
const NET_FILE: &str = "net.oplus";

/// Train one net and write it, quantised, as net.oplus into a folder
///
/// Called again with the same folder it goes on from the last checkpoint.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  oplus train \"ALL + PV\" --data datasets/bootstrap.oarc --out my-net --epochs 10 \\
      --positions-per-epoch 500000 --batch 4096 --learning-rate 2e-3
  oplus train ALL --data games.pgn.zst --out my-net --optimiser ranger \\
      --schedule cosine:final=1e-5 --warmup 500 --result-weight 0..0.3 --patience 5
  oplus train \"train KING-ALL + factors\" --data games.pgn.zst --out my-net \\
      --config experiments/quickstart.toml --epochs 40
  oplus train ALL --data quiet.txt.zst --filter '{ quiet_lists = true }' --out my-net
  oplus train ALL --data quiet.epd --filter '{ quiet_lists = true, unscored = true }' \\
      --result-weight 1 --out my-net
  oplus train \"ALL + PHASE * ALL\" --data games.pgn.zst --out loss-only --no-net")]
pub(super) struct Args {
    /// Feature expression, such as "ALL + PV" or "train KING-ALL + factors"
    expression: String,
    /// Folder for checkpoints, metrics and the net
    #[arg(long, value_name = "FOLDER")]
    out: PathBuf,
    /// Define a name for use in the expression (repeatable)
    #[arg(long, value_name = "NAME=EXPRESSION")]
    define: Vec<String>,
    /// Feature transformer outputs per perspective; 0 for the linear model
    #[arg(long, default_value_t = 128)]
    l1: usize,
    /// Second hidden layer; 0 for none
    #[arg(long, default_value_t = 16)]
    l2: usize,
    /// What the hidden layers pass through
    #[arg(long, value_enum, default_value_t)]
    activation: HiddenActivation,
    /// Output buckets by the number of pieces, 1 to 32
    #[arg(long, default_value_t = 1)]
    buckets: usize,
    /// Seed of initial weights and order of the data
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Train without writing a net: of valued sets, which no engine can play yet, the validation
    /// loss is all there is
    #[arg(long)]
    no_net: bool,
    #[command(flatten)]
    data: DataFlags,
    #[command(flatten)]
    training: TrainingFlags,
}

/// What to learn from.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Data")]
struct DataFlags {
    /// Files and folders of games or positions in any format (docs/data.md), plain or .zst
    /// (repeatable); with FILE@0.5 half of its positions are seen in each pass
    #[arg(long, value_name = "FILE", required = true)]
    data: Vec<Ingredient>,
    /// Positions to keep: quiet, none, or a table such as '{ base = "quiet", min_ply = 16 }'
    /// (docs/experiment.md)
    #[arg(long, value_name = "FILTER", default_value = "quiet")]
    filter: Filter,
    /// Share of the games kept for validation; 0 for none
    #[arg(long, value_name = "SHARE", default_value_t = 0.05)]
    validation: f64,
    /// Train on so many positions, chosen by a hash of their games: a smaller number is a part
    /// of a larger, and validation is that of all
    #[arg(long, value_name = "COUNT", value_parser = clap::value_parser!(u64).range(1..))]
    positions: Option<u64>,
    /// Folder in which positions are kept, ready for the next call
    #[arg(long, value_name = "FOLDER", default_value = "runs/cache")]
    cache: PathBuf,
    /// Read the files anew, and keep nothing
    #[arg(long, conflicts_with = "cache")]
    no_cache: bool,
}

impl DataFlags {
    fn load(&self, method: Method, progress: &mut Progress) -> Result<Dataset, Failure> {
        let spec = DataSpec {
            train: self.data.clone(),
            validation: self.validation,
            filter: self.filter,
            limit: self.positions,
            choices: method.needs_choices(),
        };
        let cache = (!self.no_cache).then(|| Cache::new(&self.cache));
        positions::load(&spec, cache.as_ref(), &|_| None, progress, stop_flag()).map_err(|error| {
            match error {
                DataError::Stopped => Failure::Interrupted("nothing was written"),
                other => Failure::from_error(other),
            }
        })
    }
}

pub(super) fn main(args: Args) -> Result<(), Failure> {
    let features = TrainedSet::compile(&args.expression, &names(&args.define)?)?;
    warn(features.set());
    let config = args.training.config()?;
    let filter = &args.data.filter;
    filter
        .check_targets(config.result_weight.lowest())
        .map_err(|e| Failure::usage(format!("{e}: {}", UnscoredTargets::HELP)))?;
    let layers = Layers::new(args.l1, args.l2, args.activation, args.buckets)
        .map_err(|e| Failure::usage(format!("--{e}: {}", e.help())))?;
    check_ready(&args, &features, layers, &config)?;
    let mut progress = Progress::default();
    let dataset = args.data.load(config.method, &mut progress)?;
    for factor in features.factors() {
        let (name, size) = (factor.expression(), factor.size());
        eprintln!("trained with the factor {name}: {size} shared rows, folded into the net");
    }
    let job = TrainingJob {
        features: features.input().clone(),
        layers,
        seed: args.seed,
        config: config.clone(),
        train: &dataset.train,
        stretches: &dataset.stretches,
        validation: &dataset.validation,
        dir: &args.out,
    };
    let TrainedNet { weights, epoch, .. } = train(&job, &args.expression, &mut progress)?;
    if args.no_net {
        println!("{}", args.out.join("metrics.csv").display());
        return Ok(());
    }
    let origin = Origin {
        expression: &args.expression,
        seed: args.seed,
        epoch,
        config: &config,
        data: &dataset,
        filter: args.data.filter,
        validation: args.data.validation,
    };
    let weights = weights.folded(&features);
    let net = quantise(&weights, features.set(), origin.provenance()).map_err(|error| {
        eprintln!("the trained weights are kept in {}", args.out.display());
        Failure::from_error(error)
    })?;
    let file = args.out.join(NET_FILE);
    net.save(&file).map_err(Failure::from_error)?;
    println!("{}", file.display());
    Ok(())
}

/// Finds what could only fail later, before the data are read.
fn check_ready(
    args: &Args,
    features: &TrainedSet,
    layers: Layers,
    config: &TrainingConfig,
) -> Result<(), Failure> {
    if features.set().is_valued() && !args.no_net {
        let expression = features.set().expression().to_owned();
        let valued = QuantiseError::Valued { expression };
        let advice = "`--no-net` trains it all the same and shows its validation loss";
        return Err(Failure::usage(format!("{valued}; {advice}")));
    }
    preflight::folder("--out", &args.out)?;
    if args.out.exists() && !args.no_net {
        preflight::file("--out", &args.out.join(NET_FILE))?;
    }
    let architecture = Architecture { features: features.input().size(), layers };
    let footprint = Footprint::of(architecture, config, features.input().max_active());
    footprint.check(0).map_err(Failure::from_error)
}

/// Trains and shows how it goes.
fn train(
    job: &TrainingJob<'_>,
    expression: &str,
    progress: &mut Progress,
) -> Result<TrainedNet, Failure> {
    let config = &job.config;
    let per_epoch = config.batches_per_epoch() * config.batch as u64;
    let total = per_epoch.saturating_mul(config.epochs.into());
    progress.begin(&format!("training {expression}"), total, "positions");
    let mut watch = |at: &training::Progress<'_>| match at {
        training::Progress::Resumed { step, history } => {
            let epochs = history.len();
            progress.say(&format!("goes on from step {step}, {epochs} epochs are finished"));
        }
        training::Progress::Batch(batch) => {
            let done = u64::from(batch.epoch - 1) * per_epoch + batch.positions;
            progress.advance(done, &batch.to_string());
        }
        training::Progress::Epoch(epoch) => progress.say(&epoch.to_string()),
        training::Progress::Kept(kept) => progress.say(&kept.to_string()),
        training::Progress::Warning(warning) => progress.warn(&warning.to_string()),
    };
    match training::train(job, &mut watch, stop_flag()).map_err(failure)? {
        TrainingOutcome::Finished(net) => {
            let waiting = 100.0 * net.waiting();
            progress.end(&format!("{waiting:.1} % of the time without a batch"));
            Ok(*net)
        }
        TrainingOutcome::Stopped { .. } => {
            Err(Failure::Stopped("call again with the same folder to go on"))
        }
    }
}

/// What was asked for, or what came in between.
fn failure(error: TrainingError) -> Failure {
    match error {
        TrainingError::Config(_) | TrainingError::Layers(_) => Failure::usage(error.to_string()),
        error => Failure::from_error(error),
    }
}
