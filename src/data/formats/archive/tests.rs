//! Laws of archives: games are read as they were written, damage is detected, and only damaged
//! games are lost.

use std::io::Cursor;

use proptest::prelude::*;

use super::*;
use chess::random_game::random_game;
use chess::{Game, GameResult, Move, Position, Score};

const ACCESSES: [Access; 2] = [Access::Block, Access::Game];

fn layouts() -> impl Strategy<Value = Layout> {
    (0..Mode::ALL.len(), 0..ACCESSES.len(), 1usize..6).prop_map(|(mode, access, block)| Layout {
        mode: Mode::ALL[mode],
        access: ACCESSES[access],
        block,
        model: None,
    })
}

fn games(seed: u64, count: u64) -> Vec<Game> {
    (0..count).map(|i| random_game(seed.wrapping_add(i), 60)).collect()
}

fn packed(games: &[Game], layout: &Layout) -> Vec<u8> {
    let mut writer = ArchiveWriter::new(Vec::new(), layout.clone()).unwrap();
    games.iter().for_each(|game| writer.write(game).unwrap().unwrap());
    let (bytes, written) = writer.finish().unwrap();
    assert_eq!((written.games, written.bytes), (games.len() as u64, bytes.len() as u64));
    bytes
}

/// The content of a game that an archive keeps.
#[derive(Debug, PartialEq)]
struct Kept {
    start: String,
    moves: Vec<(Move, Option<i16>)>,
    result: Option<GameResult>,
}

fn kept(game: &Game) -> Kept {
    let score = |score: Option<Score>| score.map(Score::to_i16);
    Kept {
        start: game.start.fen(),
        moves: game.moves.iter().map(|m| (m.played, score(m.white_score))).collect(),
        result: game.result,
    }
}

fn assert_same(found: &[Game], wanted: &[Game]) {
    assert_eq!(found.len(), wanted.len());
    found.iter().zip(wanted).for_each(|(a, b)| assert_eq!(kept(a), kept(b)));
}

