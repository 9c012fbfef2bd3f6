//! From the bytes of a file to a net.
//!
//! The checksum comes first, so an error after it is not damage but another
//! program's idea of a net; and no memory is allocated before the length of the
//! file was found to justify it.

use std::sync::OnceLock;

use serde::Deserialize;

use super::{CHECKSUM_BYTES, HEADER_AT, Header, MAGIC, Problem, VERSION, VERSION_AT};
use crate::activation::HiddenActivation;
use crate::architecture::{Architecture, Buckets, LAYER_MOST, Layers};
use crate::net::{Net, Scales};
use crate::tensors::TensorName;
use features::FeatureSet;

/// The architecture in a header of version 1.
#[derive(Deserialize)]
struct Sizes {
    features: usize,
    l1: usize,
    l2: usize,
}

impl From<Sizes> for Architecture {
    fn from(Sizes { features, l1, l2 }: Sizes) -> Self {
        let (activation, buckets) = (HiddenActivation::ClippedRelu, Buckets::ONE);
        Self { features, layers: Layers::Two { l1, l2, activation, buckets } }
    }
}

/// The parts of a file.
struct Parts<'a> {
    version: u32,
    header: &'a [u8],
    tensors: &'a [u8],
    checksum: &'a [u8],
}

pub(super) fn net(bytes: &[u8]) -> Result<Net, Problem> {
    let parts = parts(bytes)?;
    let header = header(&parts);
    let at = bytes.len() - CHECKSUM_BYTES;
    if blake3::hash(&bytes[..at]).as_bytes() != parts.checksum {
        // A file that was cut off has a wrong checksum too, but more can be said of it.
        return Err(match header.and_then(|header| check_length(&header, &parts)) {
            Err(cut @ Problem::Length { .. }) => cut,
            _ => Problem::Checksum { at },
        });
    }
    let header = header?;
    check_length(&header, &parts)?;
    assemble(header, parts.tensors)
}

/// The format version of a file that begins so.
pub(super) fn version(start: &[u8]) -> Result<u32, Problem> {
    if start.is_empty() || !start.starts_with(&MAGIC[..start.len().min(MAGIC.len())]) {
        let found = &start[..start.len().min(MAGIC.len())];
        return Err(Problem::Magic { found: found.escape_ascii().to_string() });
    }
    let found = word(start, VERSION_AT)?;
    match found {
        1..=VERSION => Ok(found),
        _ => Err(Problem::Version { found }),
    }
}

fn word(bytes: &[u8], at: usize) -> Result<u32, Problem> {
    let word = bytes.get(at..).and_then(|rest| rest.first_chunk());
    let shortest = HEADER_AT + CHECKSUM_BYTES;
    word.map(|&word| u32::from_le_bytes(word))
        .ok_or(Problem::Length { expected: shortest, found: bytes.len() })
}

fn parts(bytes: &[u8]) -> Result<Parts<'_>, Problem> {
    let version = version(bytes)?;
    let tensors_at = HEADER_AT.saturating_add(word(bytes, VERSION_AT + 4)? as usize);
    let short =
        Problem::Length { expected: tensors_at.saturating_add(CHECKSUM_BYTES), found: bytes.len() };
    let Some((content, checksum)) = bytes.split_last_chunk::<CHECKSUM_BYTES>() else {
        return Err(short);
    };
    let Some(header) = content.get(HEADER_AT..tensors_at) else { return Err(short) };
    Ok(Parts { version, header, tensors: &content[tensors_at..], checksum })
}

fn header(parts: &Parts<'_>) -> Result<Header<Architecture>, Problem> {
    let text = parts.header;
    let read = match parts.version {
        1 => serde_json::from_slice(text).map(of_version_1),
        _ => serde_json::from_slice(text),
    };
    read.map_err(|error| Problem::Header {
        at: HEADER_AT + place(text, &error),
        reason: error.to_string(),
    })
}

fn of_version_1(header: Header<Sizes>) -> Header<Architecture> {
    let Header { expression, features_hash, architecture, scales, provenance } = header;
    let architecture = architecture.into();
    Header { expression, features_hash, architecture, scales, provenance }
}

/// The byte of a text that an error speaks of.
fn place(text: &[u8], error: &serde_json::Error) -> usize {
    let lines_before = text.split_inclusive(|&byte| byte == b'\n').take(error.line().max(1) - 1);
    lines_before.map(<[u8]>::len).sum::<usize>() + error.column().saturating_sub(1)
}

/// Whether the tensors have the length that the header gives them.
fn check_length(header: &Header<Architecture>, parts: &Parts<'_>) -> Result<(), Problem> {
    let around = HEADER_AT + parts.header.len() + CHECKSUM_BYTES;
    let needed = TensorName::of(header.architecture.layers)
        .iter()
        .try_fold(around, |sum, name| {
            sum.checked_add(name.bytes(&header.architecture, header.scales)?)
        })
        .unwrap_or(usize::MAX);
    match around + parts.tensors.len() {
        found if found == needed => Ok(()),
        found => Err(Problem::Length { expected: needed, found }),
    }
}

