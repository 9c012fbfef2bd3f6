//! Arithmetic of a net: its constants, and the steps in terms common to C and Rust.

use super::bucket::{by_pieces, listed};
use features::{FeatureSet, RefreshCause};
use nnue::Net;
use nnue::{Buckets, Hidden, Layers};
use nnue::{HiddenScale, Rounding, Scales, TransformerScale};

/// A constant of the arithmetic.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Constant {
    pub name: &'static str,
    pub value: i64,
    pub meaning: &'static str,
}

/// Names of a hidden dense layer's constants.
struct Names {
    sums: &'static str,
    weights: &'static str,
    clip: &'static str,
    shift: &'static str,
    square: &'static str,
    /// Its sums and outputs in the steps.
    z: &'static str,
    h: &'static str,
}

const HIDDEN: [Names; 2] = [
    Names {
        sums: "L2",
        weights: "QB",
        clip: "CLIP",
        shift: "LOST",
        square: "SQUARE",
        z: "z",
        h: "h",
    },
    Names {
        sums: "L3",
        weights: "QC",
        clip: "CLIP2",
        shift: "LOST2",
        square: "SQUARE2",
        z: "z2",
        h: "h2",
    },
];

/// Name of the output's weights, by the number of hidden layers.
const OUTPUT: [&str; 3] = ["QB", "QC", "QD"];

pub(super) fn constants(net: &Net, search_scale: i32) -> Vec<Constant> {
    let (layers, scales) = (&net.architecture().layers, net.scales());
    let mut all = Constants(Vec::new());
    all.add("FEATURES", size(net.features().size()), "Inputs of a perspective");
    all.add(
        "MAX_ACTIVE",
        size(net.features().max_active()),
        "Largest number of active features of a perspective",
    );
    if let Some(transformer) = scales.transformer {
        all.of_transformer(layers, transformer, scales.rounding);
        all.of_hidden(layers, scales);
        let output = OUTPUT[layers.hidden().len()];
        all.add(output, scales.output.into(), "Integers per unit of the output's weights");
    }
    if let Some(parts) = net.value_parts() {
        all.add("PARTS", parts, "Parts of one in which the values of features are whole");
    }
    all.add(
        "BUCKETS",
        size(layers.buckets().count()),
        "Output buckets: copies of the layers after the first",
    );
    if layers.has_psqt() && !layers.is_linear() {
        all.add("MIX_OUTPUT", scales.mix.output, "Factor of the output's sum");
        all.add("MIX_PSQT", scales.mix.psqt, "Factor of the difference of psqt");
    }
    if let Some(skip) = scales.skip {
        all.add("SKIP_TIMES", skip.times, "Factor of the skip");
        all.add("SKIP_OVER", skip.over, "Divisor of the skip, towards zero");
    }
    all.add("WHOLE", scales.mix.whole, "Integers per centipawn");
    let meaning = "1,024ths by which oplus multiplies centipawns when it searches";
    all.add("SEARCH_SCALE", search_scale.into(), meaning);
    all.0
}

fn size(n: usize) -> i64 {
    i64::try_from(n).unwrap_or(i64::MAX)
}

/// Builder of the constants.
struct Constants(Vec<Constant>);

impl Constants {
    fn add(&mut self, name: &'static str, value: i64, meaning: &'static str) {
        self.0.push(Constant { name, value, meaning });
    }

    fn of_transformer(&mut self, layers: &Layers, scale: TransformerScale, rounding: Rounding) {
        self.add("L1", size(layers.width()), "Sums of the feature transformer");
        self.add("QA", scale.one.into(), "Integers per unit of the feature transformer");
        self.add("TOP", scale.top.into(), "Upper limit of its sums");
        if let Some(base) = scale.base {
            self.add("BASE", i32::from(base).into(), "Value of one in the high digit");
        }
        let most = scale.most(layers.activation(), rounding);
        self.add("UNIT", most.into(), "Largest activation");
        self.add("SHIFT", scale.shift.into(), "Bits that an activation is shorter");
    }

    fn of_hidden(&mut self, layers: &Layers, scales: &Scales) {
        for ((names, scale), hidden) in HIDDEN.iter().zip(&scales.hidden).zip(layers.hidden()) {
            self.add(names.sums, size(hidden.sums()), "Neurons of a dense layer");
            self.add(names.weights, scale.weights.into(), "Integers per unit of its weights");
            self.add(names.clip, scale.top.into(), "Upper limit of its sums");
            if scale.shift > 0 {
                self.add(names.shift, scale.shift.into(), "Bits that they lose then");
            }
            if hidden.activation.has_squares() {
                self.add(names.square, scale.square_shift().into(), "Bits that squares lose");
            }
        }
    }
}

pub(super) fn activation(net: &Net) -> &'static str {
    net.architecture().layers.activation().name()
}

/// The bucket of a position, in words.
pub(crate) fn bucket_rule(layers: &Layers) -> String {
    match layers.buckets() {
        Buckets::Pieces(_) => format!(
            "(pieces - 1) * BUCKETS / {}, rounded down; kings count as pieces",
            Buckets::MOST
        ),
        Buckets::Set(set) => match by_pieces(layers.buckets()) {
            Some(table) => format!(
                "entry pieces - 1 of [{}]: the number of pieces on the board, kings included",
                listed(&table)
            ),
            None => format!(
                "the index of the one feature of {} that the side to move sees",
                set.features().canonical()
            ),
        },
    }
}

const PERSPECTIVES: [&str; 3] = [
    "A net has two perspectives: that of the side to move (stm) and of the other side",
    "(nstm). A perspective's own pieces are `own`, and its board is turned so that they",
    "start on ranks 1 and 2 (for Black: square ^ 56).",
];

