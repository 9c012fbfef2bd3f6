//! Methods on landscapes with known maxima.

mod games;

use rand::{Rng, SeedableRng};

use super::*;

/// A space with `dimensions` genes around `start`.
pub(crate) fn space(dimensions: usize, start: f64, [low, high]: [f64; 2], step: f64) -> Space {
    let gene = |place: usize| Gene { name: format!("x{place}"), start, low, high, step };
    Space::new((0..dimensions).map(gene).collect()).unwrap()
}

const EVERYWHERE: [f64; 2] = [f64::NEG_INFINITY, f64::INFINITY];

/// Result of a search.
struct Ended {
    method: Box<dyn SearchMethod>,
    /// Best fitness so far.
    best: f64,
    evaluations: u64,
}

/// Searches until the fitness is `enough` or the budget is spent.
fn search(
    settings: &MethodSettings,
    conditions: &Conditions,
    enough: f64,
    judge: impl Fn(&SearchPoint) -> PointFitness,
) -> Ended {
    let mut method = settings.begin(conditions).unwrap();
    let (mut best, mut evaluations) = (f64::NEG_INFINITY, 0);
    while evaluations < conditions.evaluations && best < enough {
        let points = method.ask();
        let judged: Vec<PointFitness> = points.iter().map(&judge).collect();
        evaluations += judged.len() as u64;
        best = judged.iter().map(|judgement| judgement.fitness).fold(best, f64::max);
        method.tell(&judged);
    }
    Ended { method, best, evaluations }
}

fn sphere(point: &SearchPoint) -> PointFitness {
    let fitness = -point.iter().map(|x| x * x).sum::<f64>();
    PointFitness { fitness, slope: Some(point.iter().map(|x| -2.0 * x).collect()) }
}

fn all_methods() -> Vec<MethodSettings> {
    vec![
        MethodSettings::Genetic(Default::default()),
        MethodSettings::Crowding(Default::default()),
        MethodSettings::Spsa(Default::default()),
        MethodSettings::EvolutionStrategy(Default::default()),
        MethodSettings::CmaEs(Default::default()),
        MethodSettings::CmaEs(method::cma_es::CmaEsSettings {
            diagonal: true,
            ..Default::default()
        }),
        MethodSettings::Gradient(Default::default()),
    ]
}

fn conditions(space: Space, evaluations: u64, seed: u64) -> Conditions {
    Conditions { space, anywhere: false, is_noisy: false, evaluations, seed }
}

#[test]
fn every_method_climbs() {
    let space = space(10, 30.0, [-100.0, 100.0], 5.0);
    let before = sphere(&space.start()).fitness;
    for settings in all_methods() {
        for seed in 1..=3 {
            let ended =
                search(&settings, &conditions(space.clone(), 2_000, seed), f64::INFINITY, sphere);
            let after = sphere(&ended.method.answer()).fitness;
            assert!(after > before / 3.0, "{} seed {seed}: {after}", settings.name());
        }
    }
}

#[test]
fn a_search_is_a_function_of_its_seed_and_judgements() {
    let space = space(4, 1.0, [-10.0, 10.0], 0.5);
    for settings in all_methods() {
        for is_noisy in [false, true] {
            let rounds = |seed: u64| -> Vec<Vec<SearchPoint>> {
                let conditions = Conditions {
                    space: space.clone(),
                    anywhere: true,
                    is_noisy,
                    evaluations: 200,
                    seed,
                };
                let mut method = settings.begin(&conditions).unwrap();
                (0..30)
                    .map(|_| {
                        let points = method.ask();
                        assert!(!points.is_empty());
                        method.tell(&points.iter().map(sphere).collect::<Vec<_>>());
                        points
                    })
                    .collect()
            };
            assert_eq!(rounds(7), rounds(7));
            assert_ne!(rounds(7), rounds(8), "{}", settings.name());
        }
    }
}

#[test]
fn points_stay_within_the_bounds() {
    let space = space(3, 0.9, [-1.0, 1.0], 5.0);
    for settings in all_methods() {
        let judge = |point: &SearchPoint| {
            assert!(point.iter().all(|x| (-1.0..=1.0).contains(x)), "{}", settings.name());
            PointFitness { fitness: point.iter().sum(), slope: Some(vec![1.0; 3]) }
        };
        search(&settings, &conditions(space.clone(), 400, 1), f64::INFINITY, judge);
    }
}

/// The fitness of half of the genes rises beyond the bounds, the others have no effect.
#[test]
fn a_cloud_at_its_bounds_does_not_grow() {
    let space = space(40, 0.0, [-50.0, 50.0], 5.0);
    let judge = |point: &SearchPoint| PointFitness::of(point[..20].iter().sum());
    for diagonal in [false, true] {
        let settings =
            MethodSettings::CmaEs(method::cma_es::CmaEsSettings { diagonal, ..Default::default() });
        for seed in 1..=3 {
            let conditions = conditions(space.clone(), 10_000, seed);
            let ended = search(&settings, &conditions, f64::INFINITY, judge);
            let answer = judge(&ended.method.answer()).fitness;
            assert!(answer > 0.98 * 20.0 * 50.0, "diagonal {diagonal}, seed {seed}: {answer}");
            let diversity = space.diversity(&ended.method.population());
            assert!(diversity < 0.3, "diagonal {diagonal}, seed {seed}: {diversity}");
        }
    }
}

