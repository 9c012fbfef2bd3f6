//! Ratings from a tournament, with intervals.
//!
//! Two measures of Elo over the reference stand side by side. The *direct* one uses the games
//! against the reference alone. The *rating* is the Bradley-Terry maximum likelihood over all
//! games, including those among the others; where the two disagree, strength is not one-dimensional
//! among these players.
//!
//! Intervals of ratings come from a bootstrap over openings: an opening is drawn with *all* games
//! that began from it. That keeps the two games of a pair together, and the correlation of pairings
//! that share openings; drawing single games, as Ordo does, would lose both.

mod bradley_terry;
mod draws;
mod linear;

pub use bradley_terry::{Fit, OpenEnds, RatingModel, ResultTable, WhiteResults};

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde::Serialize;

use super::pentanomial::{HalfPoints, PairResult, Pentanomial};
use super::student::student_t95;
use super::tournament::{PlayerId, TournamentResult};
use base::Estimate;
use base::estimate::Z95;

/// Settings of the bootstrap.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bootstrap {
    /// Number of resampled tournaments.
    pub replicates: usize,
    /// Seed of the draws.
    pub seed: u64,
}

impl Default for Bootstrap {
    fn default() -> Self {
        Self { replicates: 1000, seed: 0 }
    }
}

/// Scale of the ratings.
#[derive(Clone, Debug, PartialEq)]
pub struct RatingScale {
    /// Opponent of the direct comparisons.
    pub reference: PlayerId,
    /// Players whose Elo is known; the reference at 0 if there is none.
    pub anchors: Vec<(PlayerId, f64)>,
    /// Whether ratings model White's advantage. Where every opening is played with both colours it
    /// only stretches them a little; without it the difference of two players is the Elo of their
    /// score.
    pub white_advantage: bool,
}

impl RatingScale {
    /// The reference at 0.
    pub fn from(reference: PlayerId) -> Self {
        Self { reference, anchors: Vec::new(), white_advantage: false }
    }

    fn model(&self) -> RatingModel {
        let anchors = match self.anchors.as_slice() {
            [] => vec![(self.reference.0, 0.0)],
            anchors => anchors.iter().map(|&(PlayerId(player), elo)| (player, elo)).collect(),
        };
        RatingModel { anchors, white_advantage: self.white_advantage }
    }
}

/// Ratings that do not exist.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum RatingsError {
    /// Players without a chain of games between them cannot be compared.
    #[error(
        "no finished pair connects `{player}` with `{reference}`; \
         resume the tournament, or remove the player"
    )]
    Disconnected { player: String, reference: String },
    #[error("a rating refers to player {player} of {players}")]
    NoSuchPlayer { player: usize, players: usize },
}

/// Rating of a player.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PlayerRating {
    pub name: String,
    /// Elo from all games of all players, on the scale of the anchors (over the
    /// reference if there are none).
    pub rating: Estimate,
    /// Elo over the reference from the games against it alone; `None` for
    /// the reference itself and for players without games against it.
    pub direct: Option<Estimate>,
    /// All finished pairs of the player.
    pub overall: Pentanomial,
}

#[derive(Clone, Debug)]
pub struct Ratings {
    /// By [`PlayerId`].
    pub standings: Vec<PlayerRating>,
    /// Opponent of the direct comparisons.
    pub reference: PlayerId,
    /// Elo of White's advantage, in these openings.
    pub white_advantage: Estimate,
    /// Share of games that equals draw, in [0, 1].
    pub draw_rate: Estimate,
    /// Whether ratings needed the virtual draws of [`ResultTable::fit`]: some players won (or lost)
    /// everything against the rest, and their ratings are bounds.
    pub regularised: bool,
    fitted: Rated,
    replicates: Replicates,
    open_ends: Vec<OpenEnds>,
}

/// Fits to resamples of the openings.
#[derive(Clone, Debug)]
struct Replicates {
    fits: Vec<Rated>,
    /// Number of openings in the sample.
    openings: usize,
}

/// Figures fitted to one table.
#[derive(Clone, Debug)]
struct Rated {
    fit: Fit,
    white_advantage: f64,
    draw_rate: f64,
}

