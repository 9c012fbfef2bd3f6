//! Where the time of a training step goes.
//!
//! Loader, forward pass, backward pass and optimiser are timed one after the other, each on all
//! threads, on batches of real positions. In training the loader runs beside the step on the same
//! threads, so the time of a training step is the sum of both.

use std::num::NonZeroU32;
use std::ops::Range;
use std::time::{Duration, Instant};

use cpu_time::ProcessTime;

use data::Sample;
use features::FeatureSet;
use network::front::IndexForm;
use network::profile::{KernelTime, profiled};
use network::{Compute, DeviceError, Nnue, RowPrecision};
use nnue::{Architecture, FloatWeights, Layers};
use training::TrainingConfig;
use training::batch::{Batch, Encoder, Example, Listing};
use training::loss::{Loss, Target};
use training::mixture::Mixture;
use training::noise::Noise;
use training::session::{Session, StepTimes};

/// That of `experiments/torch_train.py`.
const LEARNING_RATE: f64 = 5e-4;

/// Seed of the weights and of the order of the positions.
pub(crate) const SEED: u64 = 1;

#[derive(Clone, Copy, Debug)]
pub struct BenchSetting<'a> {
    pub features: &'a FeatureSet,
    /// Positions to draw batches from.
    pub samples: &'a [Sample],
    pub layers: &'a Layers,
    pub batch: usize,
    /// Different batches.
    pub batches: usize,
    pub compute: Compute,
    pub row_precision: RowPrecision,
}

impl<'a> BenchSetting<'a> {
    /// Loader of the batches.
    pub(crate) fn encoder(&self) -> Encoder<'a> {
        Encoder {
            features: self.features,
            buckets: self.layers.buckets(),
            samples: self.samples.into(),
            target: Target::last(&TrainingConfig::default()),
            example: Example::Position,
            noise: Noise::default(),
            listing: Listing::of(self.compute, self.features, Example::Position, Noise::default()),
        }
    }
}

/// How long the parts of a step took, loader included.
#[derive(Clone, Copy, Debug, Default)]
pub struct StepCost {
    /// Positions to index lists.
    pub loader: Duration,
    /// The parts of the step itself.
    pub step: StepTimes,
    /// Time of all processors together, loader and step.
    pub processors: Duration,
}

impl StepCost {
    /// Loader and step, one after the other.
    pub fn total(&self) -> Duration {
        self.loader + self.step.total()
    }
}

/// A net about to be trained, with its batches. Works on the threads of the
/// rayon pool that it is used in.
pub struct TrainBench<'a> {
    session: Option<Session>,
    encoder: Encoder<'a>,
    mixture: Mixture,
    batches: Vec<Batch>,
    loss: Loss,
    learning_rate: f64,
    step: usize,
    pub compute: Compute,
    pub start: FloatWeights,
}

impl<'a> TrainBench<'a> {
    /// Builds batches and network.
    pub fn new(setting: BenchSetting<'a>) -> Result<Self, DeviceError> {
        let config = TrainingConfig { learning_rate: LEARNING_RATE, ..TrainingConfig::default() };
        let BenchSetting { features, samples, layers, batch, .. } = setting;
        let encoder = setting.encoder();
        let mixture = Mixture::even(samples.len(), SEED);
        let batches = (0..setting.batches).map(|i| encoder.mixed(&mixture, places(i, batch)));
        let batches = batches.collect();
        let device = setting.compute.device()?.autodiff();
        let architecture = Architecture { features: features.size(), layers: layers.clone() };
        let network = Nnue::init(&architecture, encoder.mean_active(1000), SEED, &device);
        let network = network.with_row_precision(setting.row_precision);
        let session = Session::new(network, device, &config);
        let session = match encoder.listing {
            Listing::OnCard(_) => session.with_tables(features),
            Listing::Rows(_) | Listing::RowsAndInverse(_) => session,
        };
        Ok(Self {
            start: session.weights(),
            session: Some(session),
            encoder,
            mixture,
            batches,
            loss: Loss::new(&config),
            learning_rate: LEARNING_RATE,
            step: 0,
            compute: setting.compute,
        })
    }

    /// The batches that the steps go through, again and again.
    pub fn batches(&self) -> &[Batch] {
        &self.batches
    }

    /// The same with active features listed by the loader, for peers.
    pub fn listed(&self) -> impl Iterator<Item = Batch> + '_ {
        let encoder = Encoder { listing: Listing::Rows(IndexForm::Word), ..self.encoder };
        let batches = self.batches.iter().enumerate();
        batches.map(move |(i, batch)| encoder.mixed(&self.mixture, places(i, batch.len())))
    }

    /// Takes the next step and returns its time and the loss before it. The loader rebuilds the
    /// batch, so that caches and memory are as in training.
    pub fn step(&mut self) -> (StepCost, f64) {
        let (place, batch) = self.next_batch();
        let processors = ProcessTime::now();
        let start = Instant::now();
        drop(self.encoder.mixed(&self.mixture, places(place, batch.len())));
        let loader = start.elapsed();
        let session = self.session.take().expect("a step always puts the session back");
        let (session, loss, step) = session.timed_step(batch, self.loss, self.learning_rate);
        self.session = Some(session);
        let cost = StepCost { loader, step, processors: processors.elapsed() };
        (cost, f64::from(loss.into_scalar::<f32>()))
    }

    /// Takes some steps without waiting for any but the last, as training does, on batches
    /// made before; how long one took, and the loss before the last.
    pub fn steps_in_a_row(&mut self, steps: NonZeroU32) -> (Duration, f64) {
        let batches: Vec<Batch> = (0..steps.get()).map(|_| self.next_batch().1).collect();
        let mut session = self.session.take().expect("a step always puts the session back");
        let start = Instant::now();
        let mut last = None;
        for batch in batches {
            let (next, loss) = session.step(batch, self.loss, self.learning_rate);
            (session, last) = (next, Some(loss));
        }
        let last = last.expect("one step at least");
        session.finish();
        let took = start.elapsed() / steps.get();
        self.session = Some(session);
        (took, f64::from(last.into_scalar::<f32>()))
    }

    /// Time of some steps in a row, and of each GPU kernel over all of them.
    pub fn profile(&mut self, steps: NonZeroU32) -> (Duration, Vec<KernelTime>) {
        let ((took, _loss), kernels) = profiled(|| self.steps_in_a_row(steps));
        (took, kernels)
    }

    fn next_batch(&mut self) -> (usize, Batch) {
        let place = self.step % self.batches.len();
        self.step += 1;
        (place, self.batches[place].clone())
    }
}

/// The places of a batch in the stream of samples.
pub(crate) fn places(batch: usize, size: usize) -> Range<u64> {
    let start = (batch * size) as u64;
    start..start + size as u64
}
