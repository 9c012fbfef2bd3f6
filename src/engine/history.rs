//! Histories: which moves have caused cutoffs elsewhere in the tree.
//!
//! Quiet moves have butterfly history (by origin, target, and whether these are
//! attacked) and continuation history (by the moves one, two and four plies
//! before); captures have capture history (by piece, target and victim). Updates
//! have Stockfish's "gravity": the nearer to the limit, the smaller the step, so
//! that old successes fade.

use chess::{Bitboard, ByColor, Color, Move};

const LIMIT: i32 = 16_384;
/// Places for role and target ([`Move::piece_to`]).
const PIECE_TO: usize = 512;
/// Places for origin and target ([`Move::squares`]).
const FROM_TO: usize = 4_096;
/// Places for role, target and captured role ([`Move::piece_to_captured`]).
const CAPTURES: usize = 4_096;

/// A side's piece and its target square: the key of continuation history.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PieceTo(u16);

impl PieceTo {
    const COUNT: usize = 2 * PIECE_TO;

    #[inline]
    pub(crate) fn of(color: Color, m: Move) -> Self {
        Self(m.piece_to() as u16 + PIECE_TO as u16 * u16::from(color.is_black()))
    }

    #[inline]
    fn index(self) -> usize {
        usize::from(self.0)
    }
}

/// Key of a quiet move's histories, besides the move.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Context {
    /// The moves one, two and four plies before, where there were any.
    pub before: [Option<PieceTo>; 3],
    /// Squares that the opponent attacks.
    pub threats: Bitboard,
}

impl Context {
    /// The moves before and their weights: older ones count half.
    fn weighed(&self) -> impl Iterator<Item = (PieceTo, i32)> {
        let halves = [2, 2, 1];
        self.before.into_iter().zip(halves).filter_map(|(before, half)| Some((before?, half)))
    }
}

/// All histories of a search; they persist through a game.
pub(crate) struct Histories {
    /// By whether the move leaves or goes to an attacked square.
    butterfly: ByColor<Box<[FromTo; 4]>>,
    /// By the move before.
    continuation: Vec<ByColor<ByPieceTo>>,
    captures: ByColor<Box<[i16; CAPTURES]>>,
}

/// A value for each origin and target.
type FromTo = [i16; FROM_TO];

/// A value for each piece and target square of a side.
type ByPieceTo = [i16; PIECE_TO];

/// After a null move, or where there was none.
const NOTHING: ByPieceTo = [0; PIECE_TO];

/// The histories of all quiet moves of a node, found once.
pub(crate) struct QuietHistory<'h> {
    threats: Bitboard,
    butterfly: &'h [FromTo; 4],
    continuation: [&'h ByPieceTo; 3],
}

impl QuietHistory<'_> {
    /// About ±57,000.
    #[inline]
    pub(crate) fn of(&self, m: Move) -> i32 {
        let current = m.piece_to();
        let butterfly = self.butterfly[danger(self.threats, m)][m.squares()];
        let [last, own, older] = self.continuation.map(|row| i32::from(row[current]));
        i32::from(butterfly) + last + own + older / 2
    }
}

impl Default for Histories {
    fn default() -> Self {
        Self::new()
    }
}

impl Histories {
    pub(crate) fn new() -> Self {
        let nothing = || ByColor { black: NOTHING, white: NOTHING };
        Self {
            butterfly: ByColor::new_with(|_| Box::new([[0; FROM_TO]; 4])),
            continuation: (0..PieceTo::COUNT).map(|_| nothing()).collect(),
            captures: ByColor::new_with(|_| Box::new([0; CAPTURES])),
        }
    }

    pub(crate) fn clear(&mut self) {
        self.butterfly.iter_mut().for_each(|tables| **tables = [[0; FROM_TO]; 4]);
        self.continuation.iter_mut().flat_map(ByColor::iter_mut).for_each(|row| *row = NOTHING);
        self.captures.iter_mut().for_each(|table| **table = [0; CAPTURES]);
    }

