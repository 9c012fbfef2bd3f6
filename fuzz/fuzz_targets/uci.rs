//! Whatever is said to the engine, it answers the last question.
#![no_main]

use std::io::Write;
use std::sync::{Arc, Mutex};

use libfuzzer_sys::fuzz_target;
use oplus::engine::{Material, Techniques, UciOptions, run_uci};

/// Output that can be read afterwards.
#[derive(Clone, Default)]
struct Transcript(Arc<Mutex<Vec<u8>>>);

impl Write for Transcript {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().expect("no writer panics").write(bytes)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// Lines that ask for gigabytes or hundreds of threads get them, and `quit` is
/// obeyed; both say nothing here.
fn is_harmless(line: &[u8]) -> bool {
    let text = String::from_utf8_lossy(line).to_lowercase();
    !["hash", "threads", "quit"].iter().any(|word| text.contains(word))
}

fuzz_target!(|script: &[u8]| {
    let mut input = Vec::new();
    for line in script.split(|&byte| byte == b'\n').filter(|line| is_harmless(line)) {
        input.extend_from_slice(line);
        // Nothing said makes the engine think for longer than this.
        input.extend_from_slice(b"\nstop\n");
    }
    input.extend_from_slice(b"position startpos\ngo nodes 10\nisready\n");
    let output = Transcript::default();
    let options = UciOptions {
        name: "fuzz".to_owned(),
        load_evaluator: Arc::new(|_| Ok(Arc::new(|| Box::new(Material)))),
        hash_mb: 1,
        techniques: Techniques::PLAYING,
    };
    run_uci(input.as_slice(), output.clone(), options).expect("counting pieces needs nothing");
    let bytes = output.0.lock().expect("no writer panics").clone();
    let text = String::from_utf8(bytes).expect("answers are text");
    assert!(text.contains("readyok") && text.contains("bestmove"), "{text}");
});
