//! Containers that are cut, damaged, put together, or claim more than they hold.

use std::process::Command;

use oplus::data::archive::format::{BlockHead, Head, MOST_GAMES, MOST_PLIES};
use oplus::data::archive::{Access, Mode, Model};

use crate::support::{Answer, OPLUS, Workdir, games};

fn archive(work: &Workdir, name: &str, block: &str) -> Vec<u8> {
    let answer = work.run(&["data", "convert", games().to_str().unwrap(), name, "--block", block]);
    assert_eq!(answer.code, 0, "{}", answer.err);
    std::fs::read(work.path().join(name)).unwrap()
}

fn checked(work: &Workdir, name: &str) -> Answer {
    work.run(&["data", "check", name])
}

/// Runs the program with a limit of its address space in MiB.
pub(crate) fn within(work: &Workdir, mebibytes: usize, args: &[&str]) -> Answer {
    let limited = format!("ulimit -v {} && exec \"$0\" \"$@\"", mebibytes * 1024);
    let mut command = Command::new("sh");
    command.current_dir(work.path()).args(["-c", &limited]).arg(OPLUS).args(args);
    Answer::from(command.output().unwrap())
}

#[test]
fn archives_put_one_behind_the_other_are_read_to_the_end() {
    let work = Workdir::new();
    let (a, b) = (archive(&work, "a.oarc", "7"), archive(&work, "b.oarc", "256"));
    std::fs::write(work.path().join("both.oarc"), [a, b].concat()).unwrap();
    let count = |name: &str| -> u64 {
        let answer = checked(&work, name);
        assert_eq!(answer.code, 0, "{}", answer.err);
        let stated = answer.out.split(": ").nth(1).unwrap().split(' ').next().unwrap();
        stated.replace(',', "").parse().unwrap()
    };
    assert_eq!(count("both.oarc"), 2 * count("a.oarc"));
    let info = work.run(&["archive", "info", "both.oarc"]);
    assert_eq!(info.out.matches("games   ").count(), 2, "{}", info.out);
    let last = (2 * count("a.oarc")).to_string();
    let show = |name: &str, number: &str| work.run(&["archive", "show", name, number]).out;
    assert_eq!(show("both.oarc", &last), show("b.oarc", &count("b.oarc").to_string()));
}

#[test]
fn an_archive_cut_at_the_end_of_a_block_is_not_whole() {
    let work = Workdir::new();
    let bytes = archive(&work, "a.oarc", "7");
    let last = bytes.windows(4).rposition(|window| window == b"BLOK").unwrap();
    let index = bytes.windows(4).rposition(|window| window == b"INDX").unwrap();
    for cut in [last, index] {
        std::fs::write(work.path().join("cut.oarc"), &bytes[..cut]).unwrap();
        for command in [["data", "check"], ["archive", "info"]] {
            let answer = work.run(&[&command[..], &["cut.oarc"]].concat());
            assert_eq!(answer.code, 1, "{command:?}: {}", answer.out);
            let reply = answer.out + &answer.err;
            let reply =
                reply.split_whitespace().filter(|&w| w != "│").collect::<Vec<_>>().join(" ");
            assert!(
                reply.contains("cut.oarc") && reply.contains("ends without its index"),
                "{reply}"
            );
        }
    }
    let first = bytes.windows(4).position(|window| window == b"BLOK").unwrap();
    let second = first + 4 + bytes[first + 4..].windows(4).position(|w| w == b"BLOK").unwrap();
    std::fs::write(work.path().join("gap.oarc"), [&bytes[..first], &bytes[second..]].concat())
        .unwrap();
    let answer = checked(&work, "gap.oarc");
    assert_eq!(answer.code, 1);
    assert!(
        answer.out.contains("1 blocks more than there are: 7 games are missing"),
        "{}",
        answer.out
    );
}

/// The smallest archives that promise the most.
fn promising(games: u32, plies: u32) -> Vec<u8> {
    let model = Model::bundled().hash();
    let head = Head { mode: Mode::Best, access: Access::Block, model, model_bytes: 0 };
    let content = [0; 100];
    let block = BlockHead::new(&content, games, plies);
    [&head.to_bytes()[..], &block.to_bytes(), &content].concat()
}

