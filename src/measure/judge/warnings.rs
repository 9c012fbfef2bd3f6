//! Warnings about games: many of a kind are one sentence.

use base::format::counted;

/// Most warnings of a kind with a sentence each.
const FEW: usize = 2;

/// Subject of a warning.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Concern {
    /// Games of a pairing that are one game, or that repeat each other.
    Repetition,
    /// Games of a pairing that were lost otherwise than by chess.
    Forfeits,
    /// Games of a pairing while the machine stood still.
    Standstill,
    /// A set with a seed that won or lost everything.
    OneSided,
    /// A set with one net beside one with several.
    FewerNets,
    /// All games; a single warning.
    Games,
}

/// Warnings by their kinds, in the order in which kinds first came.
#[derive(Debug, Default)]
pub(crate) struct Warnings(Vec<(Concern, Vec<String>)>);

impl Warnings {
    pub(crate) fn add(&mut self, concern: Concern, text: String) {
        match self.0.iter_mut().find(|(known, _)| *known == concern) {
            Some((_, all)) => all.push(text),
            None => self.0.push((concern, vec![text])),
        }
    }

    pub(crate) fn extend(&mut self, all: impl IntoIterator<Item = (Concern, String)>) {
        all.into_iter().for_each(|(concern, text)| self.add(concern, text));
    }

    /// Sentences: one of each of a few, one of many together with the first of them.
    pub(crate) fn sentences(self) -> Vec<String> {
        self.0.into_iter().flat_map(|(concern, all)| concern.folded(all)).collect()
    }
}

impl Concern {
    fn folded(self, all: Vec<String>) -> Vec<String> {
        match (all.first(), self.of_many(all.len() as u64)) {
            (Some(first), Some(of_many)) if all.len() > FEW => {
                vec![format!("{of_many}; the first: {first}")]
            }
            _ => all,
        }
    }

    /// Common sentence of `count` warnings; `None` of a kind without pairings or sets.
    fn of_many(self, count: u64) -> Option<String> {
        let (pairings, sets) = (counted(count, "pairing"), counted(count, "set"));
        Some(match self {
            Self::Repetition => format!("{pairings} have duplicate games"),
            Self::Forfeits => format!(
                "in {count} cases a player forfeited more than 1 % of the games of a pairing \
                 (games.csv has all pairings)"
            ),
            Self::Standstill => format!("The machine stalled during games of {pairings}"),
            Self::OneSided => format!("A seed won or lost every game in {sets}"),
            Self::FewerNets => format!("{sets} and the reference have different numbers of nets"),
            Self::Games => return None,
        })
    }
}

/// `2 games were forfeited (…). They count as losses.`
pub(crate) fn forfeited(games: u64) -> String {
    let (were, they_count) = match games {
        1 => ("was", "It counts as a loss"),
        _ => ("were", "They count as losses"),
    };
    let games = counted(games, "game");
    format!("{games} {were} forfeited (time, crash or illegal move). {they_count}.")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forfeits_are_counted() {
        let one = "1 game was forfeited (time, crash or illegal move). It counts as a loss.";
        assert_eq!(forfeited(1), one);
        assert!(forfeited(2).starts_with("2 games were forfeited "));
    }

    #[test]
    fn twenty_warnings_of_a_kind_are_one_sentence() {
        let mut warnings = Warnings::default();
        warnings.add(Concern::OneSided, "ALL: a seed won every game.".to_owned());
        warnings
            .extend((0..20).map(|i| (Concern::Forfeits, format!("20 ms per move: {i} lost 3."))));
        warnings.add(Concern::OneSided, "PV: a seed lost every game.".to_owned());
        warnings.add(Concern::Games, "60 games were forfeited.".to_owned());
        let sentences = warnings.sentences();
        assert_eq!(sentences[..2], ["ALL: a seed won every game.", "PV: a seed lost every game."]);
        assert!(sentences[2].starts_with("in 20 cases a player forfeited"), "{}", sentences[2]);
        assert!(
            sentences[2].ends_with("; the first: 20 ms per move: 0 lost 3."),
            "{}",
            sentences[2]
        );
        assert_eq!(sentences[3..], ["60 games were forfeited."]);
    }
}
