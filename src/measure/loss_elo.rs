//! Validation loss against Elo: the Elo of a per cent of the loss.
//!
//! The slope is that of a line through the means of the sets. The reference is one of them, with Elo
//! 0, so its own luck tilts nothing, and another reference would give the same slope. Each set counts
//! alike.
//!
//! Both directions have errors. Elo has the noise of the games, the luck of the nets, and the effect of
//! features that help play and not the loss; the residuals hold all of it. The loss has the scatter
//! of the seeds, which pulls the slope of least squares towards 0; seeds are replicates, so their
//! variance and their covariance with Elo are known and taken off the moments of the means (W. A.
//! Fuller, *Measurement Error Models*, 1987, section 1.2). With x the loss reduction in per cent, B the
//! covariances of the means, and w those of one net within its set times the mean of 1 / seeds:
//!
//! slope = (B(x, Elo) − w(x, Elo)) / (B(x, x) − w(x, x))
//!
//! The interval is by Student's t with as many degrees of freedom as there are sets, the reference
//! included, less 2.

pub mod kept;

use std::fmt;
use std::ops::AddAssign;

use arena::student_t95;
use base::Estimate;
use base::estimate::Z95;
use base::format::counted;

use crate::loss_and_cost::loss_reduction;
use crate::origin_line::{Point, variance};

/// Fewest sets beside the reference. With two a line has one degree of freedom left.
pub const FEWEST_SETS: usize = 3;

/// Smallest share of the variance between sets that the seeds do not explain.
const LEAST_RELIABILITY: f64 = 0.5;

/// A net.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NetPoint {
    pub seed: Option<u64>,
    /// Validation loss.
    pub loss: f64,
    /// Over the reference's net, by the net's own games; 0 of the reference.
    pub elo: Estimate,
}

/// The nets of a set.
#[derive(Clone, Debug, PartialEq)]
pub struct SetPoints {
    pub label: String,
    pub is_reference: bool,
    pub nets: Vec<NetPoint>,
}

/// Sets whose losses compare, with their Elo under one limit.
#[derive(Clone, Debug, PartialEq)]
pub struct LossElo {
    sets: Vec<SetPoints>,
    /// Mean loss of the reference.
    base: f64,
}

/// Elo of a per cent of the loss.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Slope {
    /// Elo by which a set gains if its loss falls by a per cent of the reference's.
    pub elo: Estimate,
    /// Standard deviation of the sets from the line, in Elo.
    pub scatter: f64,
    /// Sets beside the reference.
    pub sets: usize,
    /// A point of the line: loss reduction in per cent, and Elo.
    pub centre: (f64, f64),
}

/// Reason for the absence of a slope.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoSlope {
    /// Sets beside the reference.
    FewSets(usize),
    /// The seeds' scatter explains most of the differences between the sets.
    LossesAlike,
}

impl fmt::Display for NoSlope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::FewSets(0) => f.write_str(
                "no set besides the reference has both a comparable loss and games",
            ),
            Self::FewSets(1) => write!(
                f,
                "1 set besides the reference has both a comparable loss and games; a line needs \
                 {FEWEST_SETS}"
            ),
            Self::FewSets(sets) => write!(
                f,
                "{} besides the reference have both a comparable loss and games; a line needs \
                 {FEWEST_SETS}",
                counted(*sets as u64, "set")
            ),
            Self::LossesAlike => f.write_str(
                "the losses of the sets differ hardly more than those of their seeds; use sets that differ \
                 more, or more seeds",
            ),
        }
    }
}

impl LossElo {
    /// Nets without a finite loss or a bounded Elo have no place, and neither have sets without
    /// nets. `None` without a reference, or without another set.
    pub fn of(sets: impl IntoIterator<Item = SetPoints>) -> Option<Self> {
        let is_usable =
            |net: &NetPoint| net.loss.is_finite() && net.loss > 0.0 && net.elo.is_bounded();
        let usable = |set: SetPoints| {
            let nets: Vec<NetPoint> = set.nets.into_iter().filter(is_usable).collect();
            (!nets.is_empty()).then_some(SetPoints { nets, ..set })
        };
        let sets: Vec<SetPoints> = sets.into_iter().filter_map(usable).collect();
        let reference = sets.iter().find(|set| set.is_reference)?;
        let base = mean(reference.nets.iter().map(|net| net.loss));
        let has_others = sets.iter().any(|set| !set.is_reference);
        has_others.then_some(Self { sets, base })
    }

    pub fn sets(&self) -> &[SetPoints] {
        &self.sets
    }

    /// Number of sets beside the reference.
    pub fn compared(&self) -> usize {
        self.sets.iter().filter(|set| !set.is_reference).count()
    }

    /// Number of nets beside those of the reference.
    pub fn nets(&self) -> usize {
        self.sets.iter().filter(|set| !set.is_reference).map(|set| set.nets.len()).sum()
    }

    /// Reduction of a loss in per cent of the reference's mean.
    pub fn reduction(&self, loss: f64) -> f64 {
        loss_reduction(loss, self.base)
    }