/// All games that can be read, and whether something was damaged.
fn read(bytes: &[u8]) -> Result<(Vec<Game>, bool), ArchiveError> {
    let mut file = bytes;
    let Preamble { mut codec, bytes, .. } = Preamble::read(&mut file)?;
    let (mut blocks, mut games, mut damaged) = (Blocks::behind(bytes), Vec::new(), false);
    loop {
        match blocks.next_part(&mut file)? {
            ArchivePart::Block(Block { head, content }) => match codec.unpack(&head, &content) {
                Ok(unpacked) => games.extend(unpacked),
                Err(_) => damaged = true,
            },
            ArchivePart::Damage { .. } => damaged = true,
            ArchivePart::Ending(ending) => damaged |= ending != ArchiveEnding::Whole,
            ArchivePart::Preamble(preamble) => codec = preamble.codec,
            ArchivePart::End => return Ok((games, damaged)),
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn what_goes_in_comes_out(seed: u64, count in 0u64..20, layout in layouts()) {
        let games = games(seed, count);
        let (found, damaged) = read(&packed(&games, &layout)).unwrap();
        prop_assert!(!damaged);
        assert_same(&found, &games);
    }

    #[test]
    fn any_game_can_be_had_alone(seed: u64, count in 1u64..20, layout in layouts()) {
        let games = games(seed, count);
        let mut archive = Archive::open(Cursor::new(packed(&games, &layout))).unwrap();
        prop_assert_eq!(archive.games(), count);
        for number in (0..count).rev() {
            let found = archive.game(number).unwrap();
            assert_same(&[found], &games[number as usize..][..1]);
        }
        let beyond = archive.game(count).unwrap_err().to_string();
        prop_assert_eq!(beyond, format!("there is no game {}: the archive has {count}", count + 1));
    }

    /// An archive whose writing was interrupted holds the games written before.
    #[test]
    fn the_beginning_of_an_archive_is_one(seed: u64, layout in layouts(), cut in 0.0..1.0f64) {
        let games = games(seed, 9);
        let bytes = packed(&games, &layout);
        let cut = (bytes.len() as f64 * cut) as usize;
        match read(&bytes[..cut]) {
            Ok((found, damaged)) => {
                prop_assert!(damaged, "cut at {cut} of {}", bytes.len());
                assert_same(&found, &games[..found.len()]);
                let mut archive = Archive::open(Cursor::new(&bytes[..cut])).unwrap();
                prop_assert_eq!(archive.games() as usize, found.len());
                prop_assert!(!archive.faults().is_empty());
                for (number, wanted) in (0..).zip(&found) {
                    assert_same(&[archive.game(number).unwrap()], std::slice::from_ref(wanted));
                }
            }
            Err(error) => prop_assert!(cut < format::HEAD_BYTES, "{cut}: {error}"),
        }
    }

    /// A flipped bit costs the block in which it lies, and never a wrong move.
    #[test]
    fn a_flipped_bit_is_noticed(seed: u64, layout in layouts(), at in 0.0..1.0f64, bit in 0u8..8) {
        let games = games(seed, 9);
        let mut bytes = packed(&games, &layout);
        let at = (bytes.len() as f64 * at) as usize;
        bytes[at] ^= 1 << bit;
        match read(&bytes) {
            Err(_) => prop_assert!(at < format::HEAD_BYTES),
            Ok((found, damaged)) => {
                prop_assert!(damaged);
                let wanted: Vec<_> = games.iter().map(kept).collect();
                let found: Vec<_> = found.iter().map(kept).collect();
                prop_assert!(found.iter().all(|game| wanted.contains(game)));
                let lost = wanted.iter().filter(|game| !found.contains(game)).count();
                prop_assert!(lost <= layout.block, "{lost} of a block of {}", layout.block);
            }
        }
    }

    #[test]
    fn any_bytes_can_be_unpacked(bytes: Vec<u8>, games in 0u32..4, layout in layouts()) {
        let codec = Model::bundled().codec(layout.mode, layout.access);
        let _ = codec.unpack(&BlockHead::new(&bytes, games, 500), &bytes);
    }

    /// Concatenated files of any layouts are all read.
    #[test]
    fn archives_one_behind_the_other_are_read(
        seed: u64,
        layouts in prop::collection::vec(layouts(), 2..4),
    ) {
        let part = |(i, layout): (u64, _)| (games(seed.wrapping_add(i * 9), 7), layout);
        let parts: Vec<(Vec<Game>, &Layout)> = (0..).zip(&layouts).map(part).collect();
        let bytes: Vec<u8> =
            parts.iter().flat_map(|(games, layout)| packed(games, layout)).collect();
        let wanted: Vec<Game> = parts.into_iter().flat_map(|(games, _)| games).collect();
        let (found, damaged) = read(&bytes).unwrap();
        prop_assert!(!damaged);
        assert_same(&found, &wanted);
        let mut archive = Archive::open(Cursor::new(bytes)).unwrap();
        prop_assert_eq!(archive.sections().len(), layouts.len());
        prop_assert_eq!(archive.faults(), Vec::<String>::new());
        for (number, wanted) in (0..).zip(&wanted) {
            assert_same(&[archive.game(number).unwrap()], std::slice::from_ref(wanted));
        }
    }

    /// Blocks cut out of the middle are missed, though all that is there is sound.
    #[test]
    fn a_block_that_is_gone_is_missed(seed in 0..u64::MAX - 9, block in 1usize..3) {
        let games = games(seed, 6);
        let bytes = packed(&games, &Layout { block, ..Layout::default() });
        let is_block = |&at: &usize| bytes[at..].starts_with(&format::BLOCK);
        let starts: Vec<usize> = (0..bytes.len()).filter(is_block).collect();
        let [first, second, ..] = starts[..] else { return Ok(()) };
        let cut = [&bytes[..first], &bytes[second..]].concat();
        let faults = Archive::open(Cursor::new(&cut)).unwrap().faults();
        let wanted = format!("lists 1 blocks more than there are: {block} games are missing");
        prop_assert!(faults[0].contains(&wanted), "{faults:?}");
        prop_assert!(read(&cut).unwrap().1);
    }
}

/// A few bytes can claim any number of games.
#[test]
fn claims_beyond_all_bounds_are_refused_before_they_cost_anything() {
    for access in ACCESSES {
        let layout = Layout { access, ..Layout::default() };
        let codec = Model::bundled().codec(layout.mode, access);
        let content = [0; 100];
        for (claimed, plies) in [(u32::MAX, 0), (u32::MAX, u32::MAX), (1, u32::MAX), (2, 1)] {
            let head = BlockHead::new(&content, claimed, plies);
            assert!(codec.unpack(&head, &content).is_err(), "{claimed} games, {plies} plies");
        }
    }
}

#[test]
fn games_too_long_for_one_block_are_in_several() {
    let games = games(5, 8);
    let plies: usize = games.iter().map(|game| game.moves.len()).sum();
    assert!(plies > 0);
    let encodable: Vec<_> = games.iter().map(|game| game::Encodable::new(game).unwrap()).collect();
    let codec = Model::bundled().codec(Mode::Fast, Access::Block);
    for most in [1, plies / 3, plies] {
        let blocks = writer::packed(&codec, &encodable, most);
        assert!(blocks.iter().all(|(head, _)| head.games == 1 || head.plies as usize <= most));
        let unpacked: Vec<Game> = blocks
            .iter()
            .flat_map(|(head, content)| codec.unpack(head, content).unwrap())
            .collect();
        assert_same(&unpacked, &games);
    }
}

#[test]
fn scores_of_sixteen_bits_are_kept() {
    let mut games = games(3, 4);
    let scores = [30_999, 31_000, 32_767, -32_767, 0, 32_000].map(Score::Centipawns);
    let mates = [1, -1, 1_001, 32_767, -32_767].map(Score::Mate);
    let wanted: Vec<Score> = scores.into_iter().chain(mates).cycle().take(4_000).collect();
    let mut next = wanted.iter();
    let moves = games.iter_mut().flat_map(|game| &mut game.moves);
    moves.for_each(|m| m.white_score = next.next().copied());
    let (found, _) = read(&packed(&games, &Layout::default())).unwrap();
    assert!(found.iter().zip(&games).all(|(found, wanted)| found.moves == wanted.moves));
    assert!(wanted.iter().all(|&score| holds_exactly(score)));
    for beyond in [Score::Centipawns(32_768), Score::Mate(-32_768), Score::Centipawns(i32::MIN)] {
        assert!(!holds_exactly(beyond), "{beyond:?}");
    }
}

#[test]
fn foreign_files_are_refused_with_a_reason() {
    let error = |bytes: &[u8]| read(bytes).unwrap_err().to_string();
    assert_eq!(error(b"[Event \"?\"]"), "it is no archive");
    let good = packed(&games(1, 2), &Layout::default());
    let mut later = good.clone();
    later[8] = 2;
    let sum = format::checksum(&[&later[..32]]);
    later[32..40].copy_from_slice(&sum);
    assert_eq!(error(&later), "it was made by a later version of this program");
    let mut damaged = good.clone();
    damaged[20] ^= 1;
    assert_eq!(error(&damaged), "its first 40 bytes are damaged");
    damaged[20] ^= 1;
    damaged[12] ^= 1;
    let sum = format::checksum(&[&damaged[..32]]);
    damaged[32..40].copy_from_slice(&sum);
    assert!(error(&damaged).starts_with("its model is not the one"), "{}", error(&damaged));
}

#[test]
fn a_model_can_travel_inside() {
    let mut model = (*Model::bundled()).clone();
    model.unread.swap(0, 1);
    model.unread.push(vec![1, 2, 3]);
    let games = games(5, 7);
    let model = Some(std::sync::Arc::new(model));
    let bytes = packed(&games, &Layout { mode: Mode::Fast, model, ..Layout::default() });
    let (found, damaged) = read(&bytes).unwrap();
    assert!(!damaged);
    assert_same(&found, &games);
}

#[test]
fn unencodable_games_are_refused_alone() {
    let mut writer = ArchiveWriter::new(Vec::new(), Layout::default()).unwrap();
    let good = random_game(3, 20);
    let mut bad = good.clone();
    bad.start = Position::from_fen("4k3/8/8/8/8/8/8/4K3 w - - 0 1").unwrap();
    writer.write(&good).unwrap().unwrap();
    let refused = writer.write(&bad).unwrap().unwrap_err();
    assert_eq!(refused.to_string(), "ply 1 is not legal");
    let (bytes, written) = writer.finish().unwrap();
    assert_eq!(written.games, 1);
    assert_same(&read(&bytes).unwrap().0, &[good]);
}
