//! Agreement of leads at few and at many nodes: do games with few nodes give the verdicts of games
//! with many?

use base::Estimate;
use base::estimate::Separation;

use crate::origin_line::{self, Point};

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
    /// `None` with fewer than three sets, or with leads of 0 at few nodes.
    pub(crate) fn of(reference: &str, leads: &[Leads<'_>]) -> Option<Self> {
        let is_bounded = |it: &&Leads<'_>| it.few.is_bounded() && it.many.is_bounded();
        let leads: Vec<Leads<'_>> = leads.iter().filter(is_bounded).copied().collect();
        let points: Vec<Point> = leads.iter().map(|it| Point { x: it.few, y: it.many }).collect();
        if points.len() < 3 {
            return None;
        }
        let slope = origin_line::slope(&points)?;
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

#[cfg(test)]
mod tests {
    use super::*;

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
}
