//! Two feature sets on the same puzzles, each represented by several nets.
//!
//! 650 puzzles solved by three nets of a set are not 1,950 puzzles: nets of equal sets differ by
//! their seeds, and a puzzle that suits one net of a set tends to suit the others. A verdict has
//! to hold for *other* seeds and *other* puzzles, so both are random effects: with D the
//! difference (−1, 0, 1) of seed s at puzzle i,
//!
//! - D = μ + seed + puzzle + rest, a two-way layout with one observation a cell;
//! - mean squares of seeds, of puzzles and of the rest estimate the three
//!   variances (S. R. Searle, *Linear Models*, 1971, ch. 9 and 10);
//! - variance of the mean difference: (MS_seeds + MS_puzzles − MS_rest) / (seeds ·
//!   puzzles), no component below zero;
//! - Student's t with the degrees of freedom of F. E. Satterthwaite (1946).
//!
//! Two to four seeds estimate their spread poorly. As with Elo, MS_seeds is then pooled over the
//! compared sets; from five seeds on a set has its own.
//! With one net each the spread of the seeds is unknown: interval and p-value are those of the two
//! nets ([`Paired`]), marked by [`Lead::speaks_for_sets`].

use statrs::distribution::{ContinuousCDF, StudentsT};

use super::{Interval, Paired};
use crate::puzzles::AttemptOutcome;
use base::estimate::Variance;

/// Differences of two sets at every puzzle, seed by seed.
#[derive(Clone, Debug, PartialEq)]
pub struct Crossed {
    counts: Paired,
    seeds: usize,
    puzzles: usize,
    squares: Option<MeanSquares>,
}

/// Mean squares of the two-way layout.
#[derive(Clone, Copy, Debug, PartialEq)]
struct MeanSquares {
    seeds: f64,
    puzzles: f64,
    rest: f64,
}

/// Lead of one set over another in puzzles solved.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Lead {
    /// All attempts, summed over seeds: for display, not for a test.
    pub counts: Paired,
    /// Nets of each set.
    pub seeds: usize,
    /// Share solved by the first less share solved by the second, −1 to 1.
    pub difference: f64,
    /// 95 % interval of the difference.
    pub interval: Interval,
    /// Two-sided p-value of no difference.
    pub p_value: f64,
}

impl Lead {
    /// Whether the interval holds the spread between seeds. With one net each it does not: then it
    /// compares two nets, not their sets.
    pub fn speaks_for_sets(&self) -> bool {
        self.seeds > 1
    }
}

impl Crossed {
    /// Compares nets seed by seed, `(first, second)` of each seed; `None` without nets or puzzles,
    /// or if their numbers of puzzles differ.
    pub fn compare(nets: &[(&[AttemptOutcome], &[AttemptOutcome])]) -> Option<Self> {
        let puzzles = nets.first()?.0.len();
        let mut counts = Paired::default();
        for (first, second) in nets {
            let paired = Paired::compare(first, second).filter(|p| p.trials() == puzzles as u64)?;
            counts.add(&paired);
        }
        let differences: Vec<Vec<f64>> =
            nets.iter().map(|(first, second)| differences(first, second)).collect();
        let squares = MeanSquares::of(&differences);
        (puzzles > 0).then_some(Self { counts, seeds: nets.len(), puzzles, squares })
    }

    /// The mean square of the seeds; `None` with one seed.
    fn of_seeds(&self) -> Option<Variance> {
        let freedom = self.seeds as f64 - 1.0;
        self.squares.map(|squares| Variance { value: squares.seeds, freedom })
    }

    fn lead(&self, of_seeds: Option<Variance>) -> Lead {
        let Self { counts, seeds, .. } = *self;
        let (interval, p_value) = match self.squares.zip(of_seeds) {
            Some((squares, of_seeds)) => self.student(squares, of_seeds),
            None => (counts.interval(), counts.p_value()),
        };
        Lead { counts, seeds, difference: counts.difference(), interval, p_value }
    }

