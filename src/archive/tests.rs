//! Laws of archives: what goes in comes out, whatever is damaged is noticed, and
//! nothing but the damaged is lost.

use std::io::Cursor;

use proptest::prelude::*;

use super::*;
use crate::chess::random_game::random_game;
use crate::chess::{Game, GameResult, Move, Position, Score};

const MODES: [Mode; 3] = [Mode::Best, Mode::Fast, Mode::Rank];
const ACCESSES: [Access; 2] = [Access::Block, Access::Game];

fn layouts() -> impl Strategy<Value = Layout> {
    (0..MODES.len(), 0..ACCESSES.len(), 1usize..6).prop_map(|(mode, access, block)| Layout {
        mode: MODES[mode],
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

/// What is kept of a game.
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
    let preamble = Preamble::read(&mut file)?;
    let (mut blocks, mut games, mut damaged) = (Blocks::default(), Vec::new(), false);
    loop {
        match blocks.next_part(&mut file)? {
            Part::Block(Block { head, content }) => {
                match preamble.codec.unpack(&content, head.games as usize) {
                    Ok(unpacked) => games.extend(unpacked),
                    Err(_) => damaged = true,
                }
            }
            Part::Damage { .. } => damaged = true,
            Part::Index | Part::End => return Ok((games, damaged)),
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

    /// An archive whose writing was interrupted holds what was written.
    #[test]
    fn the_beginning_of_an_archive_is_one(seed: u64, layout in layouts(), cut in 0.0..1.0f64) {
        let games = games(seed, 9);
        let bytes = packed(&games, &layout);
        let cut = (bytes.len() as f64 * cut) as usize;
        match read(&bytes[..cut]) {
            Ok((found, _)) => {
                assert_same(&found, &games[..found.len()]);
                let mut archive = Archive::open(Cursor::new(&bytes[..cut])).unwrap();
                prop_assert_eq!(archive.games() as usize, found.len());
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
            Ok((found, _)) => {
                let wanted: Vec<_> = games.iter().map(kept).collect();
                let found: Vec<_> = found.iter().map(kept).collect();
                prop_assert!(found.iter().all(|game| wanted.contains(game)));
                let lost = wanted.iter().filter(|game| !found.contains(game)).count();
                prop_assert!(lost <= layout.block, "{lost} of a block of {}", layout.block);
            }
        }
    }

    #[test]
    fn any_bytes_can_be_unpacked(bytes: Vec<u8>, games in 0usize..4, layout in layouts()) {
        let codec = Model::bundled().codec(layout.mode, layout.access);
        let _ = codec.unpack(&bytes, games);
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
    assert!(wanted.iter().all(|&score| says(score)));
    for beyond in [Score::Centipawns(32_768), Score::Mate(-32_768), Score::Centipawns(i32::MIN)] {
        assert!(!says(beyond), "{beyond:?}");
    }
}

#[test]
fn what_is_no_archive_is_told() {
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
    model.ranks.reverse();
    let games = games(5, 7);
    let model = Some(std::sync::Arc::new(model));
    let bytes = packed(&games, &Layout { mode: Mode::Rank, model, ..Layout::default() });
    let (found, damaged) = read(&bytes).unwrap();
    assert!(!damaged);
    assert_same(&found, &games);
}

#[test]
fn games_that_cannot_be_told_are_refused_alone() {
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
