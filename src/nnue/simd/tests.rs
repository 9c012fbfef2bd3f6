//! All instruction sets give the same bits.

use std::sync::Arc;

use proptest::prelude::*;

use super::*;
use crate::chess::ByColor;
use crate::features::{Feature, FeatureSet};
use crate::nnue::forward::Forward;
use crate::nnue::net::{Accumulators, Net};
use crate::nnue::rows::RowUpdate;
use crate::nnue::tests::{Kind, all_kinds, random_weights};
use crate::nnue::{Layers, quantise};

/// What this machine has.
fn available() -> impl Iterator<Item = Dispatch> {
    Isa::ALL.into_iter().filter_map(Dispatch::new)
}

/// Names what the other tests could not try, on machines of any kind.
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
    fn what_is_above_zero_is_collected(
        activations in prop::collection::vec(prop_oneof![Just(0i16), any::<i16>()], 1..300)
    ) {
        struct Collect<'a>(&'a [i16], Inputs);
        impl Kernel for Collect<'_> {
            type Output = Inputs;
            #[inline(always)]
            fn run<S: Simd>(mut self, simd: S) -> Inputs {
                self.1.collect(simd, self.0);
                self.1
            }
        }
        let mut padded: Vec<i16> = activations.iter().map(|&x| x.max(0)).collect();
        padded.resize(padded.len().next_multiple_of(LINE), 0);
        let expected: Vec<(u16, i16)> =
            (0..).zip(padded.iter().copied()).filter(|&(_, value)| value > 0).collect();
        for dispatch in available() {
            let inputs = dispatch.run(Collect(&padded, Inputs::new(padded.len())));
            let places = inputs.places.iter().copied().zip(inputs.values.iter().copied());
            let collected: Vec<(u16, i16)> = places.take(inputs.len()).collect();
            prop_assert_eq!(&collected, &expected, "{}", dispatch.isa());
        }
    }
}

/// Sums that nets of any kind may meet, extremes included.
fn sums(width: usize) -> impl Strategy<Value = ByColor<Vec<i16>>> {
    let sum = prop_oneof![any::<i16>(), -600..600i16, Just(i16::MIN), Just(i16::MAX), Just(0)];
    let side = prop::collection::vec(sum, width);
    (side.clone(), side).prop_map(|(black, white)| ByColor { black, white })
}

fn net(kind: Kind) -> Net {
    let features = FeatureSet::parse("H").unwrap();
    let weights = random_weights(&features, kind, 1);
    quantise(&weights, &features, serde_json::Value::Null).unwrap()
}

/// Widths that fill registers of every size, and widths that do not.
fn kinds_of_all_sizes() -> Vec<Kind> {
    let sizes = [(24, 8), (40, 16), (16, 32), (48, 24), (512, 32), (8, 64), (32, 72)];
    let sized = sizes.map(|(l1, l2)| Layers::new(l1, l2, Default::default(), 1).unwrap());
    all_kinds().into_iter().chain(sized.map(Kind::from)).collect()
}

#[test]
fn evaluations_have_the_same_bits() {
    for kind in kinds_of_all_sizes() {
        let net = Arc::new(net(kind));
        let all: Vec<(Isa, Forward)> =
            available().map(|dispatch| (dispatch.isa(), Forward::new(&net, dispatch))).collect();
        let buckets = kind.layers.buckets().count();
        proptest!(ProptestConfig::with_cases(40), |(sums in sums(net.width()), bucket in 0..buckets)| {
            let sums = Accumulators { stm: &sums.white, nstm: &sums.black, bucket };
            let expected = net.propagate(sums);
            for (isa, mut forward) in all.clone() {
                prop_assert_eq!(forward.evaluate(sums), expected, "{} {}", isa, kind);
            }
        });
    }
}