    /// Interval and p-value over seeds and puzzles.
    fn student(&self, squares: MeanSquares, seed_variance: Variance) -> (Interval, f64) {
        let (seeds, puzzles) = (self.seeds as f64, self.puzzles as f64);
        // The residual variance is part of every seed's mean, however close seeds lie.
        let of_seeds = seed_variance.value.max(squares.rest);
        let of_puzzles = (squares.puzzles - squares.rest).max(0.0);
        // Never narrower than with half a puzzle solved by each set alone.
        let least = (puzzles + 2.0).powi(-2);
        let error = ((of_seeds + of_puzzles) / (seeds * puzzles)).max(least).sqrt();
        let freedom =
            satterthwaite(&[(of_seeds, seed_variance.freedom), (of_puzzles, puzzles - 1.0)]);
        let difference = self.counts.difference();
        // Location 0 and scale 1 are valid, and so is any positive freedom.
        let Ok(student) = StudentsT::new(0.0, 1.0, freedom) else {
            return (Interval { low: -1.0, high: 1.0 }, 1.0);
        };
        let half = student.inverse_cdf(0.975) * error;
        let interval =
            Interval { low: (difference - half).max(-1.0), high: (difference + half).min(1.0) };
        (interval, 2.0 * student.cdf(-(difference / error).abs()))
    }
}

/// Lead of each set over its opponent. Sets of few seeds pool their seed variance, so one call
/// takes all sets that are shown together.
pub fn leads(sets: &[Option<Crossed>]) -> Vec<Option<Lead>> {
    let pooled = Variance::pooled(sets.iter().flatten().filter_map(Crossed::of_seeds));
    let lead = |set: &Crossed| set.lead(Variance::of_set(set.of_seeds(), set.seeds, pooled));
    sets.iter().map(|set| set.as_ref().map(lead)).collect()
}

impl MeanSquares {
    /// `None` with fewer than two seeds or two puzzles.
    fn of(differences: &[Vec<f64>]) -> Option<Self> {
        let seeds = differences.len() as f64;
        let puzzles = differences.first()?.len() as f64;
        if seeds < 2.0 || puzzles < 2.0 {
            return None;
        }
        let of_seed: Vec<f64> =
            differences.iter().map(|row| row.iter().sum::<f64>() / puzzles).collect();
        let at_puzzle = |i: usize| differences.iter().map(|row| row[i]).sum::<f64>() / seeds;
        let of_puzzle: Vec<f64> = (0..differences[0].len()).map(at_puzzle).collect();
        let mean = of_seed.iter().sum::<f64>() / seeds;
        let scatter = |means: &[f64]| means.iter().map(|x| (x - mean).powi(2)).sum::<f64>();
        let cells = differences.iter().zip(&of_seed).flat_map(|(row, seed)| {
            row.iter().zip(&of_puzzle).map(move |(cell, puzzle)| cell - seed - puzzle + mean)
        });
        Some(Self {
            seeds: puzzles * scatter(&of_seed) / (seeds - 1.0),
            puzzles: seeds * scatter(&of_puzzle) / (puzzles - 1.0),
            rest: cells.map(|cell| cell * cell).sum::<f64>() / ((seeds - 1.0) * (puzzles - 1.0)),
        })
    }
}

fn differences(first: &[AttemptOutcome], second: &[AttemptOutcome]) -> Vec<f64> {
    let solved = |outcome: &AttemptOutcome| f64::from(u8::from(outcome.solved));
    first.iter().zip(second).map(|(first, second)| solved(first) - solved(second)).collect()
}

