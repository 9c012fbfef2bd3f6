//! Warnings about the nets behind the numbers: failed runs, lost neurons, outlying seeds.

use super::variant_results::{NetResults, VariantResults};
use base::format::fixed;
use nnue_tools::check::{Health, LayerActivity};

/// Smallest deviation of an outlying seed, in units of the usual one (Iglewicz and Hoaglin, *How
/// to detect and handle outliers*, 1993).
const OUTLYING: f64 = 3.5;

/// A median deviation in standard deviations of a normal distribution.
const OF_NORMAL: f64 = 1.4826;

/// Smallest deviation of an outlying seed in ln(loss), at any spread of the others.
const SLIGHT: f64 = 0.03;

/// Smallest ratio of validation loss to training loss with a warning: smaller ratios are usual
/// with few epochs on many positions.
const OVERFITTED: f64 = 1.25;

/// Most nets or sets named one by one.
const FEW_LOST: usize = 3;

/// Fewest seeds of a set with an outlier.
const FEWEST: usize = 3;

/// All warnings about the nets of the variants, a sentence each.
pub(super) fn warnings(variants: &[VariantResults<'_>]) -> Vec<String> {
    let named = |variant: &VariantResults<'_>, seed: Option<u64>| match seed {
        Some(seed) => format!("{}, seed {seed}", variant.label()),
        None => variant.label(),
    };
    let failed =
        variants.iter().flat_map(|variant| variant.failed.iter().map(move |run| (variant, run)));
    let failed = failed.map(|(variant, (seed, reason))| {
        format!("{}: the run failed and has no results here: {reason}.", named(variant, *seed))
    });
    let nets =
        || variants.iter().flat_map(|variant| variant.nets.iter().map(move |net| (variant, net)));
    let lost = nets().filter_map(|(variant, net)| {
        let health = &net.trained.as_ref()?.health;
        let text = format!("{}: {}", named(variant, net.net.seed), health.odd().join("; "));
        (!health.odd().is_empty()).then(|| (share_lost(health), text))
    });
    let lost = folded(lost.collect(), nets().count());
    let losses: Vec<Vec<f64>> = variants.iter().map(VariantResults::validation_losses).collect();
    let apart = outliers(&losses).into_iter().map(|Outlier { set, of, deviation }| {
        let net = variants[set].nets.iter().filter(|net| net.validation_loss().is_some()).nth(of);
        let named =
            net.map_or(String::new(), |net: &NetResults<'_>| named(&variants[set], net.net.seed));
        let (far, side) = (fixed(100.0 * deviation.exp_m1().abs(), 1), side(deviation));
        format!(
            "{named}: validation loss {far} % {side} the median of its set's seeds, beyond the \
             spread of seeds here; check its training before relying on the mean of the set."
        )
    });
    failed.chain(overfitted(variants)).chain(lost).chain(apart).collect()
}

/// Largest share of dead or stuck neurons over the layers.
fn share_lost(health: &Health) -> f64 {
    let share =
        |layer: &LayerActivity| (layer.dead + layer.stuck) as f64 / layer.neurons.max(1) as f64;
    health.layers.iter().map(share).fold(0.0, f64::max)
}

/// A sentence each of a few nets with neurons that are lost, one for many.
fn folded(mut lost: Vec<(f64, String)>, nets: usize) -> Vec<String> {
    let count = lost.len();
    if count <= FEW_LOST {
        return lost.into_iter().map(|(_, text)| format!("{text}.")).collect();
    }
    lost.sort_by(|(a, _), (b, _)| b.total_cmp(a));
    let worst = lost.into_iter().next().map_or(String::new(), |(_, worst)| worst);
    vec![format!(
        "{count} of {nets} nets have dead or saturated neurons; the worst is {worst}. \
         `oplus net check` examines a net."
    )]
}

/// Warning about overfitted sets.
fn overfitted(variants: &[VariantResults<'_>]) -> Option<String> {
    let gap = |variant: &VariantResults<'_>| {
        let gaps: Vec<f64> = variant.nets.iter().filter_map(NetResults::gap).collect();
        let mean = gaps.iter().sum::<f64>() / gaps.len() as f64;
        (mean >= OVERFITTED).then(|| (mean, variant.label()))
    };
    let mut sets: Vec<(f64, String)> = variants.iter().filter_map(gap).collect();
    sets.sort_by(|(a, _), (b, _)| b.total_cmp(a));
    let text = |(gap, label): &(f64, String)| format!("{} in {label}", fixed(*gap, 2));
    let worst: Vec<String> = sets.iter().take(FEW_LOST).map(text).collect();
    let others = match sets.len().saturating_sub(FEW_LOST) {
        0 => String::new(),
        others => format!(" and less in {others} more"),
    };
    (!sets.is_empty()).then(|| {
        format!(
            "Overfitted (validation loss over training loss): {}{others}. Leads of overfitted sets are unreliable, and more so for larger sets; train on more positions (docs/training.md).",
            worst.join(", ")
        )
    })
}

fn side(deviation: f64) -> &'static str {
    if deviation > 0.0 { "above" } else { "below" }
}

