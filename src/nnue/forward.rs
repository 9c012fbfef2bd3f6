//! The layers above the accumulators, for the search.
//!
//! [`Net::evaluate`] is the plain reference; this is the fast way. The lowest dense layer, which
//! reads all the accumulators, is multiplied in bytes if the quantiser chose so ([`bytes`]), and
//! skips blocks of zero inputs; a layer in the middle and weights that do not fit bytes have 16
//! bits ([`words`]); the output reads the layer below it in 32 bits.

mod bytes;
mod group;
mod squares;
mod words;

use super::activation::Activated;
use super::aligned::Aligned;
use super::digits::Base;
use super::layers::{Hidden, LAYER_MULTIPLE, Layers};
use super::net::{Accumulators, Net};
use super::scales::{HiddenScale, Ratio, Rounding, Scales, TransformerScale};
use super::simd::{Dispatch, Kernel, Simd};
use bytes::ByteLayer;
use words::WordLayer;

/// The upper layers of a net, with their buffers.
#[derive(Clone, Debug)]
pub(super) struct Forward {
    dispatch: Dispatch,
    layers: Layers,
    scales: Scales,
    /// Columns of the feature transformer in an accumulator; the PSQT columns follow.
    columns: usize,
    /// Partial sums per bucket of a valued set; 0 where features count once.
    multipliers: usize,
    /// Sums of two digits joined and clipped, `[2 * width]`; empty for one digit.
    joined: Aligned,
    /// Dense layers below the output, or the output if there are none.
    dense: Vec<Dense>,
    /// The output layer above hidden ones.
    output: Option<Output>,
}

/// A dense layer with 32-bit sums.
#[derive(Clone, Debug)]
struct Dense {
    matrix: Matrix,
    /// `[buckets][sums]`.
    bias: Vec<i32>,
    sums: Vec<i32>,
    /// Outputs for the layer above, in 32 bits.
    outputs: Vec<i32>,
}

/// The weights of a dense layer and its input buffer.
#[derive(Clone, Debug)]
enum Matrix {
    /// Inputs and weights are bytes.
    Bytes(ByteLayer),
    /// They are of 16 bits.
    Words(WordLayer),
}

/// The output layer, in centipawns, above a hidden layer.
#[derive(Clone, Debug)]
struct Output {
    /// `[buckets][inputs]`.
    weights: Vec<i32>,
    /// `[buckets]`.
    bias: Vec<i64>,
}

impl Forward {
    pub(crate) fn new(net: &Net, dispatch: Dispatch) -> Self {
        let (layers, scales) = (net.architecture.layers.clone(), net.scales.clone());
        let shapes = layers.dense();
        let mut dense: Vec<Dense> = Vec::new();
        let below = net.weights.dense.len() - usize::from(!layers.hidden().is_empty());
        let mut outputs = layers.hidden().iter().map(Hidden::outputs);
        for (place, shape) in shapes.iter().take(below).enumerate() {
            let integers = &net.weights.dense[place];
            dense.push(Dense {
                matrix: Matrix::new(net, place, shape.inputs, shape.sums),
                bias: integers.bias.iter().map(|&bias| bias as i32).collect(),
                sums: vec![0; shape.sums],
                outputs: vec![0; outputs.next().unwrap_or(0)],
            });
        }
        let groups = dense.iter().filter_map(|layer| layer.matrix.group());
        let output = net.weights.dense.last().filter(|_| !layers.hidden().is_empty());
        Self {
            dispatch: groups.fold(dispatch, Dispatch::for_neurons),
            columns: scales.transformer_columns(&layers),
            multipliers: net.valued.as_ref().map_or(0, |valued| valued.multipliers()),
            joined: Aligned::zeroed(scales.digits().map_or(0, |_| 2 * layers.width())),
            dense,
            output: output
                .map(|layer| Output { weights: layer.weights.clone(), bias: layer.bias.clone() }),
            layers,
            scales,
        }
    }

    /// Centipawns for the side to move.
    #[inline]
    pub(crate) fn evaluate(&mut self, sums: Accumulators<'_>) -> i32 {
        let dispatch = self.dispatch;
        dispatch.run(Evaluation { net: self, sums })
    }

