//! Nets as files of Stockfish, bullet, numpy and PyTorch, and back.

use std::path::Path;
use std::process::Command;

use oplus::features::FeatureSet;
use oplus::nnue::testing::layers;
use oplus::nnue::{Net, quantise};
use serde_json::json;

use crate::net::net;
use crate::support::{Answer, Workdir, games};

fn read(work: &Workdir, name: &str) -> Vec<u8> {
    std::fs::read(work.path().join(name)).unwrap()
}

fn done(answer: Answer) -> Answer {
    assert_eq!(answer.code, 0, "{}", answer.err);
    answer
}

fn export(work: &Workdir, net: &Net, format: &str) -> Answer {
    net.save(&work.path().join("net.oplus")).unwrap();
    work.run(&["net", "export", "net.oplus", "--format", format, "--out", "made"])
}

/// Numbers without a pattern, of at most that size.
fn numbers(count: usize, most: i32) -> impl Iterator<Item = i32> {
    let step = move |state: &mut u32| {
        *state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        Some((*state >> 16) as i32 % (2 * most + 1) - most)
    };
    std::iter::repeat_n((), count).scan(7_u32, move |state, ()| step(state))
}

/// A network file of Stockfish 15.1: sizes and hashes of the released net, other weights.
fn of_stockfish() -> Vec<u8> {
    let mut bytes = Vec::new();
    let word = |bytes: &mut Vec<u8>, word: u32| bytes.extend(word.to_le_bytes());
    let shorts = |bytes: &mut Vec<u8>, count, most| {
        bytes.extend(numbers(count, most).flat_map(|n| (n as i16).to_le_bytes()));
    };
    let longs = |bytes: &mut Vec<u8>, count, most| {
        bytes.extend(numbers(count, most).flat_map(i32::to_le_bytes));
    };
    [0x7af3_2f20, 0x1c10_2ef2, 6].into_iter().for_each(|it| word(&mut bytes, it));
    bytes.extend(b"a test");
    word(&mut bytes, 0x7f23_44b8);
    shorts(&mut bytes, 1024, 100);
    shorts(&mut bytes, 22_528 * 1024, 40);
    longs(&mut bytes, 22_528 * 8, 20_000);
    for _ in 0..8 {
        word(&mut bytes, 0x6333_6a4a);
        for (inputs, filled, outputs) in [(1024, 1024, 16), (30, 32, 32), (32, 32, 1)] {
            longs(&mut bytes, outputs, 4_000);
            let mut weights = numbers(inputs * outputs, 127);
            for _ in 0..outputs {
                let row = weights.by_ref().take(inputs).map(|weight| weight as i8 as u8);
                bytes.extend(row.collect::<Vec<u8>>());
                bytes.resize(bytes.len() + filled - inputs, 0);
            }
        }
    }
    bytes
}

#[test]
fn an_imported_net_of_stockfish_is_exported_as_the_same_file() {
    let work = Workdir::new();
    let bytes = of_stockfish();
    std::fs::write(work.path().join("sf.nnue"), &bytes).unwrap();
    done(work.run(&["net", "import", "sf.nnue"]));
    let made = done(work.run(&["net", "export", "sf.oplus", "--format", "nnue", "--out", "made"]));
    // Not `assert_eq`, which would print 47 MB.
    assert!(read(&work, "made.nnue") == bytes);
    let written = format!("made.nnue ({} bytes)", bytes.len());
    for part in [&written[..], "the file has its integers"] {
        assert!(made.out.contains(part), "{part:?} is not in:\n{}", made.out);
    }
}

#[test]
fn nets_that_a_format_cannot_hold_are_refused_and_nothing_is_written() {
    let work = Workdir::new();
    for (set, line, format, reply) in [
        ("ALL", "16 -> 8 -> 1", "nnue", "those of Stockfish 15.1 `1024 pairwise -> 15 dual + skip"),
        ("ALL", "16 -> 8 -> 1", "bullet", "has `N crelu -> 1` or `N screlu -> 1`; train"),
        ("ALL", "16 -> 1, buckets 8", "bullet", "with `buckets material(BANDS(32) / ["),
    ] {
        let refused = export(&work, &net(set, layers(line), 3), format);
        assert_eq!(refused.code, 1, "{}", refused.err);
        refused.assert_shows(&["net.oplus: no file of", reply, "--format raw"]);
        assert!(refused.out.is_empty(), "{}", refused.out);
    }
    let both = export(&work, &net("ALL", layers("16 -> 1"), 3), "raw,bullet");
    assert_eq!(both.code, 2, "{}", both.err);
    both.assert_shows(&["both write FILE.bin"]);
    let scales = ["net", "export", "net.oplus", "--format", "raw", "--scales", "qa 255"];
    let useless = work.run(&scales);
    assert_eq!(useless.code, 2, "{}", useless.err);
    useless.assert_shows(&["those of --format bullet"]);
    let files = std::fs::read_dir(work.path()).unwrap();
    assert_eq!(files.count(), 1, "net.oplus alone");
}

