//! Grammars of candidates: products of the language up to a size.
//!
//! A grammar is fixed before any data is seen. Its candidates beside a set exclude linear images of
//! that set, since the first layer contains them. Of two sets that are the same for opposite
//! perspectives (diagonals of both directions, own rooks with other bishops and own bishops with
//! other rooks) it has one.

use std::collections::BTreeSet;

use crate::screen::Candidate;
use features::FeatureSet;

/// A family of expressions.
#[derive(Clone, Copy, Debug)]
pub struct Grammar {
    pub name: &'static str,
    /// One line for people.
    pub about: &'static str,
    expressions: fn() -> Vec<String>,
}

pub const GRAMMARS: &[Grammar] = &[
    Grammar {
        name: "default",
        about: "relations at places, neighbours, pairs, threats, kings, counts, and two pieces at once",
        expressions: default,
    },
    Grammar { name: "names", about: "the sets that have a name", expressions: names },
];

impl Grammar {
    pub fn named(name: &str) -> Option<&'static Grammar> {
        GRAMMARS.iter().find(|grammar| grammar.name == name)
    }

    pub fn expressions(&self) -> Vec<String> {
        (self.expressions)()
    }

    /// Candidates beside `base`: no linear images, no duplicates, at most `most` features, and no
    /// valued features, which nets with hidden layers cannot quantise.
    pub fn beside(&self, base: &FeatureSet, most: usize) -> Vec<Candidate> {
        let mut known: BTreeSet<String> = [base.canonical().to_owned()].into();
        let parsed = self.expressions().into_iter().filter_map(|text| Candidate::parse(&text).ok());
        parsed
            .filter(|Candidate { set, .. }| !set.is_valued() && set.size() <= most)
            .filter(|Candidate { set, .. }| known.insert(set.canonical().to_owned()))
            .filter(|Candidate { set, .. }| !base.has_image(set))
            .collect()
    }
}

const ROLES: [&str; 6] = ["pawn", "knight", "bishop", "rook", "queen", "king"];
const PLACES: [&str; 4] = ["SQUARES", "FILES", "RANKS", "DIAGS1"];
const LINES: [&str; 3] = ["FILES", "RANKS", "DIAGS1"];

fn default() -> Vec<String> {
    // Diagonals of one direction are those of the other for the other perspective.
    let is_new = |name: &String| !["D2", "PD2"].contains(&name.as_str());
    let named = names().into_iter().filter(is_new).collect();
    [relations(), numbers(), pairs(), threats(), kings(), two_pieces(), named].concat()
}

fn names() -> Vec<String> {
    features::catalogue::CATALOGUE.iter().map(|named| named.name.to_owned()).collect()
}

/// Roles of pieces at a place.
fn relations() -> Vec<String> {
    let mut found = Vec::new();
    for relation in ["piece", "attacks", "mobility", "pinned"] {
        found.extend(PLACES.map(|place| format!("{relation}({place} * PIECES)")));
    }
    for relation in ["attacks", "mobility"] {
        found.extend(PLACES.map(|place| format!("{relation}({place} * COLORS)")));
        found.extend(ROLES.map(|role| format!("{relation}(SQUARES * {{{role}}} * COLORS)")));
    }
    found.push("castling(COLORS * WINGS)".to_owned());
    found.push("en_passant(FILES * COLORS)".to_owned());
    found
}

fn numbers() -> Vec<String> {
    let mut found = vec![
        "piece(PIECES * COUNTS(3))".to_owned(),
        "piece(FILES * PIECES * COUNTS(3))".to_owned(),
        "piece(RANKS * PIECES * COUNTS(3))".to_owned(),
        "attackers(SQUARES * COLORS * COUNTS(3))".to_owned(),
        "attackers(SQUARES * {pawn} * COLORS * COUNTS(2))".to_owned(),
    ];
    let most_moves = [4, 8, 13, 14, 27, 8];
    for (role, most) in ROLES.into_iter().zip(most_moves) {
        found.push(format!("moves({{{role}}} * COUNTS({most}) * COLORS)"));
        found.push(format!("moves(SQUARES * {{{role}}} * COUNTS({most}) * COLORS)"));
        found.push(format!("attacks({{{role}}} * COLORS * COUNTS(16))"));
        found.push(format!("attackers(SQUARES * {{{role}}} * COLORS * COUNTS(2))"));
    }
    found
}

