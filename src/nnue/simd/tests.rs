//! All instruction sets give the same bits.

use proptest::prelude::*;

use super::*;
use crate::forward::Forward;
use crate::net::{Accumulators, Net};
use crate::quantise;
use crate::rows::RowUpdate;
use crate::testing::{Kind, all_kinds, layers, random_weights};
use chess::ByColor;
use features::{Feature, FeatureSet};

/// The sets of this machine.
fn available() -> impl Iterator<Item = Dispatch> {
    Isa::ALL.into_iter().filter_map(Dispatch::new)
}

/// Prints the tested sets and those that this machine lacks.
#[test]
fn the_best_is_the_last_that_is_available() {
    let (here, absent): (Vec<Isa>, Vec<Isa>) =
        Isa::ALL.into_iter().partition(|isa| isa.is_available());
    let names = |sets: &[Isa]| sets.iter().map(|isa| isa.name()).collect::<Vec<_>>().join(", ");
    eprintln!("tested: {}; not on this machine: {}", names(&here), names(&absent));
    assert_eq!(here.last(), Some(&Dispatch::best().isa()));
    assert_eq!(here.first(), Some(&Isa::Portable));
    assert!(absent.into_iter().all(|isa| Dispatch::new(isa).is_none()));
}

/// Squares of one register after the other.
struct Squares<'a> {
    numbers: &'a [i16],
    squaring: Squaring,
}

impl Kernel for Squares<'_> {
    type Output = Vec<i16>;

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) -> Vec<i16> {
        let mut out = self.numbers.to_vec();
        let rounded = self.squaring.rounded();
        for (out, numbers) in S::words_mut(&mut out).0.iter_mut().zip(S::words(self.numbers).0) {
            let numbers = simd.load(numbers);
            let squares = match rounded {
                Some(squaring) => simd.rounded_squares(numbers, squaring),
                None => simd.squares(numbers, self.squaring),
            };
            simd.save(squares, out);
        }
        out
    }
}

proptest! {
    #[test]
    fn squares_are_clipped_and_rounded(
        numbers in prop::collection::vec(any::<i16>(), 32),
        (top, shift) in (1..=i16::MAX).prop_flat_map(|top| {
            // Squares fit 16 bits.
            let least = (i32::from(top).pow(2) >> 15).checked_ilog2().map_or(0, |bits| bits + 1);
            (Just(top), least..=18)
        }),
        nearest in any::<bool>(),
    ) {
        let half = if nearest { (1 << shift) >> 1 } else { 0 };
        let squaring = Squaring { top, shift, half };
        let expected: Vec<i32> = numbers.iter().map(|&number| squaring.of(number)).collect();
        prop_assume!(expected.iter().all(|&square| square <= i32::from(i16::MAX)));
        for dispatch in available() {
            let squares = dispatch.run(Squares { numbers: &numbers, squaring });
            let squares: Vec<i32> = squares.into_iter().map(i32::from).collect();
            prop_assert_eq!(&squares, &expected, "{} {:?}", dispatch.isa(), squaring);
        }
    }

    #[test]
    fn usual_scales_are_rounded_products(bits in 6_u32..=14, half in any::<bool>()) {
        // Units of 2ᵇ steps, whose squares keep 12 bits, as in the quantiser.
        let (top, shift) = (1 << bits, (2 * bits).saturating_sub(12));
        let squaring = Squaring { top, shift, half: if half { (1 << shift) >> 1 } else { 0 } };
        prop_assert_eq!(squaring.rounded().is_some(), half && (1..=15).contains(&shift));
    }
}

fn features(range: std::ops::Range<u32>) -> impl Strategy<Value = Vec<Feature>> {
    prop::collection::vec(range.prop_map(Feature), 0..9)
}

