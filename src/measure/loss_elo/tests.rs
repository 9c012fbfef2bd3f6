use super::*;
use proptest::prelude::*;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rand_distr::StandardNormal;

/// Sets of nets by loss reduction in per cent and Elo; the first is the reference, whose mean loss
/// is 1.
fn loss_elo(sets: &[Vec<(f64, f64)>]) -> LossElo {
    let set = |(place, points): (usize, &Vec<(f64, f64)>)| SetPoints {
        label: format!("set {place}"),
        is_reference: place == 0,
        nets: points
            .iter()
            .map(|(reduction, elo)| NetPoint {
                seed: None,
                loss: 1.0 - reduction / 100.0,
                elo: Estimate::symmetric(*elo, 20.0),
            })
            .collect(),
    };
    LossElo::of(sets.iter().enumerate().map(set)).unwrap()
}

fn near(a: f64, b: f64) -> bool {
    (a - b).abs() < 1e-6 * (1.0 + a.abs().max(b.abs()))
}

#[test]
fn sets_on_a_line_have_its_slope() {
    let line = |x: f64| vec![(x, 7.0 * x)];
    let slope = loss_elo(&[line(0.0), line(2.0), line(-1.0), line(5.0)]).slope().unwrap();
    assert!(near(slope.elo.value, 7.0) && slope.elo.margin() < 1e-6, "{slope:?}");
    assert!(slope.scatter < 1e-6 && slope.sets == 3, "{slope:?}");
    assert!(near(slope.centre.1, 7.0 * slope.centre.0), "{slope:?}");
}

/// Ordinary least squares with one seed: Σxy / Σxx around the means, t(0.975, 2) = 4.303.
#[test]
fn one_seed_gives_ordinary_least_squares() {
    let points = [(0.0, 0.0), (1.0, 12.0), (2.0, 9.0), (5.0, 41.0)];
    let sets: Vec<Vec<(f64, f64)>> = points.iter().map(|point| vec![*point]).collect();
    let slope = loss_elo(&sets).slope().unwrap();
    // Means 2 and 15.5; Σxx = 14, Σxy = 111, Σyy = 945.
    assert!(near(slope.elo.value, 111.0 / 14.0), "{slope:?}");
    let residual: f64 = (945.0 - 111.0 * 111.0 / 14.0) / 2.0;
    assert!(near(slope.scatter, residual.sqrt()), "{slope:?}");
    let margin = 4.30265 * (residual / 14.0).sqrt();
    assert!((slope.elo.margin() - margin).abs() < 1e-3, "{slope:?}");
}

#[test]
fn without_three_sets_or_without_differences_there_is_no_slope() {
    let set = |x: f64| vec![(x - 0.4, 0.0), (x + 0.4, 10.0)];
    assert_eq!(loss_elo(&[set(0.0), set(1.0), set(3.0)]).slope(), Err(NoSlope::FewSets(2)));
    let alike = [set(0.0), set(0.1), set(-0.1), set(0.05)];
    assert_eq!(loss_elo(&alike).slope(), Err(NoSlope::LossesAlike));
    let equal = [vec![(0.0, 0.0)], vec![(0.0, 5.0)], vec![(0.0, 9.0)], vec![(0.0, 2.0)]];
    assert_eq!(loss_elo(&equal).slope(), Err(NoSlope::LossesAlike));
}

#[test]
fn nets_without_figures_have_no_place() {
    let net = |loss: f64, elo: Estimate| NetPoint { seed: None, loss, elo };
    let set = |is_reference, nets| SetPoints { label: "H".to_owned(), is_reference, nets };
    let zero = Estimate::new(0.0, 0.0, 0.0);
    let won = Estimate::new(f64::INFINITY, 320.0, f64::INFINITY);
    let reference = set(true, vec![net(0.5, zero), net(f64::NAN, zero)]);
    assert_eq!(LossElo::of([reference.clone(), set(false, vec![net(0.4, won)])]), None);
    assert_eq!(LossElo::of([set(false, vec![net(0.4, zero)])]), None);
    let both = LossElo::of([reference, set(false, vec![net(0.4, zero)])]).unwrap();
    assert_eq!((both.compared(), both.nets()), (1, 1));
    assert!(near(both.reduction(0.4), 20.0));
}

