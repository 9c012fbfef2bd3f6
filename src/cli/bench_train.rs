//! `oplus bench train`: where the time of a training step goes, and PyTorch
//! beside it.

mod loader;

use std::num::NonZeroU32;
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::builder::RangedU64ValueParser;
use rayon::{ThreadPool, ThreadPoolBuilder};

use super::Failure;
use super::signals::stop_flag;
use super::threads;
use data::{self, DataSpec, Ingredient, Sample};
use features::FeatureSet;
use measure::bench::torch::{Torch, VARIANTS, is_feasible};
use measure::bench::train::{BenchSetting, StepCost, TrainBench};
use network::profile::KernelTime;
use network::{Compute, RowPrecision};
use nnue::Layers;
use report::Format::{Fixed, Percent, Text};
use report::{Column, Table};
use training::metrics::Shown;

/// Time loader, forward pass, backward pass and optimiser
///
/// The parts of a step are medians over all steps; each part runs on all threads and ends before
/// the next one starts. Steps "in a row" run without these waits, as in training. On a CPU the
/// loader shares the threads with the step, and positions/s includes it. On a graphics card the
/// loader runs beside the step, and positions/s is that of the slower one. With --torch, PyTorch
/// trains the same net from the same weights on the same batches and device, in alternating turns;
/// its batches are prepared outside the measured time, so the ratio compares steps in a row alone.
///
/// A second table times the loader alone: its fastest batches on one thread and on all threads,
/// with index lists and with the inverse index of graphics cards, and the serial share of a batch
/// by Amdahl's law.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  oplus bench train
  oplus bench train \"ALL + PH + PV\" --layers \"128 -> 16 -> 1\" --batch 4096
  oplus bench train ALL --layers \"1024 pairwise -> 16 dual -> 32 -> 1, buckets 8\"
  oplus bench train --device gpu --profile --row-precision bf16
  oplus bench train ALL KING-ALL --data games.pgn.zst --torch python3")]
pub(super) struct BenchTrainArgs {
    /// Feature expressions
    #[arg(default_values = ["ALL", "KING-ALL", "ALL + PH + PV"])]
    expressions: Vec<String>,
    /// Data files, the source of the batches (repeatable)
    #[arg(long, value_name = "FILE", default_value = "datasets/bootstrap.oarc")]
    data: Vec<PathBuf>,
    /// The layers above the features (docs/layers.md): WIDTH -> ... -> 1
    #[arg(long, value_name = "LINE", default_value = "512 -> 32 -> 1")]
    layers: String,
    /// Positions per step
    #[arg(long, default_value_t = 16_384)]
    batch: usize,
    /// Turns of the measurement
    #[arg(long, default_value_t = 5, value_parser = at_least_one())]
    rounds: usize,
    /// Steps per turn, after one untimed step; then as many in a row
    #[arg(long, default_value = "4")]
    steps: NonZeroU32,
    /// Threads; 0 for one per core
    #[arg(long, default_value_t = 0, value_parser = threads::any())]
    threads: usize,
    /// Device: cpu, ndarray, gpu, or a graphics adapter by its number such as gpu:1
    #[arg(long, default_value = "cpu")]
    device: Compute,
    /// Precision of the feature rows in the forward pass: f32 or bf16
    #[arg(long, value_name = "PRECISION", default_value = "f32")]
    row_precision: RowPrecision,
    /// Time of every kernel of a step on a graphics card, from timestamps
    #[arg(long)]
    profile: bool,
    /// Python interpreter with PyTorch and NumPy, the baseline
    #[arg(long, value_name = "PYTHON")]
    torch: Option<String>,
    /// Script for --torch
    #[arg(long, value_name = "FILE", default_value = "experiments/torch_train.py")]
    torch_script: PathBuf,
}

fn at_least_one() -> RangedU64ValueParser<usize> {
    RangedU64ValueParser::new().range(1..)
}

