//! Rates of this machine, each measured in a fraction of a second.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use arena::{Openings, RandomPlies};
use base::{cores, memory};
use chess::PackedPosition;
use data::{DataSpec, Ingredient, Sample};
use features::{FeatureSet, TrainedSet};
use measure::bench::eval::{Course, random_net};
use measure::bench::train::{BenchSetting, TrainBench};
use network::Compute;
use nnue::{Architecture, Dispatch, Layers, Net};
use training::{Footprint, TrainingConfig};

/// Features and layers: they decide the cost of a node.
pub(super) type Shape = (Arc<FeatureSet>, Layers);

/// Rates, each measured once.
#[derive(Debug)]
pub struct Rates {
    /// Whether rates are measured.
    measures: bool,
    /// Seconds of a training position, by net and batch.
    trained: HashMap<String, f64>,
    /// Seconds of a node, by net and whether all cores search.
    nodes: HashMap<(String, bool), f64>,
    /// Seconds of reading files.
    read: HashMap<String, f64>,
    /// Nodes of the course to a depth.
    courses: HashMap<u32, f64>,
}

/// Time of a measurement.
const LOOK: Duration = Duration::from_millis(400);

/// Depth of the searches that time a node.
const DEPTH: u32 = 6;

/// Positions of timed training steps.
const SAMPLES: usize = 4_096;

/// Default seconds of a node, and bytes of data a second.
const NODE: f64 = 1.5e-6;
const BYTES: f64 = 4e6;

impl Rates {
    /// Default rates.
    pub fn guessed() -> Self {
        let (trained, nodes) = (HashMap::new(), HashMap::new());
        Self { measures: false, trained, nodes, read: HashMap::new(), courses: HashMap::new() }
    }

    /// Rates of this machine, each measured on first use.
    pub fn measured() -> Self {
        Self { measures: true, ..Self::guessed() }
    }

    /// `on this machine` or `by default rates`.
    pub fn origin(&self) -> &'static str {
        if self.measures { "on this machine" } else { "by default rates" }
    }

    /// Seconds of a training on `threads`; 0 for all cores.
    pub fn training(
        &mut self,
        set: &TrainedSet,
        layers: &Layers,
        training: &TrainingConfig,
        threads: usize,
    ) -> f64 {
        let name = format!("{} {layers} {}", set.canonical(), training.batch);
        let is_measured = self.measures;
        let of_one = *self.trained.entry(name).or_insert_with(|| {
            let measured = is_measured.then(|| step(set.input(), layers, training)).flatten();
            measured.unwrap_or_else(|| by_arithmetic(set.input(), layers))
        });
        let positions = u64::from(training.epochs).saturating_mul(training.positions_per_epoch);
        let shown = positions as f64 * training.method.positions_per_example() as f64;
        let fewer = match threads {
            0 => 1.0,
            threads => (cores() as f64 / threads as f64).max(1.0),
        };
        shown * of_one * fewer
    }

    /// Seconds of a node while all cores search; PeSTO's without a net.
    pub(super) fn node(&mut self, shape: Option<Shape>) -> f64 {
        self.node_on(shape, cores())
    }

    /// Seconds of a node while one core searches.
    pub(super) fn node_alone(&mut self, shape: Option<Shape>) -> f64 {
        self.node_on(shape, 1)
    }

    fn node_on(&mut self, shape: Option<Shape>, threads: usize) -> f64 {
        let name = shape.as_ref().map_or_else(String::new, |(features, layers)| {
            format!("{} {layers}", features.canonical())
        });
        let is_measured = self.measures;
        let measure = || is_measured.then(|| search(shape, threads)).flatten().unwrap_or(NODE);
        *self.nodes.entry((name, threads > 1)).or_insert_with(measure)
    }

    /// Nodes of the bench positions to a depth.
    pub(super) fn nodes_of_course(&mut self, depth: u32) -> f64 {
        let is_measured = self.measures;
        *self.courses.entry(depth).or_insert_with(|| {
            let stop = AtomicBool::new(false);
            let nodes = || {
                let course = Course::new(depth, &stop)?;
                let mut pesto = course.pesto();
                course.round(&mut pesto, &stop)?;
                Some(pesto.cost().nodes as f64)
            };
            is_measured.then(nodes).flatten().unwrap_or(300_000.0)
        })
    }

    /// Seconds of reading files, from how far a moment leads into them.
    pub(super) fn reading(&mut self, files: &[Ingredient]) -> f64 {
        let name = files.iter().map(|file| format!("{}\n", file.path.display())).collect();
        let size = |file: &Ingredient| file.path.metadata().map_or(0, |found| found.len());
        let bytes = files.iter().map(size).sum::<u64>() as f64;
        let is_measured = self.measures;
        *self.read.entry(name).or_insert_with(|| {
            bytes / is_measured.then(|| bytes_per_second(files)).flatten().unwrap_or(BYTES)
        })
    }
}