    /// Histories of a node's quiet moves.
    #[inline]
    pub(crate) fn quiets(&self, color: Color, context: &Context) -> QuietHistory<'_> {
        let row = |before: Option<PieceTo>| {
            before.map_or(&NOTHING, |before| self.continuation[before.index()].get(color))
        };
        QuietHistory {
            threats: context.threats,
            butterfly: self.butterfly.get(color),
            continuation: context.before.map(row),
        }
    }

    /// History of a capture or promotion; ±16,384.
    #[inline]
    pub(crate) fn capture(&self, color: Color, m: Move) -> i32 {
        i32::from(self.captures.get(color)[m.piece_to_captured()])
    }

    pub(crate) fn update_quiet(&mut self, color: Color, m: Move, context: &Context, bonus: i32) {
        let butterfly = self.butterfly.get_mut(color);
        nudge(&mut butterfly[danger(context.threats, m)][m.squares()], bonus);
        for (before, halves) in context.weighed() {
            let row = self.continuation[before.index()].get_mut(color);
            nudge(&mut row[m.piece_to()], bonus * halves / 2);
        }
    }

    pub(crate) fn update_capture(&mut self, color: Color, m: Move, bonus: i32) {
        nudge(&mut self.captures.get_mut(color)[m.piece_to_captured()], bonus);
    }
}

/// Moves a value by `bonus`, less the nearer it is to the limit.
#[inline]
fn nudge(value: &mut i16, bonus: i32) {
    let bonus = bonus.clamp(-LIMIT, LIMIT);
    let old = i32::from(*value);
    *value = (old + bonus - old * bonus.abs() / LIMIT) as i16;
}

/// Index of one of four tables: whether the move leaves an attacked square, and whether it goes to
/// one.
#[inline]
fn danger(threats: Bitboard, m: Move) -> usize {
    2 * usize::from(threats.contains(m.from())) + usize::from(threats.contains(m.to()))
}

/// The two latest quiet moves that caused a beta cutoff at this ply, the newest first.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Killers(pub [Option<Move>; 2]);

impl Killers {
    #[inline]
    pub(crate) fn add(&mut self, m: Move) {
        if self.0[0] != Some(m) {
            self.0 = [Some(m), self.0[0]];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use chess::{Position, Square};

    #[test]
    fn gravity_keeps_values_within_the_limit() {
        let mut value = 0i16;
        for _ in 0..1000 {
            nudge(&mut value, 2_000);
        }
        assert!((15_000..=LIMIT).contains(&i32::from(value)), "{value}");
        nudge(&mut value, -2_000);
        assert!(value < 13_000, "malus at the top bites hardest: {value}");
    }

    #[test]
    fn contexts_and_colours_are_kept_apart() {
        let start = Position::default();
        let moves = start.legal_moves();
        let (played, other) = (moves[0], moves[1]);
        let before = Some(PieceTo::of(Color::Black, other));
        let context = Context { before: [before, None, None], ..Context::default() };
        let nothing = Context::default();
        let mut histories = Histories::new();
        histories.update_quiet(Color::White, played, &context, 500);
        assert_eq!(histories.quiets(Color::White, &context).of(played), 1000);
        assert_eq!(histories.quiets(Color::White, &nothing).of(played), 500);
        assert_eq!(histories.quiets(Color::Black, &context).of(played), 0);
        assert_eq!(histories.quiets(Color::White, &context).of(other), 0);
        histories.clear();
        assert_eq!(histories.quiets(Color::White, &context).of(played), 0);
    }

    #[test]
    fn older_moves_count_half() {
        let played = Position::default().legal_moves()[0];
        let before = Some(PieceTo::of(Color::White, played));
        let context = Context { before: [None, None, before], ..Context::default() };
        let mut histories = Histories::new();
        histories.update_quiet(Color::White, played, &context, 400);
        assert_eq!(histories.quiets(Color::White, &context).of(played), 400 + 200 / 2);
    }

    #[test]
    fn fleeing_an_attack_is_remembered_by_itself() {
        // The pawn attacks d4 and f4; the knight stands on d4.
        let attacked = Position::from_fen("4k3/8/8/4p3/3N4/8/8/4K3 w - - 0 1").unwrap();
        let m = attacked.parse_uci("d4b3").unwrap();
        let threats = attacked.threats();
        assert!(threats.contains(Square::D4) && !threats.contains(Square::B3));
        let context = Context { threats, ..Context::default() };
        let mut histories = Histories::new();
        histories.update_quiet(Color::White, m, &context, 500);
        assert_eq!(histories.quiets(Color::White, &context).of(m), 500);
        assert_eq!(histories.quiets(Color::White, &Context::default()).of(m), 0);
    }

    #[test]
    fn killers_keep_the_two_newest() {
        let moves = Position::default().legal_moves();
        let mut killers = Killers::default();
        killers.add(moves[0]);
        killers.add(moves[1]);
        killers.add(moves[1]);
        assert_eq!(killers.0, [Some(moves[1]), Some(moves[0])]);
    }
}
