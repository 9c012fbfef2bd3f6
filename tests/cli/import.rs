//! Nets of other programs and float weights become nets that the program plays.

use crate::support::{Answer, Workdir, games};

/// A net of `h+v` with 8 and 8 neurons whose only weight is its last: it says
/// 408 sixteenths, 25 centipawns after the floor, of every position.
fn small() -> Vec<u8> {
    let mut bytes = b"h+v\0".to_vec();
    [192u32, 8, 8].iter().for_each(|size| bytes.extend(size.to_le_bytes()));
    bytes.resize(bytes.len() + 2 * 193 * 8 + 16 * 8 + 4 * 8 + 8, 0);
    bytes.extend(408i32.to_le_bytes());
    bytes
}

fn import(work: &Workdir, bytes: &[u8]) -> Answer {
    std::fs::write(work.path().join("small.nn"), bytes).unwrap();
    work.run(&["net", "import", "small.nn"])
}

#[test]
fn an_imported_net_can_be_looked_into_and_plays() {
    let work = Workdir::new();
    let made = import(&work, &small());
    assert_eq!(made.code, 0, "{}", made.err);
    let expression = "piece(FILES * ROLES * COLORS) + piece(RANKS * ROLES * COLORS)";
    for part in [expression, "192 features, layers 8 -> 8 -> 1", "written       small.oplus"] {
        assert!(made.out.contains(part), "{part:?} is not in:\n{}", made.out);
    }

    let fen = "4k3/8/8/8/8/8/8/R3K3 w - - 0 1";
    let info = work.run(&["net", "info", "small.oplus", "--fen", fen]);
    assert_eq!(info.code, 0, "{}", info.err);
    for part in [expression, "imported.file    small.nn", "imported.set     h+v", "25 cp"] {
        assert!(info.out.contains(part), "{part:?} is not in:\n{}", info.out);
    }

    let script = "position startpos\ngo nodes 500\nquit\n";
    let stated = work.run_with(&["uci", "--net", "small.oplus"], script).out;
    assert!(stated.contains("bestmove "), "{stated}");
}

#[test]
fn the_net_is_written_to_its_path() {
    let work = Workdir::new();
    std::fs::write(work.path().join("small.nn"), small()).unwrap();
    let made = work.run(&["net", "import", "small.nn", "--out", "other.oplus"]);
    assert_eq!(made.code, 0, "{}", made.err);
    assert!(made.out.contains("other.oplus"), "{}", made.out);
    assert!(!work.path().join("small.oplus").exists());
    assert_eq!(work.run(&["net", "info", "other.oplus"]).code, 0);

    let onto_itself = work.run(&["net", "import", "small.nn", "--out", "./small.nn"]);
    assert_eq!(onto_itself.code, 2, "{}", onto_itself.err);
    assert_eq!(std::fs::read(work.path().join("small.nn")).unwrap(), small());
}

#[test]
fn bad_files_fail_and_leave_nothing() {
    let good = small();
    let with = |at: usize, byte: u8| {
        let mut bytes = good.clone();
        bytes[at] = byte;
        bytes
    };
    for (bytes, message) in [
        (good[..1000].to_vec(), "byte 16: W1 needs 3072 bytes"),
        ([&good[..], b"more"].concat(), "the file goes on for 4 bytes"),
        (with(4, 191), "byte 4: N is 191, but `h+v` has 192 features"),
        (with(2, b'w'), "byte 2: `w` is no feature block of the thesis"),
        (b"hello".to_vec(), "byte 0: neither a net of Stockfish"),
    ] {
        let work = Workdir::new();
        let answer = import(&work, &bytes);
        assert_eq!(answer.code, 1, "{}", answer.err);
        for part in ["small.nn", message] {
            assert!(answer.err.contains(part), "{part:?} is not in:\n{}", answer.err);
        }
        assert!(!work.path().join("small.oplus").exists());
    }
    let answer = Workdir::new().run(&["net", "import", "missing.nn"]);
    assert_eq!(answer.code, 1);
    assert!(answer.err.contains("missing.nn: cannot be read"), "{}", answer.err);
}

/// A net of bullet's layout, `(768 -> 8)x2 -> 1`, which counts own knights.
fn of_bullet() -> Vec<u8> {
    let mut numbers = vec![0_i16; 768 * 8];
    // Own knights are the second 64 rows; one neuron is 51 / 255 for each of them.
    numbers[64 * 8..128 * 8].iter_mut().step_by(8).for_each(|weight| *weight = 51);
    numbers.resize(768 * 8 + 8, 0);
    numbers.extend([64].into_iter().chain([0; 7]).chain([0; 8]));
    numbers.push(0);
    let mut bytes: Vec<u8> = numbers.into_iter().flat_map(i16::to_le_bytes).collect();
    bytes.resize(bytes.len().next_multiple_of(64), 0);
    bytes
}

