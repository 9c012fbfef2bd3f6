//! Files read back, and invalid files refused.

mod wide;

use std::path::Path;

use proptest::prelude::*;
use serde_json::json;

use super::*;
use crate::quantise::quantise_at;
use crate::testing::{Kind, Rows, all_kinds, layers, net, random_positions};
use crate::{Base, Layers, Scales, TransformerScale};
use chess::Scene;

/// Offset of the tensors.
fn tensors_at(bytes: &[u8]) -> usize {
    HEADER_AT + u32::from_le_bytes(bytes[12..16].try_into().unwrap()) as usize
}

/// A file with the right length of its header and the right checksum.
fn sealed(header: &[u8], tensors: &[u8]) -> Vec<u8> {
    let length = (header.len() as u32).to_le_bytes();
    let mut bytes = [MAGIC, &VERSION.to_le_bytes()[..], &length, header, tensors].concat();
    let checksum = blake3::hash(&bytes);
    bytes.extend(checksum.as_bytes());
    bytes
}

/// The file with another header.
fn with_header(bytes: &[u8], change: impl FnOnce(&mut Value)) -> Vec<u8> {
    let tensors_at = tensors_at(bytes);
    let mut header: Value = serde_json::from_slice(&bytes[HEADER_AT..tensors_at]).unwrap();
    change(&mut header);
    let header = header.to_string().into_bytes();
    sealed(&header, &bytes[tensors_at..bytes.len() - CHECKSUM_BYTES])
}

fn read(bytes: &[u8]) -> Result<Net, Problem> {
    Net::from_bytes(bytes, Path::new("net.oplus")).map_err(|error| error.problem)
}

fn refused(bytes: &[u8]) -> String {
    read(bytes).map(|net| net.architecture().clone()).unwrap_err().to_string()
}

#[test]
fn a_file_reads_back_as_the_same_net() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("net.oplus");
    for kind in all_kinds() {
        let (_, net) = net("ALL + PV", &kind, 5);
        net.save(&path).unwrap();
        let again = Net::load(&path).unwrap();
        assert_eq!(again.to_bytes(), net.to_bytes());
        assert_eq!(again.architecture(), net.architecture());
        for position in random_positions(6, 50) {
            let (scene, turn) = (Scene::from(&position), position.turn());
            assert_eq!(again.evaluate(&scene, turn), net.evaluate(&scene, turn));
        }
    }
}

#[test]
fn shifts_that_leave_nothing_are_refused() {
    for line in ["8 -> 8 -> 1", "8 -> 1"] {
        let bytes = net("H", layers(line), 14).1.to_bytes();
        for shift in [15, 16, 31, 32, u32::MAX] {
            let message = refused(&with_header(&bytes, |h| {
                h["scales"]["transformer"]["shift"] = shift.into();
            }));
            assert!(message.contains("out of range"), "{shift}: {message}");
        }
    }
    let linear = net("H", Layers::linear(), 14).1.to_bytes();
    let transformer = json!({ "one": 64, "top": 64, "shift": 1 });
    let message = refused(&with_header(&linear, |h| h["scales"]["transformer"] = transformer));
    assert!(message.contains("or not of layers"), "{message}");
}

#[test]
fn bases_that_make_no_digits_are_refused() {
    let (weights, wide) = net("H", Kind { layers: layers("8 -> 8 -> 1"), rows: Rows::Large }, 13);
    // Low digits so large that few of them fill 16 bits.
    let base = Base::try_from(1 << 14).ok();
    let transformer = wide.scales().transformer.map(|it| TransformerScale { base, ..it });
    let scales = Scales { transformer, ..wide.scales().clone() };
    let unsafe_base = quantise_at(scales, &weights, wide.features(), Value::Null).unwrap();
    assert!(refused(&unsafe_base.to_bytes()).contains("its accumulators can reach"));
    let wide = wide.to_bytes();
    let linear = net("H", Layers::linear(), 13).1.to_bytes();
    let of_sums = |base: Value| {
        refused(&with_header(&wide, |header| header["scales"]["transformer"]["base"] = base))
    };
    assert!(of_sums(1.into()).contains("base = 1: digits of 16 bits"));
    assert!(of_sums(32_768.into()).contains("base = 32768"));
    assert!(of_sums(Value::Null).contains("bytes are needed"));
    let of_head =
        |base: Value| refused(&with_header(&linear, |header| header["scales"]["psqt"] = base));
    assert!(of_head(1.into()).contains("base = 1: digits of 16 bits"));
    assert!(of_head(Value::Null).contains("or not of layers"));
}

