//! Attacks of all pieces of a kind, for whole boards at once: shifts instead of tables and of a
//! loop over pieces with an unpredictable count.
//!
//! Sliders fill the empty squares of a direction in three steps of 1, 2 and 4 squares
//! (Kogge and Stone's adder; see "Kogge-Stone Algorithm" in the Chess Programming Wiki).

const FILE_A: u64 = 0x0101_0101_0101_0101;
const FILE_H: u64 = FILE_A << 7;
const FILES_AB: u64 = FILE_A | FILE_A << 1;
const FILES_GH: u64 = FILE_H | FILE_H >> 1;

/// `N` boards, which the compiler keeps in vectors.
pub(crate) type Boards<const N: usize> = [u64; N];

/// Squares that sliders on files and ranks attack.
#[inline]
pub(crate) fn straight<const N: usize>(sliders: Boards<N>, occupied: u64) -> Boards<N> {
    let empty = !occupied;
    join([
        ray::<N, 8>(sliders, empty, u64::MAX),
        ray::<N, -8>(sliders, empty, u64::MAX),
        ray::<N, 1>(sliders, empty, !FILE_A),
        ray::<N, -1>(sliders, empty, !FILE_H),
    ])
}

/// Squares that sliders on diagonals attack.
#[inline]
pub(crate) fn diagonal<const N: usize>(sliders: Boards<N>, occupied: u64) -> Boards<N> {
    let empty = !occupied;
    join([
        ray::<N, 9>(sliders, empty, !FILE_A),
        ray::<N, -9>(sliders, empty, !FILE_H),
        ray::<N, 7>(sliders, empty, !FILE_H),
        ray::<N, -7>(sliders, empty, !FILE_A),
    ])
}

/// Squares that knights attack.
#[inline]
pub(crate) fn knights<const N: usize>(knights: Boards<N>) -> Boards<N> {
    knights.map(|from| {
        let (one_right, one_left) = (from << 1 & !FILE_A, from >> 1 & !FILE_H);
        let (two_right, two_left) = (from << 2 & !FILES_AB, from >> 2 & !FILES_GH);
        let (near, far) = (one_right | one_left, two_right | two_left);
        near << 16 | near >> 16 | far << 8 | far >> 8
    })
}

/// Squares that kings attack.
#[inline]
pub(crate) fn kings<const N: usize>(kings: Boards<N>) -> Boards<N> {
    kings.map(|from| {
        let beside = from << 1 & !FILE_A | from >> 1 & !FILE_H;
        let row = beside | from;
        beside | row << 8 | row >> 8
    })
}

/// The squares of one direction, up to the first piece and with it. `BY` is the step between
/// squares, and `enter` the squares that a step reaches without leaving the board.
#[inline(always)]
fn ray<const N: usize, const BY: i32>(sliders: Boards<N>, empty: u64, enter: u64) -> Boards<N> {
    let one = empty & enter;
    let two = one & moved(one, BY);
    let four = two & moved(two, 2 * BY);
    sliders.map(|from| {
        let filled = from | one & moved(from, BY);
        let filled = filled | two & moved(filled, 2 * BY);
        let filled = filled | four & moved(filled, 4 * BY);
        moved(filled, BY) & enter
    })
}

#[inline(always)]
fn moved(board: u64, by: i32) -> u64 {
    if by > 0 { board << by } else { board >> -by }
}

#[inline(always)]
fn join<const N: usize>(directions: [Boards<N>; 4]) -> Boards<N> {
    std::array::from_fn(|i| directions.iter().fold(0, |all, boards| all | boards[i]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Square;
    use shakmaty::Bitboard;
    use shakmaty::attacks::{bishop_attacks, king_attacks, knight_attacks, rook_attacks};

    /// Boards of various densities: products of numbers from a multiplier.
    fn boards() -> impl Iterator<Item = u64> {
        let mut state = 1_u64;
        let mut next = move || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (state ^ state >> 29).wrapping_mul(0xbf58_476d_1ce4_e5b9)
        };
        (0..4_000).map(move |i| (0..i % 4).fold(next(), |board, _| board & next()))
    }

    fn by_square(pieces: u64, attacks: impl Fn(Square) -> Bitboard) -> u64 {
        Bitboard(pieces).into_iter().fold(0, |all, square| all | attacks(square).0)
    }

    #[test]
    fn whole_boards_attack_what_their_pieces_do() {
        let all: Vec<u64> = boards().collect();
        for pair in all.windows(2) {
            let (pieces, occupied) = (pair[0], pair[0] | pair[1]);
            let blockers = Bitboard(occupied);
            assert_eq!(
                straight([pieces], occupied)[0],
                by_square(pieces, |s| rook_attacks(s, blockers))
            );
            assert_eq!(
                diagonal([pieces], occupied)[0],
                by_square(pieces, |s| bishop_attacks(s, blockers))
            );
            assert_eq!(knights([pieces])[0], by_square(pieces, knight_attacks));
            assert_eq!(kings([pieces])[0], by_square(pieces, king_attacks));
        }
    }
}