impl Rated {
    fn new(table: &ResultTable, model: &RatingModel, played: &ResultTable) -> Result<Self, usize> {
        // The advantage is reported even where ratings do not model it.
        let advantaged = RatingModel { white_advantage: true, ..model.clone() };
        let with_advantage = table.fit(&advantaged, played)?;
        let white_advantage = with_advantage.white_advantage;
        let draw_rate = draws::draw_rate_of_equals(table, &with_advantage).unwrap_or_default();
        let fit = if model.white_advantage { with_advantage } else { table.fit(model, played)? };
        Ok(Self { fit, white_advantage, draw_rate })
    }
}

impl Ratings {
    /// Rates the players of a tournament by its finished pairs.
    ///
    /// # Errors
    ///
    /// A reference or anchor that is no player, or players without a chain of finished pairs to an
    /// anchor.
    pub fn of(
        result: &TournamentResult,
        scale: &RatingScale,
        bootstrap: Bootstrap,
    ) -> Result<Self, RatingsError> {
        let players = result.players.len();
        let named = scale.anchors.iter().map(|&(player, _)| player);
        for PlayerId(player) in named.chain([scale.reference]) {
            if player >= players {
                return Err(RatingsError::NoSuchPlayer { player, players });
            }
        }
        let model = scale.model();
        let table = cross_table(result, &vec![1; result.pairs]);
        let fitted = Rated::new(&table, &model, &table).map_err(|stranger| {
            let name = |player: usize| result.players[player].clone();
            RatingsError::Disconnected {
                player: name(stranger),
                reference: name(model.anchors[0].0),
            }
        })?;
        let replicates = Replicates::draw(result, &model, &table, bootstrap);
        let spread = |value: f64, of: &dyn Fn(&Rated) -> f64| replicates.interval(value, of);
        let mut ratings = Self {
            standings: Vec::new(),
            reference: scale.reference,
            white_advantage: spread(fitted.white_advantage, &|r| r.white_advantage),
            draw_rate: replicates.interval_of_share(fitted.draw_rate, &|r| r.draw_rate),
            regularised: fitted.fit.regularised,
            fitted,
            replicates,
            open_ends: table.open_ends(&model),
        };
        ratings.standings =
            (0..players).map(|player| ratings.standing(result, PlayerId(player))).collect();
        Ok(ratings)
    }

    /// Elo of one player over another, with the interval of the *difference*: it is narrower or
    /// wider than the two players' own intervals imply.
    pub fn difference(&self, player: PlayerId, other: PlayerId) -> Estimate {
        self.estimate(|ratings| ratings[player.0] - ratings[other.0])
    }

    /// Players from the strongest to the weakest.
    pub fn ranking(&self) -> Vec<PlayerId> {
        let elos = &self.fitted.fit.ratings;
        let mut order: Vec<PlayerId> = (0..elos.len()).map(PlayerId).collect();
        order.sort_by(|a, b| elos[b.0].total_cmp(&elos[a.0]));
        order
    }

    /// A function of all ratings, with its interval.
    fn estimate(&self, of: impl Fn(&[f64]) -> f64) -> Estimate {
        self.replicates.interval(of(&self.fitted.fit.ratings), &|r| of(&r.fit.ratings))
    }

    fn standing(&self, result: &TournamentResult, player: PlayerId) -> PlayerRating {
        let against_reference = result.head_to_head(player, self.reference);
        let all = (0..result.players.len()).map(PlayerId);
        let mut overall = Pentanomial::default();
        all.filter_map(|opponent| result.head_to_head(player, opponent))
            .for_each(|pairs| overall += pairs);
        let mut rating = self.estimate(|ratings| ratings[player.0]);
        // Virtual draws gave an unbounded rating a finite interval.
        let OpenEnds { above, below } = self.open_ends[player.0];
        rating.high = if above { f64::INFINITY } else { rating.high };
        rating.low = if below { f64::NEG_INFINITY } else { rating.low };
        PlayerRating {
            name: result.players[player.0].clone(),
            rating,
            direct: against_reference.and_then(|pairs| pairs.elo()),
            overall,
        }
    }
}

