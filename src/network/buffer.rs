//! Large buffers that several threads fill.

#![allow(unsafe_code)]

use std::mem::MaybeUninit;

use rayon::prelude::*;

/// Values that one task clears.
const PIECE: usize = 1 << 16;

/// A buffer of `len` values, filled in pieces of `piece` values. Each is
/// handed to `fill` with its companion of `beside`, and holds nothing but
/// `blank` when it is.
///
/// Every thread clears a piece just before filling it. Cleared all at once by one
/// thread, the 64 MB of a batch would go to memory and back before they are filled.
pub fn filled<T: Copy + Send + Sync, B: Send>(
    len: usize,
    piece: usize,
    blank: T,
    beside: impl IndexedParallelIterator<Item = B>,
    fill: impl Fn(&mut [T], B) + Sync,
) -> Vec<T> {
    let starts = (0..len).step_by(piece);
    let lengths: Vec<usize> = starts.map(|start| piece.min(len - start)).collect();
    filled_by_lengths(&lengths, blank, beside, fill)
}

/// The same in pieces of these lengths.
pub fn filled_by_lengths<T: Copy + Send + Sync, B: Send>(
    lengths: &[usize],
    blank: T,
    beside: impl IndexedParallelIterator<Item = B>,
    fill: impl Fn(&mut [T], B) + Sync,
) -> Vec<T> {
    let len = lengths.iter().sum();
    let mut buffer = Vec::with_capacity(len);
    let mut rest = &mut buffer.spare_capacity_mut()[..len];
    let cut = |&length: &usize| rest.split_off_mut(..length).unwrap_or_default();
    let pieces: Vec<&mut [MaybeUninit<T>]> = lengths.iter().map(cut).collect();
    assert_eq!(pieces.len(), beside.len(), "a companion for every piece");
    pieces.into_par_iter().zip(beside).with_max_len(1).for_each(|(room, beside)| {
        for place in &mut *room {
            place.write(blank);
        }
        // SAFETY: every place was just written.
        fill(unsafe { room.assume_init_mut() }, beside);
    });
    // SAFETY: the pieces cover the first `len` places, and each was written.
    unsafe { buffer.set_len(len) };
    buffer
}

/// A buffer of zeros, cleared by all threads.
pub fn zeros(len: usize) -> Vec<f32> {
    filled(len, PIECE, 0.0, (0..len.div_ceil(PIECE)).into_par_iter(), |_, _| ())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_meet_their_companions_and_cover_everything() {
        let buffer = filled(10, 4, 0.0, (1..4usize).into_par_iter(), |piece, number| {
            assert!(piece.iter().all(|&x| x == 0.0));
            piece[0] = number as f32;
        });
        assert_eq!(buffer, [1.0, 0.0, 0.0, 0.0, 2.0, 0.0, 0.0, 0.0, 3.0, 0.0]);
    }

    #[test]
    fn pieces_have_their_lengths() {
        let lengths = [2, 0, 3, 1];
        let buffer = filled_by_lengths(&lengths, 0, (1..5).into_par_iter(), |piece, number| {
            assert!(piece.iter().all(|&x| x == 0));
            piece.fill(number);
        });
        assert_eq!(buffer, [1, 1, 3, 3, 3, 4]);
    }

    #[test]
    #[should_panic(expected = "a companion for every piece")]
    fn no_piece_goes_without() {
        filled(10, 4, 0.0, (0..2).into_par_iter(), |_, _| ());
    }
}
