//! Effect of more positions: curves over the number of positions, and a verdict on each set that
//! the largest size checks.

use serde::Deserialize;

use super::sound;
use super::strength::Strengths;
use super::variant_results::VariantResults;
use crate::EvaluationPlan;
use crate::curve::{LearningCurve, Point};
use crate::page::model::{DataRow, LearningCurves};
use base::Estimate;
use base::estimate::Separation;
use plan::{PlanError, Results};
use report::{CurveSeries, LearningPanel};

/// Range of the extrapolation, as a multiple of the largest size.
const HORIZON: f64 = 100.0;

/// Steps per doubling on the way there.
const STEPS: i32 = 4;

/// Elo differences below this are negligible.
const NEGLIGIBLE_ELO: f64 = 5.0;

/// The same of a loss, as a share of the reference's.
const NEGLIGIBLE_LOSS: f64 = 0.001;

/// Used fields of the result of a job that prepares positions.
#[derive(Deserialize)]
struct Prepared {
    train: u64,
    #[serde(default)]
    distinct: u64,
}

/// A set at all its sizes, by their places among the variants.
struct Series {
    label: String,
    /// From the smallest number of positions to the largest.
    sizes: Vec<Size>,
}

struct Size {
    variant: usize,
    /// Number of positions in the grid.
    requested: u64,
    /// Number of distinct training positions.
    positions: f64,
}

/// The curves of all sets of a grid that varies the number of positions; `None` of others, and
/// before two sizes are measured.
pub(super) fn of(
    evaluation_plan: &EvaluationPlan,
    variants: &[VariantResults<'_>],
    losses: Losses<'_>,
    strengths: &Strengths,
    results: &Results,
) -> Result<Option<LearningCurves>, PlanError> {
    let all = series(variants, results)?;
    let reference = variants
        .get(evaluation_plan.reference)
        .and_then(|variant| variant.definition.data_size.as_ref());
    let Some(reference) = reference.map(|data_size| data_size.series.as_str()) else {
        return Ok(None);
    };
    if all.iter().all(|series| series.sizes.len() < 2) {
        return Ok(None);
    }
    let loss = |size: &Size| losses.means[size.variant];
    let mut panels = Vec::new();
    if losses.compare(&all) {
        panels.push(panel("validation loss", "", &all, &loss));
    }
    if let Some(leads) = &strengths.leads {
        let limit = leads.limit;
        let score = |size: &Size| strengths.at(limit)?.variants[size.variant].score.as_ref();
        let strength = |size: &Size| sound(score(size)).map(|score| score.elo);
        let title = format!("Elo over {} at {limit}", evaluation_plan.reference().label());
        panels.push(panel(&title, "Elo", &all, &strength));
        let others: Vec<&Series> = all.iter().filter(|one| one.label != reference).collect();
        let lead = |size: &Size| leads.of(size.variant);
        let title = format!("Elo over {reference} with the same number of positions at {limit}");
        panels.push(panel(&title, "Elo", others, &lead));
    }
    panels.retain(|panel| !panel.series.is_empty());
    let own = all.iter().find(|one| one.label == reference);
    let others = all.iter().filter(|one| one.label != reference);
    let rows = others.filter_map(|series| {
        let leads = strengths.leads.as_ref();
        let by_elo =
            leads.map(|leads| row(series, &|size| leads.of(size.variant), NEGLIGIBLE_ELO, "Elo"));
        by_elo.flatten().or_else(|| {
            let own = own?;
            let lead = |size: &Size| lead_in_loss(size, own, losses);
            let negligible = NEGLIGIBLE_LOSS * losses.means[own.sizes.last()?.variant]?.value;
            row(series, &lead, negligible, "loss")
        })
    });
    let rows = rows.collect();
    Ok(Some(LearningCurves { reference: reference.to_owned(), panels, rows }))
}

/// Variants that differ by the number of their positions only, in the variants' order.
fn series(variants: &[VariantResults<'_>], results: &Results) -> Result<Vec<Series>, PlanError> {
    let mut all: Vec<Series> = Vec::new();
    for (variant, of_variant) in variants.iter().enumerate() {
        let Some(data_size) = &of_variant.definition.data_size else { continue };
        let Some(found) = results.output::<Prepared>(data_size.positions)? else {
            continue;
        };
        // Results of versions that did not count them say 0.
        let positions = if found.distinct > 0 { found.distinct } else { found.train } as f64;
        let size = Size { variant, requested: data_size.requested, positions };
        match all.iter_mut().find(|series| series.label == data_size.series) {
            Some(series) => series.sizes.push(size),
            None => all.push(Series { label: data_size.series.clone(), sizes: vec![size] }),
        }
    }
    all.iter_mut()
        .for_each(|series| series.sizes.sort_by(|a, b| a.positions.total_cmp(&b.positions)));
    Ok(all)
}

/// Mean validation losses of variants, and their held-out splits.
#[derive(Clone, Copy)]
pub(super) struct Losses<'l> {
    pub means: &'l [Option<Estimate>],
    pub held_out_splits: &'l [usize],
}

impl Losses<'_> {
    /// Whether those of all sets are one function of the same positions.
    fn compare(self, all: &[Series]) -> bool {
        let mut sizes = all.iter().flat_map(|series| &series.sizes);
        let first = sizes.next().map(|size| self.held_out_splits[size.variant]);
        sizes.all(|size| Some(self.held_out_splits[size.variant]) == first)
    }
}

