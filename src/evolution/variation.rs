//! Crossover and mutation.

use rand::Rng;
use rand_distr::{Distribution, StandardNormal};
use serde::{Deserialize, Serialize};

use super::space::Gene;
use super::{Chance, SearchPoint, Space};

/// Two children from two parents.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Variation {
    /// Encoding of genes for crossover and mutation.
    pub encoding: Encoding,
    /// Crossover of two parents.
    pub crossover: Crossover,
    /// Probability of a crossover; otherwise the children are copies.
    pub crossover_rate: f64,
    /// Change of a place.
    pub mutation: Mutation,
    /// Probability of a change at each place.
    pub mutation_rate: f64,
}

/// Encoding of genes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Encoding {
    /// A place for each gene.
    #[default]
    Real,
    /// This number of places for each gene, 1 to 52: binary fractions of its range.
    Bits(u32),
}

/// Crossover of two parents.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Crossover {
    /// Places behind a random one are exchanged.
    #[default]
    OnePoint,
    /// Each place is exchanged with probability ½.
    Uniform,
}

/// Change of a place.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Mutation {
    /// A random value; a bit flips.
    #[default]
    Anywhere,
    /// By a normally distributed number of this many steps; bits as above.
    Normal(f64),
}

impl Default for Variation {
    /// Settings of the document: one-point crossover 0.8, mutation 0.02.
    fn default() -> Self {
        Self {
            encoding: Encoding::Real,
            crossover: Crossover::OnePoint,
            crossover_rate: 0.8,
            mutation: Mutation::Anywhere,
            mutation_rate: 0.02,
        }
    }
}

impl Variation {
    pub(crate) fn children(
        &self,
        parents: [&SearchPoint; 2],
        space: &Space,
        chance: &mut Chance,
    ) -> [SearchPoint; 2] {
        match self.encoding {
            Encoding::Real => {
                let children = self.mixed(parents.map(Clone::clone), chance);
                children.map(|child| self.mutated(child, space, chance))
            }
            Encoding::Bits(bits) => {
                let bits = bits.clamp(1, MOST_BITS);
                let children = self.mixed(parents.map(|point| written(point, space, bits)), chance);
                children.map(|mut child| {
                    child.iter_mut().for_each(|bit| *bit ^= chance.random_bool(self.mutation()));
                    read(&child, space, bits)
                })
            }
        }
    }

    fn mutation(&self) -> f64 {
        self.mutation_rate.clamp(0.0, 1.0)
    }

    /// Both parents with places exchanged.
    fn mixed<T>(&self, mut parents: [Vec<T>; 2], chance: &mut Chance) -> [Vec<T>; 2] {
        if !chance.random_bool(self.crossover_rate.clamp(0.0, 1.0)) {
            return parents;
        }
        let [one, other] = &mut parents;
        let places = one.len();
        match self.crossover {
            Crossover::OnePoint if places > 1 => {
                let cut = chance.random_range(1..places);
                one[cut..].swap_with_slice(&mut other[cut..]);
            }
            Crossover::OnePoint => {}
            Crossover::Uniform => {
                for place in 0..places {
                    if chance.random() {
                        std::mem::swap(&mut one[place], &mut other[place]);
                    }
                }
            }
        }
        parents
    }

    fn mutated(&self, mut child: SearchPoint, space: &Space, chance: &mut Chance) -> SearchPoint {
        for (value, gene) in child.iter_mut().zip(space.genes()) {
            if chance.random_bool(self.mutation()) {
                *value = self.mutation.of(*value, gene, chance);
            }
        }
        child
    }
}

impl Mutation {
    fn of(self, value: f64, gene: &Gene, chance: &mut Chance) -> f64 {
        match self {
            Self::Anywhere => gene.any(chance),
            Self::Normal(steps) => {
                let drawn: f64 = StandardNormal.sample(chance);
                gene.within(value + drawn * steps * gene.step)
            }
        }
    }
}

/// Bits of whole numbers that an `f64` holds exactly.
const MOST_BITS: u32 = 52;