pub(super) fn main(args: BenchTrainArgs) -> Result<(), Failure> {
    if args.profile && !args.device.is_gpu() {
        return Err(Failure::usage("--profile needs a graphics card: add --device gpu"));
    }
    if args.torch.is_some() && !args.torch_script.is_file() {
        let script = args.torch_script.display();
        return Err(Failure::usage(format!("--torch-script {script}: no such file")));
    }
    let device = args.device.describe()?;
    let [alone, pool] = [pool(1)?, pool(args.threads)?];
    let train = args.data.iter().map(Ingredient::new).collect();
    let spec = DataSpec { train, ..DataSpec::default() };
    let dataset = data::load(&spec, &mut |_| {}, stop_flag())?;
    if args.batch == 0 || args.batch > dataset.train.len() {
        let positions = dataset.train.len();
        return Err(Failure::usage(format!(
            "--batch {}: the data has {positions} positions to train on",
            args.batch
        )));
    }
    let layers: Layers = args.layers.parse()?;
    let (mut steps, mut loaders) = (Vec::new(), Vec::new());
    for expression in &args.expressions {
        let features = FeatureSet::parse(expression)?;
        let setting = setting(&args, &layers, &features, &dataset.train);
        let measured = pool.install(|| measure(&args, setting))?;
        if let Some((step, kernels)) = &measured.profile {
            println!("{expression}\n{}", kernel_table(*step, kernels, args.steps));
        }
        steps.push((expression, measured));
        loaders.extend(loader::times(expression, setting, [&alone, &pool], args.rounds));
    }
    let threads = pool.current_num_threads();
    println!(
        "{}\n{}\n{device}, {threads} threads, {}, rows in {}, batch {}, medians of {} steps in {} turns",
        table(&steps, args.batch, args.device),
        loader::table(&loaders, args.batch, threads),
        layers,
        args.row_precision,
        args.batch,
        args.rounds * args.steps.get() as usize,
        args.rounds
    );
    Ok(())
}

fn pool(threads: usize) -> Result<ThreadPool, Failure> {
    ThreadPoolBuilder::new().num_threads(threads).build().map_err(Failure::from)
}

fn setting<'a>(
    args: &BenchTrainArgs,
    layers: &'a Layers,
    features: &'a FeatureSet,
    samples: &'a [Sample],
) -> BenchSetting<'a> {
    let (batch, batches) = (args.batch, args.steps.get() as usize);
    let (compute, row_precision) = (args.device, args.row_precision);
    BenchSetting { features, samples, layers, batch, batches, compute, row_precision }
}

struct Measured {
    steps: Vec<StepCost>,
    in_a_row: Vec<f64>,
    torch: Vec<(&'static str, Vec<f64>)>,
    /// Of a step in a row whose kernels are timed, and the kernels of all such steps.
    profile: Option<(Duration, Vec<KernelTime>)>,
}

fn measure(args: &BenchTrainArgs, setting: BenchSetting<'_>) -> Result<Measured, Failure> {
    let BenchSetting { features, layers, compute, .. } = setting;
    let mut bench = TrainBench::new(setting)?;
    // On a processor all take turns, since other work comes and goes; a card is shared out among
    // those that hold it.
    let by_turns = !compute.is_gpu();
    let mut peers = Vec::new();
    let variants = variants(args, layers, features);
    let start = |variant, bench: &TrainBench<'_>| Peer::start(variant, &args.torch_script, bench);
    if by_turns {
        peers = variants.iter().map(|peer| start(*peer, &bench)).collect::<Result<_, _>>()?;
    }
    let (mut steps, mut in_a_row) = (Vec::new(), Vec::new());
    for _ in 0..args.rounds {
        // The first step of a turn finds caches cold and memory given back.
        bench.step();
        steps.extend((0..args.steps.get()).map(|_| bench.step().0));
        let (took, loss) = bench.steps_in_a_row(args.steps);
        in_a_row.push((1e3 * took.as_secs_f64(), loss));
        for peer in &mut peers {
            peer.turn(args.steps, loss)?;
        }
    }
    let mut torch: Vec<(&str, Vec<f64>)> = peers.into_iter().map(Peer::times).collect();
    for variant in variants.iter().filter(|_| !by_turns) {
        let mut peer = start(*variant, &bench)?;
        for (_, loss) in &in_a_row {
            peer.turn(args.steps, *loss)?;
        }
        torch.push(peer.times());
    }
    let in_a_row = in_a_row.into_iter().map(|(took, _)| took).collect();
    let profile = args.profile.then(|| bench.profile(args.steps));
    Ok(Measured { steps, in_a_row, torch, profile })
}

/// The ways of PyTorch to train such a net, and the Python of each.
fn variants<'a>(
    args: &'a BenchTrainArgs,
    layers: &Layers,
    features: &FeatureSet,
) -> Vec<(&'static str, &'a str)> {
    let feasible =
        VARIANTS.into_iter().filter(|variant| is_feasible(variant, features.size(), layers));
    feasible.zip(args.torch.iter().map(String::as_str).cycle()).collect()
}

/// A way of PyTorch, running.
struct Peer {
    variant: &'static str,
    torch: Torch,
    /// Milliseconds of a step, for each turn.
    times: Vec<f64>,
}

