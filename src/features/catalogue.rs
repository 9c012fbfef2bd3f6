//! Named feature sets and schemes, each written in the language itself.

use std::collections::BTreeMap;

/// A named set of the catalogue.
#[derive(Clone, Copy, Debug)]
pub struct NamedSet {
    /// Name, as written in expressions.
    pub name: &'static str,
    /// Definition in the language.
    pub expression: &'static str,
    /// One line for people.
    pub about: &'static str,
}

const fn named(name: &'static str, expression: &'static str, about: &'static str) -> NamedSet {
    NamedSet { name, expression, about }
}

/// The sets that need no definition. Names and sizes up to MC are those of
/// Lombardo's thesis, *Feature set analysis for chess NNUE networks* (UBA
/// 2024); HALF-KP and its kin are Stockfish's; pawn-relative places are Nalwald's (2023); the
/// LEORIK models are Thomas
/// Jahn's (2023), with `own` and `enemy_king` for his two kings.
pub const CATALOGUE: &[NamedSet] = &[
    named("ALL", "piece(SQUARES * PIECES)", "which piece stands on which square"),
    named("H", "piece(FILES * PIECES)", "there is such a piece on the file"),
    named("V", "piece(RANKS * PIECES)", "there is such a piece on the rank"),
    named("D1", "piece(DIAGS1 * PIECES)", "there is such a piece on the diagonal (file + rank)"),
    named("D2", "piece(DIAGS2 * PIECES)", "there is such a piece on the diagonal (file - rank)"),
    named("PH", "pair(RANKS * PIECES * PIECES)", "neighbours on a rank, left and right"),
    named("PV", "pair(FILES * PIECES * PIECES)", "neighbours on a file, below and above"),
    named("PD1", "pair(DIAGS1 * PIECES * PIECES)", "neighbours on a diagonal (file + rank)"),
    named("PD2", "pair(DIAGS2 * PIECES * PIECES)", "neighbours on a diagonal (file - rank)"),
    named("MB", "mobility(SQUARES * PIECES)", "such a piece can move to the square"),
    named(
        "MC",
        "mobility({pawn} * COUNTS(8) * COLORS) + mobility({knight} * COUNTS(15) * COLORS) + mobility({bishop} * COUNTS(16) * COLORS) + mobility({rook} * COUNTS(25) * COLORS) + mobility({queen} * COUNTS(25) * COLORS) + mobility({king} * COUNTS(8) * COLORS)",
        "to how many squares such pieces can move",
    ),
    named("KING", "king(SQUARES)", "where the own king stands"),
    named("KING-ALL", "KING * ALL", "every piece, for every square of the own king"),
    named(
        "KING-OFFSET",
        "king_offset(FILE_STEPS * RANK_STEPS * PIECES)",
        "every piece, relative to the own king",
    ),
    named(
        "HALF-KP",
        "KING * piece(SQUARES * (ROLES without {king}) * COLORS)",
        "every piece but the kings, for every square of the own king",
    ),
    named("HALF-KA", "KING-ALL", "another name of KING-ALL"),
    named(
        "HALF-KA-V2",
        "KING * piece(SQUARES * (PIECES / ONE-KING))",
        "the same with both kings in one plane",
    ),
    named(
        "HALF-KA-HM",
        "mirror(king(SQUARES / LEFT-HALF) * piece(SQUARES * (PIECES / ONE-KING)))",
        "the same, mirrored so that the own king stands on files a to d",
    ),
    named(
        "BUCKETS-9-ALL",
        "mirror(king(SQUARES / BUCKETS-9) * ALL)",
        "every piece, for nine regions of the own king, mirrored",
    ),
    named(
        "PAWN-PAIRS",
        "both(SQUARES * {pawn} * COLORS, files <= 1)",
        "two pawns on the same or on adjacent files",
    ),
    named("ATTACKS", "attacks(SQUARES * PIECES)", "such a piece attacks or protects the square"),
    named(
        "THREATS",
        "threat(SQUARES * PIECES * SQUARES * PIECES)",
        "a piece attacks or protects a piece, with both squares",
    ),
    named(
        "THREAT-KINDS",
        "threat(PIECES * PIECES)",
        "such a piece attacks or protects such a piece",
    ),
    named(
        "FULL-THREATS",
        "mirror(each(side : COLORS, threat(side * {pawn} * COLORS * {pawn, knight, rook} * SQUARES * SQUARES, once) + threat(side * {knight} * COLORS * ROLES * SQUARES * SQUARES, once) + threat(side * {bishop} * COLORS * (ROLES without {queen}) * SQUARES * SQUARES, once) + threat(side * {rook} * COLORS * (ROLES without {queen}) * SQUARES * SQUARES, once) + threat(side * {queen} * COLORS * ROLES * SQUARES * SQUARES, once) + threat(side * {king} * COLORS * {pawn, knight, bishop, rook} * SQUARES * SQUARES, once)))",
        "the threats that Stockfish's nets of 2025 know, in their order",
    ),
    named("CASTLING", "castling(COLORS * WINGS)", "that side may still castle there"),
    named("EN-PASSANT", "en_passant(FILES * COLORS)", "that side may capture en passant there"),
    named(
        "PASSED",
        "each(x : {a2..h7}, piece(x * {own pawn}) * piece(shift(x, FILES -1..1, RANKS 1..7) * {other pawn} * COUNTS(1){0}))",
        "an own pawn with no other pawn before it, on its file or beside it",
    ),
    named(
        "ISOLATED",
        "each(x : FILES, piece(x * {own pawn}) * piece(shift(x, FILES -1) * {own pawn} * COUNTS(1){0}) * piece(shift(x, FILES 1) * {own pawn} * COUNTS(1){0}))",
        "own pawns on the file, and none on the files beside it",
    ),
    named(
        "DOUBLED",
        "piece(FILES * {pawn} * COLORS * COUNTS(2){2})",
        "two pawns of a side on the file, or more",
    ),
    named("BISHOP-PAIR", "piece({bishop} * COLORS * COUNTS(2){2})", "two bishops of a side"),
    named("OPEN-FILES", "piece(FILES * {pawn} * COUNTS(1){0})", "no pawn on the file"),
    named(
        "KING-ZONE",
        "any(x : SQUARES, king(x) * attacks(shift(x, FILES -1..1, RANKS -1..1) * PIECES * COUNTS(3)))",
        "how many squares at the own king such pieces attack",
    ),
    named(
        "HANGING",
        "each(x : SQUARES, piece(x * (ROLES without {king}) * {own}) * attacks(x * {other}) * attacks(x * {own} * COUNTS(1){0}))",
        "an own piece that is attacked and not protected",
    ),
    named(
        "PINS",
        "pinned(SQUARES * (ROLES without {king}) * COLORS)",
        "a piece that alone stands between its king and a slider",
    ),
    named(
        "MOBILITY-COUNTS",
        "moves({knight} * COUNTS(8) * COLORS) + moves({bishop} * COUNTS(13) * COLORS) + moves({rook} * COUNTS(14) * COLORS) + moves({queen} * COUNTS(27) * COLORS)",
        "a piece that can move to so many squares",
    ),
    named(
        "OWN-PAWN-PLACES",
        "piece(SQUARES * {own pawn}) * piece(SQUARES * (ROLES without {king}) * {own})",
        "every own piece but the king, for every own pawn",
    ),
    named(
        "ENEMY-PAWN-PLACES",
        "piece(SQUARES * {other pawn}) * piece(SQUARES * (ROLES without {king}) * {own})",
        "the same for every other pawn",
    ),
    named(
        "OWN-KING-TERMS",
        "own_king.file * own_king.file + own_king.file + own_king.rank * own_king.rank + own_king.rank",
        "the own king's place as four numbers",
    ),
    named(
        "ENEMY-KING-TERMS",
        "enemy_king.file * enemy_king.file + enemy_king.file + enemy_king.rank * enemy_king.rank + enemy_king.rank",
        "the other king's place as four numbers",
    ),
    named(
        "LEORIK-14",
        "(ONE + OWN-KING-TERMS + ENEMY-KING-TERMS + PHASE * (ONE + own_king.file + own_king.rank + enemy_king.file + enemy_king.rank)) * piece(SQUARES * ROLES * {own})",
        "own pieces, weighted by phase and the places of both kings",
    ),
    named(
        "LEORIK-18",
        "(ONE + PHASE) * (ONE + OWN-KING-TERMS + ENEMY-KING-TERMS) * piece(SQUARES * ROLES * {own})",
        "the same with every term also times the phase",
    ),
];