/// The arguments of the printed command that reads a file of bullet.
fn printed_import(answer: &Answer) -> Vec<String> {
    let line = answer.out.lines().find_map(|line| line.strip_prefix("read by")).unwrap();
    let words = shlex::split(line.trim()).unwrap();
    assert_eq!(words[..3], ["oplus", "net", "import"]);
    words[1..].to_vec()
}

/// Bullet's own padding, which importers read too.
fn of_bullet() -> Vec<u8> {
    let count = 768 * 8 + 8 + 16 + 1;
    let mut bytes: Vec<u8> =
        numbers(count, 90).flat_map(|number| (number as i16).to_le_bytes()).collect();
    let missing = bytes.len().next_multiple_of(64) - bytes.len();
    bytes.extend(b"bullet".iter().cycle().take(missing));
    bytes
}

#[test]
fn an_imported_net_of_bullet_is_exported_as_the_same_file() {
    let work = Workdir::new();
    std::fs::write(work.path().join("quantised.bin"), of_bullet()).unwrap();
    let layout = "bullet 8 screlu -> 1, qa 181, qb 32, scale 369";
    done(work.run(&["net", "import", "quantised.bin", "--layout", layout]));
    let format = ["--format", "bullet", "--out", "made"];
    let made = done(work.run(&[&["net", "export", "quantised.oplus"][..], &format].concat()));
    assert_eq!(read(&work, "made.bin"), of_bullet());
    assert!(made.out.contains("the file has its integers"), "{}", made.out);
    assert!(
        made.out.contains("bullet 8 screlu -> 1, buckets 1, qa 181, qb 32, scale 369, features")
    );
}

#[test]
fn a_net_at_other_scales_is_read_by_the_printed_command() {
    let work = Workdir::new();
    let made = done(export(&work, &net("H + V", layers("16 screlu -> 1"), 3), "bullet"));
    for part in ["evaluations   differ by ", "499 positions", "qa 255, qb 64, scale 400"] {
        assert!(made.out.contains(part), "{part:?} is not in:\n{}", made.out);
    }
    let command = printed_import(&made);
    let command: Vec<&str> = command.iter().map(String::as_str).collect();
    let back = done(work.run(&command));
    assert!(back.out.contains("written       made.oplus"), "{}", back.out);
    let fine = ["--format", "bullet", "--scales", "qa 255, qb 512, scale 400", "--out", "fine"];
    let fine = done(work.run(&[&["net", "export", "net.oplus"][..], &fine].concat()));
    assert!(fine.out.contains("qa 255, qb 512, scale 400"), "{}", fine.out);
}

#[test]
fn exported_floats_make_a_net_and_begin_a_training() {
    let work = Workdir::new();
    let net = net("ALL", layers("16 screlu -> 1"), 3);
    done(export(&work, &net, "floats"));
    done(work.run(&["net", "import", "made.floats.safetensors", "--out", "again.oplus"]));
    let again = Net::load(&work.path().join("again.oplus")).unwrap();
    let features = FeatureSet::parse("ALL").unwrap();
    let expected = quantise(&net.to_floats(), &features, json!({})).unwrap();
    assert_eq!(again.fingerprint(), expected.fingerprint());
    let train = ["train", "ALL", "--data", games().to_str().unwrap(), "--out", "next"];
    let start = ["--layers", "16 screlu -> 1", "--start", "made.floats.safetensors"];
    let size = ["--epochs", "1", "--positions-per-epoch", "512", "--batch", "256"];
    let trained = done(work.run(&[&train[..], &start, &size].concat()));
    trained.assert_shows(&["start: ALL taken over"]);
}

const NUMPY: &str = r#"
import json, sys
import numpy as np
net = np.load(sys.argv[1])
about = json.loads(net["oplus.json"])
print(about["features"]["size"], about["architecture"]["layers"])
for name in net.files:
    if name.endswith(".json"): continue
    values = net[name]
    print(name, values.dtype, "x".join(map(str, values.shape)), values.astype(object).sum())
"#;

fn numpy(file: &Path) -> Answer {
    let python = std::env::var("OPLUS_PYTHON").unwrap_or_else(|_| "python3".to_owned());
    let output = Command::new(python).args(["-c", NUMPY]).arg(file).output().unwrap();
    Answer {
        code: output.status.code().unwrap_or(-1),
        out: String::from_utf8_lossy(&output.stdout).into_owned(),
        err: String::from_utf8_lossy(&output.stderr).into_owned(),
    }
}

#[test]
#[ignore = "needs Python with numpy"]
fn numpy_reads_an_archive() {
    let work = Workdir::new();
    for line in ["32 pairwise -> 15 dual + skip -> 8 -> 1, buckets 4, psqt", "1"] {
        let net = net("H", layers(line), 3);
        done(export(&work, &net, "npz"));
        let mut expected = format!("96 {line}\n");
        for (name, values) in net.tensors() {
            let axes = name.axes(net.architecture(), net.scales());
            let sizes: Vec<String> = axes.iter().map(|axis| axis.size.to_string()).collect();
            let dtype = name.dtype().as_str().replace('i', "int");
            let sum: i64 = values.iter().sum();
            expected += &format!("{} {dtype} {} {sum}\n", name.as_str(), sizes.join("x"));
        }
        assert_eq!(done(numpy(&work.path().join("made.npz"))).out, expected);
    }
}
