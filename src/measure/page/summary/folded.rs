//! Many findings of one kind in a sentence: the table has each.

use super::strength::Strength;
use crate::unique::unique;
use arena::Limit;
use report::{Finding, Mark};

/// Up to this number, sets have a sentence each.
const FEW: usize = 6;

/// Sets named in a sentence about many.
const NAMED: usize = 3;

/// A sentence for each of a few sets, or for each outcome and deciding limit. `over` is their
/// opponent, `of_all` their number in words.
pub(super) fn findings(mut all: Vec<Strength<'_>>, of_all: &str, over: &str) -> Vec<Finding> {
    let value = |one: &Strength<'_>| match one.mark() {
        Mark::NoVerdict => f64::NEG_INFINITY,
        _ => one.decisive().estimate.value,
    };
    all.sort_by(|a, b| value(b).total_cmp(&value(a)));
    if all.len() <= FEW {
        return all.iter().map(Strength::finding).collect();
    }
    let marks = [Mark::Better, Mark::NotSeparable, Mark::Worse, Mark::NoVerdict];
    marks.into_iter().flat_map(|mark| folded(&all, of_all, mark, over)).collect()
}

/// Sets with one outcome: Elo under different limits does not compare.
fn folded(all: &[Strength<'_>], of_all: &str, mark: Mark, over: &str) -> Vec<Finding> {
    let mut own: Vec<&Strength<'_>> = all.iter().filter(|one| one.mark() == mark).collect();
    if mark == Mark::Worse {
        own.reverse();
    }
    let limits = unique(own.iter().map(|one| one.decisive().limit));
    let at = |limit: Limit| {
        let own = own.iter().copied().filter(|one| one.decisive().limit == limit);
        at_limit(&own.collect::<Vec<_>>(), of_all, (mark, limit), over)
    };
    limits.into_iter().map(at).collect()
}

fn at_limit(
    own: &[&Strength<'_>],
    of_all: &str,
    (mark, limit): (Mark, Limit),
    over: &str,
) -> Finding {
    let how = match mark {
        Mark::Better => format!("stronger than {over} at {limit}"),
        Mark::Worse => format!("weaker than {over} at {limit}"),
        Mark::NotSeparable => format!("not separable from {over} at {limit}"),
        Mark::NoVerdict | Mark::Remark => {
            format!("without a verdict at {limit}, too many forfeits")
        }
    };
    let named: Vec<String> = own.iter().take(NAMED).map(|one| one.short_text()).collect();
    let others = match own.len().saturating_sub(NAMED) {
        0 => String::new(),
        others => format!(" and {others} more"),
    };
    let are = if own.len() == 1 { "is" } else { "are" };
    let unit = if mark == Mark::NoVerdict { "" } else { " (Elo)" };
    let text = format!("{are} {how}: {}{others}{unit}.", named.join("; "));
    let subject = format!("{} of {of_all}", own.len());
    Finding { mark, subject, text }
}
