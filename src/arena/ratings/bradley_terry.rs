//! The Bradley-Terry model with an advantage for White: expected score of
//! White 1 / (1 + 10^(−(d + a)/400)) at a rating difference d, a draw being
//! half a win and half a loss.
//!
//! At the maximum of the likelihood every player's expected points equal its points, and White's
//! expected points those of White, the equations that Ordo solves (`-W`). The draw model has no
//! influence on the ratings; see [`super::draws`].

use std::f64::consts::LN_10;

use super::linear::solve;
use crate::pentanomial::HalfPoints;

/// Elo per natural logarithm of the odds.
const ELO_PER_LOGIT: f64 = 400.0 / LN_10;

/// Longest step of the solver in logits, against overshooting.
const LONGEST_STEP: f64 = 2.0;

/// Differences above this, in logits (3,500 Elo), mean that the likelihood has no maximum.
const NO_MAXIMUM: f64 = 20.0;

/// Games of one player with White against another; weights of a bootstrap may
/// make them fractions.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct WhiteResults {
    /// Won by White.
    pub wins: f64,
    pub draws: f64,
    /// Lost by White.
    pub losses: f64,
}

impl WhiteResults {
    pub fn add(&mut self, of_white: HalfPoints) {
        match of_white {
            HalfPoints::Win => self.wins += 1.0,
            HalfPoints::Draw => self.draws += 1.0,
            HalfPoints::Loss => self.losses += 1.0,
        }
    }

    pub fn games(&self) -> f64 {
        self.wins + self.draws + self.losses
    }

    fn points(&self) -> f64 {
        self.wins + 0.5 * self.draws
    }
}

/// Results of players against each other, by colour.
#[derive(Clone, Debug, PartialEq)]
pub struct ResultTable {
    players: usize,
    /// `results[white * players + black]`.
    results: Vec<WhiteResults>,
}

/// Constraints of a fit.
#[derive(Clone, Debug, PartialEq)]
pub struct RatingModel {
    /// Players whose Elo is given; at least one.
    pub anchors: Vec<(usize, f64)>,
    /// Whether White's advantage is fitted, or 0.
    pub white_advantage: bool,
}

/// Ratings of maximal likelihood.
#[derive(Clone, Debug, PartialEq)]
pub struct Fit {
    /// Elo of each player.
    pub ratings: Vec<f64>,
    /// Elo of White's advantage.
    pub white_advantage: f64,
    /// Whether virtual draws were needed.
    pub regularised: bool,
}

impl RatingModel {
    /// One player at 0, without an advantage for White.
    pub fn anchored_at(player: usize) -> Self {
        Self { anchors: vec![(player, 0.0)], white_advantage: false }
    }

    /// Mean Elo of the anchors, the start of the others.
    fn level(&self) -> f64 {
        let sum: f64 = self.anchors.iter().map(|&(_, elo)| elo).sum();
        sum / self.anchors.len().max(1) as f64
    }
}

/// Unbounded sides of a rating.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct OpenEnds {
    /// It may be arbitrarily high.
    pub above: bool,
    /// It may be arbitrarily low.
    pub below: bool,
}

impl ResultTable {
    pub fn new(players: usize) -> Self {
        Self { players, results: vec![WhiteResults::default(); players * players] }
    }

    /// The games of one player with White against another, to be changed.
    pub fn of(&mut self, white: usize, black: usize) -> &mut WhiteResults {
        &mut self.results[white * self.players + black]
    }

    /// Pairs of players with games: White, Black, results.
    pub fn meetings(&self) -> impl Iterator<Item = (usize, usize, &WhiteResults)> {
        let players = self.players;
        let cells = self.results.iter().enumerate();
        cells
            .filter(|(_, results)| results.games() > 0.0)
            .map(move |(i, results)| (i / players, i % players, results))
    }

