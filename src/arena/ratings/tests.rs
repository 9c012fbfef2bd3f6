//! Ratings of simulated tournaments.

use super::*;
use crate::elo::score_of_elo;
use crate::tournament::{Pairing, PairingResult, TournamentSchedule};
use crate::trinomial::Trinomial;

/// Two games, each of the half points of two coins.
fn coins(mut heads: impl FnMut() -> bool) -> PairResult {
    let mut game = || match (heads(), heads()) {
        (true, true) => HalfPoints::Win,
        (false, false) => HalfPoints::Loss,
        _ => HalfPoints::Draw,
    };
    PairResult { as_white: game(), as_black: game() }
}

const WON_BOTH: PairResult = PairResult { as_white: HalfPoints::Win, as_black: HalfPoints::Win };

/// A round robin of players with these Elo values in which each half point is
/// taken with the expected score as probability.
fn simulated(elos: &[f64], pairs: usize, seed: u64) -> TournamentResult {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let pairings = TournamentSchedule::RoundRobin.pairings(elos.len()).into_iter().map(|pairing| {
        let chance = score_of_elo(elos[pairing.first.0] - elos[pairing.second.0]);
        let results = (0..pairs).map(|_| coins(|| rng.random_bool(chance))).collect();
        pairing_result(pairing, results)
    });
    TournamentResult {
        players: (0..elos.len()).map(|i| format!("p{i}")).collect(),
        pairs,
        pairings: pairings.collect(),
    }
}

fn pairing_result(pairing: Pairing, results: Vec<PairResult>) -> PairingResult {
    PairingResult {
        pairing,
        pentanomial: results.iter().map(|pair| pair.score()).collect(),
        pairs: results.into_iter().map(Some).collect(),
        games: Trinomial::default(),
        white: Trinomial::default(),
        forfeits: Default::default(),
        duplicates: 0,
        copies: 0,
        records: Vec::new(),
    }
}

fn rated(result: &TournamentResult, reference: usize) -> Ratings {
    let bootstrap = Bootstrap { replicates: 400, seed: 3 };
    Ratings::of(result, &RatingScale::from(PlayerId(reference)), bootstrap).unwrap()
}

#[test]
fn the_reference_stands_at_zero_and_all_at_their_strength() {
    let elos = [0.0, 40.0, -60.0, 110.0];
    let ratings = rated(&simulated(&elos, 800, 1), 0);
    let zero = ratings.standings[0].rating;
    assert_eq!((zero.low, zero.value, zero.high), (0.0, 0.0, 0.0));
    assert_eq!(ratings.standings[0].direct, None);
    for (standing, elo) in ratings.standings.iter().zip(elos) {
        assert!((standing.rating.value - elo).abs() < 15.0, "{standing:?}");
    }
    assert_eq!(ratings.ranking(), [3, 1, 0, 2].map(PlayerId));
    assert!(!ratings.regularised);
}

#[test]
fn two_players_rated_or_counted_directly_are_the_same() {
    let ratings = rated(&simulated(&[0.0, 25.0], 600, 2), 0);
    let PlayerRating { rating, direct, .. } = &ratings.standings[1];
    let direct = direct.unwrap();
    assert!((rating.value - direct.value).abs() < 1e-6);
    assert!((rating.margin() / direct.margin() - 1.0).abs() < 0.1, "{rating} and {direct}");
}

#[test]
fn games_among_the_others_narrow_the_interval() {
    let ratings = rated(&simulated(&[0.0, 10.0, -10.0, 5.0, 20.0], 300, 4), 0);
    for standing in &ratings.standings[1..] {
        assert!(standing.rating.margin() < standing.direct.unwrap().margin(), "{standing:?}");
    }
}

#[test]
fn the_same_seed_gives_the_same_interval() {
    let result = simulated(&[0.0, 10.0, -10.0], 50, 5);
    assert_eq!(rated(&result, 1).standings, rated(&result, 1).standings);
    let other = Bootstrap { replicates: 400, seed: 4 };
    let other = Ratings::of(&result, &RatingScale::from(PlayerId(1)), other).unwrap();
    assert_ne!(rated(&result, 1).standings, other.standings);
}

/// Intervals of both kinds must cover the truth at about their nominal rate.
#[test]
fn intervals_cover_the_true_strength() {
    let elos = [0.0, 30.0, -45.0];
    let bootstrap = Bootstrap { replicates: 200, seed: 8 };
    let (mut rating_covers, mut direct_covers, mut total) = (0, 0, 0);
    for seed in 0..300 {
        let result = simulated(&elos, 60, 1000 + seed);
        let ratings = Ratings::of(&result, &RatingScale::from(PlayerId(0)), bootstrap).unwrap();
        for (standing, elo) in ratings.standings.iter().zip(elos).skip(1) {
            rating_covers += u32::from(standing.rating.covers(elo));
            direct_covers += u32::from(standing.direct.unwrap().covers(elo));
            total += 1;
        }
    }
    for covers in [rating_covers, direct_covers] {
        let share = f64::from(covers) / f64::from(total);
        assert!((0.915..0.98).contains(&share), "{share} of {total}");
    }
}

