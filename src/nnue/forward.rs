//! The layers above the accumulators, made ready for the search.
//!
//! [`Net::evaluate`] is the plain reference; this is the fast way. With two
//! hidden layers the dense layer's weights are bytes, if the quantiser made them
//! so, and multiplied in a layout of their own ([`bytes`]). Nets whose weights do
//! not fit, and those of one hidden layer, whose dense layer has a single
//! neuron, use plain dot products of 16 bits.

mod bytes;

use super::activation::Activation;
use super::aligned::Aligned;
use super::architecture::Layers;
use super::digits::Base;
use super::net::{Accumulators, Net, Scales, rounded};
use super::simd::{Dispatch, Kernel, Simd};
use bytes::ByteLayer;

/// The upper layers of a net, with their buffers.
#[derive(Clone, Debug)]
pub(super) struct Forward {
    dispatch: Dispatch,
    layers: Layers,
    scales: Scales,
    /// Base of the digits of sums; `None` where they have one digit.
    base: Option<Base>,
    dense: Dense,
    /// `[buckets][outputs]`.
    bias: Vec<i32>,
    /// `[buckets][l2]`.
    out_weights: Vec<i32>,
    /// `[buckets]`.
    out_bias: Vec<i64>,
    /// `[2 * l1]`: sums of two digits put together and clipped; empty where
    /// they have one.
    joined: Aligned,
    /// Sums of the dense layer, `[outputs]`.
    hidden: Vec<i32>,
}

/// The layer that reads the accumulators.
#[derive(Clone, Debug)]
enum Dense {
    /// Inputs and weights are bytes.
    Bytes(ByteLayer),
    /// They are of 16 bits.
    Words {
        /// `[buckets][outputs][2 * l1]`.
        weights: Aligned,
        /// `[2 * l1]`.
        inputs: Aligned,
    },
}

impl Forward {
    pub(crate) fn new(net: &Net, dispatch: Dispatch) -> Self {
        let layers = net.architecture.layers;
        let inputs = 2 * layers.l1();
        let base = net.scales.digits(layers);
        let bytes = ByteLayer::new(net);
        Self {
            dispatch: bytes.as_ref().map_or(dispatch, |layer| dispatch.for_neurons(layer.group())),
            layers,
            scales: net.scales,
            base,
            dense: bytes.map_or_else(
                || Dense::Words {
                    weights: net.dense_weights.clone().into(),
                    inputs: Aligned::zeroed(inputs),
                },
                Dense::Bytes,
            ),
            bias: net.dense_bias.clone(),
            out_weights: net.out_weights.clone(),
            out_bias: net.out_bias.clone(),
            joined: Aligned::zeroed(base.map_or(0, |_| inputs)),
            hidden: vec![0; layers.dense_outputs()],
        }
    }

    /// Centipawns for the side to move.
    #[inline]
    pub(crate) fn evaluate(&mut self, sums: Accumulators<'_>) -> i32 {
        let dispatch = self.dispatch;
        dispatch.run(Evaluation { net: self, sums })
    }

    /// Blocks of inputs that a dense layer of bytes has read in the last
    /// evaluation; 0 for other layers.
    pub(crate) fn active_blocks(&self) -> usize {
        match &self.dense {
            Dense::Bytes(layer) => layer.active_blocks(),
            Dense::Words { .. } => 0,
        }
    }
}

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
            Layers::One { .. } => {
                net.dense(simd, sums);
                rounded(i64::from(net.hidden[0]), unit)
            }
            Layers::Two { .. } => {
                net.dense(simd, sums);
                rounded(net.output(sums.bucket, unit as i32), unit * i64::from(qc))
            }
        }
    }
}

impl Forward {
    /// The sums of the dense layer, bias included, from the accumulators.
    #[inline(always)]
    fn dense<S: Simd>(&mut self, simd: S, sums: Accumulators<'_>) {
        let (l1, outputs) = (self.layers.l1(), self.hidden.len());
        let mut sides = [sums.stm, sums.nstm];
        if let Some(base) = self.base {
            for (joined, digits) in self.joined.chunks_exact_mut(l1).zip(sides) {
                join(joined, digits, base, self.scales.qa as i16);
            }
            sides = [&self.joined[..l1], &self.joined[l1..]];
        }
        let activation = Activated::new(self.layers.activation(), self.scales);
        self.hidden.copy_from_slice(&self.bias[sums.bucket * outputs..][..outputs]);
        match &mut self.dense {
            Dense::Bytes(layer) => {
                for (out, sums) in layer.inputs().chunks_exact_mut(l1).zip(sides) {
                    activation.write(out, sums, |input| input as u8);
                }
                layer.add_to(simd, sums.bucket, &mut self.hidden);
            }
            Dense::Words { weights, inputs } => {
                for (out, sums) in inputs.chunks_exact_mut(l1).zip(sides) {
                    activation.write(out, sums, |input| input as i16);
                }
                let rows = weights[sums.bucket * outputs * 2 * l1..].chunks_exact(2 * l1);
                for (sum, row) in self.hidden.iter_mut().zip(rows) {
                    *sum = sum.wrapping_add(dot(row, inputs));
                }
            }
        }
    }

    /// The output layer, from the sums of the second hidden layer.
    #[inline(always)]
    fn output(&self, bucket: usize, unit: i32) -> i64 {
        let l2 = self.hidden.len();
        let weights = &self.out_weights[bucket * l2..][..l2];
        let hidden = self.hidden.iter().map(|sum| i64::from((*sum).clamp(0, unit)));
        let activation = self.layers.activation();
        let hidden = hidden.map(|clipped| activation.in_unit(clipped, i64::from(unit)));
        let sum: i64 = hidden.zip(weights).map(|(x, &weight)| x * i64::from(weight)).sum();
        sum + self.out_bias[bucket]
    }
}

/// How sums become inputs of the dense layer.
#[derive(Clone, Copy)]
struct Activated {
    /// At most 2¹⁵ − 1, so that squares are i32.
    top: i16,
    is_squared: bool,
    /// Bits that are rounded off.
    shift: u32,
}

impl Activated {
    #[inline(always)]
    fn new(activation: Activation, scales: Scales) -> Self {
        Self {
            top: scales.qa as i16,
            is_squared: activation == Activation::SquaredClippedRelu,
            shift: scales.activation_shift(activation),
        }
    }

    /// Writes the activations of `sums`, converted by `number`.
    #[inline(always)]
    fn write<T>(self, out: &mut [T], sums: &[i16], number: impl Fn(i32) -> T) {
        let Self { top, is_squared, shift } = self;
        let half = (1 << shift) >> 1;
        if is_squared {
            for (out, &sum) in out.iter_mut().zip(sums) {
                let clipped = i32::from(sum.clamp(0, top));
                *out = number((clipped * clipped + half) >> shift);
            }
        } else {
            for (out, &sum) in out.iter_mut().zip(sums) {
                // In 16 bits, so that a register holds twice as many.
                let clipped = sum.clamp(0, top) as u16;
                *out = number(i32::from((clipped + half as u16) >> shift));
            }
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

#[inline(always)]
fn dot(weights: &[i16], values: &[i16]) -> i32 {
    let products = weights.iter().zip(values).map(|(&w, &x)| i32::from(w) * i32::from(x));
    products.fold(0, i32::wrapping_add)
}
