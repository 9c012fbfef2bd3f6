//! Moves, each as one of the legal ones.

use std::sync::Arc;

use super::channel::{Channel, Odds};
use super::lichess;
use super::outlook::Recent;
use super::policy::Policy;
use crate::chess::{Move, MoveList, Position, Role};

/// Where a move is played.
#[derive(Clone, Copy, Debug)]
pub struct At<'p> {
    /// The position.
    pub position: &'p Position,
    /// The moves before.
    pub recent: Recent,
}

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

/// How moves are told.
#[derive(Clone, Debug)]
pub enum MoveCode {
    /// By how likely a policy finds them.
    Policy(PolicyCode),
    /// By their place in Lichess's order.
    Rank(RankCode),
}

impl MoveCode {
    /// Passes a move, one of `legal`; `None` for bytes that tell none.
    #[inline]
    pub fn pass<C: Channel>(
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
            (_, Self::Rank(code)) => code.pass(at, legal, channel, known),
        }
    }
}

/// Moves by how likely a policy finds them.
#[derive(Clone, Debug)]
pub struct PolicyCode {
    policy: Policy,
    odds: Odds,
}

impl PolicyCode {
    /// With a policy.
    pub fn new(policy: Policy) -> Self {
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
        let index = C::known(known, |m| legal.iter().position(|&other| other == m).unwrap_or(0));
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
    let from = m.from().map_or(64, u32::from);
    from << 9 | u32::from(m.to()) << 3 | m.promotion().map_or(0, |role: Role| role as u32)
}

/// Moves by their place in Lichess's order, whose odds depend on how many
/// moves are legal and how long the game has lasted.
#[derive(Clone, Debug)]
pub struct RankCode {
    odds: Arc<[Odds]>,
}

/// Numbers of legal moves that are told apart.
const CROWDS: usize = 64;
/// Parts of the game, of 12 moves each.
const TIMES: usize = 5;

impl RankCode {
    /// From how often each rank was played: `counts[situation][rank]`, the
    /// situations as [`Self::situation`] numbers them. A rank that is missing is
    /// taken for one that hardly ever is.
    pub fn new(counts: &[Vec<u16>]) -> Self {
        let odds = |situation: usize| {
            let counts = counts.get(situation).map_or(&[][..], Vec::as_slice);
            let mut odds = Odds::default();
            odds.set(
                (0..256).map(|rank| 16 * u32::from(counts.get(rank).copied().unwrap_or(0)) + 1),
            );
            odds
        };
        Self { odds: (0..CROWDS * TIMES).map(odds).collect() }
    }

    /// Situations whose odds are told apart.
    pub const SITUATIONS: usize = CROWDS * TIMES;

    /// Number of the situation.
    #[inline]
    pub fn situation(position: &Position, legal: &MoveList) -> usize {
        let time = (position.fullmoves() as usize / 12).min(TIMES - 1);
        time * CROWDS + legal.len().min(CROWDS - 1)
    }

    /// Place of a move in the order.
    #[inline]
    pub fn rank(position: &Position, legal: &MoveList, m: Move) -> usize {
        let own = lichess::priority(position, m);
        legal.iter().filter(|&&other| lichess::priority(position, other) > own).count()
    }

    #[inline]
    fn pass<C: Channel>(
        &mut self,
        At { position, .. }: At<'_>,
        legal: MoveList,
        channel: &mut C,
        known: C::Known<Move>,
    ) -> Option<Move> {
        let rank = C::known(known, |m| Self::rank(position, &legal, m));
        let odds = &self.odds[Self::situation(position, &legal)];
        let rank = channel.symbol(odds, rank);
        move_of_rank(position, legal, rank)
    }
}

/// The move at a place of the order.
#[inline]
fn move_of_rank(position: &Position, legal: MoveList, rank: usize) -> Option<Move> {
    let mut order = [(0u32, 0u8); 256];
    let order = &mut order[..legal.len()];
    for (entry, (i, &m)) in order.iter_mut().zip((0..).zip(&legal)) {
        *entry = (lichess::priority(position, m), i);
    }
    if rank >= order.len() {
        return None;
    }
    let (_, &mut (_, index), _) = order.select_nth_unstable_by(rank, |a, b| b.cmp(a));
    legal.get(usize::from(index)).copied()
}
