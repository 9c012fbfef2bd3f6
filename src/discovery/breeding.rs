//! Expressions bred: what a grammar does not write down by itself.
//!
//! An individual is a sum of a few products. Children have summands of both parents, and words of
//! theirs changed: another concept, another role or side, a coarser or finer place, a factor more
//! or less. Two are alike by the features that both have, and by the words that they are written
//! in; so crowding keeps different ideas alive beside each other.

use std::collections::BTreeSet;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

use chess::{Color, Scene};
use data::Sample;
use evolution::{Chance, Heredity};
use features::{Feature, FeatureSet};
use rand::Rng;
use rand::seq::{IndexedRandom, SliceRandom};

use crate::screen::Candidate;

/// What is bred beside a set.
#[derive(Clone, Debug)]
pub struct Breeding {
    base: Arc<FeatureSet>,
    /// Expressions of which the first population is made.
    founders: Vec<String>,
    /// No set of more features.
    most_features: usize,
    /// In which sets are compared.
    compared: Vec<Sample>,
}

/// An individual.
#[derive(Clone, Debug)]
pub struct Bred {
    /// What is added up.
    summands: Vec<String>,
    /// The same as a candidate.
    pub candidate: Candidate,
    /// Features of some positions, and words.
    marks: [BTreeSet<u64>; 2],
}

/// Positions in which sets are compared.
const COMPARED: usize = 24;

/// Summands of an individual at most.
const MOST_SUMMANDS: usize = 3;

/// How often something is tried before a parent is taken as it is.
const TRIES: usize = 20;

/// Chance of a child to have something changed.
const MUTATED: f64 = 0.8;

/// Words that may take each other's place.
const EXCHANGEABLE: [&[&str]; 6] = [
    &["SQUARES", "FILES", "RANKS", "DIAGS1", "DIAGS2"],
    &["PIECES", "ROLES", "COLORS"],
    &["pawn", "knight", "bishop", "rook", "queen", "king"],
    &["own", "other"],
    &["piece", "attacks", "mobility", "attackers", "pinned"],
    &["king", "enemy_king"],
];

/// Coarser places of a king, to be a factor.
const FACTORS: [&str; 6] = [
    "king(FILES)",
    "king(RANKS)",
    "king(FILES / [0, 0, 1, 1, 2, 2, 3, 3])",
    "king(RANKS / [0, 1, 1, 1, 1, 1, 1, 1])",
    "enemy_king(FILES)",
    "enemy_king(RANKS / [0, 0, 0, 0, 0, 0, 0, 1])",
];

/// Concepts and what they may be made coarser by.
const QUOTIENTS: [(&str, &str); 4] = [
    ("FILES", "FILES / [0, 1, 2, 3, 3, 2, 1, 0]"),
    ("FILES", "FILES / [0, 0, 1, 1, 2, 2, 3, 3]"),
    ("RANKS", "RANKS / [0, 0, 1, 1, 2, 2, 3, 3]"),
    ("PIECES", "PIECES / ONE-KING"),
];

impl Breeding {
    /// Beside a set, from some expressions that do not say what it says already; sets are
    /// compared in a few of these positions.
    pub fn new(
        base: Arc<FeatureSet>,
        founders: Vec<String>,
        most_features: usize,
        positions: &[Sample],
    ) -> Self {
        let apart = (positions.len() / COMPARED).max(1);
        let compared = positions.iter().step_by(apart).take(COMPARED).copied().collect();
        Self { base, founders, most_features, compared }
    }

    /// An individual of these summands, if it is one: a set that can be played, says something
    /// that the base does not, and is not too large.
    fn born(&self, mut summands: Vec<String>) -> Option<Bred> {
        summands.sort();
        summands.dedup();
        let candidate = Candidate::parse(&summands.join(" + ")).ok()?;
        let set = &candidate.set;
        let is_welcome = summands.len() <= MOST_SUMMANDS
            && !set.is_valued()
            && set.size() <= self.most_features
            && !self.base.has_image(set);
        let marks = [features_of(set, &self.compared), words_of(&summands)];
        is_welcome.then_some(Bred { summands, candidate, marks })
    }

    /// One of the founders that can live.
    fn founder(&self, place: usize) -> Option<Bred> {
        self.born(vec![self.founders.get(place)?.clone()])
    }

