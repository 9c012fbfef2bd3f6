//! Features of a move.
//!
//! They come in groups; a move has at most one feature of each (target square, captured piece,
//! threat, answer to the last move). All are cheap, and all are seen from the side that moves.

use super::context::{Context, Level, Phase, Recent, worth};
use chess::{
    Bitboard, Board, CastlingSide, Color, Move, Position, Role, Square, attacks, see_at_least,
};

/// Index of a feature among those of a mode.
pub(crate) type FeatureId = u16;

#[derive(Clone, Copy, Debug)]
pub struct MoveFeatures {
    list: [FeatureId; Self::MOST],
    len: usize,
}

impl MoveFeatures {
    /// No move has more.
    const MOST: usize = 32;

    /// Indices among all features of the mode.
    #[inline]
    pub fn as_slice(&self) -> &[FeatureId] {
        &self.list[..self.len]
    }

    #[inline]
    fn add(&mut self, group: Group, index: usize) {
        debug_assert!(index < group.size(), "{group:?} {index}");
        self.push(group.first() + index as FeatureId);
    }

    #[inline]
    fn push(&mut self, feature: FeatureId) {
        self.list[self.len] = feature;
        self.len += 1;
    }
}

impl Default for MoveFeatures {
    fn default() -> Self {
        Self { list: [0; Self::MOST], len: 0 }
    }
}

const ROLES: usize = 6;
const SQUARES: usize = 64;
/// None, or one of six roles.
const LEVELS: usize = 7;
/// Differences of files and ranks, from −7 to 7 each.
const DELTAS: usize = 15 * 15;
const PHASES: usize = Phase::COUNT;

/// Groups of features; a move has at most one of each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(usize)]
pub(crate) enum Group {
    /// The piece and where it leaves.
    From,
    /// The piece and where it lands.
    To,
    /// The piece, the captured piece, and the pieces that may recapture.
    Exchange,
    /// The piece, its attacker, and whether it gets away.
    Escape,
    Recapture,
    /// Source square, seen from the opponent's last move.
    FromTheirs,
    /// Target square, seen from the opponent's last move.
    ToTheirs,
    /// Target square, seen from the mover's last move.
    ToOurs,
    /// The same piece again, or back again.
    Again,
    Check,
    Promotion,
    Castling,
    /// The pieces that it attacks from there.
    Threat,
    /// The pieces that it defends from there.
    Guard,
    /// Squares won or lost.
    Reach,
    /// Target square, seen from the other king.
    TheirKing,
    /// Target square, seen from its own king.
    OurKing,
    /// A pawn: its rank, and the squares before it.
    Pawn,
    /// The answer to a check.
    Evasion,
    /// Time of the game.
    Time,
    /// Moves without progress.
    Progress,
    /// Whether the exchange loses something.
    Exchanges,
    /// An answer to the attack of the opponent's last move.
    Answer,
}

impl Group {
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

    /// Number of its features.
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

    /// Number of its first feature.
    #[inline]
    pub(crate) const fn first(self) -> FeatureId {
        FIRSTS[self as usize]
    }
}

const FIRSTS: [FeatureId; Group::ALL.len()] = {
    let mut firsts = [0; Group::ALL.len()];
    let mut i = 1;
    while i < firsts.len() {
        firsts[i] = firsts[i - 1] + Group::ALL[i - 1].size() as FeatureId;
        i += 1;
    }
    firsts
};

/// Features of all groups.
pub(crate) const COUNT: usize = {
    let last = Group::ALL[Group::ALL.len() - 1];
    last.first() as usize + last.size()
};

const REACHES: usize = 13;
const TIMES: usize = 10;

/// The features that a move of a position has.
#[inline]
pub(crate) fn all_features(context: &Context<'_>, m: Move) -> MoveFeatures {
    let mut features = MoveFeatures::default();
    let candidate = Mover::new(context, m);
    candidate.place(&mut features);
    candidate.exchange(&mut features);
    candidate.memory(&mut features);
    candidate.force(&mut features);
    candidate.time(&mut features);
    features
}

/// A move with facts that several groups use.
struct Mover<'o, 'p> {
    context: &'o Context<'p>,
    m: Move,
    /// The piece that moves, from 0.
    mover: usize,
    /// The piece after the move.
    lands_as: Role,
    from: Square,
    /// For castling where the king goes.
    to: Square,
    is_supported: bool,
    /// Attacks of the piece from the target square.
    attacks: Bitboard,
}

impl<'o, 'p> Mover<'o, 'p> {
    fn new(context: &'o Context<'p>, m: Move) -> Self {
        let to = Position::landing_square(m);
        let (from, lands_as) = (m.from(), m.lands_as());
        let occupied = context.position.board().occupied().without(from);
        let attacks = attacks::attacks(to, lands_as.of(context.position.turn()), occupied);
        Self {
            mover: m.role() as usize - 1,
            lands_as,
            from,
            to,
            is_supported: context.is_supported(m, to),
            attacks,
            context,
            m,
        }
    }

