//! Agreement of leads at few and at many nodes: do games with few nodes give the verdicts of games
//! with many?

use base::Estimate;
use base::estimate::{Separation, Z95};

/// Steps of the iteration for the slope; it converges within ten.
const STEPS: usize = 60;

/// Leads of a set over the reference.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Leads<'a> {
    pub set: &'a str,
    pub few: Estimate,
    pub many: Estimate,
}

/// Leads at many nodes over those at few.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Agreement {
    pub sets: usize,
    /// Slope of the line through the reference, whose leads are 0, with errors of both leads.
    pub slope: Estimate,
    /// Pairs of sets in the order of many nodes, the better first, that few nodes separate the other
    /// way round. The reference is one of the sets.
    pub reversals: Vec<(String, String)>,
}

impl Agreement {
    /// `None` with fewer than three sets, or where the leads at few nodes are all noise.
    pub(crate) fn of(reference: &str, leads: &[Leads<'_>]) -> Option<Self> {
        let is_bounded = |it: &&Leads<'_>| it.few.is_bounded() && it.many.is_bounded();
        let leads: Vec<Leads<'_>> = leads.iter().filter(is_bounded).copied().collect();
        let points: Vec<Point> = leads.iter().map(Point::of).collect();
        if points.len() < 3 {
            return None;
        }
        let slope = slope(&points)?;
        let zero = Estimate::symmetric(0.0, 0.0);
        let all = leads.iter().copied().chain([Leads { set: reference, few: zero, many: zero }]);
        let all: Vec<Leads<'_>> = all.collect();
        let pairs = all.iter().flat_map(|one| all.iter().map(move |other| (one, other)));
        let is_above =
            |one: Estimate, other: &Estimate| one.minus(other).verdict() == Separation::Better;
        let turned = pairs.filter(|(one, other)| {
            is_above(one.many, &other.many) && is_above(other.few, &one.few)
        });
        let reversals = turned.map(|(one, other)| (one.set.to_owned(), other.set.to_owned()));
        Some(Self { sets: points.len(), slope, reversals: reversals.collect() })
    }
}

/// Leads with their variances.
#[derive(Clone, Copy)]
struct Point {
    x: f64,
    y: f64,
    x_variance: f64,
    y_variance: f64,
}

impl Point {
    fn of(leads: &Leads<'_>) -> Self {
        let variance = |estimate: Estimate| (estimate.margin() / Z95).powi(2);
        Self {
            x: leads.few.value,
            y: leads.many.value,
            x_variance: variance(leads.few),
            y_variance: variance(leads.many),
        }
    }

    /// Precision of the distance from a line of this slope.
    fn weight(&self, slope: f64) -> f64 {
        1.0 / (self.y_variance + slope * slope * self.x_variance)
    }
}

/// Sum of squared distances from the line, in their errors.
fn residual(points: &[Point], slope: f64) -> f64 {
    points.iter().map(|p| (p.y - slope * p.x).powi(2) * p.weight(slope)).sum()
}

/// The slope of least residual (York, *Least-squares fitting of a straight line*, 1966, through the
/// origin). The ends of the interval raise the residual by 1.96², times the residual of a degree of
/// freedom where the sets scatter more than their errors.
fn slope(points: &[Point]) -> Option<Estimate> {
    let mut slope = 1.0;
    for _ in 0..STEPS {
        let sum = |part: &dyn Fn(&Point) -> f64| -> f64 {
            // The adjusted abscissa: between the lead at few nodes and that of the line.
            let at = |p: &Point| p.x * p.y_variance + slope * p.y * p.x_variance;
            points.iter().map(|p| p.weight(slope).powi(2) * at(p) * part(p)).sum()
        };
        slope = sum(&|p| p.y) / sum(&|p| p.x);
    }
    let least = residual(points, slope);
    let scatter = (least / (points.len() - 1) as f64).max(1.0);
    let highest = least + Z95 * Z95 * scatter;
    let [low, high] = [-1.0, 1.0].map(|side| end(points, slope, side, highest));
    slope.is_finite().then(|| Estimate::new(slope, low, high))
}

/// Slope on one side at which the residual reaches `highest`; infinite if it never does.
fn end(points: &[Point], slope: f64, side: f64, highest: f64) -> f64 {
    let is_inside = |distance: f64| residual(points, slope + side * distance) < highest;
    let mut outside = 1e-3;
    while is_inside(outside) {
        outside *= 2.0;
        if outside > 1e3 {
            return side * f64::INFINITY;
        }
    }
    let mut inside = 0.0;
    for _ in 0..STEPS {
        let middle = (inside + outside) / 2.0;
        if is_inside(middle) { inside = middle } else { outside = middle }
    }
    slope + side * inside
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::{Rng, SeedableRng};
    use rand_chacha::ChaCha8Rng;
    use rand_distr::Normal;

    fn leads(few: (f64, f64), many: (f64, f64)) -> Leads<'static> {
        let estimate = |(value, margin)| Estimate::symmetric(value, margin);
        Leads { set: "A", few: estimate(few), many: estimate(many) }
    }

    #[test]
    fn a_line_without_noise_is_found_again() {
        let all = [-40.0, 10.0, 60.0].map(|few| leads((few, 10.0), (1.5 * few, 10.0)));
        let found = Agreement::of("R", &all).unwrap();
        assert!((found.slope.value - 1.5).abs() < 1e-9, "{found:?}");
        assert!(found.slope.low < 1.5 && found.slope.high > 1.5 && found.reversals.is_empty());
        assert_eq!(Agreement::of("R", &all[..2]), None);
    }

    #[test]
    fn only_separable_changes_of_order_count() {
        let mut all = [(-50.0, -80.0), (20.0, 25.0), (40.0, 60.0), (45.0, 40.0)]
            .map(|(few, many)| leads((few, 10.0), (many, 10.0)));
        assert_eq!(Agreement::of("R", &all).unwrap().reversals, []);
        all[1] = Leads { set: "B", ..leads((30.0, 10.0), (-30.0, 10.0)) };
        let turned = Agreement::of("R", &all).unwrap().reversals;
        assert_eq!(turned, [("R".to_owned(), "B".to_owned())]);
    }

    /// The interval holds the true slope in 95 % of experiments, with errors as large as half of the
    /// leads' spread.
    #[test]
    fn intervals_hold_the_slope() {
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        let noise = Normal::new(0.0, 10.0).unwrap();
        let trials = 2_000;
        let held = (0..trials).filter(|_| {
            let all: Vec<Leads<'_>> = (0..12)
                .map(|_| {
                    let truth: f64 = rng.random_range(-40.0..40.0);
                    let few = truth + rng.sample(noise);
                    let many = 1.4 * truth + rng.sample(noise);
                    leads((few, Z95 * 10.0), (many, Z95 * 10.0))
                })
                .collect();
            let slope = Agreement::of("R", &all).unwrap().slope;
            slope.low <= 1.4 && 1.4 <= slope.high
        });
        let share = held.count() as f64 / f64::from(trials);
        assert!((0.93..0.985).contains(&share), "{share}");
    }
}
