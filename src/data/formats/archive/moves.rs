//! Coding moves, each as one of the legal ones.

use super::channel::{Channel, Odds};
use super::context::Recent;
use super::policy::Policy;
use chess::{Game, Move, MoveList, Position, Role};

/// How closely moves are looked at, from the slowest and smallest.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "clap", derive(clap::ValueEnum))]
pub enum Mode {
    /// All features of a move: captures, threats, answers, plans.
    #[default]
    Best,
    /// Squares, captured piece, and pawns that may recapture.
    Fast,
}

impl Mode {
    pub const ALL: [Self; 2] = [Self::Best, Self::Fast];
}

/// Codes moves by the probabilities of a policy.
#[derive(Clone, Debug)]
pub(crate) struct MoveCode {
    policy: Policy,
    odds: Odds,
}

impl MoveCode {
    pub(crate) fn new(policy: Policy) -> Self {
        Self { policy, odds: Odds::default() }
    }

    /// Passes a move, one of `legal`; `None` for bytes that give none.
    #[inline]
    pub(crate) fn pass<C: Channel>(
        &mut self,
        position: &Position,
        recent: Recent,
        legal: &MoveList,
        channel: &mut C,
        known: C::Known<Move>,
    ) -> Option<Move> {
        if let [] | [_] = legal.as_slice() {
            return legal.first().copied();
        }
        let legal = in_order(legal);
        self.policy.odds(position, recent, &legal, &mut self.odds);
        let index = C::known(known, |m| index_of(&legal, m));
        legal.get(channel.symbol(&self.odds, index)).copied()
    }
}

/// Index of a move among the legal ones; others are never encoded
/// ([`Encodable`](super::game::Encodable)).
#[inline]
fn index_of(legal: &MoveList, m: Move) -> usize {
    legal.iter().position(|&other| other == m).unwrap_or(0)
}

/// The moves in an order of their own: the move generator's may change one day, this one
/// may not.
#[inline]
fn in_order(legal: &MoveList) -> MoveList {
    let mut order = [0u32; 256];
    let order = &mut order[..legal.len().min(256)];
    for (entry, (i, &m)) in order.iter_mut().zip((0..).zip(legal)) {
        *entry = order_of(m) << 8 | i;
    }
    order.sort_unstable();
    order.iter().filter_map(|entry| legal.get((entry & 255) as usize).copied()).collect()
}

/// Rank of a move among all moves of any position.
#[inline]
fn order_of(m: Move) -> u32 {
    u32::from(m.from()) << 9
        | u32::from(m.to()) << 3
        | m.promotion().map_or(0, |role: Role| role as u32)
}

/// Visits the positions of a game in which more than one move is legal: position, moves
/// before, legal moves, move played.
pub fn visit_choices(game: &Game, mut visit: impl FnMut(&Position, Recent, &MoveList, Move)) {
    let mut position = game.start.clone();
    let mut recent = Recent::default();
    for m in &game.moves {
        let legal = position.legal_moves();
        if legal.len() > 1 {
            visit(&position, recent, &legal, m.played);
        }
        position.play(m.played);
        recent = recent.then(m.played);
    }
}
