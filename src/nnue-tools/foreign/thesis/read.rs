//! The layout of a `.nn` file.
//!
//! | bytes | field |
//! |---|---|
//! | n + 1 | feature set, ASCII, ended by a zero byte |
//! | 3 × 4 | N, L1, L2, u32 |
//! | 2·N·L1 | W1, i16, the L1 values of a feature together |
//! | 2·L1 | b1, i16 |
//! | 2·L1·L2 | W2, i8, the 2·L1 values of an output together |
//! | 4·L2 | b2, i32 |
//! | L2 | W3, i8 |
//! | 4 | b3, i32 |
//!
//! All numbers are little endian; there is no magic number, no checksum and no padding. The only
//! check is that sizes fit together.

use std::sync::Arc;

use super::{BLOCKS, OLD_NAME, ThesisNet, layers};
use crate::foreign::fields::{FieldError, Fields};
use features::error::nearest;
use features::{ExpressionError, FeatureSet};
use nnue::Architecture;

/// Most bytes searched for the zero byte that ends the feature set.
const SET_MOST: usize = 64;

/// Bytes that are no net file of the thesis.
#[derive(Debug, thiserror::Error)]
pub enum ThesisError {
    /// The feature set does not end.
    #[error(
        "byte 0: no zero byte ends the feature set; a net of the thesis begins with one, such as `hv+h+v`: is this the right file?"
    )]
    Unended,
    /// A feature block the thesis does not have.
    #[error("byte {at}: `{name}` is no feature block of the thesis; {}", did_you_mean(name))]
    Block { at: usize, name: String },
    /// Blocks that make no feature set together.
    #[error("byte 0: the feature set `{set}` cannot be used; import a net of fewer blocks")]
    Features { set: String, source: Box<ExpressionError> },
    /// The number of features is not that of the feature set.
    #[error(
        "byte {at}: N is {found}, but `{set}` has {expected} features; the file is damaged: copy it again"
    )]
    Size { at: usize, found: usize, set: String, expected: usize },
    #[error("byte {at}: {field} is 0, a layer without neurons; the file is damaged: copy it again")]
    Empty { at: usize, field: &'static str },
    /// The file is shorter or longer than a net.
    #[error(transparent)]
    Fields(#[from] FieldError),
}

/// Suggestion for an unknown block.
fn did_you_mean(name: &str) -> String {
    let known = || BLOCKS.into_iter().chain([OLD_NAME]).map(|(name, _)| name);
    match nearest(name, known()) {
        Some(near) => format!("did you mean `{near}`?"),
        None => format!("it has {}", known().collect::<Vec<_>>().join(", ")),
    }
}

impl ThesisNet {
    /// Whether bytes begin with a word that ends with a zero byte, as every file does.
    pub fn recognises(bytes: &[u8]) -> bool {
        let word = bytes.split(|&byte| byte == 0).next().unwrap_or_default();
        word.len() < bytes.len().min(SET_MOST) && word.iter().all(u8::is_ascii_graphic)
    }

    pub fn from_bytes(bytes: &[u8]) -> Result<Self, ThesisError> {
        let mut fields = Fields::new(bytes);
        let set = text(&mut fields)?;
        let features = features(&set)?;
        let architecture = architecture(&mut fields, &set, &features)?;
        let n = architecture.features;
        let (l1, l2) = (architecture.layers.width(), architecture.layers.dense()[0].sums);
        let net = Self {
            set,
            features,
            architecture,
            ft_weights: fields.values("W1", &[n, l1], i16::from_le_bytes)?,
            ft_bias: fields.values("b1", &[l1], i16::from_le_bytes)?,
            l2_weights: fields.values("W2", &[l2, 2, l1], i8::from_le_bytes)?,
            l2_bias: fields.values("b2", &[l2], i32::from_le_bytes)?,
            out_weights: fields.values("W3", &[l2], i8::from_le_bytes)?,
            out_bias: fields.value("b3", i32::from_le_bytes)?,
        };
        fields.end()?;
        Ok(net)
    }
}

/// The feature set in our algebra, in the index order of the file.
fn features(set: &str) -> Result<Arc<FeatureSet>, ThesisError> {
    let mut at = 0;
    let mut expressions = Vec::new();
    for name in set.split('+') {
        expressions.push(expression(name, at)?);
        at += name.len() + 1;
    }
    FeatureSet::parse(&expressions.join(" + "))
        .map_err(|source| ThesisError::Features { set: set.to_owned(), source })
}

/// The expression of the block whose name stands at byte `at`.
fn expression(name: &str, at: usize) -> Result<&'static str, ThesisError> {
    let present = if name == OLD_NAME.0 { OLD_NAME.1 } else { name };
    match BLOCKS.iter().find(|(block, _)| *block == present) {
        Some((_, expression)) => Ok(expression),
        None => Err(ThesisError::Block { at, name: name.escape_debug().to_string() }),
    }
}

/// Text up to a zero byte, with replacement characters, which are in no block's name, for invalid
/// UTF-8.
fn text(fields: &mut Fields<'_>) -> Result<String, ThesisError> {
    let zero = fields.rest().iter().take(SET_MOST).position(|&byte| byte == 0);
    let length = zero.ok_or(ThesisError::Unended)?;
    let text = fields.take("the feature set", length + 1)?;
    Ok(String::from_utf8_lossy(&text[..length]).into_owned())
}

fn architecture(
    fields: &mut Fields<'_>,
    set: &str,
    features: &FeatureSet,
) -> Result<Architecture, ThesisError> {
    let (at, expected) = (fields.at(), features.size());
    let found = fields.value("N", u32::from_le_bytes)? as usize;
    if found != expected {
        return Err(ThesisError::Size { at, found, set: set.to_owned(), expected });
    }
    let layers = layers(width(fields, "L1")?, width(fields, "L2")?);
    Ok(Architecture { features: found, layers })
}

fn width(fields: &mut Fields<'_>, field: &'static str) -> Result<usize, ThesisError> {
    let at = fields.at();
    match fields.value(field, u32::from_le_bytes)? {
        0 => Err(ThesisError::Empty { at, field }),
        width => Ok(width as usize),
    }
}
