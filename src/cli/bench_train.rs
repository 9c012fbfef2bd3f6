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
use measure::bench::train::{Setting, StepCost, TrainBench};
use network::Compute;
use network::profile::KernelTime;
use nnue::Layers;
use report::terminal;
use training::metrics::Shown;

/// Times loader, forward pass, backward pass and optimiser
///
/// The parts of a step are the medians over all steps, each on all threads and
/// finished before the next begins; a step "in a row" waits for nothing, as in
/// training. On a processor the loader shares the threads with the step, so that
/// positions/s counts it too; a graphics card computes while it works, so that the
/// slower of the two counts. With --torch, PyTorch trains the same net from the same
/// weights on the same batches, turn by turn with oplus and on the same device; its
/// batches are prepared outside the time, so the ratio compares steps in a row alone.
///
/// Then the loader alone: its fastest batches on one thread and on all, of lists and with
/// the inverse that a graphics card gets, and the share of a batch on which only one
/// thread works, by Amdahl's law.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  oplus bench train
  oplus bench train \"ALL + PH + PV\" --layers \"128 -> 16 -> 1\" --batch 4096
  oplus bench train ALL --layers \"1024 pairwise -> 16 dual -> 32 -> 1, buckets 8\"
  oplus bench train --device gpu --profile
  oplus bench train ALL KING-ALL --data games.pgn.zst --torch python3")]
pub(super) struct Args {
    /// Feature expressions
    #[arg(default_values = ["ALL", "KING-ALL", "ALL + PH + PV"])]
    expressions: Vec<String>,
    /// Data files: positions to draw batches from (repeatable)
    #[arg(long, value_name = "FILE", default_value = "datasets/bootstrap.oarc")]
    data: Vec<PathBuf>,
    /// The layers above the features (docs/layers.md): WIDTH -> ... -> 1
    #[arg(long, value_name = "LINE", default_value = "512 -> 32 -> 1")]
    layers: String,
    /// Positions per step
    #[arg(long, default_value_t = 16_384)]
    batch: usize,
    /// Turns
    #[arg(long, default_value_t = 5, value_parser = at_least_one())]
    rounds: usize,
    /// Steps per turn, after one that is not timed; then as many in a row
    #[arg(long, default_value = "4")]
    steps: NonZeroU32,
    /// Threads; 0 for one per core
    #[arg(long, default_value_t = 0, value_parser = threads::any())]
    threads: usize,
    /// Device: cpu, ndarray, gpu, or a graphics adapter by its number such as gpu:1
    #[arg(long, default_value = "cpu")]
    device: Compute,
    /// Where a step goes on a graphics card: the time of every kernel by its timestamps
    #[arg(long)]
    profile: bool,
    /// A Python with PyTorch and NumPy, to measure against
    #[arg(long, value_name = "PYTHON")]
    torch: Option<String>,
    /// What that Python runs
    #[arg(long, value_name = "FILE", default_value = "experiments/torch_train.py")]
    torch_script: PathBuf,
}

fn at_least_one() -> RangedU64ValueParser<usize> {
    RangedU64ValueParser::new().range(1..)
}