/// Results of two players in the same opening are correlated: when the opening decides, their
/// difference is known better than either rating.
#[test]
fn shared_openings_narrow_differences() {
    let mut rng = ChaCha8Rng::seed_from_u64(6);
    let luck: Vec<PairResult> = (0..200).map(|_| coins(|| rng.random())).collect();
    let pairing = |first| Pairing { first: PlayerId(first), second: PlayerId(0) };
    let result = TournamentResult {
        players: ["reference", "a", "b"].map(str::to_owned).to_vec(),
        pairs: luck.len(),
        pairings: [1, 2].map(|first| pairing_result(pairing(first), luck.clone())).to_vec(),
    };
    let ratings = rated(&result, 0);
    assert!(ratings.standings[1].rating.margin() > 10.0);
    assert!(ratings.difference(PlayerId(1), PlayerId(2)).margin() < 1e-6);
}

#[test]
fn perfect_scores_and_strangers() {
    let pairing = |first, second| Pairing { first: PlayerId(first), second: PlayerId(second) };
    let mut result = simulated(&[0.0, 0.0], 10, 7);
    result.players.push("winner".to_owned());
    let error =
        Ratings::of(&result, &RatingScale::from(PlayerId(0)), Bootstrap::default()).unwrap_err();
    assert!(error.to_string().contains("`winner`"), "{error}");

    result.pairings.push(pairing_result(pairing(2, 0), vec![WON_BOTH; 10]));
    let ratings = rated(&result, 0);
    assert!(ratings.regularised);
    let winner = ratings.standings[2].rating;
    assert!(winner.value.is_finite() && winner.low.is_finite() && winner.high == f64::INFINITY);
    assert_eq!(ratings.standings[2].direct.unwrap().value, f64::INFINITY);
    let stranger = Ratings::of(&result, &RatingScale::from(PlayerId(3)), Bootstrap::default());
    assert_eq!(stranger.unwrap_err(), RatingsError::NoSuchPlayer { player: 3, players: 3 });
}

/// White's advantage and the draw rate are recovered, and the ratings do not depend on them.
#[test]
fn advantage_and_draws_are_found() {
    let mut rng = ChaCha8Rng::seed_from_u64(9);
    let mut game = |win: f64, draw: f64| match rng.random::<f64>() {
        x if x < win => HalfPoints::Win,
        x if x < win + draw => HalfPoints::Draw,
        _ => HalfPoints::Loss,
    };
    // 0.6 points for White: 70 Elo.
    let pair = |_| PairResult { as_white: game(0.4, 0.4), as_black: game(0.2, 0.4) };
    let pairing = Pairing { first: PlayerId(0), second: PlayerId(1) };
    let pairs: Vec<PairResult> = (0..1000).map(pair).collect();
    let result = TournamentResult {
        players: ["a", "b"].map(str::to_owned).to_vec(),
        pairs: pairs.len(),
        pairings: vec![pairing_result(pairing, pairs)],
    };
    let ratings = rated(&result, 0);
    assert!(ratings.white_advantage.covers(70.4), "{}", ratings.white_advantage);
    assert!(ratings.white_advantage.margin() < 15.0);
    // Players this close together draw a little less than equals do.
    assert!((ratings.draw_rate.value - 0.41).abs() < 0.03, "{:?}", ratings.draw_rate);
    assert!(ratings.standings[1].rating.covers(0.0));
}

#[test]
fn anchors_set_the_scale() {
    let result = simulated(&[0.0, 30.0, -45.0], 200, 10);
    let from_zero = rated(&result, 0);
    let scale =
        RatingScale { anchors: vec![(PlayerId(1), 2000.0)], ..RatingScale::from(PlayerId(0)) };
    let bootstrap = Bootstrap { replicates: 100, seed: 3 };
    let anchored = Ratings::of(&result, &scale, bootstrap).unwrap();
    assert_eq!(anchored.standings[1].rating, Estimate::symmetric(2000.0, 0.0));
    for player in [0, 2].map(PlayerId) {
        let there = from_zero.difference(player, PlayerId(1)).value;
        let here = anchored.standings[player.0].rating.value - 2000.0;
        assert!((there - here).abs() < 1e-6, "{there} and {here}");
    }
    assert_eq!(anchored.standings[2].direct, from_zero.standings[2].direct);
}

#[test]
fn one_opening_leaves_the_interval_open() {
    let alone = rated(&simulated(&[0.0, 0.0], 1, 12), 0);
    assert!(!alone.standings[1].rating.is_bounded());
}

#[test]
fn quantiles_lie_between_neighbours() {
    let sorted = [0.0, 1.0, 2.0, 4.0];
    assert_eq!(quantile(&sorted, 0.5), Some(1.5));
    assert_eq!(quantile(&sorted, 1.0), Some(4.0));
    assert_eq!(quantile(&[], 0.5), None);
}

/// With few openings the stretched interval would exceed [0, 1].
#[test]
fn draw_rates_stay_between_none_and_all() {
    let mut wide = 0;
    for (pairs, seed) in (2..8).flat_map(|pairs| [(pairs, 1), (pairs, 2), (pairs, 3)]) {
        let result = simulated(&[0.0, 250.0], pairs, seed);
        let ratings = Ratings::of(&result, &RatingScale::from(PlayerId(0)), Bootstrap::default());
        let Estimate { value, low, high } = ratings.unwrap().draw_rate;
        assert!(0.0 <= low && low <= value && value <= high && high <= 1.0, "{low} {value} {high}");
        wide += usize::from(high - low > 0.5);
    }
    assert!(wide > 1, "few openings say little");
}
