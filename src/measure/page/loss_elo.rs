//! Loss against Elo: the scatter of all nets, the line through their sets, and its slope.

use super::lineup::Lineup;
use super::model::{Report, RunRow, SetRow};
use crate::loss_elo::{LossElo, NetPoint, NoSlope, SetPoints, Slope};
use arena::Limit;
use base::Estimate;
use base::estimate::Separation;
use base::format::{counted, fixed};
use report::Format::{Count, Fixed, Id, Number, Signed, Text};
use report::plot::scatter::{self, Group, Line, Titles};
use report::plot::{DrawError, Svg};
use report::{Column, Figure, Finding, Mark, Part, Section, Table};

/// Key of the sheet of all nets.
pub(crate) const NETS: &str = "loss-elo";

/// Figures under one limit at fixed nodes or depth; a clock would mix in what nodes cost.
struct AtLimit {
    limit: Limit,
    loss_elo: LossElo,
}

fn at_limits(report: &Report, lineup: &Lineup<'_>) -> Vec<AtLimit> {
    let at = |limit| Some(AtLimit { limit, loss_elo: LossElo::of(comparable(report, limit)?)? });
    lineup.untimed().filter_map(at).collect()
}

/// The sets whose losses are the same function as the reference's; `None` without the reference.
fn comparable(report: &Report, limit: Limit) -> Option<impl Iterator<Item = SetPoints> + '_> {
    let split = report.reference_set()?.held_out_split;
    let sets = report.sets.iter().filter(move |set| set.held_out_split == split);
    Some(sets.map(move |set| points(report, set, limit)))
}

fn points(report: &Report, set: &SetRow, limit: Limit) -> SetPoints {
    let label = set.label();
    let is_reference = label == report.reference;
    let net = |run: &RunRow| {
        let elo = if is_reference { Estimate::new(0.0, 0.0, 0.0) } else { run.sound_elo(limit)? };
        Some(NetPoint { seed: run.seed, loss: run.loss()?, elo })
    };
    let nets = set.runs.iter().filter_map(net).collect();
    SetPoints { label, is_reference, nets }
}

/// `None` without games at fixed nodes, or without losses.
pub(super) fn section(report: &Report, lineup: &Lineup<'_>) -> Result<Option<Section>, DrawError> {
    let at_limits = at_limits(report, lineup);
    let mut parts = Vec::new();
    if let Some(first) = at_limits.first() {
        parts.extend(figure(report, lineup, first)?.map(Part::Figure));
    }
    let slopes: Vec<(Limit, &LossElo, Slope)> = at_limits
        .iter()
        .filter_map(|at| Some((at.limit, &at.loss_elo, at.loss_elo.slope().ok()?)))
        .collect();
    if !slopes.is_empty() {
        parts.push(Part::Table(table(&slopes)));
    }
    parts.extend(reason(report, lineup, &at_limits).map(Part::Words));
    Ok((!parts.is_empty()).then(|| Section::new("loss-against-elo", "Loss against Elo", parts)))
}

/// The reason for the absence of a slope, where losses and games could be expected to have one.
fn reason(report: &Report, lineup: &Lineup<'_>, at_limits: &[AtLimit]) -> Option<String> {
    lineup.untimed().next()?;
    let with_losses = report.sets.iter().filter(|set| set.has_losses()).count();
    let problem = match at_limits.first() {
        Some(first) => first.loss_elo.slope().err()?,
        None if with_losses > 1 => NoSlope::FewSets(0),
        None => return None,
    };
    let others = match report.losses_compare() {
        true => "",
        false => " (losses of other positions, targets or exponents do not compare)",
    };
    Some(format!("No line and no slope: {problem}{others}."))
}

fn figure(
    report: &Report,
    lineup: &Lineup<'_>,
    AtLimit { limit, loss_elo }: &AtLimit,
) -> Result<Option<Figure>, DrawError> {
    let Some(svg) = picture(report, lineup, *limit, loss_elo)? else { return Ok(None) };
    let drawn = match loss_elo.slope() {
        Ok(_) => {
            " Line: through the means of the sets (markers), corrected for the seeds' scatter of \
             the losses; band: the 95 % interval of its slope."
        }
        Err(_) => " Markers: means of the sets.",
    };
    let caption = format!(
        "Rings: {} of {}, each with the 95 % interval of its games; the rings at 0 are nets of \
         {}.{drawn} Nets that won or lost every game are missing.",
        counted(loss_elo.nets() as u64, "net"),
        report.counted(loss_elo.compared()),
        report.reference,
    );
    let title = format!("Loss against Elo, {limit}");
    Ok(Some(Figure { id: NETS.to_owned(), title, caption, svg }))
}