pub(super) fn main(args: Args) -> Result<(), Failure> {
    if args.profile && !args.device.is_gpu() {
        return Err(Failure::usage("--profile: a processor has no kernels; add --device gpu"));
    }
    if args.torch.is_some() && !args.torch_script.is_file() {
        let script = args.torch_script.display();
        return Err(Failure::usage(format!("--torch-script {script}: there is no such file")));
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
    let mut table = table(args.torch.is_some());
    let mut loaders = loader::table(pool.current_num_threads());
    for expression in &args.expressions {
        let features = FeatureSet::parse(expression)?;
        let setting = setting(&args, &layers, &features, &dataset.train);
        let measured = pool.install(|| measure(&args, setting))?;
        table.add_row(measured.row(expression, args.batch, args.device));
        if let Some((step, kernels)) = &measured.profile {
            println!("{expression}\n{}", kernel_table(*step, kernels, args.steps));
        }
        loaders.add_rows(loader::rows(expression, setting, [&alone, &pool], args.rounds));
    }
    println!(
        "{table}\n{loaders}\n{device}, {} threads, {}, batch {}, medians of {} steps in {} turns",
        pool.current_num_threads(),
        layers,
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
    args: &Args,
    layers: &'a Layers,
    features: &'a FeatureSet,
    samples: &'a [Sample],
) -> Setting<'a> {
    let (batch, batches, compute) = (args.batch, args.steps.get() as usize, args.device);
    Setting { features, samples, layers, batch, batches, compute }
}

struct Measured {
    steps: Vec<StepCost>,
    in_a_row: Vec<f64>,
    torch: Vec<(&'static str, Vec<f64>)>,
    /// Of a step in a row whose kernels are timed, and the kernels of all such steps.
    profile: Option<(Duration, Vec<KernelTime>)>,
}

fn measure(args: &Args, setting: Setting<'_>) -> Result<Measured, Failure> {
    let Setting { features, layers, compute, .. } = setting;
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
    args: &'a Args,
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

/// Kernels by what they take of a step, the longest first.
fn kernel_table(step: Duration, kernels: &[KernelTime], steps: NonZeroU32) -> terminal::Sheet {
    let mut table = terminal::table(["kernel", "launches", "ms", "of the step"], 1);
    let mut add = |name: &str, launches: usize, busy: Duration| {
        let busy = busy / steps.get();
        table.add_row([
            name.to_owned(),
            format!("{:.1}", launches as f64 / f64::from(steps.get())),
            format!("{:.3}", 1e3 * busy.as_secs_f64()),
            format!("{:.0} %", 100.0 * busy.as_secs_f64() / step.as_secs_f64()),
        ]);
    };
    for KernelTime { kernel, launches, busy } in kernels {
        add(kernel, *launches, *busy);
    }
    let all = kernels.iter().map(|time| time.busy).sum();
    add("all kernels", kernels.iter().map(|time| time.launches).sum(), all);
    add("a step with timestamps", 0, step * steps.get());
    table
}

fn table(torch: bool) -> terminal::Sheet {
    let ours = ["loader ms", "forward ms", "backward ms", "optimiser ms", "step ms", "in a row ms"];
    let mut header = vec!["features".to_owned()];
    header.extend(ours.map(str::to_owned));
    header.extend(["positions/s", "per CPU-second"].map(str::to_owned));
    if torch {
        header.extend(VARIANTS.map(|variant| format!("{variant} ms")));
        header.push("ratio".to_owned());
    }
    terminal::table(header, 1)
}

impl Measured {
    fn row(&self, expression: &str, batch: usize, device: Compute) -> Vec<String> {
        let part = |of: fn(&StepCost) -> Duration| {
            median(self.steps.iter().map(|cost| 1e3 * of(cost).as_secs_f64()).collect())
        };
        let (loader, all) = (part(|cost| cost.loader), part(StepCost::total));
        let in_a_row = median(self.in_a_row.clone());
        let per_batch = if device.is_gpu() { loader.max(in_a_row) } else { all };
        let share = |ms: f64| format!("{ms:.2} ({:.0} %)", 100.0 * ms / all);
        let mut row = vec![
            expression.to_owned(),
            share(loader),
            share(part(|cost| cost.step.forward)),
            share(part(|cost| cost.step.backward)),
            share(part(|cost| cost.step.optimiser)),
            format!("{:.2}", part(|cost| cost.step.total())),
            format!("{in_a_row:.2}"),
            format!("{:.0}", 1e3 * batch as f64 / per_batch),
            format!("{:.0}", 1e3 * batch as f64 / part(|cost| cost.processors)),
        ];
        if !self.torch.is_empty() {
            let theirs = VARIANTS.map(|variant| {
                let own = self.torch.iter().find(|(other, _)| *other == variant);
                own.map(|(_, times)| median(times.clone()))
            });
            row.extend(theirs.map(|ms| ms.map_or("–".to_owned(), |ms| format!("{ms:.2}"))));
            let best = theirs.into_iter().flatten().fold(f64::INFINITY, f64::min);
            row.push(format!("{:.2}", best / in_a_row));
        }
        row
    }
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(f64::NAN)
}
