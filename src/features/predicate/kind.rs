//! The predicates of the language, their names and how they are used.

use super::relation::Relation;
use super::{bands, both, castling, en_passant, king, king_offset, pair, threat};

/// The predicates of the language.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PredicateKind {
    /// Such a piece stands there.
    Piece,
    /// Such a piece attacks or protects what stands there.
    Attacks,
    /// Such a piece can move there.
    Mobility,
    /// The own king stands there.
    King,
    /// The other side's king stands there.
    EnemyKing,
    /// The own king is that far from such a piece.
    KingOffset,
    /// On that line the first piece is followed by the second, nothing between.
    Pair,
    /// Two such pieces stand there, in no order.
    Both,
    /// The first piece attacks or protects the second.
    Threat,
    /// That side may castle on that wing.
    Castling,
    /// That side may capture en passant on that file.
    EnPassant,
    /// The number of pieces is in that band.
    Material,
    /// The game phase is in that band.
    Phase,
}

impl PredicateKind {
    /// All predicates.
    pub const ALL: [PredicateKind; 13] = [
        PredicateKind::Piece,
        PredicateKind::Attacks,
        PredicateKind::Mobility,
        PredicateKind::King,
        PredicateKind::EnemyKing,
        PredicateKind::KingOffset,
        PredicateKind::Pair,
        PredicateKind::Both,
        PredicateKind::Threat,
        PredicateKind::Castling,
        PredicateKind::EnPassant,
        PredicateKind::Material,
        PredicateKind::Phase,
    ];

    /// Its name in the language.
    pub fn name(self) -> &'static str {
        match self {
            PredicateKind::Piece => "piece",
            PredicateKind::Attacks => "attacks",
            PredicateKind::Mobility => "mobility",
            PredicateKind::King => "king",
            PredicateKind::EnemyKing => "enemy_king",
            PredicateKind::KingOffset => "king_offset",
            PredicateKind::Pair => "pair",
            PredicateKind::Both => "both",
            PredicateKind::Threat => "threat",
            PredicateKind::Castling => "castling",
            PredicateKind::EnPassant => "en_passant",
            PredicateKind::Material => "material",
            PredicateKind::Phase => "phase",
        }
    }

    /// How it is used, for error messages.
    pub fn usage(self) -> &'static str {
        match self {
            PredicateKind::Piece => {
                "piece takes places (SQUARES, FILES, RANKS, DIAGS1, DIAGS2) or COUNTS, ROLES and COLORS, each at most once: `piece(FILES * ROLES * COLORS)`"
            }
            PredicateKind::Attacks => {
                "attacks takes places, or COUNTS of squares attacked, ROLES and COLORS, each at most once: `attacks(SQUARES * ROLES * COLORS)`"
            }
            PredicateKind::Mobility => {
                "mobility takes places, or COUNTS of squares reached, ROLES and COLORS, each at most once: `mobility(SQUARES * PIECES)`, `mobility({knight} * COUNTS(15) * COLORS)`"
            }
            PredicateKind::King => king::USAGE,
            PredicateKind::EnemyKing => king::ENEMY_USAGE,
            PredicateKind::KingOffset => king_offset::USAGE,
            PredicateKind::Pair => pair::USAGE,
            PredicateKind::Both => both::USAGE,
            PredicateKind::Threat => threat::USAGE,
            PredicateKind::Castling => castling::USAGE,
            PredicateKind::EnPassant => en_passant::USAGE,
            PredicateKind::Material => bands::MATERIAL_USAGE,
            PredicateKind::Phase => bands::PHASE_USAGE,
        }
    }

    /// A whole set made with it.
    pub fn example(self) -> &'static str {
        match self {
            PredicateKind::Piece => "piece(SQUARES * PIECES)",
            PredicateKind::Attacks => "attacks(SQUARES * PIECES)",
            PredicateKind::Mobility => "mobility(SQUARES * PIECES)",
            PredicateKind::King => "king(SQUARES)",
            PredicateKind::EnemyKing => "enemy_king(SQUARES)",
            PredicateKind::KingOffset => "king_offset(FILE_STEPS * RANK_STEPS * PIECES)",
            PredicateKind::Pair => "pair(FILES * PIECES * PIECES)",
            PredicateKind::Both => "both(SQUARES * {pawn} * COLORS)",
            PredicateKind::Threat => "threat(PIECES * PIECES)",
            PredicateKind::Castling => "castling(COLORS * WINGS)",
            PredicateKind::EnPassant => "en_passant(FILES * COLORS)",
            PredicateKind::Material => "material(BANDS(8))",
            PredicateKind::Phase => "phase(BANDS(4))",
        }
    }

    /// The predicate of that name.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }

    /// How pieces mark squares, for the predicates that are about that.
    pub fn relation(self) -> Option<Relation> {
        match self {
            PredicateKind::Piece => Some(Relation::Stands),
            PredicateKind::Attacks => Some(Relation::Attacks),
            PredicateKind::Mobility => Some(Relation::Moves),
            _ => None,
        }
    }
}
