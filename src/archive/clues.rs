//! Features of a move, here called clues, each of which has a weight.
//!
//! They come in groups of which each move has at most one clue (where it lands, what it
//! takes, whom it threatens, how it answers the last move). All are cheap, and all are seen
//! from the side that moves.

use super::outlook::{Level, Outlook, Phase, Recent, worth};
use chess::{
    Bitboard, Board, CastlingSide, Color, Move, Position, Role, Square, attacks, see_at_least,
};

/// Number of a clue among all of them.
pub(crate) type Clue = u16;

/// The clues of one move.
#[derive(Clone, Copy, Debug)]
pub struct Clues {
    list: [Clue; Self::MOST],
    len: usize,
}

impl Clues {
    /// No move has more.
    const MOST: usize = 32;

    /// Their numbers among all clues of the style.
    #[inline]
    pub fn as_slice(&self) -> &[Clue] {
        &self.list[..self.len]
    }

    #[inline]
    fn add(&mut self, group: Group, index: usize) {
        debug_assert!(index < group.size(), "{group:?} {index}");
        self.push(group.first() + index as Clue);
    }

    #[inline]
    fn push(&mut self, clue: Clue) {
        self.list[self.len] = clue;
        self.len += 1;
    }
}

impl Default for Clues {
    fn default() -> Self {
        Self { list: [0; Self::MOST], len: 0 }
    }
}

const ROLES: usize = 6;
const SQUARES: usize = 64;
/// Nobody, or one of six roles.
const LEVELS: usize = 7;
/// Differences of files and ranks, from −7 to 7 each.
const DELTAS: usize = 15 * 15;
const PHASES: usize = Phase::COUNT;

/// Groups of clues; a move has at most one of each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(usize)]
pub(crate) enum Group {
    /// The piece and where it leaves.
    From,
    /// The piece and where it lands.
    To,
    /// The piece, what it takes, and who may take it back.
    Exchange,
    /// The piece, who attacked it, and whether it gets away.
    Escape,
    Recapture,
    /// Where it comes from, seen from the opponent's last move.
    FromTheirs,
    /// Where it lands, seen from the opponent's last move.
    ToTheirs,
    /// Where it lands, seen from the mover's last move.
    ToOurs,
    /// The same piece again, or back again.
    Again,
    Check,
    Promotion,
    Castling,
    /// Whom the piece attacks from there.
    Threat,
    /// Whom it defends from there.
    Guard,
    /// Squares won or lost.
    Reach,
    /// Where it lands, seen from the other king.
    TheirKing,
    /// Where it lands, seen from its own king.
    OurKing,
    /// A pawn: how far, and what is before it.
    Pawn,
    /// The answer to a check.
    Evasion,
    /// Time of the game.
    Time,
    /// Moves without progress.
    Progress,
    /// Whether the exchange loses something.
    Exchanges,
    /// What the opponent's last move attacks, and what is done about it.
    Answer,
}

impl Group {
    /// All groups in their order.
    pub(crate) const ALL: [Group; 23] = [
        Self::From,
        Self::To,
        Self::Exchange,
        Self::Escape,
        Self::Recapture,
        Self::FromTheirs,
        Self::ToTheirs,
        Self::ToOurs,
        Self::Again,
        Self::Check,
        Self::Promotion,
        Self::Castling,
        Self::Threat,
        Self::Guard,
        Self::Reach,
        Self::TheirKing,
        Self::OurKing,
        Self::Pawn,
        Self::Evasion,
        Self::Time,
        Self::Progress,
        Self::Exchanges,
        Self::Answer,
    ];

    /// How many clues it has.
    pub(crate) const fn size(self) -> usize {
        match self {
            Self::From | Self::To => ROLES * SQUARES * PHASES,
            Self::Exchange => ROLES * LEVELS * LEVELS * 2,
            Self::Escape => ROLES * LEVELS * 4,
            Self::Recapture => ROLES * ROLES * LEVELS,
            Self::FromTheirs | Self::ToTheirs | Self::ToOurs => DELTAS * ROLES,
            Self::TheirKing | Self::OurKing => DELTAS * ROLES,
            Self::Again => ROLES * 4,
            Self::Check => ROLES * 8,
            Self::Promotion => ROLES * 2,
            Self::Castling => 2 * PHASES,
            Self::Threat => ROLES * LEVELS * 4,
            Self::Guard => ROLES * LEVELS,
            Self::Reach => ROLES * REACHES * PHASES,
            Self::Pawn => 8 * 4 * PHASES,
            Self::Evasion => ROLES * 3,
            Self::Time => TIMES * ROLES * 2,
            Self::Progress => 6 * 2,
            Self::Exchanges => ROLES * 4,
            Self::Answer => ROLES * ROLES * 2,
        }
    }