/// An outlying seed.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Outlier {
    set: usize,
    /// Index of the loss in its set.
    of: usize,
    /// ln(loss / median of the set).
    deviation: f64,
}

/// Losses further from the median of their set than 3.5 times the usual deviation, and by more
/// than 3 %. The usual deviation is the median over all sets: three seeds are too few to estimate
/// the spread of one set.
fn outliers(sets: &[Vec<f64>]) -> Vec<Outlier> {
    let of_set = |(set, losses): (usize, &Vec<f64>)| -> Vec<Outlier> {
        let Some(middle) = median(losses.clone()).filter(|_| losses.len() >= FEWEST) else {
            return Vec::new();
        };
        let outlier =
            |(of, loss): (usize, &f64)| Outlier { set, of, deviation: (loss / middle).ln() };
        losses.iter().enumerate().map(outlier).collect()
    };
    let all: Vec<Outlier> = sets.iter().enumerate().flat_map(of_set).collect();
    let deviations = all.iter().map(|outlier| outlier.deviation.abs()).collect();
    let usual = OF_NORMAL * median(deviations).unwrap_or(0.0);
    let is_apart = |outlier: &Outlier| {
        let far = outlier.deviation.abs();
        far.is_finite() && far > OUTLYING * usual && far > SLIGHT
    };
    all.into_iter().filter(is_apart).collect()
}

fn median(mut values: Vec<f64>) -> Option<f64> {
    values.sort_by(f64::total_cmp);
    let middle = values.len().checked_sub(1)? / 2;
    Some((values[middle] + values[values.len() / 2]) / 2.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn apart(sets: &[&[f64]]) -> Vec<(usize, usize)> {
        let sets: Vec<Vec<f64>> = sets.iter().map(|set| set.to_vec()).collect();
        outliers(&sets).iter().map(|outlier| (outlier.set, outlier.of)).collect()
    }

    #[test]
    fn a_seed_that_is_seven_per_cent_worse_stands_apart() {
        assert_eq!(apart(&[&[0.00521, 0.00523, 0.0056]]), [(0, 2)]);
        let others: &[f64] = &[0.00604, 0.00611, 0.00598];
        assert_eq!(apart(&[others, &[0.00521, 0.0056, 0.00525]]), [(1, 1)]);
    }

    #[test]
    fn seeds_that_differ_as_seeds_do_are_let_be() {
        assert_eq!(apart(&[&[0.00521, 0.00535, 0.00512]]), []);
        // All but equal: 2 % is far in units of the rest, but slight.
        assert_eq!(apart(&[&[0.005, 0.005, 0.0051]]), []);
        assert_eq!(apart(&[&[0.005, 0.009]]), [], "of two nobody knows which");
        assert_eq!(apart(&[&[], &[0.1]]), []);
    }

    proptest! {
        /// Outliers depend neither on the unit of the loss nor on the order of the seeds.
        #[test]
        fn neither_scale_nor_order_matter(
            losses in prop::collection::vec(0.001f64..0.01, 3..8), factor in 0.1f64..10.0,
        ) {
            let found = apart(&[&losses]);
            let scaled: Vec<f64> = losses.iter().map(|loss| loss * factor).collect();
            prop_assert_eq!(&apart(&[&scaled]), &found);
            let turned: Vec<f64> = losses.iter().rev().copied().collect();
            let mut back: Vec<_> =
                apart(&[&turned]).iter().map(|&(set, of)| (set, losses.len() - 1 - of)).collect();
            back.sort_unstable();
            prop_assert_eq!(back, found);
        }

        /// The median itself is no outlier, so seeds for comparison always remain.
        #[test]
        fn most_seeds_are_usual(losses in prop::collection::vec(0.001f64..0.01, 3..9)) {
            prop_assert!(2 * apart(&[&losses]).len() <= losses.len());
        }
    }
}