#[test]
fn the_fingerprint_ignores_provenance() {
    let (_, first) = net("H", layers("8 -> 8 -> 1"), 1);
    let (_, other) = net("H", layers("8 -> 8 -> 1"), 2);
    let later = with_header(&first.to_bytes(), |header| {
        header["provenance"] = json!({ "date": "2000-01-01T00:00:00Z" });
    });
    let later = read(&later).unwrap();
    assert_ne!(later.to_bytes(), first.to_bytes());
    assert_eq!(later.fingerprint(), first.fingerprint());
    assert_ne!(other.fingerprint(), first.fingerprint());
}

#[test]
fn a_file_cut_anywhere_is_refused_with_its_length() {
    let bytes = net("piece({a, b} * {pawn})", layers("8 -> 8 -> 1"), 7).1.to_bytes();
    for end in 0..bytes.len() {
        let message = refused(&bytes[..end]);
        let expected = match end {
            0 => "byte 0: expected the magic `OPLUSNET`, found ``".to_owned(),
            _ => format!("byte {end}: the file ends here"),
        };
        assert!(message.contains(&expected), "cut at {end}: {message}");
    }
    let whole = format!("where {} bytes are needed", bytes.len());
    assert!(refused(&bytes[..bytes.len() - 1]).contains(&whole));
    assert!(refused(&bytes[..tensors_at(&bytes) + CHECKSUM_BYTES]).contains(&whole));
    assert!(refused(&[&bytes[..], b"more"].concat()).contains(&whole));
}

#[test]
fn every_flipped_bit_is_found() {
    let bytes = net("piece({a, b} * {pawn})", layers("8 -> 8 -> 1"), 8).1.to_bytes();
    for bit in 0..bytes.len() * 8 {
        let mut damaged = bytes.clone();
        damaged[bit / 8] ^= 1 << (bit % 8);
        let problem = read(&damaged).map(|net| net.architecture().clone()).unwrap_err();
        let suits = match bit / 8 {
            0..8 => matches!(problem, Problem::Magic { .. }),
            8..12 => matches!(problem, Problem::Version { .. }),
            at if at < tensors_at(&bytes) => {
                matches!(problem, Problem::Length { .. } | Problem::Checksum { .. })
            }
            _ => matches!(problem, Problem::Checksum { .. }),
        };
        assert!(suits, "bit {bit}: {problem}");
    }
}