/// Comparisons are random, half for each point.
#[test]
fn noise_leads_no_further_than_the_drift() {
    for settings in [
        MethodSettings::Spsa(Default::default()),
        MethodSettings::EvolutionStrategy(Default::default()),
    ] {
        for evaluations in [2_000, 20_000] {
            let space = space(300, 0.0, EVERYWHERE, 5.0);
            let noise = std::cell::RefCell::new(Chance::seed_from_u64(9));
            let judge = |_: &SearchPoint| PointFitness::of(noise.borrow_mut().random());
            let conditions =
                Conditions { is_noisy: true, ..conditions(space.clone(), evaluations, 1) };
            let ended = search(&settings, &conditions, f64::INFINITY, judge);
            let answer = ended.method.answer();
            let far = (answer.iter().map(|x| x * x).sum::<f64>() / 300.0).sqrt() / 5.0;
            assert!((1.0..3.0).contains(&far), "{}, {evaluations}: {far} steps", settings.name());
        }
    }
}

#[test]
fn invalid_settings_are_refused() {
    use method::*;
    let refused = |settings: MethodSettings| {
        let conditions = conditions(space(2, 0.0, [-1.0, 1.0], 0.1), 100, 1);
        settings.begin(&conditions).err().map(|error| error.to_string()).unwrap_or_default()
    };
    let error = refused(MethodSettings::Genetic(genetic::GeneticSettings {
        population: 1,
        ..Default::default()
    }));
    assert_eq!(error, "`population` of genetic must be 2 to 10,000, not 1");
    let error = refused(MethodSettings::Genetic(genetic::GeneticSettings {
        replaced: 20,
        ..Default::default()
    }));
    assert!(error.contains("less than the population"), "{error}");
    let error = refused(MethodSettings::CmaEs(cma_es::CmaEsSettings {
        population: Some(3),
        ..Default::default()
    }));
    assert_eq!(error, "`population` of cma-es must be 4 to 10,000, not 3");
    let error = refused(MethodSettings::Spsa(spsa::SpsaSettings {
        drift: Some(-1.0),
        ..Default::default()
    }));
    assert!(error.contains("above 0"), "{error}");
    let odd = evolution_strategy::EvolutionStrategySettings { population: 7, ..Default::default() };
    assert!(refused(MethodSettings::EvolutionStrategy(odd)).contains("even"));
}

/// Five equal peaks at 0.1, 0.3, … 0.9 (F1 of Vemuri and Cedeño).
fn five_peaks(point: &SearchPoint) -> PointFitness {
    PointFitness::of((5.0 * std::f64::consts::PI * point[0]).sin().powi(6))
}

/// Number of individuals at each peak, above half of its height.
fn at_peaks(population: &[SearchPoint]) -> [usize; 5] {
    let mut counts = [0; 5];
    for point in population.iter().filter(|point| five_peaks(point).fitness > 0.5) {
        counts[((point[0] * 5.0) as usize).min(4)] += 1;
    }
    counts
}

fn peaks_kept(settings: &MethodSettings, matings: u64) -> usize {
    let keeps = |seed: u64| {
        let conditions = Conditions {
            anywhere: true,
            ..conditions(space(1, 0.5, [0.0, 1.0], 0.05), 100 + 2 * matings, seed)
        };
        let ended = search(settings, &conditions, f64::INFINITY, five_peaks);
        at_peaks(&ended.method.population()).iter().all(|&count| count >= 5)
    };
    (1..=10).filter(|&seed| keeps(seed)).count()
}

/// Sizes of Vemuri and Cedeño; a generation has matings for half the population.
fn published_crowding() -> method::crowding::CrowdingSettings {
    method::crowding::CrowdingSettings {
        population: 100,
        mates: 15,
        groups: 2,
        group: 15,
        elitist: false,
        variation: Variation {
            encoding: Encoding::Bits(30),
            crossover_rate: 0.95,
            mutation_rate: 0.001,
            ..Default::default()
        },
        ..Default::default()
    }
}

#[test]
fn crowding_keeps_all_five_peaks_and_the_simple_algorithm_does_not() {
    let crowding = published_crowding();
    let kept = peaks_kept(&MethodSettings::Crowding(crowding.clone()), 5_000);
    assert!(kept >= 9, "{kept} of 10");
    let simple = method::genetic::GeneticSettings {
        population: 100,
        replaced: 98,
        variation: crowding.variation,
        ..Default::default()
    };
    let kept = peaks_kept(&MethodSettings::Genetic(simple), 5_000);
    assert_eq!(kept, 0);
}

#[test]
fn cma_es_reaches_the_bottom_of_a_bent_valley() {
    let rosenbrock = |point: &SearchPoint| {
        let bent =
            |pair: &[f64]| 100.0 * (pair[1] - pair[0] * pair[0]).powi(2) + (1.0 - pair[0]).powi(2);
        PointFitness::of(-point.windows(2).map(bent).sum::<f64>())
    };
    let settings = MethodSettings::CmaEs(Default::default());
    let space = space(10, 0.1, EVERYWHERE, 0.1);
    let reached = (1..=5).filter(|&seed| {
        let ended = search(&settings, &conditions(space.clone(), 20_000, seed), -1e-8, rosenbrock);
        ended.best >= -1e-8 && ended.evaluations < 20_000
    });
    // A start in a few ends in the other valley.
    assert!(reached.count() >= 3);
}