/// A named numbering of the elements of a concept.
#[derive(Clone, Copy, Debug)]
pub struct Scheme {
    /// Name, as written after `/`.
    pub name: &'static str,
    /// Class numbers of the elements.
    pub numbers: &'static str,
    /// One line for people.
    pub about: &'static str,
}

/// The schemes that need no definition.
pub const SCHEMES: &[Scheme] = &[
    Scheme {
        name: "LEFT-HALF",
        numbers: "[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31]",
        about: "SQUARES on files a to d, each a class of its own",
    },
    Scheme {
        name: "BUCKETS-9",
        numbers: "[0, 1, 2, 3, 4, 4, 5, 5, 6, 6, 6, 6, 7, 7, 7, 7, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8]",
        about: "SQUARES on files a to d, finer near the first rank",
    },
    Scheme {
        name: "ONE-KING",
        numbers: "[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 10]",
        about: "PIECES with both kings in one class",
    },
];

/// The names an expression may use: the catalogue and the user's own.
#[derive(Clone, Debug, Default)]
pub struct Names {
    own: BTreeMap<String, String>,
}

impl Names {
    /// The catalogue alone.
    pub fn catalogue() -> Self {
        Self::default()
    }

    /// Adds or replaces a definition: an expression, or a list of numbers for use after `/`. It is
    /// parsed at each use; names of the catalogue may be redefined.
    pub fn define(&mut self, name: impl Into<String>, expression: impl Into<String>) {
        self.own.insert(name.into(), expression.into());
    }

    /// Expression of a name.
    pub fn lookup(&self, name: &str) -> Option<&str> {
        self.own
            .get(name)
            .map(String::as_str)
            .or_else(|| CATALOGUE.iter().find(|set| set.name == name).map(|set| set.expression))
    }

    /// List of numbers of a name.
    pub fn scheme(&self, name: &str) -> Option<&str> {
        let own = self.own.get(name).map(String::as_str);
        own.filter(|text| is_list(text)).or_else(|| {
            SCHEMES.iter().find(|scheme| scheme.name == name).map(|scheme| scheme.numbers)
        })
    }

    /// All names of sets, the user's own first.
    pub fn all(&self) -> impl Iterator<Item = &str> {
        let own = self.own.iter().filter(|(_, text)| !is_list(text)).map(|(name, _)| name.as_str());
        own.chain(CATALOGUE.iter().map(|set| set.name))
    }

    /// All names of schemes, the user's own first.
    pub fn schemes(&self) -> impl Iterator<Item = &str> {
        let own = self.own.iter().filter(|(_, text)| is_list(text)).map(|(name, _)| name.as_str());
        own.chain(SCHEMES.iter().map(|scheme| scheme.name))
    }
}

fn is_list(text: &str) -> bool {
    text.trim_start().starts_with('[')
}
