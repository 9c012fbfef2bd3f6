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
use super::digits::Base;
use super::net::{Accumulators, Net, Scales, rounded};
use super::simd::{Dispatch, Inputs, Kernel, LINE, Simd};

/// The upper layers of a net, and memory to calculate in.
#[derive(Clone, Debug)]
pub(super) struct Forward {
    dispatch: Dispatch,
    layers: Layers,
    scales: Scales,
    /// Of the digits of sums; `None` where they have one.
    base: Option<Base>,
    /// `[buckets][groups][inputs][neurons of a group]`, inputs being those of
    /// `activated`; with one hidden layer `[buckets][2 * l1]`.
    weights: Aligned,
    /// Neurons that are calculated together.
    group: Group,
    /// `[buckets][outputs]`.
    bias: Vec<i32>,
    /// `[buckets][l2]`.
    out_weights: Vec<i32>,
    /// `[buckets]`.
    out_bias: Vec<i64>,
    /// `[2 * l1]`: sums of two digits put together and clipped; empty where
    /// they have one.
    joined: Aligned,
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
        let (group, inputs) = (Group::of(layers.l2()), 2 * layers.l1());
        let base = net.scales.digits(layers);
        Self {
            dispatch: dispatch.for_neurons(group as usize),
            layers,
            scales: net.scales,
            base,
            weights: match layers {
                Layers::Two { .. } => by_input(&net.dense_weights, group, inputs).into(),
                Layers::Linear | Layers::One { .. } => net.dense_weights.clone().into(),
            },
            group,
            bias: net.dense_bias.clone(),
            out_weights: net.out_weights.clone(),
            out_bias: net.out_bias.clone(),
            joined: Aligned::zeroed(base.map_or(0, |_| inputs)),
            activated: Aligned::zeroed(inputs.next_multiple_of(LINE)),
            inputs: Inputs::new(inputs.next_multiple_of(LINE)),
            hidden: vec![0; layers.l2()],
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

/// Neurons that are calculated together: as many as keep their sums in
/// registers, and divide the layer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Group {
    Eight = 8,
    Sixteen = 16,
    ThirtyTwo = 32,
}

impl Group {
    /// Of a layer of so many neurons, a multiple of 8.
    fn of(neurons: usize) -> Self {
        match neurons {
            n if n.is_multiple_of(32) => Self::ThirtyTwo,
            n if n.is_multiple_of(16) => Self::Sixteen,
            _ => Self::Eight,
        }
    }
}

/// Weights of each group of neurons turned round: `[inputs][neurons]`, the
/// inputs filled up to whole lines with some that count for nothing.
fn by_input(weights: &[i16], group: Group, inputs: usize) -> Vec<i16> {
    let neurons = group as usize;
    let turned = |group: &[i16]| -> Vec<i16> {
        let mut turned: Vec<i16> =
            (0..inputs).flat_map(|i| (0..neurons).map(move |n| group[n * inputs + i])).collect();
        turned.resize(inputs.next_multiple_of(LINE) * neurons, 0);
        turned
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
        let Scales { qa, qb, qc, .. } = net.scales;
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
                net.inputs.collect(simd, &net.activated);
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
        let (l1, top) = (self.layers.l1(), self.scales.qa as i16);
        let mut sums = [sums.stm, sums.nstm];
        if let Some(base) = self.base {
            for (joined, digits) in self.joined.chunks_exact_mut(l1).zip(sums) {
                join(joined, digits, base, top);
            }
            sums = [&self.joined[..l1], &self.joined[l1..]];
        }
        for (out, sums) in self.activated.chunks_exact_mut(l1).zip(sums) {
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
        self.hidden.copy_from_slice(&self.bias[bucket * l2..][..l2]);
        let (group, inputs) = (self.group as usize, self.activated.len());
        let weights = &self.weights[bucket * inputs * l2..][..inputs * l2];
        let groups = weights.chunks_exact(inputs * group).zip(self.hidden.chunks_exact_mut(group));
        for (weights, sums) in groups {
            let weights = S::weights(weights);
            // Eight registers of sums in any case: enough to hide latencies,
            // few enough for sixteen registers.
            match group / S::NEURONS {
                4 => add_dense::<S, 4, 1>(simd, weights, &mut self.inputs, sums),
                2 => add_dense::<S, 2, 2>(simd, weights, &mut self.inputs, sums),
                _ => add_dense::<S, 1, 4>(simd, weights, &mut self.inputs, sums),
            }
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

/// Adds to `sums` what the inputs give to a group of neurons, which fill `N`
/// registers; `weights` is `[inputs][N]`. Adding goes on in so many independent
/// chains, which hides how long it takes.
#[inline(always)]
fn add_dense<S: Simd, const N: usize, const CHAINS: usize>(
    simd: S,
    weights: &[S::Weights],
    inputs: &mut Inputs,
    sums: &mut [i32],
) {
    let mut chains = [[simd.zero(); N]; CHAINS];
    inputs.pairs(weights.as_chunks::<N>().0).deal::<CHAINS>(
        #[inline(always)]
        |chain, [a, b], values| {
            for (i, register) in chains[chain].iter_mut().enumerate() {
                *register = simd.add(*register, [&a[i], &b[i]], values);
            }
        },
    );
    let mut written = [0; Group::ThirtyTwo as usize];
    let written = &mut written[..S::NEURONS];
    for chain in chains {
        for (sums, register) in sums.chunks_exact_mut(S::NEURONS).zip(chain) {
            simd.store(register, written);
            sums.iter_mut().zip(&*written).for_each(|(sum, more)| *sum = sum.wrapping_add(*more));
        }
    }
}

/// Puts the digits of sums together and clips them to `0..=top`.
#[inline(always)]
fn join(out: &mut [i16], digits: &[i16], base: Base, top: i16) {
    let (high, low) = digits.split_at(out.len());
    for ((out, &high), &low) in out.iter_mut().zip(high).zip(low) {
        *out = base.join(high, low).clamp(0, i32::from(top)) as i16;
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