    /// The summands of both parents, dealt out.
    fn crossed(parents: [&Bred; 2], chance: &mut Chance) -> [Vec<String>; 2] {
        let mut all: Vec<&String> = parents.iter().flat_map(|parent| &parent.summands).collect();
        all.sort();
        all.dedup();
        all.shuffle(chance);
        let mut children = [Vec::new(), Vec::new()];
        for (place, summand) in all.into_iter().enumerate() {
            // Each child gets one, and may get one more.
            let child = if place < 2 { place } else { chance.random_range(0..2) };
            children[child].push(summand.clone());
        }
        if children[1].is_empty() {
            children[1] = children[0].clone();
        }
        children
    }

    /// One summand of them changed.
    fn changed(&self, mut summands: Vec<String>, chance: &mut Chance) -> Vec<String> {
        let Some(place) = (0..summands.len()).collect::<Vec<_>>().choose(chance).copied() else {
            return summands;
        };
        let summand = summands[place].clone();
        let changed = match chance.random_range(0..8) {
            0 => factor_more(&summand, chance),
            1 => factor_less(&summand, chance),
            2 => coarser(&summand, chance),
            3 => self.founders.choose(chance).cloned(),
            4 if summands.len() > 1 => {
                summands.remove(place);
                return summands;
            }
            _ => word_changed(&summand, chance),
        };
        summands[place] = changed.unwrap_or(summand);
        summands
    }
}

impl Heredity for Breeding {
    type Genome = Bred;

    fn first(&self, place: usize, chance: &mut Chance) -> Bred {
        let in_order = (!self.founders.is_empty()).then(|| place % self.founders.len());
        let drawn = (0..TRIES).map(|_| chance.random_range(0..self.founders.len().max(1)));
        let places: Vec<usize> = in_order.into_iter().chain(drawn).collect();
        let alive = places.into_iter().find_map(|place| self.founder(place));
        // Founders were looked at before they were named; if none of these lives, all are the same.
        alive.unwrap_or_else(|| Bred {
            summands: Vec::new(),
            candidate: Candidate {
                name: self.base.expression().to_owned(),
                set: self.base.clone(),
            },
            marks: Default::default(),
        })
    }

    fn children(&self, parents: [&Bred; 2], chance: &mut Chance) -> [Bred; 2] {
        let mut of_parent = parents.into_iter();
        Self::crossed(parents, chance).map(|summands| {
            let parent = of_parent.next().unwrap_or(parents[0]);
            for _ in 0..TRIES {
                let mut own = summands.clone();
                if chance.random_bool(MUTATED) {
                    own = self.changed(own, chance);
                }
                if let Some(child) = self.born(own) {
                    return child;
                }
            }
            parent.clone()
        })
    }

    fn distance(&self, one: &Bred, other: &Bred) -> f64 {
        let apart = |which: usize| unlikeness(&one.marks[which], &other.marks[which]);
        (apart(0) + apart(1)) / 2.0
    }
}

/// The share of what either has that the other has not.
fn unlikeness(one: &BTreeSet<u64>, other: &BTreeSet<u64>) -> f64 {
    let (both, either) = (one.intersection(other).count(), one.union(other).count());
    1.0 - both as f64 / either.max(1) as f64
}

/// What is active in some positions, by what it says: the same feature is the same in any set.
fn features_of(set: &FeatureSet, positions: &[Sample]) -> BTreeSet<u64> {
    let mut found = BTreeSet::new();
    let mut active: Vec<Feature> = Vec::new();
    for sample in positions {
        set.active(&Scene::from(&sample.position), Color::White, &mut active);
        found.extend(active.drain(..).map(|feature| hashed(&set.describe(feature))));
    }
    found
}

fn words_of(summands: &[String]) -> BTreeSet<u64> {
    let is_word = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-');
    let words = summands.iter().flat_map(|text| text.split(move |c| !is_word(c)));
    words.filter(|word| !word.is_empty()).map(hashed).collect()
}

fn hashed(text: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    text.hash(&mut hasher);
    hasher.finish()
}

/// A word replaced by another that may stand there.
fn word_changed(text: &str, chance: &mut Chance) -> Option<String> {
    let mut places: Vec<(usize, &str, &[&str])> = Vec::new();
    for class in EXCHANGEABLE {
        for word in class {
            places.extend(words_at(text, word).map(|at| (at, *word, class)));
        }
    }
    let &(at, word, class) = places.choose(chance)?;
    let others: Vec<&&str> = class.iter().filter(|other| **other != word).collect();
    let other = others.choose(chance)?;
    Some(format!("{}{other}{}", &text[..at], &text[at + word.len()..]))
}