/// Loss reduction against the reference on as many positions, where both have one held-out split.
fn lead_in_loss(size: &Size, reference: &Series, losses: Losses<'_>) -> Option<Estimate> {
    let twin = reference.sizes.iter().find(|twin| twin.requested == size.requested)?;
    if losses.held_out_splits[size.variant] != losses.held_out_splits[twin.variant] {
        return None;
    }
    let (own, other) = (losses.means[size.variant]?, losses.means[twin.variant]?);
    let margin = own.margin().hypot(other.margin());
    Some(Estimate::symmetric(other.value - own.value, margin))
}

fn point(size: &Size, measured: &dyn Fn(&Size) -> Option<Estimate>) -> Option<Point> {
    let estimate = measured(size)?;
    let error = estimate.standard_error()?;
    Some(Point { positions: size.positions, value: estimate.value, error })
}

fn panel<'s>(
    title: &str,
    unit: &str,
    all: impl IntoIterator<Item = &'s Series>,
    measured: &dyn Fn(&Size) -> Option<Estimate>,
) -> LearningPanel {
    let of_series = |series: &Series| {
        let points: Vec<(f64, Estimate)> = (series.sizes.iter())
            .filter_map(|size| Some((size.positions, measured(size)?)))
            .collect();
        let fitted: Vec<Point> =
            series.sizes.iter().filter_map(|size| point(size, measured)).collect();
        let curve = LearningCurve::through(&fitted);
        let band = curve.map_or_else(Vec::new, |curve| band(&curve, &fitted));
        (!points.is_empty()).then(|| CurveSeries {
            label: series.label.clone(),
            points,
            band,
            ..CurveSeries::default()
        })
    };
    let series = all.into_iter().filter_map(of_series).collect();
    let across = "distinct positions".to_owned();
    LearningPanel {
        title: title.to_owned(),
        remark: String::new(),
        unit: unit.to_owned(),
        across,
        series,
    }
}

/// Where the curve runs, from its first point to four times its last.
fn band(curve: &LearningCurve, points: &[Point]) -> Vec<(f64, Estimate)> {
    let first = points.iter().map(|point| point.positions).fold(f64::INFINITY, f64::min);
    let steps = (STEPS as f64 * (4.0 * curve.largest() / first).log2()).ceil() as i32;
    let at = (0..=steps).map(|step| first * 2f64.powf(f64::from(step) / f64::from(STEPS)));
    at.map(|positions| (positions, curve.at(positions))).collect()
}

fn row(
    series: &Series,
    lead: &dyn Fn(&Size) -> Option<Estimate>,
    negligible: f64,
    unit: &'static str,
) -> Option<DataRow> {
    // The points of the curve are bounded leads alone.
    let bounded = |size: &Size| lead(size).filter(Estimate::is_bounded);
    let leads: Vec<(f64, Estimate)> =
        series.sizes.iter().filter_map(|size| Some((size.positions, bounded(size)?))).collect();
    let points: Vec<Point> = series.sizes.iter().filter_map(|size| point(size, lead)).collect();
    let (largest, before) = points.split_last()?;
    let curve = LearningCurve::through(&points)?;
    let measured = leads.last()?.1;
    let predicted = LearningCurve::through(before)
        .map(|curve| curve.predicts(largest.positions, largest.error));
    let verdict = DataVerdict::of(&curve, measured, predicted, negligible);
    let tone = verdict.standing;
    Some(DataRow {
        label: series.label.clone(),
        unit,
        leads,
        predicted,
        tone,
        verdict: verdict.to_string(),
    })
}

/// Verdict on a set with more positions.
#[derive(Clone, Copy, Debug, PartialEq)]
struct DataVerdict {
    /// Separation from the reference at the largest size.
    standing: Separation,
    outlook: Outlook,
}

/// Effect of more positions.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Outlook {
    /// No change within the extrapolated range.
    Stays,
    /// The lead vanishes at about this number of positions.
    TurnsAbout(f64),
    /// Separated at about this number of positions.
    NeedsAbout(f64),
    /// The curve leaves it open.
    Open,
    /// There are too few sizes to hold the curve to account.
    Untested,
    /// The curve of the smaller sizes misses the largest: no prediction for larger ones.
    Refuted,
}

impl DataVerdict {
    fn of(
        curve: &LearningCurve,
        measured: Estimate,
        predicted: Option<Estimate>,
        negligible: f64,
    ) -> Self {
        let standing = measured.verdict();
        let outlook = match predicted {
            None => Outlook::Untested,
            Some(predicted) if !predicted.covers(measured.value) => Outlook::Refuted,
            Some(_) => Outlook::of(curve, standing, negligible),
        };
        Self { standing, outlook }
    }
}