proptest! {
    #[test]
    fn rows_add_and_subtract(
        (width, weights) in (1usize..20).prop_flat_map(|eighths| {
            (Just(8 * eighths), prop::collection::vec(any::<i16>(), 8 * eighths * 6))
        }),
        (added, removed) in (features(0..6), features(0..6)),
        in_place in any::<bool>(),
        base in any::<i16>(),
    ) {
        let row = |feature: &Feature, i: usize| i64::from(weights[feature.0 as usize * width + i]);
        let from: Vec<i16> = (0..width).map(|i| base.wrapping_mul(i as i16)).collect();
        let expected: Vec<i16> = (0..width).map(|i| {
            let plus: i64 = added.iter().map(|feature| row(feature, i)).sum();
            let minus: i64 = removed.iter().map(|feature| row(feature, i)).sum();
            (i64::from(from[i]) + plus - minus) as i16
        }).collect();
        for dispatch in available() {
            let mut out = if in_place { from.clone() } else { vec![7; width] };
            dispatch.run(RowUpdate {
                out: &mut out,
                from: (!in_place).then_some(&*from),
                weights: &weights,
                added: &added,
                removed: &removed,
            });
            prop_assert_eq!(&out, &expected, "{}", dispatch.isa());
        }
    }

    #[test]
    fn blocks_that_are_not_all_zero_are_collected(
        inputs in prop::collection::vec(prop_oneof![4 => Just(0u8), 1 => any::<u8>()], 1..600)
    ) {
        struct Collect<'a>(&'a [Block], ActiveBlocks);
        impl Kernel for Collect<'_> {
            type Output = ActiveBlocks;
            #[inline(always)]
            fn run<S: Simd>(mut self, simd: S) -> ActiveBlocks {
                self.1.collect(simd, self.0);
                self.1
            }
        }
        let mut blocks: Vec<Block> = inputs.as_chunks().0.to_vec();
        blocks.resize(blocks.len().next_multiple_of(LINE), Block::default());
        let expected: Vec<u16> =
            (0..).zip(&blocks).filter(|(_, block)| **block != [0; 4]).map(|(i, _)| i).collect();
        for dispatch in available() {
            let active = dispatch.run(Collect(&blocks, ActiveBlocks::new(blocks.len())));
            prop_assert_eq!(&active.places[..active.len()], &expected, "{}", dispatch.isa());
        }
    }

    /// The largest sums of two products just fit 16 bits.
    #[test]
    fn blocks_are_multiplied(
        (inputs, weights) in (1usize..40).prop_flat_map(|blocks| (
            prop::collection::vec(prop_oneof![Just(128u8), Just(0), 0..=128u8], 4 * blocks),
            prop::collection::vec(prop_oneof![Just(127i8), Just(-127), -127..=127i8], 64 * blocks),
        ))
    ) {
        struct Multiply<'a>(&'a [u8], &'a [i8]);
        impl Kernel for Multiply<'_> {
            type Output = Vec<i32>;
            #[inline(always)]
            fn run<S: Simd>(self, simd: S) -> Vec<i32> {
                let weights = S::weights(self.1).iter();
                let sums = self.0.as_chunks().0.iter().zip(weights).fold(simd.zero(), |sums, (&x, w)| {
                    simd.add(sums, w, x)
                });
                let mut out = vec![0; S::NEURONS];
                simd.store(sums, &mut out);
                out
            }
        }
        for dispatch in available() {
            let sums = dispatch.run(Multiply(&inputs, &weights));
            for (neuron, &sum) in sums.iter().enumerate() {
                let products = inputs.iter().enumerate().map(|(i, &x)| {
                    let weight = weights[i / 4 * 4 * sums.len() + 4 * neuron + i % 4];
                    i32::from(x) * i32::from(weight)
                });
                prop_assert_eq!(sum, products.sum::<i32>(), "{}", dispatch.isa());
            }
        }
    }
}

proptest! {
    /// Pairs of 16 bits whose sums 32 bits hold.
    #[test]
    fn pairs_are_multiplied(
        (inputs, weights) in (1usize..40).prop_flat_map(|pairs| (
            prop::collection::vec(prop_oneof![Just(1024i16), Just(0), -1024..=1024i16], 2 * pairs),
            prop::collection::vec(prop_oneof![Just(i16::MAX), Just(-i16::MAX), any::<i16>()], 32 * pairs),
        ))
    ) {
        struct Multiply<'a>(&'a [i16], &'a [i16]);
        impl Kernel for Multiply<'_> {
            type Output = Vec<i32>;
            #[inline(always)]
            fn run<S: Simd>(self, simd: S) -> Vec<i32> {
                let weights = S::weights(bytemuck::cast_slice(self.1)).iter();
                let pairs = self.0.as_chunks::<2>().0.iter().zip(weights);
                let sums = pairs.fold(simd.zero(), |sums, (&x, w)| simd.add_pair(sums, w, x));
                let mut out = vec![0; S::NEURONS];
                simd.store(sums, &mut out);
                out
            }
        }
        for dispatch in available() {
            let sums = dispatch.run(Multiply(&inputs, &weights));
            for (neuron, &sum) in sums.iter().enumerate() {
                let products = inputs.iter().enumerate().map(|(i, &x)| {
                    let weight = weights[i / 2 * 2 * sums.len() + 2 * neuron + i % 2];
                    i32::from(x).wrapping_mul(i32::from(weight))
                });
                let expected = products.fold(0, i32::wrapping_add);
                prop_assert_eq!(sum, expected, "{}", dispatch.isa());
            }
        }
    }
}

