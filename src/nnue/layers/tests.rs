//! Lines parsed and printed, and the places of mistakes in them.

use super::*;

fn read(line: &str) -> Layers {
    line.parse().unwrap_or_else(|error: LayersError| panic!("{line}: {}", error.in_one_line()))
}

#[test]
fn lines_parse_to_layers() {
    let layers = read("1024 pairwise -> 15 dual + skip -> 32 -> 1, buckets 8, psqt");
    let transformer = Transformer { width: 1024, activation: Activation::Pairwise };
    assert_eq!(layers.transformer(), Some(transformer));
    assert_eq!(
        layers.hidden(),
        [
            Hidden { neurons: 15, activation: Activation::Dual, addition: Some(Addition::Skip) },
            Hidden { neurons: 32, activation: Activation::ClippedRelu, addition: None },
        ]
    );
    let shapes = [(1024, 16), (30, 32), (32, 1)];
    assert_eq!(layers.dense(), shapes.map(|(inputs, sums)| DenseShape { inputs, sums }));
    assert_eq!(
        (layers.buckets().count(), layers.psqt_columns(), layers.addition()),
        (8, 8, Some((0, Addition::Skip)))
    );
    assert_eq!(read("1"), Layers::linear());
    assert_eq!(read("512 -> 32 -> 1"), Layers::default());
}

#[test]
fn lines_are_written_as_they_are_read() {
    for line in [
        "1",
        "1, buckets 8",
        "512 -> 32 -> 1",
        "128 screlu -> 1, buckets 8",
        "1024 pairwise -> 16 dual -> 32 -> 1, buckets 8, psqt",
        "1024 pairwise -> 15 dual + skip -> 32 -> 1, buckets 8, psqt",
        "64 -> 8 screlu -> 7 + skip -> 1, buckets king(SQUARES)",
    ] {
        assert_eq!(read(line).to_string(), line);
    }
    let loose = "  512crelu".replace("crelu", "  crelu") + "→32 crelu->1 ,psqt,buckets   1 ";
    assert_eq!(read(&loose).to_string(), "512 -> 32 -> 1, psqt");
}

#[test]
fn random_lines_survive_writing_and_reading() {
    for seed in 0..500 {
        let layers = crate::testing::random_layers(seed);
        let json = serde_json::to_string(&layers).unwrap();
        assert_eq!(json, format!("\"{layers}\""));
        assert_eq!(serde_json::from_str::<Layers>(&json).unwrap(), layers);
    }
}

/// Errors point to the mistake: the text of the span, and part of the message and advice.
#[test]
fn mistakes_are_pointed_at() {
    for (line, place, expected) in [
        ("", " ", "expected the width of a layer, found nothing"),
        ("512", "512", "the last layer has 512 outputs; a net has one: end the line with `-> 1`"),
        ("512 -> 32 -> 2", "2", "a net has one"),
        ("512 -> -> 1", "-", "found nothing"),
        ("0 -> 1", "0", "0 neurons are no multiple of 8: the nearest is 8"),
        ("100 -> 1", "100", "the nearest is 104"),
        ("40000 -> 1", "40000", "at most 32768"),
        ("24 pairwise -> 1", "24", "no multiple of 16: the nearest is 32"),
        ("512 -> 15 dual -> 1", "15", "no multiple of 8"),
        ("512 -> 16 dual + skip -> 1", "16", "17 neurons, the skip among them,"),
        ("512 dual -> 1", "dual", "after the feature transformer write"),
        ("512 -> 32 pairwise -> 1", "pairwise", "after dense layers write"),
        ("512 -> 32 -> 1 dual", "dual", "nothing follows it"),
        ("512 -> 32 -> 1 + skip", "skip", "where skips go"),
        ("512 + skip -> 1", "skip", "write `psqt`"),
        ("512 -> 8 + jump -> 1", "jump", "only `skip`"),
        ("512 -> 7 + skip -> 7 + skip -> 1", "skip", "two skips"),
        ("512 -> 8 -> 8 -> 8 -> 1", "8", "more than 3 dense layers"),
        ("512 crelo -> 1", "crelo", "did you mean `crelu`?"),
        ("512 relu6 tanh -> 1", "relu6", "unknown activation"),
        ("512 screlu 8 -> 1", "8", "joined by `->`"),
        ("512 x 32 -> 1", "x", "unknown activation `x`: there are crelu, screlu"),
        ("512 -> 1, bucket 8", "bucket 8", "did you mean `buckets`?"),
        ("512 -> 1, buckets", "buckets", "without a number"),
        ("512 -> 1, buckets 33", "33", "1 to 32 buckets"),
        ("512 -> 1, buckets 0", "0", "1 to 32 buckets"),
        ("512 -> 1, buckets ALL", "ALL", "768 buckets: a net has at most 64"),
        ("512 -> 1, buckets king({e1, g1})", "king({e1, g1})", "exactly one active feature"),
        ("512 -> 1, buckets kin(RANKS)", "kin", "king"),
        ("512 -> 1, psqt 8", "8", "takes nothing"),
        ("512 -> 1, psqt, psqt", "psqt", "stands twice"),
        ("512 -> 1,", " ", "unknown option"),
        ("größe -> 1", "größe", "expected the width"),
        ("99999999999999999999999 -> 1", "99999999999999999999999", "expected the width"),
    ] {
        let error = line.parse::<Layers>().unwrap_err();
        let message = error.in_one_line();
        assert!(message.contains(expected), "{line}: {message}");
        let text = format!("{line} ");
        assert_eq!(&text[error.mistake().span()], place, "{line}: {message}");
    }
}

#[test]
fn parameters_are_counted() {
    let count = |line: &str| Architecture { features: 768, layers: read(line) }.parameters();
    assert_eq!(count("1"), 768);
    assert_eq!(count("8 -> 1"), 769 * 8 + 17);
    assert_eq!(count("8 -> 16 -> 1, buckets 2"), 769 * 8 + 2 * (17 * 16 + 17));
    assert_eq!(count("16 pairwise -> 8 dual -> 1, psqt"), 769 * 16 + 768 + 17 * 8 + 17);
}

#[test]
fn slugs_list_unusual_parts() {
    for (line, slug) in [
        ("1", "linear"),
        ("512 -> 32 -> 1", "512-32"),
        ("128 screlu -> 1, buckets 8", "128-screlu-b8"),
        ("64 pairwise -> 15 dual + skip -> 8 -> 1, psqt", "64-pairwise-15-dual-skip-8-psqt"),
    ] {
        assert_eq!(read(line).slug(), slug);
    }
}

proptest::proptest! {
    #[test]
    fn the_parser_returns_for_any_text(
        line in "([0-9]{1,4}|->|,| |\\+|skip|dual|pairwise|crelu|buckets|psqt|\\(|\\]|ALL|\\PC){0,12}"
    ) {
        if let Ok(layers) = line.parse::<Layers>() {
            proptest::prop_assert_eq!(layers.to_string().parse::<Layers>().unwrap(), layers);
        }
    }
}
