//! Layout of a file of bullet, in a line of text:
//!
//! ```text
//! bullet 1024 screlu -> 1, buckets 8, qa 255, qb 64, scale 400, features piece(COLORS * ROLES * SQUARES)
//! ```
//!
//! The layers are written as usual; each later part has the value of bullet's examples as its
//! default. Features come last, for an expression may have commas.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use super::BulletScales;
use super::numbers::{BUCKETS, QA, QB, SCALE, advice, in_range, numbers};
use features::{ExpressionError, FeatureSet};
use nnue::Activation;

/// Inputs of bullet's `Chess768`, in its order: all own pieces, then all of
/// the other side, pawn to king, a1 b1 … h8.
pub(super) const CHESS_768: &str = "piece(COLORS * ROLES * SQUARES)";

/// Layout of a file of bullet.
#[derive(Clone, Debug)]
pub struct BulletLayout {
    /// Inputs, in the order of the file.
    pub features: Arc<FeatureSet>,
    pub hidden: usize,
    /// Clipped ReLU, or its square.
    pub activation: Activation,
    /// Output buckets, by pieces.
    pub buckets: usize,
    pub scales: BulletScales,
}

/// A text that is no layout.
#[derive(Debug, thiserror::Error)]
pub enum LayoutError {
    /// Layers other than one hidden layer.
    #[error(
        "`{found}` are not the layers of a file of bullet; write them as in `bullet 256 screlu -> 1`: neurons of the hidden layer, its activation, one output"
    )]
    Layers { found: String },
    /// An activation without support.
    #[error("`{found}` is no activation of such a net; {}", advice(found, ACTIVATIONS.map(Activation::word)))]
    Activation { found: String },
    /// An unknown key.
    #[error("`{found}` says nothing of a file of bullet; {advice}")]
    Key { found: String, advice: String },
    #[error("{key} is `{found}`; it has to be a number from 1 to {most}")]
    Number { key: &'static str, found: String, most: usize },
    #[error("{key} is there twice; leave one out")]
    Twice { key: &'static str },
    #[error("the features cannot be read")]
    Features { source: Box<ExpressionError> },
}

/// The supported activations, named as in bullet.
pub(super) const ACTIVATIONS: [Activation; 2] =
    [Activation::ClippedRelu, Activation::SquaredClippedRelu];
const FEATURES: &str = "features";

/// Most neurons of a layout.
const MOST_NEURONS: usize = 1 << 16;

impl FromStr for BulletLayout {
    type Err = LayoutError;

    fn from_str(text: &str) -> Result<Self, LayoutError> {
        let (head, features) = split_features(text);
        let mut parts = head.split(',');
        let (hidden, activation) = layers(parts.next().unwrap_or_default())?;
        let [buckets, qa, qb, scale] = numbers(parts, [BUCKETS, QA, QB, SCALE], &[FEATURES])?;
        let features = FeatureSet::parse(features.unwrap_or(CHESS_768))
            .map_err(|source| LayoutError::Features { source })?;
        let scales = BulletScales::of([qa, qb, scale]);
        Ok(Self { features, hidden, activation, buckets, scales })
    }
}

/// The part before `features`, and the expression behind it.
fn split_features(text: &str) -> (&str, Option<&str>) {
    let parts = text.match_indices(',').map(|(at, _)| (&text[..at], text[at + 1..].trim_start()));
    let mut found = parts.filter_map(|(before, part)| {
        let expression = part.strip_prefix(FEATURES)?;
        expression.starts_with(char::is_whitespace).then_some((before, expression.trim()))
    });
    found.next().map_or((text, None), |(before, expression)| (before, Some(expression)))
}

/// `bullet 256 screlu -> 1`; the default activation is `crelu`.
fn layers(text: &str) -> Result<(usize, Activation), LayoutError> {
    let words: Vec<&str> = text.split_whitespace().collect();
    let (neurons, word) = match words[..] {
        ["bullet", neurons, "->", "1"] => (neurons, "crelu"),
        ["bullet", neurons, activation, "->", "1"] => (neurons, activation),
        _ => return Err(LayoutError::Layers { found: text.trim().to_owned() }),
    };
    let known = ACTIVATIONS.into_iter().find(|activation| activation.word() == word);
    let activation = known.ok_or_else(|| LayoutError::Activation { found: word.to_owned() })?;
    Ok((in_range("the number of neurons", neurons, MOST_NEURONS)?, activation))
}

/// With all defaults written out.
impl fmt::Display for BulletLayout {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { hidden, buckets, scales, .. } = self;
        write!(f, "bullet {hidden} {} -> 1, buckets {buckets}, ", self.activation.word())?;
        write!(f, "{scales}, {FEATURES} {}", self.features.canonical())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> BulletLayout {
        text.parse().unwrap()
    }

    fn refused(text: &str) -> String {
        text.parse::<BulletLayout>().unwrap_err().to_string()
    }

    #[test]
    fn defaults_are_those_of_the_examples() {
        let usual = "buckets 1, qa 255, qb 64, scale 400, features piece(COLORS * ROLES * SQUARES)";
        for (text, layers) in [
            ("bullet 256 screlu -> 1", "256 screlu"),
            ("  bullet  32 -> 1 ", "32 crelu"),
            ("bullet 32 crelu -> 1, scale 400", "32 crelu"),
        ] {
            assert_eq!(read(text).to_string(), format!("bullet {layers} -> 1, {usual}"));
        }
    }

    #[test]
    fn options_parse_in_any_order() {
        let all = "bullet 16 screlu -> 1, buckets 8, qa 181, qb 32, scale 369, features H + V";
        let mixed = "bullet 16 screlu -> 1,scale 369 , qb  32, qa 181, buckets 8, features H + V";
        assert_eq!(read(all).to_string(), read(mixed).to_string());
        let layout = read(all);
        assert_eq!((layout.hidden, layout.activation), (16, Activation::SquaredClippedRelu));
        assert_eq!((layout.buckets, layout.scales), (8, BulletScales::of([181, 32, 369])));
        assert_eq!(layout.features.size(), 192);
        let own = layout.to_string();
        assert_eq!(read(&own).to_string(), own);
    }

    #[test]
    fn an_expression_may_have_commas() {
        let text = "bullet 16 -> 1, features both(SQUARES * {pawn} * COLORS, files <= 1)";
        assert_eq!(read(text).features.size(), 1488);
    }

    #[test]
    fn mistakes_have_advice() {
        for (text, message) in [
            ("", "`` are not the layers of a file of bullet; write them as in `bullet 256 screlu"),
            ("256 screlu -> 1", "`256 screlu -> 1` are not the layers"),
            ("bullet 256 screlu -> 32 -> 1", "`bullet 256 screlu -> 32 -> 1` are not the layers"),
            ("bullet 256 srelu -> 1", "`srelu` is no activation of such a net; did you mean"),
            ("bullet 256 pairwise -> 1", "`pairwise` is no activation of such a net; there are"),
            (
                "bullet 0 -> 1",
                "the number of neurons is `0`; it has to be a number from 1 to 65536",
            ),
            ("bullet many -> 1", "the number of neurons is `many`"),
            ("bullet 16 -> 1, qc 3", "`qc` says nothing of a file of bullet; did you mean `q"),
            (
                "bullet 16 -> 1, endianness little",
                "`endianness` says nothing of a file of bullet; there are buckets, qa",
            ),
            ("bullet 16 -> 1,", "`` says nothing"),
            ("bullet 16 -> 1, qa", "qa is ``; it has to be a number from 1 to 1024"),
            ("bullet 16 -> 1, qa 40000", "qa is `40000`"),
            ("bullet 16 -> 1, buckets -8", "buckets is `-8`; it has to be a number from 1 to 32"),
            ("bullet 16 -> 1, qa 255, qa 255", "qa is there twice"),
            ("bullet 16 -> 1, features PIECE", "the features cannot be read"),
        ] {
            let error = refused(text);
            assert!(error.starts_with(message), "{error}");
        }
    }
}
