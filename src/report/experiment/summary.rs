//! What the numbers say, in sentences: one for each set, none stronger than
//! its intervals allow.

use super::lineup::{Entry, Lineup};
use super::model::Report;
use crate::finding::Finding;
use arena::Limit;
use base::estimate::{Estimate, Verdict};
use base::format::{compact, counted};

/// All findings, strongest set first; the validation loss comes last.
pub fn findings(report: &Report) -> Vec<Finding> {
    let lineup = Lineup::of(report);
    let strength = lineup
        .entries
        .iter()
        .filter(|entry| !entry.is_reference)
        .filter_map(|entry| strength(entry, &lineup.limits, &report.reference));
    strength
        .chain(more_positions(report))
        .chain(price(report))
        .chain(lowest_loss(&lineup))
        .collect()
}

/// What more positions would change.
fn more_positions(report: &Report) -> impl Iterator<Item = Finding> {
    let rows = report.learning.iter().flat_map(|curves| &curves.rows);
    rows.filter_map(|row| {
        let (positions, lead) = row.leads.last()?;
        let text = format!(
            "over numbers of positions: {} ({} {} at {}).",
            row.told,
            lead.signed(),
            row.unit,
            compact(*positions)
        );
        Some(Finding { verdict: row.tone, subject: row.label.clone(), text })
    })
}

fn price(report: &Report) -> Option<Finding> {
    let text = format!("is worth {} Elo to {}.", report.price?.signed(), report.reference);
    Some(Finding { verdict: Verdict::Open, subject: "Twice the time".to_owned(), text })
}

/// Whether it pays, if that was asked, and how it did under each limit.
fn strength(entry: &Entry, limits: &[Limit], reference: &str) -> Option<Finding> {
    let played: Vec<(Limit, Estimate)> =
        limits.iter().filter_map(|&limit| Some((limit, entry.elo(limit)?))).collect();
    let (_, first) = played.first()?;
    let clause = |(i, (limit, elo)): (usize, &(Limit, Estimate))| {
        clause(*limit, elo, if i == 0 { Some(reference) } else { None })
    };
    let clauses = played.iter().enumerate().map(clause).collect::<Vec<_>>().join(" and ");
    let pays = entry.set.pays.as_ref();
    let spoilt_at = |&limit: &Limit| Some((limit, entry.result(limit)?.spoilt?));
    // Whether it pays is told by the first clock alone.
    let spoilt = match pays {
        Some(_) => limits.iter().find(|limit| limit.is_timed()).and_then(spoilt_at),
        None => limits.iter().find_map(spoilt_at),
    };
    let cost = match entry.set.cost {
        Some(cost) => format!("; a node takes {} times as long", cost.plain()),
        None => String::new(),
    };
    let (verdict, text) = match (pays, spoilt) {
        (_, Some((limit, spoilt))) => {
            let but = format!("but at {limit} {spoilt}: that is no verdict");
            (Verdict::Open, format!("{clauses}{cost}, {but}."))
        }
        (Some(pays), None) => (pays.tone, format!("{}: it {clauses}{cost}.", pays.told)),
        (None, None) => (first.verdict(), format!("{clauses}{cost}.")),
    };
    Some(Finding { verdict, subject: entry.label.clone(), text })
}

/// `reference` is named once per sentence.
fn clause(limit: Limit, elo: &Estimate, reference: Option<&str>) -> String {
    let verb = |word: &str, link: &str| match reference {
        Some(name) => format!("{word} {link}{name}"),
        None => word.to_owned(),
    };
    let size = |elo: &Estimate| elo.plain();
    match elo.verdict() {
        Verdict::Better if !elo.high.is_finite() => {
            format!("{} by more than {:.0} Elo at {limit}", verb("beats", ""), elo.low)
        }
        Verdict::Worse if !elo.low.is_finite() => {
            format!("{} by more than {:.0} Elo at {limit}", verb("loses", "to "), -elo.high)
        }
        Verdict::Better => match reference {
            Some(name) => format!("beats {name} by {} Elo at {limit}", size(elo)),
            None => format!("wins {} Elo at {limit}", size(elo)),
        },
        Verdict::Worse => match reference {
            Some(name) => format!("loses to {name} by {} Elo at {limit}", size(&elo.negated())),
            None => format!("loses {} Elo at {limit}", size(&elo.negated())),
        },
        Verdict::Open => {
            let whom = reference
                .map_or("not separable".to_owned(), |name| format!("not separable from {name}"));
            format!("is {whom} at {limit} ({} Elo)", elo.signed())
        }
    }
}