/// Degrees of freedom of a sum of mean squares, each given with its own.
fn satterthwaite(squares: &[(f64, f64)]) -> f64 {
    let sum: f64 = squares.iter().map(|(square, _)| square).sum();
    let spent: f64 = squares.iter().map(|(square, freedom)| square * square / freedom).sum();
    // All squares are zero only where nothing was seen to differ at all.
    if spent > 0.0 { sum * sum / spent } else { squares.iter().map(|(_, f)| f).sum() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::{Rng, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    fn outcomes(solved: &str) -> Vec<AttemptOutcome> {
        let outcome =
            |solved| AttemptOutcome { solved: solved == b'1', ..AttemptOutcome::default() };
        solved.bytes().map(outcome).collect()
    }

    fn crossed(nets: &[(Vec<AttemptOutcome>, Vec<AttemptOutcome>)]) -> Option<Crossed> {
        let nets: Vec<_> = nets.iter().map(|(a, b)| (a.as_slice(), b.as_slice())).collect();
        Crossed::compare(&nets)
    }

    #[test]
    fn mean_squares_agree_with_a_table_worked_by_hand() {
        // D = [[1, 0, 1], [0, 0, −1]]: means of seeds 2/3 and −1/3, of puzzles ½, 0, 0.
        let nets = [(outcomes("101"), outcomes("000")), (outcomes("110"), outcomes("111"))];
        let squares = crossed(&nets).unwrap().squares.unwrap();
        let expected = MeanSquares { seeds: 1.5, puzzles: 1.0 / 6.0, rest: 0.5 };
        for (found, expected) in [
            (squares.seeds, expected.seeds),
            (squares.puzzles, expected.puzzles),
            (squares.rest, expected.rest),
        ] {
            assert!((found - expected).abs() < 1e-12, "{squares:?}");
        }
    }

    #[test]
    fn one_net_each_is_a_test_of_the_nets() {
        let net = (outcomes("1111110000"), outcomes("0000000000"));
        let only = leads(&[crossed(std::slice::from_ref(&net))])[0].unwrap();
        let paired = Paired::compare(&net.0, &net.1).unwrap();
        assert!(!only.speaks_for_sets());
        assert_eq!((only.interval, only.p_value), (paired.interval(), paired.p_value()));
    }

    #[test]
    fn the_same_net_thrice_is_no_more_than_its_puzzles() {
        let net = (outcomes("11111100000000000000"), outcomes("00000000000000000000"));
        let thrice = leads(&[crossed(&[net.clone(), net.clone(), net.clone()])])[0].unwrap();
        let once = leads(&[crossed(&[net])])[0].unwrap();
        assert_eq!((thrice.seeds, thrice.counts.trials()), (3, 60));
        let width = |lead: Lead| lead.interval.high - lead.interval.low;
        assert!(width(thrice) > 0.9 * width(once), "{thrice:?} {once:?}");
    }

    #[test]
    fn unequal_suites_and_empty_ones_are_not_compared() {
        assert_eq!(crossed(&[]), None);
        assert_eq!(crossed(&[(Vec::new(), Vec::new())]), None);
        let uneven = [(outcomes("10"), outcomes("01")), (outcomes("101"), outcomes("010"))];
        assert_eq!(crossed(&uneven), None);
        assert_eq!(leads(&[None]), [None]);
    }

    /// Coverage with seed and puzzle effects: the interval has about its nominal level, while one
    /// that counts attempts as puzzles does not.
    #[test]
    fn intervals_cover_over_seeds_and_puzzles() {
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        let (mut covered, mut naive, mut total) = (0, 0, 0);
        for _ in 0..400 {
            let sets: Vec<Crossed> = (0..3).map(|_| drawn(&mut rng)).collect();
            let sets: Vec<Option<Crossed>> = sets.into_iter().map(Some).collect();
            for lead in leads(&sets).into_iter().flatten() {
                let within = |interval: Interval| (interval.low..=interval.high).contains(&0.0);
                covered += u32::from(within(lead.interval));
                naive += u32::from(within(lead.counts.interval()));
                assert_eq!(within(lead.interval), lead.p_value >= 0.05, "{lead:?}");
                total += 1;
            }
        }
        let [covered, naive] = [covered, naive].map(|count| f64::from(count) / f64::from(total));
        assert!((0.925..0.985).contains(&covered), "{covered}");
        assert!(naive < 0.8, "{naive}");
    }

    /// Two equal sets: each net leans a little of its own, and each puzzle suits one set.
    fn drawn(rng: &mut ChaCha8Rng) -> Crossed {
        let leaning: Vec<f64> = (0..300).map(|_| rng.random_range(-0.25..0.25)).collect();
        let nets: Vec<_> = (0..3)
            .map(|_| {
                let luck = rng.random_range(-0.05..0.05);
                let mut draw = |share: f64| -> Vec<AttemptOutcome> {
                    let mut solve = |&lean: &f64| rng.random_bool(0.6 + share * (luck + lean));
                    leaning.iter().map(|lean| outcome(solve(lean))).collect()
                };
                (draw(1.0), draw(-1.0))
            })
            .collect();
        crossed(&nets).unwrap()
    }

    fn outcome(solved: bool) -> AttemptOutcome {
        AttemptOutcome { solved, ..AttemptOutcome::default() }
    }
}
