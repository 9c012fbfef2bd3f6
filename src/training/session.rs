//! A training session: steps, validation, saving and resuming.

use std::path::Path;
use std::time::{Duration, Instant};

use burn::module::Module;
use burn::optim::{GradientsParams, ModuleOptimizer, OptimizerRecord};
use burn::store::ModuleRecord;
use burn::tensor::{Bytes, Device, Tensor, TensorData};
use rayon::prelude::*;

use super::average::mean_with;
use super::batch::{Active, Batch, BatchPositions, Encoder, Lists};
use super::checkpoint::{Checkpoint, CheckpointError, CheckpointHeader, Cursor, Identity};
use super::clipping::clipped;
use super::config::TrainingConfig;
use super::history::History;
use super::loss::Loss;
use features::{FeatureSet, Slot};
use network::front::{ActiveFeatures, PieceLookup};
use network::{Input, Nnue, PositionBuckets, RowPrecision};
use nnue::FloatWeights;

/// Times of the parts of a step, each from the end of the one before.
#[derive(Clone, Copy, Debug, Default)]
pub struct StepTimes {
    /// Forward pass, loss included.
    pub forward: Duration,
    pub backward: Duration,
    pub optimiser: Duration,
}

impl StepTimes {
    pub fn total(self) -> Duration {
        self.forward + self.backward + self.optimiser
    }
}

/// Network, optimiser and progress.
pub struct Session {
    network: Nnue,
    optimiser: ModuleOptimizer,
    /// Tensors of optimiser state per parameter.
    state_tensors: usize,
    /// Limit of the weights above the feature transformer.
    clip_weights: Option<f64>,
    /// Limit of the norm of a step's gradients.
    clip_gradients: Option<f64>,
    device: Device,
    /// Tables by which a graphics card finds the active features of positions.
    lookup: Option<PieceLookup>,
    /// Record of the network of the best epoch, or of averaged weights (SWA).
    snapshot: Option<Vec<u8>>,
    pub cursor: Cursor,
    pub history: History,
}

impl Session {
    /// Begins with a network whose tensors are on `device`, which
    /// differentiates.
    pub fn new(network: Nnue, device: Device, config: &TrainingConfig) -> Self {
        Self {
            network,
            optimiser: config.optimiser.build(config.weight_decay),
            state_tensors: config.optimiser.tensors_per_parameter(),
            clip_weights: limit(config.clip_weights),
            clip_gradients: limit(config.clip_gradients),
            device,
            lookup: None,
            snapshot: None,
            cursor: Cursor::default(),
            history: History::default(),
        }
    }

    /// With the tables of a set, for batches that a card lists.
    pub fn with_tables(self, features: &FeatureSet) -> Self {
        let lookup = features.piece_tables().map(|tables| {
            let (planes, width) = (tables.planes(), tables.max_active());
            let lookup = PieceLookup::new(tables.entries(), planes, width, &self.device);
            let groups = tables.king_groups();
            if groups.count() == 1 {
                return lookup;
            }
            let slots = tables.slots(&groups, features.size()).into_iter();
            lookup.in_groups(slots.map(|slot| slot.map(|Slot { group, place }| (group, place))))
        });
        Self { lookup, ..self }
    }

    /// One step on a batch; returns the loss from before it, still on the device, since
    /// reading it would wait for the step. Consumes the
    /// session so that the optimiser is the only owner of the weights and can
    /// change them in place.
    pub fn step(self, batch: Batch, loss: Loss, learning_rate: f64) -> (Self, Tensor<1>) {
        let value = self.forward(batch, loss);
        let gradients = self.backward(&value);
        (self.update(gradients, learning_rate), value.inner())
    }

