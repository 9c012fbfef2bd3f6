//! Whatever the bytes, the reader of archives answers: games, or that there are none.
#![no_main]

use std::io::Cursor;

use libfuzzer_sys::fuzz_target;
use oplus::archive::{Access, Archive, Blocks, Mode, Model, Part, Preamble};

fn read(mut bytes: &[u8]) {
    if let Ok(mut archive) = Archive::open(Cursor::new(bytes)) {
        let _ = archive.game(0);
    }
    let Ok(preamble) = Preamble::read(&mut bytes) else { return };
    let mut blocks = Blocks::default();
    while let Ok(Part::Block(block)) = blocks.next_part(&mut bytes) {
        let _ = preamble.codec.unpack(&block.content, block.head.games.min(4) as usize);
    }
}

fuzz_target!(|input: (u8, u8, &[u8])| {
    let (mode, games, bytes) = input;
    read(bytes);
    // Without the checksums nothing would ever come as far as the games.
    let mode = [Mode::Best, Mode::Fast, Mode::Rank][usize::from(mode % 3)];
    let access = if games % 2 == 0 { Access::Block } else { Access::Game };
    let _ = Model::bundled().codec(mode, access).unpack(bytes, usize::from(games % 4));
});