#[test]
fn an_index_is_held_against_the_blocks_it_lists() {
    let work = Workdir::new();
    let bytes = archive(&work, "a.oarc", "7");
    let start = bytes.windows(4).rposition(|window| window == b"INDX").unwrap();
    let (blocks, end) = (&bytes[..start], &bytes[bytes.len() - 8..]);
    let entries = &bytes[start + 8..bytes.len() - 16];
    let indexed = |entries: &[u8]| {
        let count = (entries.len() / 12) as u32;
        let index = [&b"INDX"[..], &count.to_le_bytes(), entries].concat();
        let hash = blake3::hash(&index);
        let sum = &hash.as_bytes()[..8];
        [blocks, &index, sum, end].concat()
    };
    assert_eq!(indexed(entries), bytes, "the index is made as the program makes it");
    let games = |answer: &Answer| -> u64 {
        let stated = answer.out.split_whitespace().nth(1).unwrap();
        stated.replace(',', "").parse().unwrap()
    };
    let whole = games(&work.run(&["archive", "info", "a.oarc"]));
    let many = [0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 0xff, 0xff].repeat(100_000);
    let other = [&entries[..8], &u32::to_le_bytes(1_000_000), &entries[12..]].concat();
    let moved = [&entries[12..24], &entries[..12], &entries[24..]].concat();
    for entries in [many, other, moved] {
        std::fs::write(work.path().join("crafted.oarc"), indexed(&entries)).unwrap();
        let answer = work.run(&["archive", "info", "crafted.oarc"]);
        assert_eq!(games(&answer), whole, "{}", answer.out);
        assert!(!answer.err.contains("429,496"), "{}", answer.err);
    }
}

#[cfg(unix)]
#[test]
fn a_block_that_claims_any_number_of_games_costs_no_memory() {
    let work = Workdir::new();
    let path = work.path().join("claims.oarc");
    for (games, plies) in [(u32::MAX, 0), (u32::MAX, u32::MAX), (1_000_000, 1), (5, u32::MAX)] {
        let bytes = promising(games, plies);
        assert_eq!(bytes.len(), 164);
        std::fs::write(&path, bytes).unwrap();
        let answer = within(&work, 3_000, &["data", "check", "claims.oarc"]);
        assert_eq!(answer.code, 1, "{}{}", answer.out, answer.err);
        let claim = format!("a block claims {games} games with {plies} plies in 100 bytes");
        assert!(answer.out.contains(&claim) && answer.out.contains("byte 40"), "{}", answer.out);
        if games > MOST_GAMES || plies > MOST_PLIES {
            let shown = within(&work, 3_000, &["archive", "show", "claims.oarc", "5"]);
            assert_eq!(shown.code, 1);
            shown.assert_shows(&["block at byte 40 is damaged"]);
        }
    }
}

#[cfg(unix)]
#[test]
fn a_small_file_that_unpacks_to_much_costs_little_memory() {
    let work = Workdir::new();
    let path = work.path().join("zeros.binpack");
    for (size, reply) in
        [(100u32 << 20, "a size of at most 16 MiB"), (16 << 20, "0 sound, 1,001 defects")]
    {
        let head = [&b"BINP"[..], &size.to_le_bytes()].concat();
        std::fs::write(&path, [&head[..], &vec![0; size as usize]].concat()).unwrap();
        let answer = within(&work, 3_000, &["data", "check", "zeros.binpack"]);
        assert_eq!(answer.code, 1, "{}{}", answer.out, answer.err);
        assert!(answer.shows(reply) || answer.out.contains(reply), "{}{}", answer.out, answer.err);
    }
    // Claimed, and not there.
    let head = [&b"BINP"[..], &(16u32 << 20).to_le_bytes(), b"short"].concat();
    std::fs::write(&path, head).unwrap();
    let answer = checked(&work, "zeros.binpack");
    assert_eq!(answer.code, 1);
    assert!(
        answer.out.contains("the file ends inside this chunk, after 5 of its 16777216 bytes"),
        "{}",
        answer.out
    );
}

#[test]
fn files_without_checksums_have_a_note() {
    let work = Workdir::new();
    let source = games().to_str().unwrap();
    for (name, is_protected) in [
        ("a.viri", false),
        ("a.viri.zst", true),
        ("a.oarc", true),
        ("a.pgn", false),
        ("a.data", false),
    ] {
        assert_eq!(work.run(&["data", "convert", source, name]).code, 0);
        let answer = checked(&work, name);
        assert_eq!(answer.code, 0, "{}", answer.err);
        assert_eq!(!answer.out.contains("unprotected"), is_protected, "{name}: {}", answer.out);
    }
    assert!(checked(&work, "a.viri").out.contains("`zstd a.viri` packs it with checksums"));
}

/// Every flipped bit of compressed output is noticed.
#[test]
fn flipped_bits_in_compressed_files_are_noticed() {
    let work = Workdir::new();
    let path = work.path().join("a.viri.zst");
    let good = std::fs::read(games()).unwrap();
    for place in (0..good.len()).step_by(good.len() / 12) {
        let mut damaged = good.clone();
        damaged[place] ^= 1 << (place % 8);
        std::fs::write(&path, damaged).unwrap();
        let answer = checked(&work, "a.viri.zst");
        assert_eq!(answer.code, 1, "byte {place}: {}", answer.out);
    }
}
