//! Games as another reader reads them, and real files, counted by another program.

use std::ops::ControlFlow;
use std::path::PathBuf;

use pgn_reader::{RawComment, Reader, SanPlus, Visitor};
use proptest::prelude::*;

use super::spelling::Spelled;
use super::{decode, write_movetext};
use crate::formats::entry::GameReader;
use chess::random_game::random_game;

/// Collects moves and comments of the main line as the crate `pgn-reader` reads them.
struct Words;

impl Visitor for Words {
    type Tags = ();
    type Movetext = Vec<String>;
    type Output = Vec<String>;

    fn begin_tags(&mut self) -> ControlFlow<Self::Output, ()> {
        ControlFlow::Continue(())
    }

    fn begin_movetext(&mut self, (): ()) -> ControlFlow<Self::Output, Vec<String>> {
        ControlFlow::Continue(Vec::new())
    }

    fn san(&mut self, words: &mut Vec<String>, san: SanPlus) -> ControlFlow<Self::Output> {
        words.push(san.san.to_string());
        ControlFlow::Continue(())
    }

    fn comment(
        &mut self,
        words: &mut Vec<String>,
        comment: RawComment<'_>,
    ) -> ControlFlow<Self::Output> {
        words.push(format!("{:?}", comment.as_bytes()));
        ControlFlow::Continue(())
    }

    fn end_game(&mut self, words: Vec<String>) -> Self::Output {
        words
    }
}

/// Texts that may stand behind a move.
const BETWEEN: [&str; 8] =
    ["", "!?", " $14", " {[%eval 0.3]}", " (1. e4 (e5 {)}) Nf3)", " ; rest", " {a}{b}", "\n% x"];

proptest! {
    /// Legal games are read as the crate reads them.
    #[test]
    fn another_reader_finds_the_same(seed: u64, between in prop::collection::vec(0..BETWEEN.len(), 60)) {
        let game = random_game(seed, 60);
        let mut text = Vec::new();
        write_movetext(&mut text, &game, |_| None, "1-0").unwrap();
        let text = String::from_utf8(text).unwrap();
        let mut signs = between.iter().cycle().map(|&at| BETWEEN[at]);
        let mut decorate = |word: &str| match word.ends_with('.') || word == "1-0" {
            true => format!("{word} "),
            false => format!("{word}{}\n", signs.next().unwrap()),
        };
        let movetext: String = text.split_ascii_whitespace().map(&mut decorate).collect();
        let variant = if game.start.is_chess960() { "Chess960" } else { "" };
        let text =
            format!("[FEN \"{}\"]\n[Variant \"{variant}\"]\n\n{movetext}\n", game.start.fen());
        let theirs = Reader::new(text.as_bytes()).read_game(&mut Words).unwrap().unwrap();
        let ours = words(text.as_bytes());
        prop_assert_eq!(ours, theirs, "{}", text);
        let read = decode(text.as_bytes(), 1).unwrap();
        let wanted: Vec<_> = game.moves.iter().map(|m| m.played).collect();
        prop_assert_eq!(read.moves.iter().map(|m| m.played).collect::<Vec<_>>(), wanted);
    }
}

/// The same as this room finds them.
fn words(text: &[u8]) -> Vec<String> {
    let begins = super::tags::read(text, |_, _, _| Ok(())).unwrap();
    let mut movetext = super::movetext::Movetext::new(text, begins);
    let mut words = Vec::new();
    while let Some((_, token)) = movetext.next_token().unwrap() {
        match token {
            super::movetext::Token::Move(ply) => match ply.spelled {
                Spelled::San(san) => words.push(san.to_string()),
                Spelled::Squares(squares) => words.push(squares.to_string()),
            },
            super::movetext::Token::Comment(comment) => words.push(format!("{comment:?}")),
            super::movetext::Token::End(_) => {}
        }
    }
    words
}

/// Files with their games, the moves of their main lines, and games that are to be refused:
/// of other variants, or with more pieces than chess has.
const FILES: [(&str, usize, usize, usize); 14] = [
    ("games/lichess_bullet", 11_530, 873_701, 0),
    ("games/lichess_chess960", 358, 26_361, 0),
    ("games/lichess_from_position", 332, 24_020, 15),
    ("games/lichess_gm_evals", 7_854, 667_015, 0),
    ("games/lichess_other_variants", 0, 0, 123),
    ("games/tcec_frc", 4_187, 535_945, 0),
    ("games/tcec_std", 19_633, 2_688_868, 0),
    ("raw_pgn/TCEC_Cup_10_Bronze", 10, 1_534, 0),
    ("raw_pgn/TCEC_Match_1", 48, 7_348, 0),
    ("raw_pgn/TCEC_Season_24_-_Dfrc_2_League_1", 112, 14_728, 0),
    ("raw_pgn/TCEC_Season_26_-_1s_Ultra_Bullet_Chess_Bonus", 100, 18_199, 0),
    ("raw_pgn/TCEC_Season_5_-_Stage_1", 126, 15_878, 0),
    ("raw_pgn/lichess_db_2025-05_1000k", 438, 28_538, 0),
    ("books/8moves_v3", 34_700, 555_200, 0),
];

#[test]
#[ignore = "needs ../shared/data; run by .ci/run with --ignored"]
fn real_files_lose_nothing() {
    let folder = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/data/open"));
    for (name, games, moves, to_refuse) in FILES {
        let mut reader = GameReader::open(&folder.join(format!("{name}.pgn.zst"))).unwrap();
        let (mut found, mut refused) = (Vec::new(), Vec::new());
        while let Some(batch) = reader.next_batch(|game| game.moves.len()).unwrap() {
            for game in batch {
                match game {
                    Ok(plies) => found.push(plies),
                    Err(bad) => refused.push(bad),
                }
            }
        }
        assert_eq!(refused.len(), to_refuse, "{name}: {:?}", refused.first());
        assert_eq!((found.len(), found.iter().sum()), (games, moves), "{name}");
    }
}