#[test]
fn headers_that_make_no_net_are_refused() {
    let squared = layers("16 screlu -> 8 screlu -> 1, buckets 4");
    let bytes = net("H", squared, 11).1.to_bytes();
    let with = |change: &dyn Fn(&mut Value)| refused(&with_header(&bytes, change));
    assert!(read(&with_header(&bytes, |_| {})).is_ok());
    let layers = |header: &mut Value, line: &str| header["architecture"]["layers"] = line.into();
    let buckets = |header: &mut Value, count: u32| {
        layers(header, &format!("16 screlu -> 8 screlu -> 1, buckets {count}"));
    };
    for (change, expected) in [
        (&(|h: &mut _| buckets(h, 33)) as &dyn Fn(&mut _), "1 to 32 buckets by pieces"),
        (&|h| buckets(h, 0), "1 to 32 buckets by pieces"),
        (&|h| layers(h, "16 relu -> 1"), "unknown activation `relu`"),
        (&|h| layers(h, "0 -> 1"), "0 neurons are no multiple of 8"),
        (&|h| layers(h, "40000 -> 8 -> 1"), "a layer has at most 32768"),
        (&|h| layers(h, "16 -> 40000 -> 1"), "a layer has at most 32768"),
        (&|h| h["architecture"]["layers"] = 16.into(), "invalid type: integer `16`"),
        (&|h| h["architecture"]["features"] = json!(usize::MAX), "bytes are needed"),
        (&|h| buckets(h, 5), "bytes are needed"),
        (&|h| h["scales"]["transformer"]["one"] = 0.into(), "are out of range"),
        (&|h| h["scales"]["hidden"][0]["weights"] = 0.into(), "are out of range"),
        (&|h| h["scales"]["hidden"][0]["top"] = 100.into(), "are out of range"),
        (&|h| h["expression"] = "V + H".into(), "`piece(RANKS * ROLES * COLORS) +"),
        (&|h| h["expression"] = "V".into(), "has the hash"),
        (&|h| h["expression"] = "HH".into(), "unknown feature set `HH`"),
        (&|h| h["expression"] = "top(ALL, \"/etc/passwd\")".into(), "names a file"),
        (&|h| h["expression"] = "count(piece(FILES * PIECES))".into(), "valued set"),
        (&|h| h["scales"] = Value::Null, "byte "),
        (&|h| *h = json!([1, 2]), "byte "),
    ] {
        // A refusal for the features needs their correct hash.
        let change = |header: &mut Value| {
            change(header);
            let expression = header["expression"].as_str().unwrap_or_default();
            if let Ok(set) = features::FeatureSet::parse(expression)
                && set.is_valued()
            {
                header["features_hash"] = set.hash().into();
            }
        };
        let message = with(&change);
        assert!(message.contains(expected), "{expected}: {message}");
    }
}

#[test]
fn headers_that_do_not_suit_their_line_are_refused() {
    let line = "32 pairwise -> 15 dual + skip -> 8 -> 1, buckets 8, psqt";
    let bytes = net("H", layers(line), 11).1.to_bytes();
    let with = |change: &dyn Fn(&mut Value)| refused(&with_header(&bytes, change));
    assert!(read(&with_header(&bytes, |_| {})).is_ok());
    let change = |h: &mut Value, layers: &str| h["architecture"]["layers"] = layers.into();
    for (alter, expected) in [
        (&(|h: &mut _| change(h, "31 pairwise -> 1")) as &dyn Fn(&mut _), "no multiple of 16"),
        (&|h| change(h, "32 pairwise -> 16 dual -> 8 -> 1, buckets 8, psqt"), "or not of layers"),
        (&|h| change(h, "32 -> 15 dual + skip -> 8 -> 1, buckets 8, psqt"), "or not of layers"),
        (&|h| h["scales"]["transformer"]["top"] = 300.into(), "out of range"),
        (&|h| h["scales"]["transformer"]["shift"] = 24.into(), "out of range"),
        (&|h| h["scales"]["hidden"][0]["top"] = 100.into(), "out of range"),
        (&|h| h["scales"]["hidden"][0]["weights"] = 0.into(), "out of range"),
        (&|h| h["scales"]["hidden"] = json!([]), "or not of layers"),
        (&|h| h["scales"]["skip"]["over"] = 0.into(), "out of range"),
        (&|h| h["scales"]["mix"]["whole"] = 0.into(), "out of range"),
        (&|h| h["scales"]["psqt"] = Value::Null, "or not of layers"),
        (&|h| h["scales"]["more"] = 1.into(), "unknown field `more`"),
        (&|h| h["scales"]["psqt"] = 20_000.into(), "its accumulators can reach"),
    ] {
        let message = with(alter);
        assert!(message.contains(expected), "{expected}: {message}");
    }
}