#[test]
fn a_file_of_bullet_is_read_by_its_layout() {
    let work = Workdir::new();
    std::fs::write(work.path().join("quantised.bin"), of_bullet()).unwrap();
    let layout = ["--layout", "bullet 8 crelu -> 1, qa 255, qb 64, scale 400"];
    let made = work.run(&[&["net", "import", "quantised.bin"][..], &layout].concat());
    assert_eq!(made.code, 0, "{}", made.err);
    // 51 of 255 is a fifth of a unit, and a unit is 400 cp.
    for (fen, cp) in [
        ("4k3/8/8/8/8/8/8/1N2K3 w - - 0 1", "80 cp"),
        ("4k3/8/8/8/8/8/8/NN2K3 w - - 0 1", "160 cp"),
    ] {
        let info = work.run(&["net", "info", "quantised.oplus", "--fen", fen]);
        assert!(info.out.contains(cp), "{cp}: {}", info.out);
    }
    for (layout, reply) in [
        ("bullet 16 crelu -> 1", "bytes"),
        ("bullet 8 crel -> 1", "crelu"),
        ("bullet 8 -> 2", "one output"),
    ] {
        let answer =
            work.run(&["net", "import", "quantised.bin", "--layout", layout, "--out", "no.oplus"]);
        assert_ne!(answer.code, 0, "{layout}");
        assert!(answer.err.contains(reply), "{layout}: {}", answer.err);
        assert!(!work.path().join("no.oplus").exists());
    }
}

/// The first bytes of a net of Stockfish, and then nothing.
#[test]
fn a_cut_net_of_stockfish_is_refused_with_its_place() {
    let work = Workdir::new();
    let start = [0x7AF3_2F20_u32, 0, 3].iter().flat_map(|n| n.to_le_bytes()).collect::<Vec<_>>();
    let answer = import(&work, &start);
    assert_eq!(answer.code, 1, "{}", answer.err);
    assert!(answer.err.contains("byte "), "{}", answer.err);
    assert!(!work.path().join("small.oplus").exists());
}

/// Float weights as PyTorch writes them, without metadata: own pawns are worth `pawn` units.
fn of_pytorch(pawn: f32) -> Vec<u8> {
    let header = r#"{"psqt.weight":{"dtype":"F32","shape":[96,1],"data_offsets":[0,384]}}"#;
    // Own pawns are the first of twelve kinds of pieces on each file.
    let mut values = [0.0_f32; 96];
    values.iter_mut().step_by(12).for_each(|value| *value = pawn);
    let length = (header.len() as u64).to_le_bytes();
    let values = values.into_iter().flat_map(f32::to_le_bytes);
    length.into_iter().chain(header.bytes()).chain(values).collect()
}

#[test]
fn float_weights_of_pytorch_become_a_net() {
    let work = Workdir::new();
    std::fs::write(work.path().join("torch.safetensors"), of_pytorch(0.25)).unwrap();
    let import =
        |more: &[&str]| work.run(&[&["net", "import", "torch.safetensors"][..], more].concat());
    let features = ["--features", "H", "--layers", "1"];
    let made = import(&[&features[..], &["--output-unit", "400"]].concat());
    assert_eq!(made.code, 0, "{}", made.err);
    let fen = "4k3/8/8/8/8/8/PPP5/4K3 w - - 0 1";
    let info = work.run(&["net", "info", "torch.oplus", "--fen", fen]);
    for part in ["300 cp for the side to move", "weights.file    torch.safetensors"] {
        assert!(info.out.contains(part), "{part:?} is not in:\n{}", info.out);
    }
    for (more, code, part) in [
        (&[][..], 1, "its metadata `oplus` has no features"),
        (
            &["--features", "ALL", "--layers", "1"],
            1,
            "`psqt.weight` has the shape [96, 1], [768, 1] is",
        ),
        (&["--features", "ALL + ("], 2, "ALL + ("),
        (&["--layers", "9 -> 1"], 2, "9 neurons are no multiple of 8"),
        (&["--output-unit", "0"], 2, "expected a number above 0"),
        (&["--layout", "bullet 8 -> 1", "--layers", "8 -> 1"], 2, "cannot be used with"),
    ] {
        let answer = import(&[more, &["--out", "no.oplus"]].concat());
        assert_eq!(answer.code, code, "{more:?}: {}", answer.err);
        answer.assert_shows(&[part]);
        assert!(!work.path().join("no.oplus").exists());
    }
}

/// The net of a training without sorted neurons is that of its weights.
#[test]
fn weights_of_a_training_become_its_net() {
    let work = Workdir::new();
    let train = ["train", "H", "--data", games().to_str().unwrap(), "--out", "net"];
    let size = ["--layers", "8 screlu -> 1", "--epochs", "1", "--positions-per-epoch", "512"];
    let trained = work.run(&[&train[..], &size, &["--batch", "256"]].concat());
    assert_eq!(trained.code, 0, "{}", trained.err);
    let made = work.run(&["net", "import", "net/weights.safetensors", "--out", "again.oplus"]);
    assert_eq!(made.code, 0, "{}", made.err);
    let fingerprint = |file: &str| {
        let reply = work.run(&["net", "info", file, "--json"]);
        serde_json::from_str::<serde_json::Value>(&reply.out).unwrap()["fingerprint"].clone()
    };
    assert_eq!(fingerprint("again.oplus"), fingerprint("net/net.oplus"));
}