    /// Number of its first clue.
    #[inline]
    pub(crate) const fn first(self) -> Clue {
        FIRSTS[self as usize]
    }
}

const FIRSTS: [Clue; Group::ALL.len()] = {
    let mut firsts = [0; Group::ALL.len()];
    let mut i = 1;
    while i < firsts.len() {
        firsts[i] = firsts[i - 1] + Group::ALL[i - 1].size() as Clue;
        i += 1;
    }
    firsts
};

/// Clues of all groups.
pub(crate) const COUNT: usize = {
    let last = Group::ALL[Group::ALL.len() - 1];
    last.first() as usize + last.size()
};

const REACHES: usize = 13;
const TIMES: usize = 10;

/// The clues that a move of a position has.
#[inline]
pub(crate) fn clues(outlook: &Outlook<'_>, m: Move) -> Clues {
    let mut clues = Clues::default();
    let candidate = Candidate::new(outlook, m);
    candidate.place(&mut clues);
    candidate.exchange(&mut clues);
    candidate.memory(&mut clues);
    candidate.force(&mut clues);
    candidate.time(&mut clues);
    clues
}

/// A move and what is asked about it more than once.
struct Candidate<'o, 'p> {
    outlook: &'o Outlook<'p>,
    m: Move,
    /// The piece that moves, from 0.
    mover: usize,
    /// What stands there afterwards.
    lands_as: Role,
    from: Square,
    /// For castling where the king goes.
    to: Square,
    is_supported: bool,
    /// What it attacks from there.
    attacks: Bitboard,
}

impl<'o, 'p> Candidate<'o, 'p> {
    fn new(outlook: &'o Outlook<'p>, m: Move) -> Self {
        let to = Position::landing_square(m);
        let (from, lands_as) = (m.from(), m.lands_as());
        let occupied = outlook.position.board().occupied().without(from);
        let attacks = attacks::attacks(to, lands_as.of(outlook.position.turn()), occupied);
        Self {
            mover: m.role() as usize - 1,
            lands_as,
            from,
            to,
            is_supported: outlook.is_supported(m, to),
            attacks,
            outlook,
            m,
        }
    }

    /// Who may take it there.
    fn taker(&self) -> Level {
        self.outlook.threat[usize::from(self.to)]
    }

    /// Nobody may take it there without paying for it.
    fn is_safe(&self) -> bool {
        let taker = self.taker();
        taker == 0 || self.is_supported && worth(taker) >= worth(self.lands_as as Level)
    }

    /// Where it comes from and goes.
    fn place(&self, clues: &mut Clues) {
        let Outlook { phase, their_king, our_king, .. } = *self.outlook;
        let (from, to) = (self.outlook.seen(self.from), self.outlook.seen(self.to));
        let at = |square| (phase as usize * ROLES + self.mover) * SQUARES + square;
        clues.add(Group::From, at(from));
        clues.add(Group::To, at(to));
        if let Some(king) = their_king {
            clues.add(Group::TheirKing, self.delta(king, self.to));
        }
        if let Some(king) = our_king.filter(|_| self.m.role() != Role::King) {
            clues.add(Group::OurKing, self.delta(king, self.to));
        }
        if let Some(side) = self.m.castling_side() {
            let side = usize::from(side == CastlingSide::QueenSide);
            clues.add(Group::Castling, phase as usize * 2 + side);
        }
        if self.m.role() == Role::Pawn {
            clues.add(Group::Pawn, self.pawn(to));
        } else {
            clues.add(Group::Reach, self.reach());
        }
    }

    /// Rank, whether no pawn can stop it, whether something stands before it.
    fn pawn(&self, to: usize) -> usize {
        let board = self.outlook.position.board();
        let turn = self.outlook.position.turn();
        let ahead = ahead_of(self.to, turn);
        let is_passed = (ahead & board.pawns() & self.outlook.others).is_empty();
        let next = Bitboard::from(self.to).shift(turn.fold_wb(8, -8));
        let is_blocked = (next & board.occupied()).any();
        let kind = usize::from(is_passed) * 2 + usize::from(is_blocked);
        (self.outlook.phase as usize * 4 + kind) * 8 + to / 8
    }