    /// # Errors
    /// Too few sets for a line, or sets that do not differ.
    pub fn slope(&self) -> Result<Slope, NoSlope> {
        let sets = self.compared();
        if sets < FEWEST_SETS {
            return Err(NoSlope::FewSets(sets));
        }
        let by_set: Vec<Vec<(f64, f64)>> = self.sets.iter().map(|set| self.points(set)).collect();
        let means: Vec<(f64, f64)> = by_set.iter().map(|points| centre(points)).collect();
        let between = Squares::of(&means).per_freedom();
        let within = self.within(&by_set);
        let signal = between.xx - within.xx;
        if signal <= LEAST_RELIABILITY * between.xx {
            return Err(NoSlope::LossesAlike);
        }
        let slope = (between.xy - within.xy) / signal;
        let centre = centre(&means);
        let residual = |(x, y): &(f64, f64)| y - centre.1 - slope * (x - centre.0);
        let freedom = (means.len() - 2) as f64;
        let scatter = means.iter().map(residual).map(|of| of * of).sum::<f64>() / freedom;
        let shared = within.xy - slope * within.xx;
        let variance =
            (between.xx * scatter + shared * shared) / (signal * signal * (means.len() - 1) as f64);
        let elo = Estimate::symmetric(slope, student_t95(freedom) * variance.sqrt());
        Ok(Slope { elo, scatter: scatter.sqrt(), sets, centre })
    }

    /// Loss reduction in per cent and Elo of each set beside the reference: means of its nets. Margins
    /// of losses are by the scatter of seeds; those of Elo by the games, or by `elo_spread`, the
    /// variance of nets of one set, where that is larger.
    pub(crate) fn leads(&self, elo_spread: f64) -> Vec<Point> {
        let of_a_net = self.loss_spread().per_freedom().xx;
        let nets = |set: &SetPoints| set.nets.len() as f64;
        let reference: f64 = self.sets.iter().filter(|set| set.is_reference).map(nets).sum();
        let lead = |set: &SetPoints| {
            let (reduction, elo) = centre(&self.points(set));
            let by_seeds = of_a_net * (1.0 / nets(set) + 1.0 / reference);
            let games = set.nets.iter().map(|net| variance(net.elo)).sum::<f64>();
            let of_elo = (games / nets(set).powi(2)).max(elo_spread / nets(set));
            Point {
                x: Estimate::symmetric(reduction, Z95 * by_seeds.sqrt()),
                y: Estimate::symmetric(elo, Z95 * of_elo.sqrt()),
            }
        };
        self.sets.iter().filter(|set| !set.is_reference).map(lead).collect()
    }

    /// Scatter of the losses of nets of one set.
    fn loss_spread(&self) -> Squares {
        self.sets.iter().fold(Squares::default(), |mut all, set| {
            all += Squares::of(&self.points(set));
            all
        })
    }

    /// Whether the scatter of the losses between seeds is known.
    pub(crate) fn has_several_seeds(&self) -> bool {
        self.sets.iter().any(|set| set.nets.len() > 1)
    }

    /// Scatter of the Elo of nets of one set: sum of squares, and degrees of freedom.
    pub(crate) fn elo_squares(&self) -> (f64, f64) {
        let others = self.sets.iter().filter(|set| !set.is_reference);
        others.fold((0.0, 0.0), |(sum, freedom), set| {
            let (_, mean) = centre(&self.points(set));
            let squares: f64 = set.nets.iter().map(|net| (net.elo.value - mean).powi(2)).sum();
            (sum + squares, freedom + set.nets.len() as f64 - 1.0)
        })
    }

    /// Loss reductions and Elo of the nets of a set.
    fn points(&self, set: &SetPoints) -> Vec<(f64, f64)> {
        set.nets.iter().map(|net| (self.reduction(net.loss), net.elo.value)).collect()
    }

    /// Squares of the means that the seeds alone make; 0 where no set has two.
    fn within(&self, by_set: &[Vec<(f64, f64)>]) -> Covariances {
        let (mut all, mut others) = (Squares::default(), Squares::default());
        for (set, points) in self.sets.iter().zip(by_set) {
            let squares = Squares::of(points);
            all += squares;
            // The Elo of the reference's nets is 0 by definition and follows no loss.
            if !set.is_reference {
                others += squares;
            }
        }
        let share = mean(by_set.iter().map(|points| 1.0 / points.len() as f64));
        let (xx, xy) = (all.per_freedom().xx, others.per_freedom().xy);
        Covariances { xx: share * xx, xy: share * xy }
    }
}

/// Variance of the loss, and covariance of loss and Elo.
#[derive(Clone, Copy, Debug)]
struct Covariances {
    xx: f64,
    xy: f64,
}

/// Sums of squares and products around a mean.
#[derive(Clone, Copy, Debug, Default)]
struct Squares {
    xx: f64,
    xy: f64,
    freedom: f64,
}

impl Squares {
    /// Around the mean of these points.
    fn of(points: &[(f64, f64)]) -> Self {
        let (x0, y0) = centre(points);
        let sum = |of: fn(f64, f64) -> f64| points.iter().map(|(x, y)| of(x - x0, y - y0)).sum();
        Self { xx: sum(|x, _| x * x), xy: sum(|x, y| x * y), freedom: points.len() as f64 - 1.0 }
    }

    /// 0 without freedom.
    fn per_freedom(self) -> Covariances {
        let freedom = self.freedom.max(1.0);
        Covariances { xx: self.xx / freedom, xy: self.xy / freedom }
    }
}

impl AddAssign for Squares {
    fn add_assign(&mut self, other: Self) {
        self.xx += other.xx;
        self.xy += other.xy;
        self.freedom += other.freedom;
    }
}

fn centre(points: &[(f64, f64)]) -> (f64, f64) {
    (mean(points.iter().map(|point| point.0)), mean(points.iter().map(|point| point.1)))
}

fn mean(values: impl IntoIterator<Item = f64>) -> f64 {
    let (sum, count) =
        values.into_iter().fold((0.0, 0.0), |(sum, count), value| (sum + value, count + 1.0));
    sum / count
}

#[cfg(test)]
mod tests;