    /// The cheapest piece that may take it there.
    fn taker(&self) -> Level {
        self.context.threat[usize::from(self.to)]
    }

    /// No piece may take it there without loss.
    fn is_safe(&self) -> bool {
        let taker = self.taker();
        taker == 0 || self.is_supported && worth(taker) >= worth(self.lands_as as Level)
    }

    /// Source and target square.
    fn place(&self, features: &mut MoveFeatures) {
        let Context { phase, their_king, our_king, .. } = *self.context;
        let (from, to) = (self.context.seen(self.from), self.context.seen(self.to));
        let at = |square| (phase as usize * ROLES + self.mover) * SQUARES + square;
        features.add(Group::From, at(from));
        features.add(Group::To, at(to));
        if let Some(king) = their_king {
            features.add(Group::TheirKing, self.delta(king, self.to));
        }
        if let Some(king) = our_king.filter(|_| self.m.role() != Role::King) {
            features.add(Group::OurKing, self.delta(king, self.to));
        }
        if let Some(side) = self.m.castling_side() {
            let side = usize::from(side == CastlingSide::QueenSide);
            features.add(Group::Castling, phase as usize * 2 + side);
        }
        if self.m.role() == Role::Pawn {
            features.add(Group::Pawn, self.pawn(to));
        } else {
            features.add(Group::Reach, self.reach());
        }
    }

    /// Rank, whether no pawn can stop it, whether something stands before it.
    fn pawn(&self, to: usize) -> usize {
        let board = self.context.position.board();
        let turn = self.context.position.turn();
        let ahead = ahead_of(self.to, turn);
        let is_passed = (ahead & board.pawns() & self.context.others).is_empty();
        let next = Bitboard::from(self.to).shift(turn.fold_wb(8, -8));
        let is_blocked = (next & board.occupied()).any();
        let kind = usize::from(is_passed) * 2 + usize::from(is_blocked);
        (self.context.phase as usize * 4 + kind) * 8 + to / 8
    }

    /// Squares attacked from there, less those attacked now.
    fn reach(&self) -> usize {
        let board = self.context.position.board();
        let turn = self.context.position.turn();
        let own = board.by_color(turn);
        let before = self.context.reach[usize::from(self.from)];
        let gain = (self.attacks & !own).count() as i32 - i32::from(before);
        let gain = (gain + REACHES as i32 / 2).clamp(0, REACHES as i32 - 1) as usize;
        (self.context.phase as usize * ROLES + self.mover) * REACHES + gain
    }

    /// Captures, and captures of it.
    fn exchange(&self, features: &mut MoveFeatures) {
        let Context { ref threat, ref support, .. } = *self.context;
        let victim = self.m.capture().map_or(0, |role| role as usize);
        let taker = usize::from(self.taker());
        let supported = usize::from(self.is_supported);
        let index = ((self.mover * LEVELS + victim) * LEVELS + taker) * 2 + supported;
        features.add(Group::Exchange, index);
        let attacker = usize::from(threat[usize::from(self.from)]);
        let defended = usize::from(support.once.contains(self.from));
        let safe = usize::from(self.is_safe());
        features.add(Group::Escape, ((self.mover * LEVELS + attacker) * 2 + defended) * 2 + safe);
        if let Some(promoted) = self.m.promotion() {
            let takes = usize::from(self.m.is_capture());
            features.add(Group::Promotion, (promoted as usize - 1) * 2 + takes);
        }
        if (victim > 0 || taker > 0) && !self.m.is_castle() {
            let wins = usize::from(see_at_least(self.context.position, self.m, 0));
            let takes = usize::from(victim > 0);
            features.add(Group::Exchanges, (self.mover * 2 + takes) * 2 + wins);
        }
    }

    /// Relation to the moves before.
    fn memory(&self, features: &mut MoveFeatures) {
        let recent = self.context.recent;
        if let Some(theirs) = recent.theirs {
            let target = Position::landing_square(theirs);
            features.add(Group::FromTheirs, self.delta(target, self.from));
            features.add(Group::ToTheirs, self.delta(target, self.to));
            if let Some(victim) = self.m.capture().filter(|_| self.to == target) {
                let back = usize::from(theirs.is_capture());
                let index = (self.mover * ROLES + victim as usize - 1) * LEVELS;
                features.add(Group::Recapture, index + back * 3 + usize::from(self.taker().min(2)));
            }
            if self.context.menace.contains(self.from) {
                let attacker = theirs.lands_as();
                let index = self.mover * ROLES + attacker as usize - 1;
                features.add(Group::Answer, index * 2 + usize::from(self.is_safe()));
            }
        }
        if let Some(ours) = recent.ours {
            let (ours_from, ours_to) = (ours.from(), Position::landing_square(ours));
            features.add(Group::ToOurs, self.delta(ours_to, self.to));
            let same = usize::from(self.from == ours_to);
            let back = usize::from(same == 1 && ours_from == self.to);
            let restless = usize::from(same == 1 && ours.is_capture());
            if same == 1 {
                features.add(Group::Again, self.mover * 4 + back * 2 + restless);
            }
        }
    }