fn normal(rng: &mut ChaCha8Rng) -> f64 {
    rng.sample(StandardNormal)
}

/// An experiment with 8 Elo per 1 % lower loss: nets have luck in loss and Elo, a
/// lucky net in both, the reference's net of a seed is met by all, games have noise, and sets lie
/// 10 Elo off the line.
fn simulated(rng: &mut ChaCha8Rng, sets: usize, seeds: usize, spread: f64) -> LossElo {
    const OF_LOSS: f64 = 0.6;
    let luck = |rng: &mut ChaCha8Rng| {
        let loss = OF_LOSS * normal(rng);
        (loss, 6.0 * loss + 10.0 * normal(rng))
    };
    let reference: Vec<(f64, f64)> = (0..seeds).map(|_| luck(rng)).collect();
    let own_off = 10.0 * normal(rng);
    let mut all = vec![reference.iter().map(|(loss, _)| (*loss, 0.0)).collect()];
    for _ in 0..sets {
        let (x, off) = (spread * normal(rng), 10.0 * normal(rng));
        let net = |(_, of_reference): &(f64, f64)| {
            let (loss, elo) = luck(rng);
            (x + loss, 8.0 * x + off - own_off + elo - of_reference + 14.0 * normal(rng))
        };
        all.push(reference.iter().map(net).collect::<Vec<_>>());
    }
    loss_elo(&all)
}

/// Intervals hold the true slope in about 95 % of the experiments, and seeds pull it nowhere.
#[test]
fn intervals_hold_the_slope_as_often_as_they_say() {
    const TRIALS: usize = 2_000;
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    for (sets, seeds, spread) in [(3, 3, 3.0), (5, 2, 2.0), (8, 3, 1.0), (15, 3, 3.0)] {
        let (mut held, mut errors) = (0, Vec::new());
        for _ in 0..TRIALS {
            let Ok(slope) = simulated(&mut rng, sets, seeds, spread).slope() else { continue };
            held += usize::from(slope.elo.covers(8.0));
            errors.push(slope.elo.value - 8.0);
        }
        let cell = format!("{sets} sets, {seeds} seeds, spread {spread}");
        let share = held as f64 / errors.len() as f64;
        assert!((0.92..0.985).contains(&share), "{cell}: {share} of {}", errors.len());
        errors.sort_by(f64::total_cmp);
        let median = errors[errors.len() / 2];
        assert!(median.abs() < 0.8, "{cell}: the median is {median} off");
    }
}

fn sets() -> impl Strategy<Value = Vec<Vec<(f64, f64)>>> {
    prop::collection::vec(prop::collection::vec((-20.0f64..20.0, -200.0f64..200.0), 1..4), 4..9)
}

proptest! {
    /// Neither the order of sets and nets nor the units of Elo change more than they should.
    #[test]
    fn order_does_not_matter_and_elo_scales(sets in sets(), factor in 0.1f64..10.0) {
        let found = loss_elo(&sets).slope();
        let mut turned: Vec<Vec<(f64, f64)>> =
            sets.iter().map(|set| set.iter().rev().copied().collect()).collect();
        turned[1..].reverse();
        let scaled: Vec<Vec<(f64, f64)>> = turned
            .iter()
            .map(|set| set.iter().map(|(x, y)| (*x, factor * y)).collect())
            .collect();
        let again = loss_elo(&scaled).slope();
        match (found, again) {
            (Ok(one), Ok(other)) => {
                prop_assert!(near(factor * one.elo.value, other.elo.value));
                prop_assert!(near(factor * one.elo.margin(), other.elo.margin()));
            }
            (one, other) => prop_assert_eq!(one.err(), other.err()),
        }
    }

    #[test]
    fn slopes_are_numbers(sets in sets()) {
        if let Ok(slope) = loss_elo(&sets).slope() {
            prop_assert!(slope.elo.is_bounded() && slope.scatter.is_finite(), "{:?}", slope);
            prop_assert!(slope.elo.low <= slope.elo.value, "{:?}", slope);
        }
    }
}