    /// [`step`](Self::step), and where the time went. Waits for the device
    /// after every part.
    pub fn timed_step(
        self,
        batch: Batch,
        loss: Loss,
        learning_rate: f64,
    ) -> (Self, Tensor<1>, StepTimes) {
        let device = self.device.clone();
        let start = Instant::now();
        let value = self.forward(batch, loss);
        let forward = finished(&device, start);
        let gradients = self.backward(&value);
        let backward = finished(&device, start) - forward;
        let session = self.update(gradients, learning_rate);
        let optimiser = finished(&device, start) - forward - backward;
        (session, value.inner(), StepTimes { forward, backward, optimiser })
    }

    /// Waits until the device has done all steps.
    pub fn finish(&self) {
        finished(&self.device, Instant::now());
    }

    fn forward(&self, batch: Batch, loss: Loss) -> Tensor<1> {
        let (input, targets) = tensors(batch, self.lookup.as_ref(), &self.device);
        loss.of(self.network.forward(input), targets)
    }

    fn backward(&self, loss: &Tensor<1>) -> GradientsParams {
        let gradients = GradientsParams::from_grads(loss.backward(), &self.network);
        match self.clip_gradients {
            Some(limit) => clipped(gradients, &self.network, limit),
            None => gradients,
        }
    }

    fn update(mut self, gradients: GradientsParams, learning_rate: f64) -> Self {
        self.network = self.optimiser.step(learning_rate, self.network, gradients);
        if let Some(limit) = self.clip_weights {
            self.network = self.network.clip_weights(limit);
        }
        self
    }

    /// Mean loss over all samples of an encoder, in batches of `size`, each
    /// sample standing at the place of its index; `None` if there are none. It is the loss of the
    /// weights themselves, with which the net is kept, in any precision of the training.
    pub fn validate(&self, encoder: Encoder<'_>, size: usize, loss: Loss) -> Option<f64> {
        let network = self.network.valid().with_row_precision(RowPrecision::F32);
        let device = self.device.clone().inner();
        let count = encoder.samples.len();
        let sum: f64 = (0..count)
            .step_by(size)
            .map(|start| {
                let places = start as u64..count.min(start + size) as u64;
                let batch = encoder.at(places, |place| encoder.samples[place as usize]);
                let samples = batch.len() as f64;
                let (input, targets) = tensors(batch, None, &device);
                let mean: f32 = loss.of(network.forward(input), targets).into_scalar();
                f64::from(mean) * samples
            })
            .sum();
        (count > 0).then(|| sum / count as f64)
    }

    /// The weights as plain numbers.
    pub fn weights(&self) -> FloatWeights {
        self.network.valid().to_float_weights()
    }

    /// Whether every weight is a number.
    pub fn is_finite(&self) -> bool {
        let weights = self.weights();
        weights.tensors().iter().all(|(_, values)| values.par_iter().all(|x| x.is_finite()))
    }

    /// Replaces the snapshot with the current weights.
    pub(crate) fn take_snapshot(&mut self) -> Result<(), String> {
        self.snapshot = Some(self.record()?);
        Ok(())
    }

    /// Updates the running average with the current weights; `count` is the number of averaged
    /// networks, these included.
    pub(crate) fn average_into_snapshot(&mut self, count: u32) -> Result<(), String> {
        let network = self.network.valid();
        let mean = match self.snapshot.take().filter(|_| count > 1) {
            Some(before) => mean_with(loaded(network.clone(), before)?, &network, count),
            None => network,
        };
        self.snapshot = Some(record_of(mean)?);
        Ok(())
    }

    /// Restores the snapshot, if there is one.
    pub(crate) fn restore_snapshot(mut self) -> Result<Self, String> {
        if let Some(snapshot) = self.snapshot.take() {
            self.network = loaded(self.network, snapshot)?;
        }
        Ok(self)
    }

    fn record(&self) -> Result<Vec<u8>, String> {
        record_of(self.network.valid())
    }

