//! Small files made by hand, whole and damaged.

mod engine;
mod evaluate;
mod export;
mod indices;

use std::collections::HashSet;
use std::path::Path;

use chess::random_game::random_game;
use chess::{Position, Scene};
use proptest::prelude::*;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde_json::json;

use super::*;
use crate::foreign::FieldError;
use crate::foreign::tests::with_mix;
use nnue::Mix;
use nnue::testing::random_positions;
use nnue::{AccumulatorStack, Net};

/// Two products, one of each side; one activated sum and the one that skips.
const SMALL: Sizes = Sizes { l1: 2, l2: 1, l3: 2, buckets: 2 };

const DESCRIPTION: &str = "made by hand";

/// A file, field by field, and where each begins.
#[derive(Default)]
struct Written {
    bytes: Vec<u8>,
    borders: Vec<usize>,
    padding: u8,
}

impl Written {
    fn field<const N: usize>(&mut self, numbers: impl IntoIterator<Item = [u8; N]>) {
        self.borders.push(self.bytes.len());
        numbers.into_iter().for_each(|number| self.bytes.extend(number));
    }

    fn words(&mut self, words: &[u32]) {
        self.field(words.iter().map(|word| word.to_le_bytes()));
    }

    fn sums(&mut self, biases: &[i32]) {
        self.field(biases.iter().map(|bias| bias.to_le_bytes()));
    }

    /// Rows of weights, each filled up to 32.
    fn rows(&mut self, rows: &[&[i8]]) {
        let padding = [self.padding as i8; 32];
        let filled = |row: &&[i8]| [row, &padding[row.len()..]].concat();
        self.field(rows.iter().flat_map(filled).map(i8::to_le_bytes));
    }
}

/// The net of [`evaluates_as_calculated_by_hand`]. No input reads its padding.
fn by_hand() -> Written {
    padded_with(0x55)
}

fn padded_with(padding: u8) -> Written {
    let mut rows = vec![[0i16; 2]; 22_528];
    let mut psqt = vec![[0i32; 2]; 22_528];
    for (index, row, values) in [
        (ROOK_OF_WHITE, [50, 30], [1000, 2000]),
        (ROOK_OF_BLACK, [-50, 10], [-999, -2000]),
        (KING, [7, 5], [1, 1]),
    ] {
        (rows[index], psqt[index]) = (row, values);
    }
    let mut file = Written { padding, ..Written::default() };
    file.words(&[0x7af3_2f20]);
    file.words(&[hashes::network(SMALL)]);
    file.words(&[DESCRIPTION.len() as u32]);
    file.field(DESCRIPTION.bytes().map(|byte| [byte]));
    file.words(&[hashes::transformer(SMALL)]);
    file.field([100i16, 90].map(i16::to_le_bytes));
    file.field(rows.as_flattened().iter().map(|weight| weight.to_le_bytes()));
    file.field(psqt.as_flattened().iter().map(|value| value.to_le_bytes()));
    for bucket in 0..2 {
        file.words(&[hashes::stack(SMALL)]);
        file.sums(&[64, -1000 * bucket]);
        file.rows(&[&[60, -20], &[1, 2]]);
        file.sums(&[0, 640]);
        file.rows(&[&[2, 100], &[-3, -4]]);
        file.sums(&[16 * bucket]);
        file.rows(&[&[3, -5]]);
    }
    file
}

/// White's king on e1 is on king square 31, Black's on e8 on 31 too. A white rook on a1 is to
/// White plane 6, square 0; to Black plane 7, square 56. White's own king is on square
/// 4 of plane 10.
const ROOK_OF_WHITE: usize = 704 * 31 + 64 * 6;
const ROOK_OF_BLACK: usize = 704 * 31 + 64 * 7 + 56;
const KING: usize = 704 * 31 + 64 * 10 + 4;

fn small(bytes: &[u8]) -> Result<StockfishNet, StockfishError> {
    StockfishNet::of_sizes(bytes, SMALL)
}

#[test]
fn reads_every_field() {
    let net = small(&by_hand().bytes).unwrap();
    assert_eq!(net.description(), DESCRIPTION);
    assert_eq!(net.biases, [100, 90]);
    assert_eq!(net.weights.len(), 2 * 22_528);
    assert_eq!(net.weights[2 * ROOK_OF_BLACK..][..2], [-50, 10]);
    assert_eq!(net.psqt.len(), 2 * 22_528);
    assert_eq!(net.psqt[2 * ROOK_OF_WHITE..][..2], [1000, 2000]);
    assert_eq!(net.stacks.len(), 2);
    for (bucket, stack) in net.stacks.iter().enumerate() {
        assert_eq!(stack.fc_0.biases, [64, -1000 * bucket as i32]);
        assert_eq!(stack.fc_0.weights, [60, -20, 1, 2]);
        assert_eq!(stack.fc_1, Affine { biases: vec![0, 640], weights: vec![2, 100, -3, -4] });
        assert_eq!(stack.fc_2, Affine { biases: vec![16 * bucket as i32], weights: vec![3, -5] });
    }
}

