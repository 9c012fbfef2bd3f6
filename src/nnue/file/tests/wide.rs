//! Files with any number replaced: a net that is read has the evaluations of wide integers without
//! overflow.

use std::path::Path;
use std::sync::Arc;

use rand::seq::IndexedRandom;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde_json::Value;

use crate::accumulator::AccumulatorStack;
use crate::activation::Activation;
use crate::file::{CHECKSUM_BYTES, HEADER_AT, VERSION_AT, content};
use crate::net::Net;
use crate::scales::Rounding;
use crate::testing::{all_kinds, layers, net, random_positions};
use chess::{Color, PackedPosition, Scene};
use features::Feature;

/// Numbers at the edges of types and of ranges.
const EDGES: [i64; 24] = [
    i64::MIN,
    -(1 << 48),
    -(1 << 31),
    -1,
    0,
    1,
    2,
    15,
    16,
    23,
    127,
    128,
    255,
    256,
    1 << 10,
    (1 << 15) - 1,
    1 << 15,
    (1 << 30) - 1,
    (1 << 31) - 1,
    1 << 31,
    1 << 40,
    (1 << 48) - 1,
    1 << 62,
    i64::MAX,
];

/// All numbers of a header's scales.
fn numbers(scales: &mut Value) -> Vec<&mut Value> {
    match scales {
        Value::Number(_) => vec![scales],
        Value::Array(values) => values.iter_mut().flat_map(numbers).collect(),
        Value::Object(fields) => fields.values_mut().flat_map(numbers).collect(),
        _ => Vec::new(),
    }
}

/// A file taken apart.
struct Opened {
    header: Value,
    tensors: Vec<u8>,
}

impl Opened {
    fn of(net: &Net) -> Self {
        let bytes = net.to_bytes();
        let length = u32::from_le_bytes(*bytes[VERSION_AT + 4..].first_chunk().unwrap());
        let content = &bytes[HEADER_AT..bytes.len() - CHECKSUM_BYTES];
        let (header, tensors) = content.split_at(length as usize);
        Self { header: serde_json::from_slice(header).unwrap(), tensors: tensors.to_vec() }
    }

    /// Puts another number into the place of one of the scales.
    fn change_a_scale(&mut self, rng: &mut ChaCha8Rng) {
        let mut numbers = numbers(&mut self.header["scales"]);
        let at = rng.random_range(0..numbers.len());
        let usual = numbers[at].as_i64().unwrap();
        let near = [usual.saturating_mul(2), usual.saturating_mul(1 << 20), usual / 2, usual - 1];
        let other = if rng.random() { EDGES.choose(rng) } else { near.choose(rng) };
        *numbers[at] = (*other.unwrap()).into();
    }

    /// Puts another number somewhere into the tensors, with those of the output at the end.
    fn change_a_tensor(&mut self, rng: &mut ChaCha8Rng) {
        let last = self.tensors.len() - size_of::<i64>();
        let at = if rng.random() { last } else { rng.random_range(0..last) };
        let edge = EDGES.choose(rng).unwrap().to_le_bytes();
        self.tensors[at..at + edge.len()].copy_from_slice(&edge);
    }

    fn read(&self) -> Result<Net, String> {
        let mut bytes = content(&self.header, &self.tensors);
        let checksum = blake3::hash(&bytes);
        bytes.extend(checksum.as_bytes());
        Net::from_bytes(&bytes, Path::new("net.oplus")).map_err(|error| error.to_string())
    }
}

/// Centipawns in integers of 128 bits.
fn wide(net: &Net, scene: &Scene, turn: Color) -> i128 {
    let layers = net.architecture().layers.clone();
    let (scales, bucket) = (net.scales(), net.bucket(scene, turn));
    let sides = [turn, !turn].map(|perspective| sums(net, scene, perspective));
    let mix = scales.mix;
    let head = |side: &Sums| side.psqt.get(bucket).copied().unwrap_or(0);
    let head = head(&sides[0]) - head(&sides[1]);
    let mut output = 0;
    if let Some(scale) = scales.transformer {
        let cut = |sum: i128| (sum + half(scales.rounding, scale.shift)) >> scale.shift;
        let activate = |side: &Sums| -> Vec<i128> {
            let clipped: Vec<i128> =
                side.transformer.iter().map(|&sum| sum.clamp(0, scale.top.into())).collect();
            match layers.activation() {
                Activation::Pairwise => {
                    let (first, second) = clipped.split_at(clipped.len() / 2);
                    first.iter().zip(second).map(|(a, b)| cut(a * b)).collect()
                }
                Activation::SquaredClippedRelu => clipped.iter().map(|a| cut(a * a)).collect(),
                _ => clipped.into_iter().map(cut).collect(),
            }
        };
        let mut inputs = sides.each_ref().map(activate).concat();
        for (place, (hidden, scale)) in layers.hidden().iter().zip(&scales.hidden).enumerate() {
            let sums = dense(net, place, bucket, hidden.sums(), &inputs);
            let top = i128::from(scale.top);
            let power = (scale.top as u32 + 1).ilog2() + scale.shift;
            let clipped = |&sum: &i128| {
                (sum.clamp(0, top) + half(scales.rounding, scale.shift)) >> scale.shift
            };
            let squared = |sum: i128| (sum * sum) >> power;
            let (own, skipped) = sums.split_at(hidden.neurons);
            inputs = match hidden.activation {
                Activation::SquaredClippedRelu => {
                    own.iter().map(|sum| squared(*sum.clamp(&0, &top))).collect()
                }
                Activation::Dual => {
                    let squares = own.iter().map(|sum| squared(*sum.clamp(&-top, &top)));
                    squares.chain(own.iter().map(clipped)).collect()
                }
                _ => own.iter().map(clipped).collect(),
            };
            if let (Some(sum), Some(skip)) = (skipped.first(), scales.skip) {
                output += sum * i128::from(skip.times) / i128::from(skip.over);
            }
        }
        output += dense(net, layers.hidden().len(), bucket, 1, &inputs)[0];
    }
    let sum =
        output * i128::from(mix.output) + head * i128::from(mix.psqt) + i128::from(mix.whole / 2);
    sum.div_euclid(mix.whole.into())
}

