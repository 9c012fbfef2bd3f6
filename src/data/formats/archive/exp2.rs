//! Powers of two in integer arithmetic, alike on every machine.

/// Steps between one power of two and the next: the unit of logits is 1/256 bit.
pub(crate) const STEPS: i32 = 256;

/// 2^(20 − i/256), rounded.
static TABLE: [u32; STEPS as usize] = table();

/// 2^(x / 256) × 2^20 for x ≤ 0, rounded down; values above 0 count as 0.
#[inline]
pub(crate) fn exp2(x: i32) -> u32 {
    let below = (-x).max(0);
    let whole = (below / STEPS).min(31);
    TABLE[(below % STEPS) as usize] >> whole
}

/// Each entry is the product of the roots of two whose bits its number has.
const fn table() -> [u32; STEPS as usize] {
    // 2^(−1/2), 2^(−1/4), …, 2^(−1/256), in units of 2^−62.
    let mut roots = [0u64; 8];
    let mut root: u128 = 1 << 61;
    let mut i = 0;
    while i < roots.len() {
        // The root of r / 2^62 is the root of r × 2^62, in parts of 2^62.
        root = (root << 62).isqrt();
        roots[i] = root as u64;
        i += 1;
    }
    let mut table = [0; STEPS as usize];
    let mut n = 0;
    while n < table.len() {
        let mut product: u128 = 1 << 62;
        let mut bit = 0;
        while bit < 8 {
            if n >> (7 - bit) & 1 == 1 {
                product = (product * roots[bit] as u128) >> 62;
            }
            bit += 1;
        }
        table[n] = ((product + (1 << 41)) >> 42) as u32;
        n += 1;
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The largest value that [`exp2`] gives.
    const ONE: u32 = 1 << 20;

    #[test]
    fn powers_are_right_to_the_last_digit() {
        for x in 0..5_000 {
            let wanted = (-f64::from(x) / 256.0).exp2() * f64::from(ONE);
            let found = f64::from(exp2(-x));
            assert!((found - wanted).abs() <= 1.0, "{x}: {found}, not {wanted}");
        }
        assert_eq!(
            (exp2(0), exp2(-256), exp2(-512), exp2(i32::MIN + 1)),
            (ONE, ONE / 2, ONE / 4, 0)
        );
        assert_eq!(exp2(7), ONE);
    }
}