/// White sees sums 100 + 50 + 7 = 157 and 90 + 30 + 5 = 125, Black 57 and
/// 105: 127 · 125 and 57 · 105 over 128 are 124 and 46.
///
/// White to move: 60·124 - 20·46 + 64 = 6,584, squared 82 and clipped 102; the
/// other is 124 + 92 = 216. Then 2·82 + 100·102 = 10,364, clipped 127, and
/// 640 - 246 - 408 < 0. So 381 + 216·9,600/8,128 = 381 + 255; in the other
/// bucket 381 + 16 - (784·9,600/8,128 = 925).
///
/// Black to move: 60·46 - 20·124 + 64 = 344, squared 0 and clipped 5; 46 + 248 = 294.
/// 500, clipped 7, and 640 - 20 = 620, clipped 9: 21 - 45 + 347; in the other bucket
/// 21 - 45 + 16 - 833.
///
/// Piece-square values: White has 1,000 + 1 and 2,001, Black -998 and -1,999; halved
/// 999 (of 1,999) and 2,000.
#[test]
fn evaluates_as_calculated_by_hand() {
    let net = small(&by_hand().bytes).unwrap();
    let terms = |turn: &str| {
        let fen = format!("4k3/8/8/8/8/8/8/R3K3 {turn} - - 0 1");
        let position = Position::from_fen(&fen).unwrap();
        let scene = Scene::from(&position);
        assert_eq!(net.bucket(&scene), 0);
        let terms = net.terms(&scene, position.turn());
        assert_eq!(net.evaluate(&scene, position.turn()), terms[0]);
        terms.into_iter().map(|t| (t.psqt, t.positional)).collect::<Vec<_>>()
    };
    assert_eq!(terms("w"), [(999, 381 + 255), (2000, 381 + 16 - 925)]);
    assert_eq!(terms("b"), [(-999, 21 - 45 + 347), (-2000, 21 - 45 + 16 - 833)]);
}

#[test]
fn four_numbers_of_pieces_share_a_bucket() {
    let mut net = small(&by_hand().bytes).unwrap();
    net.sizes = SIZES;
    for (fen, bucket) in [
        ("4k3/8/8/8/8/8/8/4K3 w - - 0 1", 0),
        ("4k3/8/8/8/8/8/8/RR2K3 w - - 0 1", 0),
        ("4k3/8/8/8/8/8/8/RRR1K3 w - - 0 1", 1),
        ("rnbqkbnr/pppppppp/8/8/8/8/PPP5/RNBQKBNR w - - 0 1", 6),
        ("rnbqkbnr/pppppppp/8/8/8/8/PPPPP3/RNBQKBNR w - - 0 1", 7),
        ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w - - 0 1", 7),
    ] {
        let position = Position::from_fen(fen).unwrap();
        assert_eq!(net.bucket(&Scene::from(&position)), bucket, "{fen}");
    }
}

/// Sizes within the grammar of the layers.
const MEDIUM: Sizes = Sizes { l1: 32, l2: 7, l3: 8, buckets: 8 };

/// A net of random numbers, as large as those of trained nets.
fn random(seed: u64) -> StockfishNet {
    let Sizes { l1, l2, l3, buckets } = MEDIUM;
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut numbers = |count: usize, most: i32| -> Vec<i32> {
        (0..count).map(|_| rng.random_range(-most..=most)).collect()
    };
    let features = SET.size();
    let short = |values: Vec<i32>| values.into_iter().map(|value| value as i16).collect();
    let biases = short(numbers(l1, 100));
    let weights = short(numbers(features * l1, 40));
    let psqt = numbers(features * buckets, 20_000);
    let mut affine = |inputs: usize, outputs: usize| Affine {
        biases: numbers(outputs, 4000),
        weights: numbers(inputs * outputs, 127).into_iter().map(|w| w as i8).collect(),
    };
    let mut stack =
        || Stack { fc_0: affine(l1, l2 + 1), fc_1: affine(2 * l2, l3), fc_2: affine(l3, 1) };
    let stacks = (0..buckets).map(|_| stack()).collect();
    StockfishNet { description: String::new(), sizes: MEDIUM, biases, weights, psqt, stacks }
}

