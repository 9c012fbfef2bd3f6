//! Exports read back by independent readers.

use std::io::{Cursor, Read};

use serde_json::Value;

use super::index::{self, FactorKind, Product, products};
use super::*;
use chess::Scene;
use features::{Feature, FeatureSet, Weighted};
use nnue::tensors::TensorName;
use nnue::testing::{all_kinds, net, random_positions};

const SETS: [&str; 15] = [
    "ALL",
    "H + V + D1",
    "ALL + PH + PV",
    "HALF-KA-HM",
    "KING * (H + V)",
    "(H + V) * piece(RANKS * {pawn} * {own})",
    "MC + PAWN-PAIRS + CASTLING + EN-PASSANT",
    "threat(SQUARES * {rook} * {own} * SQUARES * PIECES)",
    "phase(BANDS(4)) * ALL + mirror(attacks(FILES * PIECES))",
    "piece((FILES / [0, 1, 2, 3, 3, 2, 1, 0]) * PIECES) + king_offset(FILE_STEPS * PIECES)",
    "(PHASE + own_king.file) * V",
    "PASSED + ISOLATED + MOBILITY-COUNTS",
    "mirror(PINS + attackers(FILES * COLORS * COUNTS(3)) + attacks(FILE_STEPS{0, 1} * COLORS))",
    "ALL + mirror(own_king.file * H)",
    "PHASE * enemy_king.rank * count(piece(FILES * PIECES)) + KING * count(V)",
];

/// The index from the formula, given the classes, has the meaning of all its factors.
#[test]
fn the_formula_gives_the_index() {
    for text in SETS {
        let set = FeatureSet::parse(text).unwrap();
        let mut reached = 0;
        for product in products(set.expr()) {
            let sizes: Vec<u64> = product.factors.iter().map(|factor| size(&factor.leaf)).collect();
            let count: u64 = sizes.iter().product();
            reached += count;
            for tuple in (0..count).step_by(1 + count as usize / 200) {
                let (index, words) = place(&product, &sizes, tuple);
                let feature = Feature(u32::try_from(index).unwrap());
                assert_eq!(set.describe(feature), words, "{text}: {}", index::formula(&product));
            }
        }
        assert_eq!(reached, set.size() as u64, "{text}");
    }
}

fn size(kind: &FactorKind<'_>) -> u64 {
    match kind {
        FactorKind::Predicate(predicate) | FactorKind::Count(predicate) => predicate.size(),
        FactorKind::Scalar(_) => 1,
        FactorKind::Rows(_, rows) => rows.len() as u64,
        FactorKind::Classes { count, .. } => *count,
    }
}

/// The index of a tuple of the factors, and its description.
fn place(product: &Product<'_>, sizes: &[u64], mut tuple: u64) -> (u64, String) {
    let mut index = product.offset;
    let mut words = Vec::new();
    for (factor, size) in product.factors.iter().zip(sizes).rev() {
        let own = tuple % size;
        tuple /= size;
        index += own * factor.stride;
        let meaning = match factor.leaf {
            FactorKind::Predicate(predicate) => predicate.describe(own),
            FactorKind::Count(predicate) => format!("number of: {}", predicate.describe(own)),
            FactorKind::Scalar(scalar) => scalar.name().to_owned(),
            FactorKind::Rows(..) | FactorKind::Classes { .. } => unreachable!("no rows here"),
        };
        let mirrored = if factor.mirrored { " (mirrored)" } else { "" };
        words.push(meaning + mirrored);
    }
    words.reverse();
    // A mirror around a whole product is written once.
    let mut words = words.join(" and ");
    if words.matches(" (mirrored)").count() > 1 {
        words = words.replace(" (mirrored)", "") + " (mirrored)";
    }
    (index, words)
}

