//! A dense layer of bytes: four inputs of a neuron are multiplied and added by
//! one instruction, and blocks of four inputs that are all zero are left out.

use super::super::aligned::Aligned;
use super::super::net::{BYTE_UNIT, Net};
use super::super::simd::{ActiveBlocks, Block, LINE, Simd};

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
    /// The dense layer of a net; `None` if it does not fit bytes.
    pub(super) fn new(net: &Net) -> Option<Self> {
        let layers = net.architecture.layers;
        let unit = net.scales.activation_unit(layers.activation());
        let fits = |&w: &i16| i8::try_from(w).is_ok() && 2 * unit * i32::from(w).abs() < 1 << 15;
        if layers.l2() == 0 || unit > BYTE_UNIT || !net.dense_weights.iter().all(fits) {
            return None;
        }
        let (group, inputs) = (Group::of(layers.l2()), 2 * layers.l1());
        let blocks = inputs.div_ceil(BLOCK).next_multiple_of(LINE);
        Some(Self {
            weights: by_block(&net.dense_weights, group, inputs, blocks),
            group,
            inputs: Aligned::zeroed(blocks * BLOCK / size_of::<i16>()),
            active: ActiveBlocks::new(blocks),
        })
    }

    pub(super) fn group(&self) -> usize {
        self.group as usize
    }

    /// Blocks of inputs that were not all zero in the last evaluation.
    pub(super) fn active_blocks(&self) -> usize {
        self.active.len()
    }

    /// Where the inputs go; behind them come zeros, which must stay.
    #[inline(always)]
    pub(super) fn inputs(&mut self) -> &mut [u8] {
        bytemuck::cast_slice_mut(&mut self.inputs)
    }

    /// Adds weights times inputs to `sums`, one for each neuron.
    #[inline(always)]
    pub(crate) fn add_to<S: Simd>(&mut self, simd: S, bucket: usize, sums: &mut [i32]) {
        let inputs: &[Block] = bytemuck::cast_slice(&self.inputs);
        self.active.collect(simd, inputs);
        let (group, neurons) = (self.group as usize, sums.len());
        let of_block = inputs.len() * BLOCK;
        let weights: &[i8] = bytemuck::cast_slice(&self.weights);
        let weights = &weights[bucket * of_block * neurons..][..of_block * neurons];
        for (weights, sums) in
            weights.chunks_exact(of_block * group).zip(sums.chunks_exact_mut(group))
        {
            let weights = S::weights(weights);
            // Always eight registers of sums: enough to hide latencies, few enough
            // for sixteen registers.
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
    let mut written = [0; Group::ThirtyTwo as usize];
    let written = &mut written[..S::NEURONS];
    for chain in chains {
        for (sums, register) in sums.chunks_exact_mut(S::NEURONS).zip(chain) {
            simd.store(register, written);
            sums.iter_mut().zip(&*written).for_each(|(sum, more)| *sum = sum.wrapping_add(*more));
        }
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

/// Weights, neuron by neuron, laid out block by block.
fn by_block(weights: &[i16], group: Group, inputs: usize, blocks: usize) -> Aligned {
    let neurons = group as usize;
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