    /// Nonzero blocks of inputs of the lowest dense layer in the last evaluation; 0 for layers of
    /// 16 bits.
    pub(crate) fn active_blocks(&self) -> usize {
        match self.dense.first().map(|dense| &dense.matrix) {
            Some(Matrix::Bytes(layer)) => layer.active_blocks(),
            Some(Matrix::Words(_)) | None => 0,
        }
    }
}

impl Matrix {
    /// The dense layer at a place; bytes are for the lowest, if there is one above it.
    fn new(net: &Net, place: usize, inputs: usize, sums: usize) -> Self {
        let weights = &net.weights.dense[place].weights;
        let most = net.scales.most_read(&net.architecture.layers)[place];
        let bytes = (place == 0 && sums.is_multiple_of(LAYER_MULTIPLE))
            .then(|| ByteLayer::new(weights, inputs, sums, most))
            .flatten();
        bytes.map_or_else(|| Self::Words(WordLayer::new(weights, inputs, sums)), Self::Bytes)
    }

    /// Neurons that are computed together.
    fn group(&self) -> Option<usize> {
        match self {
            Self::Bytes(layer) => Some(layer.group()),
            Self::Words(layer) => layer.group(),
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
        // No closures on the way to a kernel: these are compiled without the instruction set.
        let head = match net.scales.psqt {
            Some(base) => net.head(sums, base),
            None => 0,
        };
        let output = match net.scales.transformer {
            Some(scale) => net.upper(simd, sums, scale),
            None => 0,
        };
        net.scales.mix.centipawns(output, head)
    }
}

impl Forward {
    /// The PSQT sum: the side to move's less the other's.
    #[inline(always)]
    fn head(&self, sums: Accumulators<'_>, base: Base) -> i64 {
        if self.multipliers > 0 {
            return self.multiplied(sums.stm, sums.numbers[0], sums.bucket, base)
                - self.multiplied(sums.nstm, sums.numbers[1], sums.bucket, base);
        }
        let (high, low) = (self.columns + sums.bucket, self.layers.psqt_columns());
        let of = |columns: &[i16]| i64::from(base.join(columns[high], columns[high + low]));
        of(sums.stm) - of(sums.nstm)
    }

    /// The partial sums of a perspective, each times its multiplier.
    #[inline(always)]
    fn multiplied(&self, columns: &[i16], numbers: &[i32], bucket: usize, base: Base) -> i64 {
        let (own, width) = (self.multipliers, self.multipliers * self.layers.psqt_columns());
        let (high, low) = columns[self.columns..][..2 * width].split_at(width);
        let (high, low) = (&high[bucket * own..][..own], &low[bucket * own..][..own]);
        let mut sum = 0;
        for ((&high, &low), &number) in high.iter().zip(low).zip(numbers) {
            sum += i64::from(base.join(high, low)) * i64::from(number);
        }
        sum
    }

    /// The output layer's sum, that of a skip included.
    #[inline(always)]
    fn upper<S: Simd>(&mut self, simd: S, sums: Accumulators<'_>, scale: TransformerScale) -> i64 {
        let width = self.layers.width();
        let mut sides = [sums.stm, sums.nstm].map(|columns| &columns[..self.columns]);
        if let Some(base) = scale.base {
            for (joined, digits) in self.joined.chunks_exact_mut(width).zip(sides) {
                join(joined, digits, base, scale.top as i16);
            }
            sides = [&self.joined[..width], &self.joined[width..]];
        }
        let activated = Activated::new(self.layers.activation(), scale, self.scales.rounding);
        let Some(output) = &self.output else {
            let Some(only) = self.dense.first_mut() else { return 0 };
            return i64::from(only.output(simd, activated, sides, sums.bucket));
        };
        if let Some(lowest) = self.dense.first_mut() {
            lowest.read_accumulators(activated, sides);
        }
        let mut skipped = 0;
        let hidden = self.layers.hidden().iter().zip(&self.scales.hidden);
        for (place, (hidden, scale)) in hidden.enumerate() {
            let (below, above) = self.dense.split_at_mut(place + 1);
            let layer = &mut below[place];
            layer.add_up(simd, sums.bucket);
            skipped += layer.activate(hidden, *scale, self.scales.rounding, self.scales.skip);
            if let Some(above) = above.first_mut() {
                above.matrix.read(&layer.outputs);
            }
        }
        let inputs = self.dense.last().map_or(&[][..], |layer| &layer.outputs);
        output.sum(sums.bucket, inputs).wrapping_add(skipped)
    }
}

impl Dense {
    /// Writes the activations of both sides as inputs of the layer.
    #[inline(always)]
    fn read_accumulators(&mut self, activated: Activated, sides: [&[i16]; 2]) {
        let outputs = activated.outputs(sides[0].len());
        match &mut self.matrix {
            Matrix::Bytes(layer) => {
                for (out, sums) in layer.inputs().chunks_exact_mut(outputs).zip(sides) {
                    activated.write(out, sums, |input| input as u8);
                }
            }
            Matrix::Words(layer) => {
                for (out, sums) in layer.inputs().chunks_exact_mut(outputs).zip(sides) {
                    activated.write(out, sums, |input| input as i16);
                }
            }
        }
    }