#[test]
fn converted_nets_keep_their_integers_and_can_be_read_again() {
    let foreign = random(1);
    let net = foreign.to_net(json!({ "imported": {} })).unwrap();
    let line = "32 pairwise -> 7 dual + skip -> 8 -> 1, buckets 8, psqt";
    assert_eq!(net.architecture().layers.to_string(), line);
    assert_eq!(*net.weights().ft_weights, *foreign.weights);
    assert_eq!(net.weights().ft_bias, foreign.biases);
    assert_eq!(net.weights().psqt, foreign.psqt);
    for (dense, of) in net.weights().dense.iter().zip([
        (|stack| &stack.fc_0) as fn(&Stack) -> &Affine,
        |stack| &stack.fc_1,
        |stack| &stack.fc_2,
    ]) {
        let weights = foreign.stacks.iter().flat_map(|stack| &of(stack).weights);
        assert!(weights.map(|&weight| i32::from(weight)).eq(dense.weights.iter().copied()));
        let biases = foreign.stacks.iter().flat_map(|stack| &of(stack).biases);
        assert!(biases.map(|&bias| i64::from(bias)).eq(dense.bias.iter().copied()));
    }
    let bytes = net.to_bytes();
    let again = Net::from_bytes(&bytes, Path::new("again.oplus")).unwrap();
    assert_eq!(again.to_bytes(), bytes);
}

/// The net without the last division, split into the terms of the layers and of the piece-square
/// values.
pub(super) fn undivided(net: &Net) -> [Net; 2] {
    [Mix { output: 1, psqt: 0, whole: 1 }, Mix { output: 0, psqt: 1, whole: 1 }]
        .map(|mix| with_mix(net, mix))
}

#[test]
fn sums_of_converted_nets_are_those_of_stockfish() {
    let mut seen = HashSet::new();
    for seed in 0..4 {
        let foreign = random(seed);
        let net = foreign.to_net(json!({})).unwrap();
        let [layers, psqt] = undivided(&net);
        for position in random_positions(seed, 500) {
            let (scene, turn) = (Scene::from(&position), position.turn());
            let terms = foreign.evaluate(&scene, turn);
            let (positional, twice) = (layers.evaluate(&scene, turn), psqt.evaluate(&scene, turn));
            assert_eq!((twice / 2, positional), (terms.psqt, terms.positional));
            let pawns = f64::from(2 * positional + twice) / 32.0 / 361.0;
            let centipawns = (100.0 * pawns + 0.5).floor() as i32;
            assert_eq!(net.evaluate(&scene, turn), centipawns);
            seen.insert(centipawns);
        }
    }
    assert!(seen.len() > 500, "{}", seen.len());
}

#[test]
fn converted_nets_follow_the_moves() {
    let net = Arc::new(random(5).to_net(json!({})).unwrap());
    for seed in 0..40 {
        let mut accumulators = AccumulatorStack::new(net.clone());
        let game = random_game(seed, 80);
        let mut position = game.start;
        accumulators.reset(&position);
        for played in game.moves {
            let change = position.change(played.played);
            position.play(played.played);
            accumulators.push(change, &position);
            let (scene, turn) = (Scene::from(&position), position.turn());
            assert_eq!(accumulators.evaluate(turn), net.evaluate(&scene, turn));
        }
    }
}

#[test]
fn piece_square_values_beyond_an_accumulator_are_refused() {
    let mut foreign = random(6);
    foreign.psqt[8 * 77 + 3] = -2_000_000;
    let error = foreign.to_net(json!({})).unwrap_err().to_string();
    let message = "the piece-square value of feature 77 in bucket 3 is -2000000; values have to be";
    assert!(error.starts_with(message), "{error}");
}

/// The error of bytes that are no net.
fn refused(bytes: &[u8]) -> String {
    small(bytes).unwrap_err().to_string()
}

/// Fields in the messages about a file cut at their border.
const FIELDS: [&str; 22] = [
    "the version",
    "the hash of the net",
    "the length of the description",
    "the description",
    "the hash of the feature transformer",
    "biases",
    "weights",
    "piece-square values",
    "the hash of bucket 0",
    "biases of fc_0 of bucket 0",
    "weights of fc_0 of bucket 0",
    "biases of fc_1 of bucket 0",
    "weights of fc_1 of bucket 0",
    "biases of fc_2 of bucket 0",
    "weights of fc_2 of bucket 0",
    "the hash of bucket 1",
    "biases of fc_0 of bucket 1",
    "weights of fc_0 of bucket 1",
    "biases of fc_1 of bucket 1",
    "weights of fc_1 of bucket 1",
    "biases of fc_2 of bucket 1",
    "weights of fc_2 of bucket 1",
];

