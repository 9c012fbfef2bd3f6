//! Lead over the reference as a function of the nodes of a move: where a set gains, and where it
//! loses.
//!
//! Every seed has a line of its own over the logarithm of the nodes, with its own height and slope:
//! weighted least squares through its leads at the limits that were played. At each number of nodes
//! the seeds' lines are pooled like their leads at a limit ([`arena::pool`]), so the band holds the
//! noise of the games and the spread between seeds. A set gains where the band is above 0 and loses
//! where it is below. The line ends where the measurements end.

use std::fmt;

use crate::NodeTimes;
use crate::verdict::{Score, with_timing_error};

use arena::{Limit, SeedEstimate, pool};
use base::Estimate;
use base::estimate::Separation;
use base::format::grouped;

/// Places at which a line is computed.
const PLACES: usize = 17;

/// Rule that gives out the nodes of the limits of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Odds {
    /// Both sides search the same number.
    FixedNodes,
    /// The reference searches that number, a set as many as take the same time.
    EqualTime,
}

impl Odds {
    pub(crate) const ALL: [Self; 2] = [Self::FixedNodes, Self::EqualTime];

    /// Nodes of a limit under this rule.
    fn nodes(self, limit: Limit) -> Option<f64> {
        match (self, limit) {
            (Self::FixedNodes, Limit::Nodes(nodes))
            | (Self::EqualTime, Limit::EqualTime(nodes)) => Some(nodes.get() as f64),
            _ => None,
        }
    }

    /// Whether a limit gives out nodes by this rule.
    pub fn holds(self, limit: Limit) -> bool {
        self.nodes(limit).is_some()
    }
}

impl fmt::Display for Odds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::FixedNodes => "fixed nodes",
            Self::EqualTime => "equal time",
        })
    }
}

/// Leads of a set over the nodes of a move.
#[derive(Clone, Debug, PartialEq)]
pub struct NodesLine {
    pub odds: Odds,
    /// Measured leads, the fewest nodes first.
    pub measured: Vec<(f64, Estimate)>,
    /// The line between the fewest and the most nodes.
    pub line: Vec<(f64, Estimate)>,
}

/// Leads of all sets under one limit.
pub(crate) struct LeadsAt {
    pub limit: Limit,
    /// By set and seed; a set without an estimate for every seed has none.
    pub seeds: Vec<Vec<SeedEstimate>>,
    /// By set.
    pub pooled: Vec<Option<Estimate>>,
}

/// Lines of all sets; a set whose leads are not all measured, and an experiment with a single number
/// of nodes, have none.
pub(crate) fn lines(odds: Odds, limits: &[LeadsAt]) -> Vec<Option<NodesLine>> {
    let sets = limits.first().map_or(0, |leads| leads.seeds.len());
    let mut at: Vec<(f64, &LeadsAt)> =
        limits.iter().filter_map(|leads| Some((odds.nodes(leads.limit)?, leads))).collect();
    at.sort_by(|a, b| a.0.total_cmp(&b.0));
    let (Some((fewest, _)), Some((most, _))) = (at.first(), at.last()) else {
        return vec![None; sets];
    };
    if fewest == most {
        return vec![None; sets];
    }
    let places: Vec<f64> = places(*fewest, *most).collect();
    let on_line: Vec<Vec<Option<Estimate>>> =
        places.iter().map(|&place| leads_at(&at, place, sets)).collect();
    let of_set = |set: usize| {
        let line = places.iter().zip(&on_line).map(|(&place, sets)| Some((place, sets[set]?)));
        let measured = at.iter().map(|(nodes, leads)| Some((*nodes, leads.pooled[set]?)));
        Some(NodesLine {
            odds,
            measured: measured.collect::<Option<_>>()?,
            line: line.collect::<Option<_>>()?,
        })
    };
    (0..sets).map(of_set).collect()
}

/// Numbers of nodes at equal distances in the logarithm.
fn places(fewest: f64, most: f64) -> impl Iterator<Item = f64> {
    let step = (most / fewest).ln() / (PLACES - 1) as f64;
    (0..PLACES).map(move |place| fewest * (step * place as f64).exp())
}

