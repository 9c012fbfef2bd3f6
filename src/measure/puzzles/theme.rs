//! Theme keys of the Lichess database.

/// The keys that Lichess gives puzzles (lichess-puzzler's tagger and
/// lila's `puzzleTheme` translations). Files may hold others.
pub(crate) const KNOWN: [&str; 74] = [
    "advancedPawn",
    "advantage",
    "anastasiaMate",
    "arabianMate",
    "attackingF2F7",
    "attraction",
    "backRankMate",
    "balestraMate",
    "bishopEndgame",
    "blindSwineMate",
    "bodenMate",
    "capturingDefender",
    "castling",
    "clearance",
    "collinearMove",
    "cornerMate",
    "crushing",
    "defensiveMove",
    "deflection",
    "discoveredAttack",
    "discoveredCheck",
    "doubleBishopMate",
    "doubleCheck",
    "dovetailMate",
    "enPassant",
    "endgame",
    "epauletteMate",
    "equality",
    "exposedKing",
    "fork",
    "hangingPiece",
    "hookMate",
    "interference",
    "intermezzo",
    "killBoxMate",
    "kingsideAttack",
    "knightEndgame",
    "long",
    "master",
    "masterVsMaster",
    "mate",
    "mateIn1",
    "mateIn2",
    "mateIn3",
    "mateIn4",
    "mateIn5",
    "middlegame",
    "morphysMate",
    "oneMove",
    "opening",
    "operaMate",
    "pawnEndgame",
    "pillsburysMate",
    "pin",
    "promotion",
    "queenEndgame",
    "queenRookEndgame",
    "queensideAttack",
    "quietMove",
    "rookEndgame",
    "sacrifice",
    "short",
    "simplification",
    "skewer",
    "smotheredMate",
    "superGM",
    "swallowstailMate",
    "trappedPiece",
    "triangleMate",
    "underPromotion",
    "veryLong",
    "vukovicMate",
    "xRayAttack",
    "zugzwang",
];

#[cfg(test)]
mod tests {
    use super::KNOWN;

    #[test]
    fn no_key_stands_twice() {
        let mut keys = KNOWN.to_vec();
        keys.sort_unstable();
        keys.dedup();
        assert_eq!(keys.len(), KNOWN.len());
    }
}