#[test]
fn formulas_read_as_one_writes_them() {
    let formula = |text: &str| {
        let set = FeatureSet::parse(text).unwrap();
        let formulas = products(set.expr()).iter().map(index::formula).collect::<Vec<_>>();
        formulas.join("; ")
    };
    for (text, expected) in [
        ("ALL", "12 * square + 2 * role + color"),
        ("H + V", "12 * file + 2 * role + color; 96 + 12 * rank + 2 * role + color"),
        ("KING-ALL", "768 * king.square + 12 * piece.square + 2 * piece.role + piece.color"),
        ("PV", "144 * file + 24 * role + 12 * color + 2 * role_2 + color_2"),
        ("both(SQUARES * {pawn} * COLORS)", "both_tuple"),
        ("rows(ALL, [7, 3]) + H", "row; 2 + 12 * file + 2 * role + color"),
        ("KING-ZONE + H", "class; 48 + 12 * file + 2 * role + color"),
        (
            "H * (piece(FILES) / [0, 0, 0, 0, 1, 1, 1, -])",
            "24 * piece.file + 4 * piece.role + 2 * piece.color + class",
        ),
        (
            "mirror(KING * (H + V))",
            "192 * king.square + 12 * piece.file + 2 * piece.role + piece.color; 96 + 192 * king.square + 12 * piece.rank + 2 * piece.role + piece.color",
        ),
    ] {
        assert_eq!(formula(text), expected, "{text}");
    }
    let set = FeatureSet::parse("piece(SQUARES * {pawn, rook} * COLORS)").unwrap();
    let legend = index::legend(&products(set.expr())[0]);
    let expected = ["SQUARES a1, b1, c1, … h8", "ROLES pawn, rook", "COLORS own, other"];
    assert_eq!(legend.iter().map(|(_, meaning)| meaning.as_str()).collect::<Vec<_>>(), expected);
}

/// The exported steps, computed in floating point, give the net's evaluation.
#[test]
fn values_are_whole_in_parts() {
    for text in
        ["LEORIK-18", "(ONE + PHASE) * count(V) + PHASE * KING", "mirror(own_king.file * ALL)"]
    {
        let (_, net) = net(text, nnue::testing::layers("1"), 5);
        let constants = inference::constants(&net, 1_024);
        let constant = |name| constants.iter().find(|c| c.name == name).unwrap().value;
        let (parts, whole) = (constant("PARTS"), constant("WHOLE"));
        for position in random_positions(6, 200) {
            let (scene, turn) = (Scene::from(&position), position.turn());
            let psqt = [turn, !turn].map(|side| {
                let mut active: Vec<Weighted> = Vec::new();
                net.features().active(&scene, side, &mut active);
                let counted = active.iter().map(|&Weighted { feature, value }| {
                    let value = f64::from(value) * parts as f64;
                    assert!((value - value.round()).abs() < 1e-3, "{text}: {value}");
                    i64::from(net.weights().psqt[feature.0 as usize]) * value.round() as i64
                });
                counted.sum::<i64>()
            });
            let centipawns = (psqt[0] - psqt[1] + whole / 2).div_euclid(whole);
            assert_eq!(centipawns, i64::from(net.evaluate(&scene, turn)), "{text}");
        }
    }
}

#[test]
fn values_are_defined() {
    let set = FeatureSet::parse("PHASE * own_king.file * count(V) + ALL").unwrap();
    let products = products(set.expr());
    let value = index::value(&products[0]).unwrap();
    assert!(value.starts_with("PHASE * own_king.file * the number of piece(RANKS"), "{value}");
    assert_eq!(index::value_legend(&products[0]).len(), 2);
    assert_eq!((index::value(&products[1]), index::value_legend(&products[1]).len()), (None, 0));
    let (_, net) = net("LEORIK-14", nnue::testing::layers("1"), 3);
    let lines = headline(&net, "net").join("\n");
    for line in [
        "value = own_king.file * own_king.file",
        "PHASE: max(0, 24 - knights",
        "(value(f) * PARTS)",
    ] {
        assert!(lines.contains(line), "{line} in {lines}");
    }
}

fn exported(net: &Net, format: ExportFormat) -> Vec<WrittenDataFile> {
    let settings = ExportSettings { stem: "net", search_scale: 1_024, bullet: None };
    export(net, format, &settings).unwrap().files
}

/// An entry of an archive.
fn entry(bytes: &[u8], name: &str) -> Vec<u8> {
    let mut archive = zip::ZipArchive::new(Cursor::new(bytes)).unwrap();
    let mut content = Vec::new();
    archive.by_name(name).unwrap().read_to_end(&mut content).unwrap();
    content
}

