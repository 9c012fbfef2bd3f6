//! From the bytes of a file to a net.
//!
//! The checksum comes first, so that later errors are not damage but another program's format; and
//! memory is allocated only after the length of the file was checked.

use super::{CHECKSUM_BYTES, HEADER_AT, Header, MAGIC, Problem, VERSION, VERSION_AT};
use crate::layers::{Architecture, Layers};
use crate::net::{IntegerDense, IntegerWeights, Net};
use crate::scales::Scales;
use crate::tensors::{Dtype, TensorName};
use crate::valued::Valued;
use features::FeatureSet;

/// The parts of a file.
struct Parts<'a> {
    header: &'a [u8],
    tensors: &'a [u8],
    checksum: &'a [u8],
}

pub(super) fn net(bytes: &[u8]) -> Result<Net, Problem> {
    let parts = parts(bytes)?;
    let header = header(&parts);
    let at = bytes.len() - CHECKSUM_BYTES;
    if blake3::hash(&bytes[..at]).as_bytes() != parts.checksum {
        // A truncated file has a wrong checksum too; its length is the better message.
        return Err(match header.and_then(|header| check_length(&header, &parts)) {
            Err(cut @ Problem::Length { .. }) => cut,
            _ => Problem::Checksum { at },
        });
    }
    let header = header?;
    check_length(&header, &parts)?;
    assemble(header, parts.tensors)
}

/// Whether a file with this start is a net of the supported version.
pub(super) fn check_version(start: &[u8]) -> Result<(), Problem> {
    if start.is_empty() || !start.starts_with(&MAGIC[..start.len().min(MAGIC.len())]) {
        let found = &start[..start.len().min(MAGIC.len())];
        return Err(Problem::Magic { found: found.escape_ascii().to_string() });
    }
    match word(start, VERSION_AT)? {
        VERSION => Ok(()),
        found => Err(Problem::Version { found }),
    }
}

fn word(bytes: &[u8], at: usize) -> Result<u32, Problem> {
    let word = bytes.get(at..).and_then(|rest| rest.first_chunk());
    let shortest = HEADER_AT + CHECKSUM_BYTES;
    word.map(|&word| u32::from_le_bytes(word))
        .ok_or(Problem::Length { expected: shortest, found: bytes.len() })
}

fn parts(bytes: &[u8]) -> Result<Parts<'_>, Problem> {
    check_version(bytes)?;
    let tensors_at = HEADER_AT.saturating_add(word(bytes, VERSION_AT + 4)? as usize);
    let short =
        Problem::Length { expected: tensors_at.saturating_add(CHECKSUM_BYTES), found: bytes.len() };
    let Some((content, checksum)) = bytes.split_last_chunk::<CHECKSUM_BYTES>() else {
        return Err(short);
    };
    let Some(header) = content.get(HEADER_AT..tensors_at) else { return Err(short) };
    Ok(Parts { header, tensors: &content[tensors_at..], checksum })
}

/// A header with scales that match its layers.
fn header(parts: &Parts<'_>) -> Result<Header, Problem> {
    let text = parts.header;
    let header: Header = serde_json::from_slice(text).map_err(|error| Problem::Header {
        at: HEADER_AT + place(text, &error),
        reason: error.to_string(),
    })?;
    match problem_of_scales(&header.scales, &header.architecture.layers) {
        Some(reason) => Err(Problem::Header { at: HEADER_AT, reason }),
        None => Ok(header),
    }
}

/// Byte of a JSON error in a text.
fn place(text: &[u8], error: &serde_json::Error) -> usize {
    let lines_before = text.split_inclusive(|&byte| byte == b'\n').take(error.line().max(1) - 1);
    lines_before.map(<[u8]>::len).sum::<usize>() + error.column().saturating_sub(1)
}

/// Whether the tensors have the length of their header.
fn check_length(header: &Header, parts: &Parts<'_>) -> Result<(), Problem> {
    let around = HEADER_AT + parts.header.len() + CHECKSUM_BYTES;
    let needed = bytes_of(&header.architecture, &header.scales)
        .and_then(|bytes| bytes.checked_add(around))
        .unwrap_or(usize::MAX);
    match around + parts.tensors.len() {
        found if found == needed => Ok(()),
        found => Err(Problem::Length { expected: needed, found }),
    }
}

/// Bytes of all tensors; `None` if no memory could hold them.
fn bytes_of(architecture: &Architecture, scales: &Scales) -> Option<usize> {
    let names = TensorName::of(&architecture.layers);
    names.iter().try_fold(0_usize, |sum, name| sum.checked_add(name.bytes(architecture, scales)?))
}

