//! How the numbers of a net make an evaluation: its constants, and the
//! arithmetic in words that mean the same in C and in Rust.

use crate::activation::Activation;
use crate::architecture::{Buckets, Layers};
use crate::net::Net;

/// A constant of the arithmetic.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Constant {
    /// Such as `QA`.
    pub name: &'static str,
    pub value: i64,
    pub says: &'static str,
}

pub(super) fn constants(net: &Net) -> Vec<Constant> {
    let (layers, scales) = (net.architecture().layers, net.scales());
    let size = |n: usize| i64::try_from(n).unwrap_or(i64::MAX);
    let constant = |name, value, says| Constant { name, value, says };
    let mut all = vec![
        constant("FEATURES", size(net.features().size()), "Inputs of a perspective"),
        constant("MAX_ACTIVE", size(net.features().max_active()), "Most of them active together"),
    ];
    if layers == Layers::Linear {
        all.push(constant("QA", scales.qa.into(), "Integers per centipawn"));
        all.push(constant("QB", scales.qb.into(), "What one in the high digit is worth"));
        return all;
    }
    let unit = scales.activation_unit(layers.activation());
    all.push(constant("L1", size(layers.l1()), "Neurons of the feature transformer"));
    if layers.l2() > 0 {
        all.push(constant("L2", size(layers.l2()), "Neurons of the second hidden layer"));
    }
    all.push(constant("BUCKETS", size(layers.buckets().count()), "Copies of the upper layers"));
    all.push(constant("QA", scales.qa.into(), "Integers per unit of the feature transformer"));
    if let Some(base) = scales.base {
        all.push(constant("BASE", i32::from(base).into(), "What one in the high digit is worth"));
    }
    all.push(constant("QB", scales.qb.into(), "Integers per unit of the dense weights"));
    if layers.l2() > 0 {
        all.push(constant("QC", scales.qc.into(), "Integers per centipawn of the output weights"));
    }
    all.push(constant("UNIT", unit.into(), "Largest activation"));
    let shift = scales.activation_shift(layers.activation());
    all.push(constant("SHIFT", shift.into(), "Bits that an activation is shorter"));
    all
}

pub(super) fn activation(net: &Net) -> &'static str {
    net.architecture().layers.activation().name()
}

/// The bucket of a position with so many pieces, in words.
pub(crate) fn bucket_rule() -> String {
    format!("(pieces - 1) * BUCKETS / {}, rounded down; kings count as pieces", Buckets::MOST)
}

pub(crate) const PERSPECTIVE: [&str; 4] = [
    "A net looks twice, for the side to move (stm) and for the other side (nstm).",
    "Each sees its own pieces as `own`, and the board turned so that they start on",
    "ranks 1 and 2 (for Black: square ^ 56). A mirrored product sees files flipped",
    "(square ^ 7) too while the own king, so seen, stands on files e to h.",
];

/// The arithmetic, step by step. Integers are of 32 bits, those of the last
/// step of 64.
pub(super) fn steps(net: &Net) -> Vec<String> {
    let layers = net.architecture().layers;
    let round = |sum: &str, whole: &str| {
        format!("centipawns for the side to move = floor(({sum} + ({whole}) / 2) / ({whole}))")
    };
    let accumulator = |index: &str| {
        format!(
            "acc(side){index} = ft_bias{index} + the sum of ft_weights[f]{index} over the features f active for side"
        )
    };
    let mut steps = match net.scales().base {
        None => vec![accumulator("[i]")],
        Some(_) => vec![
            accumulator("[d][i]"),
            "acc(side)[i] = acc(side)[0][i] * BASE + acc(side)[1][i]".to_owned(),
        ],
    };
    if layers == Layers::Linear {
        steps.push("d[i] = acc(stm)[i] - acc(nstm)[i]".to_owned());
        steps.push(round("d[0] * QB + d[1]", "QA"));
        return steps;
    }
    let is_squared = layers.activation() == Activation::SquaredClippedRelu;
    let squared = if is_squared { " squared" } else { "" };
    let long = format!("clamp(acc(side)[i], 0, QA){squared}");
    steps.push(match net.scales().activation_shift(layers.activation()) {
        0 => format!("a(side)[i] = {long}"),
        _ => format!("a(side)[i] = ({long} + (1 << SHIFT >> 1)) >> SHIFT"),
    });
    steps.push("x = a(stm) followed by a(nstm)".to_owned());
    steps.push(format!("b = {}", bucket_rule()));
    steps.push("z[o] = dense_bias[b][o] + the sum of dense_weights[b][o][i] * x[i]".to_owned());
    if layers.l2() == 0 {
        steps.push(round("z[0]", "UNIT * QB"));
        return steps;
    }
    steps.push(match is_squared {
        false => "h[o] = clamp(z[o], 0, UNIT * QB)".to_owned(),
        true => {
            "h[o] = (clamp(z[o], 0, UNIT * QB) squared) >> log2(UNIT * QB), in 64 bits".to_owned()
        }
    });
    steps.push("s = out_bias[b] + the sum of out_weights[b][o] * h[o], in 64 bits".to_owned());
    steps.push(round("s", "UNIT * QB * QC"));
    steps
}