/// Neighbours on lines, and pieces near each other.
fn pairs() -> Vec<String> {
    let mut found = Vec::new();
    for line in LINES {
        found.push(format!("pair({line} * PIECES * PIECES)"));
        found.push(format!("pair({line} * {{pawn}} * COLORS * {{pawn}} * COLORS)"));
        found.push(format!("pair({line} * {{pawn}} * COLORS * PIECES)"));
    }
    for role in ROLES {
        found.push(format!("both(SQUARES * {{{role}}} * COLORS)"));
        found.push(format!("both(SQUARES * {{{role}}} * COLORS, files <= 1)"));
    }
    found
}

fn threats() -> Vec<String> {
    let mut found = vec![
        "threat(PIECES * PIECES)".to_owned(),
        "threat(SQUARES * PIECES * SQUARES * PIECES)".to_owned(),
    ];
    for role in ROLES {
        found.push(format!("threat({{{role}}} * COLORS * PIECES)"));
        found.push(format!("threat({{{role}}} * COLORS * PIECES * SQUARES)"));
        found.push(format!("threat(SQUARES * {{{role}}} * COLORS * SQUARES * PIECES)"));
    }
    found
}

/// Pieces and attacks by place of the own king; the other perspective has those of the other king.
fn kings() -> Vec<String> {
    let mut found = vec![
        "king(SQUARES) * enemy_king(SQUARES)".to_owned(),
        "king_offset(FILE_STEPS * RANK_STEPS * PIECES)".to_owned(),
    ];
    for place in ["SQUARES", "FILES", "RANKS"] {
        found.push(format!("king({place})"));
        for relation in ["piece", "attacks"] {
            for what in ["SQUARES", "FILES", "RANKS"] {
                found.push(format!("king({place}) * {relation}({what} * PIECES)"));
            }
        }
    }
    for relation in ["attacks", "mobility"] {
        found.push(format!("{relation}(FILE_STEPS{{-1, 0, 1}} * RANK_STEPS{{-1, 0, 1}} * PIECES)"));
    }
    found
}

/// A piece here and a piece there, by roles.
fn two_pieces() -> Vec<String> {
    let mut found = Vec::new();
    for place in ["SQUARES", "FILES"] {
        for (i, first) in ROLES.into_iter().enumerate() {
            let second = |side: &str, second: &str| {
                format!("piece({place} * {{own {first}}}) * piece({place} * {{{side} {second}}})")
            };
            found.extend(ROLES[i..].iter().map(|role| second("own", role)));
            found.extend(ROLES[i..].iter().map(|role| second("other", role)));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_expression_of_a_grammar_is_a_set() {
        let mut wrong = Vec::new();
        for grammar in GRAMMARS {
            for text in grammar.expressions() {
                if let Err(error) = Candidate::parse(&text) {
                    wrong.push(format!("{text}: {error}"));
                }
            }
        }
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    }

    #[test]
    fn what_a_net_has_is_not_proposed() {
        let all = FeatureSet::parse("ALL").unwrap();
        let grammar = Grammar::named("default").unwrap();
        let names: Vec<String> =
            grammar.beside(&all, 100_000).into_iter().map(|candidate| candidate.name).collect();
        assert!(names.len() >= 200, "{}", names.len());
        for linear in ["piece(SQUARES * PIECES)", "king(SQUARES)", "ALL", "KING"] {
            assert!(!names.iter().any(|name| name == linear), "{linear}");
        }
        assert!(names.iter().any(|name| name == "both(SQUARES * {pawn} * COLORS, files <= 1)"));
    }
}