fn picture(
    report: &Report,
    lineup: &Lineup<'_>,
    limit: Limit,
    loss_elo: &LossElo,
) -> Result<Option<Svg>, DrawError> {
    // Down is a lower loss and to the left.
    let difference = |net: &NetPoint| -loss_elo.reduction(net.loss);
    let group = |set: &SetPoints| Group {
        label: set.label.clone(),
        style: lineup.style_of(&set.label),
        members: set.nets.iter().map(|net| (difference(net), net.elo)).collect(),
    };
    let groups: Vec<Group> = loss_elo.sets().iter().map(group).collect();
    let line = loss_elo.slope().ok().map(|Slope { elo, centre: (reduction, height), .. }| Line {
        through: (-reduction, height),
        slope: elo.negated(),
    });
    let titles = Titles {
        picture: "Validation loss and Elo of each net",
        across: &format!("validation loss over that of {}, %", report.reference),
        up: &format!("Elo over {}, {limit}", report.reference),
    };
    scatter::draw(&groups, line.as_ref(), &titles)
}

fn table(slopes: &[(Limit, &LossElo, Slope)]) -> Table {
    Table::of("loss-elo-slopes", "Elo per cent of loss", slopes)
        .column(Column::new("limit", "", Text).for_programs(), |(limit, ..)| limit.slug())
        .column(Column::new("limit", "limit", Text).for_people(), |(limit, ..)| limit.to_string())
        .column(per_cent(), |(.., slope)| slope.elo)
        .column(off_the_line(), |(.., slope)| slope.scatter)
        .column(Column::new("sets", "sets", Count), |(.., slope)| slope.sets)
        .column(Column::new("nets", "nets", Count), |(_, loss_elo, _)| loss_elo.nets())
        .caption(HOW)
        .table()
}

/// Estimator of the slope.
pub(crate) const HOW: &str = "Elo gain per per cent of the reference's loss: slope of a line through the \
     means of the sets, unweighted, the reference included with Elo 0. The slope is corrected for \
     the scatter of the losses between seeds, which biases it towards 0; the 95 % interval is from \
     the residuals of the sets, by Student's t with the number of sets besides the reference less \
     one as degrees of freedom. It describes these sets and predicts no others.";

/// The column of slopes.
pub(crate) fn per_cent() -> Column {
    Column::estimate("elo_per_percent", "Elo per % of loss", Signed(1))
        .means("For a loss lower by one per cent of the reference's")
}

/// The column of the sets' distances from the line.
pub(crate) fn off_the_line() -> Column {
    Column::new("off_the_line", "off the line", Fixed(0))
        .unit("Elo")
        .means("Residual standard deviation of the sets, noise of the games included")
}

/// The slope at the first limit, as a remark.
pub(super) fn finding(report: &Report, lineup: &Lineup<'_>) -> Option<Finding> {
    let AtLimit { limit, loss_elo } = at_limits(report, lineup).into_iter().next()?;
    let slope = loss_elo.slope().ok()?;
    let worth = worth(&slope.elo);
    let text = format!(
        "{worth}: {} at {limit}, over {} that scatter around the line by {} Elo.",
        slope.elo.signed(),
        report.counted(slope.sets),
        fixed(slope.scatter, 0)
    );
    Some(Finding { mark: Mark::Remark, subject: "A loss lower by 1 %".to_owned(), text })
}

fn worth(slope: &Estimate) -> &'static str {
    match slope.verdict() {
        Separation::Better => "is worth Elo here",
        Separation::Worse => "goes with less Elo here",
        Separation::Open => "does not predict Elo here",
    }
}

