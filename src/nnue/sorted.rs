//! Neurons sorted into blocks that are zero together.
//!
//! The lowest dense layer reads the outputs of the feature transformer in blocks of four, and skips
//! blocks of zeros. A neuron that fires in one position of ten saves nothing beside one that fires
//! in nine of ten. The order of neurons is arbitrary: exchanging columns of the feature
//! transformer, and with them the inputs of the dense layer, leaves every sum and every evaluation
//! the same to the bit. So neurons are grouped by their activity on real positions: a block begins
//! with the least active remaining neuron, and adds those that fire least outside of its positions.

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::activation::Activation;
use super::net::{BYTE_UNIT, IntegerWeights, Net};
use chess::{Color, PackedPosition, Scene};

/// Neurons of a block.
const BLOCK: usize = 4;

/// Positions that suffice for the correlation of neurons.
const POSITIONS: usize = 2048;

/// Share of the blocks of the lowest dense layer that are read.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct BlocksRead {
    /// With the neurons as they were trained.
    pub before: f64,
    /// With the neurons sorted.
    pub after: f64,
}

/// Firing of each neuron, by position and perspective.
struct Firing {
    rows: usize,
    /// One bit per row.
    neurons: Vec<Vec<u64>>,
}

impl Net {
    /// The same net with its neurons in an order in which fewer blocks are read, and the share of
    /// these on the positions; `None` if the lowest dense layer does not read blocks, or without
    /// positions.
    pub fn sorted(&self, positions: &[PackedPosition]) -> Option<(Self, BlocksRead)> {
        if positions.is_empty() || !self.reads_blocks() {
            return None;
        }
        let every = positions.len().div_ceil(POSITIONS);
        let some: Vec<PackedPosition> = positions.iter().step_by(every).copied().collect();
        let firing = Firing::of(self, &some);
        let order = firing.order();
        let plain: Vec<usize> = (0..order.len()).collect();
        let read = BlocksRead { before: firing.read(&plain), after: firing.read(&order) };
        // With few neurons, or ones that all fire, no order may be better.
        let best = if read.after < read.before { &order } else { &plain };
        let read = BlocksRead { after: read.after.min(read.before), ..read };
        Some((self.in_order(best), read))
    }

    /// Whether the lowest dense layer skips blocks of zeros.
    fn reads_blocks(&self) -> bool {
        let layers = &self.architecture.layers;
        let most = self.scales.most_read(layers).first().copied().unwrap_or(i32::MAX);
        !layers.hidden().is_empty()
            && most <= BYTE_UNIT
            && layers.outputs_per_side().is_multiple_of(BLOCK)
    }

    /// Inputs of the lowest dense layer from one perspective.
    fn outputs_of(&self, scene: &Scene, perspective: Color) -> Vec<i32> {
        let sums = self.transformer_sums(scene, perspective);
        let (activation, rounding) = (self.architecture.layers.activation(), self.scales.rounding);
        self.scales.transformer.map_or(Vec::new(), |it| it.activate(&sums, activation, rounding))
    }

    /// The net with output `order[i]` of the feature transformer at place `i`.
    fn in_order(&self, order: &[usize]) -> Self {
        let layers = &self.architecture.layers;
        let columns =
            columns(order, layers.activation(), layers.width(), self.weights.ft_bias.len());
        let moved = |row: &[i16]| columns.iter().map(|&from| row[from]).collect::<Vec<_>>();
        let rows: Vec<i16> = self
            .weights
            .ft_weights
            .chunks_exact(self.weights.ft_bias.len())
            .flat_map(moved)
            .collect();
        let mut dense = self.weights.dense.clone();
        let outputs = order.len();
        for row in dense[0].weights.chunks_exact_mut(2 * outputs) {
            let sides = [0, outputs].map(|side| order.iter().map(move |&from| side + from));
            let moved: Vec<i32> = sides.into_iter().flatten().map(|from| row[from]).collect();
            row.copy_from_slice(&moved);
        }
        self.with_weights(IntegerWeights {
            ft_weights: rows.into(),
            ft_bias: moved(&self.weights.ft_bias),
            psqt: self.weights.psqt.clone(),
            dense,
        })
    }
}

/// Source of each column of a row: halves that are multiplied move together, and so do digits.
fn columns(order: &[usize], activation: Activation, width: usize, all: usize) -> Vec<usize> {
    let factors = activation.factors();
    let starts = (0..all / width)
        .flat_map(|digit| (0..factors).map(move |part| digit * width + part * (width / factors)));
    starts.flat_map(|start| order.iter().map(move |&from| start + from)).collect()
}