fn half(rounding: Rounding, shift: u32) -> i128 {
    match rounding {
        Rounding::Nearest => (1 << shift) >> 1,
        Rounding::Down => 0,
    }
}

struct Sums {
    transformer: Vec<i128>,
    psqt: Vec<i128>,
}

/// Sums of a perspective.
fn sums(net: &Net, scene: &Scene, perspective: Color) -> Sums {
    let mut active: Vec<Feature> = Vec::new();
    net.features().active(scene, perspective, &mut active);
    let (columns, buckets) = (net.weights.ft_bias.len(), net.architecture().layers.psqt_columns());
    let mut digits: Vec<i128> = net.weights.ft_bias.iter().map(|&bias| bias.into()).collect();
    let mut psqt = vec![0_i128; buckets];
    for feature in active {
        let at = feature.0 as usize;
        let row = net.weights.ft_weights[at * columns..][..columns].iter();
        digits.iter_mut().zip(row).for_each(|(sum, &weight)| *sum += i128::from(weight));
        let counts = net.weights.psqt[at * buckets..][..buckets].iter();
        psqt.iter_mut().zip(counts).for_each(|(sum, &count)| *sum += i128::from(count));
    }
    let transformer = match net.scales().digits() {
        None => digits,
        Some(base) => {
            let (high, low) = digits.split_at(columns / 2);
            let base = i128::from(i32::from(base));
            high.iter().zip(low).map(|(high, low)| high * base + low).collect()
        }
    };
    Sums { transformer, psqt }
}

/// The sums of a dense layer.
fn dense(net: &Net, place: usize, bucket: usize, sums: usize, inputs: &[i128]) -> Vec<i128> {
    let layer = &net.weights.dense[place];
    let of = |neuron: usize| {
        let row = layer.weights[neuron * inputs.len()..][..inputs.len()].iter();
        let products = row.zip(inputs).map(|(&weight, input)| i128::from(weight) * input);
        i128::from(layer.bias[neuron]) + products.sum::<i128>()
    };
    (bucket * sums..(bucket + 1) * sums).map(of).collect()
}

/// The reference evaluation and that of the search.
fn narrow(net: &Arc<Net>, position: &PackedPosition) -> [i128; 2] {
    let turn = position.turn();
    let mut stack = AccumulatorStack::new(net.clone());
    stack.reset(&position.unpack().unwrap());
    let plain = net.evaluate(&Scene::from(position), turn);
    [plain.into(), stack.evaluate(turn).into()]
}

#[test]
fn evaluations_are_those_of_wide_integers() {
    let mut rng = ChaCha8Rng::seed_from_u64(24);
    let positions = random_positions(25, 200);
    let (mut read, mut refused) = (0, 0);
    for kind in all_kinds() {
        let (_, usual) = net("H + V", &kind, 26);
        for _ in 0..150 {
            let mut file = Opened::of(&usual);
            (0..rng.random_range(0..=2)).for_each(|_| file.change_a_scale(&mut rng));
            if rng.random_bool(0.3) {
                file.change_a_tensor(&mut rng);
            }
            let Ok(net) = file.read().map(Arc::new) else {
                refused += 1;
                continue;
            };
            read += 1;
            for position in positions.choose_multiple(&mut rng, 4) {
                let wide = wide(&net, &Scene::from(position), position.turn());
                assert_eq!(narrow(&net, position), [wide; 2], "{kind}: {}", file.header["scales"]);
            }
        }
    }
    assert!(read > 500 && refused > 500, "{read} read, {refused} refused");
}

/// Centipawns that overflow 32 bits at the very end, and sums that lead to them.
#[test]
fn numbers_with_which_centipawns_overflow_are_refused() {
    let (_, usual) = net("H", layers("16 -> 8 -> 1, psqt"), 27);
    let overflow = |file: &mut Opened| {
        let mix = &mut file.header["scales"]["mix"];
        (mix["output"], mix["whole"]) = (2_147_483_647_i64.into(), (1_i64 << 20).into());
    };
    let with = |change: &dyn Fn(&mut Opened)| {
        let mut file = Opened::of(&usual);
        change(&mut file);
        file.read().unwrap_err()
    };
    let message = with(&overflow);
    assert!(message.contains("centipawns, too much for 32 bits"), "{message}");
    let message = with(&|file| file.header["scales"]["mix"]["psqt"] = ((1_i64 << 48) - 1).into());
    assert!(message.contains("too much for"), "{message}");
    let message = with(&|file| {
        let last = file.tensors.len() - size_of::<i64>();
        file.tensors[last..].copy_from_slice(&i64::MAX.to_le_bytes());
    });
    assert!(message.contains("too much for 64 bits"), "{message}");
    // The same of an imported net, whose sums may wrap.
    let message = with(&|file| {
        file.header["provenance"] = serde_json::json!({ "imported": {} });
        overflow(file);
    });
    assert!(message.contains("centipawns, too much for 32 bits"), "{message}");
}
