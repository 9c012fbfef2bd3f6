//! Files made by hand, and the nets of the thesis against its own program.

mod indices;

use std::collections::BTreeMap;
use std::path::PathBuf;

use super::*;
use chess::{Position, Scene};
use nnue::quantise;

/// A net of block `h` with two neurons and one: only a rook on the a-file and a king on the e-file
/// have weights.
fn by_hand() -> Vec<u8> {
    let mut rows = [[0i16; 2]; 96];
    rows[6] = [50, -30]; // own rook, a
    rows[7] = [-40, 10]; // other rook, a
    rows[58] = [5, 7]; // own king, e
    file("h", [96, 2, 1], rows.as_flattened(), [10, 20], [64, 1, 2, 32])
}

fn file(set: &str, sizes: [u32; 3], w1: &[i16], b1: [i16; 2], w2: [i8; 4]) -> Vec<u8> {
    let mut bytes = set.as_bytes().to_vec();
    bytes.push(0);
    sizes.iter().for_each(|size| bytes.extend(size.to_le_bytes()));
    w1.iter().chain(&b1).for_each(|w| bytes.extend(w.to_le_bytes()));
    w2.iter().for_each(|w| bytes.extend(w.to_le_bytes()));
    bytes.extend(56i32.to_le_bytes());
    bytes.extend(10i8.to_le_bytes());
    bytes.extend((-100i32).to_le_bytes());
    bytes
}

fn to_net(net: &ThesisNet) -> Net {
    net.to_net(Value::Null).unwrap()
}

#[test]
fn reads_every_field() {
    let net = ThesisNet::from_bytes(&by_hand()).unwrap();
    assert_eq!(net.set(), "h");
    assert_eq!(net.features().canonical(), "piece(FILES * ROLES * COLORS)");
    assert_eq!(net.architecture(), &Architecture { features: 96, layers: layers(2, 1) });
    assert_eq!(net.ft_weights.len(), 192);
    assert_eq!(net.ft_weights[12..16], [50, -30, -40, 10]);
    assert_eq!(net.ft_bias, [10, 20]);
    assert_eq!(net.l2_weights, [64, 1, 2, 32]);
    assert_eq!(net.l2_bias, [56]);
    assert_eq!(net.out_weights, [10]);
    assert_eq!(net.out_bias, -100);
}

/// White sees sums 65, -3 and Black -25, 37. White to move: 64·65 + 32·37 + 56
/// = 5400, floored to 84 of 127; 840 - 100 = 740 sixteenths, floored to 46.
/// Black to move: 37 + 2·65 + 56 = 223, 3; -70, floored to -5.
#[test]
fn evaluates_as_calculated_by_hand() {
    let thesis = ThesisNet::from_bytes(&by_hand()).unwrap();
    let (weights, net) = (thesis.weights(), to_net(&thesis));
    for (fen, expected) in
        [("4k3/8/8/8/8/8/8/R3K3 w - - 0 1", 46), ("4k3/8/8/8/8/8/8/R3K3 b - - 0 1", -5)]
    {
        let position = Position::from_fen(fen).unwrap();
        let (scene, turn) = (Scene::from(&position), position.turn());
        assert_eq!(net.evaluate(&scene, turn), expected, "{fen}");
        let float = weights.evaluate(net.features(), &scene, turn);
        assert_eq!(float.round() as i32, expected, "{fen}: {float}");
    }
}

#[test]
fn integers_stay_the_same() {
    let thesis = ThesisNet::from_bytes(&by_hand()).unwrap();
    let net = to_net(&thesis);
    assert_eq!(*net.weights().ft_weights, *thesis.ft_weights);
    assert_eq!(net.weights().ft_bias, thesis.ft_bias);
    assert_eq!(net.weights().dense[0].weights, [64, 1, 2, 32]);
    assert_eq!(net.weights().dense[0].bias, [56 - 32], "half of 64 less");
    assert_eq!(net.weights().dense[1].weights, [10 * 127]);
    assert_eq!(net.weights().dense[1].bias, [(-100 - 8) * 64 * 127], "half of 16 less");
}

