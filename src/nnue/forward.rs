//! The layers above the accumulators, made ready for the search.
//!
//! A net's file has the dense layer neuron by neuron. Here it lies input by
//! input: about a fifth of the activations of a trained net are not zero, and
//! only the weights of those are read, two inputs at a time, for all neurons
//! together. That makes 16-bit weights as quick as 8-bit ones would be, and
//! nothing is lost to rounding.
//!
//! [`Net::evaluate`] says plainly what must come out; here it comes out fast.

use super::activation::Activation;
use super::aligned::Aligned;
use super::architecture::Layers;
use super::net::{Accumulators, Net, Scales, rounded};
use super::simd::{Dispatch, Inputs, Kernel, LINE, Simd};

/// The upper layers of a net, and memory to calculate in.
#[derive(Clone, Debug)]
pub(super) struct Forward {
    dispatch: Dispatch,
    layers: Layers,
    scales: Scales,
    /// `[buckets][2 * l1][l2]`; with one hidden layer `[buckets][2 * l1]`.
    weights: Aligned,
    /// `[buckets][outputs]`.
    bias: Vec<i32>,
    /// `[buckets][l2]`.
    out_weights: Vec<i32>,
    /// `[buckets]`.
    out_bias: Vec<i64>,
    /// `[2 * l1]`, and zeros to the end of a line.
    activated: Aligned,
    inputs: Inputs,
    /// `[l2]`.
    hidden: Vec<i32>,
}

impl Forward {
    /// The upper layers of `net`, to be calculated with some instructions.
    pub fn new(net: &Net, dispatch: Dispatch) -> Self {
        let layers = net.architecture.layers;
        let (l2, inputs) = (layers.l2(), 2 * layers.l1());
        Self {
            dispatch: dispatch.for_neurons(l2),
            layers,
            scales: net.scales,
            weights: match layers {
                Layers::Two { .. } => by_input(&net.dense_weights, l2, inputs).into(),
                Layers::Linear | Layers::One { .. } => net.dense_weights.clone().into(),
            },
            bias: net.dense_bias.clone(),
            out_weights: net.out_weights.clone(),
            out_bias: net.out_bias.clone(),
            activated: Aligned::zeroed(inputs.next_multiple_of(LINE)),
            inputs: Inputs::new(inputs.next_multiple_of(LINE)),
            hidden: vec![0; l2],
        }
    }

    /// Centipawns for the side to move.
    #[inline]
    pub fn evaluate(&mut self, sums: Accumulators<'_>) -> i32 {
        let dispatch = self.dispatch;
        dispatch.run(Evaluation { net: self, sums })
    }

    /// Inputs of the dense layer that were not zero in the last evaluation.
    pub fn active_inputs(&self) -> usize {
        self.inputs.len()
    }
}

/// Weights of each bucket turned round: `[inputs][neurons]`.
fn by_input(weights: &[i16], neurons: usize, inputs: usize) -> Vec<i16> {
    let turned = |bucket: &[i16]| -> Vec<i16> {
        (0..inputs).flat_map(|i| (0..neurons).map(move |n| bucket[n * inputs + i])).collect()
    };
    weights.chunks_exact(neurons * inputs).flat_map(turned).collect()
}

/// One evaluation.
struct Evaluation<'a> {
    net: &'a mut Forward,
    sums: Accumulators<'a>,
}

impl Kernel for Evaluation<'_> {
    type Output = i32;

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) -> i32 {
        let Self { net, sums } = self;
        let Scales { qa, qb, qc } = net.scales;
        let unit = i64::from(net.scales.activation_unit(net.layers.activation()) * qb);
        match net.layers {
            Layers::Linear => {
                let digit = |i: usize| i64::from(sums.stm[i]) - i64::from(sums.nstm[i]);
                rounded(digit(0) * i64::from(qb) + digit(1), i64::from(qa))
            }
            Layers::One { l1, .. } => {
                net.activate(sums);
                let weights = &net.weights[sums.bucket * 2 * l1..][..2 * l1];
                let sum = dot(weights, &net.activated).wrapping_add(net.bias[sums.bucket]);
                rounded(i64::from(sum), unit)
            }
            Layers::Two { .. } => {
                net.activate(sums);
                net.inputs.clear();
                simd.collect(&net.activated, &mut net.inputs);
                net.dense(simd, sums.bucket);
                rounded(net.output(sums.bucket, unit as i32), unit * i64::from(qc))
            }
        }
    }
}

impl Forward {
    /// Both accumulators through the activation, the side to move's first.
    #[inline(always)]
    fn activate(&mut self, sums: Accumulators<'_>) {
        let top = self.scales.qa as i16;
        let (stm, nstm) = self.activated.split_at_mut(sums.stm.len());
        for (out, sums) in [(stm, sums.stm), (nstm, sums.nstm)] {
            match self.layers.activation() {
                Activation::SquaredClippedRelu => {
                    let shift = self.scales.square_shift();
                    clip_square(out, sums, top, shift);
                }
                Activation::ClippedRelu | Activation::Identity => clip(out, sums, top),
            }
        }
    }