    /// The likeliest ratings under a model.
    ///
    /// They are finite if and only if from every player there is a chain to an
    /// anchor, and back, in which each took at least half a point from the next
    /// (Ford, 1957). Where that fails, as with a perfect score, or where White
    /// won all, one virtual draw is added to each pairing that has games in
    /// `played`, half with each colour; `played` is the table itself or the one
    /// that it is a resample of. Otherwise nothing is added.
    ///
    /// # Errors
    ///
    /// A player without a chain of games in `played` to an anchor.
    pub fn fit(&self, model: &RatingModel, played: &Self) -> Result<Fit, usize> {
        let found = Some(self).filter(|table| table.has_finite_ratings(model));
        if let Some(fit) = found.and_then(|table| table.maximise(model)) {
            return Ok(fit);
        }
        let regularised = self.with_virtual_draws(played);
        let connected = regularised.reached(model, |i, j| regularised.games(i, j) > 0.0);
        match connected.iter().position(|&reached| !reached) {
            Some(stranger) => Err(stranger),
            // With draws everywhere a maximum exists, and the solver's last step is near it.
            None => Ok(Fit { regularised: true, ..regularised.climb(model) }),
        }
    }

    fn with_virtual_draws(&self, played: &Self) -> Self {
        let mut table = self.clone();
        for i in 0..self.players {
            for j in (0..self.players).filter(|&j| j != i && played.games(i, j) > 0.0) {
                table.of(i, j).draws += 0.5;
            }
        }
        table
    }

    fn at(&self, white: usize, black: usize) -> &WhiteResults {
        &self.results[white * self.players + black]
    }

    /// Points that a player took from an opponent, with either colour.
    fn taken(&self, player: usize, opponent: usize) -> f64 {
        let as_black = self.at(opponent, player);
        self.at(player, opponent).points() + as_black.games() - as_black.points()
    }

    fn games(&self, i: usize, j: usize) -> f64 {
        self.at(i, j).games() + self.at(j, i).games()
    }

    fn has_finite_ratings(&self, model: &RatingModel) -> bool {
        let all = |reached: Vec<bool>| reached.into_iter().all(|r| r);
        all(self.reached(model, |i, j| self.taken(i, j) > 0.0))
            && all(self.reached(model, |i, j| self.taken(j, i) > 0.0))
    }

    /// Players at the end of a chain of steps from an anchor.
    fn reached(&self, model: &RatingModel, step: impl Fn(usize, usize) -> bool) -> Vec<bool> {
        let mut reached = vec![false; self.players];
        let mut open: Vec<usize> = model.anchors.iter().map(|&(player, _)| player).collect();
        open.iter().for_each(|&anchor| reached[anchor] = true);
        while let Some(i) = open.pop() {
            for (j, reached) in reached.iter_mut().enumerate() {
                if !*reached && step(i, j) {
                    *reached = true;
                    open.push(j);
                }
            }
        }
        reached
    }

    /// Unbeaten players, and players without a win, along any chain to
    /// an anchor: nothing bounds their ratings above, or below.
    pub fn open_ends(&self, model: &RatingModel) -> Vec<OpenEnds> {
        let beaten = self.reached(model, |i, j| self.taken(i, j) > 0.0);
        let winning = self.reached(model, |i, j| self.taken(j, i) > 0.0);
        let ends = |(beaten, winning): (bool, bool)| OpenEnds { above: !beaten, below: !winning };
        beaten.into_iter().zip(winning).map(ends).collect()
    }

    /// `None` if the likelihood grows without end.
    fn maximise(&self, model: &RatingModel) -> Option<Fit> {
        let fit = self.climb(model);
        let far = NO_MAXIMUM * ELO_PER_LOGIT;
        let astray = |elo: f64| !elo.is_finite() || (elo - model.level()).abs() > far;
        let lost = |advantage: f64| !advantage.is_finite() || advantage.abs() > far;
        let free = |player: usize| model.anchors.iter().all(|&(anchor, _)| anchor != player);
        let strays = fit.ratings.iter().enumerate().any(|(i, &elo)| free(i) && astray(elo));
        (!strays && !lost(fit.white_advantage)).then_some(fit)
    }