impl Outlook {
    fn of(curve: &LearningCurve, standing: Separation, negligible: f64) -> Self {
        let steps = (f64::from(STEPS) * HORIZON.log2()).round() as i32;
        let sizes =
            (1..=steps).map(|step| curve.largest() * 2f64.powf(f64::from(step) / f64::from(STEPS)));
        let sign = match standing {
            Separation::Better => 1.0,
            Separation::Worse => -1.0,
            Separation::Open => {
                let apart = |at: &f64| curve.at(*at).verdict() != Separation::Open;
                let end = curve.at(HORIZON * curve.largest());
                return match sizes.clone().find(apart) {
                    Some(at) => Self::NeedsAbout(at),
                    None if end.low.abs().max(end.high.abs()) <= negligible => Self::Stays,
                    None => Self::Open,
                };
            }
        };
        if let Some(at) = sizes.clone().find(|at| sign * curve.at(*at).value < 0.0) {
            return Self::TurnsAbout(at);
        }
        match curve.at(HORIZON * curve.largest()).verdict() == standing {
            true => Self::Stays,
            false => Self::Open,
        }
    }
}

impl std::fmt::Display for DataVerdict {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let about = |positions: f64| {
            format!("about {} positions", base::format::compact(rounded(positions)))
        };
        let is_open = self.standing == Separation::Open;
        let standing = if is_open { "not separated" } else { "separated" };
        match self.outlook {
            Outlook::Stays if is_open => {
                f.write_str("no difference, and more data will not change this")
            }
            Outlook::Stays => write!(f, "{standing}, and more data will not change this"),
            Outlook::TurnsAbout(at) => {
                write!(f, "{standing}, but the sign may change at {}", about(at))
            }
            Outlook::NeedsAbout(at) => write!(f, "separation needs {}", about(at)),
            Outlook::Open => {
                write!(f, "{standing}; the effect of more data is open")
            }
            Outlook::Untested => {
                write!(f, "{standing}; the effect of more data needs at least three sizes")
            }
            Outlook::Refuted => write!(
                f,
                "{standing}; no verdict on more data: the curve of the smaller sizes misses the largest"
            ),
        }
    }
}

/// Two significant digits: the extrapolation has no more.
fn rounded(positions: f64) -> f64 {
    let unit = 10f64.powf(positions.log10().floor() - 1.0);
    (positions / unit).round() * unit
}

#[cfg(test)]
mod tests {
    use super::*;

    fn verdict(leads: &[(f64, f64)], error: f64) -> String {
        let points: Vec<Point> =
            leads.iter().map(|&(positions, value)| Point { positions, value, error }).collect();
        let curve = LearningCurve::through(&points).unwrap();
        let (last, before) = points.split_last().unwrap();
        let predicted =
            LearningCurve::through(before).map(|curve| curve.predicts(last.positions, last.error));
        let measured = Estimate::symmetric(last.value, 1.96 * error);
        DataVerdict::of(&curve, measured, predicted, NEGLIGIBLE_ELO).to_string()
    }

    #[test]
    fn a_lead_that_lasts_is_separated_for_good() {
        let lasting = verdict(&[(1e6, 40.0), (4e6, 42.0), (16e6, 43.0)], 3.0);
        assert_eq!(lasting, "separated, and more data will not change this");
        let worse = verdict(&[(1e6, -40.0), (4e6, -42.0), (16e6, -43.0)], 3.0);
        assert_eq!(worse, lasting);
    }

    #[test]
    fn a_gap_that_closes_may_turn() {
        let closing = verdict(&[(1e6, -90.0), (4e6, -60.0), (16e6, -30.0)], 3.0);
        assert!(closing.starts_with("separated, but the sign may change at about "), "{closing}");
        let positions =
            closing.strip_prefix("separated, but the sign may change at about ").unwrap();
        // 30 Elo a fourfold, if the gain is steady; a curve that levels off needs more.
        assert!(
            ["64M", "76M", "91M", "110M", "130M"].iter().any(|p| positions.starts_with(p)),
            "{positions}"
        );
    }

    #[test]
    fn a_trend_says_how_many_would_be_needed() {
        let coming = verdict(&[(1e6, -60.0), (4e6, -30.0), (16e6, 1.0)], 3.0);
        assert!(coming.starts_with("separation needs about "), "{coming}");
        let flat = verdict(&[(1e6, 0.2), (4e6, -0.1), (16e6, 0.1)], 0.3);
        assert_eq!(flat, "no difference, and more data will not change this");
        let noise = verdict(&[(1e6, 5.0), (4e6, -9.0), (16e6, 4.0)], 12.0);
        assert_eq!(noise, "not separated; the effect of more data is open");
    }

    #[test]
    fn a_curve_is_held_to_account() {
        let turned = verdict(&[(1e6, 0.0), (4e6, 30.0), (16e6, -40.0)], 3.0);
        assert!(turned.contains("misses the largest"), "{turned}");
        let two = verdict(&[(1e6, 20.0), (4e6, 30.0)], 3.0);
        assert!(two.contains("three sizes"), "{two}");
    }

    #[test]
    fn numbers_of_positions_are_round() {
        assert_eq!([rounded(63_512_345.0), rounded(1_049_000.0)], [64e6, 1e6]);
    }
}
