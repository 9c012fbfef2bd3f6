//! Findings as sentences: none stronger than its intervals allow, and like compared with like
//! first.

mod answer;
mod best;
mod folded;
mod strength;

use super::clock;
use super::lineup::{Entry, Lineup};
use super::model::Report;
use super::null;
use super::{loss_and_cost, loss_elo};
use base::estimate::Estimate;
use base::format::compact;
use report::{Fact, Finding, Mark};
use strength::Strength;

/// The answer in three figures; empty without a verdict.
pub(super) fn answer(report: &Report, lineup: &Lineup<'_>) -> Vec<Fact> {
    answer::facts(report, lineup)
}

/// All findings: the best of each feature set; sets on equal data, the strongest first; the effect of
/// more data; comparisons on unequal data; the clock; the null; Elo of time, of loss and time per node,
/// and of the loss; last the validation loss.
pub(super) fn findings(report: &Report) -> Vec<Finding> {
    let lineup = Lineup::of(report);
    best::finding(report, &lineup)
        .into_iter()
        .chain(on_equal_data(report, &lineup))
        .chain(more_positions(report))
        .chain(on_other_data(report, &lineup))
        .chain(clock::findings(report, &lineup))
        .chain(null::finding(report))
        .chain(price(report))
        .chain(loss_and_cost::finding(report, &lineup))
        .chain(loss_elo::finding(report, &lineup))
        .chain(lowest_loss(report, &lineup))
        .collect()
}

/// Sets against the reference, and against the reference's set with as many positions.
fn on_equal_data(report: &Report, lineup: &Lineup) -> Vec<Finding> {
    // Of equal leads those over the reference itself come first.
    let (same, other): (Vec<&Entry<'_>>, Vec<&Entry<'_>>) =
        compared(lineup).partition(|entry| report.is_on_equal_data(entry.set));
    let against = |entry| of_equal_data(report, lineup, entry);
    let all: Vec<Strength<'_>> = same.into_iter().chain(other).filter_map(against).collect();
    let over = match report.sets.iter().any(|set| set.over_peer.is_some()) {
        true => "the reference's set on the same number of positions",
        false => report.reference.as_str(),
    };
    let of_all = report.counted(all.len());
    folded::findings(all, &of_all, over)
}

fn of_equal_data<'a>(
    report: &'a Report,
    lineup: &Lineup,
    entry: &'a Entry<'a>,
) -> Option<Strength<'a>> {
    match report.is_on_equal_data(entry.set) {
        true => Strength::over_reference(entry, &lineup.limits, &report.reference),
        false => Strength::over_peer(entry),
    }
}

fn compared<'a>(lineup: &'a Lineup<'a>) -> impl Iterator<Item = &'a Entry<'a>> {
    lineup.entries.iter().filter(|entry| !entry.is_reference)
}

/// A remark on sets trained on more or fewer positions than the reference: their gain over it is
/// one of the data too, and no verdict on their features.
fn on_other_data(report: &Report, lineup: &Lineup) -> Option<Finding> {
    let is_other = |entry: &&Entry| {
        !report.is_on_equal_data(entry.set) && lineup.limits.iter().any(|l| entry.elo(*l).is_some())
    };
    let sets = compared(lineup).filter(is_other).count();
    let text = format!(
        "trained on another number of positions than {}: their Elo, in the table, includes the effect of \
         the data.",
        report.reference
    );
    (sets > 0).then(|| Finding { mark: Mark::Remark, subject: report.counted(sets), text })
}

/// Effect of more positions.
fn more_positions(report: &Report) -> impl Iterator<Item = Finding> {
    let rows = report.learning.iter().flat_map(|curves| &curves.rows);
    rows.filter_map(|row| {
        let (positions, lead) = row.leads.last()?;
        let text = format!(
            "over numbers of positions: {} ({} {} at {}).",
            row.verdict,
            lead.signed(),
            row.unit,
            compact(*positions)
        );
        Some(Finding { mark: row.tone.into(), subject: row.label.clone(), text })
    })
}