#[test]
fn the_whole_range_of_the_integers_is_kept() {
    let rows = [[i16::MIN, i16::MAX]; 96];
    let most = [i8::MIN, i8::MAX, i8::MIN, i8::MAX];
    let bytes = file("h", [96, 2, 1], rows.as_flattened(), [i16::MAX, i16::MIN], most);
    let thesis = ThesisNet::from_bytes(&bytes).unwrap();
    let net = to_net(&thesis);
    assert_eq!(*net.weights().ft_weights, *thesis.ft_weights);
    assert_eq!(net.weights().ft_bias, thesis.ft_bias);
    assert_eq!(net.weights().dense[0].weights, [-128, 127, -128, 127]);
}

#[test]
fn sums_beyond_32_bits_are_refused() {
    let mut bytes = by_hand();
    let b2 = bytes.len() - 9;
    bytes[b2..b2 + 4].copy_from_slice(&i32::MAX.to_le_bytes());
    let error = ThesisNet::from_bytes(&bytes).unwrap().to_net(Value::Null).unwrap_err();
    assert!(matches!(error, QuantiseError::DoesNotFit { .. }), "{error:?}");
}

#[test]
fn both_names_of_all_are_read_and_blocks_keep_their_order() {
    for (set, size, expression) in [
        ("all", 768, BLOCKS[0].1.to_owned()),
        ("hv", 768, BLOCKS[0].1.to_owned()),
        ("hv+v", 864, format!("{} + {}", BLOCKS[0].1, BLOCKS[2].1)),
        ("v+hv", 864, format!("{} + {}", BLOCKS[2].1, BLOCKS[0].1)),
    ] {
        let w1 = vec![0; size as usize * 2];
        let net = ThesisNet::from_bytes(&file(set, [size, 2, 1], &w1, [0; 2], [0; 4])).unwrap();
        assert_eq!(net.features().canonical(), expression, "{set}");
    }
}

/// The message for bytes that are no net.
fn refused(bytes: &[u8]) -> String {
    ThesisNet::from_bytes(bytes).unwrap_err().to_string()
}

#[test]
fn a_file_cut_anywhere_is_refused_with_the_field() {
    let bytes = by_hand();
    for end in 0..bytes.len() {
        assert!(ThesisNet::from_bytes(&bytes[..end]).is_err(), "cut at {end}");
    }
    // h, 0, N, L1, L2, W1, b1, W2, b2, W3, b3
    for (end, message) in [
        (1, "byte 0: no zero byte ends the feature set"),
        (5, "byte 2: N needs 4 bytes, the file has 3 more"),
        (6, "byte 6: L1 needs 4 bytes, the file has 0 more"),
        (13, "byte 10: L2 needs 4 bytes, the file has 3 more"),
        (100, "byte 14: W1 needs 384 bytes, the file has 86 more"),
        (398, "byte 398: b1 needs 4 bytes, the file has 0 more"),
        (405, "byte 402: W2 needs 4 bytes, the file has 3 more"),
        (406, "byte 406: b2 needs 4 bytes, the file has 0 more"),
        (410, "byte 410: W3 needs 1 bytes, the file has 0 more"),
        (414, "byte 411: b3 needs 4 bytes, the file has 3 more"),
    ] {
        let error = refused(&bytes[..end]);
        assert!(error.starts_with(message), "{error}");
    }
}

#[test]
fn bytes_after_the_net_are_refused() {
    let mut bytes = by_hand();
    bytes.extend([0, 0]);
    assert!(refused(&bytes).starts_with("byte 415: the net ends here, the file goes on for 2"));
}

#[test]
fn sizes_that_do_not_fit_are_refused() {
    let with = |sizes| file("h", sizes, &[0; 192], [0; 2], [0; 4]);
    assert!(
        refused(&with([95, 2, 1])).starts_with("byte 2: N is 95, but `h` has 96 features"),
        "{}",
        refused(&with([95, 2, 1]))
    );
    assert!(refused(&with([96, 0, 1])).starts_with("byte 6: L1 is 0"));
    assert!(refused(&with([96, 2, 0])).starts_with("byte 10: L2 is 0"));
    // Sizes beyond any memory are an error too, before any allocation.
    assert!(refused(&with([96, u32::MAX, u32::MAX])).starts_with("byte 14: W1 needs"));
}

