//! Whatever the bytes, the reader of archives answers: games, or that there are none.
#![no_main]

use std::io::Cursor;

use libfuzzer_sys::fuzz_target;
use oplus::data::archive::{
    Access, Archive, ArchivePart, BlockHead, Blocks, Mode, Model, Preamble,
};

fn read(mut bytes: &[u8]) {
    if let Ok(mut archive) = Archive::open(Cursor::new(bytes)) {
        let _ = archive.game(0);
    }
    let Ok(Preamble { mut codec, bytes: place, .. }) = Preamble::read(&mut bytes) else { return };
    let mut blocks = Blocks::behind(place);
    loop {
        match blocks.next_part(&mut bytes) {
            Ok(ArchivePart::Block(block)) if block.head.games <= 4 => {
                let _ = codec.unpack(&block.head, &block.content);
            }
            Ok(ArchivePart::Preamble(preamble)) => codec = preamble.codec,
            Ok(ArchivePart::End) | Err(_) => return,
            Ok(_) => {}
        }
    }
}

fuzz_target!(|input: (u8, u8, &[u8])| {
    let (mode, games, bytes) = input;
    read(bytes);
    // Without the checksums nothing would ever come as far as the games.
    let mode = Mode::ALL[usize::from(mode % 2)];
    let access = if games % 2 == 0 { Access::Block } else { Access::Game };
    let head = BlockHead::new(bytes, u32::from(games % 4), 2_000);
    let _ = Model::bundled().codec(mode, access).unpack(&head, bytes);
});
