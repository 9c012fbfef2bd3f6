//! Formats are recognised, and nets have their origin in their provenance.

use super::*;

fn written(folder: &Path, name: &str, bytes: &[u8]) -> PathBuf {
    let path = folder.join(name);
    std::fs::write(&path, bytes).unwrap();
    path
}

/// Their sums are proven within bounds, as those of a net that was trained here.
#[test]
fn float_weights_become_the_net_of_the_quantiser() {
    let folder = tempfile::tempdir().unwrap();
    let features = FeatureSet::parse("H + V").unwrap();
    let weights = nnue::testing::random_weights(&features, nnue::testing::layers("16 -> 1"), 2);
    let bytes = floats::to_bytes(&weights, &features).unwrap();
    let path = written(folder.path(), "weights.safetensors", &bytes);
    let made = net(&path, &Description::default()).unwrap();
    let expected = quantise(&weights, &features, Value::Null).unwrap();
    assert_eq!(made.fingerprint(), expected.fingerprint());
    assert_eq!(made.provenance()["weights"]["blake3"], blake3::hash(&bytes).to_string());
    assert!(made.provenance().get("imported").is_none());
}

#[test]
fn descriptions_of_files_that_need_none_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = written(folder.path(), "small.nn", &of_thesis(8, 8));
    let floats = FloatsDescription { output_unit: Some(400.0), ..FloatsDescription::default() };
    let error = net(&path, &Description::Floats(floats)).unwrap_err();
    let source = std::error::Error::source(&error).unwrap().to_string();
    assert!(source.starts_with("a net of the thesis has features, layers and units"), "{source}");
}

/// A net of the thesis of block `h` whose numbers are all zero.
fn of_thesis(l1: u32, l2: u32) -> Vec<u8> {
    let mut bytes = b"h\0".to_vec();
    [96, l1, l2].iter().for_each(|size| bytes.extend(size.to_le_bytes()));
    bytes.resize(bytes.len() + (2 * 97 * l1 + 2 * l1 * l2 + 5 * l2 + 4) as usize, 0);
    bytes
}

#[test]
fn provenance_has_the_origin() {
    let folder = tempfile::tempdir().unwrap();
    let bytes = of_thesis(8, 8);
    let made = net(&written(folder.path(), "small.nn", &bytes), &Description::default()).unwrap();
    let imported = &made.provenance()["imported"];
    assert_eq!(imported["file"], "small.nn");
    assert_eq!(imported["set"], "h");
    assert_eq!(imported["blake3"], blake3::hash(&bytes).to_string());
    assert!(imported["source"].as_str().unwrap().contains("Lombardo"));
    // Written files read back.
    let bytes = made.to_bytes();
    assert_eq!(Net::from_bytes(&bytes, Path::new("small.oplus")).unwrap().to_bytes(), bytes);

    let layout: BulletLayout = "bullet 8 screlu -> 1, features H".parse().unwrap();
    let path = written(folder.path(), "quantised.bin", &[0; 2 * (96 * 8 + 8 + 16 + 1)]);
    let made = net(&path, &Description::Bullet(layout.clone())).unwrap();
    let imported = &made.provenance()["imported"];
    assert_eq!(imported["layout"], layout.to_string());
    assert!(imported["source"].as_str().unwrap().contains("bullet"));
}

#[test]
fn widths_outside_of_the_grammar_are_refused() {
    let ContentError::Layers { source } = refused(&of_thesis(8, 7), None) else {
        panic!("a net of 7 neurons is imported");
    };
    assert!(source.in_one_line().contains("no multiple of 8"), "{}", source.in_one_line());
}

fn refused(bytes: &[u8], layout: Option<&str>) -> ContentError {
    let folder = tempfile::tempdir().unwrap();
    let path = written(folder.path(), "damaged", bytes);
    let bullet = layout.map(|text| Description::Bullet(text.parse().unwrap()));
    match net(&path, &bullet.unwrap_or_default()).unwrap_err() {
        ImportError::Content { path: named, source } if named == path => source,
        other => panic!("{other:?}"),
    }
}

#[test]
fn files_are_recognised_by_how_they_begin() {
    assert!(matches!(refused(b"h+v\0", None), ContentError::Thesis(_)));
    assert!(matches!(refused(b"\x20\x2f\xf3\x7a", None), ContentError::Stockfish(_)));
    for other in [b"OPLUSNET\x05\0\0\0".as_slice(), b"hello", b"", &[7; 1000]] {
        let error = refused(other, None);
        assert!(matches!(error, ContentError::Unknown), "{error}");
        assert!(error.to_string().contains("--layout"), "{error}");
    }
    // A layout overrides the recognition.
    assert!(matches!(refused(b"h+v\0", Some("bullet 8 -> 1")), ContentError::Bullet(_)));
}

#[test]
fn files_that_are_not_there_are_named() {
    let error = net(Path::new("no/such.nnue"), &Description::default()).unwrap_err();
    assert!(error.to_string().starts_with("no/such.nnue: cannot be read"), "{error}");
}