const MIRROR: [&str; 2] = [
    "A mirrored product reads flipped files (square ^ 7) too while the own king is on",
    "files e to h of the turned board.",
];

/// Own pieces, turned board and, in sets with mirrored products, flipped files; line by line.
pub(crate) fn perspective(features: &FeatureSet) -> Vec<&'static str> {
    let mut lines = PERSPECTIVES.to_vec();
    if features.refresh_causes().contains(&RefreshCause::Mirror) {
        lines.extend(MIRROR);
    }
    lines
}

/// The arithmetic, step by step. Integers are of 32 bits, those of the last
/// steps of 64.
pub(super) fn steps(net: &Net) -> Vec<String> {
    let (layers, scales) = (&net.architecture().layers, net.scales());
    let mut steps = Vec::new();
    if layers.has_psqt() {
        steps.push(match net.value_parts() {
            None => "psqt(side)[b] = the sum of psqt[f][b] over the features f active for side",
            Some(_) => {
                "psqt(side)[b] = the sum of psqt[f][b] * (value(f) * PARTS) over the features f active for side, all of it whole numbers, in 64 bits"
            }
        }.to_owned());
    }
    steps.push(format!("b = {}", bucket_rule(layers)));
    let difference = "(psqt(stm)[b] - psqt(nstm)[b])";
    let Some(transformer) = scales.transformer else {
        steps.push(centipawns(difference));
        return steps;
    };
    steps.extend(of_transformer(layers, transformer, scales.rounding));
    let mut read = "x";
    for (place, (hidden, scale)) in layers.hidden().iter().zip(&scales.hidden).enumerate() {
        let matrix = if place == 0 { "dense" } else { "dense2" };
        let names = &HIDDEN[place];
        steps.push(format!(
            "{z}[o] = {matrix}_bias[b][o] + the sum of {matrix}_weights[b][o][i] * {read}[i]",
            z = names.z
        ));
        steps.extend(of_hidden(names, *hidden, *scale, scales.rounding));
        read = names.h;
    }
    let output = match layers.hidden().len() {
        0 => {
            steps.push(format!(
                "z[o] = dense_bias[b][o] + the sum of dense_weights[b][o][i] * {read}[i]"
            ));
            "z[0]"
        }
        _ => {
            let skip = layers.addition().map_or(String::new(), |(place, addition)| {
                let Names { z, sums, .. } = HIDDEN[place];
                let sum = addition.formula(|from_last| format!("{z}[{sums} - {from_last}]"));
                format!(" + {sum} * SKIP_TIMES / SKIP_OVER")
            });
            steps.push(format!(
                "s = out_bias[b] + the sum of out_weights[b][o] * {read}[o]{skip}, in 64 bits"
            ));
            "s"
        }
    };
    steps.push(match layers.has_psqt() {
        true => centipawns(&format!("{output} * MIX_OUTPUT + {difference} * MIX_PSQT")),
        false => centipawns(output),
    });
    steps
}

fn centipawns(sum: &str) -> String {
    format!("centipawns for the side to move = floor(({sum} + WHOLE / 2) / WHOLE)")
}

/// From features to the inputs of the lowest dense layer.
fn of_transformer(layers: &Layers, scale: TransformerScale, rounding: Rounding) -> Vec<String> {
    let accumulator = |index: &str| {
        format!(
            "acc(side){index} = ft_bias{index} + the sum of ft_weights[f]{index} over the features f active for side"
        )
    };
    let mut steps = match scale.base {
        None => vec![accumulator("[i]")],
        Some(_) => vec![
            accumulator("[d][i]"),
            "acc(side)[i] = acc(side)[0][i] * BASE + acc(side)[1][i]".to_owned(),
        ],
    };
    let activation = layers.activation();
    let long = activation.formula("acc(side)[i]", "acc(side)[i + L1 / 2]", "TOP");
    let half = if activation.factors() == 2 { ", i < L1 / 2" } else { "" };
    steps.push(match (scale.shift, rounding) {
        (0, _) => format!("a(side)[i] = {long}{half}"),
        (_, Rounding::Nearest) => {
            format!("a(side)[i] = ({long} + (1 << SHIFT >> 1)) >> SHIFT{half}")
        }
        (_, Rounding::Down) => format!("a(side)[i] = ({long}) >> SHIFT{half}"),
    });
    steps.push("x = a(stm) followed by a(nstm)".to_owned());
    steps
}

/// From the sums of a dense layer to its outputs.
fn of_hidden(names: &Names, hidden: Hidden, scale: HiddenScale, rounding: Rounding) -> Vec<String> {
    let Names { clip, shift, square, z, h, .. } = names;
    let cut = |clipped: String| match (scale.shift, rounding) {
        (0, _) => clipped,
        (_, Rounding::Nearest) => format!("({clipped} + (1 << {shift} >> 1)) >> {shift}"),
        (_, Rounding::Down) => format!("{clipped} >> {shift}"),
    };
    let formulas = hidden.activation.dense_formulas(&format!("{z}[o]"), clip, square, cut);
    let neurons = hidden.neurons;
    match &formulas[..] {
        [only] => vec![format!("{h}[o] = {only}")],
        parts => {
            let place = |part: usize| match part * neurons {
                0 => "o".to_owned(),
                first => format!("{first} + o"),
            };
            let step = |(part, formula)| format!("{h}[{}] = {formula}, o < {neurons}", place(part));
            parts.iter().enumerate().map(step).collect()
        }
    }
}
