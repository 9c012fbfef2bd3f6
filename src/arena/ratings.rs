//! Ratings from a tournament, with intervals.
//!
//! Two answers to "how much better than the reference?" stand side by side.
//! The *direct* one uses the games against the reference alone. The *rating*
//! is the Bradley-Terry maximum likelihood over all games, which also learns
//! from the others' games among themselves; where the two disagree, strength
//! is not one-dimensional among these players, which is worth knowing.
//!
//! Intervals of ratings come from a bootstrap over openings: an opening is
//! drawn with *all* games that began from it. That keeps the two games of a
//! pair together and also what pairings have in common by sharing openings;
//! drawing single games, as Ordo does, would be blind to both.

mod bradley_terry;

pub use bradley_terry::{CrossTable, Fit};

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde::Serialize;

use super::estimate::Estimate;
use super::pentanomial::Pentanomial;
use super::tournament::{PlayerId, TournamentResult};

/// How intervals are found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bootstrap {
    /// Tournaments drawn from the one that was played.
    pub replicates: usize,
    /// Seed of the draws.
    pub seed: u64,
}

impl Default for Bootstrap {
    fn default() -> Self {
        Self { replicates: 1000, seed: 0 }
    }
}

/// Ratings that cannot be had.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum RatingsError {
    /// Players who never met, not even over others, cannot be compared.
    #[error(
        "`{player}` has no finished pair that connects it with `{reference}`; \
         let the tournament go on, or leave the player out"
    )]
    Disconnected {
        /// Name of the player.
        player: String,
        /// Name of the reference.
        reference: String,
    },
    /// The reference is not a player.
    #[error("the reference is player {reference}, but there are {players} players")]
    NoSuchReference {
        /// Index given.
        reference: usize,
        /// Number of players.
        players: usize,
    },
}

/// Where a player stands.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Standing {
    /// Name of the player.
    pub name: String,
    /// Elo over the reference from all games of all players.
    pub rating: Estimate,
    /// Elo over the reference from the games against it alone; `None` for
    /// the reference itself and for those who have not met it.
    pub direct: Option<Estimate>,
    /// Those games.
    pub against_reference: Option<Pentanomial>,
    /// All finished pairs of the player.
    pub overall: Pentanomial,
}

/// Ratings of all players, the reference at 0.
#[derive(Clone, Debug)]
pub struct Ratings {
    /// By [`PlayerId`].
    pub standings: Vec<Standing>,
    /// Who stands at 0.
    pub reference: PlayerId,
    /// Whether ratings needed the virtual draws described at
    /// [`CrossTable::fit`]: some players won (or lost) everything against the
    /// rest, and their ratings say only "at least" (or "at most").
    pub regularised: bool,
    fitted: Vec<f64>,
    /// Ratings fitted to each replicate.
    replicates: Vec<Vec<f64>>,
}

impl Ratings {
    /// Rates the players of a tournament by its finished pairs.
    ///
    /// # Errors
    ///
    /// A reference that is no player, or players whom no chain of finished
    /// pairs connects with it.
    pub fn of(
        result: &TournamentResult,
        reference: PlayerId,
        bootstrap: Bootstrap,
    ) -> Result<Self, RatingsError> {
        let players = result.players.len();
        if reference.0 >= players {
            return Err(RatingsError::NoSuchReference { reference: reference.0, players });
        }
        let table = cross_table(result, &vec![1; result.pairs]);
        let Fit { ratings: fitted, regularised } =
            table.fit(reference.0, &table).map_err(|stranger| RatingsError::Disconnected {
                player: result.players[stranger].clone(),
                reference: result.players[reference.0].clone(),
            })?;
        let replicates = replicates(result, reference, &table, bootstrap);
        let mut ratings =
            Self { standings: Vec::new(), reference, regularised, fitted, replicates };
        ratings.standings =
            (0..players).map(|player| ratings.standing(result, PlayerId(player))).collect();
        Ok(ratings)
    }

    /// Elo of one player over another, with the interval of the *difference*:
    /// it is narrower or wider than the two players' own intervals suggest.
    pub fn difference(&self, player: PlayerId, other: PlayerId) -> Estimate {
        let difference = |ratings: &[f64]| ratings[player.0] - ratings[other.0];
        let value = difference(&self.fitted);
        let mut drawn: Vec<f64> = self.replicates.iter().map(|r| difference(r)).collect();
        drawn.sort_unstable_by(f64::total_cmp);
        Estimate {
            value,
            low: quantile(&drawn, 0.025).unwrap_or(f64::NEG_INFINITY),
            high: quantile(&drawn, 0.975).unwrap_or(f64::INFINITY),
        }
    }

    /// Players from the strongest to the weakest.
    pub fn ranking(&self) -> Vec<PlayerId> {
        let mut order: Vec<PlayerId> = (0..self.fitted.len()).map(PlayerId).collect();
        order.sort_by(|a, b| self.fitted[b.0].total_cmp(&self.fitted[a.0]));
        order
    }

    fn standing(&self, result: &TournamentResult, player: PlayerId) -> Standing {
        let against_reference = result.head_to_head(player, self.reference);
        let everybody = (0..result.players.len()).map(PlayerId);
        let mut overall = Pentanomial::default();
        everybody
            .filter_map(|opponent| result.head_to_head(player, opponent))
            .for_each(|pairs| overall += pairs);
        Standing {
            name: result.players[player.0].clone(),
            rating: self.difference(player, self.reference),
            direct: against_reference.and_then(|pairs| pairs.elo()),
            against_reference,
            overall,
        }
    }
}

/// Points of the finished pairs, each opening's as often as its weight says.
fn cross_table(result: &TournamentResult, weights: &[u32]) -> CrossTable {
    let mut table = CrossTable::new(result.players.len());
    for pairing in &result.pairings {
        let (first, second) = (pairing.pairing.first.0, pairing.pairing.second.0);
        for (score, &weight) in pairing.pairs.iter().zip(weights) {
            if let Some(score) = score {
                let points = score.points();
                table.add(first, second, f64::from(weight) * points);
                table.add(second, first, f64::from(weight) * (2.0 - points));
            }
        }
    }
    table
}

fn replicates(
    result: &TournamentResult,
    reference: PlayerId,
    played: &CrossTable,
    bootstrap: Bootstrap,
) -> Vec<Vec<f64>> {
    let mut rng = ChaCha8Rng::seed_from_u64(bootstrap.seed);
    let mut weights = vec![0; result.pairs];
    (0..bootstrap.replicates)
        .filter_map(|_| {
            weights.fill(0);
            (0..result.pairs).for_each(|_| weights[rng.random_range(0..result.pairs)] += 1);
            // Always connected: the virtual draws reach wherever games were played.
            Some(cross_table(result, &weights).fit(reference.0, played).ok()?.ratings)
        })
        .collect()
}

/// Of sorted values, linear between neighbours; `None` without a value.
fn quantile(sorted: &[f64], share: f64) -> Option<f64> {
    let place = share * (sorted.len().checked_sub(1)? as f64);
    let below = sorted[place.floor() as usize];
    let above = sorted[place.ceil() as usize];
    Some(below + (above - below) * place.fract())
}

#[cfg(test)]
mod tests;