/// Leads of all sets at a number of nodes, by the lines of their seeds.
fn leads_at(at: &[(f64, &LeadsAt)], nodes: f64, sets: usize) -> Vec<Option<Estimate>> {
    let seeds: Vec<Vec<SeedEstimate>> =
        (0..sets).map(|set| seeds_at(at, nodes, set).unwrap_or_default()).collect();
    pool(&seeds, &[]).into_iter().map(|pooled| Some(pooled?.elo)).collect()
}

/// Heights of a set's lines, a line for each seed; `None` unless all seeds are measured everywhere.
fn seeds_at(at: &[(f64, &LeadsAt)], nodes: f64, set: usize) -> Option<Vec<SeedEstimate>> {
    let seeds = at.first()?.1.seeds[set].len();
    let is_complete = at.iter().all(|(_, leads)| leads.seeds[set].len() == seeds);
    if seeds == 0 || !is_complete {
        return None;
    }
    let weights = weights(at, nodes, set);
    let of_seed = |seed: usize| {
        let parts = at.iter().zip(&weights).map(|((_, leads), &w)| (w, leads.seeds[set][seed]));
        SeedEstimate::combined(parts)
    };
    (0..seeds).map(of_seed).collect()
}

/// Weights of the limits in the height of a line at a number of nodes: least squares, each limit by
/// the precision of its games, alike for all seeds.
fn weights(at: &[(f64, &LeadsAt)], nodes: f64, set: usize) -> Vec<f64> {
    let precision = |leads: &LeadsAt| {
        let seeds = &leads.seeds[set];
        seeds.len() as f64 / seeds.iter().map(SeedEstimate::variance).sum::<f64>()
    };
    let points: Vec<(f64, f64)> =
        at.iter().map(|(nodes, leads)| (nodes.ln(), precision(leads))).collect();
    let sum: f64 = points.iter().map(|(_, p)| p).sum();
    let middle = points.iter().map(|(x, p)| p * x).sum::<f64>() / sum;
    let spread: f64 = points.iter().map(|(x, p)| p * (x - middle).powi(2)).sum();
    let distance = nodes.ln() - middle;
    points.iter().map(|(x, p)| p / sum + distance * p * (x - middle) / spread).collect()
}

/// Answer of a line: where the set gains and where it loses.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Region {
    /// At the fewest nodes, and up to where that holds.
    first: (Separation, f64),
    /// At the most nodes, and from where on that holds.
    last: (Separation, f64),
    /// Between open ends, where the band is narrowest: from where and up to where that holds.
    inner: Option<(Separation, f64, f64)>,
    /// Fewest and most nodes that were played.
    ends: (f64, f64),
}

impl NodesLine {
    /// `None` of a line without places.
    pub fn region(&self) -> Option<Region> {
        let ends = (self.line.first()?.0, self.line.last()?.0);
        let up = reach(self.line.iter())?;
        let down = reach(self.line.iter().rev())?;
        Some(Region { first: up, last: down, inner: inner(&self.line), ends })
    }

    /// With the error of the timing that gave out the nodes.
    pub(crate) fn with_error_of(self, times: &NodeTimes, doubling: Option<&Score>) -> Self {
        let widened = |(nodes, lead)| (nodes, with_timing_error(lead, times, doubling));
        Self { line: self.line.into_iter().map(widened).collect(), ..self }
    }
}

/// What holds at the first place, and the number of nodes at which it ends: where the end of the
/// interval crosses 0 between two places.
fn reach<'a>(mut places: impl Iterator<Item = &'a (f64, Estimate)>) -> Option<(Separation, f64)> {
    let first = places.next()?;
    let holds = first.1.verdict();
    let mut before = first;
    for place in places {
        if place.1.verdict() != holds {
            return Some((holds, crossing(holds, before, place)));
        }
        before = place;
    }
    Some((holds, before.0))
}

