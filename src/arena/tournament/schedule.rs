//! Pairings of a tournament.

use serde::{Deserialize, Serialize};

/// A player, by its index in the list of players.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct PlayerId(pub usize);

/// A pair of opponents. The first has White in the first game of each pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Pairing {
    /// The player whose results are counted.
    pub first: PlayerId,
    /// Its opponent.
    pub second: PlayerId,
}

/// Choice of pairings from the list of players.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TournamentSchedule {
    /// All against all.
    RoundRobin,
    /// All against this player, the reference, which comes second in
    /// each pairing.
    Gauntlet(PlayerId),
    /// These pairings alone.
    Chosen(Vec<Pairing>),
}

/// Colours with which an opening is played.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ByColour {
    /// Twice, with colours swapped: a pair.
    #[default]
    Both,
    /// Once, the first of the pairing with White. No pair is ever finished then, and Elo has the
    /// bias of White's advantage, which experiments with this setting show.
    White,
}

impl ByColour {
    /// For each game of an opening whether colours are swapped.
    pub fn games(self) -> &'static [bool] {
        match self {
            Self::Both => &[false, true],
            Self::White => &[false],
        }
    }

    pub(crate) fn is_both(&self) -> bool {
        *self == Self::Both
    }
}

impl TournamentSchedule {
    /// Pairings of this number of players, in a fixed order.
    pub fn pairings(&self, players: usize) -> Vec<Pairing> {
        let all = || (0..players).map(PlayerId);
        match self {
            Self::RoundRobin => all()
                .flat_map(|first| {
                    (first.0 + 1..players).map(move |s| Pairing { first, second: PlayerId(s) })
                })
                .collect(),
            Self::Gauntlet(reference) => all()
                .filter(|first| first != reference)
                .map(|first| Pairing { first, second: *reference })
                .collect(),
            Self::Chosen(pairings) => pairings.clone(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pairs(schedule: TournamentSchedule, players: usize) -> Vec<(usize, usize)> {
        schedule.pairings(players).iter().map(|p| (p.first.0, p.second.0)).collect()
    }

    #[test]
    fn every_two_players_meet_once() {
        assert_eq!(pairs(TournamentSchedule::RoundRobin, 3), [(0, 1), (0, 2), (1, 2)]);
        assert_eq!(pairs(TournamentSchedule::RoundRobin, 7).len(), 21);
    }

    #[test]
    fn the_gauntlet_is_against_the_reference_only() {
        assert_eq!(pairs(TournamentSchedule::Gauntlet(PlayerId(1)), 4), [(0, 1), (2, 1), (3, 1)]);
    }
}