/// A row for each net and limit at fixed nodes; reference nets have no Elo.
pub(super) fn nets(report: &Report) -> Table {
    let lineup = Lineup::of(report);
    let at_limits = at_limits(report, &lineup);
    let rows = at_limits.iter().flat_map(|at| {
        let sets = at.loss_elo.sets().iter();
        sets.flat_map(move |set| set.nets.iter().map(move |net| (at, set, net)))
    });
    Table::of(NETS, "Loss and Elo by net", rows)
        .column(Column::new("set", "feature set", Text), |(_, set, _)| &set.label)
        .column(Column::new("seed", "seed", Id), |(.., net)| net.seed)
        .column(Column::new("is_reference", "", Text), |(_, set, _)| set.is_reference)
        .column(Column::new("validation_loss", "validation loss", Number), |(.., net)| net.loss)
        .column(
            Column::new("loss_reduction", "loss reduction", Fixed(2)).unit("%"),
            |(at, _, net)| at.loss_elo.reduction(net.loss),
        )
        .column(Column::new("limit", "limit", Text), |(at, ..)| at.limit.slug())
        .column(Column::estimate("elo", "Elo", Signed(1)), |(_, set, net)| {
            (!set.is_reference).then_some(net.elo)
        })
        .table()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::loss_elo::kept;
    use crate::page::tests::demo;

    fn slope(report: &Report) -> Option<Finding> {
        finding(report, &Lineup::of(report))
    }

    fn words(report: &Report) -> Option<String> {
        let section = section(report, &Lineup::of(report)).unwrap()?;
        section.parts.into_iter().find_map(|part| match part {
            Part::Words(words) => Some(words),
            _ => None,
        })
    }

    #[test]
    fn a_page_tells_the_slope_of_its_sets() {
        let report = demo::report();
        let finding = slope(&report).unwrap();
        assert!(finding.text.starts_with("is worth Elo here: +"), "{finding:?}");
        assert!(finding.text.contains("at 1,000 nodes, over 5 sets"), "{finding:?}");
        assert_eq!(words(&report), None);
    }

    #[test]
    fn a_slope_below_zero_is_no_gain() {
        let lower = Estimate::symmetric(-5.0, 2.0);
        assert_eq!(worth(&lower), "goes with less Elo here");
        assert_eq!(worth(&lower.negated()), "is worth Elo here");
        assert_eq!(worth(&Estimate::symmetric(-5.0, 6.0)), "does not predict Elo here");
    }

    #[test]
    fn pages_without_a_slope_say_why() {
        let mut report = demo::report();
        report.sets.truncate(3);
        assert_eq!(slope(&report), None);
        let text = words(&report).unwrap();
        assert!(
            text.contains("2 sets besides the reference have both a comparable loss"),
            "{text}"
        );
        let mut report = demo::report();
        report.sets[1..].iter_mut().zip(1..).for_each(|(set, split)| set.held_out_split = split);
        let text = words(&report).unwrap();
        assert!(text.contains("no set besides the reference") && text.contains("do not compare"));
        for set in &mut report.sets {
            set.elo.clear();
        }
        assert_eq!(words(&report), None, "no games, no slope");
    }

    #[test]
    fn nets_of_another_split_have_no_place() {
        let mut report = demo::report();
        let nets = |report: &Report| nets(report).rows.len();
        let all = nets(&report);
        assert_eq!(all, report.sets.iter().map(|set| set.runs.len()).sum::<usize>());
        report.sets[2].held_out_split = 7;
        assert_eq!(nets(&report), all - report.sets[2].runs.len());
    }

    /// The slope of a kept page is the one on it.
    #[test]
    fn sheets_read_back_to_the_same_slope() {
        let report = demo::report();
        let dir = tempfile::tempdir().unwrap();
        crate::page::of(&report).unwrap().write(dir.path()).unwrap();
        let kept = kept::read(dir.path()).unwrap().unwrap();
        assert_eq!(kept.len(), 1);
        let own = &at_limits(&report, &Lineup::of(&report))[0];
        assert_eq!(kept[0].0, own.limit.slug());
        let [one, other] = [&kept[0].1, &own.loss_elo].map(|of| of.slope().unwrap().elo);
        assert!((one.value - other.value).abs() < 1e-9, "{one:?}, {other:?}");
        assert!((one.margin() - other.margin()).abs() < 1e-9, "{one:?}, {other:?}");
    }
}
