//! Files of this program, of PyTorch, and damaged ones.

use super::*;
use nnue::testing::{all_layers, layers, random_weights};

#[test]
fn weights_read_back_to_the_bit() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("weights.safetensors");
    let features = FeatureSet::parse("H + PV").unwrap();
    for layers in all_layers() {
        let weights = random_weights(&features, &layers, 3);
        save(&weights, &features, &path).unwrap();
        let (again, set) = load(&path).unwrap();
        assert_eq!(again, weights, "{layers}");
        assert_eq!(set.canonical(), features.canonical());
    }
}

#[test]
fn other_files_are_refused() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("weights.safetensors");
    let features = FeatureSet::parse("piece({a, b} * {pawn})").unwrap();
    save(&random_weights(&features, layers("8 -> 1"), 1), &features, &path).unwrap();
    let whole = std::fs::read(&path).unwrap();
    for end in 0..whole.len() {
        std::fs::write(&path, &whole[..end]).unwrap();
        let error = load(&path).unwrap_err().to_string();
        assert!(error.contains("no weights of a net"), "{end}: {error}");
    }
    let missing = load(&dir.path().join("missing")).unwrap_err().to_string();
    assert!(missing.contains("missing: cannot be read"), "{missing}");
}

/// Tensors by name and shape, without metadata unless a header is given.
fn file(tensors: &[(&str, &[usize], &[f32])], header: Option<&str>) -> Vec<u8> {
    let views = tensors.iter().map(|(name, shape, values)| {
        let bytes = bytemuck::cast_slice(values);
        (*name, TensorView::new(Dtype::F32, shape.to_vec(), bytes).unwrap())
    });
    let header = header.map(|text| HashMap::from([(METADATA.to_owned(), text.to_owned())]));
    serialize(views, header).unwrap()
}

fn described(features: &str, line: &str) -> FloatsDescription {
    FloatsDescription {
        features: Some(FeatureSet::parse(features).unwrap()),
        layers: Some(layers(line)),
        output_unit: None,
    }
}

const SET: &str = "piece({a, b} * {pawn} * {own})";

fn small() -> FloatWeights {
    random_weights(&FeatureSet::parse(SET).unwrap(), layers("8 screlu -> 1"), 1)
}

#[test]
fn shapes_are_those_of_pytorch() {
    let features = FeatureSet::parse("H").unwrap();
    let line = "16 pairwise -> 7 dual + skip -> 8 -> 1, buckets 4, psqt";
    let bytes = to_bytes(&random_weights(&features, layers(line), 1), &features).unwrap();
    let read = safetensors::SafeTensors::deserialize(&bytes).unwrap();
    for (name, shape) in [
        ("ft.weight", &[96, 16][..]),
        ("ft.bias", &[16]),
        ("psqt.weight", &[96, 4]),
        ("skip", &[1]),
        ("dense.0.weight", &[4, 8, 16]),
        ("dense.0.bias", &[4, 8]),
        ("dense.1.weight", &[4, 8, 14]),
        ("dense.1.bias", &[4, 8]),
        ("dense.2.weight", &[4, 1, 8]),
        ("dense.2.bias", &[4, 1]),
    ] {
        assert_eq!(read.tensor(name).unwrap().shape(), shape, "{name}");
    }
    assert_eq!(read.len(), 10);
}

/// Layers of PyTorch have no dimension of buckets, and its files no metadata.
#[test]
fn files_of_pytorch_are_read_with_a_description() {
    let weights = small();
    let FloatWeights { ft_weights, ft_bias, dense, .. } = &weights;
    let bytes = file(
        &[
            ("ft.weight", &[2, 8], ft_weights),
            ("ft.bias", &[8], ft_bias),
            ("dense.0.weight", &[1, 16], &dense[0].weights),
            ("dense.0.bias", &[1], &dense[0].bias),
        ],
        None,
    );
    let (read, _) = from_bytes(&bytes, &described(SET, "8 screlu -> 1")).unwrap();
    assert_eq!(read, weights);
    let description =
        FloatsDescription { output_unit: Some(400.0), ..described(SET, "8 screlu -> 1") };
    let (read, _) = from_bytes(&bytes, &description).unwrap();
    assert_eq!(read, weights.with_output_times(400.0));
}

