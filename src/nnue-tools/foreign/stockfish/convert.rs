//! A net of Stockfish as a net of ours: the same integers, and scales with the same arithmetic.
//!
//! | Stockfish | here |
//! |---|---|
//! | halves clipped to 127, multiplied, `>> 7` | `pairwise`, top 127, shift 7 |
//! | `min(127, x·x >> 19)`, `clamp(x >> 6, 0, 127)` | `dual`, top 8191, shift 6 |
//! | `fc_0_out[15] · 9600 / 8128` | `skip`, a ratio |
//! | (stm − nstm) / 2 of the piece-square values | `psqt` |
//! | 16 per internal unit; a pawn has 361 | centipawns |
//!
//! All shifts round down. Sums are those of Stockfish to the bit; its last two quotients are one
//! here, rounded to the nearest centipawn.

use serde_json::Value;

use super::{
    Affine, ONE, PRODUCT_BITS, SKIP, Sizes, Stack, StockfishError, StockfishNet, UNIT, WEIGHT_BITS,
};
use nnue::{
    Activation, Addition, Base, Buckets, Hidden, HiddenScale, IntegerDense, IntegerWeights, Layers,
    Mix, Net, Ratio, Rounding, Scales, Transformer, TransformerScale,
};

/// Internal units of a pawn: a lead that wins every second game (`NormalizeToPawnValue` in
/// `src/uci.h`).
const PAWN: i64 = 361;

/// Centipawns of the sum of the layers, 16 per internal unit, and of the difference of both sides'
/// piece-square values, twice as many: all over 4.
pub(super) const MIX: Mix = Mix { output: 50, psqt: 25, whole: 8 * PAWN };

impl StockfishNet {
    /// The net of ours with the integers of the file.
    pub(crate) fn to_net(&self, provenance: Value) -> Result<Net, StockfishError> {
        let features = self.features().clone();
        let base = Base::of_rows(features.max_active());
        self.check_psqt(base, features.max_active())?;
        let layer = |of: fn(&Stack) -> &Affine| joined(self.stacks.iter().map(of));
        let weights = IntegerWeights {
            ft_weights: self.weights.clone().into(),
            ft_bias: self.biases.clone(),
            psqt: self.psqt.clone(),
            dense: vec![
                layer(|stack| &stack.fc_0),
                layer(|stack| &stack.fc_1),
                layer(|stack| &stack.fc_2),
            ],
        };
        Ok(Net::from_integers(features, self.sizes.layers(), scales(base), weights, provenance))
    }

    /// Checks that sums of `rows` values fit two digits.
    fn check_psqt(&self, base: Base, rows: usize) -> Result<(), StockfishError> {
        let high_digits = i32::from(i16::MAX) / rows as i32 - 1;
        let most = high_digits * i32::from(base);
        let place = self.psqt.iter().position(|value| !(-most..=most).contains(value));
        place.map_or(Ok(()), |place| {
            let (feature, bucket) = (place / self.sizes.buckets, place % self.sizes.buckets);
            Err(StockfishError::Psqt { feature, bucket, found: self.psqt[place], most })
        })
    }
}

impl Sizes {
    /// `1024 pairwise -> 15 dual + skip -> 32 -> 1, buckets 8, psqt`
    pub(super) fn layers(self) -> Layers {
        let Self { l1, l2, l3, buckets } = self;
        let transformer = Transformer { width: l1, activation: Activation::Pairwise };
        let first =
            Hidden { neurons: l2, activation: Activation::Dual, addition: Some(Addition::Skip) };
        let second = Hidden { neurons: l3, activation: Activation::ClippedRelu, addition: None };
        let buckets = Buckets::Pieces(buckets as u8);
        Layers::of_any_size(transformer, vec![first, second], buckets, true)
    }
}

/// Stockfish's scales, with piece-square values of two digits of `base`.
pub(super) fn scales(base: Base) -> Scales {
    let transformer = TransformerScale { one: ONE, top: ONE, shift: PRODUCT_BITS, base: None };
    // One step below the sum with the activation 128.
    let top = ((ONE + 1) << WEIGHT_BITS) - 1;
    let hidden = HiddenScale { weights: 1 << WEIGHT_BITS, top, shift: WEIGHT_BITS };
    Scales {
        transformer: Some(transformer),
        hidden: vec![hidden; 2],
        output: 1,
        skip: Some(Ratio { times: SKIP.into(), over: UNIT.into() }),
        psqt: Some(base),
        mix: MIX,
        rounding: Rounding::Down,
    }
}

/// One dense layer from its copies in all buckets.
fn joined<'a>(buckets: impl Iterator<Item = &'a Affine>) -> IntegerDense {
    buckets.fold(IntegerDense::default(), |mut joined, Affine { biases, weights }| {
        joined.bias.extend(biases.iter().map(|&bias| i64::from(bias)));
        joined.weights.extend(weights.iter().map(|&weight| i32::from(weight)));
        joined
    })
}