/// The net of a header and its tensors, whose length was checked.
fn assemble(header: Header, tensors: &[u8]) -> Result<Net, Problem> {
    let wrong = |reason| Problem::Header { at: HEADER_AT, reason };
    let Header { expression, features_hash, architecture, scales, provenance } = header;
    // `top(…, "file")` would read a file; net files list their rows.
    if expression.contains('"') {
        return Err(wrong(format!("`{expression}` names a file")));
    }
    let features = FeatureSet::parse(&expression)
        .map_err(|error| wrong(format!("the feature expression `{expression}`: {error}")))?;
    if let Some(reason) = problem_of_features(&features, &features_hash, &architecture) {
        return Err(wrong(reason));
    }
    let valued = Valued::read_by(&features, &architecture.layers)
        .map_err(|reason| wrong(format!("`{expression}` is a valued set: {reason}")))?;
    let weights = integer_weights(&architecture, &scales, tensors);
    let net = Net::assembled(features, valued, architecture, scales, weights, provenance);
    net.overflow().map_or(Ok(net), |reason| Err(wrong(reason)))
}

/// Tensors from bytes, whose length was checked.
fn integer_weights(architecture: &Architecture, scales: &Scales, bytes: &[u8]) -> IntegerWeights {
    let layers = &architecture.layers;
    let mut weights = IntegerWeights {
        dense: vec![IntegerDense::default(); layers.dense().len()],
        ..IntegerWeights::default()
    };
    let mut reader = Tensors(bytes);
    for name in TensorName::of(layers) {
        let count = name.len(architecture, scales).unwrap_or(0);
        match name {
            TensorName::FtWeights => {
                weights.ft_weights = reader.take(count, i16::from_le_bytes).into();
            }
            TensorName::FtBias => weights.ft_bias = reader.take(count, i16::from_le_bytes),
            TensorName::Psqt => weights.psqt = reader.take(count, i32::from_le_bytes),
            TensorName::DenseWeights(at) => {
                weights.dense[at.index(layers)].weights = reader.numbers(name.dtype(), count);
            }
            TensorName::DenseBias(at) => {
                weights.dense[at.index(layers)].bias = reader.numbers(name.dtype(), count);
            }
        }
    }
    weights
}

/// The mismatch between a header and its features.
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
    None
}

/// The mismatch between scales and layers.
fn problem_of_scales(scales: &Scales, layers: &Layers) -> Option<String> {
    let Scales { transformer, hidden, output, skip, psqt, mix, rounding } = scales;
    let fits = transformer.is_some() != layers.is_linear()
        && hidden.len() == layers.hidden().len()
        && skip.is_some() == layers.addition().is_some()
        && psqt.is_some() == layers.has_psqt();
    let sound = fits
        && transformer.is_none_or(|it| it.is_sound(layers.activation(), *rounding))
        && hidden.iter().zip(layers.hidden()).all(|(scale, it)| scale.is_sound(it.activation))
        && reads_words(scales, layers)
        && *output >= 1
        && skip.is_none_or(|skip| skip.over > 0 && skip.times.unsigned_abs() < 1 << 31)
        && [mix.output, mix.psqt].iter().all(|times| (0..1 << 48).contains(times))
        && mix.whole > 0;
    (!sound).then(|| format!("the scales {scales} are out of range, or not of layers {layers}"))
}

/// Whether dense layers below an output of 64 bits have 16-bit inputs.
fn reads_words(scales: &Scales, layers: &Layers) -> bool {
    let narrow = layers.hidden().len().max(1);
    scales.most_read(layers).iter().take(narrow).all(|&most| most <= i32::from(i16::MAX))
}

/// Reads tensors one after the other; the length was checked before.
struct Tensors<'a>(&'a [u8]);

impl Tensors<'_> {
    fn take<const N: usize, T>(&mut self, count: usize, number: fn([u8; N]) -> T) -> Vec<T> {
        let (taken, rest) = self.0.split_at(count * N);
        self.0 = rest;
        taken.as_chunks().0.iter().copied().map(number).collect()
    }

    /// Numbers of any type, widened.
    fn numbers<T: TryFrom<i64, Error: std::fmt::Debug>>(
        &mut self,
        dtype: Dtype,
        count: usize,
    ) -> Vec<T> {
        let wide: Vec<i64> = match dtype {
            Dtype::I16 => self.take(count, |bytes| i64::from(i16::from_le_bytes(bytes))),
            Dtype::I32 => self.take(count, |bytes| i64::from(i32::from_le_bytes(bytes))),
            Dtype::I64 => self.take(count, i64::from_le_bytes),
        };
        wide.into_iter()
            .map(|n| T::try_from(n).expect("tensors have types that hold them"))
            .collect()
    }
}
