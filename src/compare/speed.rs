//! What each contestant costs the search, node for node.

use std::sync::atomic::AtomicBool;

use super::config::Config;
use super::contestant::Contestant;
use arena::Estimate;
use bench::eval::{Contender, Course, SearchCost};
use nnue::Dispatch;

/// Speed of a contestant's first net; seeds differ little in it.
#[derive(Clone, Debug, PartialEq)]
pub struct Speed {
    /// Nodes per second on one thread, median over the rounds.
    pub nodes_per_second: Estimate,
    /// Time per node relative to the reference's in the same round.
    pub cost: Estimate,
    /// Rows of the first layer added or removed per node.
    pub rows_per_node: f64,
    /// Rows summed anew after refreshes per node.
    pub refreshed_rows_per_node: f64,
}

/// Measures all contestants, who take turns, the reference first; `None` if
/// stopped. `progress` is told how many searches are done.
pub fn measure(
    contestants: &[Contestant],
    config: &Config,
    progress: &mut dyn FnMut(usize),
    stop: &AtomicBool,
) -> Option<Vec<Speed>> {
    let course = Course::new(config.depth, stop)?;
    let net =
        |contestant: &Contestant| course.net(contestant.nets[0].net.clone(), Dispatch::best());
    let mut contenders: Vec<Contender> = contestants.iter().map(net).collect();
    for round in 0..config.rounds.max(1) {
        for (i, contender) in contenders.iter_mut().enumerate() {
            course.round(contender, stop)?;
            progress(round * contestants.len() + i + 1);
        }
    }
    let reference = contenders[0].cost();
    Some(contenders.iter().map(|contender| Speed::of(contender.cost(), reference)).collect())
}

impl Speed {
    fn of(cost: &SearchCost, reference: &SearchCost) -> Self {
        let rates = cost.ns_per_node.iter().map(|ns| 1e9 / ns).collect();
        let ratios = cost.ns_per_node.iter().zip(&reference.ns_per_node).map(|(a, b)| a / b);
        Self {
            nodes_per_second: middle(rates),
            cost: middle(ratios.collect()),
            rows_per_node: cost.per_node(|counts| counts.rows),
            refreshed_rows_per_node: cost.per_node(|counts| counts.refreshed_rows),
        }
    }
}

/// The median of rounds, with a 95 % interval for it that supposes nothing of
/// their distribution: the order statistics that a fair coin leaves on either
/// side of the median. Fewer than six rounds leave it open.
fn middle(mut rounds: Vec<f64>) -> Estimate {
    const FEWEST: usize = 6;
    rounds.sort_unstable_by(f64::total_cmp);
    let n = rounds.len();
    let value = (rounds[(n - 1) / 2] + rounds[n / 2]) / 2.0;
    if n < FEWEST {
        return Estimate { value, low: f64::NEG_INFINITY, high: f64::INFINITY };
    }
    let skipped = outer_rounds(n);
    Estimate { value, low: rounds[skipped], high: rounds[n - 1 - skipped] }
}

/// The largest k such that at most 2.5 % of coin series of length n show k or
/// fewer heads; 0 if there is none.
fn outer_rounds(n: usize) -> usize {
    let (mut term, mut sum, mut k) = (0.5f64.powi(n as i32), 0.0, 0);
    loop {
        sum += term;
        if sum > 0.025 || k >= n {
            return k.saturating_sub(1).min((n - 1) / 2);
        }
        term *= (n - k) as f64 / (k + 1) as f64;
        k += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Ranks of the exact sign interval for a median (95 %), from tables: of 6
    /// rounds the smallest and largest, of 10 the second, of 20 the sixth.
    #[test]
    fn intervals_of_medians_are_the_known_ones() {
        assert_eq!([1, 3, 5, 6, 9, 10, 15, 20].map(outer_rounds), [0, 0, 0, 0, 1, 1, 3, 5]);
        let rounds = middle(vec![9.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 10.0]);
        assert_eq!(rounds, Estimate { value: 5.5, low: 2.0, high: 9.0 });
        let alone = middle(vec![3.0]);
        assert!(alone.value == 3.0 && !alone.is_bounded());
    }
}