#[test]
fn archives_of_numpy_read_back() {
    for kind in all_kinds() {
        let (_, net) = net("H", &kind, 3);
        let files = exported(&net, ExportFormat::Npz);
        assert_eq!((files.len(), files[0].extension), (1, "npz"));
        for (name, values) in net.tensors() {
            let array = entry(&files[0].bytes, &format!("{}.npy", name.as_str()));
            let (head, numbers) = array.split_at(array.len() - values.to_le_bytes().len());
            assert_eq!(numbers, values.to_le_bytes());
            assert_eq!((&head[..8], head.len() % 64), (&b"\x93NUMPY\x01\x00"[..], 0));
            assert_eq!(usize::from(u16::from_le_bytes([head[8], head[9]])), head.len() - 10);
            let axes = name.axes(net.architecture(), net.scales());
            let sizes: String = axes.iter().map(|axis| format!("{},", axis.size)).collect();
            let text = std::str::from_utf8(&head[10..]).unwrap();
            assert!(text.contains(&format!("'shape': ({sizes}), }}")), "{text}");
            assert!(text.ends_with('\n'), "{text}");
        }
        let manifest: Value =
            serde_json::from_slice(&entry(&files[0].bytes, "oplus.json")).unwrap();
        assert_eq!(manifest["features"]["expression"], net.features().canonical());
        assert_eq!(exported(&net, ExportFormat::Npz), files, "the same again");
    }
}

#[test]
fn exported_floats_are_those_of_the_integers() {
    for kind in all_kinds() {
        let (_, net) = net("H", &kind, 3);
        let files = exported(&net, ExportFormat::Floats);
        let (weights, features) = floats::from_bytes(&files[0].bytes, &Default::default()).unwrap();
        assert_eq!((weights, features.canonical()), (net.to_floats(), net.features().canonical()));
    }
}

/// Both formats of other programs refuse most nets, and say so in a sentence.
#[test]
fn formats_of_other_programs_name_themselves_in_refusals() {
    let (_, net) = net("H", nnue::testing::layers("16 -> 8 -> 1"), 3);
    let settings = ExportSettings { stem: "net", search_scale: 1_024, bullet: None };
    for (format, message) in [
        (ExportFormat::Nnue, "no file of Stockfish 15.1: its layers are `16 -> 8 -> 1`"),
        (ExportFormat::Bullet, "no file of bullet: its layers are `16 -> 8 -> 1`"),
    ] {
        let error = export(&net, format, &settings).unwrap_err().to_string();
        assert!(error.starts_with(message), "{error}");
    }
}

#[test]
fn safetensors_read_back() {
    for kind in all_kinds() {
        let (_, net) = net("H", &kind, 3);
        let files = exported(&net, ExportFormat::Safetensors);
        let read = ::safetensors::SafeTensors::deserialize(&files[0].bytes).unwrap();
        let names = TensorName::of(&kind.layers);
        assert_eq!(read.len(), names.len());
        for name in names {
            let tensor = read.tensor(name.as_str()).unwrap();
            assert_eq!(tensor.data(), net.values(name).to_le_bytes());
            assert_eq!(
                tensor.shape().iter().product::<usize>(),
                name.len(net.architecture(), net.scales()).unwrap()
            );
        }
        let (_, metadata) = ::safetensors::SafeTensors::read_metadata(&files[0].bytes).unwrap();
        let manifest = &metadata.metadata().as_ref().unwrap()["oplus"];
        let manifest: Value = serde_json::from_str(manifest).unwrap();
        assert_eq!(manifest["features"]["expression"], net.features().canonical());
        assert_eq!(exported(&net, ExportFormat::Safetensors), files, "the same again");
    }
}

#[test]
fn blocks_are_aligned_and_apart() {
    for kind in all_kinds() {
        let (_, net) = net("V", &kind, 4);
        let blocks = Blocks::of(&net);
        let bytes = blocks.bytes(&net);
        assert_eq!((bytes.len(), bytes.len() % blocks::ALIGNMENT), (blocks.bytes, 0));
        let mut end = 0;
        for block in &blocks.blocks {
            assert!(block.offset >= end && block.offset % blocks::ALIGNMENT == 0);
            assert!(bytes[end..block.offset].iter().all(|&byte| byte == 0));
            end = block.offset + block.bytes;
            assert_eq!(bytes[block.offset..end], net.values(block.name).to_le_bytes());
        }
        assert!(bytes[end..].iter().all(|&byte| byte == 0));
    }
}
