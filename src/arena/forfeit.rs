//! Failures of players as programs rather than at chess.
//!
//! Such games are lost like others, but carry no information about strength; so they are counted by
//! kind and reported beside every result.

use std::fmt;

use serde::{Deserialize, Serialize};

/// Reason of a forfeit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Forfeit {
    /// It answered without a move.
    NoMove,
    /// Its move is not legal, or no move at all.
    IllegalMove,
    /// Its move came too late.
    Time,
    /// No answer in time.
    Stall,
    /// The program ended, or could not be started.
    Crash,
}

impl Forfeit {
    pub const ALL: [Self; 5] =
        [Self::NoMove, Self::IllegalMove, Self::Time, Self::Stall, Self::Crash];

    /// Singular and plural.
    fn nouns(self) -> [&'static str; 2] {
        match self {
            Self::NoMove => ["missing move", "missing moves"],
            Self::IllegalMove => ["illegal move", "illegal moves"],
            Self::Time => ["loss on time", "losses on time"],
            Self::Stall => ["stall", "stalls"],
            Self::Crash => ["crash", "crashes"],
        }
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Forfeits([u64; Forfeit::ALL.len()]);

impl Forfeits {
    pub fn add(&mut self, forfeit: Forfeit) {
        self.add_many(forfeit, 1);
    }

    pub fn add_many(&mut self, forfeit: Forfeit, games: u64) {
        self.0[forfeit as usize] += games;
    }

    /// Games of one kind.
    pub fn of(&self, forfeit: Forfeit) -> u64 {
        self.0[forfeit as usize]
    }

    pub fn total(&self) -> u64 {
        self.0.iter().sum()
    }
}

impl fmt::Display for Forfeits {
    /// `2 crashes, 1 loss on time`; `none`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut parts = Vec::new();
        for forfeit in Forfeit::ALL.into_iter().rev() {
            let [one, many] = forfeit.nouns();
            match self.of(forfeit) {
                0 => {}
                1 => parts.push(format!("1 {one}")),
                count => parts.push(format!("{count} {many}")),
            }
        }
        if parts.is_empty() {
            return f.write_str("none");
        }
        f.write_str(&parts.join(", "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forfeits_are_counted_by_kind() {
        let mut forfeits = Forfeits::default();
        assert_eq!(forfeits.to_string(), "none");
        for kind in [Forfeit::Crash, Forfeit::Time, Forfeit::Crash] {
            forfeits.add(kind);
        }
        assert_eq!((forfeits.of(Forfeit::Crash), forfeits.of(Forfeit::Stall)), (2, 0));
        assert_eq!(forfeits.total(), 3);
        assert_eq!(forfeits.to_string(), "2 crashes, 1 loss on time");
    }
}