impl Replicates {
    /// Draws a sample of the openings with finished pairs, of the same size.
    fn draw(
        result: &TournamentResult,
        model: &RatingModel,
        played: &ResultTable,
        bootstrap: Bootstrap,
    ) -> Self {
        let is_played = |&opening: &usize| {
            result.pairings.iter().any(|pairing| pairing.pairs[opening].is_some())
        };
        let openings: Vec<usize> = (0..result.pairs).filter(is_played).collect();
        let mut rng = ChaCha8Rng::seed_from_u64(bootstrap.seed);
        let mut weights = vec![0; result.pairs];
        let fits = (0..bootstrap.replicates).filter_map(|_| {
            weights.fill(0);
            for _ in 0..openings.len() {
                weights[openings[rng.random_range(0..openings.len())]] += 1;
            }
            // Always connected: virtual draws are added to all pairings with games.
            Rated::new(&cross_table(result, &weights), model, played).ok()
        });
        Self { fits: fits.collect(), openings: openings.len() }
    }

    /// The middle 95 % of the replicates, around a value. Resamples of few openings scatter less
    /// than the openings themselves, and their quantiles are normal instead of Student's: the
    /// interval corrects both. One opening gives no spread.
    fn interval(&self, value: f64, of: &dyn Fn(&Rated) -> f64) -> Estimate {
        interval(self.fits.iter().map(of).collect(), self.openings, value)
    }

    /// The same of a share in [0, 1]: the interval is computed on the scale where a share's spread
    /// does not depend on it (arcsine of its root).
    fn interval_of_share(&self, value: f64, of: &dyn Fn(&Rated) -> f64) -> Estimate {
        let drawn = self.fits.iter().map(|fit| angle(of(fit))).collect();
        let Estimate { low, high, .. } = interval(drawn, self.openings, angle(value));
        Estimate { value, low: share_at(low).min(value), high: share_at(high).max(value) }
    }
}

/// From 0 for a share of 0 to π/2 for 1.
fn angle(share: f64) -> f64 {
    share.clamp(0.0, 1.0).sqrt().asin()
}

fn share_at(angle: f64) -> f64 {
    angle.clamp(0.0, std::f64::consts::FRAC_PI_2).sin().powi(2)
}

/// Interval around `value` of figures fitted to resamples of the openings.
fn interval(mut drawn: Vec<f64>, openings: usize, value: f64) -> Estimate {
    drawn.sort_unstable_by(f64::total_cmp);
    let n = openings as f64;
    let (Some(low), Some(high), true) =
        (quantile(&drawn, 0.025), quantile(&drawn, 0.975), openings > 1)
    else {
        return Estimate { value, low: f64::NEG_INFINITY, high: f64::INFINITY };
    };
    let wider = (n / (n - 1.0)).sqrt() * student_t95(n - 1.0) / Z95;
    Estimate { value, low: value + wider * (low - value), high: value + wider * (high - value) }
}

/// Games of the finished pairs, each multiplied by its opening's weight.
fn cross_table(result: &TournamentResult, weights: &[u32]) -> ResultTable {
    let mut table = ResultTable::new(result.players.len());
    for pairing in &result.pairings {
        let (first, second) = (pairing.pairing.first.0, pairing.pairing.second.0);
        for (pair, &weight) in pairing.pairs.iter().zip(weights) {
            if let Some(PairResult { as_white, as_black }) = *pair {
                count(table.of(first, second), as_white, weight);
                count(table.of(second, first), as_black.of_opponent(), weight);
            }
        }
    }
    table
}

/// Counts White's result.
fn count(results: &mut WhiteResults, white: HalfPoints, weight: u32) {
    *match white {
        HalfPoints::Win => &mut results.wins,
        HalfPoints::Draw => &mut results.draws,
        HalfPoints::Loss => &mut results.losses,
    } += f64::from(weight);
}

/// Quantile of sorted values, linear between neighbours; `None` without a value.
fn quantile(sorted: &[f64], share: f64) -> Option<f64> {
    let place = share * (sorted.len().checked_sub(1)? as f64);
    let below = sorted[place.floor() as usize];
    let above = sorted[place.ceil() as usize];
    Some(below + (above - below) * place.fract())
}

#[cfg(test)]
mod tests;