/// The net of a header and of tensors that have the length it gives them.
fn assemble(header: Header<Architecture>, tensors: &[u8]) -> Result<Net, Problem> {
    let wrong = |reason| Problem::Header { at: HEADER_AT, reason };
    let Header { expression, features_hash, architecture, scales, provenance } = header;
    // `top(…, "file")` would read a file; nets have their rows written out.
    if expression.contains('"') {
        return Err(wrong(format!("`{expression}` names a file")));
    }
    let features = FeatureSet::parse(&expression)
        .map_err(|error| wrong(format!("the feature expression `{expression}`: {error}")))?;
    let problem = None
        .or_else(|| problem_of_features(&features, &features_hash, &architecture))
        .or_else(|| problem_of_layers(architecture.layers))
        .or_else(|| problem_of_scales(scales, architecture.layers));
    if let Some(reason) = problem {
        return Err(wrong(reason));
    }
    let has = |name| TensorName::of(architecture.layers).contains(&name);
    let len = |name: TensorName| name.len(&architecture, scales).filter(|_| has(name)).unwrap_or(0);
    let mut reader = Tensors(tensors);
    let net = Net {
        ft_weights: reader.take(len(TensorName::FtWeights), i16::from_le_bytes).into(),
        bundled: OnceLock::new(),
        ft_bias: reader.take(len(TensorName::FtBias), i16::from_le_bytes),
        dense_weights: reader.take(len(TensorName::DenseWeights), i16::from_le_bytes),
        dense_bias: reader.take(len(TensorName::DenseBias), i32::from_le_bytes),
        out_weights: reader.take(len(TensorName::OutWeights), i32::from_le_bytes),
        out_bias: reader.take(len(TensorName::OutBias), i64::from_le_bytes),
        features,
        architecture,
        scales,
        provenance,
    };
    net.overflow().map_or(Ok(net), |reason| Err(wrong(reason)))
}

/// Why the header and the features that it names do not belong together.
fn problem_of_features(
    features: &FeatureSet,
    hash: &str,
    architecture: &Architecture,
) -> Option<String> {
    let expression = features.canonical();
    let (size, rows) = (features.size(), architecture.features);
    if size != rows {
        return Some(format!("`{expression}` has {size} features, the net {rows}"));
    }
    if features.hash() != hash {
        let ours = features.hash();
        return Some(format!("`{expression}` has the hash {ours}, the header says `{hash}`"));
    }
    features.is_valued().then(|| format!("`{expression}` is a valued set, which no net has"))
}

fn problem_of_layers(layers: Layers) -> Option<String> {
    let is_empty = match layers {
        Layers::Linear => false,
        Layers::One { l1, .. } => l1 == 0,
        Layers::Two { l1, l2, .. } => l1 == 0 || l2 == 0,
    };
    let most = LAYER_MOST;
    if layers.width() > most || layers.l2() > most {
        return Some(format!("a layer has more than {most} neurons"));
    }
    is_empty.then(|| "a layer has no neurons".to_owned())
}

fn problem_of_scales(scales: Scales, layers: Layers) -> Option<String> {
    let Scales { qa, qb, qc, base, shift } = scales;
    let in_range = (1..=32_767).contains(&qa) && (1..=32_767).contains(&qb) && qc >= 1;
    let squared = layers.activation().wants_shifts();
    // At most 2¹⁰, so that the square of an accumulator value fits with ease.
    let suits = !squared || (qa.count_ones() == 1 && qb.count_ones() == 1 && qa <= 1 << 10);
    // The base of a linear net is its qb.
    let has_base = match layers {
        Layers::Linear => base.is_none() && scales.digits(layers).is_some(),
        Layers::One { .. } | Layers::Two { .. } => true,
    };
    // Something must be left of an activation, and of qa nothing be lost.
    let shifts = match layers {
        Layers::Linear => shift == 0,
        Layers::One { .. } | Layers::Two { .. } => {
            shift < 15 && qa % (1 << shift) == 0 && scales.activation_unit(layers.activation()) > 0
        }
    };
    let sound = in_range && suits && has_base && shifts;
    (!sound).then(|| format!("the scales {scales} are out of range"))
}

/// Reads tensors one after the other; the length was checked before.
struct Tensors<'a>(&'a [u8]);

impl Tensors<'_> {
    fn take<const N: usize, T>(&mut self, count: usize, number: fn([u8; N]) -> T) -> Vec<T> {
        let (taken, rest) = self.0.split_at(count * N);
        self.0 = rest;
        taken.as_chunks().0.iter().copied().map(number).collect()
    }
}
