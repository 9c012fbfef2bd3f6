//! CMA-ES on standard test functions, for `beside_cma.py`.
//!
//!     cargo run --release -p oplus-evolution --example landscapes -- sphere 10 0 1e-8 11
//!
//! Arguments: landscape, dimensions, population (0 for the default), target distance from the
//! bottom, seeds. Output: a line for each seed with evaluations and final distance.

use oplus_evolution::method::cma_es::CmaEsSettings;
use oplus_evolution::{Conditions, Gene, MethodSettings, PointFitness, Space};

/// Evaluation limit of a search.
const MOST: u64 = 2_000_000;

/// A landscape, and start and width of its searches.
struct Landscape {
    height: fn(&[f64]) -> f64,
    start: f64,
    width: f64,
}

fn landscape(name: &str) -> Landscape {
    match name {
        "sphere" => Landscape { height: sphere, start: 1.0, width: 1.0 },
        "rosenbrock" => Landscape { height: rosenbrock, start: 0.1, width: 0.1 },
        "rastrigin" => Landscape { height: rastrigin, start: 3.0, width: 2.0 },
        _ => panic!("sphere, rosenbrock or rastrigin, not {name}"),
    }
}

fn sphere(point: &[f64]) -> f64 {
    point.iter().map(|x| x * x).sum()
}

fn rosenbrock(point: &[f64]) -> f64 {
    let bent =
        |pair: &[f64]| 100.0 * (pair[1] - pair[0] * pair[0]).powi(2) + (1.0 - pair[0]).powi(2);
    point.windows(2).map(bent).sum()
}

fn rastrigin(point: &[f64]) -> f64 {
    let of = |x: &f64| x * x - 10.0 * (std::f64::consts::TAU * x).cos();
    10.0 * point.len() as f64 + point.iter().map(of).sum::<f64>()
}

/// Evaluations and final distance from the bottom.
fn search(
    landscape: &Landscape,
    dimensions: usize,
    population: usize,
    enough: f64,
    seed: u64,
) -> (u64, f64) {
    let gene = |place: usize| Gene {
        name: place.to_string(),
        start: landscape.start,
        low: f64::NEG_INFINITY,
        high: f64::INFINITY,
        step: landscape.width,
    };
    let space = Space::new((0..dimensions).map(gene).collect()).expect("bounds that hold all");
    let conditions =
        Conditions { space, anywhere: false, is_noisy: false, evaluations: MOST, seed };
    let population = (population > 0).then_some(population);
    let settings = MethodSettings::CmaEs(CmaEsSettings { population, ..CmaEsSettings::default() });
    let mut method = settings.begin(&conditions).expect("settings that make sense");
    let (mut evaluations, mut lowest, mut before) = (0, f64::INFINITY, f64::INFINITY);
    // A search without progress for long sits in a local minimum.
    let mut since = 0;
    while evaluations < MOST && lowest > enough && since < 300 {
        let points = method.ask();
        let heights: Vec<f64> = points.iter().map(|point| (landscape.height)(point)).collect();
        evaluations += heights.len() as u64;
        lowest = heights.iter().copied().fold(lowest, f64::min);
        method.tell(&heights.iter().map(|height| PointFitness::of(-height)).collect::<Vec<_>>());
        since = if lowest < before * (1.0 - 1e-9) { 0 } else { since + 1 };
        before = lowest;
    }
    (evaluations, lowest)
}

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [name, dimensions, population, enough, seeds] = args.as_slice() else {
        panic!("landscape, dimensions, population, how near is enough, seeds");
    };
    let number = |text: &String| text.parse::<usize>().expect("a whole number");
    let enough: f64 = enough.parse().expect("a number");
    let landscape = landscape(name);
    for seed in 1..=number(seeds) as u64 {
        let (evaluations, lowest) =
            search(&landscape, number(dimensions), number(population), enough, seed);
        println!("{evaluations} {lowest:e}");
    }
}
