//! Sizes of the thesis.

use crate::FeatureSet;

#[test]
fn sizes_are_those_of_the_thesis() {
    for (text, size) in [
        ("ALL", 768),
        ("H", 96),
        ("V", 96),
        ("D1", 180),
        ("D2", 180),
        ("PH", 1152),
        ("PV", 1152),
        ("KING", 64),
        ("KING-ALL", 49_152),
        ("HALF-KP", 40_960),
        ("H + V", 192),
        ("D1 + D2", 360),
        ("ALL ⊕ H ⊕ V ⊕ D1 ⊕ D2", 1320),
        ("ALL + PH + PV", 3072),
        ("KING × ALL", 49_152),
        ("MB", 768),
        ("MC", 206),
        ("KING-OFFSET", 2700),
        // Stockfish's sets. Viridithas has 4,560 pairs of pawns, the 48 of two
        // pawns on one square among them.
        ("HALF-KA", 49_152),
        ("HALF-KA-V2", 45_056),
        ("HALF-KA-HM", 32 * 704),
        ("both(SQUARES * {pawn} * COLORS)", 4_560 - 48),
        ("LEORIK-14", 14 * 384),
        ("LEORIK-18", 6_912),
    ] {
        assert_eq!(FeatureSet::parse(text).unwrap().size(), size, "{text}");
    }
}