impl Firing {
    fn of(net: &Net, positions: &[PackedPosition]) -> Self {
        let rows: Vec<Vec<i32>> = positions
            .par_iter()
            .flat_map_iter(|position| {
                let scene = Scene::from(position);
                Color::ALL.map(|side| net.outputs_of(&scene, side))
            })
            .collect();
        let words = rows.len().div_ceil(u64::BITS as usize);
        let mut neurons = vec![vec![0_u64; words]; rows.first().map_or(0, Vec::len)];
        for (at, row) in rows.iter().enumerate() {
            for (bits, &output) in neurons.iter_mut().zip(row) {
                bits[at / 64] |= u64::from(output != 0) << (at % 64);
            }
        }
        Self { rows: rows.len(), neurons }
    }

    /// Neurons block by block.
    fn order(&self) -> Vec<usize> {
        let mut left: Vec<usize> = (0..self.neurons.len()).collect();
        left.sort_by_key(|&neuron| (count(&self.neurons[neuron]), neuron));
        let mut order = Vec::with_capacity(left.len());
        while !left.is_empty() {
            let first = left.remove(0);
            let mut block = self.neurons[first].clone();
            order.push(first);
            for _ in 1..BLOCK.min(left.len() + 1) {
                let added = |neuron: usize| count_of_both(&block, &self.neurons[neuron]);
                let place = (0..left.len()).min_by_key(|&place| added(left[place]));
                let Some(place) = place else { break };
                let next = left.remove(place);
                block.iter_mut().zip(&self.neurons[next]).for_each(|(bits, more)| *bits |= more);
                order.push(next);
            }
        }
        order
    }

    /// Share of the blocks that are read with the neurons in an order.
    fn read(&self, order: &[usize]) -> f64 {
        let of_block = |block: &[usize]| {
            let mut all = vec![0_u64; self.rows.div_ceil(64)];
            for &neuron in block {
                all.iter_mut().zip(&self.neurons[neuron]).for_each(|(bits, more)| *bits |= more);
            }
            u64::from(count(&all))
        };
        let blocks = order.chunks(BLOCK);
        let all = (blocks.len() * self.rows).max(1);
        blocks.map(of_block).sum::<u64>() as f64 / all as f64
    }
}

fn count(bits: &[u64]) -> u32 {
    bits.iter().map(|word| word.count_ones()).sum()
}

fn count_of_both(a: &[u64], b: &[u64]) -> u32 {
    a.iter().zip(b).map(|(a, b)| (a | b).count_ones()).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{all_kinds, layers, net, random_positions};

    #[test]
    fn sorting_changes_no_evaluation() {
        let positions = random_positions(3, 200);
        let mut sorted_some = 0;
        for kind in all_kinds() {
            let (_, net) = net("ALL", &kind, 5);
            let Some((sorted, read)) = net.sorted(&positions) else { continue };
            sorted_some += 1;
            assert!(read.after <= read.before && read.before <= 1.0, "{kind}: {read:?}");
            for position in &positions {
                let (scene, turn) = (Scene::from(position), position.turn());
                assert_eq!(sorted.evaluate(&scene, turn), net.evaluate(&scene, turn), "{kind}");
            }
        }
        assert!(sorted_some > 10);
    }

    #[test]
    fn neurons_that_fire_together_come_together() {
        // Two groups of four that alternate, mixed.
        let bits = |odd: bool| vec![if odd { 0xaaaa } else { 0x5555 }];
        let neurons = (0..8).map(|neuron| bits(neuron % 2 == 1)).collect();
        let firing = Firing { rows: 16, neurons };
        let plain: Vec<usize> = (0..8).collect();
        assert_eq!(firing.read(&plain), 1.0);
        assert_eq!(firing.read(&firing.order()), 0.5);
    }

    #[test]
    fn layers_that_read_no_blocks_stay_as_they_are() {
        let positions = random_positions(3, 10);
        for line in ["16 -> 1", "1", "16 pairwise -> 1, psqt"] {
            assert!(net("ALL", layers(line), 1).1.sorted(&positions).is_none(), "{line}");
        }
        assert!(net("ALL", layers("16 -> 8 -> 1"), 1).1.sorted(&[]).is_none());
    }
}