    /// Newton's method on the log-likelihood, which is concave.
    fn climb(&self, model: &RatingModel) -> Fit {
        let mut logits = vec![model.level() / ELO_PER_LOGIT; self.players];
        // The last one is White's advantage.
        logits.push(0.0);
        for &(player, elo) in &model.anchors {
            logits[player] = elo / ELO_PER_LOGIT;
        }
        for _ in 0..200 {
            let step = self.newton_step(&logits, model);
            let longest = step.iter().fold(0.0, |longest: f64, s| longest.max(s.abs()));
            let mut scale = (LONGEST_STEP / longest).min(1.0);
            let here = self.log_likelihood(&logits);
            let moved = |scale: f64| -> Vec<f64> {
                logits.iter().zip(&step).map(|(r, s)| r + scale * s).collect()
            };
            while longest > 1e-6 && scale > 1e-6 && self.log_likelihood(&moved(scale)) < here {
                scale /= 2.0;
            }
            logits = moved(scale);
            if longest < 1e-12 {
                break;
            }
        }
        let mut elos: Vec<f64> = logits.iter().map(|logit| logit * ELO_PER_LOGIT).collect();
        let white_advantage = elos.pop().unwrap_or_default();
        Fit { ratings: elos, white_advantage, regularised: false }
    }

    /// White's lead in logits.
    fn lead(&self, logits: &[f64], white: usize, black: usize) -> f64 {
        logits[white] - logits[black] + logits[self.players]
    }

    fn log_likelihood(&self, logits: &[f64]) -> f64 {
        // ln of an expected score, in the form that does not overflow.
        let ln_score = |lead: f64| -((-lead.abs()).exp().ln_1p() + (-lead).max(0.0));
        let term = |(white, black, results): (usize, usize, &WhiteResults)| {
            let lead = self.lead(logits, white, black);
            let lost = results.games() - results.points();
            results.points() * ln_score(lead) + lost * ln_score(-lead)
        };
        self.meetings().map(term).sum()
    }

