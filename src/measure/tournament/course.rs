//! A match pair by pair: courses of its Elo and of its test.

use arena::{PairingResult, Pentanomial, Sprt};
use base::Estimate;
use report::plot::games::TestCurve;

/// Points of a curve; more would not be seen.
const POINTS: u64 = 400;

/// Elo by number of pairs.
pub(super) fn elo(pairing: &PairingResult) -> Vec<(u64, Estimate)> {
    prefixes(pairing).filter_map(|pairs| Some((pairs.pairs(), pairs.elo()?))).collect()
}

/// LLR by number of pairs.
pub(super) fn test(pairing: &PairingResult, sprt: &Sprt) -> TestCurve {
    let llr = |pairs: Pentanomial| (pairs.pairs(), sprt.llr(&pairs));
    let Sprt { elo0, elo1, alpha, beta, model } = sprt;
    TestCurve {
        question: format!(
            "H0: {elo0} Elo, H1: {elo1} Elo ({model}), error rates {} and {} %",
            rounded(100.0 * alpha),
            rounded(100.0 * beta)
        ),
        bounds: sprt.bounds(),
        points: std::iter::once((0, 0.0)).chain(prefixes(pairing).map(llr)).collect(),
    }
}

/// The results of the first pairs, at up to [`POINTS`] places.
fn prefixes(pairing: &PairingResult) -> impl Iterator<Item = Pentanomial> {
    let total = pairing.pentanomial.pairs();
    let step = total.div_ceil(POINTS).max(1);
    let mut pairs = Pentanomial::default();
    pairing.pairs.iter().flatten().filter_map(move |pair| {
        pairs.add(pair.score());
        (pairs.pairs() % step == 0 || pairs.pairs() == total).then_some(pairs)
    })
}

/// Rounds to a hundredth, without residue of binary fractions.
fn rounded(number: f64) -> f64 {
    (100.0 * number).round() / 100.0
}