fn price(report: &Report) -> Option<Finding> {
    let (price, reference) = (report.price?.signed(), &report.reference);
    let limit = report.price_games.as_ref().map(|games| games.limit);
    let limits =
        limit.and_then(|limit| Some((limit.of_reference(), limit.halved()?.of_reference())));
    let limits = limits.map_or(String::new(), |(all, half)| format!(", {all} against {half}"));
    let text = format!("is worth {price} Elo to {reference}{limits}.");
    Some(Finding { mark: Mark::Remark, subject: "Twice the time".to_owned(), text })
}

/// `None` for losses that do not compare, and for a single loss.
fn lowest_loss(report: &Report, lineup: &Lineup) -> Option<Finding> {
    if !report.losses_compare() {
        return None;
    }
    let mut losses: Vec<(&Entry, Estimate)> = lineup
        .entries
        .iter()
        .filter_map(|entry| Some((entry, entry.set.validation_loss?)))
        .collect();
    losses.sort_by(|a, b| a.1.value.total_cmp(&b.1.value));
    // Of sets on unequal data the one with more has the lower loss.
    let positions = losses.first()?.0.set.positions;
    losses.retain(|(entry, _)| entry.set.positions == positions);
    let [(best, loss), (next, next_loss), ..] = losses[..] else { return None };
    let next = format!("{} ({})", next.label, next_loss.plain());
    let comparison = match loss.is_apart_from(&next_loss) {
        _ if loss.is_of_unknown_spread() => {
            format!("the next is {next}; not separable with one seed")
        }
        true => format!("separable from the next, {next}"),
        false => format!("its interval overlaps that of {next}"),
    };
    // Where games decide, a lower loss is no verdict.
    let mark = match loss.is_apart_from(&next_loss) {
        _ if lineup.deciding().is_some() => Mark::Remark,
        true => Mark::Better,
        false => Mark::NotSeparable,
    };
    Some(Finding {
        mark,
        subject: best.label.clone(),
        text: format!(
            "has the lowest validation loss of {}{}, {}; {comparison}.",
            report.counted(losses.len()),
            positions.map_or(String::new(), |_| " on the same number of positions".to_owned()),
            loss.plain()
        ),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page::model::{OverPeer, SetRow};
    use crate::page::{self, results};
    use crate::{EloResult, Verdict};
    use arena::{Limit, TooManyForfeits};
    use report::Table;
    use report::render::terminal;

    fn table(report: &Report) -> Table {
        results::table(report, &Lineup::of(report))
    }

    fn nodes() -> Limit {
        Limit::Nodes(1_000.try_into().unwrap())
    }

    fn ms() -> Limit {
        Limit::MovetimeMs(20.try_into().unwrap())
    }

    fn first_finding(
        by_nodes: Option<Estimate>,
        by_time: Option<Estimate>,
        pays: Option<Verdict>,
    ) -> Finding {
        let mut report = crate::page::tests::demo::report();
        report.sets.truncate(2);
        let limits = [(nodes(), by_nodes), (ms(), by_time)];
        report.sets[1].elo = limits
            .into_iter()
            .filter_map(|(limit, estimate)| {
                Some(EloResult { limit, estimate: estimate?, games: 400, too_many_forfeits: None })
            })
            .collect();
        report.sets[1].cost = Some(Estimate::new(2.1, 2.05, 2.15));
        report.sets[1].pays = pays;
        findings(&report).swap_remove(0)
    }

    #[test]
    fn the_verdict_on_pay_comes_first() {
        let gain = Estimate::new(43.0, 14.0, 72.0);
        let finding = first_finding(
            Some(gain),
            Some(Estimate::new(-38.0, -43.0, -33.0)),
            Some(Verdict::DoesNotPay),
        );
        assert_eq!(finding.mark, Mark::Worse);
        assert_eq!(
            finding.text,
            "does not pay: it beats ALL by 43 ± 29 Elo at 1,000 nodes and loses 38.0 ± 5.0 Elo at \
             20 ms per move; time per node × 2.100 ± 0.050."
        );
    }

    #[test]
    fn results_with_many_forfeits_are_marked_without_a_figure() {
        let mut report = crate::page::tests::demo::report();
        report.sets.truncate(2);
        report.sets[1].pays = None;
        report.sets[1].elo.truncate(1);
        report.sets[1].elo[0].too_many_forfeits = TooManyForfeits::of(13, 40);
        let finding = findings(&report).swap_remove(0);
        assert_eq!((finding.mark, finding.mark.sign()), (Mark::NoVerdict, "?"));
        let text = "no verdict at 1,000 nodes: 13 of 40 games were forfeited \
                    (more than 1 %).";
        assert!(finding.text.ends_with(text), "{}", finding.text);
        assert!(!finding.text.contains("beats") && !finding.text.contains("43"), "{finding:?}");
        let table = table(&report);
        let elo = table.columns.iter().position(|column| column.key.starts_with("elo_")).unwrap();
        assert_eq!(table.rows[0].cells[elo].mark, Some(Mark::NoVerdict), "{table:?}");
    }

    #[test]
    fn of_several_clocks_the_first_tells_whether_it_pays() {
        let mut report = crate::page::tests::demo::report();
        report.sets.truncate(2);
        report.sets[1].pays = Some(Verdict::Pays);
        let clock = report.sets[1].elo.iter().position(|elo| elo.limit.is_timed()).unwrap();
        let slower = Limit::MovetimeMs(500.try_into().unwrap());
        let later = EloResult {
            limit: slower,
            too_many_forfeits: TooManyForfeits::of(13, 40),
            ..report.sets[1].elo[clock]
        };
        report.sets[1].elo.push(later);
        assert!(findings(&report)[0].text.starts_with("pays: it "), "{:?}", findings(&report));
        report.sets[1].elo[clock].too_many_forfeits = TooManyForfeits::of(13, 40);
        let finding = findings(&report).swap_remove(0);
        assert_eq!(finding.mark, Mark::NoVerdict);
        let withheld = finding.text.split_once("; no verdict at 20 ms per move: 13 of 40 games");
        let before = withheld.map(|(before, _)| before).unwrap_or_default();
        assert!(before.contains("at 1,000 nodes") && !before.contains("20 ms"), "{}", finding.text);
    }

    #[test]
    fn an_interval_over_zero_is_not_a_win() {
        let finding = first_finding(Some(Estimate::new(20.0, -10.0, 50.0)), None, None);
        assert_eq!(finding.mark, Mark::NotSeparable);
        assert_eq!(
            finding.text,
            "is not separable from ALL at 1,000 nodes (+20 ± 30 Elo); time per node × 2.100 ± 0.050."
        );
    }

    #[test]
    fn a_match_won_to_the_last_game_bounds_from_below() {
        let all_won = Estimate::new(f64::INFINITY, 320.0, f64::INFINITY);
        assert_eq!(
            first_finding(Some(all_won), None, None).text.split(';').next(),
            Some("beats ALL by more than 320 Elo at 1,000 nodes")
        );
        let all_lost = first_finding(Some(all_won.negated()), None, None);
        assert!(all_lost.text.starts_with("loses to ALL by more than 320 Elo at 1,000 nodes;"));
    }

    #[test]
    fn overlapping_losses_are_called_so() {
        let mut report = crate::page::tests::demo::report();
        let last = |report: &Report| findings(report).pop().expect("a finding about the loss");
        for (set, value) in report.sets.iter_mut().zip(1..) {
            let value = f64::from(value);
            set.validation_loss = Some(Estimate::new(value, value - 0.1, value + 0.1));
        }
        assert!(last(&report).text.contains("separable from the next"));
        report.sets[0].validation_loss = Some(Estimate::new(1.0, 0.0, 2.0));
        assert!(last(&report).text.contains("overlaps that of"));
    }

    /// A difference of loss exponents, filters or labels makes losses of any two sizes.
    #[test]
    fn losses_that_are_different_functions_are_not_compared() {
        let mut report = crate::page::tests::demo::report();
        let tells_losses = |report: &Report| {
            findings(report).iter().any(|finding| finding.text.contains("validation loss"))
        };
        let title = |report: &Report| {
            let columns = table(report).columns;
            let of_losses = |title: &String| title.contains("validation loss");
            columns.into_iter().map(|column| column.title).find(of_losses).unwrap()
        };
        assert!(tells_losses(&report));
        assert_eq!(title(&report), "validation loss");
        report.sets[2].held_out_split = 1;
        assert!(!tells_losses(&report));
        assert_eq!(title(&report), "validation loss, not comparable");
        let shown = terminal::page(&page::of(&report).unwrap(), None);
        assert!(shown.contains("do not compare"), "{shown}");
    }

    /// Three sets at two sizes of the data; the larger size wins with every set.
    fn two_sizes() -> Report {
        let mut report = crate::page::tests::demo::report();
        let elo = |set: &SetRow| set.elo.first().copied();
        report.sets.truncate(3);
        for set in &mut report.sets {
            (set.positions, set.variant) = (Some(2), "positions = 2".to_owned());
            (set.pays, set.cost) = (None, None);
        }
        report.reference = "ALL · positions = 2".to_owned();
        let mut larger = report.sets.clone();
        for set in &mut larger {
            (set.positions, set.variant) = (Some(20), "positions = 20".to_owned());
            let peer = "ALL · positions = 20".to_owned();
            set.over_peer = elo(set).map(|elo| OverPeer { peer, elo });
            set.elo = report.sets[1].elo.clone();
            set.elo.iter_mut().for_each(|elo| elo.estimate = Estimate::symmetric(200.0, 20.0));
        }
        report.sets.extend(larger);
        report
    }

    #[test]
    fn equal_data_come_first_and_other_data_bear_no_mark() {
        let found = findings(&two_sizes());
        let of = |finding: &Finding| (finding.mark.sign(), finding.subject.clone());
        let larger = "ALL + PV · positions = 20";
        assert_eq!(of(&found[0]), ("▲", "ALL + PV · positions = 2".to_owned()), "{found:?}");
        let over_peer = found.iter().find(|finding| finding.subject == larger).unwrap();
        assert!(over_peer.text.contains("beats ALL · positions = 20 by 43"), "{over_peer:?}");
        assert!(found.iter().all(|finding| !finding.text.contains("200")), "{found:?}");
        let other = found.iter().position(|finding| finding.subject == "3 variants").unwrap();
        assert_eq!((other, found[other].mark), (4, Mark::Remark), "{found:?}");
        let loss = found.last().unwrap();
        assert!(loss.text.contains("of 3 variants on the same number of positions"), "{loss:?}");
    }

    #[test]
    fn many_sets_share_a_sentence_for_each_way_to_compare() {
        let mut report = crate::page::tests::demo::report();
        for i in 0..6 {
            let mut set = report.sets[1].clone();
            set.variant = format!("epochs = {i}");
            report.sets.push(set);
        }
        let found = findings(&report);
        let of_strength: Vec<&Finding> =
            found.iter().filter(|finding| finding.subject.ends_with("of 11 variants")).collect();
        assert_eq!(of_strength.len(), 2, "{found:?}");
        assert_eq!(found.len(), 2 + 3, "Elo of time, of the loss, and the loss: {found:?}");
        assert!(of_strength[1].text.starts_with("are weaker than ALL at 20 ms per move: H + V:"));
    }

    /// Sets without games on the clock are decided at fixed nodes.
    #[test]
    fn sentences_about_many_sets_name_a_single_limit() {
        let mut report = crate::page::tests::demo::report();
        for i in 0..6 {
            let mut set = report.sets[1].clone();
            set.variant = format!("epochs = {i}");
            set.pays = None;
            set.elo.truncate(1);
            report.sets.push(set);
        }
        report.sets[6].elo[0].too_many_forfeits = TooManyForfeits::of(13, 40);
        let found = findings(&report);
        let text = |start: &str| {
            let mut texts = found.iter().map(|finding| finding.text.as_str());
            texts.find(|text| text.starts_with(start)).unwrap_or_else(|| panic!("{found:?}"))
        };
        let stronger = text("are stronger than ALL at 1,000 nodes: ");
        assert!(stronger.ends_with(" and 2 more (Elo)."), "{stronger}");
        assert!(!text("are weaker than ALL at 20 ms per move: ").contains("epochs"));
        let invalid = text("is without a verdict at 1,000 nodes, too many forfeits: ");
        assert!(invalid.ends_with("epochs = 0."), "{invalid}");
    }
}
