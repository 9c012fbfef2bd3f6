//! `oplus train`: one net, without an experiment around it.

use std::path::PathBuf;

use serde_json::json;

use super::Failure;
use super::define::names;
use super::signals::stop_flag;
use super::study::{self, StudyFlags};
use super::training_flags::TrainingFlags;
use super::{find_rate, json, warnings};
use ::data::filter::UnscoredTargets;
use ::data::{Cache, DataSpec, Dataset, Filter, Ingredient, job};
use base::{Observer, content_of};
use experiment::config::DataConfig;
use experiment::{Experiment, preflight};
use features::TrainedSet;
use nnue::{Architecture, Layers, NET_FILE, QuantiseError, check_playable};
use training::metrics::METRICS_FILE;
use training::{Footprint, Method, RateRange, TrainingConfig, TrainingRun};

/// Train one net and write it, quantised, as net.oplus into a folder
///
/// Called again with the same folder it resumes from the last checkpoint. With --find-rate it
/// trains nothing and prints the learning rate to begin with. With --slurm, --hq or --plan the
/// net is an experiment of its own, named after the folder: `oplus run` of one net, with its files
/// in runs/NAME.
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
  oplus train ALL --data lichess_db_eval.jsonl.zst --filter '{ min_depth = 24 }' --wdl 0 \\
      --licence CC0 --out my-net
  oplus train ALL --data quiet.epd --filter '{ quiet_lists = true, unscored = true }' \\
      --wdl 1 --out my-net
  oplus train ALL --data games.pgn.zst --out my-net --batch 4096 --find-rate
  oplus train ALL --data games.pgn.zst --out my-net --slurm --sbatch \"--partition=gpu\"
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
    /// only result is the validation loss
    #[arg(long)]
    no_net: bool,
    /// Try learning rates that rise from the first to the last over 300 steps, print the one to
    /// begin with, write rates.csv and rates.svg into the folder, and keep no net
    /// [default: 1e-6..1]
    #[arg(long, value_name = "FROM..TO", num_args = 0..=1, require_equals = true,
          default_missing_value = "1e-6..1", conflicts_with = "json")]
    find_rate: Option<RateRange>,
    #[command(flatten)]
    study: StudyFlags,
    #[command(flatten)]
    data: DataFlags,
    #[command(flatten)]
    training: TrainingFlags,
}

/// What to learn from.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Data")]
struct DataFlags {
    /// Files and folders of games or positions in any format (docs/data.md), plain or compressed
    /// (.zst, .gz, .bz2; repeatable); with FILE@0.5 half of its positions are seen in each pass
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
    /// Licence of the files, for the provenance of the net: CC0, "CC BY-SA 3.0 (TCEC)"
    #[arg(long, value_name = "NAME", default_value = "", hide_default_value = true)]
    licence: String,
    /// Folder in which positions are kept, ready for the next call
    #[arg(long, value_name = "FOLDER", default_value = "runs/cache")]
    cache: PathBuf,
    /// Read the files again, and keep nothing
    #[arg(long, conflicts_with = "cache")]
    no_cache: bool,
}

impl DataFlags {
    fn load(&self, method: Method, observer: &mut dyn Observer) -> Result<Dataset, Failure> {
        let spec = DataSpec {
            train: self.data.clone(),
            validation: self.validation,
            filter: self.filter.clone(),
            limit: self.positions,
            choices: method.needs_choices(),
        };
        let cache = (!self.no_cache).then(|| Cache::new(&self.cache));
        Ok(job::load(&spec, cache.as_ref(), &|_| None, observer, stop_flag())?)
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
    if !args.study.runs_here() {
        return study::main(&args.experiment(&layers, config)?, &args.study);
    }
    check_ready(&args, &features, &layers, &config)?;
    if features.input().reads_halfmoves() || layers.buckets().reads_halfmoves() {
        data::check_halfmoves(&args.data.data)?;
    }
    let mut progress = args.study.observer();
    let dataset = args.data.load(config.method, &mut *progress)?;
    for factor in features.factors() {
        let (name, size) = (factor.expression(), factor.size());
        progress.say(&format!("trained with the factor {name}: {size} shared rows in the net"));
    }
    let filter = filter.clone().with_net(|net: PathBuf| content_of(&net, &mut |_| {}))?;
    let run = TrainingRun {
        stage: format!("training {}", args.expression),
        experiment: None,
        features,
        layers,
        seed: args.seed,
        start: args.start.clone(),
        config,
        dataset: &dataset,
        filter: &filter,
        validation: args.data.validation,
        licence: args.data.licence.clone(),
        folder: &args.out,
    };
    if let Some(range) = args.find_rate {
        return find_rate::main(run, range, &args.expression, &mut *progress);
    }
    let net = run.train(&mut *progress, stop_flag())?.ok_or(study::STOPPED)?;
    let file = match args.no_net {
        true => METRICS_FILE,
        false => {
            run.save(net, &mut *progress)?;
            NET_FILE
        }
    };
    let file = args.out.join(file);
    match args.study.is_json() {
        true => json::print(&json!({ "event": "result", "file": file })),
        false => println!("{}", file.display()),
    }
    Ok(())
}

impl TrainArgs {
    /// An experiment of this net alone, named after its folder.
    fn experiment(&self, layers: &Layers, config: TrainingConfig) -> Result<Experiment, Failure> {
        if self.no_net || self.find_rate.is_some() || self.data.no_cache {
            return Err(Failure::usage(
                "--no-net, --find-rate and --no-cache are for this machine",
            ));
        }
        let name = self.out.file_name().unwrap_or_default().to_string_lossy();
        let DataFlags { data, filter, validation, positions, licence, .. } = &self.data;
        let data = DataConfig {
            train: data.clone(),
            validation: *validation,
            filter: filter.clone(),
            positions: *positions,
            licence: licence.clone(),
            ..DataConfig::default()
        };
        let pairs = self.define.iter().filter_map(|text| text.split_once('='));
        let define = pairs.map(|(name, text)| (name.trim().to_owned(), text.trim().to_owned()));
        let one = Experiment::of_one_net(&name, &self.expression, layers, self.seed, data, config);
        let one = Experiment { define: define.collect(), start: self.start.clone(), ..one };
        one.checked("oplus train").map_err(Failure::of_job)
    }
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
