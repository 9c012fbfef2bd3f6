//! The judged rounds of a search: all that has to be kept to resume it.

use std::path::Path;

use arena::Trinomial;
use base::journal::{JournalError, JsonJournal};
use serde::{Deserialize, Serialize};

use super::PointFitness;
use super::judge::{Colours, JudgedRound};

pub(crate) struct RoundJournal(JsonJournal);

/// A judged round. Fitness and slope are text, since JSON has no infinite numbers and its readers
/// may round the others.
#[derive(Serialize, Deserialize)]
struct RoundRecord {
    spent: u64,
    white: Trinomial,
    black: Trinomial,
    /// Fitness and slope of each point: `0.5`, `0.5,1.0,-2.0`.
    judgements: Vec<String>,
}

impl RoundJournal {
    /// Opens or creates the journal of a search and returns its rounds.
    pub(crate) fn open(
        path: &Path,
        settings: &impl Serialize,
    ) -> Result<(Self, Vec<JudgedRound>), JournalError> {
        let (journal, records) = JsonJournal::open::<RoundRecord>(path, "search", settings)?;
        let journal = Self(journal);
        let judged = |(index, record): (usize, RoundRecord)| {
            let bad = || journal.bad_round(index, "an objective value is not a number".to_owned());
            record.judged().ok_or_else(bad)
        };
        let rounds = records.into_iter().enumerate().map(judged).collect::<Result<_, _>>()?;
        Ok((journal, rounds))
    }

    pub(crate) fn append(&mut self, judged: &JudgedRound) -> Result<(), JournalError> {
        self.0.append(&RoundRecord::new(judged))
    }

    /// Error of an invalid round, counted from 0.
    pub(crate) fn bad_round(&self, round: usize, reason: String) -> JournalError {
        self.0.bad_record(round, reason)
    }
}

impl RoundRecord {
    fn new(JudgedRound { judgements, spent, colours }: &JudgedRound) -> Self {
        let Colours { white, black } = *colours;
        Self { spent: *spent, white, black, judgements: judgements.iter().map(text).collect() }
    }

    fn judged(self) -> Option<JudgedRound> {
        let Self { spent, white, black, judgements } = self;
        let judgements = judgements.iter().map(|text| judgement(text)).collect::<Option<_>>()?;
        Some(JudgedRound { judgements, spent, colours: Colours { white, black } })
    }
}

/// Each number in its shortest form that reads back to the bit.
fn text(PointFitness { fitness, slope }: &PointFitness) -> String {
    let numbers = std::iter::once(fitness).chain(slope.iter().flatten());
    numbers.map(|number| format!("{number:?}")).collect::<Vec<_>>().join(",")
}

fn judgement(text: &str) -> Option<PointFitness> {
    let mut values = text.split(',').map(|value| value.parse::<f64>().ok());
    let fitness = values.next()??;
    let slope = values.collect::<Option<Vec<f64>>>()?;
    Some(PointFitness { fitness, slope: (!slope.is_empty()).then_some(slope) })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    prop_compose! {
        fn judgement()(fitness: f64, slope in prop::option::of(prop::collection::vec(any::<f64>(), 1..4)))
            -> PointFitness { PointFitness { fitness, slope } }
    }

    proptest! {
        #[test]
        fn rounds_are_read_again_to_the_bit(
            spent: u64, counts in prop::array::uniform6(0..1_000u64),
            judgements in prop::collection::vec(judgement(), 1..5),
        ) {
            let [w, d, l, x, y, z] = counts;
            let white = Trinomial { wins: w, draws: d, losses: l };
            let black = Trinomial { wins: x, draws: y, losses: z };
            let judged = JudgedRound { judgements, spent, colours: Colours { white, black } };
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("search.jsonl");
            let (mut journal, none) = RoundJournal::open(&path, &1).unwrap();
            prop_assert!(none.is_empty());
            journal.append(&judged).unwrap();
            drop(journal);
            prop_assert_eq!(RoundJournal::open(&path, &1).unwrap().1, [judged]);
        }
    }
}
