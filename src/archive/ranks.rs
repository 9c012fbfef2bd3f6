//! Moves by their place in Lichess's order.
//!
//! Lichess lists promotions and captures first. So the place of a move is coded in two
//! steps: whether it is one of those, the *loud* moves, and its place among them or
//! among the others. How likely each answer is depends on the situation: how many
//! moves there are of each kind, whether something was just taken and where among the
//! moves the first one stands that takes back, check, and how long the game has lasted.

use std::sync::Arc;

use super::channel::{Channel, Odds};
use super::choices::{At, index_of};
use super::lichess::Order;
use chess::{Move, MoveList, Position, Square};

/// Number of a situation: of any question that is asked on the way to a place.
pub(crate) type Situation = usize;

/// Moves by their place in Lichess's order.
#[derive(Clone, Debug)]
pub(crate) struct RankCode {
    odds: Arc<[Odds]>,
}

impl RankCode {
    /// Situations that have probabilities of their own.
    pub(crate) const SITUATIONS: usize = Crowd::QUIET + Crowd::QUIETS * Crowd::TIMES;

    /// From how often each answer was given: `counts[situation][answer]`. An answer that
    /// is missing is taken for one that hardly ever is.
    pub(crate) fn new(counts: &[Vec<u16>]) -> Self {
        let odds = |situation: Situation| {
            let counts = counts.get(situation).map_or(&[][..], Vec::as_slice);
            let count = |answer: usize| counts.get(answer).copied().unwrap_or(0);
            let mut odds = Odds::default();
            odds.set(
                (0..Crowd::answers(situation)).map(|answer| 16 * u32::from(count(answer)) + 1),
            );
            odds
        };
        Self { odds: (0..Self::SITUATIONS).map(odds).collect() }
    }

    /// The questions that lead to a move, and their answers.
    pub(crate) fn answers(
        at: At<'_>,
        legal: &MoveList,
        m: Move,
    ) -> impl Iterator<Item = (Situation, usize)> + use<> {
        let order = Order::of(at.position, legal);
        let crowd = Crowd::of(at, legal, &order);
        let place = crowd.place(order.rank(index_of(legal, m)));
        let choice = crowd.is_choice().then_some((crowd.choice(), usize::from(place.is_loud)));
        choice.into_iter().chain([(crowd.of_kind(place.is_loud), place.rank)])
    }

    #[inline]
    pub(super) fn pass<C: Channel>(
        &self,
        at: At<'_>,
        legal: &MoveList,
        channel: &mut C,
        known: C::Known<Move>,
    ) -> Option<Move> {
        let order = Order::of(at.position, legal);
        let crowd = Crowd::of(at, legal, &order);
        let place = C::known(known, |m| crowd.place(order.rank(index_of(legal, m))));
        let is_loud = if crowd.is_choice() {
            let answer = C::known(place, |place| usize::from(place.is_loud));
            channel.symbol(&self.odds[crowd.choice()], answer) == 1
        } else {
            crowd.quiet == 0
        };
        let rank = C::known(place, |place| place.rank);
        let rank = channel.symbol(&self.odds[crowd.of_kind(is_loud)], rank);
        order.index(crowd.rank(Place { is_loud, rank })).and_then(|index| legal.get(index).copied())
    }
}

/// Where a move stands among those of its kind.
#[derive(Clone, Copy, Debug)]
struct Place {
    is_loud: bool,
    rank: usize,
}

/// The legal moves at a glance.
#[derive(Clone, Copy, Debug)]
struct Crowd {
    /// Promotions and captures.
    loud: usize,
    /// All others.
    quiet: usize,
    /// The first move that takes what has just moved, counted in the order.
    answer: Option<usize>,
    /// The last move took something.
    was_capture: bool,
    is_check: bool,
    /// Moves played.
    moves: usize,
}

impl Crowd {
    const LOUDS: usize = 10;
    const QUIETS: usize = 64;
    const ANSWERS: usize = 5;
    const TIMES: usize = 5;
    const CROWDS: usize = 6;

    /// First of the situations in which the place among loud moves is asked, and first
    /// of those for quiet ones; before them stand those that ask which kind it is.
    const LOUD: usize = Self::LOUDS * 2 * Self::ANSWERS * 2 * Self::CROWDS;
    const QUIET: usize = Self::LOUD + Self::LOUDS * 2 * Self::ANSWERS;

    #[inline]
    fn of(At { position, recent }: At<'_>, legal: &MoveList, order: &Order) -> Self {
        let loud = order.loud();
        let takes_back = |target: Square| {
            let answers = legal.iter().enumerate();
            let answers = answers.filter(|(_, m)| m.is_capture() && m.to() == target);
            answers.map(|(index, _)| order.rank(index)).min()
        };
        Self {
            loud,
            quiet: legal.len() - loud,
            answer: recent.theirs.map(Position::landing_square).and_then(takes_back),
            was_capture: recent.theirs.is_some_and(Move::is_capture),
            is_check: position.is_check(),
            moves: position.fullmoves() as usize,
        }
    }

    /// Whether there are moves of both kinds.
    fn is_choice(&self) -> bool {
        self.loud > 0 && self.quiet > 0
    }

    fn place(&self, rank: usize) -> Place {
        let is_loud = rank < self.loud;
        Place { is_loud, rank: if is_loud { rank } else { rank - self.loud } }
    }

    fn rank(&self, place: Place) -> usize {
        if place.is_loud { place.rank } else { self.loud + place.rank }
    }

    /// How many loud moves there are, and what the last move has to do with them.
    fn captures(&self) -> usize {
        let loud = self.loud.min(Self::LOUDS - 1);
        let answer = self.answer.map_or(0, |place| 1 + place.min(Self::ANSWERS - 2));
        (loud * 2 + usize::from(self.was_capture)) * Self::ANSWERS + answer
    }

    /// The question whether the move is a loud one.
    fn choice(&self) -> Situation {
        let crowd = ((self.loud + self.quiet) / 10).min(Self::CROWDS - 1);
        (self.captures() * 2 + usize::from(self.is_check)) * Self::CROWDS + crowd
    }

    /// The question for the place among the moves of a kind.
    fn of_kind(&self, is_loud: bool) -> Situation {
        if is_loud {
            return Self::LOUD + self.captures();
        }
        let time = (self.moves / 12).min(Self::TIMES - 1);
        Self::QUIET + self.quiet.min(Self::QUIETS - 1) * Self::TIMES + time
    }

    /// How many answers a question has.
    fn answers(situation: Situation) -> usize {
        let exactly = |count: usize, most: usize| if count < most - 1 { count.max(1) } else { 256 };
        match situation {
            ..Self::LOUD => 2,
            Self::LOUD..Self::QUIET => {
                exactly((situation - Self::LOUD) / (2 * Self::ANSWERS), Self::LOUDS)
            }
            _ => exactly((situation - Self::QUIET) / Self::TIMES, Self::QUIETS),
        }
    }
}