#[test]
fn a_file_cut_at_a_border_is_refused_with_the_field() {
    let Written { bytes, borders, .. } = by_hand();
    assert_eq!(borders.len(), FIELDS.len());
    let ends = borders[1..].iter().copied().chain([bytes.len()]);
    for ((&begin, end), field) in borders.iter().zip(ends).zip(FIELDS) {
        let needed = end - begin;
        for left in [0, 1, needed - 1] {
            let message =
                format!("byte {begin}: {field} needs {needed} bytes, the file has {left} more;");
            let error = refused(&bytes[..begin + left]);
            assert!(error.starts_with(&message), "{error}\n{message}");
        }
    }
}

proptest! {
    #[test]
    fn a_file_cut_anywhere_is_refused(cut in 0.0..1.0) {
        let Written { bytes, borders, .. } = by_hand();
        let end = (bytes.len() as f64 * cut) as usize;
        let begin = borders.into_iter().rfind(|&border| border <= end).unwrap();
        match small(&bytes[..end]).unwrap_err() {
            StockfishError::Fields(FieldError::Truncated { at, needed, left, .. }) => {
                prop_assert_eq!((at, left), (begin, end - begin));
                prop_assert!(needed > left);
            }
            other => prop_assert!(false, "{other}"),
        }
    }
}

#[test]
fn bytes_after_the_net_are_refused() {
    let mut bytes = by_hand().bytes;
    let end = bytes.len();
    bytes.push(0);
    let message = format!("byte {end}: the net ends here, the file goes on for 1 bytes");
    assert!(refused(&bytes).starts_with(&message));
}

#[test]
fn other_formats_and_other_layers_are_refused() {
    let Written { bytes, borders, .. } = by_hand();
    for (field, message) in [
        (0, "byte 0: the version is 0xffffffff, that of a net of Stockfish is 0x7af32f20"),
        (1, "byte 4: the hash of the net is 0xffffffff, that of a net of Stockfish 15.1 is 0x"),
        (4, "byte 24: the hash of the feature transformer is 0xffffffff, that of"),
        (8, "byte 270368: the hash of bucket 0 is 0xffffffff, that of"),
        (15, "byte 270552: the hash of bucket 1 is 0xffffffff, that of"),
    ] {
        let mut other = bytes.clone();
        other[borders[field]..][..4].fill(0xff);
        let error = refused(&other);
        assert!(error.starts_with(message), "{error}");
    }
    // A small net is none of Stockfish 15.1, whose layers are wider.
    let error = StockfishNet::from_bytes(&bytes).unwrap_err().to_string();
    let expected = "0x1c102ef2; other versions have other layers: import what `export_net`";
    assert!(error.contains(expected), "{error}");
}

#[test]
fn a_description_longer_than_the_file_is_refused() {
    let Written { mut bytes, borders, .. } = by_hand();
    bytes[borders[2]..][..4].fill(0xff);
    let message = "byte 12: the description needs 4294967295 bytes, the file has";
    assert!(refused(&bytes).starts_with(message));
}

#[test]
fn invalid_descriptions_have_replacement_characters() {
    let Written { mut bytes, borders, .. } = by_hand();
    bytes[borders[3]] = 0xff;
    assert_eq!(small(&bytes).unwrap().description(), "\u{fffd}ade by hand");
}

#[test]
fn nets_of_stockfish_15_are_not_mistaken() {
    let Written { mut bytes, borders, .. } = by_hand();
    for fc_1 in [12, 19] {
        assert!(small(&bytes).is_ok());
        let weights = &mut bytes[borders[fc_1]..borders[fc_1 + 1]];
        weights.chunks_mut(32).for_each(|row| row[1..].fill(0));
    }
    let message = "byte 270368: fc_1 has no weights for the last 1 of its inputs in any bucket";
    assert!(refused(&bytes).starts_with(message), "{}", refused(&bytes));
}

#[test]
fn files_are_recognised_by_their_first_bytes() {
    assert!(StockfishNet::recognises(&by_hand().bytes));
    assert!(!StockfishNet::recognises(b"OPLUSNET"));
    assert!(!StockfishNet::recognises(&[0x20, 0x2f, 0xf3]));
}