/// Where a word stands as a whole.
fn words_at<'t>(text: &'t str, word: &'t str) -> impl Iterator<Item = usize> + 't {
    let is_word = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '_' || c == '-');
    text.match_indices(word).map(|(at, _)| at).filter(move |&at| {
        let (before, after) = (&text[..at], &text[at + word.len()..]);
        !is_word(before.chars().next_back()) && !is_word(after.chars().next())
    })
}

fn factor_more(text: &str, chance: &mut Chance) -> Option<String> {
    let factor = FACTORS.choose(chance)?;
    Some(format!("{factor} * {text}"))
}

/// One of the outermost factors left out.
fn factor_less(text: &str, chance: &mut Chance) -> Option<String> {
    let mut factors = outermost_factors(text);
    if factors.len() < 2 {
        return None;
    }
    factors.remove(chance.random_range(0..factors.len()));
    Some(factors.join(" * "))
}

fn outermost_factors(text: &str) -> Vec<&str> {
    let (mut depth, mut start, mut factors) = (0i32, 0, Vec::new());
    for (at, c) in text.char_indices() {
        match c {
            '(' | '{' | '[' => depth += 1,
            ')' | '}' | ']' => depth -= 1,
            '*' if depth == 0 => {
                factors.push(text[start..at].trim());
                start = at + 1;
            }
            _ => {}
        }
    }
    factors.push(text[start..].trim());
    factors
}

/// A concept by classes of it.
fn coarser(text: &str, chance: &mut Chance) -> Option<String> {
    let (word, quotient) = QUOTIENTS.choose(chance)?;
    let places: Vec<usize> = words_at(text, word).collect();
    let &at = places.choose(chance)?;
    // A quotient of a quotient would have to fit its classes.
    let rest = &text[at + word.len()..];
    let is_free = !rest.trim_start().starts_with(['/', '{']);
    is_free.then(|| format!("{}{quotient}{rest}", &text[..at]))
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng;

    use super::*;
    use crate::Grammar;

    fn breeding() -> Breeding {
        let base = FeatureSet::parse("ALL").unwrap();
        let grammar = Grammar::named("default").unwrap().beside(&base, 10_000);
        let founders = grammar.into_iter().map(|candidate| candidate.name).collect();
        Breeding::new(base, founders, 10_000, crate::tests::positions(2_000).samples())
    }

    #[test]
    fn children_are_sets_that_say_something_new() {
        let breeding = breeding();
        let mut chance = Chance::seed_from_u64(1);
        let mut alive: Vec<Bred> =
            (0..20).map(|place| breeding.first(place, &mut chance)).collect();
        let mut names = BTreeSet::new();
        for turn in 0..300 {
            let parents = [&alive[turn % 20], &alive[(7 * turn + 3) % 20]];
            for child in breeding.children(parents, &mut chance) {
                let set = &child.candidate.set;
                assert!(set.size() <= 10_000 && !breeding.base.has_image(set), "{set:?}");
                names.insert(set.canonical().to_owned());
                alive[(11 * turn + 5) % 20] = child;
            }
        }
        assert!(names.len() > 200, "{} different ones", names.len());
    }

    #[test]
    fn unlikeness_is_nothing_of_itself_and_less_of_kin() {
        let breeding = breeding();
        let born = |text: &str| breeding.born(vec![text.to_owned()]).unwrap();
        let (one, kin, other) = (
            born("pair(FILES * PIECES * PIECES)"),
            born("pair(FILES * {pawn} * COLORS * PIECES)"),
            born("mobility(SQUARES * {queen} * COLORS)"),
        );
        let apart = |a: &Bred, b: &Bred| breeding.distance(a, b);
        assert_eq!(apart(&one, &one), 0.0);
        assert!(apart(&one, &kin) < apart(&one, &other));
        assert_eq!(apart(&one, &kin), apart(&kin, &one));
    }

    #[test]
    fn words_are_changed_as_wholes_and_factors_found_outermost() {
        let mut chance = Chance::seed_from_u64(2);
        for _ in 0..50 {
            let changed = word_changed("king_offset(FILE_STEPS * PIECES)", &mut chance).unwrap();
            assert!(changed.starts_with("king_offset(FILE_STEPS * "), "{changed}");
        }
        let product = "king(FILES / [0, 1]) * piece({own pawn} * FILES)";
        assert_eq!(
            outermost_factors(product),
            ["king(FILES / [0, 1])", "piece({own pawn} * FILES)"]
        );
    }
}