#[test]
fn foreign_sets_are_refused_with_a_remedy() {
    let bytes = net("H", layers("8 -> 8 -> 1"), 11).1.to_bytes();
    for (expression, expected) in [
        ("threat(SQUARES * (PIECES / ONE-KING) * SQUARES * PIECES)", " features, the net 96;"),
        ("threat(SQUARES * {own knight} * {other pawn})", "one place, SQUARES, but not whose"),
    ] {
        let change = |header: &mut Value| header["expression"] = expression.into();
        let message = refused(&with_header(&bytes, change));
        assert!(message.contains(expected) && message.contains("train again"), "{message}");
    }
}

#[test]
fn mistakes_in_a_header_are_shown_at_their_byte() {
    let message = refused(&sealed(b"{\"expression\": 5}", b""));
    assert!(message.starts_with("byte 31, header: invalid type: integer `5`"), "{message}");
    let message = refused(&sealed(b"{\n\n  x}", b""));
    assert!(message.starts_with("byte 21, header: key must be a string"), "{message}");
    let message = refused(&sealed(b"", b""));
    assert!(message.starts_with("byte 16, header: EOF"), "{message}");
}

#[test]
fn other_versions_and_other_files_have_distinct_errors() {
    let (_, net) = net("H", layers("8 -> 8 -> 1"), 3);
    for version in [0, 1, VERSION - 1, VERSION + 1, u32::MAX] {
        let mut bytes = net.to_bytes();
        bytes[VERSION_AT..][..4].copy_from_slice(&version.to_le_bytes());
        let expected =
            format!("byte 8: net format version {version}, this program reads version {VERSION};");
        let message = refused(&bytes);
        assert!(message.contains(&expected), "{message}");
    }
    assert!(matches!(read(b"PNG nothing"), Err(Problem::Magic { .. })));
    let dir = tempfile::tempdir().unwrap();
    let of_folder = Net::load(dir.path()).unwrap_err().to_string();
    assert!(of_folder.contains("not a regular file"), "{of_folder}");
    let missing = Net::load(&dir.path().join("missing.oplus")).unwrap_err().to_string();
    assert!(missing.contains("missing.oplus: cannot be read"), "{missing}");
}

/// Headers of valid words, which serde may accept or refuse.
fn headers() -> impl Strategy<Value = Vec<u8>> {
    let layers = prop_oneof![
        Just("1".to_owned()),
        (0usize..5, 0usize..5, 0usize..40).prop_map(|(l1, l2, buckets)| {
            format!("{} -> {} -> 1, buckets {buckets}", 8 * l1, 8 * l2)
        }),
        (any::<usize>(), 0usize..4)
            .prop_map(|(l1, buckets)| format!("{l1} screlu -> 1, buckets {buckets}")),
    ];
    let expressions = prop_oneof![Just("H".to_owned()), Just("piece({a})".to_owned()), "\\PC*"];
    (expressions, any::<u16>(), layers, any::<[i32; 4]>()).prop_map(
        |(expression, features, layers, [one, top, output, whole])| {
            let base = one.checked_rem(5);
            json!({
                "expression": expression,
                "features_hash": "",
                "architecture": { "features": features, "layers": layers },
                "scales": {
                    "transformer": { "one": one, "top": top, "base": base },
                    "output": output,
                    "mix": { "output": 1, "psqt": 0, "whole": whole },
                },
                "provenance": null,
            })
            .to_string()
            .into_bytes()
        },
    )
}

proptest! {
    #[test]
    fn the_reader_returns_for_any_bytes(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let _ = read(&bytes);
        let _ = read(&[MAGIC, &bytes[..]].concat());
    }

    #[test]
    fn the_reader_returns_for_any_sealed_file(
        header in prop_oneof![headers(), prop::collection::vec(any::<u8>(), 0..100)],
        tensors in prop::collection::vec(any::<u8>(), 0..300),
    ) {
        if let Ok(net) = read(&sealed(&header, &tensors)) {
            prop_assert_eq!(read(&net.to_bytes()).unwrap().to_bytes(), net.to_bytes());
        }
    }
}
