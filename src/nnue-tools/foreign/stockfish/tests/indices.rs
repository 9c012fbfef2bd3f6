//! The indices of Stockfish's `HalfKAv2_hm`, computed from its rules, are those of its expression.
//!
//! The expected indices are independent of `chess` and `features`: boards come from FENs, squares
//! are numbers.

use chess::random_game::random_game;
use chess::{Color, Position, Scene};
use features::Feature;
use proptest::prelude::*;

use crate::foreign::stockfish::SET;

/// Squares, 0 for a1 to 63 for h8, and the letters on them.
fn placed(fen: &str) -> Vec<(usize, char)> {
    let mut placed = Vec::new();
    for (down, row) in fen.split(' ').next().unwrap().split('/').enumerate() {
        let mut file = 0;
        for letter in row.chars() {
            match letter.to_digit(10) {
                Some(empty) => file += empty as usize,
                None => {
                    placed.push(((7 - down) * 8 + file, letter));
                    file += 1;
                }
            }
        }
    }
    placed
}

/// The indices of a perspective, sorted.
fn indices(fen: &str, white: bool) -> Vec<u32> {
    let placed = placed(fen);
    let own_king = if white { 'K' } else { 'k' };
    let king = placed.iter().find(|(_, letter)| *letter == own_king).unwrap().0;
    let mut indices: Vec<u32> =
        placed.iter().map(|&(square, letter)| index(square, letter, king, white)).collect();
    indices.sort_unstable();
    indices
}

/// Boards are turned over for Black and mirrored if the king is then on files a to d. King
/// squares are numbered from the eighth rank down and from file h to e, planes
/// are pawns of this side, of the other, knights of this side, and so on; both
/// kings have the last one.
fn index(square: usize, letter: char, king: usize, white: bool) -> u32 {
    let over = if white { 0 } else { 56 };
    let mirror = if king % 8 < 4 { 7 } else { 0 };
    let (square, king) = (square ^ over ^ mirror, king ^ over ^ mirror);
    let bucket = 4 * (7 - king / 8) + (7 - king % 8);
    let role = "pnbrqk".find(letter.to_ascii_lowercase()).unwrap();
    let other = (letter.is_ascii_uppercase() != white) as usize;
    let plane = if role == 5 { 10 } else { 2 * role + other };
    (704 * bucket + 64 * plane + square) as u32
}

fn active(position: &Position, perspective: Color) -> Vec<u32> {
    let mut active: Vec<Feature> = Vec::new();
    SET.active(&Scene::from(position), perspective, &mut active);
    let mut active: Vec<u32> = active.into_iter().map(|feature| feature.0).collect();
    active.sort_unstable();
    active
}

fn agree(position: &Position) {
    let fen = position.fen();
    for (color, white) in [(Color::White, true), (Color::Black, false)] {
        assert_eq!(active(position, color), indices(&fen, white), "{color} {fen}");
    }
}

proptest! {
    #[test]
    fn indices_are_those_of_stockfish(seed: u64) {
        let game = random_game(seed, 120);
        let mut position = game.start;
        agree(&position);
        for played in game.moves {
            position.play(played.played);
            agree(&position);
        }
    }
}

/// Every index: a king on every square with every piece on every possible square beside it, and on
/// the board only the other king besides.
#[test]
fn every_index_is_that_of_stockfish() {
    let mut seen = vec![false; SET.size()];
    let mut look = |pieces: &[(usize, char)], turn| {
        let position = Position::from_fen(&fen(pieces, turn)).unwrap();
        agree(&position);
        active(&position, Color::White).iter().for_each(|&index| seen[index as usize] = true);
    };
    for king in 0..64 {
        for other_king in (0..64).filter(|&other| !touch(king, other)) {
            look(&[(king, 'K'), (other_king, 'k')], 'w');
        }
        for letter in "PNBRQpnbrq".chars() {
            for square in (0..64).filter(|&square| square != king && may_stand(letter, square)) {
                let far = |&other: &usize| other != square && !touch(king, other);
                let other_king = (0..64).find(far).unwrap();
                let turn = if letter.is_ascii_uppercase() { 'b' } else { 'w' };
                look(&[(king, 'K'), (other_king, 'k'), (square, letter)], turn);
            }
        }
    }
    for (index, seen) in seen.into_iter().enumerate() {
        assert_eq!(seen, is_possible(index), "{index}");
    }
}

/// Whether a board can have an index of Stockfish.
fn is_possible(index: usize) -> bool {
    let (bucket, plane, square) = (index / 704, index % 704 / 64, index % 64);
    let king = 8 * (7 - bucket / 4) + 7 - bucket % 4;
    match plane {
        0 | 1 => square != king && may_stand('p', square),
        2..10 => square != king,
        _ => square == king || !touch(king, square),
    }
}

fn may_stand(letter: char, square: usize) -> bool {
    !letter.eq_ignore_ascii_case(&'p') || (8..56).contains(&square)
}

fn touch(a: usize, b: usize) -> bool {
    (a / 8).abs_diff(b / 8) <= 1 && (a % 8).abs_diff(b % 8) <= 1
}

fn fen(pieces: &[(usize, char)], turn: char) -> String {
    let mut board = ['1'; 64];
    pieces.iter().for_each(|&(square, letter)| board[square] = letter);
    let rows: Vec<String> = board.chunks(8).rev().map(|row| row.iter().collect()).collect();
    format!("{} {turn} - - 0 1", rows.join("/"))
}
