//! The context of a move: attacks, threats and hanging pieces, computed once for all moves of
//! a position.

use chess::{Bitboard, Board, Color, Move, Orientation, Position, Role, Square, attacks, maps};

/// The cheapest attacker of a square: 0 for none, else the role's number.
pub(crate) type Level = u8;

/// The last moves of a game, the latest first.
#[derive(Clone, Copy, Debug, Default)]
pub struct Recent {
    /// The opponent's last move.
    pub theirs: Option<Move>,
    /// The mover's move before it.
    pub ours: Option<Move>,
}

impl Recent {
    /// After another move.
    #[must_use]
    pub(crate) fn then(self, played: Move) -> Self {
        Self { theirs: Some(played), ours: self.theirs }
    }
}

/// Phase of the game by the pieces left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Phase {
    Opening,
    Middlegame,
    Endgame,
}

impl Phase {
    pub(crate) const COUNT: usize = 3;

    /// From the pieces besides pawns and kings: 14 at the start.
    fn of(board: &Board) -> Self {
        match (board.occupied() & !board.pawns() & !board.kings()).count() {
            12.. => Self::Opening,
            6.. => Self::Middlegame,
            _ => Self::Endgame,
        }
    }
}

/// A position as the side to move sees it.
#[derive(Debug)]
pub(crate) struct Context<'p> {
    pub position: &'p Position,
    /// Turns squares so that the mover plays up the board.
    pub orientation: Orientation,
    pub phase: Phase,
    pub recent: Recent,
    pub others: Bitboard,
    pub their_king: Option<Square>,
    pub our_king: Option<Square>,
    /// The cheapest of the other side's pieces on each square.
    pub threat: [Level; 64],
    /// Squares that the mover attacks.
    pub support: Support,
    /// Number of squares without own pieces that each of the mover's pieces attacks.
    pub reach: [u8; 64],
    /// Attacks of the piece that the opponent has just moved.
    pub menace: Bitboard,
    /// Squares that the other side attacks.
    pub threatened: Bitboard,
    /// The mover's pieces that could be taken for less than they are worth.
    pub hanging: Bitboard,
    /// The mover's pieces that stand before an attack of their own side on the other king.
    pub shields: Bitboard,
}

/// Squares that a side attacks.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Support {
    /// With at least one piece.
    pub once: Bitboard,
    /// With at least two.
    pub twice: Bitboard,
    /// With a pawn.
    pub pawns: Bitboard,
}

impl Support {
    fn add(&mut self, attacked: Bitboard) {
        self.twice |= self.once & attacked;
        self.once |= attacked;
    }
}

impl<'p> Context<'p> {
    pub(crate) fn new(position: &'p Position, recent: Recent) -> Self {
        let (board, us) = (position.board(), position.turn());
        let (threat, threatened) = levels(board, !us);
        let (support, reach) = support(board, us);
        let own = board.by_color(us);
        Self {
            position,
            orientation: Orientation::of(us),
            phase: Phase::of(board),
            recent,
            others: board.by_color(!us),
            their_king: board.king_of(!us),
            our_king: board.king_of(us),
            hanging: hanging(board, own & threatened, &threat, support.once),
            shields: board.king_of(!us).map_or(Bitboard::EMPTY, |king| shields(board, us, king)),
            menace: recent.theirs.map_or(Bitboard::EMPTY, |theirs| menace(board, !us, theirs)),
            threat,
            threatened,
            support,
            reach,
        }
    }

    /// A square as the mover sees it.
    #[inline]
    pub(crate) fn seen(&self, square: Square) -> usize {
        usize::from(self.orientation.square(square))
    }

    /// Whether the mover has another piece that defends the target.
    #[inline]
    pub(crate) fn is_supported(&self, m: Move, to: Square) -> bool {
        // A pawn that goes straight does not attack its target.
        let alone = m.role() != Role::Pawn || m.is_capture();
        if alone { self.support.twice.contains(to) } else { self.support.once.contains(to) }
    }
}

/// The cheapest attacker of a side on each square, and all squares it attacks.
fn levels(board: &Board, side: Color) -> ([Level; 64], Bitboard) {
    let (own, occupied) = (board.by_color(side), board.occupied());
    let mut levels = [0; 64];
    let mut seen = Bitboard::EMPTY;
    let mut mark = |squares: Bitboard, level: Level| {
        for square in squares & !seen {
            levels[usize::from(square)] = level;
        }
        seen |= squares;
    };
    mark(maps::pawns_attack(board.pawns() & own, side), 1);
    for (role, level) in
        [Role::Knight, Role::Bishop, Role::Rook, Role::Queen, Role::King].into_iter().zip(2..)
    {
        for from in board.by_role(role) & own {
            mark(attacks::attacks(from, role.of(side), occupied), level);
        }
    }
    (levels, seen)
}

/// The squares a side attacks, and how many each of its pieces does.
fn support(board: &Board, side: Color) -> (Support, [u8; 64]) {
    let (own, occupied) = (board.by_color(side), board.occupied());
    let mut support = Support::default();
    let mut reach = [0; 64];
    for pawn in board.pawns() & own {
        support.add(attacks::pawn_attacks(side, pawn));
    }
    support.pawns = support.once;
    for from in own & !board.pawns() {
        if let Some(piece) = board.piece_at(from) {
            let attacked = attacks::attacks(from, piece, occupied);
            reach[usize::from(from)] = (attacked & !own).count() as u8;
            support.add(attacked);
        }
    }
    (support, reach)
}

/// Attacks of the piece that has just moved.
fn menace(board: &Board, side: Color, m: Move) -> Bitboard {
    let role = m.promotion().unwrap_or(m.role());
    attacks::attacks(Position::landing_square(m), role.of(side), board.occupied())
}

/// The attacked pieces that are not defended or cost more than their attacker.
fn hanging(
    board: &Board,
    attacked: Bitboard,
    threat: &[Level; 64],
    defended: Bitboard,
) -> Bitboard {
    let is_hanging = |&square: &Square| {
        let attacker = threat[usize::from(square)];
        !defended.contains(square)
            || board.role_at(square).is_some_and(|role| worth(role as Level) > worth(attacker))
    };
    attacked.into_iter().filter(is_hanging).collect()
}

/// Value class of a piece; a knight has that of a bishop.
pub(crate) fn worth(level: Level) -> Level {
    if level == Role::Bishop as Level { Role::Knight as Level } else { level }
}

/// Pieces of `side` that alone stand between one of its sliders and the king.
fn shields(board: &Board, side: Color, king: Square) -> Bitboard {
    let own = board.by_color(side);
    let others = board.by_color(!side);
    let snipers = own
        & (attacks::rook_attacks(king, others) & board.rooks_and_queens()
            | attacks::bishop_attacks(king, others) & board.bishops_and_queens());
    snipers.into_iter().fold(Bitboard::EMPTY, |all, sniper| {
        let between = attacks::between(king, sniper) & board.occupied();
        if between.more_than_one() { all } else { all | between & own }
    })
}
