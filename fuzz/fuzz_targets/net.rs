//! Whatever the bytes, the reader of net files answers; what it takes
//! evaluates positions and is written as what it was read from.
#![no_main]

use std::path::Path;

use libfuzzer_sys::fuzz_target;
use oplus::chess::{Position, Scene};
use oplus::nnue::Net;

/// A file of which everything but header and tensors is right: without the
/// checksum nothing would ever come as far as those.
fn sealed(header: &str, tensors: &[u8]) -> Vec<u8> {
    let length = (header.len() as u32).to_le_bytes();
    let parts = [b"OPLUSNET", &5_u32.to_le_bytes()[..], &length, header.as_bytes(), tensors];
    let mut bytes = parts.concat();
    let checksum = blake3::hash(&bytes);
    bytes.extend(checksum.as_bytes());
    bytes
}

fn read(bytes: &[u8]) {
    let path = Path::new("net.oplus");
    let Ok(net) = Net::from_bytes(bytes, path) else { return };
    let position = Position::default();
    net.evaluate(&Scene::from(&position), position.turn());
    let written = net.to_bytes();
    let again = Net::from_bytes(&written, path).expect("what was written is correct");
    assert_eq!(again.to_bytes(), written);
}

fuzz_target!(|file: (&str, &[u8])| {
    let (header, tensors) = file;
    read(tensors);
    read(&sealed(header, tensors));
});