impl Peer {
    fn start(
        (variant, python): (&'static str, &str),
        script: &Path,
        bench: &TrainBench<'_>,
    ) -> Result<Self, Failure> {
        let torch = Torch::start(python, script, bench, rayon::current_num_threads())
            .map_err(|error| Failure::usage(format!("--torch {python}: {error}")))?;
        Ok(Self { variant, torch, times: Vec::new() })
    }

    /// As many steps as ours: those that ours takes one by one are not timed.
    fn turn(&mut self, steps: NonZeroU32, ours: f64) -> Result<(), Failure> {
        self.torch.steps(self.variant, 1 + steps.get())?;
        let (took, theirs) = self.torch.steps(self.variant, steps.get())?;
        eprintln!("{}: loss {}, oplus {}", self.variant, Shown(theirs), Shown(ours));
        self.times.push(took);
        Ok(())
    }

    fn times(self) -> (&'static str, Vec<f64>) {
        (self.variant, self.times)
    }
}

/// Kernels by their share of a step, the longest first.
fn kernel_table(step: Duration, kernels: &[KernelTime], steps: NonZeroU32) -> Table {
    let row = |it: &'_ KernelTime| (it.kernel.to_string(), it.launches, it.busy);
    let mut rows: Vec<(String, usize, Duration)> = kernels.iter().map(row).collect();
    let launches = rows.iter().map(|row| row.1).sum();
    let busy = rows.iter().map(|row| row.2).sum();
    rows.push(("all kernels".to_owned(), launches, busy));
    rows.push(("step with timestamps".to_owned(), 0, step * steps.get()));
    let of_step = |busy: &Duration| (*busy / steps.get()).as_secs_f64();
    Table::of("kernels", "Kernels", &rows)
        .column(Column::new("kernel", "kernel", Text), |(kernel, ..)| kernel)
        .column(Column::new("launches", "launches", Fixed(1)), |(_, launches, _)| {
            *launches as f64 / f64::from(steps.get())
        })
        .column(Column::new("ms", "ms", Fixed(3)), |(.., busy)| 1e3 * of_step(busy))
        .column(Column::new("share", "share of the step", Percent(0)), |(.., busy)| {
            of_step(busy) / step.as_secs_f64()
        })
        .table()
}

/// A part of a step.
type PartOf = fn(&StepCost) -> Duration;

/// A row for each expression.
fn table(rows: &[(&String, Measured)], batch: usize, device: Compute) -> Table {
    let ms = |key: &str, title: &str| Column::new(key, title, Fixed(2)).unit("ms");
    let per_second = |title: &str| Column::new(title, title, Fixed(0));
    let mut table = Table::of("steps", "Training steps", rows)
        .column(Column::new("features", "features", Text), |(features, _)| *features);
    let parts: [(&str, PartOf); 4] = [
        ("loader", |cost| cost.loader),
        ("forward", |cost| cost.step.forward),
        ("backward", |cost| cost.step.backward),
        ("optimiser", |cost| cost.step.optimiser),
    ];
    for (part, of) in parts {
        table = table
            .column(ms(part, part), |(_, it)| it.part(of))
            .column(Column::new(format!("{part}_share"), "", Percent(0)), |(_, it)| {
                it.part(of) / it.part(StepCost::total)
            });
    }
    table
        .column(ms("step", "step"), |(_, it)| it.part(|cost| cost.step.total()))
        .column(ms("in_a_row", "in a row"), |(_, it)| median(it.in_a_row.clone()))
        .column(per_second("positions/s"), |(_, it)| 1e3 * batch as f64 / it.per_batch(device))
        .column(per_second("per CPU-second"), |(_, it)| {
            1e3 * batch as f64 / it.part(|cost| cost.processors)
        })
        .columns(VARIANTS, |variant| ms(variant, variant), |(_, it), variant| it.of_torch(variant))
        .column(Column::new("ratio", "ratio", Fixed(2)), |(_, it)| {
            let best = VARIANTS.iter().filter_map(|variant| it.of_torch(variant));
            best.reduce(f64::min).map(|best| best / median(it.in_a_row.clone()))
        })
        .table()
}

impl Measured {
    /// Milliseconds of a part of a step.
    fn part(&self, of: PartOf) -> f64 {
        median(self.steps.iter().map(|cost| 1e3 * of(cost).as_secs_f64()).collect())
    }

    /// Milliseconds between batches; a card computes while the loader works.
    fn per_batch(&self, device: Compute) -> f64 {
        match device.is_gpu() {
            true => self.part(|cost| cost.loader).max(median(self.in_a_row.clone())),
            false => self.part(StepCost::total),
        }
    }

    /// Milliseconds of a step of PyTorch.
    fn of_torch(&self, variant: &str) -> Option<f64> {
        let own = self.torch.iter().find(|(other, _)| *other == variant);
        own.map(|(_, times)| median(times.clone()))
    }
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(f64::NAN)
}