    /// By how many squares it reaches farther than before.
    fn reach(&self) -> usize {
        let board = self.outlook.position.board();
        let turn = self.outlook.position.turn();
        let own = board.by_color(turn);
        let before = self.outlook.reach[usize::from(self.from)];
        let gain = (self.attacks & !own).count() as i32 - i32::from(before);
        let gain = (gain + REACHES as i32 / 2).clamp(0, REACHES as i32 - 1) as usize;
        (self.outlook.phase as usize * ROLES + self.mover) * REACHES + gain
    }

    /// What it takes and what may take it.
    fn exchange(&self, clues: &mut Clues) {
        let Outlook { ref threat, ref support, .. } = *self.outlook;
        let victim = self.m.capture().map_or(0, |role| role as usize);
        let taker = usize::from(self.taker());
        let supported = usize::from(self.is_supported);
        let index = ((self.mover * LEVELS + victim) * LEVELS + taker) * 2 + supported;
        clues.add(Group::Exchange, index);
        let attacker = usize::from(threat[usize::from(self.from)]);
        let defended = usize::from(support.once.contains(self.from));
        let safe = usize::from(self.is_safe());
        clues.add(Group::Escape, ((self.mover * LEVELS + attacker) * 2 + defended) * 2 + safe);
        if let Some(promoted) = self.m.promotion() {
            let takes = usize::from(self.m.is_capture());
            clues.add(Group::Promotion, (promoted as usize - 1) * 2 + takes);
        }
        if (victim > 0 || taker > 0) && !self.m.is_castle() {
            let wins = usize::from(see_at_least(self.outlook.position, self.m, 0));
            let takes = usize::from(victim > 0);
            clues.add(Group::Exchanges, (self.mover * 2 + takes) * 2 + wins);
        }
    }

    /// How it goes on from the moves before.
    fn memory(&self, clues: &mut Clues) {
        let recent = self.outlook.recent;
        if let Some(theirs) = recent.theirs {
            let target = Position::landing_square(theirs);
            clues.add(Group::FromTheirs, self.delta(target, self.from));
            clues.add(Group::ToTheirs, self.delta(target, self.to));
            if let Some(victim) = self.m.capture().filter(|_| self.to == target) {
                let back = usize::from(theirs.is_capture());
                let index = (self.mover * ROLES + victim as usize - 1) * LEVELS;
                clues.add(Group::Recapture, index + back * 3 + usize::from(self.taker().min(2)));
            }
            if self.outlook.menace.contains(self.from) {
                let attacker = theirs.lands_as();
                let index = self.mover * ROLES + attacker as usize - 1;
                clues.add(Group::Answer, index * 2 + usize::from(self.is_safe()));
            }
        }
        if let Some(ours) = recent.ours {
            let (ours_from, ours_to) = (ours.from(), Position::landing_square(ours));
            clues.add(Group::ToOurs, self.delta(ours_to, self.to));
            let same = usize::from(self.from == ours_to);
            let back = usize::from(same == 1 && ours_from == self.to);
            let restless = usize::from(same == 1 && ours.is_capture());
            if same == 1 {
                clues.add(Group::Again, self.mover * 4 + back * 2 + restless);
            }
        }
    }

    /// Checks, threats, defences.
    fn force(&self, clues: &mut Clues) {
        let Outlook { their_king, shields, others, hanging, ref support, .. } = *self.outlook;
        let board = self.outlook.position.board();
        let direct = their_king.is_some_and(|king| self.attacks.contains(king));
        let discovered = shields.contains(self.from)
            && their_king.is_some_and(|king| !attacks::aligned(king, self.from, self.to));
        if direct || discovered {
            let kind = usize::from(direct) * 4 + usize::from(self.taker() > 0) * 2;
            clues.add(Group::Check, self.mover * 8 + kind + usize::from(self.is_supported));
        }
        let threatened = self.attacks & others & !board.kings();
        if threatened.any() {
            let best = dearest(board, threatened);
            let loose = (threatened & !self.outlook.threatened).any();
            let index = self.mover * LEVELS + best;
            let kind = usize::from(loose) * 2 + usize::from(self.is_safe());
            clues.add(Group::Threat, index * 4 + kind);
        }
        let guarded = self.attacks & hanging.without(self.from) & !support.once;
        if guarded.any() {
            clues.add(Group::Guard, self.mover * LEVELS + dearest(board, guarded));
        }
        if self.outlook.position.is_check() {
            let kind = match () {
                () if self.m.role() == Role::King => 0,
                () if self.m.is_capture() => 1,
                () => 2,
            };
            clues.add(Group::Evasion, self.mover * 3 + kind);
        }
    }

