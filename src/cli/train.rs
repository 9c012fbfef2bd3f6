//! `oplus train`: one net, without an experiment around it.

use std::path::PathBuf;

use super::Failure;
use super::define::names;
use super::find_rate;
use super::progress::Progress;
use super::signals::stop_flag;
use super::training_flags::TrainingFlags;
use super::warnings;
use ::data::filter::UnscoredTargets;
use ::data::{Cache, DataSpec, Dataset, Filter, Ingredient};
use base::{Observer, content_of};
use data::job;
use experiment::preflight;
use features::TrainedSet;
use nnue::NET_FILE;
use nnue::{Architecture, BlocksRead, Layers, QuantiseError, check_playable};
use nnue_tools::floats;
use training::start::{self, StartNet, WEIGHTS_FILE};
use training::{
    self, Footprint, Method, Origin, RateRange, TrainedNet, TrainingConfig, TrainingError,
    TrainingJob, TrainingOutcome,
};

/// Train one net and write it, quantised, as net.oplus into a folder
///
/// Called again with the same folder it goes on from the last checkpoint. With --find-rate it
/// trains nothing, but tells which learning rate to begin with.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  oplus train \"ALL + PV\" --data datasets/bootstrap.oarc --out my-net --epochs 10 \\
      --positions-per-epoch 500000 --batch 4096 --learning-rate 2e-3
  oplus train ALL --data games.pgn.zst --out my-net \\
      --layers \"1024 pairwise -> 16 dual -> 32 -> 1, buckets 8, psqt\"
  oplus train ALL --data games.pgn.zst --out my-net --optimiser ranger \\
      --schedule cosine:final=1e-5 --warmup 500 --wdl 0..0.3
  oplus train \"train KING-ALL + factors\" --data games.pgn.zst --out my-net \\
      --config experiments/quickstart.toml --epochs 40
  oplus train \"ALL + PH\" --data games.pgn.zst --out grown --start my-net --epochs 4 --learning-rate 2e-4
  oplus train ALL --data quiet.txt.zst --filter '{ quiet_lists = true }' --out my-net
  oplus train ALL --data quiet.epd --filter '{ quiet_lists = true, unscored = true }' \\
      --wdl 1 --out my-net
  oplus train ALL --data games.pgn.zst --out my-net --batch 4096 --find-rate
  oplus train \"ALL + PHASE * ALL\" --data games.pgn.zst --out loss-only --no-net")]
pub(super) struct TrainArgs {
    /// Feature expression, such as "ALL + PV" or "train KING-ALL + factors"
    expression: String,
    /// Folder for checkpoints, metrics and the net
    #[arg(long, value_name = "FOLDER")]
    out: PathBuf,
    /// Define a name for use in the expression (repeatable)
    #[arg(long, value_name = "NAME=EXPRESSION")]
    define: Vec<String>,
    /// The layers above the features: WIDTH [crelu|screlu|pairwise], dense layers
    /// WIDTH [crelu|screlu|dual] [+ skip], 1 for the output; then buckets N, psqt.
    /// "1" is the linear model (docs/layers.md)
    #[arg(long, value_name = "LINE", default_value = "128 -> 16 -> 1")]
    layers: String,
    /// Begin with a net: the folder of a run, its weights.safetensors, or any net.oplus. What
    /// the feature sets have in common is taken over, new features begin at zero
    #[arg(long, value_name = "NET")]
    start: Option<PathBuf>,
    /// Seed of initial weights and order of the data
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Train without writing a net: of valued sets below hidden layers, which no engine plays, the
    /// validation loss is all there is
    #[arg(long)]
    no_net: bool,
    /// Try learning rates that rise from the first to the last over 300 steps, tell which one to
    /// begin with, write rates.csv and rates.svg into the folder, and keep no net
    /// [default: 1e-6..1]
    #[arg(long, value_name = "FROM..TO", num_args = 0..=1, require_equals = true,
          default_missing_value = "1e-6..1")]
    find_rate: Option<RateRange>,
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
    /// Number of training positions, chosen by a hash of their games: a smaller number is a part of
    /// a larger one, and the validation split is that of all
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
            filter: self.filter.clone(),
            limit: self.positions,
            choices: method.needs_choices(),
        };
        let cache = (!self.no_cache).then(|| Cache::new(&self.cache));
        Ok(job::load(&spec, cache.as_ref(), &|_| None, progress, stop_flag())?)
    }
}