    /// Solves (−Hessian) · step = gradient; parameters that the model fixes stay 0.
    fn newton_step(&self, logits: &[f64], model: &RatingModel) -> Vec<f64> {
        let n = logits.len();
        let mut matrix = vec![vec![0.0; n]; n];
        let mut gradient = vec![0.0; n];
        for (white, black, results) in self.meetings() {
            let expected = 1.0 / (1.0 + (-self.lead(logits, white, black)).exp());
            let surplus = results.points() - results.games() * expected;
            let curvature = results.games() * expected * (1.0 - expected);
            // The lead's derivatives by the three parameters that make it.
            let parts = [(white, 1.0), (black, -1.0), (self.players, 1.0)];
            for (i, by_i) in parts {
                gradient[i] += surplus * by_i;
                for (j, by_j) in parts {
                    matrix[i][j] += curvature * by_i * by_j;
                }
            }
        }
        let advantage = (!model.white_advantage).then_some(self.players);
        for held in model.anchors.iter().map(|&(player, _)| player).chain(advantage) {
            matrix.iter_mut().for_each(|row| row[held] = 0.0);
            matrix[held].fill(0.0);
            matrix[held][held] = 1.0;
            gradient[held] = 0.0;
        }
        solve(matrix, gradient)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::elo::elo_of_score;

    /// Points that players took from each other, as wins and losses; each
    /// colour half of them.
    fn table(players: usize, results: &[(usize, usize, f64, f64)]) -> ResultTable {
        let mut table = ResultTable::new(players);
        for &(i, j, won, lost) in results {
            table.of(i, j).wins += won / 2.0;
            table.of(i, j).losses += lost / 2.0;
            table.of(j, i).wins += lost / 2.0;
            table.of(j, i).losses += won / 2.0;
        }
        table
    }

    fn fit(table: &ResultTable) -> Fit {
        table.fit(&RatingModel::anchored_at(0), table).unwrap()
    }

    fn close(found: f64, expected: f64) {
        assert!((found - expected).abs() < 1e-6, "found {found}, expected {expected}");
    }

    #[test]
    fn two_players_get_the_elo_of_their_score() {
        let fit = fit(&table(2, &[(1, 0, 30.0, 10.0)]));
        close(fit.ratings[1], elo_of_score(0.75));
        assert!(!fit.regularised);
    }

    #[test]
    fn ratings_add_up_along_a_chain() {
        let fit = fit(&table(3, &[(1, 0, 15.0, 5.0), (2, 1, 15.0, 5.0)]));
        close(fit.ratings[2], 2.0 * elo_of_score(0.75));
    }

    #[test]
    fn expected_points_equal_points_taken() {
        let table = table(
            4,
            &[
                (0, 1, 7.5, 2.5),
                (0, 2, 1.0, 9.0),
                (1, 2, 0.5, 19.5),
                (2, 3, 9.0, 3.0),
                (3, 0, 4.0, 4.0),
            ],
        );
        let ratings = fit(&table).ratings;
        for i in 0..4 {
            let others = (0..4).filter(|&j| j != i);
            let [expected, taken] = others.fold([0.0; 2], |[expected, taken], j| {
                let chance = 1.0 / (1.0 + 10f64.powf((ratings[j] - ratings[i]) / 400.0));
                [expected + table.games(i, j) * chance, taken + table.taken(i, j)]
            });
            close(expected, taken);
        }
    }

    #[test]
    fn the_anchor_moves_everybody_alike() {
        let table = table(3, &[(1, 0, 12.0, 8.0), (2, 1, 9.0, 11.0), (2, 0, 5.0, 5.0)]);
        let anchored = |anchors| RatingModel { anchors, white_advantage: false };
        let a = table.fit(&anchored(vec![(0, 0.0)]), &table).unwrap();
        for level in [2500.0, 3600.0, -9000.0] {
            let b = table.fit(&anchored(vec![(2, level)]), &table).unwrap();
            assert!(!b.regularised);
            for i in 0..3 {
                close(a.ratings[i] - a.ratings[2] + level, b.ratings[i]);
            }
        }
    }

    #[test]
    fn several_anchors_stay_where_they_are() {
        let table = table(3, &[(2, 0, 10.0, 10.0), (2, 1, 10.0, 10.0)]);
        let model = RatingModel { anchors: vec![(0, 100.0), (1, 300.0)], white_advantage: false };
        let fit = table.fit(&model, &table).unwrap();
        close(fit.ratings[0], 100.0);
        close(fit.ratings[1], 300.0);
        // Equal results against both: half way.
        close(fit.ratings[2], 200.0);
    }

    #[test]
    fn whites_advantage_follows_from_its_points() {
        let mut table = ResultTable::new(2);
        *table.of(0, 1) = WhiteResults { wins: 60.0, draws: 30.0, losses: 10.0 };
        *table.of(1, 0) = WhiteResults { wins: 60.0, draws: 30.0, losses: 10.0 };
        let model = RatingModel { white_advantage: true, ..RatingModel::anchored_at(0) };
        let fit = table.fit(&model, &table).unwrap();
        close(fit.ratings[1], 0.0);
        close(fit.white_advantage, elo_of_score(0.75));
        let without = table.fit(&RatingModel::anchored_at(0), &table).unwrap();
        close(without.white_advantage, 0.0);
    }

    #[test]
    fn a_white_that_always_wins_gets_virtual_draws() {
        let mut table = ResultTable::new(2);
        table.of(0, 1).wins = 10.0;
        table.of(1, 0).wins = 10.0;
        let model = RatingModel { white_advantage: true, ..RatingModel::anchored_at(0) };
        let fit = table.fit(&model, &table).unwrap();
        assert!(fit.regularised && fit.white_advantage > 300.0, "{fit:?}");
        close(fit.ratings[1], 0.0);
    }

    #[test]
    fn a_perfect_score_gets_virtual_draws() {
        let fit = fit(&table(3, &[(1, 0, 12.0, 8.0), (2, 0, 20.0, 0.0), (2, 1, 20.0, 0.0)]));
        assert!(fit.regularised);
        assert!(fit.ratings[2].is_finite() && fit.ratings[2] > 500.0);
        let ends = table(3, &[(1, 0, 12.0, 8.0), (2, 0, 20.0, 0.0)])
            .open_ends(&RatingModel::anchored_at(0));
        let unbeaten = OpenEnds { above: true, below: false };
        assert_eq!(ends, [OpenEnds::default(), OpenEnds::default(), unbeaten]);
        // The same holds for a group that lost everything to another group.
        let groups =
            table(4, &[(0, 1, 3.0, 3.0), (2, 3, 3.0, 3.0), (0, 2, 4.0, 0.0), (1, 3, 4.0, 0.0)]);
        assert!(groups.fit(&RatingModel::anchored_at(0), &groups).unwrap().regularised);
    }

    #[test]
    fn strangers_are_named() {
        let strangers = table(4, &[(0, 1, 3.0, 3.0), (2, 3, 3.0, 3.0)]);
        assert_eq!(strangers.fit(&RatingModel::anchored_at(0), &strangers), Err(2));
    }

    /// 360 games of four players, rated by Ordo 1.2.6, average 0: with
    /// `-z 200.24094`, which makes its scale the logistic one, and with `-W` on
    /// its own scale, on which 76 % are 202 Elo.
    #[test]
    #[ignore = "needs ../shared; run by .ci/run with --ignored"]
    fn agrees_with_ordo() {
        const NAMES: [&str; 4] = ["carp1600", "sf1600", "sf800", "sf400"];
        let path =
            concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/reference/ordo_fixture_rr.pgn");
        let pgn = std::fs::read_to_string(path).unwrap();
        let player = |name: &str| NAMES.iter().position(|known| *known == name).unwrap();
        let tags = |tag: &str| -> Vec<String> {
            let start = format!("[{tag} \"");
            let values = pgn.lines().filter_map(|line| line.strip_prefix(&start));
            values.map(|value| value.trim_end_matches("\"]").to_owned()).collect()
        };
        let mut table = ResultTable::new(NAMES.len());
        let results = tags("Result");
        assert_eq!(results.len(), 360);
        for ((white, black), result) in tags("White").iter().zip(tags("Black")).zip(results) {
            let cell = table.of(player(white), player(&black));
            match result.as_str() {
                "1-0" => cell.wins += 1.0,
                "0-1" => cell.losses += 1.0,
                _ => cell.draws += 1.0,
            }
        }
        let rated = |white_advantage| {
            let model = RatingModel { white_advantage, ..RatingModel::anchored_at(0) };
            let fit = table.fit(&model, &table).unwrap();
            let average = fit.ratings.iter().sum::<f64>() / fit.ratings.len() as f64;
            let centred: Vec<f64> = fit.ratings.iter().map(|elo| elo - average).collect();
            (centred, fit.white_advantage)
        };
        let compare = |found: &[f64], ordo: [f64; 4], within: f64| {
            for ((found, ordo), name) in found.iter().zip(ordo).zip(NAMES) {
                assert!((found - ordo).abs() < within, "{name}: {found:.3}, Ordo {ordo}");
            }
        };
        compare(&rated(false).0, [282.458, 227.087, -75.263, -434.281], 0.01);
        let (ratings, advantage) = rated(true);
        let on_our_scale = |ordo: f64| ordo * 200.24094 / 202.0;
        compare(&ratings, [290.53, 233.30, -77.70, -446.14].map(on_our_scale), 0.1);
        assert!((advantage - on_our_scale(58.72)).abs() < 0.1, "{advantage}");
    }
}