/// Core seconds of a position for a net of any size (loading, listing features), and
/// arithmetic per core and second. They fit what small nets were seen to take.
fn by_arithmetic(input: &FeatureSet, layers: &Layers) -> f64 {
    const PER_POSITION: f64 = 2.4e-6;
    const RATE: f64 = 2.4e10;
    let columns = (layers.width() + layers.psqt_columns()) as f64;
    let dense: usize = layers.dense().iter().map(|shape| shape.inputs * shape.sums).sum();
    let active = input.max_active().min(48) as f64;
    let arithmetic = 2.0 * active * columns * 3.0 + dense as f64 * 3.0;
    (PER_POSITION + arithmetic / RATE) / cores() as f64
}

/// Seconds of a position in a training step, loader included; `None` without the device or the
/// memory.
fn step(input: &FeatureSet, layers: &Layers, training: &TrainingConfig) -> Option<f64> {
    let architecture = Architecture { features: input.size(), layers: layers.clone() };
    Footprint::of(architecture, training, input.max_active()).check(0).ok()?;
    let (samples, compute) = (samples(), training.device);
    let setting = BenchSetting {
        features: input,
        samples: &samples,
        layers,
        batch: training.batch,
        batches: 2,
        compute,
        row_precision: training.row_precision,
    };
    let mut bench = TrainBench::new(setting).ok()?;
    // The first step allocates memory.
    bench.step();
    let (began, mut steps, mut seconds) = (Instant::now(), 0.0, 0.0);
    while steps < 2.0 || (began.elapsed() < LOOK && steps < 50.0) {
        let (cost, _) = bench.step();
        // A graphics card computes while the loader works.
        seconds += match compute {
            Compute::Gpu(_) => cost.loader.max(cost.step.total()).as_secs_f64(),
            Compute::Cpu | Compute::Ndarray => cost.total().as_secs_f64(),
        };
        steps += 1.0;
    }
    Some(seconds / steps / training.batch as f64)
}

/// Positions of all stages of a game.
fn samples() -> Vec<Sample> {
    let openings = Openings::random(1, SAMPLES, RandomPlies::between(4, 60), None);
    let sample = |opening: &arena::Opening| {
        let position = PackedPosition::pack(opening.position())?;
        Some(Sample { position, score: 0, result: 1, played: 0 })
    };
    openings.as_slice().iter().filter_map(sample).collect()
}

/// Bytes of a parameter while a random net is made.
const OF_PARAMETER: u64 = 8;

/// Seconds of a node while `threads` search; `None` without the memory for the net.
fn search(shape: Option<Shape>, threads: usize) -> Option<f64> {
    if let Some((features, layers)) = &shape {
        let architecture = Architecture { features: features.size(), layers: layers.clone() };
        memory::ensure(OF_PARAMETER.saturating_mul(architecture.parameters() as u64)).ok()?;
    }
    let stop = AtomicBool::new(false);
    let course = Course::new(DEPTH, &stop)?;
    let net = shape.map(|(features, layers)| random_net(&features, layers).map(Arc::new));
    let net: Option<Arc<Net>> = net.transpose().ok()?;
    let one = || {
        let mut contender = match &net {
            Some(net) => course.net(net.clone(), Dispatch::best()),
            None => course.pesto(),
        };
        course.round(&mut contender, &stop)?;
        course.round(&mut contender, &stop)?;
        contender.cost().ns_per_node.last().copied()
    };
    let found: Vec<Option<f64>> = std::thread::scope(|scope| {
        let searches: Vec<_> = (0..threads).map(|_| scope.spawn(one)).collect();
        searches.into_iter().map(|search| search.join().ok().flatten()).collect()
    });
    let found: Vec<f64> = found.into_iter().flatten().collect();
    (!found.is_empty()).then(|| 1e-9 * found.iter().sum::<f64>() / found.len() as f64)
}

/// Read rate at the start of files.
fn bytes_per_second(files: &[Ingredient]) -> Option<f64> {
    let (stop, began) = (AtomicBool::new(false), Instant::now());
    let mut read = 0;
    let spec = DataSpec { train: files.to_vec(), ..DataSpec::default() };
    let mut progress = |at: data::LoadProgress| {
        read = at.bytes_read;
        if began.elapsed() > LOOK {
            stop.store(true, Ordering::Relaxed);
        }
    };
    // Reading them in earnest reports errors.
    drop(data::load(&spec, &mut progress, &stop));
    (read > 0).then(|| read as f64 / began.elapsed().as_secs_f64())
}