fn lowest_loss(lineup: &Lineup) -> Option<Finding> {
    let mut losses: Vec<(&str, Estimate)> = lineup
        .entries
        .iter()
        .filter_map(|entry| Some((entry.label.as_str(), entry.set.validation_loss?)))
        .collect();
    losses.sort_by(|a, b| a.1.value.total_cmp(&b.1.value));
    let [(best, loss), (next, next_loss), ..] = losses[..] else { return None };
    let comparison = match loss.is_apart_from(&next_loss) {
        _ if loss.is_of_unknown_spread() => {
            format!("the next is {next} ({}); one seed cannot tell them apart", next_loss.plain())
        }
        true => format!("clear of the next, {next} ({})", next_loss.plain()),
        false => format!("its interval meets that of {next} ({})", next_loss.plain()),
    };
    Some(Finding {
        verdict: if loss.is_apart_from(&next_loss) { Verdict::Better } else { Verdict::Open },
        subject: best.to_owned(),
        text: format!(
            "has the lowest validation loss of {}, {}; {comparison}.",
            counted(losses.len() as u64, "set"),
            loss.plain()
        ),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Spoilt;
    use crate::experiment::columns;
    use crate::experiment::model::{EloResult, Pays};

    fn nodes() -> Limit {
        Limit::Nodes(1_000.try_into().unwrap())
    }

    fn ms() -> Limit {
        Limit::MovetimeMs(20.try_into().unwrap())
    }

    fn said(by_nodes: Option<Estimate>, by_time: Option<Estimate>, pays: Option<Pays>) -> Finding {
        let mut report = crate::experiment::demo::report();
        report.sets.truncate(2);
        let limits = [(nodes(), by_nodes), (ms(), by_time)];
        report.sets[1].elo = limits
            .into_iter()
            .filter_map(|(limit, estimate)| {
                Some(EloResult { limit, estimate: estimate?, games: 400, spoilt: None })
            })
            .collect();
        report.sets[1].cost = Some(Estimate::new(2.1, 2.05, 2.15));
        report.sets[1].pays = pays;
        findings(&report).swap_remove(0)
    }

    #[test]
    fn whether_it_pays_is_said_first() {
        let gain = Estimate::new(43.0, 14.0, 72.0);
        let pays = Pays { tone: Verdict::Worse, told: "does not pay".to_owned() };
        let finding = said(Some(gain), Some(Estimate::new(-38.0, -43.0, -33.0)), Some(pays));
        assert_eq!(finding.verdict, Verdict::Worse);
        assert_eq!(
            finding.text,
            "does not pay: it beats ALL by 43 ± 29 Elo at 1,000 nodes and loses 38.0 ± 5.0 Elo at \
             20 ms a move; a node takes 2.100 ± 0.050 times as long."
        );
    }

    #[test]
    fn forfeits_leave_no_verdict() {
        let mut report = crate::experiment::demo::report();
        report.sets.truncate(2);
        report.sets[1].pays = None;
        report.sets[1].elo.truncate(1);
        report.sets[1].elo[0].spoilt = Spoilt::of(13, 40);
        let finding = findings(&report).swap_remove(0);
        assert_eq!(finding.verdict, Verdict::Open);
        let told = "but at 1,000 nodes 13 of 40 games were lost otherwise than by chess (more than \
                    1 %): that is no verdict.";
        assert!(finding.text.ends_with(told), "{}", finding.text);
        let column = &columns::of(&report, &Lineup::of(&report))[0];
        assert_eq!(column.values[0].verdict, Some(Verdict::Open), "{column:?}");
    }

    #[test]
    fn of_several_clocks_the_first_tells_whether_it_pays() {
        let mut report = crate::experiment::demo::report();
        report.sets.truncate(2);
        let pays = Pays { tone: Verdict::Better, told: "pays".to_owned() };
        report.sets[1].pays = Some(pays);
        let clock = report.sets[1].elo.iter().position(|elo| elo.limit.is_timed()).unwrap();
        let slower = Limit::MovetimeMs(500.try_into().unwrap());
        let later =
            EloResult { limit: slower, spoilt: Spoilt::of(13, 40), ..report.sets[1].elo[clock] };
        report.sets[1].elo.push(later);
        assert!(findings(&report)[0].text.starts_with("pays: it "), "{:?}", findings(&report));
        report.sets[1].elo[clock].spoilt = Spoilt::of(13, 40);
        let finding = findings(&report).swap_remove(0);
        assert_eq!(finding.verdict, Verdict::Open);
        assert!(finding.text.ends_with("that is no verdict."), "{}", finding.text);
    }

    #[test]
    fn an_interval_over_zero_is_not_a_win() {
        let finding = said(Some(Estimate::new(20.0, -10.0, 50.0)), None, None);
        assert_eq!(finding.verdict, Verdict::Open);
        assert_eq!(
            finding.text,
            "is not separable from ALL at 1,000 nodes (+20 ± 30 Elo); a node takes 2.100 ± 0.050 times as \
             long."
        );
    }

    #[test]
    fn a_match_won_to_the_last_game_bounds_from_below() {
        let all_won = Estimate::new(f64::INFINITY, 320.0, f64::INFINITY);
        assert_eq!(
            said(Some(all_won), None, None).text.split(';').next(),
            Some("beats ALL by more than 320 Elo at 1,000 nodes")
        );
        let all_lost = said(Some(all_won.negated()), None, None);
        assert!(all_lost.text.starts_with("loses to ALL by more than 320 Elo at 1,000 nodes;"));
    }

    #[test]
    fn losses_that_overlap_are_said_to() {
        let mut report = crate::experiment::demo::report();
        let last = |report: &Report| findings(report).pop().expect("a finding about the loss");
        for (set, value) in report.sets.iter_mut().zip(1..) {
            let value = f64::from(value);
            set.validation_loss = Some(Estimate::new(value, value - 0.1, value + 0.1));
        }
        assert!(last(&report).text.contains("clear of the next"));
        report.sets[0].validation_loss = Some(Estimate::new(1.0, 0.0, 2.0));
        assert!(last(&report).text.contains("meets that of"));
    }
}