    /// The sum of a layer of one neuron.
    #[inline(always)]
    fn output<S: Simd>(
        &mut self,
        simd: S,
        activated: Activated,
        sides: [&[i16]; 2],
        bucket: usize,
    ) -> i32 {
        if let (Some(squaring), Matrix::Words(layer)) = (activated.squaring(), &self.matrix) {
            let dot = layer.dot_of_squares(simd, bucket, sides, squaring);
            return self.bias[bucket].wrapping_add(dot);
        }
        self.read_accumulators(activated, sides);
        self.add_up(simd, bucket);
        self.sums[0]
    }

    /// The sums of a bucket, bias included.
    #[inline(always)]
    fn add_up<S: Simd>(&mut self, simd: S, bucket: usize) {
        let neurons = self.sums.len();
        self.sums.copy_from_slice(&self.bias[bucket * neurons..][..neurons]);
        match &mut self.matrix {
            Matrix::Bytes(layer) => layer.add_to(simd, bucket, &mut self.sums),
            Matrix::Words(layer) => layer.add_to(simd, bucket, &mut self.sums),
        }
    }

    /// Activates the sums; returns the part of an addition in the output layer.
    #[inline(always)]
    fn activate(
        &mut self,
        hidden: &Hidden,
        scale: HiddenScale,
        rounding: Rounding,
        skip: Option<Ratio>,
    ) -> i64 {
        let (sums, added) = self.sums.split_at(hidden.neurons);
        scale.activate(sums, hidden.activation, rounding, &mut self.outputs);
        match (hidden.addition, skip) {
            (Some(addition), Some(weight)) => addition.of_integers(added, weight),
            _ => 0,
        }
    }
}

impl Matrix {
    /// Copies the outputs of the layer below.
    #[inline(always)]
    fn read(&mut self, outputs: &[i32]) {
        match self {
            Self::Bytes(layer) => {
                layer.inputs().iter_mut().zip(outputs).for_each(|(to, &from)| *to = from as u8);
            }
            Self::Words(layer) => {
                layer.inputs().iter_mut().zip(outputs).for_each(|(to, &from)| *to = from as i16);
            }
        }
    }
}

impl Output {
    #[inline(always)]
    fn sum(&self, bucket: usize, inputs: &[i32]) -> i64 {
        let weights = &self.weights[bucket * inputs.len()..][..inputs.len()];
        let products = inputs.iter().zip(weights).map(|(&x, &w)| i64::from(x) * i64::from(w));
        products.fold(self.bias[bucket], i64::wrapping_add)
    }
}

/// Joins the digits of sums and clips them to `0..=top`.
#[inline(always)]
fn join(out: &mut [i16], digits: &[i16], base: Base, top: i16) {
    let (high, low) = digits.split_at(out.len());
    for ((out, &high), &low) in out.iter_mut().zip(high).zip(low) {
        *out = base.join(high, low).clamp(0, i32::from(top)) as i16;
    }
}
