//! Nets of the thesis become nets that the program plays.

use crate::support::{Answer, Workplace};

/// A net of `h+v` with 8 and 8 neurons whose only weight is its last: it says
/// 408 sixteenths, 25 centipawns after the floor, of every position.
fn small() -> Vec<u8> {
    let mut bytes = b"h+v\0".to_vec();
    [192u32, 8, 8].iter().for_each(|size| bytes.extend(size.to_le_bytes()));
    bytes.resize(bytes.len() + 2 * 193 * 8 + 16 * 8 + 4 * 8 + 8, 0);
    bytes.extend(408i32.to_le_bytes());
    bytes
}

fn import(work: &Workplace, bytes: &[u8]) -> Answer {
    std::fs::write(work.path().join("small.nn"), bytes).unwrap();
    work.run(&["net", "import", "small.nn"])
}

#[test]
fn an_imported_net_can_be_looked_into_and_plays() {
    let work = Workplace::new();
    let made = import(&work, &small());
    assert_eq!(made.code, 0, "{}", made.err);
    let expression = "piece(FILES * ROLES * COLORS) + piece(RANKS * ROLES * COLORS)";
    for part in [expression, "(192 → 8)×2 → 8 → 1", "written       small.oplus"] {
        assert!(made.out.contains(part), "{part:?} is not in:\n{}", made.out);
    }

    let fen = "4k3/8/8/8/8/8/8/R3K3 w - - 0 1";
    let info = work.run(&["net", "info", "small.oplus", "--fen", fen]);
    assert_eq!(info.code, 0, "{}", info.err);
    for part in [expression, "imported.file    small.nn", "imported.set     h+v", "25 cp"] {
        assert!(info.out.contains(part), "{part:?} is not in:\n{}", info.out);
    }

    let script = "position startpos\ngo nodes 500\nquit\n";
    let said = work.run_with(&["uci", "--net", "small.oplus"], script).out;
    assert!(said.contains("bestmove "), "{said}");
}

#[test]
fn the_net_is_written_where_it_is_asked_for() {
    let work = Workplace::new();
    std::fs::write(work.path().join("small.nn"), small()).unwrap();
    let made = work.run(&["net", "import", "small.nn", "--output", "other.oplus"]);
    assert_eq!(made.code, 0, "{}", made.err);
    assert!(made.out.contains("other.oplus"), "{}", made.out);
    assert!(!work.path().join("small.oplus").exists());
    assert_eq!(work.run(&["net", "info", "other.oplus"]).code, 0);

    let onto_itself = work.run(&["net", "import", "small.nn", "--output", "./small.nn"]);
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
        (b"hello".to_vec(), "byte 0: no zero byte"),
    ] {
        let work = Workplace::new();
        let answer = import(&work, &bytes);
        assert_eq!(answer.code, 1, "{}", answer.err);
        for part in ["small.nn", message] {
            assert!(answer.err.contains(part), "{part:?} is not in:\n{}", answer.err);
        }
        assert!(!work.path().join("small.oplus").exists());
    }
    let answer = Workplace::new().run(&["net", "import", "missing.nn"]);
    assert_eq!(answer.code, 1);
    assert!(answer.err.contains("missing.nn: cannot be read"), "{}", answer.err);
}