    /// Checks, threats, defences.
    fn force(&self, features: &mut MoveFeatures) {
        let Context { their_king, shields, others, hanging, ref support, .. } = *self.context;
        let board = self.context.position.board();
        let direct = their_king.is_some_and(|king| self.attacks.contains(king));
        let discovered = shields.contains(self.from)
            && their_king.is_some_and(|king| !attacks::aligned(king, self.from, self.to));
        if direct || discovered {
            let kind = usize::from(direct) * 4 + usize::from(self.taker() > 0) * 2;
            features.add(Group::Check, self.mover * 8 + kind + usize::from(self.is_supported));
        }
        let threatened = self.attacks & others & !board.kings();
        if threatened.any() {
            let best = dearest(board, threatened);
            let loose = (threatened & !self.context.threatened).any();
            let index = self.mover * LEVELS + best;
            let kind = usize::from(loose) * 2 + usize::from(self.is_safe());
            features.add(Group::Threat, index * 4 + kind);
        }
        let guarded = self.attacks & hanging.without(self.from) & !support.once;
        if guarded.any() {
            features.add(Group::Guard, self.mover * LEVELS + dearest(board, guarded));
        }
        if self.context.position.is_check() {
            let kind = match () {
                () if self.m.role() == Role::King => 0,
                () if self.m.is_capture() => 1,
                () => 2,
            };
            features.add(Group::Evasion, self.mover * 3 + kind);
        }
    }

    /// When in the game.
    fn time(&self, features: &mut MoveFeatures) {
        let position = self.context.position;
        let time = (position.ply() as usize / 4).min(TIMES - 1);
        let takes = usize::from(self.m.is_capture());
        features.add(Group::Time, (time * ROLES + self.mover) * 2 + takes);
        let idle = (position.halfmoves() as usize).checked_ilog2().map_or(0, |log| log.min(5));
        let is_progress = self.m.role() == Role::Pawn || self.m.is_capture();
        features.add(Group::Progress, idle as usize * 2 + usize::from(is_progress));
    }

    /// Place of `square` relative to `origin`, by piece.
    fn delta(&self, origin: Square, square: Square) -> usize {
        let (origin, square) = (self.context.seen(origin), self.context.seen(square));
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

/// Features of [`fast_features`].
pub(crate) const FAST_COUNT: usize = FAST_LAST + ROLES;

const FAST_TO: usize = ROLES * SQUARES;
const FAST_EXCHANGE: usize = FAST_TO + ROLES * SQUARES;
const FAST_BACK: usize = FAST_EXCHANGE + ROLES * LEVELS * 4;
const FAST_LAST: usize = FAST_BACK + ROLES * ROLES;

/// The features that follow from the move alone: squares, captured piece, pawns that may take
/// the piece or drive it away, recaptures.
#[inline]
pub(crate) fn fast_features(position: &Position, recent: Recent, m: Move) -> MoveFeatures {
    let (turn, board) = (position.turn(), position.board());
    let (from, to) = (m.from(), Position::landing_square(m));
    let seen = |square: Square| usize::from(square) ^ turn.fold_wb(0, 56);
    let mover = m.role() as usize - 1;
    let victim = m.capture().map_or(0, |role| role as usize);
    let their_pawns = board.pawns() & board.by_color(!turn);
    let attacked = |square| (attacks::pawn_attacks(turn, square) & their_pawns).any();
    let pawns = usize::from(attacked(to)) * 2 + usize::from(attacked(from));
    let mut features = MoveFeatures::default();
    let mut push = |first: usize, index: usize| features.push((first + index) as FeatureId);
    push(0, mover * SQUARES + seen(from));
    push(FAST_TO, mover * SQUARES + seen(to));
    push(FAST_EXCHANGE, (mover * LEVELS + victim) * 4 + pawns);
    if victim > 0 && recent.theirs.is_some_and(|theirs| theirs.to() == to) {
        push(FAST_BACK, mover * ROLES + victim - 1);
    }
    if let Some(promoted) = m.promotion() {
        push(FAST_LAST, promoted as usize - 1);
    }
    features
}
