//! Reversible moves by the difference of two keys.
//!
//! Two positions of a line, an odd number of plies apart, differ by one move of a piece if and only
//! if the difference of their keys is that of the move. A table has all these differences (pawns
//! never go back), with two places for each (cuckoo hashing), after M. N. J. van Kervinck, *The
//! design and implementation of the Rookie 2.0 chess playing program*, 2002.

use std::sync::LazyLock;

use chess::{Color, PositionKey, Role, Square, attacks, reversal_key};

/// A power of two, about twice the number of moves.
const PLACES: usize = 8_192;

/// A move of some piece between two squares, in either direction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Reversal {
    key: PositionKey,
    squares: [u8; 2],
}

impl Reversal {
    /// The move whose keys differ by `key`, if there is one.
    #[inline]
    pub(crate) fn of(key: PositionKey) -> Option<Self> {
        places(key).into_iter().map(|place| TABLE[place]).find(|found| found.key == key)
    }

    /// The two squares.
    #[inline]
    pub(crate) fn squares(self) -> [Square; 2] {
        self.squares.map(|square| Square::new(u32::from(square & 63)))
    }
}

#[inline]
fn places(key: PositionKey) -> [usize; 2] {
    [key as usize % PLACES, (key >> 16) as usize % PLACES]
}

static TABLE: LazyLock<Box<[Reversal; PLACES]>> = LazyLock::new(|| {
    let mut table = Box::new([Reversal::default(); PLACES]);
    all().for_each(|reversal| insert(&mut table, reversal));
    table
});

/// Inserts a move at its place; a move that stood there goes to its other place, and so on.
fn insert(table: &mut [Reversal; PLACES], mut reversal: Reversal) {
    let [mut place, _] = places(reversal.key);
    while reversal != Reversal::default() {
        std::mem::swap(&mut table[place], &mut reversal);
        let [first, second] = places(reversal.key);
        place = if place == first { second } else { first };
    }
}

/// Every move of every piece but pawns, once for both directions.
fn all() -> impl Iterator<Item = Reversal> {
    let pieces = Color::ALL.into_iter().flat_map(|color| {
        let roles = Role::ALL.into_iter().filter(|&role| role != Role::Pawn);
        roles.map(move |role| role.of(color))
    });
    pieces.flat_map(|piece| {
        Square::ALL.into_iter().flat_map(move |a| {
            let reached = attacks::attacks(a, piece, chess::Bitboard::EMPTY);
            reached.into_iter().filter(move |&b| b > a).map(move |b| Reversal {
                key: reversal_key(piece, a, b),
                squares: [a as u8, b as u8],
            })
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use chess::Position;

    #[test]
    fn every_move_is_found() {
        // The number that the literature gives.
        assert_eq!(all().count(), 3_668);
        for reversal in all() {
            assert_eq!(Reversal::of(reversal.key), Some(reversal));
        }
        assert_eq!(Reversal::of(12_345), None);
    }

    #[test]
    fn keys_of_positions_differ_by_it() {
        let before = Position::from_fen("4k3/8/8/8/8/8/8/R3K3 w - - 0 1").unwrap();
        let after = before.after(before.parse_uci("a1a7").unwrap());
        let found = Reversal::of(before.key() ^ after.key()).unwrap();
        assert_eq!(found.squares(), [Square::A1, Square::A7]);
    }
}
