//! Disjoint parts of the held-out games.
//!
//! The games that choose a set never judge it: each purpose has games of its own, by a hash of their
//! moves alone.

use data::SamplesByGame;
use serde::{Deserialize, Serialize};

/// The purpose of a held-out game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Purpose {
    /// Screening of candidates.
    Screening = 1,
    /// Ranking of rows, comparison of candidates.
    Comparing,
    /// Loss of the found set.
    Verdict,
}

/// Share of the games that no search uses.
const SPARE: f64 = 0.25;

impl Purpose {
    /// In the order of a search.
    pub const ALL: [Self; 3] = [Self::Screening, Self::Comparing, Self::Verdict];

    /// Share of all games.
    pub fn share(self) -> f64 {
        match self {
            Self::Screening => 0.35,
            Self::Comparing => 0.25,
            Self::Verdict => 0.15,
        }
    }

    pub fn part_of(self, games: SamplesByGame) -> SamplesByGame {
        let [_, used] = games.split(SPARE, 0);
        let (mut rest, mut left) = (used, 1.0 - SPARE);
        for purpose in Self::ALL {
            let [own, others] = rest.split(purpose.share() / left, purpose as u64);
            if purpose == self {
                return own;
            }
            (rest, left) = (others, left - purpose.share());
        }
        rest
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;
    use std::path::PathBuf;
    use std::sync::atomic::AtomicBool;

    use super::*;
    use base::Silent;
    use data::DataSpec;

    fn held_out(validation: f64) -> SamplesByGame {
        let path =
            PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../datasets/bootstrap.oarc"));
        let train = vec![data::Ingredient::new(path)];
        let spec = DataSpec { train, validation, ..DataSpec::default() };
        let none = AtomicBool::new(false);
        SamplesByGame::validating(&spec, usize::MAX, &mut Silent, &none).unwrap()
    }

    /// Games as the bytes of their kept positions.
    fn games(of: &SamplesByGame) -> HashSet<Vec<u8>> {
        let bytes = |game| bytemuck::cast_slice(&of.samples()[of.range(game)]).to_vec();
        (0..of.games()).map(bytes).collect()
    }

    #[test]
    fn no_game_has_two_purposes_and_each_keeps_its_own_among_others() {
        let (all, few) = (held_out(0.5), held_out(0.2));
        let count = all.games() as f64;
        let (mut seen, mut shares) = (HashSet::new(), SPARE);
        for purpose in Purpose::ALL {
            let own = purpose.part_of(all.clone());
            let share = own.games() as f64 / count;
            let deviation = (purpose.share() / count).sqrt();
            assert!((share - purpose.share()).abs() < 4.0 * deviation, "{purpose:?}: {share}");
            let (own, of_few) = (games(&own), games(&purpose.part_of(few.clone())));
            assert!(of_few.is_subset(&own), "{purpose:?}");
            assert!(seen.is_disjoint(&own), "{purpose:?}");
            seen.extend(own);
            shares += purpose.share();
        }
        assert!(seen.is_subset(&games(&all)));
        assert!((shares - 1.0).abs() < 1e-12, "{shares}");
    }
}
