//! One set's strength in a sentence, none stronger than its intervals allow.

use crate::over_nodes::{NodesLine, Odds, Region};
use crate::page::lineup::Entry;
use crate::page::model::OverPeer;
use crate::{EloResult, Verdict};
use arena::Limit;
use base::estimate::Estimate;
use base::format::grouped;
use report::{Finding, Mark};

/// Results of a set against one opponent, under one limit or several.
pub(super) struct Strength<'a> {
    label: &'a str,
    /// The opponent.
    over: &'a str,
    /// By limit; there is at least the first.
    first: &'a EloResult,
    others: Vec<&'a EloResult>,
    /// Whether it pays.
    pays: Option<Verdict>,
    cost: Option<Estimate>,
    /// Leads over the nodes of a move, which stand for those at their limits.
    lines: &'a [NodesLine],
}

impl<'a> Strength<'a> {
    /// Against the reference; `None` without games against it.
    pub(super) fn over_reference(
        entry: &'a Entry<'a>,
        limits: &[Limit],
        reference: &'a str,
    ) -> Option<Self> {
        let mut played = limits.iter().filter_map(|&limit| entry.result(limit));
        let first = played.next()?;
        let (label, others, cost) = (entry.label.as_str(), played.collect(), entry.set.cost);
        let lines = entry.set.lines.as_slice();
        Some(Self { label, over: reference, first, others, pays: entry.set.pays, cost, lines })
    }

    /// Against the reference's set with as many positions.
    pub(super) fn over_peer(entry: &'a Entry<'a>) -> Option<Self> {
        let OverPeer { peer, elo } = entry.set.over_peer.as_ref()?;
        let label = entry.label.as_str();
        let (others, pays, cost) = (Vec::new(), None, None);
        Some(Self { label, over: peer, first: elo, others, pays, cost, lines: &[] })
    }

    fn results(&self) -> impl Iterator<Item = &'a EloResult> {
        std::iter::once(self.first).chain(self.others.iter().copied())
    }

    /// The deciding result: with a verdict that of the limit that decides whether sets pay.
    pub(super) fn decisive(&self) -> &'a EloResult {
        let deciding = Limit::deciding(self.results().map(|result| result.limit));
        let result = self.results().find(|result| Some(result.limit) == deciding);
        result.filter(|_| self.pays.is_some()).unwrap_or(self.first)
    }

    pub(super) fn mark(&self) -> Mark {
        match (self.pays, self.decisive().mark()) {
            (_, Mark::NoVerdict) => Mark::NoVerdict,
            (Some(pays), _) => pays.mark(),
            (None, mark) => mark,
        }
    }

    /// `ALL + PV: +43 ± 29`.
    pub(super) fn short_text(&self) -> String {
        match self.decisive().too_many_forfeits {
            Some(_) => self.label.to_owned(),
            None => format!("{}: {}", self.label, self.decisive().estimate.signed()),
        }
    }

    /// Whether the set pays, where that was measured, and its result under each limit, without
    /// results that too many forfeits make invalid.
    pub(super) fn finding(&self) -> Finding {
        let clauses = self.clauses().join(" and ");
        let cost =
            self.cost.map_or(String::new(), |cost| format!("; time per node × {}", cost.plain()));
        let mark = self.mark();
        let text = match self.pays.filter(|_| mark != Mark::NoVerdict) {
            Some(Verdict::Undecided(remedy)) => {
                format!("undecided: it {clauses}{cost}; {remedy}")
            }
            Some(pays) => format!("{pays}: it {clauses}{cost}"),
            None if clauses.is_empty() => format!("was played against {}{cost}", self.over),
            None => format!("{clauses}{cost}"),
        };
        let text = format!("{text}{}.", self.withheld());
        Finding { mark, subject: self.label.to_owned(), text }
    }

    /// A clause for each line, and for each limit without one.
    fn clauses(&self) -> Vec<String> {
        let mut clauses = Vec::new();
        let mut covered: Vec<Odds> = Vec::new();
        for result in self.results().filter(|result| result.too_many_forfeits.is_none()) {
            let over = clauses.is_empty().then_some(self.over);
            let line = self.lines.iter().find(|line| line.odds.holds(result.limit));
            match line.and_then(|line| Some((line, line.region()?))) {
                None => clauses.push(result.clause(over)),
                Some((line, _)) if covered.contains(&line.odds) => {}
                Some((line, region)) => {
                    covered.push(line.odds);
                    clauses.push(over_nodes(line, region, over));
                }
            }
        }
        clauses
    }

    fn withheld(&self) -> String {
        let invalid =
            self.results().filter_map(|result| Some((result.limit, result.too_many_forfeits?)));
        let text = |(limit, forfeits)| format!("; no verdict at {limit}: {forfeits}");
        invalid.map(text).collect()
    }
}

/// `gains from about 3,000 nodes a move on at equal time against ALL (+15 ± 8 Elo at 25,000)`.
fn over_nodes(line: &NodesLine, region: Region, reference: Option<&str>) -> String {
    let against = reference.map_or(String::new(), |name| format!(" against {name}"));
    let at_most = line.measured.last().map_or(String::new(), |(nodes, lead)| {
        format!(" ({} Elo at {})", lead.signed(), grouped(*nodes as u64))
    });
    format!("{region} at {}{against}{at_most}", line.odds)
}