#[test]
fn mistakes_are_named_with_tensor_and_remedy() {
    let weights = small();
    let FloatWeights { ft_weights, ft_bias, dense, .. } = &weights;
    let (ft, bias): (&[f32], &[f32]) = (ft_weights, ft_bias);
    let (dense, out): (&[f32], &[f32]) = (&dense[0].weights, &dense[0].bias);
    let usual = described(SET, "8 screlu -> 1");
    let none = FloatsDescription::default();
    let whole = |ft_shape: &[usize], more: &[(&str, &[usize], &[f32])], header: Option<&str>| {
        let tensors: Vec<(&str, &[usize], &[f32])> = vec![
            ("ft.weight", ft_shape, ft),
            ("ft.bias", &[8], bias),
            ("dense.0.weight", &[1, 16], dense),
            ("dense.0.bias", &[1], out),
        ];
        file(&[&tensors, more].concat(), header)
    };
    for (bytes, description, message) in [
        (whole(&[2, 8], &[], None), &none, "has no features; `oplus net import FILE --features"),
        (
            whole(&[8, 2], &[], None),
            &usual,
            "`ft.weight` has the shape [8, 2], [2, 8] is that of the set and the layers; transpose it",
        ),
        (whole(&[4, 4], &[], None), &usual, "has the shape [4, 4]"),
        (
            whole(&[2, 8], &[("fc3.weight", &[1], &[0.5])], None),
            &usual,
            "a tensor `fc3.weight`, the layers `8 screlu -> 1` have only ft.weight, ft.bias, dense.0.weight, dense.0.bias",
        ),
        (
            whole(&[2, 8], &[], None),
            &described(SET, "8 screlu -> 1, psqt"),
            "a tensor `psqt.weight` [2, 1], found only dense.0.bias",
        ),
        (
            whole(&[2, 8], &[], Some("{\"expression\":\"ALL\"}")),
            &usual,
            "the features in its metadata are `piece(",
        ),
        (
            whole(&[2, 8], &[], Some("{\"layers\":\"8 -> 1\"}")),
            &usual,
            "those of --layers `8 screlu -> 1`; leave --layers out",
        ),
        (
            whole(&[2, 8], &[], Some("{\"expression\":\"ALL + \"}")),
            &usual,
            "its feature expression `ALL + `",
        ),
        (whole(&[2, 8], &[], Some("{\"layers\":7}")), &usual, "its metadata `oplus`: invalid type"),
        (
            whole(&[2, 8], &[], Some("{\"fingerprint\":\"7\"}")),
            &usual,
            "these are the integers of one",
        ),
    ] {
        let error = from_bytes(&bytes, description).unwrap_err().to_string();
        assert!(error.contains(message), "{error}\n{message}");
    }
}

#[test]
fn other_types_of_numbers_are_refused() {
    let view = TensorView::new(Dtype::F64, vec![2, 1], &[0; 16]).unwrap();
    let bytes = serialize([("psqt.weight", view)], None).unwrap();
    let error = from_bytes(&bytes, &described(SET, "1")).unwrap_err().to_string();
    assert!(error.contains("`psqt.weight` is of F64; write it in 32-bit floats"), "{error}");
}

#[test]
fn files_are_recognised_by_their_header() {
    let features = FeatureSet::parse(SET).unwrap();
    assert!(recognises(&to_bytes(&small(), &features).unwrap()));
    for other in [&b"h\0{{{{{{{{{{"[..], b"", b"\x20\x2f\xf3\x7a\0\0\0\0{", &[0; 20]] {
        assert!(!recognises(other));
    }
}