pub(super) fn main(args: TrainArgs) -> Result<(), Failure> {
    let features = TrainedSet::compile(&args.expression, &names(&args.define)?)?;
    warnings::of_set(features.set());
    let config = args.training.config()?;
    let filter = &args.data.filter;
    filter
        .check_targets(config.wdl.lowest())
        .map_err(|e| Failure::usage(format!("{e}: {}", UnscoredTargets::HELP)))?;
    let layers: Layers = args.layers.parse()?;
    check_ready(&args, &features, &layers, &config)?;
    let mut progress = Progress::default();
    let dataset = args.data.load(config.method, &mut progress)?;
    for factor in features.factors() {
        let (name, size) = (factor.expression(), factor.size());
        eprintln!("trained with the factor {name}: {size} shared rows, folded into the net");
    }
    let start = args.start.as_deref().map(start::read).transpose()?;
    let job = TrainingJob {
        features: features.input().clone(),
        layers,
        seed: args.seed,
        start: start.as_ref().map(|(weights, features)| StartNet { features, weights }),
        config: config.clone(),
        train: (&dataset.train).into(),
        stretches: &dataset.stretches,
        validation: &dataset.validation,
        inventory: Some(&dataset.inventory),
        dir: &args.out,
    };
    if let Some(range) = args.find_rate {
        return find_rate::main(&job, range, &args.expression, &args.out, &mut progress);
    }
    let TrainedNet { weights, kept, .. } = train(&job, &args.expression, &mut progress)?;
    floats::save(&weights, features.input(), &args.out.join(WEIGHTS_FILE))
        .map_err(|error| Failure::from(TrainingError::from(error)))?;
    if args.no_net {
        println!("{}", args.out.join("metrics.csv").display());
        return Ok(());
    }
    let content = |net: PathBuf| content_of(&net, &mut |_| {});
    let filter = args.data.filter.clone().with_net(content)?;
    let origin = Origin {
        expression: &args.expression,
        seed: args.seed,
        kept: &kept,
        config: &config,
        data: &dataset,
        filter: &filter,
        validation: args.data.validation,
    };
    let weights = weights.folded(&features);
    let (net, read) = training::played(&weights, &features, origin.provenance(), &dataset)
        .map_err(|error| {
            eprintln!("the trained weights are kept in {}", args.out.display());
            Failure::from(error)
        })?;
    if let Some(BlocksRead { before, after }) = read {
        let [before, after] = [before, after].map(|share| 100.0 * share);
        eprintln!(
            "neurons sorted: {after:.0} % of the first dense layer's blocks are read, {before:.0} % before"
        );
    }
    let file = args.out.join(NET_FILE);
    net.save(&file)?;
    println!("{}", file.display());
    Ok(())
}

/// Preflight checks of later failures, before the data are read.
fn check_ready(
    args: &TrainArgs,
    features: &TrainedSet,
    layers: &Layers,
    config: &TrainingConfig,
) -> Result<(), Failure> {
    let makes_net = !args.no_net && args.find_rate.is_none();
    if let (Err(reason), true) = (check_playable(features.set(), layers), makes_net) {
        let expression = features.set().expression().to_owned();
        let valued = QuantiseError::Valued { expression, reason };
        let advice = "`--no-net` trains it all the same and shows its validation loss";
        return Err(Failure::usage(format!("{valued}; {advice}")));
    }
    preflight::folder("--out", &args.out)?;
    if args.out.exists() && makes_net {
        preflight::file("--out", &args.out.join(NET_FILE))?;
    }
    let layers = layers.clone();
    let architecture = Architecture { features: features.input().size(), layers };
    let footprint = Footprint::of(architecture, config, features.input().max_active());
    footprint.check(0).map_err(Failure::from)
}

/// Trains with progress.
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
        training::Progress::WarmStart(grown) => progress.say(&format!("start: {grown}")),
        training::Progress::Batch(batch) => {
            let done = u64::from(batch.epoch - 1) * per_epoch + batch.positions;
            progress.advance(done, &batch.to_string());
        }
        training::Progress::Epoch(epoch) => progress.say(&epoch.to_string()),
        training::Progress::Ended(kept) => progress.say(&format!("the net is {kept}")),
        training::Progress::Warning(warning) => progress.warn(&warning.to_string()),
    };
    match training::train(job, &mut watch, stop_flag())? {
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