    pub(crate) fn to_checkpoint(&self, identity: Identity) -> Result<Checkpoint, String> {
        let optimiser = self.optimiser.to_record().into_bytes();
        Ok(Checkpoint {
            header: CheckpointHeader {
                identity,
                cursor: self.cursor,
                history: self.history.clone(),
            },
            network: self.record()?,
            optimiser: vec_of(optimiser.map_err(|error| error.to_string())?),
            snapshot: self.snapshot.clone(),
        })
    }

    /// Resumes from a checkpoint of the same run; `self` is a new session of that run.
    pub(crate) fn resume(mut self, from: Checkpoint, path: &Path) -> Result<Self, CheckpointError> {
        let unreadable = |part| {
            move |reason: String| CheckpointError::Content { path: path.to_owned(), part, reason }
        };
        let record = module_record(from.network).map_err(unreadable("the network"))?;
        let parameters = record.len();
        let network = self.network.try_load_record(record);
        self.network = network.map_err(|e| e.to_string()).map_err(unreadable("the network"))?;
        let record = OptimizerRecord::from_bytes(Bytes::from_bytes_vec(from.optimiser));
        let record = record.map_err(|e| e.to_string()).map_err(unreadable("the optimiser"))?;
        // Burn drops records that it cannot assign without an error.
        let untouched = from.header.cursor == Cursor::default();
        let expected = if untouched { 0 } else { self.state_tensors * parameters };
        if record.len() != expected {
            let reason = format!("it has {} tensors where {expected} are needed", record.len());
            return Err(unreadable("the optimiser")(reason));
        }
        self.optimiser = self.optimiser.load_record(record);
        (self.cursor, self.history) = (from.header.cursor, from.header.history);
        self.snapshot = from.snapshot;
        Ok(self)
    }
}

/// A limit of the configuration, in which 0 is none.
fn limit(value: f64) -> Option<f64> {
    (value > 0.0).then_some(value)
}

fn record_of(network: Nnue) -> Result<Vec<u8>, String> {
    let record = network.into_record().into_bytes();
    Ok(vec_of(record.map_err(|error| error.to_string())?))
}

fn loaded(network: Nnue, record: Vec<u8>) -> Result<Nnue, String> {
    network.try_load_record(module_record(record)?).map_err(|error| error.to_string())
}

/// Copied only where that cannot be avoided: a checkpoint may be gigabytes.
fn vec_of(bytes: Bytes) -> Vec<u8> {
    bytes.try_into_vec().unwrap_or_else(|bytes| bytes.to_vec())
}

fn module_record(bytes: Vec<u8>) -> Result<ModuleRecord, String> {
    ModuleRecord::from_bytes(Bytes::from_bytes_vec(bytes)).map_err(|error| error.to_string())
}

/// Time since `began`, once the device has finished its work.
///
/// # Panics
/// If the device fails.
fn finished(device: &Device, began: Instant) -> Duration {
    device.sync().expect("the device finishes its work");
    began.elapsed()
}

/// The network's input and the targets `[samples, 1]`, on the device.
///
/// # Panics
/// If the batch has positions in place of lists, and the session no tables.
pub(super) fn tensors(
    batch: Batch,
    lookup: Option<&PieceLookup>,
    device: &Device,
) -> (Input, Tensor<2>) {
    let samples = batch.len();
    let targets = TensorData::new(batch.targets, [samples, 1]);
    let active = match batch.active {
        Active::Lists(lists) => uploaded(lists, device),
        Active::Positions(BatchPositions { words, order }) => {
            let lookup = lookup.expect("a batch of positions belongs to a session with tables");
            lookup.find(words, order)
        }
    };
    let input = Input { active, buckets: PositionBuckets::listed(batch.buckets, device) };
    (input, Tensor::from_data(targets, device))
}

