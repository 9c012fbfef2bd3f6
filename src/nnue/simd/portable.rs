//! Plain Rust, for processors without a set of their own. The tests compare the others with it.

use super::operations::memory;
use super::{ActiveBlocks, Block, Pair, Simd, Squaring};

#[derive(Clone, Copy)]
pub(super) struct Portable;

const NEURONS: usize = 8;

impl Simd for Portable {
    type Sums = [i32; NEURONS];
    const NEURONS: usize = NEURONS;

    type Words = [i16; NEURONS];
    const HAS_MANY_REGISTERS: bool = false;

    memory!(words: 8, bytes: 32);

    #[inline(always)]
    fn load(self, from: &Self::Memory) -> Self::Words {
        *from
    }

    #[inline(always)]
    fn save(self, words: Self::Words, to: &mut Self::Memory) {
        *to = words;
    }

    #[inline(always)]
    fn plus(self, a: Self::Words, b: Self::Words) -> Self::Words {
        std::array::from_fn(|i| a[i].wrapping_add(b[i]))
    }

    #[inline(always)]
    fn minus(self, a: Self::Words, b: Self::Words) -> Self::Words {
        std::array::from_fn(|i| a[i].wrapping_sub(b[i]))
    }

    #[inline(always)]
    fn squares(self, numbers: Self::Words, squaring: Squaring) -> Self::Words {
        numbers.map(|number| squaring.of(number) as i16)
    }

    #[inline(always)]
    fn zero(self) -> Self::Sums {
        [0; NEURONS]
    }

    #[inline(always)]
    fn add(self, sums: Self::Sums, weights: &Self::Weights, inputs: Block) -> Self::Sums {
        std::array::from_fn(|neuron| {
            let products = weights[4 * neuron..][..4].iter().zip(inputs);
            products.fold(sums[neuron], |sum, (&weight, input)| {
                sum.wrapping_add(i32::from(weight) * i32::from(input))
            })
        })
    }

    #[inline(always)]
    fn add_pair(self, sums: Self::Sums, weights: &Self::Weights, [a, b]: Pair) -> Self::Sums {
        std::array::from_fn(|neuron| {
            let [v, w] = [[0, 1], [2, 3]].map(|places| {
                let [low, high] = places.map(|place: usize| weights[4 * neuron + place] as u8);
                i32::from(i16::from_ne_bytes([low, high]))
            });
            sums[neuron].wrapping_add(v * i32::from(a) + w * i32::from(b))
        })
    }

    #[inline(always)]
    fn add_products(self, sums: Self::Sums, a: Self::Words, b: Self::Words) -> Self::Sums {
        std::array::from_fn(|i| sums[i].wrapping_add(i32::from(a[i]) * i32::from(b[i])))
    }

    #[inline(always)]
    fn store(self, sums: Self::Sums, out: &mut [i32]) {
        out.copy_from_slice(&sums);
    }

    #[inline(always)]
    fn collect(self, inputs: &[Block], active: &mut ActiveBlocks) {
        collect(inputs, active);
    }
}

#[inline(always)]
pub(super) fn collect(inputs: &[Block], active: &mut ActiveBlocks) {
    for (place, &block) in inputs.iter().enumerate() {
        active.push_if(block != [0; 4], place);
    }
}