    /// The sums of the second hidden layer, bias included.
    #[inline(always)]
    fn dense<S: Simd>(&mut self, simd: S, bucket: usize) {
        let l2 = self.hidden.len();
        let per_input = l2 / S::NEURONS;
        self.hidden.copy_from_slice(&self.bias[bucket * l2..][..l2]);
        let size = self.layers.l1() * 2 * l2;
        let weights = S::weights(&self.weights[bucket * size..][..size]);
        let (places, values) = self.inputs.pairs();
        let job = Dense { weights, per_input, places, values };
        // Eight registers of sums in any case: enough to hide latencies, few
        // enough for sixteen registers.
        let mut from = 0;
        while from < per_input {
            let out = &mut self.hidden[from * S::NEURONS..];
            from += match per_input - from {
                4.. => job.block::<S, 4, 1>(simd, from, out),
                2.. => job.block::<S, 2, 2>(simd, from, out),
                _ => job.block::<S, 1, 4>(simd, from, out),
            };
        }
    }

    /// The output layer, from the sums of the second hidden layer.
    #[inline(always)]
    fn output(&self, bucket: usize, unit: i32) -> i64 {
        let l2 = self.hidden.len();
        let weights = &self.out_weights[bucket * l2..][..l2];
        let hidden = self.hidden.iter().map(|sum| i64::from((*sum).clamp(0, unit)));
        let sum: i64 = match self.layers.activation() {
            // The unit is a power of two where squares are to be brought back to it.
            Activation::SquaredClippedRelu => {
                let shift = unit.ilog2();
                let squares = hidden.map(|clipped| (clipped * clipped) >> shift);
                squares.zip(weights).map(|(square, &weight)| square * i64::from(weight)).sum()
            }
            Activation::ClippedRelu | Activation::Identity => {
                hidden.zip(weights).map(|(clipped, &weight)| clipped * i64::from(weight)).sum()
            }
        };
        sum + self.out_bias[bucket]
    }
}

/// The dense layer of a bucket, and what it reads.
struct Dense<'a, W> {
    /// `[inputs][per_input]`.
    weights: &'a [W],
    /// Registers of neurons.
    per_input: usize,
    places: &'a [[u16; 2]],
    values: &'a [[i16; 2]],
}

impl<W> Dense<'_, W> {
    /// Adds to `out` what the inputs give to the neurons of `N` registers from
    /// register `from` on, in so many independent sums; answers `N`.
    #[inline(always)]
    fn block<S: Simd<Weights = W>, const N: usize, const CHAINS: usize>(
        &self,
        simd: S,
        from: usize,
        out: &mut [i32],
    ) -> usize {
        let mut sums = [[simd.zero(); N]; CHAINS];
        let (places, last_places) = self.places.as_chunks::<CHAINS>();
        let (values, last_values) = self.values.as_chunks::<CHAINS>();
        for (places, values) in places.iter().zip(values) {
            for (sums, (places, values)) in sums.iter_mut().zip(places.iter().zip(values)) {
                self.add(simd, from, sums, *places, *values);
            }
        }
        for (places, values) in last_places.iter().zip(last_values) {
            self.add(simd, from, &mut sums[0], *places, *values);
        }
        let mut written = [0; 32];
        for chain in sums {
            for (out, sums) in out.chunks_exact_mut(S::NEURONS).zip(chain) {
                let written = &mut written[..S::NEURONS];
                simd.store(sums, written);
                out.iter_mut().zip(written).for_each(|(sum, more)| *sum = sum.wrapping_add(*more));
            }
        }
        N
    }

    #[inline(always)]
    fn add<S: Simd<Weights = W>, const N: usize>(
        &self,
        simd: S,
        from: usize,
        sums: &mut [S::Sums; N],
        places: [u16; 2],
        values: [i16; 2],
    ) {
        let [a, b] = places.map(|place| {
            let weights = &self.weights[usize::from(place) * self.per_input + from..];
            &weights[..N]
        });
        for (i, sums) in sums.iter_mut().enumerate() {
            *sums = simd.add(*sums, [&a[i], &b[i]], values);
        }
    }
}

/// Clips accumulator values to `0..=top`.
#[inline(always)]
fn clip(out: &mut [i16], values: &[i16], top: i16) {
    for (out, &value) in out.iter_mut().zip(values) {
        *out = value.clamp(0, top);
    }
}

/// Clips accumulator values to `0..=top`, squares them and brings the squares
/// down by `shift` bits, rounded to nearest. What comes out is an i16; `top` is
/// at most 2¹⁵ − 1, so that squares are i32.
#[inline(always)]
fn clip_square(out: &mut [i16], values: &[i16], top: i16, shift: u32) {
    let half = (1 << shift) >> 1;
    for (out, &value) in out.iter_mut().zip(values) {
        let clipped = i32::from(value.clamp(0, top));
        *out = ((clipped * clipped + half) >> shift) as i16;
    }
}

/// Dot product in i32.
#[inline(always)]
fn dot(weights: &[i16], values: &[i16]) -> i32 {
    let products = weights.iter().zip(values).map(|(&w, &x)| i32::from(w) * i32::from(x));
    products.fold(0, i32::wrapping_add)
}
