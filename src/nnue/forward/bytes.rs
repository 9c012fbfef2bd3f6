//! A dense layer of bytes: one instruction multiplies and adds four inputs of a neuron, and blocks
//! of four zero inputs are skipped.

use super::super::aligned::Aligned;
use super::super::net::BYTE_UNIT;
use super::super::simd::{ActiveBlocks, Block, LINE, Simd};
use super::group::{Group, write_out};

/// Inputs of a block.
const BLOCK: usize = size_of::<Block>();

/// The layer, with a buffer for its inputs.
#[derive(Clone, Debug)]
pub(super) struct ByteLayer {
    /// `[buckets][groups][blocks][neurons of a group][inputs of a block]`, i8.
    weights: Aligned,
    group: Group,
    /// Inputs filled up to whole lines of blocks with zeros.
    inputs: Aligned,
    active: ActiveBlocks,
}

impl ByteLayer {
    /// From weights `[buckets][neurons][inputs]` and the largest input; `None` if they do not fit
    /// bytes.
    pub(super) fn new(weights: &[i32], inputs: usize, neurons: usize, most: i32) -> Option<Self> {
        let fits = |&w: &i32| i8::try_from(w).is_ok() && 2 * most * w.abs() < 1 << 15;
        if most > BYTE_UNIT || !weights.iter().all(fits) {
            return None;
        }
        let group = Group::of(neurons);
        let blocks = inputs.div_ceil(BLOCK).next_multiple_of(LINE);
        Some(Self {
            weights: by_block(weights, group, inputs, blocks),
            group,
            inputs: Aligned::zeroed(blocks * BLOCK / size_of::<i16>()),
            active: ActiveBlocks::new(blocks),
        })
    }

    pub(super) fn group(&self) -> usize {
        self.group.neurons()
    }

    /// Blocks of inputs that were not all zero in the last evaluation.
    pub(super) fn active_blocks(&self) -> usize {
        self.active.len()
    }

    /// The inputs; the zeros behind them must stay.
    #[inline(always)]
    pub(super) fn inputs(&mut self) -> &mut [u8] {
        bytemuck::cast_slice_mut(&mut self.inputs)
    }

    /// Adds weights times inputs to `sums`, one for each neuron.
    #[inline(always)]
    pub(crate) fn add_to<S: Simd>(&mut self, simd: S, bucket: usize, sums: &mut [i32]) {
        let inputs: &[Block] = bytemuck::cast_slice(&self.inputs);
        self.active.collect(simd, inputs);
        let (group, neurons) = (self.group.neurons(), sums.len());
        let of_block = inputs.len() * BLOCK;
        let weights: &[i8] = bytemuck::cast_slice(&self.weights);
        let weights = &weights[bucket * of_block * neurons..][..of_block * neurons];
        for (weights, sums) in
            weights.chunks_exact(of_block * group).zip(sums.chunks_exact_mut(group))
        {
            let weights = S::weights(weights);
            // Always eight registers of sums: enough to hide latencies, few enough for sixteen
            // registers.
            match group / S::NEURONS {
                8 => add::<S, 8, 1>(simd, weights, inputs, &self.active, sums),
                4 => add::<S, 4, 2>(simd, weights, inputs, &self.active, sums),
                2 => add::<S, 2, 4>(simd, weights, inputs, &self.active, sums),
                _ => add::<S, 1, 8>(simd, weights, inputs, &self.active, sums),
            }
        }
    }
}

/// Adds weights times inputs to `sums`, for a group of neurons that fills `N`
/// registers; `weights` is `[blocks][N]`. `CHAINS` independent sums hide the latency
/// of the instructions.
#[inline(always)]
fn add<S: Simd, const N: usize, const CHAINS: usize>(
    simd: S,
    weights: &[S::Weights],
    inputs: &[Block],
    active: &ActiveBlocks,
    sums: &mut [i32],
) {
    let mut chains = [[simd.zero(); N]; CHAINS];
    active.deal::<CHAINS, _>(
        inputs,
        weights.as_chunks::<N>().0,
        #[inline(always)]
        |chain, inputs, weights| {
            for (register, weights) in chains[chain].iter_mut().zip(weights) {
                *register = simd.add(*register, weights, inputs);
            }
        },
    );
    write_out(simd, chains, sums);
}

/// Weights, neuron by neuron, laid out block by block.
fn by_block(weights: &[i32], group: Group, inputs: usize, blocks: usize) -> Aligned {
    let neurons = group.neurons();
    let mut turned = Aligned::zeroed(weights.len() / inputs * blocks * BLOCK / size_of::<i16>());
    let bytes: &mut [i8] = bytemuck::cast_slice_mut(&mut turned);
    let groups = bytes.chunks_exact_mut(neurons * blocks * BLOCK);
    for (out, group) in groups.zip(weights.chunks_exact(neurons * inputs)) {
        for (neuron, row) in group.chunks_exact(inputs).enumerate() {
            for (input, &weight) in row.iter().enumerate() {
                let (block, place) = (input / BLOCK, input % BLOCK);
                out[(block * neurons + neuron) * BLOCK + place] = weight as i8;
            }
        }
    }
    turned
}