/// The separable part of a line, and its two ends; `None` unless both ends of the line are open.
fn inner(line: &[(f64, Estimate)]) -> Option<(Separation, f64, f64)> {
    let start = line.iter().position(|place| place.1.verdict() != Separation::Open)?;
    let holds = line[start].1.verdict();
    let end = line.iter().rposition(|place| place.1.verdict() == holds)?;
    let (before, after) = (line.get(start.checked_sub(1)?)?, line.get(end + 1)?);
    Some((holds, crossing(holds, &line[start], before), crossing(holds, &line[end], after)))
}

fn crossing(holds: Separation, inside: &(f64, Estimate), outside: &(f64, Estimate)) -> f64 {
    let edge = |of: &Estimate| match holds {
        Separation::Worse => of.high,
        _ => of.low,
    };
    let (from, to) = (edge(&inside.1), edge(&outside.1));
    match holds {
        Separation::Open => outside.0,
        _ => inside.0 * (outside.0 / inside.0).powf(from / (from - to)),
    }
}

impl fmt::Display for Region {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let verb = |of: Separation| if of == Separation::Better { "gains" } else { "loses" };
        let (fewest, most) = (about(self.ends.0), about(self.ends.1));
        let ((first, up_to), (last, from)) = (self.first, self.last);
        let (up_to, from) = (about(up_to), about(from));
        match (first, last) {
            (Separation::Open, Separation::Open) => match self.inner {
                Some((holds, from, up_to)) => {
                    let (verb, from, up_to) = (verb(holds), about(from), about(up_to));
                    write!(f, "{verb} from about {from} to {up_to} nodes per move")
                }
                None => write!(f, "is not separable from {fewest} to {most} nodes per move"),
            },
            (Separation::Open, _) => {
                write!(f, "{} from about {from} nodes per move on", verb(last))
            }
            (_, Separation::Open) => {
                write!(f, "{} up to about {up_to} nodes per move", verb(first))
            }
            _ if first == last => {
                write!(f, "{} from {fewest} to {most} nodes per move", verb(first))
            }
            _ => write!(
                f,
                "{} up to about {up_to} nodes per move and {} from about {from} on",
                verb(first),
                verb(last)
            ),
        }
    }
}