    /// When in the game.
    fn time(&self, clues: &mut Clues) {
        let position = self.outlook.position;
        let time = (position.ply() as usize / 4).min(TIMES - 1);
        let takes = usize::from(self.m.is_capture());
        clues.add(Group::Time, (time * ROLES + self.mover) * 2 + takes);
        let idle = (position.halfmoves() as usize).checked_ilog2().map_or(0, |log| log.min(5));
        let is_progress = self.m.role() == Role::Pawn || self.m.is_capture();
        clues.add(Group::Progress, idle as usize * 2 + usize::from(is_progress));
    }

    /// Where `square` lies as seen from `origin`, and for which piece.
    fn delta(&self, origin: Square, square: Square) -> usize {
        let (origin, square) = (self.outlook.seen(origin), self.outlook.seen(square));
        let files = square % 8 + 7 - origin % 8;
        let ranks = square / 8 + 7 - origin / 8;
        self.mover * DELTAS + ranks * 15 + files
    }
}

/// Squares before a pawn on its own file and the two beside it.
fn ahead_of(square: Square, color: Color) -> Bitboard {
    let file = Bitboard::from(square.file());
    let west = (file & !Bitboard::from(chess::File::A)).shift(-1);
    let east = (file & !Bitboard::from(chess::File::H)).shift(1);
    let rank = u32::from(square.rank());
    let ranks = match color {
        Color::White => u64::MAX.checked_shl(8 * (rank + 1)).unwrap_or(0),
        Color::Black => (1u64 << (8 * rank)) - 1,
    };
    (file | west | east) & Bitboard(ranks)
}

/// The role of the most valuable piece on these squares, from 1; 0 if there is none.
fn dearest(board: &Board, squares: Bitboard) -> usize {
    let roles = [Role::Queen, Role::Rook, Role::Bishop, Role::Knight, Role::Pawn];
    let stands = |role: &Role| (board.by_role(*role) & squares).any();
    roles.into_iter().find(stands).map_or(0, |role| role as usize)
}

/// Clues of [`brisk_clues`].
pub(crate) const BRISK_COUNT: usize = BRISK_LAST + ROLES;

const BRISK_TO: usize = ROLES * SQUARES;
const BRISK_EXCHANGE: usize = BRISK_TO + ROLES * SQUARES;
const BRISK_BACK: usize = BRISK_EXCHANGE + ROLES * LEVELS * 4;
const BRISK_LAST: usize = BRISK_BACK + ROLES * ROLES;

/// The clues that can be had without looking at more than the move: squares,
/// what it takes, whether pawns may take it or drive it away, whether it takes back.
#[inline]
pub(crate) fn brisk_clues(position: &Position, recent: Recent, m: Move) -> Clues {
    let (turn, board) = (position.turn(), position.board());
    let (from, to) = (m.from(), Position::landing_square(m));
    let seen = |square: Square| usize::from(square) ^ turn.fold_wb(0, 56);
    let mover = m.role() as usize - 1;
    let victim = m.capture().map_or(0, |role| role as usize);
    let their_pawns = board.pawns() & board.by_color(!turn);
    let attacked = |square| (attacks::pawn_attacks(turn, square) & their_pawns).any();
    let pawns = usize::from(attacked(to)) * 2 + usize::from(attacked(from));
    let mut clues = Clues::default();
    let mut push = |first: usize, index: usize| clues.push((first + index) as Clue);
    push(0, mover * SQUARES + seen(from));
    push(BRISK_TO, mover * SQUARES + seen(to));
    push(BRISK_EXCHANGE, (mover * LEVELS + victim) * 4 + pawns);
    if victim > 0 && recent.theirs.is_some_and(|theirs| theirs.to() == to) {
        push(BRISK_BACK, mover * ROLES + victim - 1);
    }
    if let Some(promoted) = m.promotion() {
        push(BRISK_LAST, promoted as usize - 1);
    }
    clues
}
