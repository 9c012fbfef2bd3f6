//! Whatever the bytes, the readers of records and lines answer.
#![no_main]

use std::io::Write;

use libfuzzer_sys::fuzz_target;
use oplus::data::EntryReader;

const ENDINGS: [&str; 11] = [
    ".data", ".bin", ".viri", ".pgn", ".epd", ".txt", ".binpack", ".plain", ".marlin", ".jsonl",
    ".monty",
];

fuzz_target!(|input: (u8, &[u8])| {
    let (ending, bytes) = input;
    let suffix = ENDINGS[usize::from(ending) % ENDINGS.len()];
    let mut file = tempfile::Builder::new().suffix(suffix).tempfile().expect("a temporary file");
    file.write_all(bytes).expect("a disk with room");
    let Ok(mut reader) = EntryReader::open(file.path()) else { return };
    while let Ok(Some(batch)) = reader.next_batch(|entry| entry) {
        std::hint::black_box(batch);
    }
});