/// All genes as bits, the highest of each first.
fn written(point: &SearchPoint, space: &Space, bits: u32) -> Vec<bool> {
    let top = ((1u64 << bits) - 1) as f64;
    let of_gene = |(value, gene): (&f64, &Gene)| {
        let (low, high) = gene.range();
        let share = ((value - low) / (high - low).max(f64::MIN_POSITIVE)).clamp(0.0, 1.0);
        let whole = (share * top).round() as u64;
        (0..bits).rev().map(move |bit| whole >> bit & 1 == 1)
    };
    point.iter().zip(space.genes()).flat_map(of_gene).collect()
}

fn read(written: &[bool], space: &Space, bits: u32) -> SearchPoint {
    let top = ((1u64 << bits) - 1) as f64;
    let of_gene = |(of_one, gene): (&[bool], &Gene)| {
        let (low, high) = gene.range();
        let whole = of_one.iter().fold(0u64, |sum, &bit| sum << 1 | u64::from(bit));
        gene.within(low + (high - low) * whole as f64 / top)
    };
    written.chunks_exact(bits as usize).zip(space.genes()).map(of_gene).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use rand::SeedableRng;

    fn space(dimensions: usize) -> Space {
        let gene = |name: usize| Gene {
            name: name.to_string(),
            start: 0.0,
            low: -3.0,
            high: 5.0,
            step: 0.5,
        };
        Space::new((0..dimensions).map(gene).collect()).unwrap()
    }

    proptest! {
        #[test]
        fn points_in_bits_read_back(
            point in prop::collection::vec(-3.0..5.0f64, 1..6),
            bits in 1..=MOST_BITS,
        ) {
            let space = space(point.len());
            let again = read(&written(&point, &space, bits), &space, bits);
            let width = 8.0 / ((1u64 << bits) - 1) as f64;
            for (before, after) in point.iter().zip(&again) {
                prop_assert!((before - after).abs() <= width / 2.0 + 1e-12);
            }
        }

        #[test]
        fn without_mutation_every_gene_is_a_parents(
            seed: u64, rate in 0.0..=1.0f64, uniform: bool, genes in 1..20usize,
        ) {
            let crossover = if uniform { Crossover::Uniform } else { Crossover::OnePoint };
            let variation = Variation {
                crossover, crossover_rate: rate, mutation_rate: 0.0, ..Variation::default()
            };
            let parents: [SearchPoint; 2] = [vec![-1.0; genes], vec![2.0; genes]];
            let mut chance = Chance::seed_from_u64(seed);
            let [one, other] =
                variation.children([&parents[0], &parents[1]], &space(genes), &mut chance);
            for (a, b) in one.iter().zip(&other) {
                prop_assert!(*a == -1.0 && *b == 2.0 || *a == 2.0 && *b == -1.0);
            }
            if !uniform {
                let changes = one.windows(2).filter(|pair| pair[0] != pair[1]).count();
                prop_assert!(changes <= 1);
            }
        }

        #[test]
        fn children_stay_within_bounds(
            seed: u64, bits in prop::option::of(1..30u32), width in prop::option::of(0.1..50.0),
        ) {
            let variation = Variation {
                encoding: bits.map_or(Encoding::Real, Encoding::Bits),
                mutation: width.map_or(Mutation::Anywhere, Mutation::Normal),
                mutation_rate: 0.5,
                ..Variation::default()
            };
            let (space, mut chance) = (space(7), Chance::seed_from_u64(seed));
            let (one, other) = (space.any(&mut chance), space.any(&mut chance));
            let children = variation.children([&one, &other], &space, &mut chance);
            prop_assert!(children.iter().flatten().all(|value| (-3.0..=5.0).contains(value)));
        }
    }

    #[test]
    fn changes_have_the_mutation_rate() {
        let (space, mut chance) = (space(100), Chance::seed_from_u64(3));
        let variation = Variation { mutation_rate: 0.02, ..Variation::default() };
        let parent = vec![0.0; 100];
        let changed: usize = (0..500)
            .flat_map(|_| variation.children([&parent, &parent], &space, &mut chance))
            .map(|child| child.iter().filter(|&&value| value != 0.0).count())
            .sum();
        // 100,000 places.
        assert!((1_800..2_200).contains(&changed), "{changed}");
    }
}
