//! Coding moves, each as one of the legal ones.

use super::channel::{Channel, Odds};
use super::choices::{At, index_of};
use super::policy::Policy;
use super::ranks::RankCode;
use chess::{Move, MoveList, Role};

/// How closely moves are looked at, from the slowest and smallest.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum Mode {
    /// All clues of a move: captures, threats, answers, plans.
    #[default]
    Best,
    /// Where a piece goes and what it takes.
    Fast,
    /// The rank in Lichess's order.
    Rank,
}

/// A coder of moves.
#[derive(Clone, Debug)]
pub(crate) enum MoveCode {
    /// By the probabilities of a policy.
    Policy(PolicyCode),
    /// By their place in Lichess's order.
    Rank(RankCode),
}

impl MoveCode {
    /// Passes a move, one of `legal`; `None` for bytes that give none.
    #[inline]
    pub(crate) fn pass<C: Channel>(
        &mut self,
        at: At<'_>,
        legal: MoveList,
        channel: &mut C,
        known: C::Known<Move>,
    ) -> Option<Move> {
        match (legal.as_slice(), self) {
            ([], _) => None,
            ([forced], _) => Some(*forced),
            (_, Self::Policy(code)) => code.pass(at, legal, channel, known),
            (_, Self::Rank(code)) => code.pass(at, &legal, channel, known),
        }
    }
}

/// Moves by the probabilities of a policy.
#[derive(Clone, Debug)]
pub(crate) struct PolicyCode {
    policy: Policy,
    odds: Odds,
}

impl PolicyCode {
    pub(crate) fn new(policy: Policy) -> Self {
        Self { policy, odds: Odds::default() }
    }

    #[inline]
    fn pass<C: Channel>(
        &mut self,
        at: At<'_>,
        legal: MoveList,
        channel: &mut C,
        known: C::Known<Move>,
    ) -> Option<Move> {
        let legal = in_order(&legal);
        self.policy.odds(at.position, at.recent, &legal, &mut self.odds);
        let index = C::known(known, |m| index_of(&legal, m));
        legal.get(channel.symbol(&self.odds, index)).copied()
    }
}

/// The moves in an order of their own: the move generator's may change one day, this one
/// may not.
#[inline]
fn in_order(legal: &MoveList) -> MoveList {
    let mut order = [0u32; 256];
    let order = &mut order[..legal.len().min(256)];
    for (entry, (i, &m)) in order.iter_mut().zip((0..).zip(legal)) {
        *entry = place(m) << 8 | i;
    }
    order.sort_unstable();
    order.iter().filter_map(|entry| legal.get((entry & 255) as usize).copied()).collect()
}

/// Where a move stands among all moves of any position.
#[inline]
fn place(m: Move) -> u32 {
    u32::from(m.from()) << 9
        | u32::from(m.to()) << 3
        | m.promotion().map_or(0, |role: Role| role as u32)
}