/// Nodes to two digits.
fn about(nodes: f64) -> String {
    let digit = 10f64.powf(nodes.log10().floor() - 1.0).max(1.0);
    grouped(((nodes / digit).round() * digit) as u64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use arena::Opponent;

    fn limit(nodes: u64) -> Limit {
        Limit::Nodes(nodes.try_into().unwrap())
    }

    /// Leads of one set's seeds under each limit, with the standard error of their games.
    fn leads(points: &[(u64, &[f64])], error: f64) -> Vec<LeadsAt> {
        let of = |&(nodes, elos): &(u64, &[f64])| {
            let opponent = |net| Opponent { variant: 0, net };
            let seed = |(net, &elo): (usize, &f64)| SeedEstimate::new(elo, error, opponent(net));
            let seeds: Vec<SeedEstimate> = elos.iter().enumerate().filter_map(seed).collect();
            let pooled = pool(std::slice::from_ref(&seeds), &[])[0].map(|pooled| pooled.elo);
            LeadsAt { limit: limit(nodes), seeds: vec![seeds], pooled: vec![pooled] }
        };
        points.iter().map(of).collect()
    }

    fn line(points: &[(u64, &[f64])], error: f64) -> NodesLine {
        lines(Odds::FixedNodes, &leads(points, error)).swap_remove(0).unwrap()
    }

    fn text(points: &[(u64, &[f64])], error: f64) -> String {
        line(points, error).region().unwrap().to_string()
    }

    #[test]
    fn two_limits_are_on_their_line() {
        let line = line(&[(1_000, &[-40.0, -44.0, -36.0]), (16_000, &[40.0, 44.0, 36.0])], 3.0);
        let (first, last) = (line.line[0], line.line[PLACES - 1]);
        assert!((first.1.value + 40.0).abs() < 1e-9 && (last.1.value - 40.0).abs() < 1e-9);
        assert!((first.0 - 1_000.0).abs() < 1e-6 && (last.0 - 16_000.0).abs() < 1e-6);
        for ((nodes, measured), (_, on_line)) in line.measured.iter().zip([first, last]) {
            assert!((measured.margin() - on_line.margin()).abs() < 1e-6, "{nodes}");
        }
        let middle = line.line[PLACES / 2].1;
        assert!(middle.value.abs() < 1e-9 && middle.margin() < first.1.margin());
    }

    #[test]
    fn a_third_limit_narrows_the_line_and_is_not_forced_through() {
        let outer: [(u64, &[f64]); 2] = [(1_000, &[10.0, 12.0]), (100_000, &[30.0, 32.0])];
        let with = [outer[0], (10_000, &[25.0, 27.0]), outer[1]];
        let (two, three) = (line(&outer, 5.0), line(&with, 5.0));
        let middle = |line: &NodesLine| line.line[PLACES / 2].1;
        assert!((middle(&two).value - 21.0).abs() < 1e-9);
        assert!((middle(&three).value - (11.0 + 26.0 + 31.0) / 3.0).abs() < 1e-9);
        assert!(middle(&three).margin() < middle(&two).margin());
    }

    #[test]
    fn a_region_is_a_sentence() {
        let of = |low: f64, high: f64| {
            let (low, high) = ([low; 3], [high; 3]);
            text(&[(1_000, &low), (25_000, &high)], 4.0)
        };
        assert_eq!(of(30.0, 40.0), "gains from 1,000 to 25,000 nodes per move");
        assert_eq!(of(-30.0, -40.0), "loses from 1,000 to 25,000 nodes per move");
        assert_eq!(of(0.5, 0.0), "is not separable from 1,000 to 25,000 nodes per move");
        assert!(of(0.0, 40.0).starts_with("gains from about "), "{}", of(0.0, 40.0));
        assert!(of(-40.0, 0.0).starts_with("loses up to about "), "{}", of(-40.0, 0.0));
        let crossing = of(-40.0, 40.0);
        assert!(crossing.starts_with("loses up to about 4,"), "{crossing}");
        assert!(crossing.contains(" and gains from about 6,"), "{crossing}");
    }

    /// The band is narrowest between the limits, so it excludes 0 there first.
    #[test]
    fn a_region_between_open_ends_is_found() {
        let of = |elo: f64| text(&[(1_000, &[elo]), (25_000, &[elo])], 6.0);
        assert_eq!(of(10.0), "gains from about 1,700 to 15,000 nodes per move");
        assert_eq!(of(-10.0), "loses from about 1,700 to 15,000 nodes per move");
        assert_eq!(of(8.0), "is not separable from 1,000 to 25,000 nodes per move");
    }

    #[test]
    fn the_crossing_is_where_the_interval_leaves_zero() {
        let line = line(&[(1_000, &[-40.0; 3]), (25_000, &[40.0; 3])], 4.0);
        let Region { first: (_, up_to), last: (_, from), .. } = line.region().unwrap();
        assert!(1_000.0 < up_to && up_to < 5_000.0 && 5_000.0 < from && from < 25_000.0);
        // Symmetric about the middle, in the logarithm.
        assert!(((up_to * from).sqrt() / 5_000.0 - 1.0).abs() < 0.01, "{up_to} {from}");
    }

    #[test]
    fn one_number_of_nodes_and_missing_seeds_leave_no_line() {
        let one = leads(&[(1_000, &[1.0, 2.0])], 4.0);
        assert_eq!(lines(Odds::FixedNodes, &one), [None]);
        let other = leads(&[(1_000, &[1.0, 2.0]), (5_000, &[1.0])], 4.0);
        assert_eq!(lines(Odds::FixedNodes, &other), [None]);
        let both = leads(&[(1_000, &[1.0, 2.0]), (5_000, &[1.0, 2.0])], 4.0);
        assert_eq!(lines(Odds::EqualTime, &both), [None]);
        assert!(lines(Odds::FixedNodes, &both)[0].is_some());
        assert!(lines(Odds::FixedNodes, &[]).is_empty());
    }
}
