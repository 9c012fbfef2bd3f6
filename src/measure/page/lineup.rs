//! The sets in the order in which every table and plot shows them, each with
//! its one look.

use super::model::{Report, SetRow};
use crate::EloResult;
use crate::unique::unique;
use arena::Limit;
use base::estimate::Estimate;
use report::plot::theme::Style;

/// A set as the page shows it.
#[derive(Clone, Debug)]
pub(super) struct Entry<'a> {
    /// Its numbers.
    pub set: &'a SetRow,
    pub label: String,
    /// Its colour and marker.
    pub style: Style,
    /// Whether Elo counts from it.
    pub is_reference: bool,
}

impl Entry<'_> {
    /// Elo over the reference under `limit`; nothing for the reference itself.
    pub(super) fn elo(&self, limit: Limit) -> Option<Estimate> {
        self.result(limit).map(|result| result.estimate)
    }

    /// The same of a result that is valid and bounded.
    pub(super) fn sound_elo(&self, limit: Limit) -> Option<Estimate> {
        let result = self.result(limit).filter(|result| result.too_many_forfeits.is_none())?;
        Some(result.estimate).filter(Estimate::is_bounded)
    }

    /// The same with the games behind it.
    pub(super) fn result(&self, limit: Limit) -> Option<&EloResult> {
        if self.is_reference { None } else { self.set.elo_at(limit) }
    }
}

/// All sets, strongest first, and the limits they played under.
#[derive(Clone, Debug)]
pub(super) struct Lineup<'a> {
    /// Sorted by Elo under the deciding limit (the reference at zero), then by
    /// validation loss if losses compare; sets without either stand last, in their own order.
    pub entries: Vec<Entry<'a>>,
    /// Fixed nodes before equal time before clocks, otherwise as they came.
    pub limits: Vec<Limit>,
    /// Feature sets in the report's order.
    features: Vec<&'a str>,
}

impl<'a> Lineup<'a> {
    /// Sorts a report's sets. Colours follow the report's own order, so that a
    /// set keeps its colour when results change. In a grid over feature sets and other axes all
    /// variants of a feature set have its colour, and each variant its marker.
    pub(super) fn of(report: &'a Report) -> Lineup<'a> {
        let limits = limits(report);
        let features = unique(report.sets.iter().map(|set| set.features.as_str()));
        let variants = unique(report.sets.iter().map(|set| set.variant.as_str()));
        let is_grid = features.len() > 1 && features.len() < report.sets.len();
        let mut others = 0;
        let mut entries: Vec<Entry> = Vec::with_capacity(report.sets.len());
        for set in &report.sets {
            let label = set.label();
            let is_reference = label == report.reference;
            let style = match is_grid {
                true => Style {
                    marker: style_in(&variants, &set.variant).marker,
                    ..style_in(&features, &set.features)
                },
                false if is_reference => Style::REFERENCE,
                false => Style::nth(others),
            };
            others += usize::from(!is_reference);
            entries.push(Entry { set, label, style, is_reference });
        }
        let deciding = deciding(&limits);
        let compares = report.losses_compare();
        let loss = |entry: &Entry| if compares { loss(entry) } else { 0.0 };
        entries.sort_by(|a, b| {
            let (elo_a, elo_b) = (strength(a, deciding), strength(b, deciding));
            elo_b.total_cmp(&elo_a).then(loss(a).total_cmp(&loss(b)))
        });
        Lineup { entries, limits, features }
    }

    /// Feature sets in the report's order.
    pub(super) fn features(&self) -> &[&'a str] {
        &self.features
    }

    /// Colour and marker of a feature set on charts over its variants.
    pub(super) fn style_of_features(&self, features: &str) -> Style {
        style_in(&self.features, features)
    }

    /// The limits under which speed counts not.
    pub(super) fn untimed(&self) -> impl Iterator<Item = Limit> {
        self.limits.iter().copied().filter(|limit| !limit.counts_speed())
    }

    /// Whether times per node are those of the moves of games.
    pub(super) fn is_timed_in_games(&self) -> bool {
        self.limits.iter().any(|limit| limit.is_equal_time())
    }

    /// The limit that decides whether sets pay, or else the first.
    pub(super) fn deciding(&self) -> Option<Limit> {
        deciding(&self.limits)
    }

    /// The set that Elo counts from, if it is part of the experiment.
    pub(super) fn reference(&self) -> Option<&Entry<'a>> {
        self.entries.iter().find(|entry| entry.is_reference)
    }

    /// How a set of this name is drawn; unknown names like the reference.
    pub(super) fn style_of(&self, label: &str) -> Style {
        self.entries.iter().find(|e| e.label == label).map_or(Style::REFERENCE, |e| e.style)
    }
}

/// Look of a name by its place among all.
fn style_in(all: &[&str], name: &str) -> Style {
    let place = all.iter().position(|known| *known == name);
    place.map_or(Style::REFERENCE, Style::nth)
}

fn deciding(limits: &[Limit]) -> Option<Limit> {
    Limit::deciding(limits.iter().copied()).or(limits.first().copied())
}

fn strength(entry: &Entry, limit: Option<Limit>) -> f64 {
    match (entry.is_reference, limit.and_then(|limit| entry.elo(limit))) {
        (true, _) if limit.is_some() => 0.0,
        (_, Some(elo)) => elo.value,
        _ => f64::NEG_INFINITY,
    }
}

fn loss(entry: &Entry) -> f64 {
    entry.set.validation_loss.map_or(f64::INFINITY, |loss| loss.value)
}

fn limits(report: &Report) -> Vec<Limit> {
    let mut limits = unique(report.sets.iter().flat_map(|set| &set.elo).map(|elo| elo.limit));
    limits.sort_by_key(|limit| (limit.counts_speed(), limit.is_timed()));
    limits
}