#[test]
fn unknown_blocks_name_the_nearest() {
    for (set, message) in [
        ("h+dd1", "byte 2: `dd1` is no feature block of the thesis; did you mean `d1`?"),
        ("alll+ph", "byte 0: `alll` is no feature block of the thesis; did you mean `all`?"),
        ("H", "byte 0: `H` is no feature block of the thesis; did you mean `h`?"),
        ("all+", "byte 4: `` is no feature block of the thesis; did you mean"),
        ("king-all", "byte 0: `king-all` is no feature block of the thesis; it has all, h, v,"),
        ("OPLUSNET\u{1}", "byte 0: `OPLUSNET\\u{1}` is no feature block"),
    ] {
        let error = refused(&file(set, [96, 2, 1], &[0; 192], [0; 2], [0; 4]));
        assert!(error.starts_with(message), "{error}");
    }
    assert!(refused(&[0xff; 100]).starts_with("byte 0: no zero byte"));
    assert!(refused(&[0xff, 0]).starts_with("byte 0: `\u{fffd}` is no feature block"));
}

fn shared(name: &str) -> PathBuf {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared").join(name);
    assert!(path.exists(), "this test needs {} beside the checkout", path.display());
    path
}

#[derive(serde::Deserialize)]
struct Evaluated {
    fen: String,
    eval: BTreeMap<String, i32>,
}

/// Difference of two lists of evaluations.
#[derive(Debug)]
struct Difference {
    mean_absolute: f64,
    correlation: f64,
    largest: f64,
}

impl Difference {
    fn between(a: &[f64], b: &[f64]) -> Self {
        let n = a.len() as f64;
        let gaps = || a.iter().zip(b).map(|(a, b)| (a - b).abs());
        let mean = |values: &[f64]| values.iter().sum::<f64>() / n;
        let (mean_a, mean_b) = (mean(a), mean(b));
        let moment = |f: fn(f64, f64) -> f64| -> f64 {
            a.iter().zip(b).map(|(a, b)| f(a - mean_a, b - mean_b)).sum()
        };
        let spread = moment(|a, _| a * a).sqrt() * moment(|_, b| b * b).sqrt();
        Self {
            mean_absolute: gaps().sum::<f64>() / n,
            correlation: moment(|a, b| a * b) / spread,
            largest: gaps().fold(0.0, f64::max),
        }
    }

    /// Within the error of the floors in the thesis's program.
    fn is_small(&self) -> bool {
        self.mean_absolute <= 1.0 && self.correlation >= 0.999_99 && self.largest <= 8.0
    }
}

const NETS: [&str; 12] = [
    "all",
    "h_v",
    "d1_d2",
    "h_v_d1_d2",
    "all_h_v",
    "all_d1_d2",
    "all_h_v_d1_d2",
    "all_ph",
    "all_pv",
    "all_ph_pv",
    "all_mb",
    "all_mc",
];

#[test]
#[ignore = "needs ../shared; CI runs it with --ignored"]
fn evaluations_are_those_of_the_thesis_program() {
    let lines =
        std::fs::read_to_string(shared("reference/thesis_engine/thesis_evals.jsonl")).unwrap();
    let rows: Vec<Evaluated> = lines.lines().map(|l| serde_json::from_str(l).unwrap()).collect();
    let positions: Vec<Position> =
        rows.iter().map(|row| Position::from_fen(&row.fen).unwrap()).collect();
    assert_eq!(positions.len(), 400);
    for name in NETS {
        let path = shared("nets").join(name).with_extension("nn");
        let weights = ThesisNet::from_bytes(&std::fs::read(&path).unwrap()).unwrap().weights();
        let net = crate::import::net(&path, &Default::default()).unwrap();
        let expected: Vec<f64> = rows.iter().map(|row| f64::from(row.eval[name])).collect();
        let of = |evaluate: &dyn Fn(&Position) -> f64| {
            Difference::between(&positions.iter().map(evaluate).collect::<Vec<_>>(), &expected)
        };
        let float = of(&|p| f64::from(weights.evaluate(net.features(), &Scene::from(p), p.turn())));
        let integer = of(&|p| f64::from(net.evaluate(&Scene::from(p), p.turn())));
        let chosen = quantise(&weights, net.features(), serde_json::Value::Null).unwrap();
        let other = of(&|p| f64::from(chosen.evaluate(&Scene::from(p), p.turn())));
        println!(
            "{name}: float {float:?}, quantised {integer:?}, at {} {other:?}",
            chosen.scales()
        );
        assert!(float.is_small(), "{name}: {float:?}");
        assert!(integer.is_small(), "{name}: {integer:?}");
    }
}