fn uploaded(lists: Lists, device: &Device) -> ActiveFeatures {
    let Lists { indices, form, values, width, inverse } = lists;
    let words = width / form.of_word();
    let rows = indices.len() / words;
    let indices = Tensor::from_data(TensorData::new(indices, [rows, words]), device);
    let values = values.map(|v| Tensor::from_data(TensorData::new(v, [rows, width]), device));
    let active = ActiveFeatures::in_form(form, indices, values);
    match inverse {
        Some(inverse) => active.with_inverse(inverse),
        None => active,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::batch::{Example, Listing};
    use crate::loss::Target;
    use crate::noise::Noise;
    use crate::tests::random_samples;
    use burn::backend::Flex;
    use burn::module::{ModuleVisitor, Param};
    use network::front::IndexForm;
    use nnue::{Architecture, Buckets};

    /// Addresses of each parameter's values.
    #[derive(Default)]
    struct Places(Vec<*const f32>);

    impl ModuleVisitor for Places {
        fn visit_float<const D: usize>(&mut self, parameter: &Param<Tensor<D>>) {
            let values = parameter.val().inner().try_into_primitive::<Flex>().unwrap();
            self.0.push(values.storage::<f32>().as_ptr());
        }
    }

    fn places(session: &Session) -> Vec<*const f32> {
        let mut places = Places::default();
        session.network.visit(&mut places);
        places.0
    }

    /// Losses of the first step, and of validation before it, on the same samples.
    fn losses(precision: RowPrecision) -> (f64, f64) {
        let device = Device::flex().autodiff();
        let architecture = Architecture { features: 768, layers: "16 -> 8 -> 1".parse().unwrap() };
        let network = Nnue::init(&architecture, 20.0, 1, &device).with_row_precision(precision);
        let config = TrainingConfig::default();
        let session = Session::new(network, device, &config);
        let (features, samples) = (FeatureSet::parse("ALL").unwrap(), random_samples(64, 1));
        let encoder = Encoder {
            features: &features,
            buckets: &Buckets::ONE,
            samples: (&samples).into(),
            target: Target::last(&config),
            example: Example::Position,
            noise: Noise::default(),
            listing: Listing::Rows(IndexForm::Word),
        };
        let loss = Loss::new(&config);
        let validation = session.validate(encoder, 64, loss).unwrap();
        let (_, value) = session.step(encoder.batch(64, |i| i), loss, 1e-3);
        (f64::from(value.into_scalar::<f32>()), validation)
    }

    #[test]
    fn validation_is_of_the_weights_in_any_precision() {
        let [exact, halves] = [RowPrecision::F32, RowPrecision::Bf16].map(losses);
        assert_eq!(exact.0, exact.1);
        assert_eq!(halves.1, exact.1);
        assert_ne!(halves.0, exact.0);
        assert!((halves.0 / exact.0 - 1.0).abs() < 1e-2, "{halves:?} {exact:?}");
    }

    /// A copy of the weights per step would go unnoticed but for the time.
    #[test]
    fn steps_change_the_weights_where_they_lie() {
        let device = Device::flex().autodiff();
        let layers = "16 -> 8 -> 1".parse().unwrap();
        let architecture = Architecture { features: 768, layers };
        let config = TrainingConfig::default();
        let mut session =
            Session::new(Nnue::init(&architecture, 20.0, 1, &device), device, &config);
        let features = FeatureSet::parse("ALL").unwrap();
        let samples = random_samples(64, 1);
        let target = Target::last(&config);
        let (example, noise, listing) =
            (Example::Position, Noise::default(), Listing::Rows(IndexForm::Word));
        let (features, samples, buckets) = (&features, (&samples).into(), &Buckets::ONE);
        let encoder = Encoder { features, buckets, samples, target, example, noise, listing };
        let before = session.weights();
        let first = places(&session);
        assert_eq!(first.len(), 6);
        for _ in 0..3 {
            let batch = encoder.batch(64, |i| i);
            (session, _) = session.step(batch, Loss::new(&config), 1e-3);
            assert_eq!(places(&session), first);
        }
        assert_ne!(session.weights(), before);
    }
}
