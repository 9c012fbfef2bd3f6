//! Mates in the comments of movers, counted in plies or in moves.
//!
//! cutechess and fastchess count plies: `+M3` is a mate in two moves, `-M2` means being mated
//! in one. So a mover who mates has an odd number, one who is mated an even one. A game in
//! which that does not hold counts moves.

use chess::{Color, Score};

/// The mates of a game.
#[derive(Debug, Default)]
pub(super) struct Mates(Vec<Mate>);

#[derive(Clone, Copy, Debug)]
struct Mate {
    /// Index of the move.
    ply: usize,
    mover: Color,
    /// As it is written; negative when being mated.
    count: i32,
}

impl Mates {
    /// Adds the mate of a position by its mover.
    pub(super) fn add(&mut self, ply: usize, mover: Color, count: i32) {
        self.0.push(Mate { ply, mover, count });
    }

    /// Each ply and its score, seen by White.
    pub(super) fn white_scores(&self) -> impl Iterator<Item = (usize, Score)> + '_ {
        let counts_plies = self.0.iter().all(|mate| (mate.count % 2 == 0) == (mate.count < 0));
        self.0.iter().map(move |&Mate { ply, mover, count }| {
            let moves = if counts_plies { count / 2 + count % 2 } else { count };
            (ply, Score::Mate(moves).seen_by(mover))
        })
    }
}