/// Sums of nets of any kind, extremes included.
fn sums(width: usize) -> impl Strategy<Value = ByColor<Vec<i16>>> {
    let sum = prop_oneof![any::<i16>(), -600..600i16, Just(i16::MIN), Just(i16::MAX), Just(0)];
    let side = prop::collection::vec(sum, width);
    (side.clone(), side).prop_map(|(black, white)| ByColor { black, white })
}

/// With a dense layer of bytes where there are two hidden layers, and with one
/// whose weights are too large for bytes.
fn nets(kind: Kind) -> [Net; 2] {
    let features = FeatureSet::parse("H").unwrap();
    let weights = random_weights(&features, &kind, 1);
    let mut large = weights.clone();
    large.dense.iter_mut().flat_map(|it| &mut it.weights).for_each(|w| *w *= 100.0);
    [weights, large].map(|w| quantise(&w, &features, serde_json::Value::Null).unwrap())
}

/// Widths that fill registers of every size, and widths that do not.
fn kinds_of_all_sizes() -> Vec<Kind> {
    let sizes = [(24, 8), (40, 16), (16, 32), (48, 24), (512, 32), (8, 64), (32, 72)];
    let sized = sizes.map(|(l1, l2)| layers(&format!("{l1} -> {l2} -> 1")));
    let wide = ["1024 pairwise -> 15 dual + skip -> 32 -> 1", "80 pairwise -> 24 -> 40 -> 1, psqt"];
    let all = sized.into_iter().chain(wide.map(layers));
    all_kinds().into_iter().chain(all.map(Kind::from)).collect()
}

#[test]
fn evaluations_have_the_same_bits() {
    for (kind, net) in
        kinds_of_all_sizes().into_iter().flat_map(|k| nets(k.clone()).map(|net| (k.clone(), net)))
    {
        let all: Vec<(Isa, Forward)> =
            available().map(|dispatch| (dispatch.isa(), Forward::new(&net, dispatch))).collect();
        let buckets = kind.layers.buckets().count();
        proptest!(ProptestConfig::with_cases(40), |(sums in sums(net.columns()), bucket in 0..buckets)| {
            let sums = Accumulators { stm: &sums.white, nstm: &sums.black, bucket, numbers: [&[]; 2] };
            let expected = net.evaluate_sums(sums);
            for (isa, mut forward) in all.clone() {
                prop_assert_eq!(forward.evaluate(sums), expected, "{} {}", isa, kind);
            }
        });
    }
}

#[test]
fn partial_sums_are_multiplied_with_the_same_bits() {
    for (text, line) in
        [("(ONE + PHASE) * H", "1, buckets 8"), ("LEORIK-18", "1"), ("LEORIK-14", "1, buckets 2")]
    {
        let (features, layers) = (FeatureSet::parse(text).unwrap(), layers(line));
        let weights = random_weights(&features, &layers, 1);
        let net = quantise(&weights, &features, serde_json::Value::Null).unwrap();
        let valued = net.valued.as_ref().unwrap();
        let (parts, buckets) = (valued.parts() as i32, layers.buckets().count());
        let number = -parts..=parts;
        let numbers = || prop::collection::vec(number.clone(), valued.multipliers());
        proptest!(ProptestConfig::with_cases(40), |(sums in sums(net.columns()), own in numbers(), other in numbers(), bucket in 0..buckets)| {
            let sums = Accumulators { stm: &sums.white, nstm: &sums.black, bucket, numbers: [&own, &other] };
            let expected = net.evaluate_sums(sums);
            for dispatch in available() {
                let found = Forward::new(&net, dispatch).evaluate(sums);
                prop_assert_eq!(found, expected, "{} {}", dispatch.isa(), text);
            }
        });
    }
}
